//! Passes merged by an engine of McGridsort.
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::key::{KeyWidth, PayloadWidth, key_bytes, payload_bytes};
use gridsort_kernels::simt::{Arg, Kernel};

/// The kernels of an engine's passes.
#[derive(Clone, Copy)]
pub(super) struct GridKernels {
    /// Merges pieces.
    pub(super) merge: &'static Kernel,
    /// Lays them out.
    pub(super) pieces: &'static Kernel,
}

/// The kernels of an engine for keys and payloads of these widths; `None` for the tile merge, which needs none of its own.
///
/// # Errors
/// [`Error::EngineWidths`] where there are none, [`Error::FeatureOff`] where they are not in this build.
pub(super) fn grid_kernels(engine: Engine, key: KeyWidth, payload: PayloadWidth) -> Result<Option<GridKernels>> {
    if engine == Engine::Tile {
        return Ok(None);
    }
    let none = Error::EngineWidths {
        engine: engine.name(),
        key_bits: 8 * key_bytes(key),
        payload_bits: 8 * payload_bytes(payload),
    };
    if engine.takes(key, payload) { kernels(engine, key, payload)?.map(Some).ok_or(none) } else { Err(none) }
}

#[cfg(feature = "grid")]
fn kernels(engine: Engine, key: KeyWidth, payload: PayloadWidth) -> Result<Option<GridKernels>> {
    use gridsort_kernels::entry::grid::{grid_kernel, grid_pieces};
    let merge = engine.grid().and_then(|engine| grid_kernel(engine, key, payload));
    Ok(merge.map(|merge| GridKernels { merge, pieces: &grid_pieces }))
}

#[cfg(not(feature = "grid"))]
fn kernels(engine: Engine, _: KeyWidth, _: PayloadWidth) -> Result<Option<GridKernels>> {
    Err(Error::FeatureOff { what: engine.name(), feature: "grid" })
}

/// Where the words lie that say what the pieces of a pass are: behind its cuts.
pub(super) struct Layout {
    pub(super) begins: Arg,
    pub(super) ends: Arg,
    pub(super) outputs: Arg,
}

impl Layout {
    /// Of `pieces` pieces of `runs` runs, behind `boundaries` rows of cuts at `cuts`.
    pub(super) fn new(cuts: u64, boundaries: u64, pieces: u32, runs: u32) -> Self {
        let words = |rows: u64| rows * u64::from(runs) * size_of::<u64>() as u64;
        let begins = cuts + words(boundaries);
        let ends = begins + words(pieces.into());
        let outputs = ends + words(pieces.into());
        Layout { begins: Arg::Address(begins), ends: Arg::Address(ends), outputs: Arg::Address(outputs) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_engines_of_mcgridsort_have_kernels_of_their_own() {
        assert!(matches!(grid_kernels(Engine::Tile, KeyWidth::W128, PayloadWidth::W64), Ok(None)));
        let wide = grid_kernels(Engine::Ti16, KeyWidth::W128, PayloadWidth::None);
        assert!(matches!(wide, Err(Error::EngineWidths { engine: "ti16", key_bits: 128, payload_bits: 0 })));
    }

    #[cfg(feature = "grid")]
    #[test]
    fn there_are_kernels_where_an_engine_says_so() {
        for engine in Engine::ALL.into_iter().filter(|&engine| engine != Engine::Tile) {
            for key in [KeyWidth::W8, KeyWidth::W16, KeyWidth::W32, KeyWidth::W64, KeyWidth::W128] {
                for payload in [PayloadWidth::None, PayloadWidth::W32, PayloadWidth::W64] {
                    let found = kernels(engine, key, payload).unwrap().is_some();
                    assert_eq!(found, engine.takes(key, payload), "{engine}, {key:?}, {payload:?}");
                }
            }
        }
    }

    #[cfg(not(feature = "grid"))]
    #[test]
    fn without_the_feature_its_name_is_said_and_nothing_moved() {
        use crate::device::Device;
        use crate::options::{Algorithm, SortOptions};
        let options = |engine| SortOptions::new().algorithm(Algorithm::Grid(engine));
        let mut keys = [3u32, 1, 2];
        let error = Device::emulator().sort(&mut keys, options(Engine::Ti16)).unwrap_err();
        assert!(matches!(error, Error::FeatureOff { what: "ti16", feature: "grid" }));
        assert!(error.to_string().contains("`grid`"), "{error}");
        assert_eq!(keys, [3, 1, 2]);
        Device::emulator().sort(&mut keys, options(Engine::Tile)).unwrap();
        assert_eq!(keys, [1, 2, 3]);
    }
}
