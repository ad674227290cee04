//! The merge sort's kernels: for each key width alone, with a 4-byte and with an 8-byte payload, two tile sorts, the merge
//! pass, and the merge of two arrays.
use crate::batch::Batch;
use crate::guard::Guard;
use crate::merge::pass::merge_pass;
#[cfg(not(target_arch = "nvptx64"))]
use crate::merge::piece;
use crate::merge::piece::{Source, Target};
use crate::merge::runs::{merge_cuts, merge_runs};
#[cfg(not(target_arch = "nvptx64"))]
use crate::merge::tile_sort;
use crate::merge::tile_sort::tile_sort_by_warps;
use crate::order::Key;
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tile::payload::{Keys, Pairs};
use crate::tile::warp_sort::slots;
use crate::tuning;

/// The kernels for keys alone. Barriers: a tile sort has two in its rounds and one before it writes out; a merge
/// has four, after the cuts, the staging, the merging and the writing back.
macro_rules! keys {
    ($list:ident, $k:ty, $tuning:expr, $module:literal, $sort:ident, $small:ident, $pass:ident, $cuts:ident, $runs:ident) => {
        crate::kernels! {
            /// Kernels for keys alone.
            $list:
            /// [`tile_sort_by_warps`] of keys.
            fn $sort(src: Global<$k>, dst: Global<$k>, n: u64, load: u32, store: u32, units: u32, src_stride: u64, dst_stride: u64, table: Global<u64>)
                [module: $module, threads: $tuning.sort.threads, min_blocks: 0, barriers: 3, shared_bytes: tile_sort::shared_bytes::<$k, Keys>($tuning.sort.threads * slots($tuning.sort.items))]
                = tile_sort_by_warps::<$k, Keys, { $tuning.sort.threads }, { $tuning.sort.items as usize }, { slots($tuning.sort.items) as usize }>(
                    src, dst, Global::null(), Global::null(), n, Batch::new(units, src_stride, dst_stride, table),
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                );
            /// [`tile_sort_by_warps`] of keys that fit a smaller tile.
            fn $small(src: Global<$k>, dst: Global<$k>, n: u64, load: u32, store: u32, units: u32, src_stride: u64, dst_stride: u64, table: Global<u64>)
                [module: $module, threads: $tuning.small.threads, min_blocks: 0, barriers: 3, shared_bytes: tile_sort::shared_bytes::<$k, Keys>($tuning.small.threads * slots($tuning.small.items))]
                = tile_sort_by_warps::<$k, Keys, { $tuning.small.threads }, { $tuning.small.items as usize }, { slots($tuning.small.items) as usize }>(
                    src, dst, Global::null(), Global::null(), n, Batch::new(units, src_stride, dst_stride, table),
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                );
            /// [`merge_pass`] over keys.
            fn $pass(src: Global<$k>, dst: Global<$k>, n: u64, run: u64, store: u32)
                [module: $module, threads: $tuning.merge.threads, min_blocks: 0, barriers: 4, shared_bytes: piece::shared_bytes::<$k, Keys>($tuning.merge.tile())]
                = merge_pass::<$k, Keys, { $tuning.merge.threads }, { $tuning.merge.items as usize }>(
                    src, dst, Global::null(), Global::null(), n, run, $tuning.merge_tile,
                    <$k as Key>::codec(store),
                    Guard::none(),
                );
            /// [`merge_runs`] of keys.
            fn $runs(a: Global<$k>, b: Global<$k>, dst: Global<$k>, a_len: u64, b_len: u64, cut: u32, load: u32, store: u32)
                [module: $module, threads: $tuning.runs.threads, min_blocks: 0, barriers: 4, shared_bytes: piece::shared_bytes::<$k, Keys>($tuning.runs.tile())]
                = merge_runs::<$k, Keys, { $tuning.runs.threads }, { $tuning.runs.items as usize }>(
                    Source { a, a_len, b, b_len, payload_a: Global::null(), payload_b: Global::null() },
                    Target { keys: dst, payload: Global::null() },
                    cut != 0,
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                    Guard::none(),
                );
            /// [`merge_cuts`] of keys, with or without a payload.
            fn $cuts(a: Global<$k>, b: Global<$k>, dst: Global<$k>, a_len: u64, b_len: u64, tile: u32, load: u32)
                [module: $module, threads: tuning::PARTITION_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = merge_cuts::<$k>(a, b, dst, a_len, b_len, tile, <$k as Key>::codec(load));
        }
    };
}

/// The kernels for keys with a payload. A tile sort has two barriers more, around the staging of payloads.
macro_rules! pairs {
    ($list:ident, $k:ty, $p:ty, $tuning:expr, $module:literal, $sort:ident, $small:ident, $pass:ident, $runs:ident) => {
        crate::kernels! {
            /// Kernels for keys with a payload.
            $list:
            /// [`tile_sort_by_warps`] of pairs.
            fn $sort(src: Global<$k>, dst: Global<$k>, payload_src: Global<$p>, payload_dst: Global<$p>, n: u64, load: u32, store: u32, units: u32, src_stride: u64, dst_stride: u64, table: Global<u64>)
                [module: $module, threads: $tuning.sort.threads, min_blocks: $tuning.sort_min_blocks, barriers: 5, shared_bytes: tile_sort::shared_bytes::<$k, Pairs<$p>>($tuning.sort.threads * slots($tuning.sort.items))]
                = tile_sort_by_warps::<$k, Pairs<$p>, { $tuning.sort.threads }, { $tuning.sort.items as usize }, { slots($tuning.sort.items) as usize }>(
                    src, dst, payload_src, payload_dst, n, Batch::new(units, src_stride, dst_stride, table),
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                );
            /// [`tile_sort_by_warps`] of pairs that fit a smaller tile.
            fn $small(src: Global<$k>, dst: Global<$k>, payload_src: Global<$p>, payload_dst: Global<$p>, n: u64, load: u32, store: u32, units: u32, src_stride: u64, dst_stride: u64, table: Global<u64>)
                [module: $module, threads: $tuning.small.threads, min_blocks: 0, barriers: 5, shared_bytes: tile_sort::shared_bytes::<$k, Pairs<$p>>($tuning.small.threads * slots($tuning.small.items))]
                = tile_sort_by_warps::<$k, Pairs<$p>, { $tuning.small.threads }, { $tuning.small.items as usize }, { slots($tuning.small.items) as usize }>(
                    src, dst, payload_src, payload_dst, n, Batch::new(units, src_stride, dst_stride, table),
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                );
            /// [`merge_pass`] over pairs.
            fn $pass(src: Global<$k>, dst: Global<$k>, payload_src: Global<$p>, payload_dst: Global<$p>, n: u64, run: u64, store: u32)
                [module: $module, threads: $tuning.merge.threads, min_blocks: 0, barriers: 4, shared_bytes: piece::shared_bytes::<$k, Pairs<$p>>($tuning.merge.tile())]
                = merge_pass::<$k, Pairs<$p>, { $tuning.merge.threads }, { $tuning.merge.items as usize }>(
                    src, dst, payload_src, payload_dst, n, run, $tuning.merge_tile,
                    <$k as Key>::codec(store),
                    Guard::none(),
                );
            /// [`merge_runs`] of pairs.
            fn $runs(a: Global<$k>, b: Global<$k>, dst: Global<$k>, payload_a: Global<$p>, payload_b: Global<$p>, payload_dst: Global<$p>, a_len: u64, b_len: u64, cut: u32, load: u32, store: u32)
                [module: $module, threads: $tuning.runs.threads, min_blocks: 0, barriers: 4, shared_bytes: piece::shared_bytes::<$k, Pairs<$p>>($tuning.runs.tile())]
                = merge_runs::<$k, Pairs<$p>, { $tuning.runs.threads }, { $tuning.runs.items as usize }>(
                    Source { a, a_len, b, b_len, payload_a, payload_b },
                    Target { keys: dst, payload: payload_dst },
                    cut != 0,
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                    Guard::none(),
                );
        }
    };
}

keys!(
    KEYS_8,
    u8,
    tuning::TWO_WAY_32,
    "merge_sort_8",
    tile_sort_8,
    tile_sort_small_8,
    merge_pass_8,
    merge_cuts_8,
    merge_runs_8
);
pairs!(
    PAIRS_8_32,
    u8,
    u32,
    tuning::TWO_WAY_PAIRS,
    "merge_sort_8_pairs_32",
    tile_sort_8_pairs_32,
    tile_sort_small_8_pairs_32,
    merge_pass_8_pairs_32,
    merge_runs_8_pairs_32
);
pairs!(
    PAIRS_8_64,
    u8,
    u64,
    tuning::TWO_WAY_PAIRS,
    "merge_sort_8_pairs_64",
    tile_sort_8_pairs_64,
    tile_sort_small_8_pairs_64,
    merge_pass_8_pairs_64,
    merge_runs_8_pairs_64
);
keys!(
    KEYS_16,
    u16,
    tuning::TWO_WAY_32,
    "merge_sort_16",
    tile_sort_16,
    tile_sort_small_16,
    merge_pass_16,
    merge_cuts_16,
    merge_runs_16
);
pairs!(
    PAIRS_16_32,
    u16,
    u32,
    tuning::TWO_WAY_PAIRS,
    "merge_sort_16_pairs_32",
    tile_sort_16_pairs_32,
    tile_sort_small_16_pairs_32,
    merge_pass_16_pairs_32,
    merge_runs_16_pairs_32
);
pairs!(
    PAIRS_16_64,
    u16,
    u64,
    tuning::TWO_WAY_PAIRS,
    "merge_sort_16_pairs_64",
    tile_sort_16_pairs_64,
    tile_sort_small_16_pairs_64,
    merge_pass_16_pairs_64,
    merge_runs_16_pairs_64
);
keys!(
    KEYS_32,
    u32,
    tuning::TWO_WAY_32,
    "merge_sort_32",
    tile_sort_32,
    tile_sort_small_32,
    merge_pass_32,
    merge_cuts_32,
    merge_runs_32
);
pairs!(
    PAIRS_32_32,
    u32,
    u32,
    tuning::TWO_WAY_PAIRS,
    "merge_sort_32_pairs_32",
    tile_sort_32_pairs_32,
    tile_sort_small_32_pairs_32,
    merge_pass_32_pairs_32,
    merge_runs_32_pairs_32
);
pairs!(
    PAIRS_32_64,
    u32,
    u64,
    tuning::TWO_WAY_PAIRS,
    "merge_sort_32_pairs_64",
    tile_sort_32_pairs_64,
    tile_sort_small_32_pairs_64,
    merge_pass_32_pairs_64,
    merge_runs_32_pairs_64
);
keys!(
    KEYS_64,
    u64,
    tuning::TWO_WAY_64,
    "merge_sort_64",
    tile_sort_64,
    tile_sort_small_64,
    merge_pass_64,
    merge_cuts_64,
    merge_runs_64
);
pairs!(
    PAIRS_64_32,
    u64,
    u32,
    tuning::TWO_WAY_PAIRS,
    "merge_sort_64_pairs_32",
    tile_sort_64_pairs_32,
    tile_sort_small_64_pairs_32,
    merge_pass_64_pairs_32,
    merge_runs_64_pairs_32
);
pairs!(
    PAIRS_64_64,
    u64,
    u64,
    tuning::TWO_WAY_PAIRS,
    "merge_sort_64_pairs_64",
    tile_sort_64_pairs_64,
    tile_sort_small_64_pairs_64,
    merge_pass_64_pairs_64,
    merge_runs_64_pairs_64
);
keys!(
    KEYS_128,
    u128,
    tuning::TWO_WAY_128,
    "merge_sort_128",
    tile_sort_128,
    tile_sort_small_128,
    merge_pass_128,
    merge_cuts_128,
    merge_runs_128
);
pairs!(
    PAIRS_128_32,
    u128,
    u32,
    tuning::TWO_WAY_PAIRS_128,
    "merge_sort_128_pairs_32",
    tile_sort_128_pairs_32,
    tile_sort_small_128_pairs_32,
    merge_pass_128_pairs_32,
    merge_runs_128_pairs_32
);
pairs!(
    PAIRS_128_64,
    u128,
    u64,
    tuning::TWO_WAY_PAIRS_128,
    "merge_sort_128_pairs_64",
    tile_sort_128_pairs_64,
    tile_sort_small_128_pairs_64,
    merge_pass_128_pairs_64,
    merge_runs_128_pairs_64
);

#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small;

#[cfg(not(target_arch = "nvptx64"))]
mod choice;
#[cfg(not(target_arch = "nvptx64"))]
pub use choice::{MergeSortKernels, PayloadWidth, Tiles, merge_sort_kernels};

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 15] {
    [
        KEYS_8,
        PAIRS_8_32,
        PAIRS_8_64,
        KEYS_16,
        PAIRS_16_32,
        PAIRS_16_64,
        KEYS_32,
        PAIRS_32_32,
        PAIRS_32_64,
        KEYS_64,
        PAIRS_64_32,
        PAIRS_64_64,
        KEYS_128,
        PAIRS_128_32,
        PAIRS_128_64,
    ]
}
