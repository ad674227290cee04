//! Takes every `sync_threads`, `sync_warp` and `async_copies_done` out of the kernels, one at a time, and demands that the
//! emulator reports it or a result is wrong: a barrier that nobody misses is needless, or the checks have a hole.
//!
//! The barriers are found by reading the kernels' source, so new kernels are included: one that no operation below runs
//! fails the test.
mod custom;

use gridsort::{Key, Tiles, Workspace, chapter};
use gridsort_kernels::simt::emulator::mutate::skip_barrier_at;
use gridsort_tests::planned::{self, Carried, Route};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, options, payload_of, same, target};
use std::any::Any;
use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

/// Barriers that nobody misses, with the reason why they stay: the end of the file's path, the line's text, the reason.
const ALLOWED: &[(&str, &str, &str)] = &[];

/// Barriers that no operation below comes to: the end of the file's path or a folder in it, how many at most, the reason.
const NOT_RUN: &[(&str, usize, &str)] =
    &[("src/grid/", 7, "kernels that no operation of the library launches; kernels-gpu/tests/grid_*.rs run them")];

/// What is taken out.
const CALLS: [&str; 3] = ["sync_threads(", "sync_warp(", "async_copies_done("];

/// A line of source with a barrier, of a block or a warp, or a wait for copies.
struct Barrier {
    /// The file, from `src` on.
    file: &'static str,
    line: u32,
    text: String,
}

/// Where the kernels' source is; `None` on a machine that has only the tests.
fn source() -> Option<PathBuf> {
    let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("../kernels-gpu/src");
    dir.is_dir().then_some(dir)
}

/// The barriers of all files but the machine's own, in order.
fn barriers(dir: &Path, under: &str) -> Vec<Barrier> {
    let mut entries: Vec<_> = fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
    entries.sort();
    let mut found = Vec::new();
    for path in entries {
        let name = format!("{under}/{}", path.file_name().unwrap().to_str().unwrap());
        if path.is_dir() {
            if name != "src/simt" {
                found.extend(barriers(&path, &name));
            }
        } else if name.ends_with(".rs") {
            // As long as the program: one small text for each file.
            let file: &'static str = name.leak();
            let text = fs::read_to_string(&path).unwrap();
            let calls = |line: &str| CALLS.iter().any(|call| line.contains(call));
            let is_code = |line: &str| !line.trim_start().starts_with("//") && calls(line);
            let lines = text.lines().zip(1..).filter(|(text, _)| is_code(text));
            found.extend(lines.map(|(text, line)| Barrier { file, line, text: text.trim().to_owned() }));
        }
    }
    found
}

/// A name, and what runs kernels and panics where a result is wrong or a fault is reported.
type Operation = (&'static str, Box<dyn Fn()>);

/// The operations that kernels are run by, with tiny tiles: several tiles, several passes.
fn operations() -> Vec<Operation> {
    fn planned_case<K: Key>(route: Route, carried: Carried, n: usize) -> Box<dyn Fn()> {
        let case = Case::new(Pattern::Random.keys::<K>(n, 1), DIRECTIONS[0], "random");
        Box::new(move || {
            let target = Target::emulator(Tiles::Small);
            planned::check::<K, u32>(&target, &case, route, carried);
        })
    }
    fn merge() {
        let device = &Target::emulator(Tiles::Small).device;
        let runs = [200, 150].map(|n| Case::new(Pattern::Random.keys::<u32>(n, n as u64), DIRECTIONS[0], "run").sorted);
        let case = Case::new(runs.concat(), DIRECTIONS[0], "merge");
        let payloads: Vec<u32> = (0..350).map(payload_of).collect();
        let [a, b] = runs.map(|run| device.upload(&run).unwrap());
        let tags = (device.upload(&payloads[..200]).unwrap(), device.upload(&payloads[200..]).unwrap());
        let mut out = (device.allocate(350).unwrap(), device.allocate(350).unwrap());
        device.merge_buffers(&a, &b, &mut out.0, options(case.direction)).unwrap();
        same(&out.0.to_vec().unwrap(), &case.sorted, || "keys".into());
        let (a, b) = ((&a, &tags.0), (&b, &tags.1));
        device.merge_pairs_buffers((a.0, a.1), (b.0, b.1), (&mut out.0, &mut out.1), options(case.direction)).unwrap();
        same(&out.1.to_vec().unwrap(), &case.sorted_payloads::<u32>(), || "payloads".into());
    }
    fn corank() {
        let device = &Target::emulator(Tiles::Small).device;
        let case = Case::new(Pattern::Random.keys::<u32>(300, 1), DIRECTIONS[0], "random");
        let mut keys = device.upload(&case.keys).unwrap();
        chapter::corank_sort_buffer(&mut keys, &mut Workspace::new(device), case.options()).unwrap();
        same(&keys.to_vec().unwrap(), &case.sorted, || "co-rank sort".into());
    }
    fn bitonic() {
        let device = &Target::emulator(Tiles::Small).device;
        let case = Case::new(Pattern::Random.keys::<u32>(2000, 1), DIRECTIONS[0], "random");
        let mut keys = device.upload(&case.keys).unwrap();
        gridsort::bitonic::block_sort_buffer(&mut keys, case.options()).unwrap();
        same(&keys.to_vec().unwrap(), &case.sorted, || "bitonic block sort".into());
    }
    /// One segment, of a block or of a warp.
    fn bitonic_pairs(block: bool) {
        let device = &Target::emulator(Tiles::Small).device;
        let n = if block { 2000 } else { 250 };
        let case = Case::new(Pattern::Random.keys::<u32>(n, 1), DIRECTIONS[0], "random");
        let payloads: Vec<u32> = (0..n as u64).map(payload_of).collect();
        let (mut keys, mut payloads) = (device.upload(&case.keys).unwrap(), device.upload(&payloads).unwrap());
        let sort = if block {
            gridsort::bitonic::block_sort_pairs_buffer::<u32, u32>
        } else {
            gridsort::bitonic::warp_sort_pairs_buffer::<u32, u32>
        };
        sort(&mut keys, &mut payloads, case.options()).unwrap();
        same(&keys.to_vec().unwrap(), &case.sorted, || "bitonic sort of pairs".into());
        same(&payloads.to_vec().unwrap(), &case.sorted_payloads::<u32>(), || "bitonic sort of pairs".into());
    }
    /// Random keys that take two levels, or such that a sample misleads: then one bucket is too large for the bucket sorts.
    fn sample<K: Key + From<u8>>(n: usize, misleads: bool) -> Box<dyn Fn()> {
        let mut keys = Pattern::Random.keys::<K>(n, 1);
        let drawn = |i| gridsort_kernels::sample::splitters::drawn(0, 0, 0, i, n as u64) as usize;
        (0..if misleads { 128 } else { 0 }).for_each(|i| keys[drawn(i)] = K::from(0));
        by_samples(Case::new(keys, DIRECTIONS[0], "random"))
    }
    fn by_samples<K: Key>(case: Case<K>) -> Box<dyn Fn()> {
        Box::new(move || {
            let device = &Target::emulator(Tiles::Small).device;
            let mut keys = device.upload(&case.keys).unwrap();
            let options = case.options().algorithm(gridsort::Algorithm::Sample);
            device.sort_buffer(&mut keys, &mut Workspace::new(device), options).unwrap();
            same(&keys.to_vec().unwrap(), &case.sorted, || "sample sort".into());
        })
    }
    /// Values that come some dozens of times, and keys next to them: bucket sorts by cells leave the buckets that have both.
    fn sample_of_crowds() -> Box<dyn Fn()> {
        let values = Pattern::Random.keys::<u64>(5000, 3);
        let key = |value: &u64| ((value % 125) << 30) + u64::from(value.is_multiple_of(7));
        by_samples(Case::new(values.iter().map(key).collect(), DIRECTIONS[0], "crowds"))
    }
    /// The same with payloads.
    fn sample_pairs<P: From<u32> + gridsort::Payload + PartialEq>(n: usize, misleads: bool) -> Box<dyn Fn()> {
        let mut keys = Pattern::FewValues.keys::<u32>(n, 1);
        let random = Pattern::Random.keys::<u32>(n, 2);
        keys.iter_mut().zip(&random).step_by(2).for_each(|(key, &other)| *key = other);
        let drawn = |i| gridsort_kernels::sample::splitters::drawn(0, 0, 0, i, n as u64) as usize;
        (0..if misleads { 128 } else { 0 }).for_each(|i| keys[drawn(i)] = 0);
        let case = Case::new(keys, DIRECTIONS[0], "random and some values");
        let moved: Vec<P> = case.order.iter().map(|&position| P::from(position as u32)).collect();
        Box::new(move || {
            let device = &Target::emulator(Tiles::Small).device;
            let payloads: Vec<P> = (0..n as u32).map(P::from).collect();
            let (mut keys, mut payloads) = (device.upload(&case.keys).unwrap(), device.upload(&payloads).unwrap());
            let options = case.options().algorithm(gridsort::Algorithm::Sample);
            device.sort_pairs_buffer(&mut keys, &mut payloads, &mut Workspace::new(device), options).unwrap();
            same(&keys.to_vec().unwrap(), &case.sorted, || "sample sort of pairs".into());
            assert!(payloads.to_vec().unwrap() == moved, "payloads of a sample sort");
        })
    }
    fn sample_argsort() {
        let case = Case::new(Pattern::Random.keys::<u64>(1500, 5), DIRECTIONS[0], "random");
        let device = &Target::emulator(Tiles::Small).device;
        let keys = device.upload(&case.keys).unwrap();
        let options = case.options().algorithm(gridsort::Algorithm::Sample);
        let mut workspace = Workspace::new(device);
        let narrow = device.argsort_buffer_u32(&keys, &mut workspace, options).unwrap().to_vec().unwrap();
        assert!(narrow.iter().zip(&case.order).all(|(&a, &b)| u64::from(a) == b), "argsort by sample sort");
        assert!(device.argsort_buffer(&keys, &mut workspace, options).unwrap().to_vec().unwrap() == case.order);
    }
    /// Bounds by blocks that take several tiles of queries.
    fn bounds() {
        let device = &Target::emulator(Tiles::Small).device;
        let data = Case::new(Pattern::Random.keys::<u32>(200, 1), DIRECTIONS[0], "data").sorted;
        let queries = Pattern::Random.keys::<u32>(600, 2);
        let expected: Vec<u64> = queries.iter().map(|query| data.partition_point(|key| key < query) as u64).collect();
        same(&device.lower_bound(&data, &queries, options(DIRECTIONS[0])).unwrap(), &expected, || "bounds".into());
    }
    /// More tiles than the sum over them takes at once.
    fn run_lengths() {
        let device = &Target::emulator(Tiles::Small).device;
        let keys: Vec<u32> = (0..8500).map(|i| i / 3).collect();
        let (first, lengths) = device.run_lengths(&keys, options(DIRECTIONS[0])).unwrap();
        let expected: Vec<u64> = keys.chunk_by(|x, y| x == y).map(|run| run.len() as u64).collect();
        same(&first, &(0..expected.len() as u32).collect::<Vec<_>>(), || "runs".into());
        same(&lengths, &expected, || "run lengths".into());
    }
    /// The first k of each row.
    fn selected<K: Key>(rows: usize, columns: usize, k: usize) -> Box<dyn Fn()> {
        let keys = Pattern::Random.keys::<K>(rows * columns, 1);
        let cases = keys.chunks(columns).map(|row| Case::new(row.to_vec(), DIRECTIONS[0], "row")).collect();
        first_of(keys, cases, k)
    }
    /// The first k of an array, of which the samples stand behind all other keys.
    fn selected_misled(n: usize, k: usize) -> Box<dyn Fn()> {
        let mut keys = Pattern::Random.keys::<u32>(n, 1);
        let drawn = |i| gridsort_kernels::sample::splitters::drawn(0, 0, 0, i, n as u64) as usize;
        (0..128).for_each(|i| keys[drawn(i)] = u32::MAX);
        let case = Case::new(keys.clone(), DIRECTIONS[0], "misled");
        first_of(keys, vec![case], k)
    }
    fn first_of<K: Key>(keys: Vec<K>, cases: Vec<Case<K>>, k: usize) -> Box<dyn Fn()> {
        let rows = gridsort::Rows::new(cases.len(), keys.len() / cases.len());
        let values: Vec<K> = cases.iter().flat_map(|case| case.sorted[..k].to_vec()).collect();
        let order: Vec<u64> = cases.iter().flat_map(|case| case.order[..k].to_vec()).collect();
        Box::new(move || {
            let device = &Target::emulator(Tiles::Small).device;
            let found = device.bottom_k_rows(&keys, rows, k, gridsort::SelectOptions::new()).unwrap();
            same(&found.0, &values, || "values".into());
            same(&found.1, &order, || "indices".into());
        })
    }
    /// Rows with their payloads, in place.
    fn rows<K: Key>(rows: usize, columns: usize) -> Box<dyn Fn()> {
        let keys = Pattern::Random.keys::<K>(rows * columns, 1);
        let cases: Vec<_> = keys.chunks(columns).map(|row| Case::new(row.to_vec(), DIRECTIONS[0], "row")).collect();
        Box::new(move || {
            let device = &Target::emulator(Tiles::Small).device;
            let (mut sorted, mut payloads) = (keys.clone(), (0..keys.len() as u32).collect::<Vec<_>>());
            let shape = gridsort::Rows::new(rows, columns);
            device.sort_rows_pairs(&mut sorted, &mut payloads, shape, options(DIRECTIONS[0])).unwrap();
            for (row, case) in cases.iter().enumerate() {
                let here = row * columns..(row + 1) * columns;
                let from: Vec<u32> = case.order.iter().map(|&at| at as u32 + here.start as u32).collect();
                same(&sorted[here.clone()], &case.sorted, || "keys of rows".into());
                same(&payloads[here], &from, || "payloads of rows".into());
            }
        })
    }
    /// Segments of all classes, keys alone.
    fn segments() {
        let device = &Target::emulator(Tiles::Small).device;
        let mut keys = Pattern::Random.keys::<u32>(3400, 1);
        let ends = [1u32, 3, 20, 60, 200, 500, 1300, 3400];
        let bounds: Vec<(u32, u32)> = [0].into_iter().chain(ends).zip(ends).collect();
        let mut sorted = keys.clone();
        bounds.iter().for_each(|&(begin, end)| sorted[begin as usize..end as usize].sort_unstable());
        device.sort_segments(&mut keys, &bounds, options(DIRECTIONS[0])).unwrap();
        same(&keys, &sorted, || "segments".into());
    }
    /// Inputs that a table names.
    fn merge_many(k: usize) {
        let device = &Target::emulator(Tiles::Small).device;
        let runs: Vec<Vec<u32>> = (0..k as u32).map(|run| (0..60).map(|i| i * 9 + run).collect()).collect();
        let mut sorted = runs.concat();
        sorted.sort_unstable();
        let runs: Vec<&[u32]> = runs.iter().map(Vec::as_slice).collect();
        same(&device.merge_many(&runs, options(DIRECTIONS[0])).unwrap(), &sorted, || "merge of many".into());
    }
    use Carried::{Nothing, Payloads, Positions};
    let mut all: Vec<Operation> = vec![
        ("tile sort, keys", planned_case::<u32>(Route::TwoWay, Nothing, 190)),
        ("tile sort, pairs", planned_case::<u64>(Route::TwoWay, Payloads, 190)),
        ("two-way sort, keys", planned_case::<u64>(Route::TwoWay, Nothing, 500)),
        ("two-way sort, pairs", planned_case::<u32>(Route::TwoWay, Payloads, 500)),
        ("two-way argsort", planned_case::<f32>(Route::TwoWay, Positions, 500)),
        ("k-way sort, keys", planned_case::<u32>(Route::Kway, Nothing, 1000)),
        ("k-way sort, pairs", planned_case::<u64>(Route::Kway, Payloads, 1000)),
        ("k-way argsort", planned_case::<i32>(Route::Kway, Positions, 300)),
        ("k-way sort, wide pairs", planned_case::<u128>(Route::Kway, Payloads, 1000)),
        ("merge of two arrays", Box::new(merge)),
        ("merge of many arrays", Box::new(|| merge_many(7))),
        ("the chapter's sort", Box::new(corank)),
        ("bitonic block sort", Box::new(bitonic)),
        ("bitonic block sort, pairs", Box::new(|| bitonic_pairs(true))),
        ("bitonic warp sort, pairs", Box::new(|| bitonic_pairs(false))),
        ("sample sort", sample::<u32>(9000, false)),
        ("sample sort of crowds", sample_of_crowds()),
        ("sample sort of falling keys", by_samples(Case::new((0..5000u32).rev().collect(), DIRECTIONS[0], "falling"))),
        ("sample sort of wide keys, misled", sample::<u128>(1150, true)),
        ("sample sort of pairs", sample_pairs::<u32>(9000, false)),
        ("sample sort of pairs, misled", sample_pairs::<u32>(1150, true)),
        ("sample sort of wide pairs, misled", sample_pairs::<u64>(1150, true)),
        ("argsort by sample sort", Box::new(sample_argsort)),
        ("narrow rows", rows::<u32>(40, 30)),
        ("rows of a block", rows::<u32>(2, 300)),
        ("segments", Box::new(segments)),
        ("bounds", Box::new(bounds)),
        ("run lengths", Box::new(run_lengths)),
        ("first of short rows", selected::<u32>(30, 40, 7)),
        ("first of long rows", selected::<u64>(5, 300, 70)),
        ("first of an array", selected::<u32>(1, 2400, 20)),
        ("first of an array, misled", selected_misled(2400, 20)),
    ];
    all.extend(custom::operations());
    all
}

/// The first line of what a check panicked with.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    text.unwrap_or("a panic").lines().next().unwrap_or_default().to_owned()
}

#[test]
fn every_barrier_is_missed() {
    let Some(dir) = source().filter(|_| target::emulator_wanted("every_barrier_is_missed")) else {
        println!("every_barrier_is_missed: skipped");
        return;
    };
    let barriers = barriers(&dir, "src");
    for call in CALLS {
        let found = barriers.iter().filter(|barrier| barrier.text.contains(call)).count();
        assert!(found >= 3, "{call} of the first kernels is not found: {found}");
    }
    let operations = operations();
    for (name, operation) in &operations {
        println!("nothing removed: {name}");
        operation();
    }

    // What the checks panic with is expected, and would fill the screen.
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut needless = Vec::new();
    let mut report = Vec::new();
    for barrier in &barriers {
        let _removed = skip_barrier_at(barrier.file, barrier.line);
        let missed = operations.iter().filter_map(|(name, operation)| {
            let panic = catch_unwind(AssertUnwindSafe(operation)).err()?;
            Some(format!("{name}: {}", message(&*panic)))
        });
        let missed: Vec<String> = missed.collect();
        let place = format!("{}:{}", barrier.file, barrier.line);
        report.push(format!("{place}: missed by {} operations, first {:?}", missed.len(), missed.first()));
        let allowed = ALLOWED.iter().any(|(file, text, _)| barrier.file.ends_with(file) && barrier.text == *text);
        if missed.is_empty() && !allowed {
            needless.push(place);
        }
    }
    std::panic::set_hook(hook);
    println!("{}", report.join("\n"));
    for &(place, most, reason) in NOT_RUN {
        let here: Vec<String> = needless.extract_if(.., |barrier| barrier.contains(place)).collect();
        assert!(here.len() <= most, "nobody misses the barriers at {here:?}, {most} of which are {reason}");
    }
    assert!(needless.is_empty(), "nobody misses the barriers at {needless:?}");
}

/// A barrier is put back when the guard goes, and other lines are left alone.
#[test]
fn a_removed_barrier_comes_back() {
    if !target::emulator_wanted("a_removed_barrier_comes_back") {
        return;
    }
    let sort = || {
        let mut keys: Vec<u32> = (0..500).rev().collect();
        Target::emulator(Tiles::Small).device.sort(&mut keys, options(DIRECTIONS[0])).map(|()| keys)
    };
    let removed = skip_barrier_at("src/merge/no_such_file.rs", 1);
    assert!(sort().unwrap().is_sorted());
    drop(removed);
    assert!(sort().unwrap().is_sorted());
}
