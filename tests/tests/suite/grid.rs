//! Sorts by McGridsort's engines, as a user asks for them.
use gridsort::{Algorithm, DeviceKind, Direction, Engine, Error, Key, PayloadWidth, SortOptions, Workspace};
use gridsort_tests::case::tied_keys;
use gridsort_tests::pattern::{from_bits, last_code};
use gridsort_tests::target::kernel_targets;
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, payload_of, same};

/// The devices that have the engines' kernels. A GPU has them where their PTX was compiled.
fn grid_targets() -> impl Iterator<Item = &'static Target> {
    kernel_targets().filter(|target| {
        #[cfg(feature = "cuda")]
        let compiled = gridsort::embedded_ptx().iter().any(|(_, module, _)| *module == "grid_32");
        #[cfg(not(feature = "cuda"))]
        let compiled = false;
        if target.is_cuda() && !compiled {
            println!("engines: skipped on {target}, `cargo xtask build-ptx --grid` was not run");
        }
        !target.is_cuda() || compiled
    })
}

fn by(engine: Engine, direction: Direction) -> SortOptions {
    SortOptions::new().direction(direction).algorithm(Algorithm::Grid(engine))
}

fn check_keys<K: Key>(target: &Target, engine: Engine, case: &Case<K>) {
    let at = || format!("{engine} on {target}, {}", case.name);
    let mut keys = target.device.upload(&case.keys).unwrap();
    let mut workspace = Workspace::new(&target.device);
    let done = target.device.sort_buffer(&mut keys, &mut workspace, by(engine, case.direction));
    done.unwrap_or_else(|error| panic!("{}: {error}", at()));
    same(&keys.to_vec().unwrap(), &case.sorted, at);
}

fn check_pairs<K: Key, P: gridsort::Payload>(target: &Target, engine: Engine, case: &Case<K>) {
    let at = || format!("{engine} with payloads of {} bytes on {target}, {}", size_of::<P>(), case.name);
    let (mut keys, mut payloads) = (case.keys.clone(), (0..case.keys.len() as u64).map(payload_of).collect::<Vec<P>>());
    let done = target.device.sort_pairs(&mut keys, &mut payloads, by(engine, case.direction));
    done.unwrap_or_else(|error| panic!("{}: {error}", at()));
    same(&keys, &case.sorted, at);
    same(&payloads, &case.sorted_payloads::<P>(), at);
}

fn check_order<K: Key>(target: &Target, engine: Engine, case: &Case<K>) {
    let at = || format!("argsort by {engine} on {target}, {}", case.name);
    let order = target.device.argsort(&case.keys, by(engine, case.direction));
    same(&order.unwrap_or_else(|error| panic!("{}: {error}", at())), &case.order, at);
}

/// Keys of a tile, and the longest input of a single pass.
fn sizes(target: &Target, engine: Engine, width: PayloadWidth) -> (usize, usize) {
    let tile = target.shape(gridsort::KeyWidth::W32, width).kway_tile as usize;
    (tile, tile * engine.streams() as usize)
}

/// Every pattern that an engine may trip over, ascending and descending, by the number of keys.
fn cases(n: usize, seed: u64) -> Vec<Case<u32>> {
    let [ascending, descending] = DIRECTIONS;
    let half_pads = |mut keys: Vec<u32>| {
        keys.iter_mut().step_by(2).for_each(|key| *key = u32::MAX);
        keys
    };
    let sorted: Vec<u32> = (0..n as u32).collect();
    vec![
        Case::new(Pattern::Random.keys(n, seed), ascending, "random"),
        Case::new(sorted.iter().rev().copied().collect(), ascending, "reversed"),
        Case::new(sorted, descending, "sorted the other way"),
        Case::new(half_pads(Pattern::Random.keys(n, seed)), ascending, "every second a sentinel"),
        Case::new(vec![u32::MAX; n], ascending, "all sentinels"),
        Case::new(tied_keys(n, 3), descending, "ties"),
    ]
}

/// Lengths around a tile and around what one pass and two passes take.
#[test]
fn small_lengths_around_tiles_and_passes() {
    for target in grid_targets() {
        for engine in Engine::ALL.into_iter().filter(|&e| !target.is_slow() || e == Engine::Ti16) {
            let (tile, pass) = sizes(target, engine, PayloadWidth::None);
            let lengths = if target.is_slow() {
                vec![tile + 1]
            } else {
                vec![0, 1, tile - 1, tile, tile + 1, pass - 1, pass, pass + 1]
            };
            for (seed, n) in (0..).zip(lengths) {
                let case = Case::new(Pattern::Random.keys::<u32>(n, seed), DIRECTIONS[n % 2], "random");
                check_keys(target, engine, &case);
            }
        }
    }
}

/// Several passes, the last group of each cut short.
#[test]
fn small_patterns_through_several_passes() {
    for target in grid_targets().filter(|target| !target.is_slow()) {
        for engine in Engine::ALL {
            let (tile, pass) = sizes(target, engine, PayloadWidth::None);
            for case in cases(pass + 2 * tile + 5, 7) {
                check_keys(target, engine, &case);
            }
        }
    }
}

#[test]
fn small_ties_keep_their_payloads_in_order() {
    for target in grid_targets().filter(|target| !target.is_slow()) {
        for engine in Engine::ALL.into_iter().filter(|engine| engine.carries_payloads()) {
            let (tile, pass) = sizes(target, engine, PayloadWidth::W32);
            for case in cases(5 * tile + 3, 9) {
                check_pairs::<u32, u32>(target, engine, &case);
            }
            for (values, direction) in [(1, DIRECTIONS[0]), (4, DIRECTIONS[1])] {
                let case = Case::new(tied_keys::<u32>(pass + tile + 1, values), direction, "ties");
                check_pairs::<u32, u32>(target, engine, &case);
                check_order(target, engine, &case);
            }
            // Positions are carried, and payloads of any size fetched by them.
            check_pairs::<u32, [u8; 12]>(target, engine, &Case::new(tied_keys(2 * tile, 5), DIRECTIONS[0], "ties"));
        }
    }
}

fn check_type<K: Key>() {
    for target in grid_targets().filter(|target| !target.is_slow()) {
        let tile = target.shape(K::WIDTH, PayloadWidth::None).kway_tile as usize;
        for (engine, direction) in Engine::ALL.into_iter().zip(DIRECTIONS.into_iter().cycle()) {
            // What sorts last in this direction stands for nothing in the kernels.
            let last: K = from_bits(K::codec(direction).decode(last_code::<K>()));
            let mut keys = Pattern::Random.keys::<K>(6 * tile + 1, engine.streams().into());
            keys.iter_mut().step_by(3).for_each(|key| *key = last);
            let case = Case::new(keys, direction, "every third a sentinel");
            check_keys(target, engine, &case);
            if engine.carries_payloads() {
                check_pairs::<K, u32>(target, engine, &case);
            }
        }
    }
}

#[test]
fn small_every_type_of_32_and_64_bits() {
    check_type::<i32>();
    check_type::<f32>();
    check_type::<u64>();
    check_type::<i64>();
    check_type::<f64>();
}

/// Sorts into another buffer leave the input.
#[test]
fn small_inputs_stay_where_the_output_is_another() {
    for target in grid_targets().filter(|target| !target.is_slow()) {
        let (tile, _) = sizes(target, Engine::Double16, PayloadWidth::None);
        let case = Case::new(Pattern::Zipf.keys::<u32>(9 * tile, 2), DIRECTIONS[0], "zipf");
        let keys = target.device.upload(&case.keys).unwrap();
        let mut sorted = target.device.allocate(case.keys.len()).unwrap();
        let mut workspace = Workspace::new(&target.device);
        let options = by(Engine::Double16, case.direction);
        target.device.sort_into(&keys, &mut sorted, &mut workspace, options).unwrap();
        same(&sorted.to_vec().unwrap(), &case.sorted, || case.name.clone());
        same(&keys.to_vec().unwrap(), &case.keys, || case.name.clone());
    }
}

/// Keys and payloads that an engine has no kernels for are refused, and stay as they are.
#[test]
fn small_widths_without_kernels_are_refused() {
    fn refused<K: Key>(target: &Target, bits: u64) {
        let case = Case::new(Pattern::Random.keys::<K>(300, 1), DIRECTIONS[0], "random");
        let mut keys = case.keys.clone();
        let error = target.device.sort(&mut keys, by(Engine::Ti16, case.direction)).unwrap_err();
        let Error::EngineWidths { engine: "ti16", key_bits, payload_bits: 0 } = error else { panic!("{error}") };
        assert_eq!(key_bits, bits);
        same(&keys, &case.keys, || case.name.clone());
        // The tile merge takes everything.
        target.device.sort(&mut keys, by(Engine::Tile, case.direction)).unwrap();
        same(&keys, &case.sorted, || case.name.clone());
    }
    for target in kernel_targets() {
        refused::<u8>(target, 8);
        refused::<i16>(target, 16);
        refused::<u128>(target, 128);

        let (mut keys, mut payloads) = ([3u32, 1, 2], [1u32, 2, 3]);
        let error = target.device.sort_pairs(&mut keys, &mut payloads, by(Engine::Plain16, DIRECTIONS[0])).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the engine plain16 has no kernels for keys of 32 bits with payloads or positions of 32 bits"
        );
        let mut wide = [1u64, 2, 3];
        let error = target.device.sort_pairs(&mut keys, &mut wide, by(Engine::Ti16, DIRECTIONS[0])).unwrap_err();
        assert!(matches!(error, Error::EngineWidths { payload_bits: 64, .. }), "{error}");
        let error = target.device.argsort(&keys, by(Engine::Naive32, DIRECTIONS[0])).unwrap_err();
        assert!(matches!(error, Error::EngineWidths { engine: "naive32", .. }), "{error}");
        assert_eq!((keys, payloads, wide), ([3, 1, 2], [1, 2, 3], [1, 2, 3]));
    }
}

/// The CPU runs no kernels: it sorts by its own sort, whatever is asked for.
#[test]
fn small_sorts_of_the_cpu_have_no_engine() {
    for target in gridsort_tests::targets().iter().filter(|target| target.device.kind() == DeviceKind::Cpu) {
        let mut keys = [3u8, 1, 2];
        target.device.sort(&mut keys, by(Engine::Ti16, DIRECTIONS[0])).unwrap();
        assert_eq!(keys, [1, 2, 3]);
    }
}
