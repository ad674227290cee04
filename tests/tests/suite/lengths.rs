//! Every short length, and the lengths around each boundary: tiles, groups of tiles, the first k-way sort.
use gridsort::plan::Shape;
use gridsort::{Key, Payload, PayloadWidth};
use gridsort_tests::case::tied_keys;
use gridsort_tests::planned::{self, Carried, Route};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, bf16, f16, target};

/// Each length from 0 to two tiles and one key: all of them with tiny tiles; with the GPU's tiles all that end in the
/// first warps, and some of the rest.
fn short_lengths(target: &Target, tile: usize) -> Vec<usize> {
    let all = 0..=2 * tile + 1;
    if target.is_cuda() {
        return all.filter(|n| *n <= 260 || n % 97 == 0 || n % tile <= 2 || n % tile == tile - 1).collect();
    }
    all.collect()
}

/// The lengths next to each boundary, up to a limit.
fn boundaries(shape: &Shape, limit: usize) -> Vec<usize> {
    let (tile, merge_tile, kway_tile) =
        (u64::from(shape.tile), u64::from(shape.merge_tile), u64::from(shape.kway_tile));
    let mut edges = vec![shape.kway_from, u64::from(shape.small_tile)];
    edges.extend([1, 2, 3, 4, 8].map(|tiles| tiles * tile));
    edges.extend([1, 3, 5].map(|tiles| tiles * merge_tile));
    // Groups of 4, 8, 16 runs, and where one pass becomes two, and two become three.
    edges.extend([1, 2, 4, 8, 16, 32, 64, 256].map(|tiles| tiles * kway_tile));
    edges.extend(shape.kway_merge_tiles.into_iter().flat_map(|tile| [1, 2, 7].map(|tiles| tiles * u64::from(tile))));
    let mut lengths: Vec<usize> = edges.into_iter().flat_map(|n| [n - 1, n, n + 1]).map(|n| n as usize).collect();
    lengths.retain(|&n| n <= limit);
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

/// Keys for a length: by turns random ones and few different ones, in one direction or the other.
fn case<K: Key>(n: usize) -> Case<K> {
    let direction = DIRECTIONS[n / 2 % 2];
    if n.is_multiple_of(2) {
        Case::new(Pattern::Random.keys(n, n as u64), direction, "random")
    } else {
        Case::new(tied_keys(n, 3), direction, "three values")
    }
}

fn check_lengths<K: Key, P: Payload>(payload: bool) {
    for target in target::targets().iter().filter(|target| !target.is_slow()) {
        let width = if payload { P::PAYLOAD_WIDTH } else { PayloadWidth::None };
        let shape = target.shape(K::WIDTH, width);
        let mut lengths = short_lengths(target, shape.tile as usize);
        lengths.extend(boundaries(&shape, if target.is_cuda() { 1 << 22 } else { 26_000 }));
        if !target.is_cuda() {
            // From where passes merge more than two runs on.
            let from = shape.kway_from as usize;
            lengths.extend(from..=from + shape.kway_tile as usize + 1);
        }
        for n in lengths {
            let case = case::<K>(n);
            if payload {
                case.check_pairs::<P>(target);
            } else {
                case.check_sort(target);
            }
        }
    }
}

#[test]
fn keys_of_8_bits() {
    check_lengths::<u8, u32>(false);
}

#[test]
fn keys_of_8_bits_with_32() {
    check_lengths::<i8, u32>(true);
}

#[test]
fn keys_of_8_bits_with_64() {
    check_lengths::<u8, u64>(true);
}

#[test]
fn keys_of_16_bits() {
    check_lengths::<i16, u32>(false);
}

#[test]
fn keys_of_16_bits_with_32() {
    check_lengths::<f16, u32>(true);
}

#[test]
fn keys_of_16_bits_with_64() {
    check_lengths::<bf16, u64>(true);
}

#[test]
fn keys_of_32_bits() {
    check_lengths::<u32, u32>(false);
}

#[test]
fn keys_of_32_bits_with_32() {
    check_lengths::<f32, u32>(true);
}

#[test]
fn keys_of_32_bits_with_64() {
    check_lengths::<i32, u64>(true);
}

#[test]
fn keys_of_64_bits() {
    check_lengths::<i64, u32>(false);
}

#[test]
fn keys_of_64_bits_with_32() {
    check_lengths::<u64, u32>(true);
}

#[test]
fn keys_of_64_bits_with_64() {
    check_lengths::<f64, u64>(true);
}

#[test]
fn keys_of_128_bits() {
    check_lengths::<u128, u32>(false);
}

#[test]
fn keys_of_128_bits_with_32() {
    check_lengths::<i128, u32>(true);
}

#[test]
fn keys_of_128_bits_with_64() {
    check_lengths::<u128, u64>(true);
}

/// The GPU's tiles on the emulator, which is slow there: the boundaries of one tile.
#[test]
fn full_tiles() {
    for target in target::targets().iter().filter(|target| target.is_slow()) {
        let shape = target.shape(u32::WIDTH, PayloadWidth::None);
        for n in boundaries(&shape, shape.tile as usize + 1) {
            case::<u32>(n).check_sort(target);
            case::<u64>(n).check_pairs::<u32>(target);
        }
    }
}

/// The same boundaries in memory between guard words: no kernel writes outside its arrays.
fn check_guarded<K: Key>(payload: bool) {
    for target in target::kernel_targets() {
        let shape = target.shape(K::WIDTH, if payload { PayloadWidth::W64 } else { PayloadWidth::None });
        let limit = match (target.is_slow(), target.is_cuda()) {
            (true, _) => 1,
            (_, true) => 1 << 18,
            _ => 3200,
        };
        let mut lengths = boundaries(&shape, limit);
        lengths.extend([0, 1, 2, 97, 100, 193, 289, 385]);
        for n in lengths {
            let case = case::<K>(n);
            for route in [Route::TwoWay, Route::Kway] {
                if payload {
                    planned::check::<K, u64>(target, &case, route, Carried::Payloads);
                    planned::check::<K, u32>(target, &case, route, Carried::Positions);
                } else {
                    planned::check::<K, u32>(target, &case, route, Carried::Nothing);
                }
            }
        }
    }
}

#[test]
fn nothing_is_written_outside() {
    check_guarded::<u8>(false);
    check_guarded::<i16>(false);
    check_guarded::<u32>(false);
    check_guarded::<u64>(false);
    check_guarded::<i128>(false);
}

#[test]
fn nothing_is_written_outside_with_payloads() {
    check_guarded::<i8>(true);
    check_guarded::<bf16>(true);
    check_guarded::<f32>(true);
    check_guarded::<f64>(true);
    check_guarded::<u128>(true);
}
