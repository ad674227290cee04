//! Every merge against the standard library's sort.
use crate::grid::{self, Instructions};
use crate::inputs::{Random, benchmark, runs};
use crate::runs::{RUNS, Runs};
use crate::{heap, loser_tree};

/// Keys alone are merged, so the sorted input is the only right result: nothing is lost, nothing doubled.
fn check(keys: &[u32], lengths: [usize; RUNS]) {
    let mut expected = keys.to_vec();
    expected.sort_unstable();
    let runs = Runs::new(keys, lengths);
    let same = |name: &str, merge: &dyn Fn(&Runs, &mut [u32])| {
        let mut out = vec![0xabad_cafe; keys.len()];
        merge(&runs, &mut out);
        assert!(out == expected, "{name}, lengths {lengths:?}");
    };
    for instructions in Instructions::available() {
        same(&format!("{instructions:?}"), &|runs, out| grid::merge(instructions, runs, out));
    }
    same("loser tree", &loser_tree::merge);
    same("heap", &heap::merge);
}

/// Keys of several kinds: spread out, many ties, about the greatest key, one value, and runs in or against their order.
fn kinds() -> [fn(u64, usize) -> u32; 7] {
    [
        |random, _| random as u32,
        |random, _| random as u32 & 3,
        |random, _| u32::MAX - (random as u32 & 1),
        |_, _| u32::MAX,
        |_, _| 0,
        |random, run| (random as u32 >> 3) | (run as u32) << 29,
        |random, run| (random as u32 >> 3) | (7 - run as u32) << 29,
    ]
}

#[test]
fn random_lengths() {
    let mut random = Random(1);
    for seed in 0..60 {
        for most in [1, 2, 9, 40, 300] {
            let lengths = std::array::from_fn(|_| random.next() as usize % (most + 1));
            for kind in kinds() {
                let (keys, lengths) = runs(lengths, seed, kind);
                check(&keys, lengths);
            }
        }
    }
}

#[test]
fn empty_runs() {
    for full in 0..1 << RUNS {
        let lengths = std::array::from_fn(|run| if full >> run & 1 == 1 { 11 + run } else { 0 });
        for kind in kinds() {
            let (keys, lengths) = runs(lengths, full, kind);
            check(&keys, lengths);
        }
    }
}

#[test]
fn every_small_length_of_one_run() {
    for run in 0..RUNS {
        for length in 0..40 {
            let mut lengths = [3; RUNS];
            lengths[run] = length;
            let (keys, lengths) = runs(lengths, 7, |random, _| random as u32 & 15);
            check(&keys, lengths);
        }
    }
}

/// The eight smallest change from one run to another in every round, or come from all.
#[test]
fn interleaved_blocks() {
    for block in 1..20u32 {
        let mut keys = Vec::new();
        for run in 0..RUNS as u32 {
            keys.extend((0..200).map(|i| (i / block * 8 + run) * block + i % block));
        }
        check(&keys, [200; RUNS]);
    }
}

#[test]
fn measured_inputs() {
    for (_, (keys, lengths)) in benchmark(1 << 12) {
        check(&keys, lengths);
    }
}
