//! The kernels that look things up in sorted data, for each key width.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::Tiles;
use crate::order::Key;
use crate::search::Integers;
use crate::search::bounds::find_bounds;
#[cfg(not(target_arch = "nvptx64"))]
use crate::search::bounds::shared_bytes;
use crate::search::runs::{count_heads, scan_tiles, write_runs};
#[cfg(not(target_arch = "nvptx64"))]
use crate::search::runs::{count_shared_bytes, scan_shared_bytes, write_shared_bytes};
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tuning::{self, SearchTuning};

/// The kernel that all widths share. Barriers: one in the sum, one behind it.
macro_rules! scan {
    ($list:ident, $name:ident, $tuning:expr, $module:literal) => {
        crate::kernels! {
            /// The sum over tiles.
            $list:
            /// [`scan_tiles`].
            fn $name(counts: Global<u64>, lasts: Global<u64>, tiles: u64, total: Global<u64>)
                [module: $module, threads: $tuning.scan.threads, min_blocks: 0, barriers: 2, shared_bytes: scan_shared_bytes($tuning.scan.threads)]
                = scan_tiles::<{ $tuning.scan.threads }, { $tuning.scan.items as usize }>(counts, lasts, tiles, total);
        }
    };
}

/// The kernels for keys of one width. Barriers: one behind the pivots; one behind the counts of warps, and one in their sum.
macro_rules! search {
    ($list:ident, $k:ty, $tuning:expr, $bounds_module:literal, $runs_module:literal, $find:ident, $count:ident, $write:ident) => {
        crate::kernels! {
            /// Kernels for keys of one width.
            $list:
            /// [`find_bounds`] of queries.
            fn $find(data: Global<$k>, n: u64, queries: Global<$k>, m: u64, positions: Global<u32>, wide: u32, upper: u32, codec: u32)
                [module: $bounds_module, threads: $tuning.bounds.threads, min_blocks: 0, barriers: 1, shared_bytes: shared_bytes::<$k>($tuning.pivot_bits)]
                = find_bounds::<$k, { $tuning.bounds.threads }, { $tuning.bounds.items as usize }, { $tuning.pivot_bits }>(
                    data, n, queries, m, Integers::new(positions, wide), upper, <$k as Key>::codec(codec),
                );
            /// [`count_heads`] of tiles.
            fn $count(keys: Global<$k>, n: u64, counts: Global<u64>, lasts: Global<u64>)
                [module: $runs_module, threads: $tuning.runs.threads, min_blocks: 0, barriers: 1, shared_bytes: count_shared_bytes($tuning.runs.threads)]
                = count_heads::<$k, { $tuning.runs.threads }, { $tuning.runs.items as usize }>(keys, n, counts, lasts);
            /// [`write_runs`] of tiles.
            fn $write(keys: Global<$k>, n: u64, ranks: Global<u64>, lasts: Global<u64>, out: Global<$k>, lengths: Global<u32>, wide: u32)
                [module: $runs_module, threads: $tuning.runs.threads, min_blocks: 0, barriers: 1, shared_bytes: write_shared_bytes($tuning.runs.threads)]
                = write_runs::<$k, { $tuning.runs.threads }, { $tuning.runs.items as usize }>(
                    keys, n, ranks, lasts, out, Integers::new(lengths, wide),
                );
        }
    };
}

scan!(SCAN, scan_run_tiles, tuning::SEARCH, "runs");
search!(KEYS_8, u8, tuning::SEARCH, "bounds_8", "runs_8", find_bounds_8, count_heads_8, write_runs_8);
search!(KEYS_16, u16, tuning::SEARCH, "bounds_16", "runs_16", find_bounds_16, count_heads_16, write_runs_16);
search!(KEYS_32, u32, tuning::SEARCH, "bounds_32", "runs_32", find_bounds_32, count_heads_32, write_runs_32);
search!(KEYS_64, u64, tuning::SEARCH, "bounds_64", "runs_64", find_bounds_64, count_heads_64, write_runs_64);
search!(KEYS_128, u128, tuning::SEARCH_128, "bounds_128", "runs_128", find_bounds_128, count_heads_128, write_runs_128);

#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small {
    //! The same kernels with tiny tiles, for tests on the emulator. They are in no PTX.
    use super::*;

    scan!(SCAN, small_scan_run_tiles, tuning::SEARCH_SMALL, "small");
    macro_rules! small {
        ($($list:ident $k:ty, $find:ident $count:ident $write:ident;)*) => { $(
            search!($list, $k, tuning::SEARCH_SMALL, "small", "small", $find, $count, $write);
        )* };
    }
    small! {
        KEYS_8 u8, small_find_bounds_8 small_count_heads_8 small_write_runs_8;
        KEYS_16 u16, small_find_bounds_16 small_count_heads_16 small_write_runs_16;
        KEYS_32 u32, small_find_bounds_32 small_count_heads_32 small_write_runs_32;
        KEYS_64 u64, small_find_bounds_64 small_count_heads_64 small_write_runs_64;
        KEYS_128 u128, small_find_bounds_128 small_count_heads_128 small_write_runs_128;
    }
}

/// The kernels that look things up in sorted data of one key width.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct SearchKernels {
    /// Finds lower or upper bounds.
    pub find: &'static Kernel,
    /// Counts the runs that begin in each tile.
    pub count: &'static Kernel,
    /// Turns counts into places.
    pub scan: &'static Kernel,
    /// Writes runs.
    pub write: &'static Kernel,
    /// Their shapes.
    pub tuning: SearchTuning,
}

/// The kernels that look things up in sorted data of this width.
#[cfg(not(target_arch = "nvptx64"))]
pub fn search_kernels(width: KeyWidth, tiles: Tiles) -> SearchKernels {
    let of = |list: &'static [&'static Kernel], scan: &'static [&'static Kernel], tuning| SearchKernels {
        find: list[0],
        count: list[1],
        write: list[2],
        scan: scan[0],
        tuning,
    };
    #[cfg(feature = "small-tiles")]
    if tiles == Tiles::Small {
        let list = match width {
            KeyWidth::W8 => small::KEYS_8,
            KeyWidth::W16 => small::KEYS_16,
            KeyWidth::W32 => small::KEYS_32,
            KeyWidth::W64 => small::KEYS_64,
            KeyWidth::W128 => small::KEYS_128,
        };
        return of(list, small::SCAN, tuning::SEARCH_SMALL);
    }
    let _ = tiles;
    match width {
        KeyWidth::W8 => of(KEYS_8, SCAN, tuning::SEARCH),
        KeyWidth::W16 => of(KEYS_16, SCAN, tuning::SEARCH),
        KeyWidth::W32 => of(KEYS_32, SCAN, tuning::SEARCH),
        KeyWidth::W64 => of(KEYS_64, SCAN, tuning::SEARCH),
        KeyWidth::W128 => of(KEYS_128, SCAN, tuning::SEARCH_128),
    }
}

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 6] {
    [SCAN, KEYS_8, KEYS_16, KEYS_32, KEYS_64, KEYS_128]
}
