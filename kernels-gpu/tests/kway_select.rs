//! Cuts of many runs on the emulator: where they are, and how many elements the search for one looks at.
#![allow(clippy::undocumented_unsafe_blocks)]
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::kway::select::{Bracket, select};
use gridsort_kernels::simt::emulator::{self, Config};
use gridsort_kernels::simt::{thread, warp};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::cell::Cell;
use std::sync::Mutex;

const RUNS: usize = 16;
type Runs = [Vec<u64>; RUNS];

/// A search: the position, and the cuts that it begins between, which stand for the first and the last there are where none are
/// given.
type Search = (u64, Option<[(u64, [u64; RUNS]); 2]>);

/// The cuts at these positions, and how many elements a lane of each search looked at at most. Two searches to a warp.
fn find(runs: &Runs, searches: &[Search]) -> Vec<([u64; RUNS], u64)> {
    let total: u64 = runs.iter().map(|run| run.len() as u64).sum();
    let found = Mutex::new(vec![([0; RUNS], 0); searches.len()]);
    let config = Config { checks: false, ..plain() };
    emulator::run("cuts", shape(searches.len().div_ceil(2) as u32, 32, 0), &config, || unsafe {
        let (lane, j) = (warp::lane_id() as usize, warp::lane_id() as usize % RUNS);
        let number = (2 * thread::block_idx_x() as usize + lane / RUNS).min(searches.len() - 1);
        let (p, between) = searches[number];
        let bracket = match between {
            None => Bracket { low: 0, high: runs[j].len() as u64, low_sum: 0, high_sum: total },
            Some([(low_sum, low), (high_sum, high)]) => Bracket { low: low[j], high: high[j], low_sum, high_sum },
        };
        let looked = Cell::new(0);
        let get = |i: u64| {
            looked.set(looked.get() + 1);
            runs[j][i as usize]
        };
        let cut = select::<u64, { RUNS as u32 }>(get, p, bracket);
        let mut found = found.lock().unwrap();
        found[number].0[j] = cut;
        found[number].1 = found[number].1.max(looked.get());
    })
    .unwrap();
    found.into_inner().unwrap()
}

/// The cuts of every tile's boundary in two steps, as the kernels find them, checked; and the elements that a lane looked at on
/// average.
fn of_tiles(runs: &Runs, tile: u64, stride: u64) -> [f64; 2] {
    let total: u64 = runs.iter().map(|run| run.len() as u64).sum();
    let boundaries: Vec<u64> = (0..=total.div_ceil(tile)).map(|b| (b * tile).min(total)).collect();
    let last = boundaries.len() - 1;
    let is_coarse = |b: usize| b.is_multiple_of(stride as usize) || b == last;
    let coarse: Vec<usize> = (0..boundaries.len()).filter(|&b| is_coarse(b)).collect();
    let first: Vec<Search> = coarse.iter().map(|&b| (boundaries[b], None)).collect();
    let found = find(runs, &first);
    let fine: Vec<Search> = (0..boundaries.len())
        .filter(|&b| !is_coarse(b))
        .map(|b| {
            let at = coarse.partition_point(|&c| c < b);
            let cut = |c: usize| (boundaries[coarse[c]], found[c].0);
            (boundaries[b], Some([cut(at - 1), cut(at)]))
        })
        .collect();
    let finer = find(runs, &fine);

    // The order of all elements: by key, by run, by position.
    let mut all: Vec<(u64, usize)> = (0..RUNS).flat_map(|j| runs[j].iter().map(move |&key| (key, j))).collect();
    all.sort();
    let (mut cuts, mut at) = (vec![[0; RUNS]], [0; RUNS]);
    for (_, j) in all {
        at[j] += 1;
        cuts.push(at);
    }
    for ((p, _), (cut, _)) in first.iter().chain(&fine).zip(found.iter().chain(&finer)) {
        assert_eq!(cut, &cuts[*p as usize], "position {p}");
    }
    [found, finer].map(|found| found.iter().map(|found| found.1 as f64).sum::<f64>() / found.len() as f64)
}

fn runs(mut key: impl FnMut(u64) -> u64, len: impl Fn(usize) -> usize) -> Runs {
    std::array::from_fn(|j| {
        let mut run: Vec<u64> = (0..len(j)).map(|_| key(j as u64)).collect();
        run.sort();
        run
    })
}

/// What a search costs is how many elements it waits for, one after the other. Where runs do not overlap or are of few values,
/// hardly more than where they are random.
#[test]
fn cuts_are_exact_and_few_elements_are_looked_at() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(3);
    let n = 1 << 13;
    let (even, halved) = (|_: usize| n, |j: usize| ((n * 8) >> j).max(3));
    let mut square = || (rng.next_u64() >> 32).pow(2);
    let squares = runs(|_| square(), even);
    let mut random = move || rng.next_u64();
    for (name, runs, most) in [
        ("random", runs(|_| random(), even), [26.0, 27.0]),
        ("squares", squares, [28.0, 28.0]),
        ("random, each half as long as the one before", runs(|_| random(), halved), [34.0, 30.0]),
        ("five values", runs(|_| random() % 5, even), [75.0, 8.0]),
        ("five values, each half as long", runs(|_| random() % 5, halved), [45.0, 8.0]),
        ("the sentinel", runs(|_| u64::MAX, even), [8.0, 8.0]),
        ("one behind the other", runs(|j| (j << 56) + (random() >> 8), even), [8.0, 8.0]),
        ("the last first", runs(|j| ((15 - j) << 56) + (random() >> 8), even), [8.0, 8.0]),
    ] {
        let looked = of_tiles(&runs, 703, 16);
        println!("{name}: {looked:.1?}");
        assert!(looked[0] < most[0] && looked[1] < most[1], "{name}: {looked:?}, at most {most:?}");
    }
}
