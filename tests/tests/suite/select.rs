//! Selection, as a user asks for it: values, indices and their order, held against the standard library's stable sort.
use gridsort::plan::{SelectPlan, select};
use gridsort::{Device, Direction, Error, Graph, Index, Key, Rows, SelectOptions, Tiles, Workspace, key_bytes};
use gridsort_kernels::entry::select::lists::list_kernels;
use gridsort_kernels::entry::select::select_kernels;
use gridsort_kernels::sample::splitters::drawn;
use gridsort_kernels::tuning::SelectTuning;
use gridsort_tests::target::{gpu, kernel_targets};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, for_each_key, generator, options, same, targets};
use rand_xoshiro::rand_core::Rng;

fn tuning<K: Key>(target: &Target) -> SelectTuning {
    select_kernels(K::WIDTH, target.tiles.unwrap_or(Tiles::Small)).tuning
}

/// The numbers of results that are worth a look, of those up to `n`.
fn ranks(n: usize, more: &[usize]) -> Vec<usize> {
    let mut ranks = vec![0, 1, n / 2, n.saturating_sub(1), n];
    ranks.extend(more.iter().copied().filter(|&k| k <= n));
    ranks.sort_unstable();
    ranks.dedup();
    ranks
}

/// Selects by row into buffers, with exactly the scratch memory that was asked for.
fn select_rows<K: Key, I: Index>(
    device: &Device,
    keys: &[K],
    rows: Rows,
    k: usize,
    direction: Direction,
    options: SelectOptions,
) -> Result<(Vec<K>, Vec<I>), Error> {
    let count = rows.rows() * k;
    let buffer = device.upload(keys)?;
    let (mut values, mut indices) = (device.allocate::<K>(count)?, device.allocate::<I>(count)?);
    let bytes = device.top_k_rows_scratch_bytes::<K, I>(rows, k)?;
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize)?);
    let call = match direction {
        Direction::Descending => Device::top_k_rows_into::<K, I>,
        Direction::Ascending => Device::bottom_k_rows_into::<K, I>,
    };
    call(device, &buffer, &mut values, &mut indices, rows, &mut workspace, options)?;
    same(&buffer.to_vec()?, keys, || "the keys after a selection".into());
    Ok((values.to_vec()?, indices.to_vec()?))
}

/// Holds the first k of each row, for each k, against a sort.
fn check_rows<K: Key>(target: &Target, keys: &[K], rows: Rows, ranks: &[usize], name: &str) {
    for direction in DIRECTIONS {
        let cases: Vec<Case<K>> = (0..rows.rows())
            .map(|row| Case::new(keys[row * rows.stride()..][..rows.columns()].to_vec(), direction, name))
            .collect();
        for &k in ranks {
            let at = || format!("first {k} {direction} of {rows:?} of {}, {name}, on {target}", K::NAME);
            let (values, indices) =
                select_rows::<K, u32>(&target.device, keys, rows, k, direction, SelectOptions::new())
                    .unwrap_or_else(|error| panic!("{}: {error}", at()));
            let expected: Vec<K> = cases.iter().flat_map(|case| case.sorted[..k].to_vec()).collect();
            let order: Vec<u32> = cases
                .iter()
                .flat_map(|case| case.order[..k].iter().map(|&index| index as u32).collect::<Vec<_>>())
                .collect();
            same(&values, &expected, at);
            same(&indices, &order, || format!("indices, {}", at()));
        }
    }
}

fn check_flat<K: Key>(target: &Target, keys: &[K], ranks: &[usize], name: &str) {
    check_rows(target, keys, Rows::new(1, keys.len()), ranks, name);
}

/// Ascending, descending, alike, and with many ties.
fn orders<K: Key>(n: usize) -> Vec<(&'static str, Vec<K>)> {
    let mut ascending = Pattern::Random.keys::<K>(n, 7);
    ascending.sort_by(|x, y| x.order(y));
    let descending = ascending.iter().rev().copied().collect();
    vec![
        ("random", Pattern::Random.keys(n, 8)),
        ("ascending", ascending),
        ("descending", descending),
        ("all the last there is", Pattern::AllMax.keys(n, 0)),
        ("all the first there is", Pattern::AllMin.keys(n, 0)),
        ("a few values", Pattern::FewValues.keys(n, 9)),
    ]
}

#[test]
fn small_rows_of_every_width() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let capacity = tuning::<u32>(target).capacity as usize;
        let wide = if target.is_cuda() { vec![1024, 1025, 8193, 32_769] } else { vec![200, 301] };
        for columns in [1, 2, 31, 33, capacity - 1, capacity, capacity + 1].into_iter().chain(wide) {
            for (name, keys) in orders::<i32>(5 * columns) {
                check_rows(target, &keys, Rows::new(5, columns), &ranks(columns, &[20, 65, 255, 256, 257]), name);
            }
        }
    }
}

fn check_key<K: Key>(target: &Target) {
    let t = tuning::<K>(target);
    let columns = 3 * t.capacity as usize + 11;
    let keys = Pattern::Random.keys::<K>(2 * columns, 3);
    check_rows(target, &keys, Rows::new(2, columns), &[7, t.capacity as usize / 2 + 3], "random");
    check_rows(target, &keys, Rows::new(2 * columns / 20, 20), &[3], "random");
    let n = t.many as usize + 300;
    let keys = Pattern::Random.keys::<K>(n, 4);
    check_flat(target, &keys, &[t.streamed as usize + 5], "random");
    check_flat(target, &Pattern::FewValues.keys::<K>(n, 4), &[t.streamed as usize + 5], "a few values");
    // A few long rows, and many of each.
    let rows = Rows::new(2, n - 1).with_stride(n + 3);
    let keys = Pattern::Random.keys::<K>(2 * n + 2, 5);
    check_rows(target, &keys, rows, &[t.capacity as usize + 72], "random");
    // Where an index takes more bits than narrow keys leave of 64; on a GPU that would be more than 2^32 keys.
    if t.narrow_to < 1 << 20 {
        let n = t.narrow_to as usize + 2;
        check_flat(target, &Pattern::Random.keys::<K>(n, 6), &[t.streamed as usize + 5], "many");
    }
}

#[test]
fn small_selections_of_every_key_type() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for_each_key!(check_key(target));
    }
}

/// The GPU's own shapes on the emulator: one case of each way.
#[test]
fn small_selections_with_the_gpus_shapes() {
    for target in targets().iter().filter(|target| target.is_slow()) {
        let capacity = tuning::<f32>(target).capacity as usize;
        check_rows(target, &Pattern::Random.keys::<f32>(900, 1), Rows::new(3, 300), &[40], "random");
        check_rows(target, &Pattern::Random.keys::<f32>(2 * capacity, 2), Rows::new(1, 2 * capacity), &[50], "random");
        let keys = Pattern::Random.keys::<u64>(5000, 3);
        let mut sorted = keys.clone();
        sorted.sort_unstable();
        assert_eq!(target.device.select_nth(&keys, 1234).unwrap(), sorted[1234]);
    }
}

#[test]
fn rows_may_have_gaps_and_odd_places() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let columns = tuning::<u16>(target).capacity as usize * 2 + 1;
        for (rows, stride, offset) in [(4, columns + 3, 0), (3, columns, 1), (3, columns + 1, 5), (1, 0, 3)] {
            let keys = Pattern::FewValues.keys::<u16>(rows * stride.max(columns) + offset, 5);
            let rows = Rows::new(rows, columns).with_stride(stride);
            check_rows(target, &keys[offset..], rows, &[1, 50], "a few values");
            // A view that does not begin where an allocation does.
            let buffer = target.device.upload(&keys).unwrap();
            let view = buffer.slice(offset..).unwrap();
            let k = 9;
            let (mut values, mut indices) = (
                target.device.allocate(rows.rows() * k).unwrap(),
                target.device.allocate::<i64>(rows.rows() * k).unwrap(),
            );
            let mut workspace = Workspace::new(&target.device);
            let done = target.device.top_k_rows_into(
                &view,
                &mut values,
                &mut indices,
                rows,
                &mut workspace,
                SelectOptions::new(),
            );
            done.unwrap();
            for row in 0..rows.rows() {
                let case = Case::new(keys[offset + row * stride..][..columns].to_vec(), Direction::Descending, "view");
                same(&values.to_vec().unwrap()[row * k..][..k], &case.sorted[..k], || format!("row {row} of {rows:?}"));
                let order: Vec<i64> = case.order[..k].iter().map(|&index| index as i64).collect();
                same(&indices.to_vec().unwrap()[row * k..][..k], &order, || {
                    format!("indices of row {row} of {rows:?}")
                });
            }
        }
    }
}

#[test]
fn an_array_in_any_order_by_any_way() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let t = tuning::<f32>(target);
        let n = 3 * t.many as usize + 77;
        let (streamed, round) = (t.streamed as usize, t.capacity as usize / 2);
        for (name, keys) in orders::<f32>(n) {
            check_flat(target, &keys, &[0, 1, streamed, streamed + 1, round + 1, n / 8, n / 3, n], name);
        }
    }
}

/// Whether a selection of one array goes through lists, and through how many.
fn lists(target: &Target, n: usize, k: usize, t: &SelectTuning) -> usize {
    let bytes = key_bytes(gridsort::KeyWidth::W32);
    match select(1, n as u64, k as u64, bytes, t).unwrap() {
        SelectPlan::Lists(plan) => plan.lists.len(),
        other => panic!("{n} {k} on {target}: {other:?}"),
    }
}

/// Any seed gives the same result, and so does one whose samples mislead: too few before the pivot, or too many.
#[test]
fn small_samples_that_mislead() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let t = tuning::<u32>(target);
        let (n, k) = (2 * t.many as usize, t.streamed as usize + 3);
        assert!(lists(target, n, k, &t) >= 1);
        let samples = list_kernels(gridsort::KeyWidth::W32, false, target.tiles.unwrap()).unwrap().samples;
        let places: Vec<usize> = (0..samples).map(|i| drawn(9, 0, 0, i, n as u64) as usize).collect();
        let random = Pattern::Random.keys::<u32>(n, 11);
        // In both directions: the samples are all among the very first, so that too few are before the pivot, or the very last.
        let mut first = random.clone();
        places.iter().enumerate().for_each(|(i, &place)| first[place] = i as u32 % 7);
        let mut last = random.clone();
        places.iter().for_each(|&place| last[place] = u32::MAX);
        let equal = vec![5u32; n];
        for (name, keys) in [("random", random), ("small samples", first), ("large samples", last), ("alike", equal)] {
            for direction in DIRECTIONS {
                let case = Case::new(keys.clone(), direction, name);
                for seed in [9, 1] {
                    let options = SelectOptions::new().seed(seed);
                    let rows = Rows::new(1, n);
                    let (values, indices) =
                        select_rows::<u32, u64>(&target.device, &keys, rows, k, direction, options).unwrap();
                    let at = || format!("{name}, {direction}, seed {seed}, on {target}");
                    same(&values, &case.sorted[..k], at);
                    same(&indices, &case.order[..k], at);
                }
            }
        }
    }
}

#[test]
fn ranks_and_medians() {
    fn check<K: Key>(target: &Target) {
        let device = &target.device;
        for n in [1, 2, 3, 700] {
            for (name, keys) in orders::<K>(n) {
                let sorted = Case::new(keys.clone(), Direction::Ascending, name).sorted;
                for nth in [0, n / 3, n - 1] {
                    let found = [device.select_nth(&keys, nth).unwrap()];
                    same(&found, &sorted[nth..=nth], || format!("rank {nth} of {n} {} on {target}, {name}", K::NAME));
                }
                same(&[device.median(&keys).unwrap()], &sorted[(n - 1) / 2..][..1], || {
                    format!("median of {n}, {name}")
                });
            }
        }
    }
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for_each_key!(check(target));
        let empty: [u8; 0] = [];
        assert!(matches!(target.device.median(&empty), Err(Error::TooFewElements { wanted: 1, found: 0 })));
        assert!(matches!(target.device.select_nth(&[1, 2], 2), Err(Error::TooFewElements { wanted: 3, found: 2 })));
    }
}

#[test]
fn partial_sorts_are_permutations() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let t = tuning::<i64>(target);
        for n in [1, 50, 700, 2 * t.many as usize] {
            for (name, keys) in orders::<i64>(n) {
                for direction in DIRECTIONS {
                    let case = Case::new(keys.clone(), direction, name);
                    for k in ranks(n, &[5, t.streamed as usize + 1, 200]) {
                        let at = || format!("partial sort of {k} of {n}, {name}, {direction}, on {target}");
                        let mut sorted = keys.clone();
                        target.device.partial_sort(&mut sorted, k, options(direction)).unwrap();
                        same(&sorted[..k], &case.sorted[..k], at);
                        sorted.sort_unstable();
                        let mut all = keys.clone();
                        all.sort_unstable();
                        same(&sorted, &all, at);
                    }
                }
            }
        }
    }
}

#[test]
fn what_cannot_be_is_an_error() {
    for target in targets() {
        let device = &target.device;
        let keys = [3u32, 1, 2, 5, 4, 6];
        let options = SelectOptions::new();
        assert!(matches!(device.top_k(&keys, 7, options), Err(Error::TooFewElements { wanted: 7, found: 6 })));
        assert!(matches!(device.bottom_k_rows(&keys, Rows::new(2, 3), 4, options), Err(Error::TooFewElements { .. })));
        let expanded = Rows::new(2, 3).with_stride(0);
        assert!(matches!(device.top_k_rows(&keys, expanded, 1, options), Err(Error::StrideTooSmall { .. })));
        assert!(matches!(device.top_k_rows(&keys, Rows::new(3, 3), 1, options), Err(Error::OutOfRange { .. })));
        let mut sorted = keys;
        let partial = device.partial_sort(&mut sorted, 7, gridsort::SortOptions::new());
        assert!(matches!(partial, Err(Error::TooFewElements { .. })));
        assert_eq!(sorted, keys);

        let mut buffer = device.upload(&keys).unwrap();
        let (mut values, mut indices) = (device.allocate::<u32>(3).unwrap(), device.allocate::<u32>(2).unwrap());
        let mut workspace = Workspace::new(device);
        let into = device.top_k_into(&buffer, &mut values, &mut indices, &mut workspace, options);
        assert!(matches!(into, Err(Error::LengthMismatch { expected: 3, found: 2, .. })));
        let rows = Rows::new(2, 3);
        let into = device.top_k_rows_into(&buffer, &mut values, &mut indices, rows, &mut workspace, options);
        assert!(matches!(into, Err(Error::LengthMismatch { expected: 2, found: 3, .. })));
        let (mut front, back) = buffer.split_at_mut(3).unwrap();
        let mut indices = device.allocate::<u32>(3).unwrap();
        device.top_k_into(&back, &mut front, &mut indices, &mut workspace, options).unwrap();
        assert_eq!((front.to_vec().unwrap(), indices.to_vec().unwrap()), (vec![6, 5, 4], vec![2, 0, 1]));
        let whole = device.upload(&keys).unwrap();
        // SAFETY: two views of one buffer; the call refuses before it touches either.
        let mut alias = unsafe { gridsort::DeviceSliceMut::from_raw(device, whole.address(), 3).unwrap() };
        let into = device.top_k_into(&whole, &mut alias, &mut indices, &mut workspace, options);
        assert!(matches!(into, Err(Error::Overlap { .. })));
    }
}

/// Rows without keys, no rows, no results.
#[test]
fn nothing_is_found_in_nothing() {
    for target in targets() {
        let none: [f64; 0] = [];
        for rows in [Rows::new(0, 5), Rows::new(5, 0), Rows::new(0, 0)] {
            let (values, indices) = target.device.top_k_rows(&none, rows, 0, SelectOptions::new()).unwrap();
            assert!(values.is_empty() && indices.is_empty());
        }
        assert_eq!(target.device.bottom_k(&[2.0f64, 1.0], 0, SelectOptions::new()).unwrap().0, []);
        target.device.partial_sort(&mut [1u8, 0], 0, gridsort::SortOptions::new()).unwrap();
    }
}

/// A captured selection is replayed on new data: nothing in it waits for the host.
#[test]
fn selections_can_be_captured() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let device = &target.device;
        let t = tuning::<f32>(target);
        for k in [5, t.streamed as usize + 1] {
            let n = 2 * t.many as usize;
            let mut keys = device.upload(&vec![0f32; n]).unwrap();
            let (mut values, mut indices) = (device.allocate(k).unwrap(), device.allocate::<u32>(k).unwrap());
            let mut nth = device.allocate::<f32>(1).unwrap();
            device.prepare_selection::<f32, u32>().unwrap();
            let bytes = device.top_k_scratch_bytes::<f32, u32>(n, k).unwrap();
            let bytes = bytes.max(device.select_nth_scratch_bytes::<f32>(n).unwrap());
            let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
            let graph = Graph::capture(device, |device| {
                device.top_k_into(&keys, &mut values, &mut indices, &mut workspace, SelectOptions::new())?;
                device.median_into(&keys, &mut nth, &mut workspace)
            });
            let graph = graph.unwrap();
            for seed in [1, 2] {
                let case = Case::new(Pattern::Random.keys::<f32>(n, seed), Direction::Descending, "captured");
                keys.copy_from_slice(&case.keys).unwrap();
                graph.launch(device).unwrap();
                same(&values.to_vec().unwrap(), &case.sorted[..k], || case.name.clone());
                same(
                    &indices.to_vec().unwrap(),
                    &case.order[..k].iter().map(|&i| i as u32).collect::<Vec<_>>(),
                    || case.name.clone(),
                );
                same(&nth.to_vec().unwrap(), &case.sorted[n / 2..][..1], || case.name.clone());
            }
        }
    }
}

/// Sizes of the targets, on a GPU: every index within its row, the same answer ten times.
#[test]
fn large_selections_on_a_gpu() {
    let Some(target) = gpu("large_selections_on_a_gpu") else { return };
    let (rows, k) = (Rows::new(212, 500_000), 20);
    let mut random = generator(17);
    let keys: Vec<f32> = (0..rows.elements()).map(|_| f32::from_bits(random.next_u32())).collect();
    check_rows(target, &keys, rows, &[k], "random bits");
    check_flat(target, &keys[..1 << 25], &[16, 256, 257, 4096, 100_000, 1 << 21], "random bits");
    let first = target.device.top_k(&keys, 4096, SelectOptions::new()).unwrap();
    for seed in 1..10 {
        let again = target.device.top_k(&keys, 4096, SelectOptions::new().seed(seed)).unwrap();
        same(&again.0, &first.0, || format!("seed {seed}"));
        assert_eq!(again.1, first.1);
    }
}
