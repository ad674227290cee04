//! Whether segments are what they should be.
use super::Segments;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Word, thread};

/// Lowers `found` to the number of the first segment that ends before it begins, or behind the array, or behind the beginning
/// of the next one.
///
/// # Safety
/// The grid has a thread for each segment; `found` is one word.
#[inline(always)]
pub unsafe fn check<O: Word>(segments: Segments<O>, found: Global<u64>) {
    let s = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
    if s >= segments.count {
        return;
    }
    let (begin, end) = segments.get(s);
    if !segments.is_good(s, begin, end) {
        found.fetch_min(0, s, Ordering::Relaxed);
    }
}
