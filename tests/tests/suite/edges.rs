//! Lengths around every boundary inside a tile, in memory between guard words: a thread's keys, a warp's, half a tile, a
//! tile, of each kernel that a sort launches.
use gridsort::{Key, Payload, PayloadWidth};
use gridsort_kernels::entry::kway::kway_kernels;
use gridsort_kernels::entry::merge_sort::merge_sort_kernels;
use gridsort_kernels::simt::Kernel;
use gridsort_tests::case::tied_keys;
use gridsort_tests::planned::{self, Carried, Route};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, bf16, f16, target};

/// Next to each edge of the tiles of a route's kernels.
fn edges(target: &Target, key: gridsort::KeyWidth, payload: PayloadWidth, route: Route) -> Vec<usize> {
    let Some(tiles) = target.tiles else {
        return vec![];
    };
    let (two_way, kway) = (merge_sort_kernels(key, payload, tiles), kway_kernels(key, payload, tiles));
    let mut kernels: Vec<(&Kernel, u32)> = match route {
        Route::TwoWay => vec![
            (two_way.small_sort, two_way.small_tile),
            (two_way.tile_sort, two_way.tile),
            (two_way.merge_pass, two_way.merge_tile),
        ],
        Route::Kway => vec![(kway.tile_sort, kway.tile)],
    };
    if route == Route::Kway {
        kernels.extend(kway.passes.iter().map(|pass| (pass.pass, pass.tile)));
    }
    let mut edges = vec![1, 2];
    for (kernel, tile) in kernels {
        let items = tile.div_ceil(kernel.threads);
        edges.extend([1, 2, 31, 32, 33, kernel.threads - 1].map(|threads| threads * items));
        edges.extend([tile / 2, tile.div_ceil(2), tile, 3 * tile / 2, 2 * tile, 5 * tile / 2]);
    }
    let mut lengths: Vec<usize> = edges.into_iter().flat_map(|n| [n - 1, n, n + 1]).map(|n| n as usize).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

fn check<K: Key, P: Payload>(carried: Carried) {
    for target in target::kernel_targets() {
        for route in [Route::TwoWay, Route::Kway] {
            let width = if carried == Carried::Nothing { PayloadWidth::None } else { P::PAYLOAD_WIDTH };
            // The GPU's tiles on the emulator: the edges of one tile, of every third length.
            let slow = target.is_slow();
            let lengths = edges(target, K::WIDTH, width, route).into_iter();
            for n in lengths.filter(|n| !slow || (*n <= 4353 && n % 3 == 1)) {
                let direction = DIRECTIONS[n % 2];
                let keys = if n % 4 < 2 { Pattern::Random.keys::<K>(n, n as u64) } else { tied_keys(n, 2) };
                planned::check::<K, P>(target, &Case::new(keys, direction, "edge"), route, carried);
            }
        }
    }
}

#[test]
fn of_keys() {
    check::<u8, u32>(Carried::Nothing);
    check::<f16, u32>(Carried::Nothing);
    check::<u32, u32>(Carried::Nothing);
    check::<f64, u32>(Carried::Nothing);
    check::<i128, u32>(Carried::Nothing);
}

#[test]
fn of_narrow_pairs() {
    check::<i8, u64>(Carried::Payloads);
    check::<bf16, u32>(Carried::Payloads);
}

#[test]
fn of_pairs() {
    check::<i32, u32>(Carried::Payloads);
    check::<u64, u64>(Carried::Payloads);
    check::<u128, u32>(Carried::Payloads);
}

#[test]
fn of_argsorts() {
    check::<f32, u32>(Carried::Positions);
    check::<i64, u64>(Carried::Positions);
}
