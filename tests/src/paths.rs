//! Every path that a sort can take: one tile; several passes that merge two runs; several that merge more.
use crate::planned::{self, Route};
use crate::{Case, Target, targets};
use gridsort::plan::Shape;
use gridsort::{Direction, Key, Payload};
use std::fmt;

/// Lengths that reach each path: a tile that is not full, a full one and a key, and enough tiles for several passes, by
/// two runs and by more.
pub fn lengths(shape: &Shape) -> [usize; 4] {
    let (tile, kway_tile) = (shape.tile as usize, shape.kway_tile as usize);
    // Six tiles are three passes by two, eighteen are two by eight and four.
    [tile - 1, tile + 1, 5 * tile + 3, 17 * kway_tile + 5]
}

/// Sorts keys that `make` gives for a length, in all ways and on all devices: as the library does, and kernel by kernel
/// by both routes. Keys alone, with payloads of type `P`, and as an argsort.
///
/// # Panics
/// Where a result is not the stable order, or something was written outside the arrays.
pub fn check<K: Key, P: Payload>(name: impl fmt::Display, directions: &[Direction], make: impl Fn(usize) -> Vec<K>) {
    for target in targets() {
        let lengths = lengths(&target.shape(K::WIDTH, P::PAYLOAD_WIDTH));
        for n in lengths.into_iter().filter(|n| !target.is_slow() || *n < 6000) {
            for &direction in directions {
                check_case::<K, P>(target, &Case::new(make(n), direction, &name));
            }
        }
    }
}

/// One case, in all ways on one device.
///
/// # Panics
/// As [`check`].
pub fn check_case<K: Key, P: Payload>(target: &Target, case: &Case<K>) {
    case.check_sort(target);
    case.check_pairs::<P>(target);
    if !target.is_slow() {
        case.check_argsort(target);
    }
    for route in [Route::TwoWay, Route::Kway] {
        planned::check::<K, P>(target, case, route, planned::Carried::Nothing);
        planned::check::<K, P>(target, case, route, planned::Carried::Payloads);
    }
    planned::check::<K, u32>(target, case, Route::Kway, planned::Carried::Positions);
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridsort::plan::{Merge, merge_sort};
    use gridsort::{KeyWidth, PayloadWidth, Tiles};

    #[test]
    fn the_lengths_take_the_paths() {
        for width in [KeyWidth::W8, KeyWidth::W16, KeyWidth::W32, KeyWidth::W64, KeyWidth::W128] {
            for payload in [PayloadWidth::None, PayloadWidth::W32, PayloadWidth::W64] {
                for tiles in [Tiles::Small, Tiles::Full] {
                    let shape = Shape::of(width, payload, tiles);
                    let plans = |kway_from| {
                        lengths(&shape).map(|n| merge_sort(n as u64, &Shape { kway_from, ..shape }).unwrap().passes)
                    };
                    let [short, full, several, _] = plans(u64::MAX);
                    assert_eq!((short.len(), full.len(), several.len()), (0, 1, 3), "{shape:?}");
                    let [.., several] = plans(0);
                    let runs = |merge| if let Merge::Kway { runs, .. } = merge { runs } else { 2 };
                    let runs: Vec<u32> = several.iter().map(|pass| runs(pass.merge)).collect();
                    assert!(runs.len() > 1 && runs.iter().all(|&runs| runs > 2), "{shape:?}: {runs:?}");
                }
            }
        }
    }
}
