//! The emulator's schedules: whichever order lanes and blocks run in, on however many threads, results are the same and
//! nothing is reported.
use gridsort::{EmulatorConfig, Key, Schedule, SortOptions, Tiles, Workspace, chapter};
use gridsort_tests::planned::{self, Route};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, options, payload_of, same, target};

const SCHEDULES: [Schedule; 3] = [Schedule::Up, Schedule::Down, Schedule::Shuffled];

/// Emulators that differ in everything a kernel must not depend on. Seed 0 runs the lowest ready lane first.
fn emulators(tiles: Tiles, seeds: &[u64]) -> Vec<Target> {
    let mut all = Vec::new();
    for (i, &seed) in seeds.iter().enumerate() {
        for (j, schedule) in SCHEDULES.into_iter().enumerate() {
            // Each number of workers with each number of resident blocks, over all seeds and schedules.
            let (workers, resident) = (1 + (i + j) % 2, 1 + (3 * i + j) % 4);
            let config = EmulatorConfig { workers, resident, schedule, seed, ..Default::default() };
            all.push(Target::emulator_with(tiles, config));
        }
    }
    all
}

fn check_sorts<K: Key>(target: &Target, pattern: Pattern, n: usize) {
    let seed = n as u64;
    let case = Case::new(pattern.keys::<K>(n, seed), DIRECTIONS[n % 2], format_args!("{pattern:?}"));
    case.check_all(target);
}

#[test]
fn sorts_do_not_depend_on_the_schedule() {
    if !target::emulator_wanted("sorts_do_not_depend_on_the_schedule") {
        return;
    }
    for target in emulators(Tiles::Small, &[0, 1, 2, 3, 4, 5]) {
        // Part of a tile, two-way passes, k-way passes.
        for n in [100, 577, 1000, 2001] {
            check_sorts::<u32>(&target, Pattern::Random, n);
            check_sorts::<f64>(&target, Pattern::FewValues, n + 1);
        }
    }
}

#[test]
fn merges_do_not_depend_on_the_schedule() {
    if !target::emulator_wanted("merges_do_not_depend_on_the_schedule") {
        return;
    }
    for target in emulators(Tiles::Small, &[0, 7, 8, 9]) {
        let device = &target.device;
        for (a, b) in [(0, 97), (96, 96), (500, 333), (3, 700)] {
            let [a, b] = [a, b].map(|n| Case::new(Pattern::Zipf.keys::<i32>(n, n as u64), DIRECTIONS[0], "run").sorted);
            let case = Case::new([a.as_slice(), &b].concat(), DIRECTIONS[0], "merge");
            let at = || format!("{target}, {}", case.name);
            same(&device.merge(&a, &b, case.options()).unwrap(), &case.sorted, at);

            let payloads: Vec<u32> = (0..case.keys.len() as u64).map(payload_of).collect();
            let (payloads_a, payloads_b) = payloads.split_at(a.len());
            let (keys_a, keys_b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
            let (payloads_a, payloads_b) = (device.upload(payloads_a).unwrap(), device.upload(payloads_b).unwrap());
            let mut out = (device.allocate(payloads.len()).unwrap(), device.allocate(payloads.len()).unwrap());
            let (a, b) = ((&keys_a, &payloads_a), (&keys_b, &payloads_b));
            device
                .merge_pairs_buffers((a.0, a.1), (b.0, b.1), (&mut out.0, &mut out.1), options(case.direction))
                .unwrap();
            same(&out.1.to_vec().unwrap(), &case.sorted_payloads::<u32>(), at);

            chapter::corank_merge_buffers(&keys_a, &keys_b, &mut out.0, SortOptions::new()).unwrap();
            same(&out.0.to_vec().unwrap(), &case.sorted, at);
        }
    }
}

#[test]
fn the_chapters_sort_does_not_depend_on_the_schedule() {
    if !target::emulator_wanted("the_chapters_sort_does_not_depend_on_the_schedule") {
        return;
    }
    for target in emulators(Tiles::Small, &[0, 11, 12]) {
        let case = Case::new(Pattern::OrganPipe.keys::<u64>(1025, 1), DIRECTIONS[1], "organ pipe");
        let mut keys = target.device.upload(&case.keys).unwrap();
        chapter::corank_sort_buffer(&mut keys, &mut Workspace::new(&target.device), case.options()).unwrap();
        same(&keys.to_vec().unwrap(), &case.sorted, || format!("{target}"));
    }
}

/// The GPU's tiles: more warps, so more orders. One random seed each; a few thousand keys.
#[test]
fn full_tiles_do_not_depend_on_the_schedule() {
    if !target::emulator_wanted("full_tiles_do_not_depend_on_the_schedule") {
        return;
    }
    for target in emulators(Tiles::Full, &[0, 21]) {
        planned::check_route(
            &target,
            &Case::new(Pattern::Random.keys::<u32>(5000, 5), DIRECTIONS[0], "random"),
            Route::TwoWay,
        );
        planned::check_route(
            &target,
            &Case::new(Pattern::Zipf.keys::<f64>(9001, 6), DIRECTIONS[1], "zipf"),
            Route::Kway,
        );
    }
}
