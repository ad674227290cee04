//! Positions near the end of their type. Searches are told their keys by a function, so that runs can be as long as
//! positions reach and no memory has to hold them; overflow checks are on, so a sum that wraps is a panic.
#![allow(clippy::undocumented_unsafe_blocks)]
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::corank::{co_rank, co_rank_warp};
use gridsort_kernels::kway::partition::Groups;
use gridsort_kernels::kway::select::{Bracket, select};
use gridsort_kernels::simt::emulator;
use gridsort_kernels::simt::warp;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::cell::Cell;
use std::sync::Mutex;

/// The keys of two runs, by position: interleaved one by one, with ties, one run denser than the other, all of one run
/// before the other.
type Keys = fn(u64) -> u128;
const RUNS: [(Keys, Keys); 7] = [
    (|i| 2 * i as u128, |j| 2 * j as u128 + 1),
    (|i| i as u128, |j| j as u128),
    (|i| i as u128 / 3, |j| j as u128 / 5),
    (|i| 9 * i as u128, |j| j as u128),
    (|_| 7, |_| 7),
    (|_| 0, |_| 1),
    (|_| 1, |_| 0),
];

#[test]
fn every_cut_of_runs_that_fill_eight_bits() {
    for (a, b) in RUNS {
        for sum in [255, 254, 253, 129, 128, 127] {
            for a_len in 0..=sum {
                let b_len = sum - a_len;
                let mut i = 0;
                for k in 0..=sum {
                    let found = co_rank(k, a_len, b_len, |j, i| {
                        assert!(j < b_len && i < a_len, "asked for what is not there");
                        b(j.into()) < a(i.into())
                    });
                    assert_eq!(found, i, "{a_len} and {b_len} elements, position {k}");
                    let j = k - i;
                    i += u8::from(i < a_len && (j == b_len || a(i.into()) <= b(j.into())));
                }
            }
        }
    }
}

/// Whether `i` is the co-rank of `k`: what defines it, one side strict.
fn is_cut(i: u64, k: u64, (a, a_len): (Keys, u64), (b, b_len): (Keys, u64)) -> bool {
    let Some(j) = k.checked_sub(i).filter(|&j| i <= a_len && j <= b_len) else {
        return false;
    };
    (i == 0 || j == b_len || a(i - 1) <= b(j)) && (j == 0 || i == a_len || b(j - 1) < a(i))
}

/// Positions of the merge of so many elements: both ends, the middle, where 32 bits end, and some others.
fn positions(sum: u64, random: &mut impl Rng) -> Vec<u64> {
    let mut all: Vec<u64> = (0..3).flat_map(|d| [d, sum - d, sum / 2 + d, (1 << 32) - 1 + d]).collect();
    all.extend((0..8).map(|_| random.next_u64() % sum));
    all.retain(|&k| k <= sum);
    all
}

#[test]
fn cuts_of_runs_that_fill_sixty_four_bits() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(1);
    let mut cases = Vec::new();
    // A warp's probes reach past the bracket by up to a step of 32: so far from the end the shorter of A and k stays.
    const MOST: u64 = u64::MAX - 32;
    for (a_len, b_len) in [
        (1 << 63, (1 << 63) - 1),
        ((1 << 63) - 17, 1 << 63),
        (MOST, 32),
        (17, u64::MAX - 17),
        (MOST, 0),
        (0, MOST),
        (1 << 32, (1 << 32) - 1),
        ((1 << 31) - 17, (1 << 31) + 17),
    ] {
        for k in positions(a_len + b_len, &mut random) {
            cases.extend(RUNS.map(|(a, b)| (k, (a, a_len), (b, b_len))));
        }
    }
    let found = Mutex::new(vec![0; cases.len()]);
    emulator::run("cuts", shape(1, 32, 0), &plain(), || {
        for (case, &(k, (a, a_len), (b, b_len))) in cases.iter().enumerate() {
            let cut = co_rank_warp(k, a_len, b_len, |j, i| {
                assert!(j < b_len && i < a_len, "asked for what is not there");
                b(j) < a(i)
            });
            if warp::lane_id() == 7 {
                found.lock().unwrap()[case] = cut;
            }
        }
    })
    .unwrap();
    for (&(k, a, b), i) in cases.iter().zip(found.into_inner().unwrap()) {
        assert!(is_cut(i, k, a, b), "{} and {} elements, position {k}: {i}", a.1, b.1);
        assert_eq!(co_rank(k, a.1, b.1, |j, i| b.0(j) < a.0(i)), i, "by one thread");
    }
}

/// The key at a position of one of `runs` runs.
type KeyOf = fn(u64, u64, u64) -> u64;
const KEYS: [KeyOf; 6] = [
    // Dealt out in turn; the same throughout all runs; long ties; one key only; runs one behind the other; and every run
    // denser than the one before.
    |run, i, runs| i * runs + run,
    |_, i, _| i,
    |run, i, _| (i >> 20) + run % 2,
    |_, _, _| u64::MAX,
    |run, _, runs| runs - run,
    |run, i, _| i >> run,
];

/// Keys that a lane asks for at most: four rounds for each bit of a position, of two searches by halves each.
const MOST_ASKED: u32 = 4 * 64 * 2 * 64;

fn check_select<const RUNS: u32>(random: &mut impl Rng) {
    let runs = u64::from(RUNS);
    // The search multiplies a distance by the number of runs to guess its next step: sums stay below 2^64 / RUNS.
    let most = u64::MAX / runs;
    let mut cases = Vec::new();
    for total in [most, most - 17, (1 << 32) + 17, (1 << 32) - 17, (1 << 31) + 17, (1 << 31) - 17] {
        // Equal runs but for the last, and all in the first.
        for lens in [
            std::array::from_fn(
                |j| if j as u32 == RUNS - 1 { total - total / runs * (runs - 1) } else { total / runs },
            ),
            std::array::from_fn(|j| if j == 0 { total } else { 0 }),
        ] {
            let lens: [u64; 32] = lens;
            for p in positions(total, random) {
                cases.extend(KEYS.map(|keys| (p, total, lens, keys)));
            }
        }
    }
    let found = Mutex::new(vec![[0u64; 32]; cases.len()]);
    emulator::run("select", shape(1, 32, 0), &plain(), || {
        let me = warp::lane_id() % RUNS;
        for (case, (p, total, lens, keys)) in cases.iter().enumerate() {
            let high = lens[me as usize];
            let asked = Cell::new(0);
            let get = |i: u64| {
                assert!(i < high, "asked for what is not there");
                asked.set(asked.get() + 1);
                assert!(asked.get() < MOST_ASKED, "the search does not end");
                keys(me.into(), i, runs)
            };
            let bracket = Bracket { low: 0, high, low_sum: 0, high_sum: *total };
            let cut = unsafe { select::<u64, RUNS>(get, *p, bracket) };
            if warp::lane_id() < RUNS {
                found.lock().unwrap()[case][me as usize] = cut;
            }
        }
    })
    .unwrap();
    for ((p, total, lens, keys), cuts) in cases.iter().zip(found.into_inner().unwrap()) {
        let at = || format!("position {p} of {total} in {RUNS} runs: {cuts:?}");
        assert_eq!(cuts.iter().sum::<u64>(), *p, "{}", at());
        // What is taken last of each run stands before what is left first of each other.
        for x in (0..runs).filter(|&x| cuts[x as usize] > 0) {
            let last = (keys(x, cuts[x as usize] - 1, runs), x);
            for y in (0..runs).filter(|&y| y != x && cuts[y as usize] < lens[y as usize]) {
                assert!(last < (keys(y, cuts[y as usize], runs), y), "runs {x} and {y}, {}", at());
            }
        }
    }
}

#[test]
fn cuts_of_many_runs_that_fill_their_type() {
    let mut random = Xoshiro256PlusPlus::seed_from_u64(2);
    check_select::<4>(&mut random);
    check_select::<8>(&mut random);
    check_select::<16>(&mut random);
}

/// Groups of runs cover an array once, as long as a group that begins in it ends within the type.
#[test]
fn groups_of_runs_near_the_end() {
    for runs in [4, 8, 16] {
        // The longest run whose group still has a length.
        for run in [96, u64::MAX / u64::from(runs), u64::MAX / u64::from(2 * runs) - 1, (1 << 31) - 17, (1 << 32) + 17]
        {
            let group = run * u64::from(runs);
            let lengths = [1, run - 1, run, run + 1, group - 1, group, group.saturating_add(run / 2)];
            for n in lengths.into_iter().filter(|n| *n <= group || n.checked_add(group).is_some()) {
                let groups = Groups::of_one(n, run, 1);
                let mut covered = 0;
                for g in 0..n.div_ceil(group).min(2) {
                    let extent = groups.extent(g, runs);
                    assert_eq!(extent.0, covered);
                    for j in 0..runs {
                        let (from, len) = groups.run_of(extent, j);
                        assert!(len <= run && (len == 0 || from == covered), "{n} keys, runs of {run}");
                        covered += len;
                    }
                    assert_eq!(extent.1, covered);
                }
                assert_eq!(covered, n, "{runs} runs of {run}");
            }
        }
    }
}
