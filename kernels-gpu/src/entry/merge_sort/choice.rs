//! Which of the merge sort's kernels serve keys and payloads of which width.
use super::*;
use crate::entry::KeyWidth;
use crate::simt::Kernel;
use crate::tuning::TwoWayTuning;

/// The width of what travels with a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PayloadWidth {
    /// Nothing does.
    None,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
}

/// Which tiles kernels have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Tiles {
    /// Those tuned for GPUs.
    #[default]
    Full,
    /// Tiny ones, on the emulator only: a few hundred keys reach many tiles and several passes. Without the feature
    /// `small-tiles`, which tests turn on, these are the full ones.
    Small,
}

/// The merge sort's kernels for one key and payload width.
#[derive(Clone, Copy, Debug)]
pub struct MergeSortKernels {
    /// Sorts tiles.
    pub tile_sort: &'static Kernel,
    /// Sorts one smaller tile.
    pub small_sort: &'static Kernel,
    /// Merges neighbouring runs of one array.
    pub merge_pass: &'static Kernel,
    /// Merges two arrays.
    pub merge_runs: &'static Kernel,
    /// Finds the cuts of a large merge of two arrays beforehand.
    pub merge_cuts: &'static Kernel,
    /// Tiles of the output from which on it does.
    pub merge_cuts_from: u64,
    /// Keys that a block of `tile_sort` sorts.
    pub tile: u32,
    /// Keys that `small_sort` can sort.
    pub small_tile: u32,
    /// Keys that a block of `merge_pass` merges; divides `tile`.
    pub merge_tile: u32,
    /// Keys that a block of `merge_runs` merges.
    pub runs_tile: u32,
}

/// The merge sort's kernels for keys and payloads of these widths.
pub fn merge_sort_kernels(width: KeyWidth, payload: PayloadWidth, tiles: Tiles) -> MergeSortKernels {
    use KeyWidth as K;
    use PayloadWidth as P;
    let (list, tuning): (&'static [&'static Kernel], TwoWayTuning) = match (tiles, width, payload) {
        (Tiles::Full, K::W8, P::None) => (KEYS_8, tuning::TWO_WAY_32),
        (Tiles::Full, K::W8, P::W32) => (PAIRS_8_32, tuning::TWO_WAY_PAIRS),
        (Tiles::Full, K::W8, P::W64) => (PAIRS_8_64, tuning::TWO_WAY_PAIRS),
        (Tiles::Full, K::W16, P::None) => (KEYS_16, tuning::TWO_WAY_32),
        (Tiles::Full, K::W16, P::W32) => (PAIRS_16_32, tuning::TWO_WAY_PAIRS),
        (Tiles::Full, K::W16, P::W64) => (PAIRS_16_64, tuning::TWO_WAY_PAIRS),
        (Tiles::Full, K::W32, P::None) => (KEYS_32, tuning::TWO_WAY_32),
        (Tiles::Full, K::W32, P::W32) => (PAIRS_32_32, tuning::TWO_WAY_PAIRS),
        (Tiles::Full, K::W32, P::W64) => (PAIRS_32_64, tuning::TWO_WAY_PAIRS),
        (Tiles::Full, K::W64, P::None) => (KEYS_64, tuning::TWO_WAY_64),
        (Tiles::Full, K::W64, P::W32) => (PAIRS_64_32, tuning::TWO_WAY_PAIRS),
        (Tiles::Full, K::W64, P::W64) => (PAIRS_64_64, tuning::TWO_WAY_PAIRS),
        (Tiles::Full, K::W128, P::None) => (KEYS_128, tuning::TWO_WAY_128),
        (Tiles::Full, K::W128, P::W32) => (PAIRS_128_32, tuning::TWO_WAY_128),
        (Tiles::Full, K::W128, P::W64) => (PAIRS_128_64, tuning::TWO_WAY_128),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W8, P::None) => (small::KEYS_8, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W8, P::W32) => (small::PAIRS_8_32, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W8, P::W64) => (small::PAIRS_8_64, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W16, P::None) => (small::KEYS_16, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W16, P::W32) => (small::PAIRS_16_32, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W16, P::W64) => (small::PAIRS_16_64, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W32, P::None) => (small::KEYS_32, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W32, P::W32) => (small::PAIRS_32_32, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W32, P::W64) => (small::PAIRS_32_64, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W64, P::None) => (small::KEYS_64, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W64, P::W32) => (small::PAIRS_64_32, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W64, P::W64) => (small::PAIRS_64_64, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W128, P::None) => (small::KEYS_128, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W128, P::W32) => (small::PAIRS_128_32, tuning::TWO_WAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W128, P::W64) => (small::PAIRS_128_64, tuning::TWO_WAY_SMALL),
        #[cfg(not(feature = "small-tiles"))]
        (Tiles::Small, ..) => return merge_sort_kernels(width, payload, Tiles::Full),
    };
    let merge_cuts = match payload {
        P::None => list[4],
        _ => merge_sort_kernels(width, P::None, tiles).merge_cuts,
    };
    MergeSortKernels {
        merge_cuts,
        merge_cuts_from: if tiles == Tiles::Small { tuning::MERGE_CUTS_FROM_SMALL } else { tuning::MERGE_CUTS_FROM },
        tile_sort: list[0],
        small_sort: list[1],
        merge_pass: list[2],
        merge_runs: list[3],
        tile: tuning.sort.tile(),
        small_tile: tuning.small.tile(),
        merge_tile: tuning.merge_tile,
        runs_tile: tuning.runs.tile(),
    }
}
