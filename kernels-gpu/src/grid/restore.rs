//! Putting a grid back in order.
//!
//! A grid lies in shared memory row by row, a row of `N` cells every `N` + 1 cells: whichever way a line runs, the lanes
//! that each walk one touch different banks. A lane has a whole line in its registers and sorts it there by a network, so
//! a phase takes no exchange between lanes, and all lines of an axis are sorted at once.
use super::candidates::{self, Order};
use super::team::{self, Tagged, sort_lanes};
use crate::network;
use crate::network::bitonic;
use crate::simt::warp;
use crate::tile::element::Cursor;

/// How a grid is restored.
pub mod kind {
    /// Columns, rows, upper anti-diagonals: the triple invariant as far as candidates need it.
    pub const TRIPLE: u32 = 0;
    /// Columns, rows.
    pub const RECTANGLE: u32 = 1;
    /// Dirty columns, anti-diagonals, columns, anti-diagonals: the triple invariant in full, without rows.
    pub const INCREMENTAL: u32 = 2;
}

/// The order that a kind of restoration makes: what its candidates are computed for.
pub const fn order(kind: u32) -> Order {
    match kind {
        kind::RECTANGLE => Order::Rectangle,
        kind::INCREMENTAL => Order::Triple,
        _ => Order::Upper,
    }
}

/// A part of a round after which a grid can be looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Candidates have been replaced.
    Refilled,
    /// Columns have been sorted.
    Columns,
    /// Rows have been sorted.
    Rows,
    /// Anti-diagonals have been sorted, all that the kind sorts.
    AntiDiagonals,
}

/// Cells of shared memory that an `n`×`n` grid takes.
pub const fn cells(n: u32) -> u32 {
    n * (n + 1)
}

/// Where cell (r, c) lies in an `n`×`n` grid.
#[inline(always)]
pub const fn cell(n: u32, r: u32, c: u32) -> u32 {
    r * (n + 1) + c
}

/// A family of lines, of which each lane has one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Axis {
    Columns,
    Rows,
    /// Anti-diagonals 0 to n − 1: those of the upper triangle, the longest one included.
    Upper,
    /// Anti-diagonals n to 2n − 2; the last lane has none.
    Lower,
}

/// The line of number `i`: its first cell, the way to the next, its length.
#[inline(always)]
pub(super) fn line(axis: Axis, n: u32, i: u32) -> (u32, u32, u32) {
    match axis {
        Axis::Columns => (cell(n, 0, i), n + 1, n),
        Axis::Rows => (cell(n, i, 0), 1, n),
        Axis::Upper => (cell(n, i, 0), n.wrapping_neg(), i + 1),
        Axis::Lower => (cell(n, n - 1, 0) + i + 1, n.wrapping_neg(), n - 1 - i),
    }
}

/// What is known of a line before it is sorted.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Known {
    /// Nothing.
    Nothing,
    /// All but its first eight elements, or fewer where the line is short, are sorted.
    AllButEight,
    /// It may well be sorted: look first.
    Perhaps,
}

/// Sorts every line of an axis, a lane each, in the grid that begins at `base` of the view.
///
/// # Safety
/// All lanes of the warp call it, in teams of `N`; each team has a grid of its own.
#[inline(always)]
#[track_caller]
pub(super) unsafe fn sort_axis<E: Tagged, const N: usize>(
    view: E::View,
    base: u32,
    axis: Axis,
    known: Known,
    nothing: E,
) {
    let (start, step, len) = line(axis, N as u32, warp::lane_id() % N as u32);
    let whole = matches!(axis, Axis::Columns | Axis::Rows);
    let at = |i: usize| base.wrapping_add(start).wrapping_add(step.wrapping_mul(i as u32));
    let mut v = [nothing; N];
    let mut i = 0;
    while i < N {
        // A shorter line ends in what is after all elements and stays there.
        if whole || (i as u32) < len {
            v[i] = E::at(view, at(i)).read();
        }
        i += 1;
    }
    let mut disorder = true;
    if known == Known::Perhaps {
        let mut any = false;
        let mut i = 1;
        while i < N {
            any |= v[i].before(v[i - 1]);
            i += 1;
        }
        disorder = team::any(any);
    }
    if disorder {
        if known == Known::AllButEight && N > 8 {
            merge_first_eight(&mut v);
        } else {
            network::sort(&mut v);
        }
        let mut i = 0;
        while i < N {
            if whole || (i as u32) < len {
                E::set(view, at(i), v[i]);
            }
            i += 1;
        }
    }
    team::sync();
}

/// Sorts a line whose elements from the ninth on are sorted: the first eight by themselves, then downwards before the rest,
/// which makes a bitonic sequence.
#[inline(always)]
fn merge_first_eight<E: Tagged, const N: usize>(v: &mut [E; N]) {
    let mut first = [v[0]; 8];
    first.copy_from_slice(&v[..8]);
    network::sort(&mut first);
    let mut i = 0;
    while i < 8 {
        v[i] = first[7 - i];
        i += 1;
    }
    bitonic::merge(v);
}

/// Sorts columns `0..dirty`, four lanes a column, each with `H` = `N` / 4 of its elements.
///
/// # Safety
/// As [`sort_axis`].
#[inline(always)]
#[track_caller]
unsafe fn sort_first_columns<E: Tagged, const N: usize, const H: usize>(
    view: E::View,
    base: u32,
    dirty: u32,
    nothing: E,
) {
    let n = N as u32;
    let lane = warp::lane_id() % n;
    // The quarters of a column are n / 4 lanes apart: lanes that access together then have neighbouring columns.
    let (column, quarter) = (lane % (n / 4), lane / (n / 4));
    let mut first = 0;
    while first < dirty {
        let c = first + column;
        let at = |i: usize| base + cell(n, quarter * H as u32 + i as u32, c);
        let mut v = [nothing; H];
        if c < dirty {
            for i in 0..H {
                v[i] = E::at(view, at(i)).read();
            }
        }
        sort_lanes::<E, H, 4>(&mut v, n / 4);
        if c < dirty {
            for i in 0..H {
                E::set(view, at(i), v[i]);
            }
        }
        first += n / 4;
    }
    team::sync();
}

/// Restores a grid of which the candidate cells for `B` elements have been written.
///
/// - [`TRIPLE`](kind::TRIPLE) sorts *all* columns, not only those with candidates. Sorting only the upper anti-diagonals
///   may leave a column out of order where it crosses the longest of them, and a column without candidates would stay so;
///   then the next rows no longer keep columns sorted, and a smallest element can get behind the candidates. The text
///   spares both; either alone is right, both together are not (`tests/grid_restoration.rs` has the counterexample).
/// - [`INCREMENTAL`](kind::INCREMENTAL) rests on what a column and an anti-diagonal know of each other: a replacement goes
///   down its column, then up its anti-diagonal, at whose upper end it may be after what stands below in *that* column. So
///   columns have their turn again, and after several replacements anti-diagonals too. That four phases do is proven for
///   small grids by exhaustion in the same tests.
///
/// `seen` is told each phase that is done.
///
/// # Safety
/// As [`sort_axis`]; writes before are ordered by [`team::sync`].
#[inline(always)]
#[track_caller]
pub(super) unsafe fn restore<E: Tagged, const N: usize, const H: usize, const B: u32, const KIND: u32>(
    view: E::View,
    base: u32,
    nothing: E,
    mut seen: impl FnMut(Phase),
) {
    const { assert!(H * 4 == N || KIND != kind::INCREMENTAL) }
    if KIND == kind::INCREMENTAL {
        let dirty = const { candidates::columns(Order::Triple, N as u32, B) };
        sort_first_columns::<E, N, H>(view, base, dirty, nothing);
        seen(Phase::Columns);
        let diagonals = if dirty <= 8 { Known::AllButEight } else { Known::Nothing };
        sort_axis::<E, N>(view, base, Axis::Upper, diagonals, nothing);
        sort_axis::<E, N>(view, base, Axis::Lower, diagonals, nothing);
        seen(Phase::AntiDiagonals);
        sort_axis::<E, N>(view, base, Axis::Columns, Known::Nothing, nothing);
        seen(Phase::Columns);
        sort_axis::<E, N>(view, base, Axis::Upper, Known::Perhaps, nothing);
        sort_axis::<E, N>(view, base, Axis::Lower, Known::Perhaps, nothing);
        seen(Phase::AntiDiagonals);
    } else {
        sort_axis::<E, N>(view, base, Axis::Columns, Known::Nothing, nothing);
        seen(Phase::Columns);
        sort_axis::<E, N>(view, base, Axis::Rows, Known::Nothing, nothing);
        seen(Phase::Rows);
        if KIND == kind::TRIPLE {
            sort_axis::<E, N>(view, base, Axis::Upper, Known::Nothing, nothing);
            seen(Phase::AntiDiagonals);
        }
    }
}

/// Sorts the rows, and the anti-diagonals where the kind has them, of a grid whose columns are sorted: a grid that has just
/// been filled.
///
/// # Safety
/// As [`restore`].
#[inline(always)]
#[track_caller]
pub(super) unsafe fn first_order<E: Tagged, const N: usize, const KIND: u32>(
    view: E::View,
    base: u32,
    nothing: E,
    mut seen: impl FnMut(Phase),
) {
    sort_axis::<E, N>(view, base, Axis::Rows, Known::Nothing, nothing);
    seen(Phase::Rows);
    if KIND != kind::RECTANGLE {
        sort_axis::<E, N>(view, base, Axis::Upper, Known::Nothing, nothing);
        if KIND == kind::INCREMENTAL {
            sort_axis::<E, N>(view, base, Axis::Lower, Known::Nothing, nothing);
        }
        seen(Phase::AntiDiagonals);
    }
}
