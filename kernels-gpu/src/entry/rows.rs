//! The kernels that sort rows which fit a warp or a block, for keys of 32 and 64 bits. Rows of other keys, and wider ones, are
//! sorted by the merge sort's kernels. For keys of 128 bits there are those by blocks that a sample sort's buckets need.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::Tiles;
use crate::order::Key;
use crate::rows::{Carried, Matrix, block, warp};
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::sample::tables::CLASSES;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tile::payload::{Keys, Pairs};
use crate::tile::warp_sort::slots;
use crate::tuning;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::{ROW_BLOCKS, ROW_WARPS, RowTuning, SampleTuning, TileShape};

/// A sort of rows by a block: by threads, or by warps.
macro_rules! by_block {
    (threads, $k:ty, $p:ty, $shape:expr, $matrix:expr, $carried:expr, $load:ident, $store:ident) => {
        block::sort_rows::<$k, $p, { $shape.threads }, { $shape.items as usize }>(
            $matrix,
            $carried,
            <$k as Key>::codec($load),
            <$k as Key>::codec($store),
        )
    };
    (warps, $k:ty, $p:ty, $shape:expr, $matrix:expr, $carried:expr, $load:ident, $store:ident) => {
        block::sort_rows_by_warps::<
            $k,
            $p,
            { $shape.threads },
            { $shape.items as usize },
            { slots($shape.items) as usize },
        >($matrix, $carried, <$k as Key>::codec($load), <$k as Key>::codec($store))
    };
    (barriers threads, $barriers:literal) => {
        $barriers
    };
    // It has no barrier behind a row, for no other follows.
    (barriers warps, $barriers:literal) => {
        $barriers - 1
    };
    (slots threads, $shape:expr) => {
        $shape.tile()
    };
    (slots warps, $shape:expr) => {
        $shape.threads * slots($shape.items)
    };
}

/// The kernels for keys of one width that carry `$p`. Barriers: a row by a warp has none of the block's; one by a block has two
/// in its rounds, one before it is written and one behind that; where keys carry something, one more for the tags and one for
/// each width of a payload.
macro_rules! rows {
    ($list:ident, $k:ty, $p:ty, $tuning:expr, $module:literal, $barriers:literal, [$($w:literal $by_warp:ident),*], [$($b:literal $by:ident $by_block:ident),* $(,)?]) => {
        crate::kernels! {
            /// Kernels for keys of one width.
            $list:
            $(
                /// [`warp::sort_rows`].
                fn $by_warp(src: Global<$k>, dst: Global<$k>, payload_src: Global<u32>, payload_dst: Global<u32>, carried: u32, rows: u64, columns: u32, src_stride: u64, dst_stride: u64, list: Global<u64>, listed: Global<u32>, lanes: u32, load: u32, store: u32)
                    [module: $module, threads: $tuning.warps[$w].threads, min_blocks: 0, barriers: 0, shared_bytes: warp::shared_bytes::<$k, $p>($tuning.warps[$w].threads, $tuning.warps[$w].items)]
                    = warp::sort_rows::<$k, $p, { $tuning.warps[$w].threads }, { $tuning.warps[$w].items as usize }, { slots($tuning.warps[$w].items) as usize }>(
                        Matrix { src, dst, rows, columns, src_stride, dst_stride, list, listed },
                        Carried { kind: carried, src: payload_src, dst: payload_dst },
                        lanes,
                        <$k as Key>::codec(load),
                        <$k as Key>::codec(store),
                    );
            )*
            $(
                /// A row to a block.
                fn $by_block(src: Global<$k>, dst: Global<$k>, payload_src: Global<u32>, payload_dst: Global<u32>, carried: u32, rows: u64, columns: u32, src_stride: u64, dst_stride: u64, list: Global<u64>, listed: Global<u32>, load: u32, store: u32)
                    [module: $module, threads: $tuning.blocks[$b].threads, min_blocks: $tuning.min_blocks[$b], barriers: by_block!(barriers $by, $barriers), shared_bytes: block::shared_bytes::<$k, $p>(by_block!(slots $by, $tuning.blocks[$b]))]
                    = by_block!($by, $k, $p, $tuning.blocks[$b],
                        Matrix { src, dst, rows, columns, src_stride, dst_stride, list, listed },
                        Carried { kind: carried, src: payload_src, dst: payload_dst },
                        load, store);
            )*
        }
    };
}
rows!(KEYS_32, u32, Keys, tuning::ROWS_32, "rows_32", 4,
    [0 rows_warp_32_a, 1 rows_warp_32_b, 2 rows_warp_32_c],
    [0 threads rows_block_32_a, 1 threads rows_block_32_b, 2 threads rows_block_32_c, 3 threads rows_block_32_d, 4 threads rows_block_32_e, 5 threads rows_block_32_f, 6 threads rows_block_32_g, 7 warps rows_block_32_h, 8 threads rows_block_32_i, 9 warps rows_block_32_j]);
rows!(PAIRS_32, u32, Pairs<u32>, tuning::ROWS_PAIRS_32, "rows_32_pairs", 7,
    [0 rows_warp_32_pairs_a, 1 rows_warp_32_pairs_b, 2 rows_warp_32_pairs_c],
    [0 threads rows_block_32_pairs_a, 1 threads rows_block_32_pairs_b, 2 threads rows_block_32_pairs_c, 3 threads rows_block_32_pairs_d, 4 threads rows_block_32_pairs_e, 5 threads rows_block_32_pairs_f, 6 threads rows_block_32_pairs_g, 7 threads rows_block_32_pairs_h, 8 threads rows_block_32_pairs_i, 9 threads rows_block_32_pairs_j]);
rows!(KEYS_64, u64, Keys, tuning::ROWS_64, "rows_64", 4,
    [0 rows_warp_64_a, 1 rows_warp_64_b, 2 rows_warp_64_c],
    [0 threads rows_block_64_a, 1 threads rows_block_64_b, 2 threads rows_block_64_c, 3 threads rows_block_64_d, 4 threads rows_block_64_e, 5 threads rows_block_64_f, 6 threads rows_block_64_g, 7 threads rows_block_64_h, 8 threads rows_block_64_i, 9 threads rows_block_64_j]);
rows!(PAIRS_64, u64, Pairs<u32>, tuning::ROWS_PAIRS_64, "rows_64_pairs", 7,
    [0 rows_warp_64_pairs_a, 1 rows_warp_64_pairs_b, 2 rows_warp_64_pairs_c],
    [0 threads rows_block_64_pairs_a, 1 threads rows_block_64_pairs_b, 2 threads rows_block_64_pairs_c, 3 threads rows_block_64_pairs_d, 4 threads rows_block_64_pairs_e, 5 threads rows_block_64_pairs_f, 6 threads rows_block_64_pairs_g, 7 threads rows_block_64_pairs_h, 8 threads rows_block_64_pairs_i, 9 threads rows_block_64_pairs_j]);
rows!(BUCKETS_128, u128, Keys, tuning::BUCKETS_128, "rows_128", 4, [],
    [0 threads bucket_128_a, 1 threads bucket_128_b, 2 threads bucket_128_c, 3 threads bucket_128_d, 4 threads bucket_128_e, 5 threads bucket_128_f, 6 threads bucket_128_g, 7 threads bucket_128_h]);

/// The same kernels with tiny rows, for tests on the emulator.
#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small {
    use super::*;
    rows!(KEYS_32, u32, Keys, tuning::ROWS_SMALL, "rows_32", 4,
        [0 small_rows_warp_32_a, 1 small_rows_warp_32_b, 2 small_rows_warp_32_c],
        [0 threads small_rows_block_32_a, 1 threads small_rows_block_32_b, 2 threads small_rows_block_32_c, 3 threads small_rows_block_32_d, 4 threads small_rows_block_32_e, 5 threads small_rows_block_32_f, 6 threads small_rows_block_32_g, 7 warps small_rows_block_32_h, 8 threads small_rows_block_32_i, 9 warps small_rows_block_32_j]);
    rows!(PAIRS_32, u32, Pairs<u32>, tuning::ROWS_SMALL_BY_THREADS, "rows_32_pairs", 7,
        [0 small_rows_warp_32_pairs_a, 1 small_rows_warp_32_pairs_b, 2 small_rows_warp_32_pairs_c],
        [0 threads small_rows_block_32_pairs_a, 1 threads small_rows_block_32_pairs_b, 2 threads small_rows_block_32_pairs_c, 3 threads small_rows_block_32_pairs_d, 4 threads small_rows_block_32_pairs_e, 5 threads small_rows_block_32_pairs_f, 6 threads small_rows_block_32_pairs_g, 7 threads small_rows_block_32_pairs_h, 8 threads small_rows_block_32_pairs_i, 9 threads small_rows_block_32_pairs_j]);
    rows!(KEYS_64, u64, Keys, tuning::ROWS_SMALL_BY_THREADS, "rows_64", 4,
        [0 small_rows_warp_64_a, 1 small_rows_warp_64_b, 2 small_rows_warp_64_c],
        [0 threads small_rows_block_64_a, 1 threads small_rows_block_64_b, 2 threads small_rows_block_64_c, 3 threads small_rows_block_64_d, 4 threads small_rows_block_64_e, 5 threads small_rows_block_64_f, 6 threads small_rows_block_64_g, 7 threads small_rows_block_64_h, 8 threads small_rows_block_64_i, 9 threads small_rows_block_64_j]);
    rows!(PAIRS_64, u64, Pairs<u32>, tuning::ROWS_SMALL_BY_THREADS, "rows_64_pairs", 7,
        [0 small_rows_warp_64_pairs_a, 1 small_rows_warp_64_pairs_b, 2 small_rows_warp_64_pairs_c],
        [0 threads small_rows_block_64_pairs_a, 1 threads small_rows_block_64_pairs_b, 2 threads small_rows_block_64_pairs_c, 3 threads small_rows_block_64_pairs_d, 4 threads small_rows_block_64_pairs_e, 5 threads small_rows_block_64_pairs_f, 6 threads small_rows_block_64_pairs_g, 7 threads small_rows_block_64_pairs_h, 8 threads small_rows_block_64_pairs_i, 9 threads small_rows_block_64_pairs_j]);
    rows!(BUCKETS_128, u128, Keys, tuning::BUCKETS_SMALL, "rows_128", 4, [],
        [0 threads small_bucket_128_a, 1 threads small_bucket_128_b, 2 threads small_bucket_128_c, 3 threads small_bucket_128_d, 4 threads small_bucket_128_e, 5 threads small_bucket_128_f, 6 threads small_bucket_128_g, 7 threads small_bucket_128_h]);
}

/// The lists of kernels in the PTX.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> impl Iterator<Item = &'static [&'static Kernel]> {
    [KEYS_32, PAIRS_32, KEYS_64, PAIRS_64, BUCKETS_128].into_iter()
}

/// The kernels that sort rows of keys of one width.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct RowKernels {
    /// A few lanes to a row, ascending.
    pub warps: [&'static Kernel; ROW_WARPS],
    /// A block to a row, ascending.
    pub blocks: [&'static Kernel; ROW_BLOCKS],
    /// Their shapes.
    pub tuning: RowTuning,
}

/// The kernels that sort rows of keys of this width, which carry something or not; `None` where there are none.
#[cfg(not(target_arch = "nvptx64"))]
pub fn row_kernels(width: KeyWidth, carry: bool, tiles: Tiles) -> Option<RowKernels> {
    use KeyWidth as K;
    let (list, tuning) = match (tiles, width, carry) {
        (Tiles::Full, K::W32, false) => (KEYS_32, tuning::ROWS_32),
        (Tiles::Full, K::W32, true) => (PAIRS_32, tuning::ROWS_PAIRS_32),
        (Tiles::Full, K::W64, false) => (KEYS_64, tuning::ROWS_64),
        (Tiles::Full, K::W64, true) => (PAIRS_64, tuning::ROWS_PAIRS_64),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W32, false) => (small::KEYS_32, tuning::ROWS_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W32, true) => (small::PAIRS_32, tuning::ROWS_SMALL_BY_THREADS),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W64, false) => (small::KEYS_64, tuning::ROWS_SMALL_BY_THREADS),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W64, true) => (small::PAIRS_64, tuning::ROWS_SMALL_BY_THREADS),
        #[cfg(not(feature = "small-tiles"))]
        (Tiles::Small, K::W32 | K::W64, _) => return row_kernels(width, carry, Tiles::Full),
        _ => return None,
    };
    let warps = core::array::from_fn(|i| list[i]);
    Some(RowKernels { warps, blocks: core::array::from_fn(|i| list[ROW_WARPS + i]), tuning })
}

/// The kernels that sort a sample sort's buckets, one for each class, of keys of this width, which carry something or not.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn bucket_kernels(
    width: KeyWidth,
    carry: bool,
    tiles: Tiles,
    tuning: &SampleTuning,
) -> Option<[&'static Kernel; CLASSES as usize]> {
    let list = match (tiles, width) {
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, KeyWidth::W128) => small::BUCKETS_128,
        (_, KeyWidth::W128) => BUCKETS_128,
        _ => {
            let rows = row_kernels(width, carry, tiles)?;
            // The narrowest that takes as many. Those by warps, of an even number of items, take no further rows of a list.
            let takes = |shape: TileShape| {
                rows.tuning.blocks.iter().position(|block| block.items % 2 == 1 && block.tile() >= shape.tile())
            };
            let mut kernels = [rows.blocks[0]; CLASSES as usize];
            for (kernel, &shape) in kernels.iter_mut().zip(&tuning.classes) {
                *kernel = rows.blocks[takes(shape)?];
            }
            return Some(kernels);
        }
    };
    list.try_into().ok()
}
