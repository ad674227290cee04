//! The sample sort's kernels, for each key width that it serves.
#[cfg(not(target_arch = "nvptx64"))]
mod sets;

#[cfg(not(target_arch = "nvptx64"))]
pub use sets::{Finish, SampleKernels, sample_kernels};

#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::Tiles;
use crate::order::Key;
use crate::rows::Carried;
use crate::sample::bases::{self, bases};
use crate::sample::buckets::{Areas, copy_buckets};
use crate::sample::count::count;
use crate::sample::large::sort_large;
use crate::sample::look::{look, settle};
use crate::sample::offsets::{Lists, Next, offsets};
use crate::sample::places::Places;
use crate::sample::runs::{Array, table_of_runs};
use crate::sample::scatter::scatter;
use crate::sample::splitters::choose_splitters;
use crate::sample::stable::scatter_stably;
use crate::sample::tables::{self, COPIES, ClassKeys, Level, Segments};
use crate::sample::turn::{self, turn};
#[cfg(not(target_arch = "nvptx64"))]
use crate::sample::{
    count as counting, large, offsets as placing, scatter as scattering, splitters as choosing, stable,
};
use crate::simt::{Global, WARP};
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tile::payload::{Keys, Pairs};
use crate::tile::warp_sort::slots;
use crate::tuning::{self, SAMPLE_COPY, SAMPLE_TURN, SORTED};

/// A level's tables from a kernel's parameters.
#[inline(always)]
fn level(counters: Global<u32>, segments: Global<u64>, chunks: Global<u64>, number: u32, chunk: u32) -> Level {
    Level { counters, segments: Segments { records: segments }, chunks, number, chunk }
}

/// What all widths share, with so many threads for a level's buckets. Barriers: the places of buckets have one in the sum, one behind what
/// a class gets, one behind where it begins and one behind it all; those of chunks one behind the sums and one behind their use.
macro_rules! common {
    ($list:ident, $module:literal, $threads:literal, $begin:ident, $offsets:ident, $bases:ident, $runs:ident) => {
        crate::kernels! {
            /// What all widths share.
            $list:
            /// [`tables::begin`].
            fn $begin(counters: Global<u32>, segments: Global<u64>, n: u64, chunk: u32)
                [module: $module, threads: 32, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = tables::begin(counters, segments, n, chunk);
            /// [`offsets`] of a level's buckets.
            fn $offsets(counters: Global<u32>, segments: Global<u64>, chunks: Global<u64>, number: u32, chunk: u32, bits: u32, next: Global<u64>, above: u64, equal: Global<u32>, rows: Global<u64>, lists: Global<u64>, n: u64, buckets: u64, classes: u64, large_classes: u64)
                [module: $module, threads: $threads, min_blocks: 0, barriers: 4, shared_bytes: placing::shared_bytes($threads)]
                = offsets::<$threads>(
                    level(counters, segments, chunks, number, chunk),
                    bits,
                    Next { segments: Segments { records: next }, chunk, above },
                    equal, rows,
                    Lists { entries: lists, n, buckets, classes: ClassKeys { words: [classes, large_classes] } },
                );
            /// [`bases()`] of a level's chunks.
            fn $bases(counters: Global<u32>, segments: Global<u64>, chunks: Global<u64>, number: u32, chunk: u32, bits: u32, rows: Global<u64>, chunk_bases: Global<u64>)
                [module: $module, threads: bases::THREADS, min_blocks: 0, barriers: 2, shared_bytes: bases::SHARED_BYTES]
                = bases(level(counters, segments, chunks, number, chunk), bits, rows, chunk_bases);
            /// [`table_of_runs`].
            fn $runs(counters: Global<u32>, starts: Global<u64>, table: Global<u64>, n: u64, keys: Global<u8>, key_bytes: u32, payloads: Global<u8>, payload_bytes: u32)
                [module: $module, threads: WARP, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = table_of_runs(counters, starts, table, n, Array { start: keys, bytes: key_bytes }, Array { start: payloads, bytes: payload_bytes });
        }
    };
}
common!(COMMON, "sample", 512, sample_begin, sample_offsets, sample_bases, sample_runs);

/// The kernels for keys of one width alone. Barriers: a count has three a chunk and two for each tile's row; a scatter one
/// in the sum, one behind the places, one behind the staging, one where there is no such tile, and one before its next tile. The sort of a
/// large bucket has two in its rounds, one before it writes out and one behind that, and five for the merges.
macro_rules! sample {
    ($list:ident, $k:ty, $tuning:expr, $module:literal, $look:ident, $turn:ident, $settle:ident, $choose:ident, $count:ident, $scatter:ident, $large:ident, $copy:ident) => {
        crate::kernels! {
            /// Kernels for keys of one width.
            $list:
            /// [`look`] at the keys.
            fn $look(keys: Global<$k>, n: u64, counters: Global<u32>, starts: Global<u64>, strict: u32, unit: u32, codec: u32)
                [module: $module, threads: SORTED.threads, min_blocks: $tuning.look_min_blocks, barriers: 0, shared_bytes: 0]
                = look::<$k>(keys, n, counters, starts, strict, unit, <$k as Key>::codec(codec));
            /// [`settle`] what needs no sorting.
            fn $settle(src: Global<$k>, dst: Global<$k>, area: Global<$k>, n: u64, counters: Global<u32>, turned: u32)
                [module: $module, threads: SAMPLE_COPY.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = settle::<$k, { SAMPLE_COPY.threads }, { SAMPLE_COPY.items as usize / 4 }>(src, dst, area, n, counters, turned, 1, |at| at as $k);
            /// [`choose_splitters`] of a level's segments.
            fn $choose(src: Global<$k>, counters: Global<u32>, segments: Global<u64>, chunks: Global<u64>, number: u32, chunk: u32, splitters: Global<$k>, equal: Global<u32>, guides: Global<u32>, rows: Global<u64>, target: u32, seed: u64, codec: u32)
                [module: $module, threads: $tuning.sample.threads, min_blocks: $tuning.sample_min_blocks, barriers: choosing::barriers::<$k>(), shared_bytes: choosing::shared_bytes::<$k>($tuning.sample.threads, slots($tuning.sample.items), $tuning.bits)]
                = choose_splitters::<$k, { $tuning.sample.threads }, { $tuning.sample.items as usize }, { slots($tuning.sample.items) as usize }, { $tuning.bits }>(
                    src, level(counters, segments, chunks, number, chunk), splitters, equal, guides, rows, target, seed,
                    <$k as Key>::codec(codec),
                );
            /// [`count`] of a level's buckets.
            fn $count(src: Global<$k>, counters: Global<u32>, segments: Global<u64>, chunks: Global<u64>, number: u32, chunk: u32, splitters: Global<$k>, equal: Global<u32>, guides: Global<u32>, rows: Global<u64>, places: Global<u8>, highs: Global<u32>, table: Global<u16>, tiles: u32, chunk_bases: Global<u64>, codec: u32)
                [module: $module, threads: $tuning.count.threads, min_blocks: $tuning.count_min_blocks, barriers: 5, shared_bytes: counting::shared_bytes::<$k, { $tuning.bits }>()]
                = count::<$k, { $tuning.count.threads }, { $tuning.count.items as usize }, { $tuning.bits }>(
                    src, level(counters, segments, chunks, number, chunk), splitters, equal, guides, rows, Places { low: places, high: highs }, table, tiles, chunk_bases,
                    <$k as Key>::codec(codec),
                );
            /// [`scatter`] of a level's keys.
            fn $scatter(src: Global<$k>, dst: Global<$k>, counters: Global<u32>, segments: Global<u64>, chunks: Global<u64>, number: u32, chunk: u32, rows: Global<u64>, places: Global<u8>, highs: Global<u32>, table: Global<u16>, tiles: u32)
                [module: $module, threads: $tuning.scatter.threads, min_blocks: $tuning.scatter_min_blocks, barriers: 5, shared_bytes: scattering::shared_bytes::<$k, { $tuning.scatter.threads }, { $tuning.scatter.items as usize }>($tuning.bits)]
                = scatter::<$k, { $tuning.scatter.threads }, { $tuning.scatter.items as usize }, { $tuning.scatter_group as usize }, { $tuning.bits }>(
                    src, dst, level(counters, segments, chunks, number, chunk), rows, Places { low: places, high: highs }, table, tiles,
                );
            /// [`sort_large`] of keys alone.
            fn $large(data: Global<$k>, scratch: Global<$k>, payload_data: Global<u8>, payload_scratch: Global<u8>, counters: Global<u32>, list: Global<u64>, codec: u32)
                [module: $module, threads: $tuning.large.threads, min_blocks: 1, barriers: 9, shared_bytes: large::shared_bytes::<$k, Keys>($tuning.large.tile())]
                = sort_large::<$k, Keys, { $tuning.large.threads }, { $tuning.large.items as usize }>(
                    Areas { data, scratch }, Areas { data: payload_data, scratch: payload_scratch }, counters, list,
                    <$k as Key>::codec(codec),
                );
            /// [`copy_buckets`].
            fn $copy(data: Global<$k>, scratch: Global<$k>, counters: Global<u32>, list: Global<u64>)
                [module: $module, threads: SAMPLE_COPY.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = copy_buckets::<$k, { SAMPLE_COPY.threads }, { SAMPLE_COPY.items as usize }>(
                    Areas { data, scratch }, counters, COPIES, list, 1,
                );
            /// [`turn()`] of keys alone.
            fn $turn(keys: Global<$k>, n: u64, counters: Global<u32>, codec: u32)
                [module: $module, threads: SAMPLE_TURN.threads, min_blocks: $tuning.turn_min_blocks, barriers: 2, shared_bytes: turn::SHARED_BYTES]
                = turn::<$k, { SAMPLE_TURN.threads }, { SAMPLE_TURN.items as usize }>(keys, n, counters, <$k as Key>::codec(codec));
        }
    };
}

/// Those that move what keys carry, and the keys with it. Barriers: a stable scatter has one in the sum, one behind the ranks, one behind
/// where each warp's keys begin, one behind their places and one behind the staging; where something is carried one more before that is
/// staged and one behind. A large bucket has one more than without for the tags and two for payloads.
macro_rules! sample_pairs {
    ($list:ident, $k:ty, $pairs:expr, $wide:expr, $module:literal, $stable_32:ident, $stable_64:ident, $large_32:ident, $large_64:ident) => {
        crate::kernels! {
            /// Kernels for keys of one width that carry something.
            $list:
            /// [`scatter_stably`] of a level's keys and 4 bytes each.
            fn $stable_32(src: Global<$k>, dst: Global<$k>, payload_src: Global<u32>, payload_dst: Global<u32>, carried: u32, counters: Global<u32>, segments: Global<u64>, chunks: Global<u64>, number: u32, chunk: u32, table: Global<u16>, chunk_bases: Global<u64>, places: Global<u8>, highs: Global<u32>, tiles: u32)
                [module: $module, threads: $pairs.scatter.threads, min_blocks: $pairs.scatter_min_blocks, barriers: 7, shared_bytes: stable::shared_bytes::<$k, u32, { $pairs.scatter.threads }, { $pairs.scatter.items as usize }>($pairs.bits)]
                = scatter_stably::<$k, u32, { $pairs.scatter.threads }, { $pairs.scatter.items as usize }, { $pairs.scatter_group as usize }, { $pairs.bits }>(
                    src, dst, Carried { kind: carried, src: payload_src, dst: payload_dst },
                    level(counters, segments, chunks, number, chunk), table, chunk_bases, Places { low: places, high: highs }, tiles,
                );
            /// [`scatter_stably`] of a level's keys and 8 bytes each.
            fn $stable_64(src: Global<$k>, dst: Global<$k>, payload_src: Global<u32>, payload_dst: Global<u32>, carried: u32, counters: Global<u32>, segments: Global<u64>, chunks: Global<u64>, number: u32, chunk: u32, table: Global<u16>, chunk_bases: Global<u64>, places: Global<u8>, highs: Global<u32>, tiles: u32)
                [module: $module, threads: $wide.scatter.threads, min_blocks: $wide.scatter_min_blocks, barriers: 7, shared_bytes: stable::shared_bytes::<$k, u64, { $wide.scatter.threads }, { $wide.scatter.items as usize }>($wide.bits)]
                = scatter_stably::<$k, u64, { $wide.scatter.threads }, { $wide.scatter.items as usize }, { $wide.scatter_group as usize }, { $wide.bits }>(
                    src, dst, Carried { kind: carried, src: payload_src, dst: payload_dst },
                    level(counters, segments, chunks, number, chunk), table, chunk_bases, Places { low: places, high: highs }, tiles,
                );
            /// [`sort_large`] with payloads of 4 bytes.
            fn $large_32(data: Global<$k>, scratch: Global<$k>, payload_data: Global<u32>, payload_scratch: Global<u32>, counters: Global<u32>, list: Global<u64>, codec: u32)
                [module: $module, threads: $pairs.large.threads, min_blocks: 1, barriers: 12, shared_bytes: large::shared_bytes::<$k, Pairs<u32>>($pairs.large.tile())]
                = sort_large::<$k, Pairs<u32>, { $pairs.large.threads }, { $pairs.large.items as usize }>(
                    Areas { data, scratch }, Areas { data: payload_data, scratch: payload_scratch }, counters, list,
                    <$k as Key>::codec(codec),
                );
            /// [`sort_large`] with payloads of 8 bytes.
            fn $large_64(data: Global<$k>, scratch: Global<$k>, payload_data: Global<u64>, payload_scratch: Global<u64>, counters: Global<u32>, list: Global<u64>, codec: u32)
                [module: $module, threads: $wide.large.threads, min_blocks: 1, barriers: 12, shared_bytes: large::shared_bytes::<$k, Pairs<u64>>($wide.large.tile())]
                = sort_large::<$k, Pairs<u64>, { $wide.large.threads }, { $wide.large.items as usize }>(
                    Areas { data, scratch }, Areas { data: payload_data, scratch: payload_scratch }, counters, list,
                    <$k as Key>::codec(codec),
                );
        }
    };
}

sample!(
    KEYS_32,
    u32,
    tuning::SAMPLE_32,
    "sample_32",
    sample_look_32,
    sample_turn_32,
    sample_settle_32,
    sample_choose_32,
    sample_count_32,
    sample_scatter_32,
    sample_large_32,
    sample_copy_32
);
sample_pairs!(
    PAIRS_32,
    u32,
    tuning::SAMPLE_PAIRS_32,
    tuning::SAMPLE_PAIRS_32_WIDE,
    "sample_32",
    sample_stable_32_with_32,
    sample_stable_32_with_64,
    sample_large_32_with_32,
    sample_large_32_with_64
);
sample!(
    KEYS_64,
    u64,
    tuning::SAMPLE_64,
    "sample_64",
    sample_look_64,
    sample_turn_64,
    sample_settle_64,
    sample_choose_64,
    sample_count_64,
    sample_scatter_64,
    sample_large_64,
    sample_copy_64
);
sample_pairs!(
    PAIRS_64,
    u64,
    tuning::SAMPLE_PAIRS_64,
    tuning::SAMPLE_PAIRS_64,
    "sample_64",
    sample_stable_64_with_32,
    sample_stable_64_with_64,
    sample_large_64_with_32,
    sample_large_64_with_64
);
sample!(
    KEYS_128,
    u128,
    tuning::SAMPLE_128,
    "sample_128",
    sample_look_128,
    sample_turn_128,
    sample_settle_128,
    sample_choose_128,
    sample_count_128,
    sample_scatter_128,
    sample_large_128,
    sample_copy_128
);

#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small {
    //! The same kernels with tiny tiles, for tests on the emulator. They are in no PTX.
    use super::*;

    common!(COMMON, "small", 64, small_sample_begin, small_sample_offsets, small_sample_bases, small_sample_runs);
    sample!(
        KEYS_32,
        u32,
        tuning::SAMPLE_SMALL,
        "small",
        small_sample_look_32,
        small_sample_turn_32,
        small_sample_settle_32,
        small_sample_choose_32,
        small_sample_count_32,
        small_sample_scatter_32,
        small_sample_large_32,
        small_sample_copy_32
    );
    sample_pairs!(
        PAIRS_32,
        u32,
        tuning::SAMPLE_SMALL,
        tuning::SAMPLE_SMALL,
        "small",
        small_sample_stable_32_with_32,
        small_sample_stable_32_with_64,
        small_sample_large_32_with_32,
        small_sample_large_32_with_64
    );
    sample!(
        KEYS_64,
        u64,
        tuning::SAMPLE_SMALL,
        "small",
        small_sample_look_64,
        small_sample_turn_64,
        small_sample_settle_64,
        small_sample_choose_64,
        small_sample_count_64,
        small_sample_scatter_64,
        small_sample_large_64,
        small_sample_copy_64
    );
    sample_pairs!(
        PAIRS_64,
        u64,
        tuning::SAMPLE_SMALL,
        tuning::SAMPLE_SMALL,
        "small",
        small_sample_stable_64_with_32,
        small_sample_stable_64_with_64,
        small_sample_large_64_with_32,
        small_sample_large_64_with_64
    );
    sample!(
        KEYS_128,
        u128,
        tuning::SAMPLE_SMALL,
        "small",
        small_sample_look_128,
        small_sample_turn_128,
        small_sample_settle_128,
        small_sample_choose_128,
        small_sample_count_128,
        small_sample_scatter_128,
        small_sample_large_128,
        small_sample_copy_128
    );
}

/// The kernels that look at no key: what sets the tables up, what turns counts into places, what places chunks, what makes a
/// table of runs.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn common(tiles: Tiles) -> [&'static Kernel; 4] {
    let list = match tiles {
        #[cfg(feature = "small-tiles")]
        Tiles::Small => small::COMMON,
        _ => COMMON,
    };
    [list[0], list[1], list[2], list[3]]
}

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 6] {
    [COMMON, KEYS_32, PAIRS_32, KEYS_64, PAIRS_64, KEYS_128]
}
