//! Cuts and merges of four runs in shared memory on the emulator: every cut of every small quadruple of runs, and larger ones that a
//! descent in step cannot foresee.
#![allow(clippy::undocumented_unsafe_blocks)]
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::kway::four::{Four, cut, merge, merge_of_two};
use gridsort_kernels::simt::emulator::{self, Config};
use gridsort_kernels::simt::{thread, warp};
use gridsort_kernels::tile::element::{Bare, Element};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Mutex;

/// Elements that a lane merges.
const ITEMS: usize = 5;

type Runs = [Vec<u32>; 4];

/// A cut that a lane found, and what it merged from there.
type Found = ([u32; 4], [u32; ITEMS]);

/// Lays runs with their sentinels into slots, and says where they are.
fn lay(runs: &Runs) -> (Vec<u32>, Four) {
    let (mut slots, mut begin, mut end) = (vec![], [0; 4], [0; 4]);
    for (j, run) in runs.iter().enumerate() {
        begin[j] = slots.len() as u32;
        slots.extend(run);
        end[j] = slots.len() as u32;
        slots.push(u32::MAX);
    }
    (slots, Four { begin, end })
}

/// The cuts at the positions that the lanes of a warp ask for, one block for each quadruple.
fn find(config: &Config, quadruples: &[(Runs, Vec<u32>)]) -> Vec<Vec<Found>> {
    let laid: Vec<_> = quadruples.iter().map(|(runs, _)| lay(runs)).collect();
    let most = laid.iter().map(|(slots, _)| slots.len()).max().unwrap() as u32;
    let found: Vec<_> = quadruples.iter().map(|(_, at)| Mutex::new(vec![Found::default(); at.len()])).collect();
    emulator::run("cuts", shape(quadruples.len() as u32, 32, 4 * most), config, || unsafe {
        let (block, lane) = (thread::block_idx_x() as usize, warp::lane_id() as usize);
        let (slots, four) = &laid[block];
        let view = Bare::<u32>::view(most);
        for i in (lane..slots.len()).step_by(32) {
            Bare::set(view, i as u32, Bare(slots[i]));
        }
        thread::sync_threads();
        let asked = &quadruples[block].1;
        let slots = cut::<Bare<u32>>(view, *four, asked[lane.min(asked.len() - 1)]);
        let merged = merge::<Bare<u32>, ITEMS>(view, slots);
        if lane < asked.len() {
            found[block].lock().unwrap()[lane] = (slots, merged.map(|e| e.0));
        }
    })
    .unwrap();
    found.into_iter().map(|found| found.into_inner().unwrap()).collect()
}

/// Whether the cuts are where the merged runs are cut, and merges go on from there.
fn check(config: &Config, quadruples: &[(Runs, Vec<u32>)]) {
    for ((runs, asked), found) in quadruples.iter().zip(find(config, quadruples)) {
        let (_, four) = lay(runs);
        let mut merged: Vec<u32> = runs.concat();
        merged.sort();
        for (&k, (slots, next)) in asked.iter().zip(found) {
            let mut before: Vec<u32> = vec![];
            for j in 0..4 {
                assert!((four.begin[j]..=four.end[j]).contains(&slots[j]), "{runs:?} {k} {slots:?}");
                before.extend(&runs[j][..(slots[j] - four.begin[j]) as usize]);
            }
            before.sort();
            assert_eq!(before, merged[..k as usize], "{runs:?} {k} {slots:?}");
            let expected: Vec<u32> =
                merged[k as usize..].iter().copied().chain(std::iter::repeat(u32::MAX)).take(ITEMS).collect();
            assert_eq!(next.as_slice(), expected, "{runs:?} {k}");
        }
    }
}

/// Up to 32 positions of the runs' merge, its ends among them.
fn positions(runs: &Runs) -> Vec<u32> {
    let total = runs.iter().map(Vec::len).sum::<usize>() as u32;
    let parts = total.clamp(1, 31);
    (0..=parts).map(|i| total * i / parts).collect()
}

fn asked(quadruples: impl IntoIterator<Item = Runs>) -> Vec<(Runs, Vec<u32>)> {
    quadruples.into_iter().map(|runs| (runs.clone(), positions(&runs))).collect()
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

fn sorted(mut keys: Vec<u32>) -> Vec<u32> {
    keys.sort();
    keys
}

/// One OS thread; what an access may do is another test's.
fn fast() -> Config {
    Config { checks: false, ..plain() }
}

#[test]
fn every_cut_of_every_small_quadruple() {
    // All runs of up to three keys out of three values, the sentinel's among them.
    let mut all: Vec<Vec<u32>> = vec![];
    for counts in 0..64u32 {
        let n = [counts % 4, counts / 4 % 4, counts / 16];
        if n.iter().sum::<u32>() <= 3 {
            all.push([0, 7, u32::MAX].iter().zip(n).flat_map(|(&v, n)| vec![v; n as usize]).collect());
        }
    }
    // Of the 160,000 quadruples, a tenth: each pair of runs occurs at each pair of places.
    let count = all.len();
    let mut quadruples = vec![];
    for i in 0..count.pow(4) {
        let [a, b, c, d] = [i % count, i / count % count, i / count.pow(2) % count, i / count.pow(3)];
        if (a + 3 * b + 7 * c + 9 * d) % 10 == 0 {
            quadruples.push([a, b, c, d].map(|j| all[j].clone()));
        }
    }
    check(&fast(), &asked(quadruples));
}

#[test]
fn cuts_of_runs_of_every_shape() {
    let mut rng = rng(5);
    let mut quadruples = vec![];
    for lengths in [
        [94, 94, 94, 94],
        [376, 380, 370, 376],
        [0, 0, 0, 0],
        [0, 0, 0, 5],
        [1, 0, 900, 0],
        [900, 2, 3, 400],
        [1500, 1500, 1500, 1500],
        [2047, 1, 2047, 1],
    ] {
        for values in [1, 2, 5, 100, u32::MAX] {
            quadruples.push(lengths.map(|n| sorted((0..n).map(|_| (rng.next_u64() >> 32) as u32 % values).collect())));
        }
    }
    check(&plain(), &asked(quadruples));
}

#[test]
fn cuts_of_runs_that_are_not_alike() {
    let mut rng = rng(6);
    let mut quadruples = vec![];
    let n = 700;
    for apart in [100, 300, 500, 1000] {
        // Each run's keys begin higher than those of the one before, or lower.
        let from = |j: u32| (0..n).map(|i| 1000 * i + apart * 1000 * j).collect::<Vec<u32>>();
        quadruples.push([from(0), from(1), from(2), from(3)]);
        quadruples.push([from(3), from(2), from(1), from(0)]);
        quadruples.push([from(1), from(3), from(0), from(2)]);
    }
    // Keys crowded at one end, and equal to the sentinel.
    quadruples.push([1, 2, 3, 4].map(|power| {
        sorted(
            (0..n)
                .map(|_| {
                    let x = (rng.next_u64() >> 32) as f64 / 2f64.powi(32);
                    (x.powi(power * power) * 1e9) as u32
                })
                .collect(),
        )
    }));
    quadruples.push([vec![u32::MAX; 500], vec![u32::MAX; 3], vec![0; 700], vec![u32::MAX - 1; 90]]);
    quadruples.push([vec![u32::MAX; 500], vec![], vec![u32::MAX; 700], vec![u32::MAX; 90]]);
    check(&plain(), &asked(quadruples));
}

#[test]
fn merges_of_two_go_on_with_sentinels() {
    let (a, b) = ([1, 3, u32::MAX, u32::MAX], [2, 3, 9, u32::MAX]);
    let merged = Mutex::new([0; 9]);
    emulator::run("two", shape(1, 32, 4 * 8), &plain(), || unsafe {
        let view = Bare::<u32>::view(8);
        let lane = warp::lane_id();
        if lane < 8 {
            Bare::set(view, lane, Bare([a, b].concat()[lane as usize]));
        }
        thread::sync_threads();
        let found = merge_of_two::<Bare<u32>, 9>(view, [0, 4]);
        if lane == 0 {
            *merged.lock().unwrap() = found.map(|e| e.0);
        }
    })
    .unwrap();
    let max = u32::MAX;
    assert_eq!(merged.into_inner().unwrap(), [1, 2, 3, 3, 9, max, max, max, max]);
}
