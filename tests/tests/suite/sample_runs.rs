//! Sample sorts of what is a few sorted runs, one behind the other: these are merged.
use crate::sample::check;
use crate::sample_pairs::{check_argsort, check_pairs};
use gridsort::{Algorithm, Direction, Key, SortOptions, Workspace};
use gridsort_kernels::sample::tables::RUNS;
use gridsort_tests::target::kernel_targets;
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target};
use std::cmp::Ordering;

/// Runs of random keys, with a descent between any two of them.
fn runs<K: Key>(lengths: &[usize], pattern: Pattern, direction: Direction) -> Vec<K> {
    let order = |a: &K, b: &K| if direction == Direction::Ascending { a.order(b) } else { b.order(a) };
    let mut keys = Vec::new();
    for (seed, &len) in (7..).zip(lengths) {
        let mut run = pattern.keys::<K>(len, seed);
        run.sort_by(order);
        let falls = |last: &K| order(last, &run[0]) == Ordering::Greater;
        assert!(keys.last().is_none_or(falls), "runs of {len} keys, {pattern:?}, follow each other in order");
        keys.extend(run);
    }
    keys
}

/// Whether a sample sort finds something to sort by buckets.
fn is_sorted_by_buckets<K: Key>(target: &Target, case: &Case<K>) -> bool {
    let device = &target.device;
    let keys = device.upload(&case.keys).unwrap();
    let options: SortOptions = case.options().algorithm(Algorithm::Sample);
    device.sample_buckets(&keys, &mut Workspace::new(device), options).unwrap().is_some()
}

/// Lengths of `k` runs: much alike, one long before short ones, one long behind short ones.
fn shapes(n: usize, k: usize) -> [Vec<usize>; 3] {
    let mut even = vec![n / k; k];
    even[k / 2] += n % k;
    let mut first = vec![9; k];
    first[0] = n - 9 * (k - 1);
    let last = first.iter().rev().copied().collect();
    [even, first, last]
}

#[test]
fn few_runs_are_merged_and_more_are_sorted() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let n = if target.is_cuda() { (1 << 22) + 4_321 } else { 4_321 };
        for k in [2, 3, 7, RUNS as usize - 1, RUNS as usize, RUNS as usize + 1] {
            for (direction, lengths) in DIRECTIONS.into_iter().cycle().zip(shapes(n, k)) {
                let name = format!("{k} runs of {} to {} keys", lengths[0], lengths[k - 1]);
                let case = Case::new(runs::<u32>(&lengths, Pattern::Random, direction), direction, name);
                assert_eq!(is_sorted_by_buckets(target, &case), k > RUNS as usize, "{} on {target}", case.name);
                check(target, &case, 1);
                check_pairs::<_, u32>(target, &case);
                check_argsort::<_, i64>(target, &case);
                let wide =
                    Case::new(runs::<u128>(&lengths, Pattern::Random, direction), direction, "runs of wide keys");
                assert_eq!(is_sorted_by_buckets(target, &wide), k > RUNS as usize, "{} on {target}", wide.name);
                check(target, &wide, 2);
            }
        }
    }
}

/// Of five values, all runs have all: what carries equal keys must stay in the order of the runs.
#[test]
fn ties_between_runs_keep_their_order() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let n = if target.is_cuda() { 1 << 22 } else { 3_000 };
        for (direction, k) in DIRECTIONS.into_iter().cycle().zip([2, 5, RUNS as usize]) {
            let keys = runs::<f64>(&shapes(n, k)[0], Pattern::FewValues, direction);
            let case = Case::new(keys, direction, format!("{k} runs of few values"));
            assert!(!is_sorted_by_buckets(target, &case), "{} on {target}", case.name);
            check(target, &case, 1);
            check_pairs::<_, u64>(target, &case);
            check_pairs::<_, [u16; 3]>(target, &case);
            check_argsort::<_, u32>(target, &case);
        }
    }
}

/// A descent to the last key, between two blocks' pieces of the look or inside of one, and runs of one key.
#[test]
fn a_run_may_begin_anywhere() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        // Fewer are one bucket, and have no sample sort.
        let n = if target.is_cuda() { 20_000 } else { 5_000 };
        let piece = gridsort_kernels::tuning::SORTED.tile() as usize;
        for at in [1, 2, 31, 32, 33, piece - 1, piece, piece + 1, n - 1] {
            let mut keys: Vec<u32> = (0..n as u32).map(|i| 10 + i).collect();
            keys[at..].iter_mut().for_each(|key| *key -= at as u32 + 3);
            let case = Case::new(keys, Direction::Ascending, format!("a run that begins at {at}"));
            assert!(!is_sorted_by_buckets(target, &case), "{} on {target}", case.name);
            check(target, &case, 1);
            check_pairs::<_, u32>(target, &case);
        }
        // Reversed but for one key: many runs.
        let mut keys: Vec<u32> = (0..n as u32).rev().collect();
        keys.swap(17, 18);
        let case = Case::new(keys, Direction::Ascending, "reversed but for two keys");
        assert!(is_sorted_by_buckets(target, &case), "{} on {target}", case.name);
        check(target, &case, 1);
        check_pairs::<_, u32>(target, &case);
    }
}
