//! Merging two runs that lie in shared memory.
use super::element::{Cursor, Element};

/// Two runs in one tile: A is `a..a_end`, B is `b..b_end`.
#[derive(Clone, Copy)]
pub struct Runs {
    /// Where A starts.
    pub a: u32,
    /// Where A ends.
    pub a_end: u32,
    /// Where B starts.
    pub b: u32,
    /// Where B ends.
    pub b_end: u32,
}

/// The first `N` elements of the merge of two runs, A's first on ties, and the place in the tile that each came from.
///
/// Where the runs hold fewer than `N` elements, the rest of the result has no meaning. One element is read a step, the
/// successor of the one just taken; at a run's end the position is clamped to the run's last element instead of
/// branching, so no element outside the runs is ever read.
///
/// # Safety
/// The runs are inside the view, element 0 of the view is set, and no thread writes to the tile before the next barrier.
#[inline(always)]
pub unsafe fn serial_merge<E: Element, const N: usize>(view: E::View, runs: Runs) -> ([E; N], [u32; N]) {
    let at = |i: u32| E::at(view, i);
    // The last element of a run, or element 0 of the tile for a run that ends there: always readable.
    let last = |end: u32| if end > 0 { end - 1 } else { 0 };
    let (a_last, b_last) = (at(last(runs.a_end)).pinned(), at(last(runs.b_end)).pinned());
    let (mut a, mut b) = (at(runs.a), at(runs.b));
    let (mut a_at, mut b_at) = (runs.a, runs.b);
    let (mut a_left, mut b_left) = (runs.a < runs.a_end, runs.b < runs.b_end);
    let mut x = if a < a_last { a } else { a_last }.read();
    let mut y = if b < b_last { b } else { b_last }.read();
    let mut out = [x; N];
    let mut from = [0; N];
    let mut i = 0;
    while i < N {
        let take_b = b_left && (!a_left || y.key_before(x));
        out[i] = if take_b { y } else { x };
        from[i] = if take_b { b_at } else { a_at };
        let next = if take_b { b } else { a }.offset(1);
        let end = if take_b { b_last } else { a_last };
        // next is at most one past the run's last element, unless both runs have ended.
        let more = next <= end;
        let fresh = if more { next } else { end }.read();
        if take_b {
            (b, y, b_left, b_at) = (next, fresh, more, b_at + 1);
        } else {
            (a, x, a_left, a_at) = (next, fresh, more, a_at + 1);
        }
        i += 1;
    }
    (out, from)
}
