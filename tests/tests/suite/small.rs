//! Small cases of every kernel family: on a GPU these also run under a sanitizer, which slows kernels down a
//! hundredfold. Their names begin with `small_`, and so do those of other files that are small enough.
use gridsort::{Key, Payload, PayloadWidth, Workspace, chapter};
use gridsort_tests::planned::{self, Route};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, f16, options, payload_of, same, target, targets};

/// Part of a warp, of a tile, one tile and a key more, some tiles.
fn lengths(target: &Target, tile: usize) -> Vec<usize> {
    if target.is_slow() { vec![31, tile + 1] } else { vec![31, tile - 1, tile, tile + 1, (5 * tile).min(20_000)] }
}

fn cases<K: Key>(target: &Target, payload: PayloadWidth) -> Vec<Case<K>> {
    let tile = target.shape(K::WIDTH, payload).tile as usize;
    let case = |(i, n): (usize, usize)| {
        let pattern = [Pattern::Random, Pattern::Special, Pattern::AllMax, Pattern::FewValues][i % 4];
        Case::new(pattern.keys(n, i as u64), DIRECTIONS[i % 2], format_args!("{pattern:?}"))
    };
    lengths(target, tile).into_iter().enumerate().map(case).collect()
}

#[test]
fn small_tile_sorts_and_two_way_passes() {
    for target in targets() {
        cases::<u32>(target, PayloadWidth::None).iter().for_each(|case| case.check_sort(target));
        cases::<f64>(target, PayloadWidth::None).iter().for_each(|case| case.check_sort(target));
        cases::<u8>(target, PayloadWidth::None).iter().for_each(|case| case.check_sort(target));
        cases::<f16>(target, PayloadWidth::None).iter().for_each(|case| case.check_sort(target));
        cases::<i128>(target, PayloadWidth::None).iter().for_each(|case| case.check_sort(target));
        cases::<i8>(target, PayloadWidth::W32).iter().for_each(|case| case.check_pairs::<u32>(target));
        cases::<i8>(target, PayloadWidth::W64).iter().for_each(|case| case.check_pairs::<u64>(target));
        cases::<f16>(target, PayloadWidth::W32).iter().for_each(|case| case.check_pairs::<u32>(target));
        cases::<f16>(target, PayloadWidth::W64).iter().for_each(|case| case.check_pairs::<u64>(target));
        cases::<u128>(target, PayloadWidth::W32).iter().for_each(|case| case.check_pairs::<u32>(target));
        cases::<u128>(target, PayloadWidth::W64).iter().for_each(|case| case.check_pairs::<u64>(target));
        cases::<f32>(target, PayloadWidth::W32).iter().for_each(|case| case.check_pairs::<u32>(target));
        cases::<i32>(target, PayloadWidth::W64).iter().for_each(|case| case.check_pairs::<u64>(target));
        cases::<u64>(target, PayloadWidth::W32).iter().for_each(|case| case.check_pairs::<u32>(target));
        cases::<i64>(target, PayloadWidth::W64).iter().for_each(|case| case.check_pairs::<u64>(target));
        cases::<f32>(target, PayloadWidth::W64).iter().for_each(|case| case.check_argsort(target));
    }
}

/// Merges a case's first third, sorted, with the rest, sorted.
fn check_merge<K: Key, P: Payload>(target: &Target, n: usize, pattern: Pattern) {
    let device = &target.device;
    let keys = pattern.keys::<K>(n, 5);
    let (a, b) = keys.split_at(n / 3);
    let [a, b] = [a, b].map(|run| Case::new(run.to_vec(), DIRECTIONS[n % 2], "run").sorted);
    let case = Case::new([a.as_slice(), &b].concat(), DIRECTIONS[n % 2], format_args!("{pattern:?}"));
    let at = || format!("merge on {target}, {}", case.name);
    let payloads: Vec<P> = (0..n as u64).map(payload_of).collect();
    let (payloads_a, payloads_b) = payloads.split_at(a.len());
    let a = (device.upload(&a).unwrap(), device.upload(payloads_a).unwrap());
    let b = (device.upload(&b).unwrap(), device.upload(payloads_b).unwrap());
    let mut out = (device.allocate(n).unwrap(), device.allocate(n).unwrap());
    device.merge_buffers(&a.0, &b.0, &mut out.0, options(case.direction)).unwrap();
    same(&out.0.to_vec().unwrap(), &case.sorted, at);
    device.merge_pairs_buffers((&a.0, &a.1), (&b.0, &b.1), (&mut out.0, &mut out.1), options(case.direction)).unwrap();
    same(&out.0.to_vec().unwrap(), &case.sorted, at);
    same(&out.1.to_vec().unwrap(), &case.sorted_payloads::<P>(), at);
}

#[test]
fn small_merges_of_two_arrays() {
    for target in targets() {
        let tile = target.shape(u32::WIDTH, PayloadWidth::None).merge_tile as usize;
        for n in [2, 33, tile, 2 * tile + 1] {
            for pattern in [Pattern::Special, Pattern::AllMax] {
                check_merge::<u32, u32>(target, n, pattern);
                check_merge::<i32, u64>(target, n, pattern);
                check_merge::<f64, u32>(target, n, pattern);
                check_merge::<u64, u64>(target, n, pattern);
                check_merge::<u8, u64>(target, n, pattern);
                check_merge::<f16, u32>(target, n, pattern);
                check_merge::<i128, u64>(target, n, pattern);
            }
        }
    }
}

/// Every pass of the k-way merge sort, by 4, 8 and 16 runs, with the tiles of the device.
fn check_kway<K: Key>(target: &Target) {
    let tile = target.shape(K::WIDTH, PayloadWidth::None).kway_tile as usize;
    for (i, runs) in [4, 8, 16].into_iter().enumerate() {
        // One run more than half of them, and part of a run: the last runs are empty or short.
        let n = (runs / 2 + 1) * tile + 77;
        let pattern = [Pattern::Random, Pattern::Special, Pattern::FewValues][i];
        let case = Case::new(pattern.keys::<K>(n, runs as u64), DIRECTIONS[i % 2], format_args!("{pattern:?}"));
        planned::check_route(target, &case, Route::Kway);
    }
}

#[test]
fn small_kway_passes_of_8_bits() {
    for target in target::kernel_targets() {
        check_kway::<i8>(target);
    }
}

#[test]
fn small_kway_passes_of_16_bits() {
    for target in target::kernel_targets() {
        check_kway::<f16>(target);
    }
}

#[test]
fn small_kway_passes_of_128_bits() {
    for target in target::kernel_targets() {
        check_kway::<u128>(target);
    }
}

#[test]
fn small_kway_passes_of_32_bits() {
    for target in target::kernel_targets() {
        check_kway::<f32>(target);
    }
}

#[test]
fn small_kway_passes_of_64_bits() {
    for target in target::kernel_targets() {
        check_kway::<i64>(target);
    }
}

/// From where the library takes k-way passes by itself, with two steps of search on a GPU.
#[test]
fn small_sorts_that_choose_kway() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let from = target.shape(u32::WIDTH, PayloadWidth::None).kway_from as usize;
        Case::new(Pattern::Random.keys::<u32>(from + 3, 1), DIRECTIONS[0], "random").check_sort(target);
        Case::new(Pattern::Zipf.keys::<u64>(from + 3, 2), DIRECTIONS[1], "zipf").check_pairs::<u32>(target);
    }
}

#[test]
fn small_one_thread_per_output() {
    for target in targets() {
        let device = &target.device;
        for n in [2, 257, 2000] {
            let case = Case::new(Pattern::Random.keys::<u32>(n, 3), DIRECTIONS[0], "random");
            let mut keys = device.upload(&case.keys).unwrap();
            chapter::corank_sort_buffer(&mut keys, &mut Workspace::new(device), case.options()).unwrap();
            same(&keys.to_vec().unwrap(), &case.sorted, || format!("co-rank sort on {target}, {}", case.name));
            let case = Case::new(Pattern::Special.keys::<f64>(n, 3), DIRECTIONS[1], "special");
            let mut keys = device.upload(&case.keys).unwrap();
            chapter::corank_sort_buffer(&mut keys, &mut Workspace::new(device), case.options()).unwrap();
            same(&keys.to_vec().unwrap(), &case.sorted, || format!("co-rank sort on {target}, {}", case.name));
        }
    }
}
