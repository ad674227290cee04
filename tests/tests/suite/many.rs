//! Merges of any number of inputs: of any lengths, at any place, stable by the number of the input.
use bytemuck::Pod;
use gridsort::{
    Device, DeviceBuffer, DeviceSlice, Direction, Graph, Key, Payload, PayloadWidth, SortOptions, Workspace,
};
use gridsort_tests::case::tied_keys;
use gridsort_tests::pattern::from_bits;
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, f16, for_each_key, payload_of, same, targets};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};
use std::fmt::Debug;

/// Inputs on a device, in one buffer with a gap before each: they begin at odd places and are no neighbours.
struct Inputs<T: Pod> {
    buffer: DeviceBuffer<T>,
    elements: Vec<T>,
    lengths: Vec<usize>,
}

impl<T: Pod + Debug> Inputs<T> {
    fn new(device: &Device, all: &[T], lengths: &[usize]) -> Self {
        let (mut elements, mut rest) = (Vec::new(), all);
        for &len in lengths {
            elements.push(from_bits(0xa5a5));
            elements.extend_from_slice(&rest[..len]);
            rest = &rest[len..];
        }
        Self { buffer: device.upload(&elements).unwrap(), elements, lengths: lengths.to_vec() }
    }

    fn views(&self) -> Vec<DeviceSlice<'_, T>> {
        let mut end = 0;
        let view = |len: &usize| {
            let start = end + 1;
            end = start + len;
            self.buffer.slice(start..end).unwrap()
        };
        self.lengths.iter().map(view).collect()
    }

    fn check_unchanged(&self, at: impl Fn() -> String) {
        same(&self.buffer.to_vec().unwrap(), &self.elements, || format!("the inputs after {}", at()));
    }
}

/// The keys of inputs of these lengths, each sorted, with what must become of them.
fn case<K: Key>(keys: &[K], lengths: &[usize], direction: Direction, name: &str) -> Case<K> {
    let (mut runs, mut rest) = (Vec::new(), keys);
    for &len in lengths {
        runs.extend(Case::new(rest[..len].to_vec(), direction, "run").sorted);
        rest = &rest[len..];
    }
    let few = lengths.iter().take(20).collect::<Vec<_>>();
    Case::new(runs, direction, format_args!("{name}: {} inputs, {few:?}", lengths.len()))
}

fn check_keys<K: Key>(target: &Target, case: &Case<K>, lengths: &[usize]) {
    let (device, n) = (&target.device, case.keys.len());
    let at = || format!("merge_many_buffers on {target}, {}", case.name);
    let inputs = Inputs::new(device, &case.keys, lengths);
    let views = inputs.views();
    let views: Vec<&DeviceSlice<'_, K>> = views.iter().collect();
    // The output is a part of a buffer too.
    let guard: K = from_bits(0x5a);
    let mut out = device.upload(&vec![guard; n + 2]).unwrap();
    let mut workspace = Workspace::new(device);
    let mut inner = out.slice_mut(1..n + 1).unwrap();
    let done = device.merge_many_buffers(&views, &mut inner, &mut workspace, case.options());
    done.unwrap_or_else(|error| panic!("{}: {error}", at()));
    let found = out.to_vec().unwrap();
    same(&found[1..n + 1], &case.sorted, at);
    same(&[found[0], found[n + 1]], &[guard; 2], || format!("around the output, {}", at()));
    inputs.check_unchanged(at);
    assert!(workspace.bytes() <= device.merge_many_scratch_bytes::<K>(lengths).unwrap());
}

fn check_pairs<K: Key, P: Payload>(target: &Target, case: &Case<K>, lengths: &[usize]) {
    let (device, n) = (&target.device, case.keys.len());
    let at = || format!("merge_many_pairs_buffers of {} bytes on {target}, {}", size_of::<P>(), case.name);
    let payloads: Vec<P> = (0..n as u64).map(payload_of).collect();
    let keys = Inputs::new(device, &case.keys, lengths);
    let moved = Inputs::new(device, &payloads, lengths);
    let views = (keys.views(), moved.views());
    let views: Vec<_> = views.0.iter().zip(&views.1).collect();
    let mut out = (device.upload(&vec![K::zeroed(); n]).unwrap(), device.upload(&vec![P::zeroed(); n]).unwrap());
    let mut workspace = Workspace::new(device);
    let done = device.merge_many_pairs_buffers(&views, (&mut out.0, &mut out.1), &mut workspace, case.options());
    done.unwrap_or_else(|error| panic!("{}: {error}", at()));
    same(&out.0.to_vec().unwrap(), &case.sorted, at);
    same(&out.1.to_vec().unwrap(), &case.sorted_payloads::<P>(), || format!("payloads of {}", at()));
    keys.check_unchanged(at);
    moved.check_unchanged(at);
    assert!(workspace.bytes() <= device.merge_many_pairs_scratch_bytes::<K, P>(lengths).unwrap());
}

/// Payloads of all sizes that are carried differently.
fn check_sizes<K: Key>(target: &Target, case: &Case<K>, lengths: &[usize]) {
    check_keys(target, case, lengths);
    check_pairs::<K, u8>(target, case, lengths);
    check_pairs::<K, [u8; 3]>(target, case, lengths);
    check_pairs::<K, u32>(target, case, lengths);
    check_pairs::<K, u64>(target, case, lengths);
    check_pairs::<K, u128>(target, case, lengths);
}

/// Inputs of about `len` keys, one of them empty and one of them a single key, where there are enough.
fn about(k: usize, len: usize) -> Vec<usize> {
    let mut lengths: Vec<usize> = (0..k).map(|input| len + input * 7 % 11).collect();
    if k > 2 {
        lengths[k / 2] = 0;
        lengths[k - 1] = 1;
    }
    lengths
}

/// Every key type, with nothing, with 4 bytes and with what is fetched, by 4, 8 and 16 runs and in two passes.
fn check_type<K: Key>(target: &Target) {
    let patterns = [Pattern::Special, Pattern::FewValues, Pattern::Random, Pattern::AllMax];
    for (i, k) in [3, 7, 12, 20].into_iter().enumerate() {
        let lengths = about(k, if target.is_slow() { 20 } else { 90 });
        let keys = patterns[i].keys::<K>(lengths.iter().sum(), k as u64);
        let case = case(&keys, &lengths, DIRECTIONS[i % 2], &format!("{:?}", patterns[i]));
        check_keys(target, &case, &lengths);
        check_pairs::<K, u32>(target, &case, &lengths);
        check_pairs::<K, u64>(target, &case, &lengths);
        check_pairs::<K, [u8; 5]>(target, &case, &lengths);
    }
}

#[test]
fn small_merges_of_many_of_every_type() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for_each_key!(check_type(target));
    }
}

/// The GPU's tiles, several of them.
#[test]
fn small_merges_of_many_by_full_tiles() {
    for target in targets().iter().filter(|target| target.is_slow() || target.is_cuda()) {
        let shape = target.shape(u32::WIDTH, PayloadWidth::None);
        let tiles = shape.kway_merge_tiles.into_iter().chain(shape.kway_tile_of_32);
        for (index, (k, tile)) in [3, 6, 11, 21].into_iter().zip(tiles).enumerate() {
            let tile = tile as usize;
            let lengths = about(k, (tile + tile / 3) / k);
            let keys = Pattern::Special.keys::<f32>(lengths.iter().sum(), 3);
            check_keys(target, &case(&keys, &lengths, DIRECTIONS[index % 2], "special"), &lengths);
        }
        let lengths = about(39, 200);
        let keys = Pattern::FewValues.keys::<i64>(lengths.iter().sum(), 3);
        let case = case(&keys, &lengths, Direction::Descending, "few values");
        check_pairs::<i64, u32>(target, &case, &lengths);
        check_pairs::<i64, [u8; 3]>(target, &case, &lengths);
    }
}

/// Any number of inputs: none, one and two, which are no merges of many; as many as a pass takes, and one more; so many
/// that they take three passes.
#[test]
fn any_number_of_inputs() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for (i, k) in [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 32, 33, 40, 300, 1100].into_iter().enumerate() {
            let lengths = about(k, if k > 100 { 5 } else { 70 });
            let keys = tied_keys::<i32>(lengths.iter().sum(), 40);
            check_sizes(target, &case(&keys, &lengths, DIRECTIONS[i % 2], "ties"), &lengths);
        }
    }
}

/// Lengths that have nothing to do with each other; the same key everywhere; the key that tiles are padded with.
#[test]
fn lopsided_inputs() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let long = if target.is_cuda() { 1 << 20 } else { 3000 };
        let mut among_short = vec![3; 30];
        among_short[20] = long;
        let only_empty = vec![0; 40];
        let mut one_filled = only_empty.clone();
        one_filled[33] = 100;
        let mut two_filled = one_filled.clone();
        two_filled[5] = 60;
        let growing: Vec<usize> = (0..12).map(|input| 1 << input).collect();
        let shrinking: Vec<usize> = growing.iter().rev().copied().collect();
        for lengths in
            [among_short, only_empty, one_filled, two_filled, growing, shrinking, vec![long, 1, 1], vec![1; 200]]
        {
            let n = lengths.iter().sum();
            let equal = case(&tied_keys::<u32>(n, 1), &lengths, Direction::Ascending, "equal");
            check_sizes(target, &equal, &lengths);
            let last = case(&Pattern::AllMax.keys::<u64>(n, 1), &lengths, Direction::Descending, "all max");
            check_sizes(target, &last, &lengths);
            let floats = case(&Pattern::Special.keys::<f64>(n, 1), &lengths, Direction::Descending, "special");
            check_sizes(target, &floats, &lengths);
            let narrow = case(&Pattern::Special.keys::<f16>(n, 1), &lengths, Direction::Ascending, "special");
            check_sizes(target, &narrow, &lengths);
        }
    }
}

/// So many tiles that cuts are searched for in two steps.
#[test]
fn many_tiles() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let shape = target.shape(u64::WIDTH, PayloadWidth::W32);
        let tiles: Vec<_> = shape.kway_merge_tiles.into_iter().chain(shape.kway_tile_of_32).collect();
        for (index, k) in [(1, 8), (2, 16), (3, 25), (2, 40)] {
            let lengths = about(k, 70 * tiles[index] as usize / k);
            let keys = Pattern::Zipf.keys::<u64>(lengths.iter().sum(), k as u64);
            check_pairs::<u64, u32>(target, &case(&keys, &lengths, DIRECTIONS[index % 2], "zipf"), &lengths);
        }
        // One input before all others, key by key.
        let n = 70 * target.shape(u32::WIDTH, PayloadWidth::None).kway_merge_tiles[0] as usize;
        let sorted = Pattern::Sorted.keys::<u32>(n, 1);
        let lengths = [n / 2, n / 4, n - n / 2 - n / 4 - 5, 5];
        check_keys(target, &case(&sorted, &lengths, Direction::Ascending, "one behind the other"), &lengths);
        let mut reversed = sorted;
        reversed.reverse();
        check_keys(target, &case(&reversed, &lengths, Direction::Ascending, "one before the other"), &lengths);
    }
}

#[test]
fn host_slices() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for k in [0, 1, 2, 6, 30] {
            let lengths = about(k, 50);
            let keys = Pattern::Special.keys::<f32>(lengths.iter().sum(), 9);
            let case = case(&keys, &lengths, Direction::Descending, "special");
            let payloads: Vec<[u16; 3]> = (0..case.keys.len() as u64).map(payload_of).collect();
            let mut inputs = Vec::new();
            let mut start = 0;
            for &len in &lengths {
                inputs.push((&case.keys[start..start + len], &payloads[start..start + len]));
                start += len;
            }
            let keys: Vec<&[f32]> = inputs.iter().map(|input| input.0).collect();
            let at = || format!("merge_many on {target}, {}", case.name);
            same(&target.device.merge_many(&keys, case.options()).unwrap(), &case.sorted, at);
            let (keys, moved) = target.device.merge_many_pairs(&inputs, case.options()).unwrap();
            same(&keys, &case.sorted, at);
            same(&moved, &case.sorted_payloads::<[u16; 3]>(), at);
        }
    }
}

/// Captured once, launched twice, with other keys the second time.
#[test]
fn small_merges_of_many_in_a_graph() {
    for target in targets().iter().filter(|target| !target.is_slow() && target.tiles.is_some()) {
        let device = &target.device;
        device.prepare::<u32>(3).unwrap();
        let lengths = about(20, 60);
        let n = lengths.iter().sum::<usize>();
        let case_of = |seed| case(&Pattern::Random.keys::<u32>(n, seed), &lengths, Direction::Ascending, "graph");
        let (first, second) = (case_of(1), case_of(2));
        let payloads: Vec<[u8; 3]> = (0..n as u64).map(payload_of).collect();
        let moved = device.upload(&payloads).unwrap();
        let mut keys = device.upload(&first.keys).unwrap();
        let mut out = (device.allocate::<u32>(n).unwrap(), device.allocate::<[u8; 3]>(n).unwrap());
        let mut workspace = Workspace::new(device);
        let options = SortOptions::new();
        let need = device.merge_many_pairs_scratch_bytes::<u32, [u8; 3]>(&lengths).unwrap();
        workspace.reserve(need).unwrap();
        let graph = Graph::capture(device, |device| {
            let mut views = Vec::new();
            let mut start = 0;
            for &len in &lengths {
                views.push((keys.slice(start..start + len)?, moved.slice(start..start + len)?));
                start += len;
            }
            let views: Vec<_> = views.iter().map(|(keys, moved)| (keys, moved)).collect();
            device.merge_many_pairs_buffers(&views, (&mut out.0, &mut out.1), &mut workspace, options)
        });
        let graph = graph.unwrap();
        for case in [&first, &second] {
            keys.copy_from_slice(&case.keys).unwrap();
            graph.launch(device).unwrap();
            let at = || format!("a graph on {target}, {}", case.name);
            same(&out.0.to_vec().unwrap(), &case.sorted, at);
            same(&out.1.to_vec().unwrap(), &case.sorted_payloads::<[u8; 3]>(), at);
        }
    }
}

fn config(cases: u32) -> Config {
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { cases, failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}

/// Up to forty inputs, most of them short.
fn any_inputs() -> impl Strategy<Value = (Vec<usize>, u64, u64)> {
    let len = prop_oneof![Just(0usize), 0..5usize, 0..60usize, 300..330usize];
    (prop::collection::vec(len, 0..40), prop_oneof![1..6u64, Just(60), Just(1 << 20)], any::<u64>())
}

fn check_any<K: Key>((lengths, values, seed): &(Vec<usize>, u64, u64), direction: Direction) {
    let all = tied_keys::<K>(1 << 12, *values);
    let start = (*seed % 1000) as usize;
    let keys: Vec<K> = all.iter().cycle().skip(start).take(lengths.iter().sum()).copied().collect();
    let case = case(&keys, lengths, direction, "any");
    for target in targets().iter().filter(|target| !target.is_slow()) {
        check_keys(target, &case, lengths);
        check_pairs::<K, u64>(target, &case, lengths);
        check_pairs::<K, [u8; 7]>(target, &case, lengths);
    }
}

proptest! {
    #![proptest_config(config(40))]

    #[test]
    fn merges_of_any_inputs_of_i32(inputs in any_inputs(), descending in any::<bool>()) {
        check_any::<i32>(&inputs, DIRECTIONS[usize::from(descending)]);
    }

    #[test]
    fn merges_of_any_inputs_of_f64(inputs in any_inputs(), descending in any::<bool>()) {
        check_any::<f64>(&inputs, DIRECTIONS[usize::from(descending)]);
    }
}
