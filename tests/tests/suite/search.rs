//! Bounds of queries in sorted data, and runs of equal keys, against the standard library's `partition_point`, `dedup` and
//! `chunk_by`.
use bytemuck::Pod;
use gridsort::{Device, DeviceBuffer, DeviceSliceMut, Direction, Index, Key, SortOptions, Workspace};
use gridsort_kernels::tuning::{SEARCH, SEARCH_SMALL, SearchTuning};
use gridsort_tests::case::tied_keys;
use gridsort_tests::pattern::from_bits;
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, for_each_key, options, same, targets};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};
use std::cmp::Ordering;
use std::fmt::Debug;

/// The shapes of a device's kernels. The CPU has none, and any will do.
fn tuning(target: &Target) -> SearchTuning {
    if target.is_slow() || target.is_cuda() { SEARCH } else { SEARCH_SMALL }
}

fn order<K: Key>(direction: Direction) -> impl Fn(&K, &K) -> Ordering {
    move |x, y| match direction {
        Direction::Ascending => x.order(y),
        Direction::Descending => y.order(x),
    }
}

/// Room for `n` elements, with one before and one behind that must stay as they are.
struct Room<T: Pod>(DeviceBuffer<T>);

impl<T: Pod + Debug> Room<T> {
    fn new(device: &Device, n: usize) -> Self {
        Room(device.upload(&vec![from_bits(0xa5a5); n + 2]).unwrap())
    }

    fn view(&mut self) -> DeviceSliceMut<'_, T> {
        let n = self.0.len() - 2;
        self.0.slice_mut(1..n + 1).unwrap()
    }

    /// The first `count` elements, if all others are untouched.
    #[track_caller]
    fn first(&self, count: usize, at: impl Fn() -> String) -> Vec<T> {
        let all = self.0.to_vec().unwrap();
        let rest = &all[count + 1..];
        same(&all[..1], &[from_bits(0xa5a5)], || format!("before the output, {}", at()));
        same(rest, &vec![from_bits(0xa5a5); rest.len()], || format!("behind the output, {}", at()));
        all[1..count + 1].to_vec()
    }
}

/// Integers as 64-bit ones.
fn widened<I: Index + Into<u64>>(integers: Vec<I>) -> Vec<u64> {
    integers.into_iter().map(Into::into).collect()
}

/// Both bounds of all queries, by slices and by buffers, as integers of both widths. The data begins at an odd place.
fn check_bounds<K: Key>(target: &Target, data: &[K], queries: &[K], direction: Direction) {
    fn into<K: Key, I: Index + Into<u64>>(
        target: &Target,
        data: &[K],
        queries: &[K],
        up: bool,
        o: SortOptions,
    ) -> Vec<u64> {
        let device = &target.device;
        let at = || format!("bounds of {} queries in {} keys on {target}", queries.len(), data.len());
        let framed = [&[from_bits(0x11)], data, &[from_bits(0xee)]].concat();
        let (framed, asked) = (device.upload(&framed).unwrap(), device.upload(queries).unwrap());
        let view = framed.slice(1..data.len() + 1).unwrap();
        let mut positions = Room::<I>::new(device, queries.len());
        let found = if up {
            device.upper_bound_into(&view, &asked, &mut positions.view(), o)
        } else {
            device.lower_bound_into(&view, &asked, &mut positions.view(), o)
        };
        found.unwrap_or_else(|error| panic!("{}: {error}", at()));
        widened(positions.first(queries.len(), at))
    }
    let (compare, o) = (order::<K>(direction), options(direction));
    for up in [false, true] {
        let bound = |query: &K| {
            data.partition_point(|key| compare(key, query) < if up { Ordering::Greater } else { Ordering::Equal })
        };
        let expected: Vec<u64> = queries.iter().map(|query| bound(query) as u64).collect();
        let at = || {
            let (m, n) = (queries.len(), data.len());
            format!("bounds of {m} queries in {n} keys of type {} on {target}, {direction}, upper: {up}", K::NAME)
        };
        let slices =
            if up { target.device.upper_bound(data, queries, o) } else { target.device.lower_bound(data, queries, o) };
        same(&slices.unwrap(), &expected, at);
        same(&into::<K, u32>(target, data, queries, up, o), &expected, at);
        same(&into::<K, u64>(target, data, queries, up, o), &expected, at);
    }
}

/// Runs with and without their lengths, by slices and by buffers, with scratch memory of exactly what is asked for.
fn check_runs<K: Key>(target: &Target, keys: &[K]) {
    let (device, n) = (&target.device, keys.len());
    let at = || format!("runs of {n} keys of type {} on {target}", K::NAME);
    let equal = |x: &K, y: &K| x.order(y).is_eq();
    let mut first = keys.to_vec();
    first.dedup_by(|y, x| equal(x, y));
    let lengths: Vec<u64> = keys.chunk_by(equal).map(|run| run.len() as u64).collect();
    let count = first.len();
    let o = SortOptions::new();
    same(&device.unique(keys, o).unwrap(), &first, at);
    let found = device.run_lengths(keys, o.descending()).unwrap();
    same(&found.0, &first, at);
    same(&found.1, &lengths, at);

    let uploaded = device.upload(keys).unwrap();
    let fixed = |bytes: u64| Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
    let mut out = Room::<K>::new(device, n);
    let mut total = Room::<u64>::new(device, 1);
    let mut workspace = fixed(device.unique_scratch_bytes::<K>(n).unwrap());
    device.unique_into(&uploaded, &mut out.view(), &mut total.view(), &mut workspace, o).unwrap();
    same(&total.first(1, at), &[count as u64], at);
    same(&out.first(count, at), &first, at);

    fn measured<K: Key, I: Index + Into<u64>>(
        device: &Device,
        uploaded: &DeviceBuffer<K>,
        workspace: &mut Workspace,
    ) -> (u64, Vec<K>, Vec<u64>) {
        let at = || format!("run lengths of {} keys on {}", uploaded.len(), device.name());
        let (mut out, mut lengths) = (Room::<K>::new(device, uploaded.len()), Room::<I>::new(device, uploaded.len()));
        let mut total = Room::<u64>::new(device, 1);
        let outputs = (&mut out.view(), &mut lengths.view());
        device.run_lengths_into(uploaded, outputs, &mut total.view(), workspace, SortOptions::new()).unwrap();
        let count = total.first(1, at)[0];
        (count, out.first(count as usize, at), widened(lengths.first(count as usize, at)))
    }
    let mut workspace = fixed(device.run_lengths_scratch_bytes::<K>(n).unwrap());
    for (total, keys, found) in
        [measured::<K, u32>(device, &uploaded, &mut workspace), measured::<K, u64>(device, &uploaded, &mut workspace)]
    {
        assert_eq!(total, count as u64, "{}", at());
        same(&keys, &first, at);
        same(&found, &lengths, at);
    }
    same(&uploaded.to_vec().unwrap(), keys, || format!("the keys after {}", at()));
}

fn sorted<K: Key>(pattern: Pattern, n: usize, direction: Direction) -> Vec<K> {
    Case::new(pattern.keys::<K>(n, n as u64), direction, "data").sorted
}

fn check_type<K: Key>(target: &Target) {
    let patterns = [Pattern::Special, Pattern::FewValues, Pattern::Random, Pattern::AllMax, Pattern::AllMin];
    let n = if target.is_slow() { 40 } else { 500 };
    for (i, pattern) in patterns.into_iter().enumerate() {
        let data = sorted::<K>(pattern, n + i, DIRECTIONS[i % 2]);
        // Keys that are there, and others.
        let mut queries = Pattern::Special.keys::<K>(n / 2, 7);
        queries.extend(data.iter().step_by(7));
        check_bounds(target, &data, &queries, DIRECTIONS[i % 2]);
        check_runs(target, &data);
    }
}

#[test]
fn small_searches_of_every_type() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for_each_key!(check_type(target));
    }
}

/// The GPU's shapes: blocks that take several tiles of queries, several tiles of keys, and keys of both kinds of tiles.
#[test]
fn small_searches_by_full_shapes() {
    for target in targets().iter().filter(|target| target.is_slow() || target.is_cuda()) {
        let pivots = 1 << SEARCH.pivot_bits;
        for (i, n) in [pivots - 1, pivots, 3 * pivots + 5].into_iter().enumerate() {
            let data = sorted::<f32>(Pattern::Special, n, DIRECTIONS[i % 2]);
            let queries = Pattern::Special.keys::<f32>(SEARCH.bounds.tile() as usize + 77, 5);
            check_bounds(target, &data, &queries, DIRECTIONS[i % 2]);
        }
        let data = sorted::<u128>(Pattern::Random, pivots + 1, Direction::Ascending);
        check_bounds(target, &data, &data[..100], Direction::Ascending);
        let tile = SEARCH.runs.tile() as usize;
        for n in [tile - 1, tile, tile + 1, 3 * tile + 50] {
            check_runs(target, &tied_keys::<u32>(n, 40));
            check_runs(target, &sorted::<f64>(Pattern::Zipf, n, Direction::Descending));
        }
        check_runs(target, &sorted::<i128>(Pattern::Sawtooth, tile + 3, Direction::Ascending));
        check_runs(target, &sorted::<i8>(Pattern::Random, tile + 3, Direction::Ascending));
    }
}

/// No data, no queries, one of each, and lengths around what the blocks' shapes divide.
#[test]
fn lengths_of_data_and_queries() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let shape = tuning(target);
        let (pivots, tile) = (1usize << shape.pivot_bits, shape.bounds.tile() as usize);
        for n in [0, 1, 2, pivots - 2, pivots - 1, pivots, pivots + 1, 2 * pivots, 5 * pivots + 3] {
            let data = sorted::<i32>(Pattern::Random, n, Direction::Ascending);
            let beside = data.iter().flat_map(|&key| [key.wrapping_sub(1), key, key.wrapping_add(1)]);
            let beside: Vec<i32> = beside.chain([i32::MIN, 0, i32::MAX]).collect();
            check_bounds(target, &data, &beside, Direction::Ascending);
            check_bounds(target, &vec![7; n], &[6, 7, 8], Direction::Descending);
        }
        let data = sorted::<u64>(Pattern::FewValues, 300, Direction::Descending);
        let most = tile * shape.bounds_grid as usize;
        let lengths =
            if target.is_cuda() { vec![most - 1, most + 1] } else { vec![most - 1, most, most + 1, 3 * most + 5] };
        for m in [vec![0, 1, tile - 1, tile, tile + 1], lengths].concat() {
            check_bounds(target, &data, &Pattern::FewValues.keys::<u64>(m, 300), Direction::Descending);
            // Sorted queries too.
            check_bounds(target, &data, &sorted(Pattern::Random, m, Direction::Descending), Direction::Descending);
        }
    }
}

/// All keys equal, all different, and runs that begin and end around the borders of tiles, also over many of them.
#[test]
fn lengths_of_runs() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let shape = tuning(target);
        let tile = shape.runs.tile() as usize;
        for n in [0, 1, 2, 31, 32, 33, tile - 1, tile, tile + 1, 2 * tile, 7 * tile + 1] {
            check_runs(target, &vec![f32::NAN; n]);
            check_runs(target, &(0..n as u64).collect::<Vec<_>>());
            for run in [2, 3, 32, tile - 1, tile, tile + 1, 3 * tile] {
                check_runs(target, &(0..n).map(|i| (i / run) as i16).collect::<Vec<_>>());
            }
        }
        // More tiles than the sum over them takes at once.
        let n = (tile * shape.scan.tile() as usize) * 2 + 77;
        for run in [1, 100, tile, n / 2, n] {
            check_runs(target, &(0..n).map(|i| (i / run) as u32).collect::<Vec<_>>());
        }
    }
}

/// Neighbours count: keys that are not sorted have more runs than different keys. And equality is that of bits.
#[test]
fn small_runs_are_neighbours_that_equal_in_bits() {
    let floats = [-0.0, 0.0, 0.0, f32::NAN, f32::NAN, f32::from_bits(f32::NAN.to_bits() + 1), -f32::NAN, -0.0];
    let counts = [1, 2, 2, 1, 1, 1];
    for target in targets() {
        let (keys, lengths) = target.device.run_lengths(&floats, SortOptions::new()).unwrap();
        assert_eq!(lengths, counts, "{target}");
        let bits: Vec<u32> = keys.iter().map(|key| key.to_bits()).collect();
        let expected = [floats[0], floats[1], floats[3], floats[5], floats[6], floats[7]].map(f32::to_bits);
        assert_eq!(bits, expected, "{target}");
        check_runs(target, &floats);
        check_runs(target, &tied_keys::<u32>(300, 2));
    }
}

#[test]
fn unsorted_data_gives_positions_within_it() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for n in [1, 6, 7, 8, 63, 64, 65, 300, 1000] {
            let data = Pattern::Random.keys::<u32>(n, 1);
            let queries = Pattern::Random.keys::<u32>(400, 2);
            for direction in DIRECTIONS {
                let lower = target.device.lower_bound(&data, &queries, options(direction)).unwrap();
                let upper = target.device.upper_bound(&data, &queries, options(direction)).unwrap();
                assert!(lower.iter().chain(&upper).all(|&position| position <= n as u64), "{target}, {n}");
            }
        }
    }
}

#[test]
fn small_queries_may_be_the_data() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let data = sorted::<u16>(Pattern::FewValues, 200, Direction::Ascending);
        let buffer = target.device.upload(&data).unwrap();
        let mut positions = target.device.allocate::<u32>(200).unwrap();
        target.device.lower_bound_into(&buffer, &buffer, &mut positions, SortOptions::new()).unwrap();
        let expected: Vec<u32> = data.iter().map(|x| data.partition_point(|y| y < x) as u32).collect();
        assert_eq!(positions.to_vec().unwrap(), expected, "{target}");
    }
}

fn config(cases: u32) -> Config {
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { cases, failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}

/// Numbers below a limit, of which keys are made: few different ones or hardly a tie.
fn numbers(most: usize) -> impl Strategy<Value = Vec<u64>> {
    let length = prop_oneof![0..10usize, 0..150usize, 0..most];
    (prop_oneof![1..6u64, Just(60), Just(u64::MAX)], length)
        .prop_flat_map(|(values, length)| prop::collection::vec(0..values, length))
}

/// Keys whose bits are spread over the whole type, so that signs and NaNs are among them.
fn keys<K: Key>(numbers: &[u64]) -> Vec<K> {
    let spread = |x: u64| {
        u128::from(x.wrapping_mul(0x9e37_79b9_7f4a_7c15)) << 64 | u128::from(x.wrapping_mul(0xff51_afd7_ed55_8ccd))
    };
    numbers.iter().map(|&x| from_bits(spread(x) >> (128 - 8 * size_of::<K>()))).collect()
}

fn check_any<K: Key>(data: &[u64], queries: &[u64], direction: Direction) {
    let data = Case::new(keys::<K>(data), direction, "data").sorted;
    let queries = keys::<K>(queries);
    for target in targets().iter().filter(|target| !target.is_slow()) {
        check_bounds(target, &data, &queries, direction);
        check_runs(target, &data);
        // In no order.
        check_runs(target, &queries);
    }
}

proptest! {
    #![proptest_config(config(60))]

    #[test]
    fn any_searches_of_u32(data in numbers(600), queries in numbers(400), descending in any::<bool>()) {
        check_any::<u32>(&data, &queries, DIRECTIONS[usize::from(descending)]);
    }

    #[test]
    fn any_searches_of_f64(data in numbers(600), queries in numbers(400), descending in any::<bool>()) {
        check_any::<f64>(&data, &queries, DIRECTIONS[usize::from(descending)]);
    }

    #[test]
    fn any_searches_of_i8(data in numbers(600), queries in numbers(400), descending in any::<bool>()) {
        check_any::<i8>(&data, &queries, DIRECTIONS[usize::from(descending)]);
    }

    #[test]
    fn any_searches_of_i128(data in numbers(600), queries in numbers(400), descending in any::<bool>()) {
        check_any::<i128>(&data, &queries, DIRECTIONS[usize::from(descending)]);
    }
}
