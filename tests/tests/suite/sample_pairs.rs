//! The stable sample sort: keys with payloads, and argsort.
use gridsort::{Algorithm, Index, Key, Payload, PayloadWidth, SortOptions, Tiles, Workspace};
use gridsort_kernels::entry::sample::sample_kernels;
use gridsort_kernels::sample::splitters::drawn;
use gridsort_kernels::tuning::SampleTuning;
use gridsort_tests::target::{gpu, kernel_targets};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, same};

fn tuning<K: Key>(target: &Target) -> SampleTuning {
    sample_kernels(K::WIDTH, PayloadWidth::W32, target.tiles.unwrap_or(Tiles::Full)).unwrap().tuning
}

fn by_sample<K: Key>(case: &Case<K>) -> SortOptions {
    case.options().algorithm(Algorithm::Sample).seed(17)
}

/// A payload that tells its position.
pub(crate) trait Tells: Payload + PartialEq + std::fmt::Debug {
    fn of(position: usize) -> Self;
}
impl Tells for u32 {
    fn of(position: usize) -> u32 {
        position as u32
    }
}
impl Tells for u64 {
    fn of(position: usize) -> u64 {
        !(position as u64) << 7
    }
}
impl Tells for [u16; 3] {
    fn of(position: usize) -> [u16; 3] {
        [position as u16, (position >> 16) as u16, 7]
    }
}

/// Sorts pairs in exactly the scratch memory that was asked for, in place and into other buffers.
pub(crate) fn check_pairs<K: Key, P: Tells>(target: &Target, case: &Case<K>) {
    let device = &target.device;
    let at = |what: &str| format!("{what} by sample sort on {target}, {}, payloads of {}", case.name, size_of::<P>());
    let payloads: Vec<P> = (0..case.keys.len()).map(P::of).collect();
    let moved: Vec<P> = case.order.iter().map(|&position| P::of(position as usize)).collect();
    let bytes = device.sort_pairs_scratch_bytes_by::<K, P>(case.keys.len(), Algorithm::Sample).unwrap();
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
    let (mut keys, mut carried) = (device.upload(&case.keys).unwrap(), device.upload(&payloads).unwrap());
    let (mut sorted, mut out) = (device.allocate(case.keys.len()).unwrap(), device.allocate(case.keys.len()).unwrap());
    let options = by_sample(case);
    device
        .sort_pairs_into((&keys, &carried), (&mut sorted, &mut out), &mut workspace, options)
        .unwrap_or_else(|error| panic!("{}: {error}", at("pairs into other buffers")));
    same(&sorted.to_vec().unwrap(), &case.sorted, || at("keys in another buffer"));
    assert!(out.to_vec().unwrap() == moved, "{}", at("payloads in another buffer"));
    same(&keys.to_vec().unwrap(), &case.keys, || at("the source of keys"));
    assert!(carried.to_vec().unwrap() == payloads, "{}", at("the source of payloads"));
    device
        .sort_pairs_buffer(&mut keys, &mut carried, &mut workspace, options)
        .unwrap_or_else(|error| panic!("{}: {error}", at("pairs")));
    same(&keys.to_vec().unwrap(), &case.sorted, || at("keys"));
    assert!(carried.to_vec().unwrap() == moved, "{}", at("payloads"));
}

/// The same for the positions alone.
pub(crate) fn check_argsort<K: Key, I: Index + TryInto<u64>>(target: &Target, case: &Case<K>) {
    let device = &target.device;
    let at = |what: &str| format!("{what} by sample sort on {target}, {}", case.name);
    let bytes = device.argsort_scratch_bytes_by::<K, I>(case.keys.len(), Algorithm::Sample).unwrap();
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
    let (keys, mut order) = (device.upload(&case.keys).unwrap(), device.allocate::<I>(case.keys.len()).unwrap());
    device
        .argsort_into(&keys, &mut order, &mut workspace, by_sample(case))
        .unwrap_or_else(|error| panic!("{}: {error}", at("argsort")));
    let order = order.to_vec().unwrap().into_iter().map(|position| position.try_into().ok().unwrap());
    assert!(order.eq(case.order.iter().copied()), "{}", at("argsort"));
    same(&keys.to_vec().unwrap(), &case.keys, || at("the keys of an argsort"));
}

/// Lengths where a level, a class or a chunk begins or ends.
fn lengths(tuning: &SampleTuning) -> Vec<usize> {
    let class = tuning.class_keys().most() as usize;
    let one_level = (tuning.target as usize) << tuning.bits;
    let (tile, chunk) = (tuning.scatter.tile() as usize, tuning.chunk() as usize);
    let around = |n: usize| [n - 1, n, n + 1];
    let mut lengths: Vec<_> = [class, one_level, 2 * tile, 3 * chunk].into_iter().flat_map(around).collect();
    lengths.extend([2, 2 * tuning.large_to as usize + 17, 8 * one_level + 5]);
    lengths
}

#[test]
fn small_lengths_where_levels_tiles_and_chunks_end() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        for n in lengths(&tuning::<u32>(target)) {
            let keys = Pattern::FewValues.keys::<i32>(n, n as u64);
            check_pairs::<_, u32>(target, &Case::new(keys, DIRECTIONS[1], format!("{n} keys of few values")));
            let keys = Pattern::Random.keys::<u64>(n, n as u64);
            let case = Case::new(keys, DIRECTIONS[0], format!("{n} random keys"));
            check_pairs::<_, u64>(target, &case);
            check_argsort::<_, u32>(target, &case);
        }
    }
}

#[test]
fn every_pattern_keeps_the_order_of_equal_keys() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let tuning = tuning::<u64>(target);
        let n = if target.is_cuda() { (1 << 21) + 12_345 } else { 4 * (tuning.target << tuning.bits) as usize + 77 };
        for pattern in Pattern::ALL {
            let case = Case::new(pattern.keys::<f32>(n, 3), DIRECTIONS[0], format!("{n} keys, {pattern:?}"));
            check_pairs::<_, u64>(target, &case);
            check_argsort::<_, i64>(target, &case);
            let case = Case::new(pattern.keys::<i64>(n, 4), DIRECTIONS[1], format!("{n} keys, {pattern:?}"));
            check_pairs::<_, u32>(target, &case);
            check_pairs::<_, [u16; 3]>(target, &case);
        }
        for value in [0, u64::MAX] {
            let mut keys = vec![value; n];
            check_pairs::<_, u32>(target, &Case::new(keys.clone(), DIRECTIONS[0], format!("{n} times {value}")));
            // Two values, one of them the last there is: it equals what pads tiles.
            keys.iter_mut().step_by(3).for_each(|key| *key = u64::MAX);
            check_pairs::<_, u32>(target, &Case::new(keys, DIRECTIONS[0], format!("{n} of {value} and the last")));
        }
    }
}

/// Keys that lie evenly, each of them a few times, are sorted by cells; those over all magnitudes crowd in few cells.
#[test]
fn a_few_of_each_keep_their_order() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let n = if target.is_cuda() { (1 << 22) + 11 } else { 6_000 };
        let random = Pattern::Random.keys::<u64>(n, 61);
        for (each, direction) in [2, 5, 40].into_iter().zip(DIRECTIONS.into_iter().cycle()) {
            let narrow: Vec<u32> = random.iter().map(|key| (key % (n as u64 / each)) as u32 * 7).collect();
            let wide: Vec<i64> = narrow.iter().map(|&key| (i64::from(key) - 9_000) << 33).collect();
            let name = format!("{n} keys, each {each} times");
            check_pairs::<_, u32>(target, &Case::new(narrow.clone(), direction, name.clone()));
            check_pairs::<_, u64>(target, &Case::new(narrow, direction, name.clone()));
            check_pairs::<_, u32>(target, &Case::new(wide.clone(), direction, name.clone()));
            check_argsort::<_, u64>(target, &Case::new(wide, direction, name));
        }
        let magnitudes: Vec<u64> = random.iter().map(|key| key >> (key % 64)).collect();
        check_pairs::<_, u64>(target, &Case::new(magnitudes, DIRECTIONS[0], format!("{n} keys of all magnitudes")));
    }
}

/// What is sorted stays, what falls strictly is turned around, and what falls with equal neighbours is neither.
#[test]
fn sorted_and_reversed_pairs() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        for n in [2_500, 2_501, if target.is_cuda() { 1 << 22 } else { 5_000 }] {
            let up: Vec<u32> = (0..n as u32).collect();
            let steps: Vec<u32> = up.iter().map(|key| key / 3).collect();
            let mut almost = steps.clone();
            almost[n - 1] = 0;
            let reversed = |keys: &[u32]| keys.iter().rev().copied().collect();
            for keys in [reversed(&up), reversed(&steps), up, steps, almost] {
                for direction in DIRECTIONS {
                    let case = Case::new(keys.clone(), direction, format!("{n} monotone keys"));
                    check_pairs::<_, u64>(target, &case);
                    check_argsort::<_, u32>(target, &case);
                }
            }
        }
    }
}

/// Full tiles: one level of the stable partition.
#[test]
fn full_tiles_sort_too() {
    for target in kernel_targets().filter(|target| target.is_slow() || target.is_cuda()) {
        let case = Case::new(Pattern::Zipf.keys::<u64>(9_000, 8), DIRECTIONS[0], "9000 keys");
        check_argsort::<_, u32>(target, &case);
    }
}

/// Keys of which those that the first level draws are small and alike: all others fall into one bucket.
#[test]
fn a_sample_that_misleads_costs_time_only() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let tuning = tuning::<u32>(target);
        let one_level = (tuning.target << tuning.bits) as usize;
        for n in if target.is_cuda() { [1 << 21, 300_000] } else { [6 * one_level, one_level - 9] } {
            let mut keys = Pattern::FewValues.keys::<u32>(n, 11);
            let mut others = Pattern::Random.keys::<u32>(n, 12);
            keys.iter_mut().zip(&mut others).step_by(2).for_each(|(key, other)| *key = *other);
            for i in 0..tuning.sample.tile() {
                keys[drawn(17, 0, 0, i, n as u64) as usize] = 0;
            }
            let case = Case::new(keys, DIRECTIONS[0], format!("{n} keys that mislead"));
            check_pairs::<_, u32>(target, &case);
            check_pairs::<_, u64>(target, &case);
        }
    }
}

/// More keys than two levels make small buckets of: what the second leaves is partitioned a third time.
#[test]
fn a_third_level_takes_up_what_is_left() {
    for target in kernel_targets().filter(|target| !target.is_slow() && !target.is_cuda()) {
        let tuning = tuning::<u64>(target);
        let n = (2 * tuning.large_to as usize) << (2 * tuning.bits);
        let keys = Pattern::Random.keys::<u64>(n, 43);
        check_argsort::<_, u64>(target, &Case::new(keys, DIRECTIONS[1], format!("{n} keys for three levels")));
    }
}

/// Ten repeats on the GPU, bit by bit alike, with many ties.
#[test]
fn large_pairs_repeat_themselves() {
    let Some(target) = gpu("large_pairs_repeat_themselves") else { return };
    let n = (1 << 25) + 4_321;
    let keys: Vec<u64> = Pattern::Random.keys::<u64>(n, 9).into_iter().map(|key| key >> 42).collect();
    let case = Case::new(keys, DIRECTIONS[0], "2^25 keys and some, of 2^22 values");
    for _ in 0..5 {
        check_argsort::<_, u32>(target, &case);
    }
    check_pairs::<_, u32>(target, &case);
}
