//! The bitonic sorts' kernels: for 32- and 64-bit keys, alone and with a 4-byte payload.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::PayloadWidth;
use crate::bitonic::{block_sort, warp_sort};
#[cfg(not(target_arch = "nvptx64"))]
use crate::bitonic::{block_sort_shared_bytes, warp_sort_shared_bytes};
use crate::order::Key;
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tile::payload::{Keys, Pairs};
use crate::tuning;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::BitonicTuning;

/// The two kernels for keys alone. Barriers of the block's sort: two around the reads of an exchange, one before it
/// writes out.
macro_rules! keys {
    ($list:ident, $k:ty, $tuning:expr, $module:literal, $warp:ident, $block:ident) => {
        crate::kernels! {
            /// Kernels for keys alone.
            $list:
            /// [`warp_sort`] of keys.
            fn $warp(src: Global<$k>, dst: Global<$k>, n: u64, load: u32, store: u32)
                [module: $module, threads: $tuning.warp.threads, min_blocks: 0, barriers: 0, shared_bytes: warp_sort_shared_bytes::<$k, Keys>($tuning.warp.tile())]
                = warp_sort::<$k, Keys, { $tuning.warp.threads }, { $tuning.warp.items as usize }>(
                    src, dst, Global::null(), Global::null(), n,
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                );
            /// [`block_sort`] of keys.
            fn $block(src: Global<$k>, dst: Global<$k>, n: u64, load: u32, store: u32)
                [module: $module, threads: $tuning.block.threads, min_blocks: 0, barriers: 3, shared_bytes: block_sort_shared_bytes::<$k, Keys>($tuning.block.tile())]
                = block_sort::<$k, Keys, { $tuning.block.threads }, { $tuning.block.items as usize }>(
                    src, dst, Global::null(), Global::null(), n,
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                );
        }
    };
}

/// The two kernels for keys with a payload. Payloads take no barrier of their own.
macro_rules! pairs {
    ($list:ident, $k:ty, $p:ty, $tuning:expr, $min_blocks:expr, $module:literal, $warp:ident, $block:ident) => {
        crate::kernels! {
            /// Kernels for keys with a payload.
            $list:
            /// [`warp_sort`] of pairs.
            fn $warp(src: Global<$k>, dst: Global<$k>, payload_src: Global<$p>, payload_dst: Global<$p>, n: u64, load: u32, store: u32)
                [module: $module, threads: $tuning.warp.threads, min_blocks: 0, barriers: 0, shared_bytes: warp_sort_shared_bytes::<$k, Pairs<$p>>($tuning.warp.tile())]
                = warp_sort::<$k, Pairs<$p>, { $tuning.warp.threads }, { $tuning.warp.items as usize }>(
                    src, dst, payload_src, payload_dst, n,
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                );
            /// [`block_sort`] of pairs.
            fn $block(src: Global<$k>, dst: Global<$k>, payload_src: Global<$p>, payload_dst: Global<$p>, n: u64, load: u32, store: u32)
                [module: $module, threads: $tuning.block.threads, min_blocks: $min_blocks, barriers: 3, shared_bytes: block_sort_shared_bytes::<$k, Pairs<$p>>($tuning.block.tile())]
                = block_sort::<$k, Pairs<$p>, { $tuning.block.threads }, { $tuning.block.items as usize }>(
                    src, dst, payload_src, payload_dst, n,
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                );
        }
    };
}

keys!(KEYS_32, u32, tuning::BITONIC_32, "bitonic_32", warp_sort_32, block_bitonic_sort_32);
keys!(KEYS_64, u64, tuning::BITONIC_64, "bitonic_64", warp_sort_64, block_bitonic_sort_64);
pairs!(
    PAIRS_32_32,
    u32,
    u32,
    tuning::BITONIC_32,
    0,
    "bitonic_32_pairs_32",
    warp_sort_32_pairs_32,
    block_bitonic_sort_32_pairs_32
);
pairs!(
    PAIRS_64_32,
    u64,
    u32,
    tuning::BITONIC_64,
    tuning::BITONIC_64_PAIRS_MIN_BLOCKS,
    "bitonic_64_pairs_32",
    warp_sort_64_pairs_32,
    block_bitonic_sort_64_pairs_32
);

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 4] {
    [KEYS_32, KEYS_64, PAIRS_32_32, PAIRS_64_32]
}

/// The bitonic sorts' kernels for one key and payload width.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct BitonicKernels {
    /// Each warp sorts a segment.
    pub warp_sort: &'static Kernel,
    /// Each block sorts a segment.
    pub block_sort: &'static Kernel,
    /// The segments' lengths and the blocks'.
    pub tuning: BitonicTuning,
}

/// The bitonic sorts' kernels for keys and payloads of these widths, where there are any.
#[cfg(not(target_arch = "nvptx64"))]
pub fn bitonic_kernels(width: KeyWidth, payload: PayloadWidth) -> Option<BitonicKernels> {
    let (list, tuning): (&'static [&'static Kernel], _) = match (width, payload) {
        (KeyWidth::W32, PayloadWidth::None) => (KEYS_32, tuning::BITONIC_32),
        (KeyWidth::W64, PayloadWidth::None) => (KEYS_64, tuning::BITONIC_64),
        (KeyWidth::W32, PayloadWidth::W32) => (PAIRS_32_32, tuning::BITONIC_32),
        (KeyWidth::W64, PayloadWidth::W32) => (PAIRS_64_32, tuning::BITONIC_64),
        _ => return None,
    };
    Some(BitonicKernels { warp_sort: list[0], block_sort: list[1], tuning })
}
