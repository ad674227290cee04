//! The kernels that look at where segments are, for offsets of 32 and 64 bits. Those that sort them are the ones for
//! [rows](super::rows) and those of the [merge sort](super::kway).
use crate::segments::check::check;
use crate::segments::classify::{self, begin, classify, judge};
use crate::segments::{Bounds, Segments};
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tuning::SEGMENT_THREADS;

crate::kernels! {
    /// Kernels that look at segments.
    SEGMENTS:
    /// [`fn@begin`].
    fn segments_begin(counters: Global<u32>, table: Global<u64>, other_keys: u64, other_payloads: u64)
        [module: "segments", threads: 32, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = begin(counters, table, other_keys, other_payloads);
    /// [`judge`].
    fn segments_judge(counters: Global<u32>, table: Global<u64>)
        [module: "segments", threads: 32, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = judge(counters, table);
    /// [`fn@classify`] by 32-bit offsets. Barriers: one behind each use of the block's counters.
    fn segments_classify_32(begins: Global<u32>, ends: Global<u32>, count: u64, n: u64, bounds_0: u64, bounds_1: u64, bounds_2: u64, bounds_3: u64, counters: Global<u32>, lists: Global<u64>, table: Global<u64>, tile: u32, units: u64)
        [module: "segments", threads: SEGMENT_THREADS, min_blocks: 0, barriers: 3, shared_bytes: classify::SHARED_BYTES]
        = classify::<u32>(Segments { begins, ends, count, n }, Bounds { words: [bounds_0, bounds_1, bounds_2, bounds_3] }, counters, lists, table, tile, units);
    /// [`fn@classify`] by 64-bit offsets.
    fn segments_classify_64(begins: Global<u64>, ends: Global<u64>, count: u64, n: u64, bounds_0: u64, bounds_1: u64, bounds_2: u64, bounds_3: u64, counters: Global<u32>, lists: Global<u64>, table: Global<u64>, tile: u32, units: u64)
        [module: "segments", threads: SEGMENT_THREADS, min_blocks: 0, barriers: 3, shared_bytes: classify::SHARED_BYTES]
        = classify::<u64>(Segments { begins, ends, count, n }, Bounds { words: [bounds_0, bounds_1, bounds_2, bounds_3] }, counters, lists, table, tile, units);
    /// [`fn@check`] of 32-bit offsets.
    fn segments_check_32(begins: Global<u32>, ends: Global<u32>, count: u64, n: u64, found: Global<u64>)
        [module: "segments", threads: SEGMENT_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = check::<u32>(Segments { begins, ends, count, n }, found);
    /// [`fn@check`] of 64-bit offsets.
    fn segments_check_64(begins: Global<u64>, ends: Global<u64>, count: u64, n: u64, found: Global<u64>)
        [module: "segments", threads: SEGMENT_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = check::<u64>(Segments { begins, ends, count, n }, found);
}

/// Of the kernels for 32-bit and for 64-bit offsets, those for the width.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct SegmentKernels {
    /// Empties the lists and the table.
    pub begin: &'static Kernel,
    /// Fills them.
    pub classify: &'static Kernel,
    /// Empties them again where a segment is not what it should be.
    pub judge: &'static Kernel,
    /// Looks for segments that are not what they should be.
    pub check: &'static Kernel,
}

/// The kernels for offsets of 64 bits, or of 32.
#[cfg(not(target_arch = "nvptx64"))]
pub fn segment_kernels(wide: bool) -> SegmentKernels {
    let (classify, check) =
        if wide { (&segments_classify_64, &segments_check_64) } else { (&segments_classify_32, &segments_check_32) };
    SegmentKernels { begin: &segments_begin, classify, judge: &segments_judge, check }
}
