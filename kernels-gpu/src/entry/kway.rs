//! The k-way merge sort's kernels: for each key width alone, with a 4-byte and with an 8-byte payload, the tile sort and
//! the passes that merge 4, 8 or 16 runs at once, of keys of 32 and 64 bits 32 too; and for each key width the kernels that find
//! their cuts.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::{PayloadWidth, Tiles};
use crate::batch::Batch;
use crate::guard::Guard;
use crate::kway::inputs::{Inputs, write_inputs};
use crate::kway::partition::{Groups, partition};
use crate::kway::pass::kway_pass;
#[cfg(not(target_arch = "nvptx64"))]
use crate::kway::tile;
#[cfg(not(target_arch = "nvptx64"))]
use crate::merge::tile_sort;
use crate::merge::tile_sort::{tile_sort, tile_sort_by_warps};
use crate::order::Key;
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tile::payload::{Keys, Pairs};
use crate::tile::warp_sort::slots;
use crate::tuning;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::KwayTuning;

/// The kernels that find cuts: they have no barrier and no shared memory.
macro_rules! partitions {
    ($list:ident, $k:ty, $module:literal, $($name:ident $runs:literal $min_blocks:expr),*) => {
        crate::kernels! {
            /// Kernels that find the cuts of k-way merges.
            $list:
            $(
                /// [`partition`] for a number of runs.
                fn $name(src: Global<$k>, cuts: Global<u64>, n: u64, run: u64, tiles: u32, boundaries: u64, tile: u32, stride: u32, level: u32, inputs: Global<u64>, load: u32, units: u32, src_stride: u64, table: Global<u64>)
                    [module: $module, threads: tuning::PARTITION_THREADS, min_blocks: $min_blocks, barriers: 0, shared_bytes: 0]
                    = partition::<$k, $runs>(src, cuts, Groups { n, run, tiles, batch: Batch::new(units, src_stride, 0, table) }, boundaries, tile, stride, level, Inputs::new(inputs, load));
            )*
        }
    };
}

/// A tile sort of keys: by threads, or by warps where that is faster.
macro_rules! tile_sort_of_keys {
    (by_threads, $k:ty, $tuning:expr, $src:ident, $dst:ident, $n:ident, $batch:expr, $load:ident, $store:ident) => {
        tile_sort::<$k, Keys, { $tuning.sort.threads }, { $tuning.sort.items as usize }>(
            $src,
            $dst,
            Global::null(),
            Global::null(),
            $n,
            $batch,
            <$k as Key>::codec($load),
            <$k as Key>::codec($store),
        )
    };
    (by_warps, $k:ty, $tuning:expr, $src:ident, $dst:ident, $n:ident, $batch:expr, $load:ident, $store:ident) => {
        tile_sort_by_warps::<
            $k,
            Keys,
            { $tuning.sort.threads },
            { $tuning.sort.items as usize },
            { slots($tuning.sort.items) as usize },
        >($src, $dst, Global::null(), Global::null(), $n, $batch, <$k as Key>::codec($load), <$k as Key>::codec($store))
    };
    (shared by_threads, $tuning:expr) => {
        $tuning.sort.tile()
    };
    (shared by_warps, $tuning:expr) => {
        $tuning.sort.threads * slots($tuning.sort.items)
    };
}

/// The kernels for keys alone. Barriers: the tile sort's as in the two-way merge sort; a pass has two for staging and two
/// in each kind of its rounds.
macro_rules! keys {
    ($list:ident, $k:ty, $tuning:expr, $module:literal, $sort:ident $by:ident, $($pass:ident $runs:literal),*) => {
        crate::kernels! {
            /// Kernels for keys alone.
            $list:
            /// The tile sort of keys.
            fn $sort(src: Global<$k>, dst: Global<$k>, n: u64, load: u32, store: u32, units: u32, src_stride: u64, dst_stride: u64, table: Global<u64>)
                [module: $module, threads: $tuning.sort.threads, min_blocks: $tuning.sort_min_blocks, barriers: 3, shared_bytes: tile_sort::shared_bytes::<$k, Keys>(tile_sort_of_keys!(shared $by, $tuning))]
                = tile_sort_of_keys!($by, $k, $tuning, src, dst, n, Batch::new(units, src_stride, dst_stride, table), load, store);
            $(
                /// [`kway_pass`] over keys.
                fn $pass(src: Global<$k>, dst: Global<$k>, cuts: Global<u64>, n: u64, run: u64, tiles: u32, store: u32, inputs: Global<u64>, load: u32, units: u32, src_stride: u64, dst_stride: u64, table: Global<u64>)
                    [module: $module, threads: $tuning.of($runs).merge.threads, min_blocks: $tuning.of($runs).merge_min_blocks, barriers: tile::barriers($runs, $tuning.four), shared_bytes: tile::shared_bytes::<$k, Keys>($tuning.of($runs).merge.threads, $tuning.of($runs).merge.items, $runs)]
                    = kway_pass::<$k, Keys, $runs, { $tuning.of($runs).merge.threads }, { $tuning.of($runs).merge.items as usize }, { $tuning.four }>(
                        src, dst, Global::null(), Global::null(), cuts, Groups { n, run, tiles, batch: Batch::new(units, src_stride, dst_stride, table) }, Inputs::new(inputs, load),
                        store,
                        Guard::none(),
                    );
            )*
        }
    };
}

/// The kernels for keys with a payload.
macro_rules! pairs {
    ($list:ident, $k:ty, $p:ty, $tuning:expr, $module:literal, $sort:ident, $($pass:ident $runs:literal),*) => {
        crate::kernels! {
            /// Kernels for keys with a payload.
            $list:
            /// [`tile_sort`](crate::merge::tile_sort::tile_sort) of pairs.
            fn $sort(src: Global<$k>, dst: Global<$k>, payload_src: Global<$p>, payload_dst: Global<$p>, n: u64, load: u32, store: u32, units: u32, src_stride: u64, dst_stride: u64, table: Global<u64>)
                [module: $module, threads: $tuning.sort.threads, min_blocks: $tuning.sort_min_blocks, barriers: 6, shared_bytes: tile_sort::shared_bytes::<$k, Pairs<$p>>($tuning.sort.tile())]
                = tile_sort::<$k, Pairs<$p>, { $tuning.sort.threads }, { $tuning.sort.items as usize }>(
                    src, dst, payload_src, payload_dst, n, Batch::new(units, src_stride, dst_stride, table),
                    <$k as Key>::codec(load),
                    <$k as Key>::codec(store),
                );
            $(
                /// [`kway_pass`] over pairs.
                fn $pass(src: Global<$k>, dst: Global<$k>, payload_src: Global<$p>, payload_dst: Global<$p>, cuts: Global<u64>, n: u64, run: u64, tiles: u32, store: u32, inputs: Global<u64>, load: u32, units: u32, src_stride: u64, dst_stride: u64, table: Global<u64>)
                    [module: $module, threads: $tuning.merge.threads, min_blocks: $tuning.merge_min_blocks, barriers: 4, shared_bytes: tile::shared_bytes::<$k, Pairs<$p>>($tuning.merge.threads, $tuning.merge.items, $runs)]
                    = kway_pass::<$k, Pairs<$p>, $runs, { $tuning.merge.threads }, { $tuning.merge.items as usize }, { $tuning.four }>(
                        src, dst, payload_src, payload_dst, cuts, Groups { n, run, tiles, batch: Batch::new(units, src_stride, dst_stride, table) }, Inputs::new(inputs, load),
                        store,
                        Guard::none(),
                    );
            )*
        }
    };
}

crate::kernels! {
    /// The kernel that writes tables of inputs.
    INPUTS:
    /// [`write_inputs`].
    fn kway_write_inputs(table: Global<u64>, at: u32, count: u32, w0: u64, w1: u64, w2: u64, w3: u64, w4: u64, w5: u64, w6: u64, w7: u64, w8: u64, w9: u64, w10: u64,
        w11: u64, w12: u64, w13: u64, w14: u64, w15: u64, w16: u64, w17: u64, w18: u64, w19: u64, w20: u64,
        w21: u64, w22: u64, w23: u64, w24: u64, w25: u64, w26: u64, w27: u64, w28: u64, w29: u64, w30: u64,
        w31: u64)
        [module: "kway_inputs", threads: 32, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = write_inputs(table, at, count, [w0, w1, w2, w3, w4, w5, w6, w7, w8, w9, w10, w11, w12, w13, w14, w15, w16, w17, w18, w19, w20, w21,
            w22, w23, w24, w25, w26, w27, w28, w29, w30, w31]);
}

partitions!(PARTITION_8, u8, "kway_8", kway_partition_8_by_4 4 tuning::PARTITION_MIN_BLOCKS, kway_partition_8_by_8 8 tuning::PARTITION_MIN_BLOCKS, kway_partition_8_by_16 16 tuning::PARTITION_MIN_BLOCKS);
keys!(KEYS_8, u8, tuning::KWAY_KEYS_16, "kway_8", kway_tile_sort_8 by_warps, kway_pass_8_by_4 4, kway_pass_8_by_8 8, kway_pass_8_by_16 16);
pairs!(PAIRS_8_32, u8, u32, tuning::KWAY_PAIRS_32_32, "kway_8_pairs_32", kway_tile_sort_8_pairs_32, kway_pass_8_pairs_32_by_4 4, kway_pass_8_pairs_32_by_8 8, kway_pass_8_pairs_32_by_16 16);
pairs!(PAIRS_8_64, u8, u64, tuning::KWAY_PAIRS_32_64, "kway_8_pairs_64", kway_tile_sort_8_pairs_64, kway_pass_8_pairs_64_by_4 4, kway_pass_8_pairs_64_by_8 8, kway_pass_8_pairs_64_by_16 16);
partitions!(PARTITION_16, u16, "kway_16", kway_partition_16_by_4 4 tuning::PARTITION_MIN_BLOCKS, kway_partition_16_by_8 8 tuning::PARTITION_MIN_BLOCKS, kway_partition_16_by_16 16 0);
keys!(KEYS_16, u16, tuning::KWAY_KEYS_16, "kway_16", kway_tile_sort_16 by_warps, kway_pass_16_by_4 4, kway_pass_16_by_8 8, kway_pass_16_by_16 16);
pairs!(PAIRS_16_32, u16, u32, tuning::KWAY_PAIRS_32_32, "kway_16_pairs_32", kway_tile_sort_16_pairs_32, kway_pass_16_pairs_32_by_4 4, kway_pass_16_pairs_32_by_8 8, kway_pass_16_pairs_32_by_16 16);
pairs!(PAIRS_16_64, u16, u64, tuning::KWAY_PAIRS_32_64, "kway_16_pairs_64", kway_tile_sort_16_pairs_64, kway_pass_16_pairs_64_by_4 4, kway_pass_16_pairs_64_by_8 8, kway_pass_16_pairs_64_by_16 16);
partitions!(PARTITION_32, u32, "kway_32", kway_partition_32_by_4 4 tuning::PARTITION_MIN_BLOCKS, kway_partition_32_by_8 8 tuning::PARTITION_MIN_BLOCKS, kway_partition_32_by_16 16 0, kway_partition_32_by_32 32 tuning::PARTITION_MIN_BLOCKS);
keys!(KEYS_32, u32, tuning::KWAY_KEYS_32, "kway_32", kway_tile_sort_32 by_warps, kway_pass_32_by_4 4, kway_pass_32_by_8 8, kway_pass_32_by_16 16, kway_pass_32_by_32 32);
pairs!(PAIRS_32_32, u32, u32, tuning::KWAY_PAIRS_32_32, "kway_32_pairs_32", kway_tile_sort_32_pairs_32, kway_pass_32_pairs_32_by_4 4, kway_pass_32_pairs_32_by_8 8, kway_pass_32_pairs_32_by_16 16, kway_pass_32_pairs_32_by_32 32);
pairs!(PAIRS_32_64, u32, u64, tuning::KWAY_PAIRS_32_64, "kway_32_pairs_64", kway_tile_sort_32_pairs_64, kway_pass_32_pairs_64_by_4 4, kway_pass_32_pairs_64_by_8 8, kway_pass_32_pairs_64_by_16 16, kway_pass_32_pairs_64_by_32 32);
partitions!(PARTITION_64, u64, "kway_64", kway_partition_64_by_4 4 tuning::PARTITION_MIN_BLOCKS, kway_partition_64_by_8 8 0, kway_partition_64_by_16 16 0, kway_partition_64_by_32 32 tuning::PARTITION_MIN_BLOCKS);
keys!(KEYS_64, u64, tuning::KWAY_KEYS_64, "kway_64", kway_tile_sort_64 by_threads, kway_pass_64_by_4 4, kway_pass_64_by_8 8, kway_pass_64_by_16 16, kway_pass_64_by_32 32);
pairs!(PAIRS_64_32, u64, u32, tuning::KWAY_PAIRS_64_32, "kway_64_pairs_32", kway_tile_sort_64_pairs_32, kway_pass_64_pairs_32_by_4 4, kway_pass_64_pairs_32_by_8 8, kway_pass_64_pairs_32_by_16 16, kway_pass_64_pairs_32_by_32 32);
pairs!(PAIRS_64_64, u64, u64, tuning::KWAY_PAIRS_64_64, "kway_64_pairs_64", kway_tile_sort_64_pairs_64, kway_pass_64_pairs_64_by_4 4, kway_pass_64_pairs_64_by_8 8, kway_pass_64_pairs_64_by_16 16, kway_pass_64_pairs_64_by_32 32);
partitions!(PARTITION_128, u128, "kway_128", kway_partition_128_by_4 4 tuning::PARTITION_MIN_BLOCKS, kway_partition_128_by_8 8 tuning::PARTITION_MIN_BLOCKS, kway_partition_128_by_16 16 tuning::PARTITION_MIN_BLOCKS);
keys!(KEYS_128, u128, tuning::KWAY_KEYS_128, "kway_128", kway_tile_sort_128 by_threads, kway_pass_128_by_4 4, kway_pass_128_by_8 8, kway_pass_128_by_16 16);
pairs!(PAIRS_128_32, u128, u32, tuning::KWAY_PAIRS_128, "kway_128_pairs_32", kway_tile_sort_128_pairs_32, kway_pass_128_pairs_32_by_4 4, kway_pass_128_pairs_32_by_8 8, kway_pass_128_pairs_32_by_16 16);
pairs!(PAIRS_128_64, u128, u64, tuning::KWAY_PAIRS_128, "kway_128_pairs_64", kway_tile_sort_128_pairs_64, kway_pass_128_pairs_64_by_4 4, kway_pass_128_pairs_64_by_8 8, kway_pass_128_pairs_64_by_16 16);

/// The same kernels with tiny tiles, for tests on the emulator. They are in no PTX.
#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small {
    use super::*;
    keys!(KEYS_8, u8, tuning::KWAY_SMALL_BY_WARPS, "small", small_kway_tile_sort_8 by_warps, small_kway_pass_8_by_4 4, small_kway_pass_8_by_8 8, small_kway_pass_8_by_16 16);
    pairs!(PAIRS_8_32, u8, u32, tuning::KWAY_SMALL, "small", small_kway_tile_sort_8_pairs_32, small_kway_pass_8_pairs_32_by_4 4, small_kway_pass_8_pairs_32_by_8 8, small_kway_pass_8_pairs_32_by_16 16);
    pairs!(PAIRS_8_64, u8, u64, tuning::KWAY_SMALL, "small", small_kway_tile_sort_8_pairs_64, small_kway_pass_8_pairs_64_by_4 4, small_kway_pass_8_pairs_64_by_8 8, small_kway_pass_8_pairs_64_by_16 16);
    keys!(KEYS_16, u16, tuning::KWAY_SMALL_BY_WARPS, "small", small_kway_tile_sort_16 by_warps, small_kway_pass_16_by_4 4, small_kway_pass_16_by_8 8, small_kway_pass_16_by_16 16);
    pairs!(PAIRS_16_32, u16, u32, tuning::KWAY_SMALL, "small", small_kway_tile_sort_16_pairs_32, small_kway_pass_16_pairs_32_by_4 4, small_kway_pass_16_pairs_32_by_8 8, small_kway_pass_16_pairs_32_by_16 16);
    pairs!(PAIRS_16_64, u16, u64, tuning::KWAY_SMALL, "small", small_kway_tile_sort_16_pairs_64, small_kway_pass_16_pairs_64_by_4 4, small_kway_pass_16_pairs_64_by_8 8, small_kway_pass_16_pairs_64_by_16 16);
    keys!(KEYS_32, u32, tuning::KWAY_SMALL_BY_WARPS_AND_FOURS, "small", small_kway_tile_sort_32 by_warps, small_kway_pass_32_by_4 4, small_kway_pass_32_by_8 8, small_kway_pass_32_by_16 16, small_kway_pass_32_by_32 32);
    pairs!(PAIRS_32_32, u32, u32, tuning::KWAY_SMALL, "small", small_kway_tile_sort_32_pairs_32, small_kway_pass_32_pairs_32_by_4 4, small_kway_pass_32_pairs_32_by_8 8, small_kway_pass_32_pairs_32_by_16 16, small_kway_pass_32_pairs_32_by_32 32);
    pairs!(PAIRS_32_64, u32, u64, tuning::KWAY_SMALL, "small", small_kway_tile_sort_32_pairs_64, small_kway_pass_32_pairs_64_by_4 4, small_kway_pass_32_pairs_64_by_8 8, small_kway_pass_32_pairs_64_by_16 16, small_kway_pass_32_pairs_64_by_32 32);
    keys!(KEYS_64, u64, tuning::KWAY_SMALL_BY_FOURS, "small", small_kway_tile_sort_64 by_threads, small_kway_pass_64_by_4 4, small_kway_pass_64_by_8 8, small_kway_pass_64_by_16 16, small_kway_pass_64_by_32 32);
    pairs!(PAIRS_64_32, u64, u32, tuning::KWAY_SMALL, "small", small_kway_tile_sort_64_pairs_32, small_kway_pass_64_pairs_32_by_4 4, small_kway_pass_64_pairs_32_by_8 8, small_kway_pass_64_pairs_32_by_16 16, small_kway_pass_64_pairs_32_by_32 32);
    pairs!(PAIRS_64_64, u64, u64, tuning::KWAY_SMALL, "small", small_kway_tile_sort_64_pairs_64, small_kway_pass_64_pairs_64_by_4 4, small_kway_pass_64_pairs_64_by_8 8, small_kway_pass_64_pairs_64_by_16 16, small_kway_pass_64_pairs_64_by_32 32);
    keys!(KEYS_128, u128, tuning::KWAY_SMALL, "small", small_kway_tile_sort_128 by_threads, small_kway_pass_128_by_4 4, small_kway_pass_128_by_8 8, small_kway_pass_128_by_16 16);
    pairs!(PAIRS_128_32, u128, u32, tuning::KWAY_SMALL, "small", small_kway_tile_sort_128_pairs_32, small_kway_pass_128_pairs_32_by_4 4, small_kway_pass_128_pairs_32_by_8 8, small_kway_pass_128_pairs_32_by_16 16);
    pairs!(PAIRS_128_64, u128, u64, tuning::KWAY_SMALL, "small", small_kway_tile_sort_128_pairs_64, small_kway_pass_128_pairs_64_by_4 4, small_kway_pass_128_pairs_64_by_8 8, small_kway_pass_128_pairs_64_by_16 16);
}

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 21] {
    [
        INPUTS,
        PARTITION_8,
        KEYS_8,
        PAIRS_8_32,
        PAIRS_8_64,
        PARTITION_16,
        KEYS_16,
        PAIRS_16_32,
        PAIRS_16_64,
        PARTITION_32,
        KEYS_32,
        PAIRS_32_32,
        PAIRS_32_64,
        PARTITION_64,
        KEYS_64,
        PAIRS_64_32,
        PAIRS_64_64,
        PARTITION_128,
        KEYS_128,
        PAIRS_128_32,
        PAIRS_128_64,
    ]
}

/// A pass that merges a number of runs at once.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct KwayPass {
    /// Runs merged at once.
    pub runs: u32,
    /// Finds the cuts.
    pub partition: &'static Kernel,
    /// Merges.
    pub pass: &'static Kernel,
    /// Keys that a block of `pass` merges.
    pub tile: u32,
}

/// The k-way merge sort's kernels for one key and payload width.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct KwayKernels {
    /// Keys from which on it is faster than the two-way merge sort.
    pub from: u64,
    /// Sorts tiles.
    pub tile_sort: &'static Kernel,
    /// Keys that a block of `tile_sort` sorts.
    pub tile: u32,
    /// The passes, by number of runs, ascending.
    pub passes: [KwayPass; 3],
    /// The merge of 32 runs, for merges of many; engines take its cuts too. Merge sorts have no number of runs that would take
    /// fewer passes by it.
    pub of_32: Option<KwayPass>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl KwayKernels {
    /// The pass that merges this many runs at once; the widest where there is none.
    pub fn by(&self, runs: u32) -> &KwayPass {
        self.passes.iter().chain(&self.of_32).find(|pass| pass.runs == runs).unwrap_or(&self.passes[2])
    }
}

/// The k-way merge sort's kernels for keys and payloads of these widths.
#[cfg(not(target_arch = "nvptx64"))]
pub fn kway_kernels(width: KeyWidth, payload: PayloadWidth, tiles: Tiles) -> KwayKernels {
    use KeyWidth as K;
    use PayloadWidth as P;
    let (list, tuning): (&'static [&'static Kernel], KwayTuning) = match (tiles, width, payload) {
        (Tiles::Full, K::W8, P::None) => (KEYS_8, tuning::KWAY_KEYS_16),
        (Tiles::Full, K::W8, P::W32) => (PAIRS_8_32, tuning::KWAY_PAIRS_32_32),
        (Tiles::Full, K::W8, P::W64) => (PAIRS_8_64, tuning::KWAY_PAIRS_32_64),
        (Tiles::Full, K::W16, P::None) => (KEYS_16, tuning::KWAY_KEYS_16),
        (Tiles::Full, K::W16, P::W32) => (PAIRS_16_32, tuning::KWAY_PAIRS_32_32),
        (Tiles::Full, K::W16, P::W64) => (PAIRS_16_64, tuning::KWAY_PAIRS_32_64),
        (Tiles::Full, K::W32, P::None) => (KEYS_32, tuning::KWAY_KEYS_32),
        (Tiles::Full, K::W32, P::W32) => (PAIRS_32_32, tuning::KWAY_PAIRS_32_32),
        (Tiles::Full, K::W32, P::W64) => (PAIRS_32_64, tuning::KWAY_PAIRS_32_64),
        (Tiles::Full, K::W64, P::None) => (KEYS_64, tuning::KWAY_KEYS_64),
        (Tiles::Full, K::W64, P::W32) => (PAIRS_64_32, tuning::KWAY_PAIRS_64_32),
        (Tiles::Full, K::W64, P::W64) => (PAIRS_64_64, tuning::KWAY_PAIRS_64_64),
        (Tiles::Full, K::W128, P::None) => (KEYS_128, tuning::KWAY_KEYS_128),
        (Tiles::Full, K::W128, P::W32) => (PAIRS_128_32, tuning::KWAY_PAIRS_128),
        (Tiles::Full, K::W128, P::W64) => (PAIRS_128_64, tuning::KWAY_PAIRS_128),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W8, P::None) => (small::KEYS_8, tuning::KWAY_SMALL_BY_WARPS),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W8, P::W32) => (small::PAIRS_8_32, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W8, P::W64) => (small::PAIRS_8_64, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W16, P::None) => (small::KEYS_16, tuning::KWAY_SMALL_BY_WARPS),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W16, P::W32) => (small::PAIRS_16_32, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W16, P::W64) => (small::PAIRS_16_64, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W32, P::None) => (small::KEYS_32, tuning::KWAY_SMALL_BY_WARPS_AND_FOURS),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W32, P::W32) => (small::PAIRS_32_32, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W32, P::W64) => (small::PAIRS_32_64, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W64, P::None) => (small::KEYS_64, tuning::KWAY_SMALL_BY_FOURS),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W64, P::W32) => (small::PAIRS_64_32, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W64, P::W64) => (small::PAIRS_64_64, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W128, P::None) => (small::KEYS_128, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W128, P::W32) => (small::PAIRS_128_32, tuning::KWAY_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, K::W128, P::W64) => (small::PAIRS_128_64, tuning::KWAY_SMALL),
        #[cfg(not(feature = "small-tiles"))]
        (Tiles::Small, ..) => return kway_kernels(width, payload, Tiles::Full),
    };
    let partitions = match width {
        K::W8 => PARTITION_8,
        K::W16 => PARTITION_16,
        K::W32 => PARTITION_32,
        K::W64 => PARTITION_64,
        K::W128 => PARTITION_128,
    };
    let pass = |i: usize, runs: u32| KwayPass {
        runs,
        partition: partitions[i],
        pass: list[i + 1],
        tile: tile::tile_keys(tuning.of(runs).merge.threads, tuning.of(runs).merge.items, runs, tuning.four),
    };
    KwayKernels {
        from: tuning.from,
        tile_sort: list[0],
        tile: tuning.sort.tile(),
        passes: [pass(0, 4), pass(1, 8), pass(2, 16)],
        of_32: (list.len() > 4).then(|| pass(3, 32)),
    }
}
