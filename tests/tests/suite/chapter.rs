//! The textbook's kernels: its worked values, and the tiled kernels' results on random data.
use gridsort::{Arg, Direction, Key, KeyWidth, SortOptions, Workspace, chapter, reference};
use gridsort_kernels::entry::chapter::chapter_kernels;
use gridsort_tests::guarded::Guarded;
use gridsort_tests::{Case, DIRECTIONS, Pattern, for_each_key, options, same, target, targets};

const INPUT: [u32; 8] = [5, 2, 8, 1, 9, 3, 7, 4];
/// What each pass makes of it: runs of 2, of 4, of 8.
const PASSES: [(usize, [u32; 8]); 3] =
    [(1, [2, 5, 1, 8, 3, 9, 4, 7]), (2, [1, 2, 5, 8, 3, 4, 7, 9]), (4, [1, 2, 3, 4, 5, 7, 8, 9])];
const A: [u32; 4] = [1, 3, 6, 8];
const B: [u32; 4] = [2, 4, 5, 7];
/// Where output position k cuts A and B, for k = 0..=7.
const CO_RANKS: [(usize, usize); 8] = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (2, 3), (3, 3), (3, 4)];

#[test]
fn the_references_give_the_worked_values() {
    assert_eq!(reference::merge_sort_passes(&INPUT, u32::cmp), PASSES.map(|(width, keys)| (width, keys.to_vec())));
    for (k, cut) in CO_RANKS.into_iter().enumerate() {
        assert_eq!(reference::co_rank(k, &A, &B, u32::cmp), cut, "k = {k}");
    }
    assert_eq!(reference::merge_by_co_rank(&A, &B, u32::cmp), [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn small_each_pass_gives_the_worked_values() {
    for target in target::kernel_targets() {
        let (codec, kernel) = (u32::codec(Direction::Ascending), chapter_kernels(KeyWidth::W32).corank_pass);
        let mut keys = Guarded::new(&target.device, &INPUT);
        for (width, expected) in PASSES {
            let out = Guarded::new(&target.device, &[0u32; 8]);
            let args = [keys.arg(), out.arg(), Arg::U64(8), Arg::U64(width as u64), codec.arg()];
            // SAFETY: two arrays of eight keys; one block has more threads than that.
            unsafe { target.device.launch(kernel, 1, &args).unwrap() };
            same(&out.elements(|| format!("{target}")), &expected, || format!("pass of width {width} on {target}"));
            keys = out;
        }
    }
}

#[test]
fn small_merge_gives_the_worked_values() {
    for target in targets() {
        let device = &target.device;
        let (a, b) = (device.upload(&A).unwrap(), device.upload(&B).unwrap());
        let mut out = device.allocate(8).unwrap();
        chapter::corank_merge_buffers(&a, &b, &mut out, SortOptions::new()).unwrap();
        assert_eq!(out.to_vec().unwrap(), [1, 2, 3, 4, 5, 6, 7, 8], "{target}");
    }
}

/// Sorts and merges by both kinds of kernels.
fn check_same<K: Key>(pattern: Pattern, lengths: &[usize]) {
    for target in targets() {
        let device = &target.device;
        let mut workspace = Workspace::new(device);
        for (&n, direction) in lengths.iter().flat_map(|n| DIRECTIONS.map(|direction| (n, direction))) {
            let case = Case::new(pattern.keys::<K>(n, 17), direction, format_args!("{pattern:?}"));
            let at = || format!("{target}, {}", case.name);
            let mut keys = device.upload(&case.keys).unwrap();
            chapter::corank_sort_buffer(&mut keys, &mut workspace, options(direction)).unwrap();
            same(&keys.to_vec().unwrap(), &case.sorted, || format!("co-rank sort on {}", at()));
            case.check_sort(target);

            // One part in three, sorted, against the rest.
            let (a, b) = case.keys.split_at(n / 3);
            let run = |keys: &[K]| device.upload(&Case::new(keys.to_vec(), direction, "run").sorted).unwrap();
            let (a, b) = (run(a), run(b));
            let (mut simple, mut tiled) = (device.allocate(n).unwrap(), device.allocate(n).unwrap());
            chapter::corank_merge_buffers(&a, &b, &mut simple, options(direction)).unwrap();
            device.merge_buffers(&a, &b, &mut tiled, options(direction)).unwrap();
            same(&simple.to_vec().unwrap(), &case.sorted, || format!("co-rank merge on {}", at()));
            same(&tiled.to_vec().unwrap(), &case.sorted, || format!("tiled merge on {}", at()));
        }
    }
}

#[test]
fn small_they_equal_the_tiled_kernels() {
    for_each_key!(check_same(Pattern::Special, &[0, 1, 2, 3, 255, 257, 1000]));
    check_same::<u32>(Pattern::Random, &[3000]);
    check_same::<f64>(Pattern::Sawtooth, &[3000]);
}
