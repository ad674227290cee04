//! The sample sort, as a user asks for it.
use gridsort::plan::sample_sort;
use gridsort::{Algorithm, Error, Key, KeyWidth, PayloadWidth, SortOptions, Tiles, Workspace, key_bytes};
use gridsort_kernels::entry::sample::sample_kernels;
use gridsort_kernels::sample::splitters::drawn;
use gridsort_kernels::tuning::SampleTuning;
use gridsort_tests::target::{gpu, kernel_targets};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, same};

fn tuning(target: &Target, width: KeyWidth) -> SampleTuning {
    sample_kernels(width, PayloadWidth::None, target.tiles.unwrap_or(Tiles::Full)).unwrap().tuning
}

/// Sorts a case in exactly the scratch memory that was asked for.
pub(crate) fn check<K: Key>(target: &Target, case: &Case<K>, seed: u64) {
    let at = || format!("sample sort, seed {seed}, on {target}, {}", case.name);
    let options = case.options().algorithm(Algorithm::Sample).seed(seed);
    let device = &target.device;
    let bytes = device.sort_scratch_bytes_by::<K>(case.keys.len(), Algorithm::Sample).unwrap();
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
    let mut keys = device.upload(&case.keys).unwrap();
    let done = device.sort_buffer(&mut keys, &mut workspace, options);
    done.unwrap_or_else(|error| panic!("{}: {error}", at()));
    same(&keys.to_vec().unwrap(), &case.sorted, at);
}

/// Lengths where a level, a class or a chunk begins or ends.
fn lengths(tuning: &SampleTuning) -> Vec<usize> {
    let class = tuning.class_keys().most() as usize;
    let one_level = (tuning.target as usize) << tuning.bits;
    let chunk = tuning.chunk() as usize;
    let around = |n: usize| [n - 1, n, n + 1];
    let mut lengths: Vec<_> = [class, one_level, chunk, 3 * chunk].into_iter().flat_map(around).collect();
    lengths.extend([2, 2 * tuning.large_to as usize + 17, 8 * one_level + 5]);
    lengths
}

#[test]
fn small_lengths_where_levels_and_chunks_end() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        for n in lengths(&tuning(target, KeyWidth::W32)) {
            for direction in DIRECTIONS {
                let keys = Pattern::Random.keys::<i32>(n, n as u64);
                check(target, &Case::new(keys, direction, format!("{n} random keys")), 1);
            }
            check(target, &Case::new(Pattern::Random.keys::<f64>(n, 5), DIRECTIONS[0], format!("{n} floats")), 2);
        }
        for n in lengths(&tuning(target, KeyWidth::W128)) {
            check(target, &Case::new(Pattern::Random.keys::<u128>(n, 6), DIRECTIONS[0], format!("{n} wide keys")), 3);
            check(target, &Case::new(Pattern::Random.keys::<i128>(n, 7), DIRECTIONS[1], format!("{n} wide keys")), 4);
        }
    }
}

#[test]
fn every_pattern_comes_out_sorted() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let tuning = tuning(target, KeyWidth::W64);
        let n = if target.is_cuda() { (1 << 22) + 12_345 } else { 4 * (tuning.target << tuning.bits) as usize + 77 };
        for pattern in Pattern::ALL {
            check(target, &Case::new(pattern.keys::<u32>(n, 3), DIRECTIONS[0], format!("{n} keys, {pattern:?}")), 3);
            check(target, &Case::new(pattern.keys::<i64>(n, 4), DIRECTIONS[1], format!("{n} keys, {pattern:?}")), 4);
            check(target, &Case::new(pattern.keys::<u128>(n, 5), DIRECTIONS[1], format!("{n} keys, {pattern:?}")), 5);
            check(target, &Case::new(pattern.keys::<i128>(n, 6), DIRECTIONS[0], format!("{n} keys, {pattern:?}")), 6);
        }
        one_and_two_values(target, n, [0, 1, u64::MAX]);
        one_and_two_values(target, n, [0, 1 << 64, u128::MAX]);
    }
}

/// One value throughout; and with it the last one, which equals what pads tiles.
fn one_and_two_values<K: Key>(target: &Target, n: usize, [zero, one, last]: [K; 3]) {
    for value in [zero, one, last] {
        let mut keys = vec![value; n];
        check(target, &Case::new(keys.clone(), DIRECTIONS[0], format!("{n} times {value:?}")), 5);
        keys.iter_mut().step_by(3).for_each(|key| *key = last);
        check(target, &Case::new(keys, DIRECTIONS[0], format!("{n} keys of {value:?} and the last")), 6);
    }
}

/// What is sorted already, either way, in another buffer or in place; and what is so but for the last key.
#[test]
fn sorted_and_reversed_keys_need_no_sorting() {
    monotone(|i| i as u32);
    // Neighbours differ in the upper half alone.
    monotone(|i| (i as u128) << 64);
}

fn monotone<K: Key>(key: impl Fn(usize) -> K) {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        for n in [2_500, 2_501, if target.is_cuda() { 1 << 22 } else { 5_000 }] {
            let up: Vec<K> = (0..n).map(|i| key(i / 3)).collect();
            let mut almost = up.clone();
            almost[n - 1] = key(0);
            for keys in [up.clone(), up.into_iter().rev().collect(), almost] {
                for direction in DIRECTIONS {
                    let case = Case::new(keys.clone(), direction, "monotone keys");
                    check(target, &case, 31);
                    let source = target.device.upload(&case.keys).unwrap();
                    let mut sorted = target.device.allocate(n).unwrap();
                    let options = case.options().algorithm(Algorithm::Sample);
                    let mut workspace = Workspace::new(&target.device);
                    target.device.sort_into(&source, &mut sorted, &mut workspace, options).unwrap();
                    same(&sorted.to_vec().unwrap(), &case.sorted, || format!("into another buffer, {}", case.name));
                    same(&source.to_vec().unwrap(), &case.keys, || format!("the source, {}", case.name));
                }
            }
        }
    }
}

/// What distances tell nothing of: keys over all magnitudes, and keys close together with some as far apart as can be.
#[test]
fn numbers_that_crowd() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let n = if target.is_cuda() { (1 << 22) + 7 } else { 6_000 };
        let random = Pattern::Random.keys::<u64>(n, 51);
        let magnitudes = random.iter().map(|key| key >> (key % 64)).collect();
        check(target, &Case::new(magnitudes, DIRECTIONS[0], format!("{n} keys of all magnitudes")), 51);
        let close = |key: &u64| if key.is_multiple_of(997) { *key } else { (1 << 40) + key % 5_000 };
        check(target, &Case::new(random.iter().map(close).collect(), DIRECTIONS[1], format!("{n} close keys")), 52);
        // Crowds of one value, and one of those with a neighbour: they share a cell.
        let values: Vec<u64> = random.iter().map(|key| (key % (n as u64 / 40)) << 30).collect();
        check(target, &Case::new(values.clone(), DIRECTIONS[0], format!("{n} keys, each 40 times")), 54);
        let some = values.iter().zip(&random).map(|(key, other)| key + u64::from(other.is_multiple_of(1_009)));
        check(target, &Case::new(some.collect(), DIRECTIONS[1], format!("{n} keys, most 40 times")), 55);
        let next: Vec<u32> = random.iter().map(|key| u32::MAX - (key % 3) as u32).collect();
        check(target, &Case::new(next, DIRECTIONS[0], format!("{n} keys at the end of the range")), 53);
    }
}

/// Full tiles on the emulator: one partition, all classes that a few thousand keys reach.
#[test]
fn full_tiles_sort_too() {
    for target in kernel_targets().filter(|target| target.is_slow()) {
        check(target, &Case::new(Pattern::Random.keys::<u32>(9_000, 8), DIRECTIONS[0], "9000 keys"), 7);
        check(target, &Case::new(Pattern::Random.keys::<i128>(9_000, 9), DIRECTIONS[1], "9000 wide keys"), 8);
        // So many splitters in one cell of the guide that it does not say how many.
        let magnitudes = Pattern::Random.keys::<u64>(90_000, 10).iter().map(|key| key >> (key % 64)).collect();
        check(target, &Case::new(magnitudes, DIRECTIONS[0], "90000 keys of all magnitudes"), 9);
    }
}

/// Keys of which those that the first level draws are small and alike: all others fall into one bucket.
fn misleading<K: Key>(target: &Target, n: usize, seed: u64) -> Case<K> {
    let tuning = tuning(target, K::WIDTH);
    let mut keys = Pattern::Random.keys::<K>(n, 11);
    let low = *keys.iter().min_by(|a, b| a.order(b)).unwrap();
    for i in 0..tuning.sample.tile() {
        keys[drawn(seed, 0, 0, i, n as u64) as usize] = low;
    }
    Case::new(keys, DIRECTIONS[0], format!("{n} keys that mislead"))
}

#[test]
fn a_sample_that_misleads_costs_time_only() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let tuning = tuning(target, KeyWidth::W32);
        let n = if target.is_cuda() { 1 << 22 } else { 6 * (tuning.target << tuning.bits) as usize };
        check(target, &misleading::<u32>(target, n, 21), 21);
        check(target, &misleading::<u64>(target, n, 22), 22);
        check(target, &misleading::<u128>(target, n, 24), 24);
        // One level, then what it left too large.
        let n = if target.is_cuda() { 300_000 } else { (tuning.target << tuning.bits) as usize - 9 };
        check(target, &misleading::<u32>(target, n, 23), 23);
        check(target, &misleading::<i128>(target, n, 25), 25);
    }
}

/// A little more values than buckets: most have a splitter each and no bucket of their own in the first level. And one value
/// that most keys have, the largest, in a sort of one level.
#[test]
fn common_values_get_buckets_of_their_own() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let tuning = tuning(target, KeyWidth::W32);
        let (buckets, one_level) = (1u64 << tuning.bits, (tuning.target as usize) << tuning.bits);
        let n = if target.is_cuda() { 1 << 23 } else { 12 * one_level };
        let step = u64::from(u32::MAX) / (buckets * 6 / 5);
        let keys = Pattern::Random.keys::<u32>(n, 41).into_iter().map(|key| (u64::from(key) / step * step) as u32);
        check(
            target,
            &Case::new(keys.collect(), DIRECTIONS[0], format!("{n} keys of few values more than buckets")),
            41,
        );
        let mut keys = Pattern::Random.keys::<u32>(one_level - 3, 42);
        keys.iter_mut().step_by(2).for_each(|key| *key = u32::MAX);
        check(target, &Case::new(keys, DIRECTIONS[0], "every second the last"), 42);
    }
}

/// More keys than two levels make small buckets of: what the second leaves is partitioned a third time.
#[test]
fn a_third_level_takes_up_what_is_left() {
    for target in kernel_targets().filter(|target| !target.is_slow() && !target.is_cuda()) {
        let tuning = tuning(target, KeyWidth::W32);
        let n = (2 * tuning.large_to as usize) << (2 * tuning.bits);
        let keys = Pattern::Random.keys::<u32>(n, 43);
        check(target, &Case::new(keys, DIRECTIONS[1], format!("{n} keys for three levels")), 43);
        let keys = Pattern::Zipf.keys::<u128>(n, 44);
        check(target, &Case::new(keys, DIRECTIONS[0], format!("{n} wide keys for three levels")), 44);
    }
}

/// One workspace for sorts of different sizes and keys: what one leaves there is garbage to the next.
#[test]
fn a_workspace_serves_sorts_of_all_kinds() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let mut workspace = Workspace::new(&target.device);
        for (n, pattern) in [
            (9_000, Pattern::Random),
            (4_000, Pattern::FewValues),
            (5_000, Pattern::Sorted),
            (2_600, Pattern::Zipf),
            (8_000, Pattern::Random),
        ] {
            let case = Case::new(pattern.keys::<u64>(n, 51), DIRECTIONS[0], format!("{pattern:?} in a used workspace"));
            let mut keys = target.device.upload(&case.keys).unwrap();
            let options = case.options().algorithm(Algorithm::Sample);
            target.device.sort_buffer(&mut keys, &mut workspace, options).unwrap();
            same(&keys.to_vec().unwrap(), &case.sorted, || case.name.clone());
        }
    }
}

#[test]
fn the_seed_does_not_matter_for_the_result() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let n = if target.is_cuda() { 1 << 20 } else { 3000 };
        let case = Case::new(Pattern::Zipf.keys::<u32>(n, 1), DIRECTIONS[0], "a seed");
        for seed in [0, 1, u64::MAX] {
            check(target, &case, seed);
        }
    }
}

#[test]
fn what_has_no_kernels_is_an_error_and_stays_as_it_was() {
    let options = SortOptions::new().algorithm(Algorithm::Sample);
    for target in kernel_targets() {
        let mut keys = [3u8, 1, 2];
        let error = target.device.sort(&mut keys, options).unwrap_err();
        assert!(matches!(error, Error::NoSampleSort { key_bits: 8, payload_bits: 0 }), "{error}");
        assert_eq!(keys, [3, 1, 2]);
        let (mut keys, mut payloads) = ([3u16, 1, 2], [1u32, 2, 3]);
        let error = target.device.sort_pairs(&mut keys, &mut payloads, options).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the sample sort has no kernels for keys of 16 bits with payloads or positions of 32 bits"
        );
        assert_eq!((keys, payloads), ([3, 1, 2], [1, 2, 3]));
        // Wide keys alone it sorts, with what they carry it does not.
        let (mut keys, mut payloads) = ([3u128, 1, 2], [1u32, 2, 3]);
        let error = target.device.sort_pairs(&mut keys, &mut payloads, options).unwrap_err();
        assert!(matches!(error, Error::NoSampleSort { key_bits: 128, payload_bits: 32 }), "{error}");
        assert_eq!((keys, payloads), ([3, 1, 2], [1, 2, 3]));
        let error = target.device.argsort(&keys, options).unwrap_err();
        assert!(matches!(error, Error::NoSampleSort { key_bits: 128, payload_bits: 32 }), "{error}");
        target.device.sort(&mut keys, options).unwrap();
        assert_eq!(keys, [1, 2, 3]);
    }
}

/// The device chooses it by itself where it is faster, and the scratch memory that it says is what that takes.
#[test]
fn auto_takes_it_for_many_keys() {
    fn check<K: Key>(target: &Target) {
        let tuning = tuning(target, K::WIDTH);
        let bytes = |n| target.device.sort_scratch_bytes::<K>(n).unwrap();
        let plan = |n: u64| sample_sort(n, key_bytes(K::WIDTH), 0, &tuning).unwrap().scratch_bytes;
        assert_eq!(bytes(tuning.from as usize), plan(tuning.from));
        assert!(bytes(tuning.from as usize - 1) < plan(tuning.from - 1));
        assert_eq!(bytes(tuning.to as usize), plan(tuning.to));
        assert!(bytes(tuning.to as usize + 1) < plan(tuning.to + 1));
    }
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        check::<u32>(target);
        check::<f64>(target);
        check::<u128>(target);
    }
}

/// Ten repeats on the GPU, bit by bit alike, in a source of their own.
#[test]
fn large_sorts_repeat_themselves() {
    let Some(target) = gpu("large_sorts_repeat_themselves") else { return };
    let n = (1 << 26) + 4_321;
    let case = Case::new(Pattern::Random.keys::<u64>(n, 9), DIRECTIONS[0], "2^26 keys and some");
    let source = target.device.upload(&case.keys).unwrap();
    let mut sorted = target.device.allocate(n).unwrap();
    let mut workspace = Workspace::new(&target.device);
    for _ in 0..10 {
        let options = SortOptions::new().algorithm(Algorithm::Sample);
        target.device.sort_into(&source, &mut sorted, &mut workspace, options).unwrap();
        same(&sorted.to_vec().unwrap(), &case.sorted, || "a repeat".into());
    }
    same(&source.to_vec().unwrap(), &case.keys, || "the source".into());
}
