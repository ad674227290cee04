//! The sample sort's kernels, for each key width that it serves.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::Tiles;
#[cfg(not(target_arch = "nvptx64"))]
use crate::merge::tile_sort;
use crate::order::Key;
use crate::sample::buckets::{Areas, copy_buckets, sort_buckets};
use crate::sample::count::count;
use crate::sample::large::sort_large;
use crate::sample::look::{look, settle};
use crate::sample::offsets::{Lists, Next, offsets};
use crate::sample::scatter::scatter;
use crate::sample::splitters::choose_splitters;
use crate::sample::tables::{self, COPIES, Level, Segments};
#[cfg(not(target_arch = "nvptx64"))]
use crate::sample::{count as counting, large, offsets as placing, scatter as scattering, splitters as choosing};
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tile::payload::Keys;
use crate::tile::warp_sort::slots;
use crate::tuning::{self, SAMPLE_COPY, SORTED, SampleTuning};

crate::kernels! {
    /// What all widths share.
    COMMON:
    /// [`tables::begin`].
    fn sample_begin(counters: Global<u32>, segments: Global<u64>, n: u64, chunk: u32)
        [module: "sample", threads: 32, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = tables::begin(counters, segments, n, chunk);
}

/// A level's tables from a kernel's parameters.
#[inline(always)]
fn level(counters: Global<u32>, segments: Global<u64>, number: u32, chunk: u32) -> Level {
    Level { counters, segments: Segments { records: segments }, number, chunk }
}

/// Threads of a block that has one for each bucket, and two warps at least.
const fn bucket_threads(tuning: &SampleTuning) -> u32 {
    if 1 << tuning.bits < 64 { 64 } else { 1 << tuning.bits }
}

/// The kernels for keys of one width. Barriers: the sort of a sample has two in its rounds, one behind it and one behind its
/// use; a count three a chunk; the places of buckets one in the sum and one behind it; a scatter one before it knows its
/// chunk, one behind the ranks, one in the sum, one behind it, and one behind the staging. A bucket sort has two in its rounds,
/// one before it writes out and one behind that; the sort of a large bucket those, and five for the merges.
macro_rules! sample {
    ($list:ident, $k:ty, $tuning:expr, $module:literal, $look:ident, $settle:ident, $choose:ident, $count:ident, $offsets:ident, $scatter:ident, [$($class:literal $sort:ident),*], $large:ident, $copy:ident) => {
        crate::kernels! {
            /// Kernels for keys of one width.
            $list:
            /// [`look`] at the keys.
            fn $look(keys: Global<$k>, n: u64, counters: Global<u32>, codec: u32)
                [module: $module, threads: SORTED.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = look::<$k>(keys, n, counters, <$k as Key>::codec(codec));
            /// [`settle`] what needs no sorting.
            fn $settle(src: Global<$k>, dst: Global<$k>, n: u64, counters: Global<u32>)
                [module: $module, threads: SAMPLE_COPY.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = settle::<$k, { SAMPLE_COPY.threads }, { SAMPLE_COPY.items as usize }>(src, dst, n, counters);
            /// [`choose_splitters`] of a level's segments.
            fn $choose(src: Global<$k>, counters: Global<u32>, segments: Global<u64>, number: u32, chunk: u32, splitters: Global<$k>, equal: Global<u32>, rows: Global<u64>, target: u32, seed: u64, codec: u32)
                [module: $module, threads: $tuning.sample.threads, min_blocks: 3, barriers: 4, shared_bytes: choosing::shared_bytes::<$k>($tuning.sample.threads, slots($tuning.sample.items))]
                = choose_splitters::<$k, { $tuning.sample.threads }, { $tuning.sample.items as usize }, { slots($tuning.sample.items) as usize }, { $tuning.bits }>(
                    src, level(counters, segments, number, chunk), splitters, equal, rows, target, seed,
                    <$k as Key>::codec(codec),
                );
            /// [`count`] of a level's buckets.
            fn $count(src: Global<$k>, counters: Global<u32>, segments: Global<u64>, number: u32, chunk: u32, splitters: Global<$k>, equal: Global<u32>, rows: Global<u64>, places: Global<u16>, codec: u32)
                [module: $module, threads: $tuning.count.threads, min_blocks: 0, barriers: 3, shared_bytes: counting::shared_bytes::<$k, { $tuning.bits }>()]
                = count::<$k, { $tuning.count.threads }, { $tuning.count.items as usize }, { $tuning.bits }>(
                    src, level(counters, segments, number, chunk), splitters, equal, rows, places,
                    <$k as Key>::codec(codec),
                );
            /// [`offsets`] of a level's buckets.
            fn $offsets(counters: Global<u32>, segments: Global<u64>, number: u32, chunk: u32, next: Global<u64>, above: u64, equal: Global<u32>, rows: Global<u64>, lists: Global<u64>, n: u64, buckets: u64)
                [module: $module, threads: bucket_threads(&$tuning), min_blocks: 0, barriers: 2, shared_bytes: placing::shared_bytes(bucket_threads(&$tuning))]
                = offsets::<{ $tuning.bits }, { bucket_threads(&$tuning) }>(
                    level(counters, segments, number, chunk),
                    Next { segments: Segments { records: next }, chunk, above },
                    equal, rows,
                    Lists { entries: lists, n, buckets, class_keys: $tuning.class_keys() },
                );
            /// [`scatter`] of a level's keys.
            fn $scatter(src: Global<$k>, dst: Global<$k>, counters: Global<u32>, segments: Global<u64>, number: u32, chunk: u32, rows: Global<u64>, places: Global<u16>, tiles: u32)
                [module: $module, threads: $tuning.scatter.threads, min_blocks: $tuning.scatter_min_blocks, barriers: 5, shared_bytes: scattering::shared_bytes::<$k>($tuning.scatter.tile(), $tuning.bits)]
                = scatter::<$k, { $tuning.scatter.threads }, { $tuning.scatter.items as usize }, { $tuning.bits }>(
                    src, dst, level(counters, segments, number, chunk), rows, places, tiles,
                );
            $(
                /// [`sort_buckets`] of one class.
                fn $sort(data: Global<$k>, scratch: Global<$k>, counters: Global<u32>, list: Global<u64>, codec: u32)
                    [module: $module, threads: $tuning.classes[$class].threads, min_blocks: 0, barriers: 4, shared_bytes: tile_sort::shared_bytes::<$k, Keys>($tuning.classes[$class].tile())]
                    = sort_buckets::<$k, { $tuning.classes[$class].threads }, { $tuning.classes[$class].items as usize }>(
                        Areas { data, scratch }, counters, tables::class($class), list,
                        <$k as Key>::codec(codec),
                    );
            )*
            /// [`sort_large`].
            fn $large(data: Global<$k>, scratch: Global<$k>, counters: Global<u32>, list: Global<u64>, codec: u32)
                [module: $module, threads: $tuning.large.threads, min_blocks: 1, barriers: 9, shared_bytes: large::shared_bytes::<$k>($tuning.large.tile())]
                = sort_large::<$k, { $tuning.large.threads }, { $tuning.large.items as usize }>(
                    Areas { data, scratch }, counters, list,
                    <$k as Key>::codec(codec),
                );
            /// [`copy_buckets`].
            fn $copy(data: Global<$k>, scratch: Global<$k>, counters: Global<u32>, list: Global<u64>)
                [module: $module, threads: SAMPLE_COPY.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = copy_buckets::<$k, { SAMPLE_COPY.threads }, { SAMPLE_COPY.items as usize }>(
                    Areas { data, scratch }, counters, COPIES, list,
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
    sample_settle_32,
    sample_choose_32,
    sample_count_32,
    sample_offsets_32,
    sample_scatter_32,
    [
        0 sample_sort_32_0,
        1 sample_sort_32_1,
        2 sample_sort_32_2,
        3 sample_sort_32_3,
        4 sample_sort_32_4,
        5 sample_sort_32_5
    ],
    sample_large_32,
    sample_copy_32
);
sample!(
    KEYS_64,
    u64,
    tuning::SAMPLE_64,
    "sample_64",
    sample_look_64,
    sample_settle_64,
    sample_choose_64,
    sample_count_64,
    sample_offsets_64,
    sample_scatter_64,
    [
        0 sample_sort_64_0,
        1 sample_sort_64_1,
        2 sample_sort_64_2,
        3 sample_sort_64_3,
        4 sample_sort_64_4,
        5 sample_sort_64_5
    ],
    sample_large_64,
    sample_copy_64
);

#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small {
    //! The same kernels with tiny tiles, for tests on the emulator. They are in no PTX.
    use super::*;

    sample!(
        KEYS_32,
        u32,
        tuning::SAMPLE_SMALL,
        "small",
        small_sample_look_32,
    small_sample_settle_32,
    small_sample_choose_32,
        small_sample_count_32,
        small_sample_offsets_32,
        small_sample_scatter_32,
        [
            0 small_sample_sort_32_0,
            1 small_sample_sort_32_1,
            2 small_sample_sort_32_2,
            3 small_sample_sort_32_3,
            4 small_sample_sort_32_4,
            5 small_sample_sort_32_5
        ],
        small_sample_large_32,
        small_sample_copy_32
    );
    sample!(
        KEYS_64,
        u64,
        tuning::SAMPLE_SMALL,
        "small",
        small_sample_look_64,
    small_sample_settle_64,
    small_sample_choose_64,
        small_sample_count_64,
        small_sample_offsets_64,
        small_sample_scatter_64,
        [
            0 small_sample_sort_64_0,
            1 small_sample_sort_64_1,
            2 small_sample_sort_64_2,
            3 small_sample_sort_64_3,
            4 small_sample_sort_64_4,
            5 small_sample_sort_64_5
        ],
        small_sample_large_64,
        small_sample_copy_64
    );
}

/// The sample sort's kernels for one key width.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct SampleKernels {
    /// Sets the tables up.
    pub begin: &'static Kernel,
    /// Looks whether the keys are sorted.
    pub look: &'static Kernel,
    /// Finishes where they are.
    pub settle: &'static Kernel,
    /// Chooses splitters.
    pub choose: &'static Kernel,
    /// Counts.
    pub count: &'static Kernel,
    /// Turns counts into places, buckets into work.
    pub offsets: &'static Kernel,
    /// Moves keys.
    pub scatter: &'static Kernel,
    /// Sort the buckets of each class.
    pub classes: &'static [&'static Kernel],
    /// Sorts large buckets.
    pub large: &'static Kernel,
    /// Copies buckets of equal keys.
    pub copy: &'static Kernel,
    /// Their shapes.
    pub tuning: SampleTuning,
}

#[cfg(not(target_arch = "nvptx64"))]
impl SampleKernels {
    fn of(list: &'static [&'static Kernel], tuning: SampleTuning) -> Self {
        SampleKernels {
            begin: &sample_begin,
            look: list[0],
            settle: list[1],
            choose: list[2],
            count: list[3],
            offsets: list[4],
            scatter: list[5],
            classes: &list[6..12],
            large: list[12],
            copy: list[13],
            tuning,
        }
    }
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &'static Kernel> {
        let one = [
            self.begin,
            self.look,
            self.settle,
            self.choose,
            self.count,
            self.offsets,
            self.scatter,
            self.large,
            self.copy,
        ];
        one.into_iter().chain(self.classes.iter().copied())
    }
}

/// The sample sort's kernels for keys of this width alone, if there are any.
#[cfg(not(target_arch = "nvptx64"))]
pub fn sample_kernels(width: KeyWidth, tiles: Tiles) -> Option<SampleKernels> {
    Some(match (tiles, width) {
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, KeyWidth::W32) => SampleKernels::of(small::KEYS_32, tuning::SAMPLE_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, KeyWidth::W64) => SampleKernels::of(small::KEYS_64, tuning::SAMPLE_SMALL),
        (_, KeyWidth::W32) => SampleKernels::of(KEYS_32, tuning::SAMPLE_32),
        (_, KeyWidth::W64) => SampleKernels::of(KEYS_64, tuning::SAMPLE_64),
        _ => return None,
    })
}

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 3] {
    [COMMON, KEYS_32, KEYS_64]
}
