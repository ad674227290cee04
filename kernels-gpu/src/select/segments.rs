//! Sorts segments of shared memory, all of one length that is known only when the kernel runs.
//!
//! A bitonic network walked by a loop: small code that serves every length, where the register networks of
//! [`tile`](crate::tile) are unrolled for one. What selection sorts is short and seldom, so that the loop's cost hides
//! behind the reads of other blocks.
use crate::simt::{FULL_WARP, WARP, thread, warp};
use crate::tile::element::{Cursor, Element};

/// Sorts each segment of `segment` of the first `len` elements of the view. Both are powers of two, `segment` from 2 to
/// `len`. The caller synchronises the block before and after.
///
/// Comparator p of a step meets thread p mod `THREADS`. Those of a warp reach over 64 neighbouring elements where a group of
/// the step has no more than that, and so nearly all steps of a short segment are followed by a warp's barrier instead of
/// the block's.
///
/// # Safety
/// All `THREADS` threads of the block call it, and the view holds `len` elements.
#[inline(always)]
pub(super) unsafe fn sort_segments<E: Element, const THREADS: u32>(view: E::View, len: u32, segment: u32) {
    let t = thread::thread_idx_x();
    // A group is compared first with its own mirror image, then in halves of halves.
    let mut run = thread::opaque(2);
    let mut group = run;
    loop {
        let half = group / 2;
        let bits = half.trailing_zeros();
        let mut p = t;
        while p < len / 2 {
            let within = p & (half - 1);
            let first = (p >> bits) * group;
            let (low, high) =
                (first + within, if group == run { first + group - 1 - within } else { first + within + half });
            let (a, b): (E, E) = (E::at(view, low).read(), E::at(view, high).read());
            if b.before(a) {
                E::set(view, low, b);
                E::set(view, high, a);
            }
            p += THREADS;
        }
        let before = group;
        if group > 2 {
            group /= 2;
        } else {
            run *= 2;
            group = run;
        }
        if run > segment {
            return;
        }
        if before > 2 * WARP || group > 2 * WARP {
            thread::sync_threads();
        } else {
            warp::sync_warp(FULL_WARP);
        }
    }
}
