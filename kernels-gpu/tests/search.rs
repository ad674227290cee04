//! Bounds and runs in small blocks, under several schedules, every access checked, against the standard library.
#![allow(clippy::undocumented_unsafe_blocks)]
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::order::{Key, mode};
use gridsort_kernels::search::{Integers, bounds, runs};
use gridsort_kernels::simt::Global;
use gridsort_kernels::simt::emulator::{self, Config};

const THREADS: u32 = 64;
const ITEMS: usize = 2;
const TILE: usize = THREADS as usize * ITEMS;

/// Scrambled numbers, with about `values` different ones among them.
fn scrambled(n: usize, values: u32) -> Vec<u32> {
    (0..n as u32).map(|i| i.wrapping_mul(0x9E37_79B9).rotate_left(9) % values).collect()
}

fn sorted(n: usize, values: u32) -> Vec<u32> {
    let mut keys = scrambled(n, values);
    keys.sort();
    keys
}

/// Words of integers of 32 or 64 bits.
fn integers(words: Vec<u32>, wide: bool) -> Vec<u64> {
    match wide {
        true => words.chunks(2).map(|w| u64::from(w[0]) | u64::from(w[1]) << 32).collect(),
        false => words.into_iter().map(u64::from).collect(),
    }
}

/// The bounds that the kernel finds with `2^BITS - 1` pivots, by `grid` blocks.
fn find<const BITS: u32>(
    config: &Config,
    (keys, queries): (&[u32], &[u32]),
    (upper, wide, codec): (bool, bool, u32),
    grid: u32,
) -> Vec<u64> {
    let (n, m) = (keys.len() as u64, queries.len() as u64);
    let (data, asked) = (Buffer::of(keys), Buffer::of(queries));
    let positions = Buffer::new(queries.len() * (1 + usize::from(wide)));
    let launch = shape(grid, THREADS, bounds::shared_bytes::<u32>(BITS));
    emulator::run("bounds", launch, config, || unsafe {
        let positions = Integers::new(positions.global(), wide.into());
        let codec = <u32 as Key>::codec(codec);
        bounds::find_bounds::<u32, THREADS, ITEMS, BITS>(
            data.global(),
            n,
            asked.global(),
            m,
            positions,
            upper.into(),
            codec,
        );
    })
    .unwrap();
    integers(positions.words(), wide)
}

#[test]
fn bounds_are_partition_points() {
    for n in [1, 2, 6, 7, 8, 9, 15, 16, 17, 63, 64, 65, 200, 501] {
        for values in [1, 5, 100, u32::MAX] {
            let keys = sorted(n, values);
            let mut queries: Vec<u32> =
                keys.iter().flat_map(|&key| [key, key.wrapping_add(1), key.wrapping_sub(1)]).collect();
            queries.extend([0, u32::MAX]);
            for upper in [false, true] {
                let bound = |query: &u32| keys.partition_point(|key| if upper { key <= query } else { key < query });
                let expected: Vec<u64> = queries.iter().map(|query| bound(query) as u64).collect();
                let input = (keys.as_slice(), queries.as_slice());
                for wide in [false, true] {
                    let how = (upper, wide, mode::UNSIGNED);
                    assert_eq!(find::<3>(&plain(), input, how, 3), expected, "{n} {values} {upper} {wide}");
                }
                // More levels than keys, and levels whose pivots skip slots.
                let how = (upper, true, mode::UNSIGNED);
                assert_eq!(find::<1>(&plain(), input, how, 1), expected, "{n} {values} {upper}");
                assert_eq!(find::<7>(&plain(), input, how, 20), expected, "{n} {values} {upper}");
            }
        }
    }
}

#[test]
fn bounds_by_any_schedule_and_order() {
    let queries = scrambled(300, 1000);
    let mut keys = scrambled(400, 1000);
    for codec in [mode::SIGNED, mode::FLOAT, mode::REVERSED, mode::FLOAT + mode::REVERSED] {
        let code = |key: &u32| <u32 as Key>::codec(codec).encode(*key);
        keys.sort_by_key(code);
        let expected: Vec<u64> =
            queries.iter().map(|query| keys.partition_point(|key| code(key) < code(query)) as u64).collect();
        for config in &configs() {
            assert_eq!(find::<4>(config, (&keys, &queries), (false, false, codec), 2), expected, "{codec} {config:?}");
        }
    }
}

#[test]
fn bounds_in_no_data_and_in_unsorted_data() {
    let queries = scrambled(100, u32::MAX);
    for upper in [false, true] {
        let how = (upper, true, mode::UNSIGNED);
        // Memory that holds one key, of which none is the data's.
        let (data, asked, positions) = (Buffer::new(1), Buffer::of(&queries), Buffer::new(queries.len() * 2));
        let launch = shape(1, THREADS, bounds::shared_bytes::<u32>(5));
        emulator::run("bounds", launch, &plain(), || unsafe {
            let positions = Integers::new(positions.global(), 1);
            let codec = <u32 as Key>::codec(0);
            bounds::find_bounds::<u32, THREADS, ITEMS, 5>(
                data.global(),
                0,
                asked.global(),
                queries.len() as u64,
                positions,
                upper.into(),
                codec,
            );
        })
        .unwrap();
        assert_eq!(integers(positions.words(), true), vec![0; queries.len()]);
        for n in [1, 7, 8, 31, 32, 33, 100, 257] {
            let found = find::<3>(&plain(), (&scrambled(n, u32::MAX), &queries), how, 2);
            assert!(found.iter().all(|&position| position <= n as u64), "{n}: {found:?}");
        }
    }
}

/// Checks runs against the standard library's, with lengths of 64 or 32 bits or none.
fn check_runs(config: &Config, keys: &[u32]) {
    let n = keys.len();
    let mut first = keys.to_vec();
    first.dedup();
    let expected: Vec<u64> = keys.chunk_by(|x, y| x == y).map(|run| run.len() as u64).collect();
    let count = first.len();
    for (measured, wide) in [(true, true), (true, false), (false, false)] {
        let tiles = n.div_ceil(TILE);
        let (data, total) = (Buffer::of(keys), Buffer::new(2));
        let (counts, lasts) = (Buffer::new(2 * tiles), Buffer::new(2 * tiles));
        // As long as there are runs: one more would be out of bounds.
        let out = Buffer::new(count);
        let lengths = Buffer::new(count * (1 + usize::from(wide)));
        let noted = || if measured { lasts.global::<u64>() } else { Global::null() };
        let launch = shape(tiles as u32, THREADS, runs::count_shared_bytes(THREADS));
        emulator::run("count", launch, config, || unsafe {
            runs::count_heads::<u32, THREADS, ITEMS>(data.global(), n as u64, counts.global(), noted());
        })
        .unwrap();
        emulator::run("scan", shape(1, THREADS, runs::scan_shared_bytes(THREADS)), config, || unsafe {
            runs::scan_tiles::<THREADS, ITEMS>(counts.global(), noted(), tiles as u64, total.global());
        })
        .unwrap();
        let launch = shape(tiles as u32, THREADS, runs::write_shared_bytes(THREADS));
        emulator::run("write", launch, config, || unsafe {
            let lengths = if measured { lengths.global() } else { Global::null() };
            let lengths = Integers::new(lengths, wide.into());
            runs::write_runs::<u32, THREADS, ITEMS>(
                data.global(),
                n as u64,
                counts.global(),
                noted(),
                out.global(),
                lengths,
            );
        })
        .unwrap();
        assert_eq!(integers(total.words(), true), [count as u64]);
        assert_eq!(out.words(), first, "{n}");
        if measured {
            assert_eq!(integers(lengths.words(), wide), expected, "{n} {wide}");
        }
    }
}

#[test]
fn runs_are_those_of_dedup() {
    for n in [1, 2, 31, 32, 33, 63, 64, 65, 127, 128, 129, 255, 256, 257, 1000] {
        for values in [1, 2, 40, u32::MAX] {
            check_runs(&plain(), &sorted(n, values));
            // Neighbours are what counts, whether the keys are sorted or not.
            check_runs(&plain(), &scrambled(n, values));
        }
    }
}

#[test]
fn runs_by_any_schedule() {
    // Runs that end with a tile, and runs over several tiles; more tiles than the sum takes at once.
    let long: Vec<u32> = (0..20_000).map(|i| if i < 9000 { i / 128 } else { 100 + i / 700 }).collect();
    for config in &configs() {
        check_runs(config, &sorted(700, 30));
    }
    check_runs(&plain(), &long);
    check_runs(&plain(), &vec![5; 20_000]);
    check_runs(&plain(), &(0..20_000).collect::<Vec<_>>());
}
