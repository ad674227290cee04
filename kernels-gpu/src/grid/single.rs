//! A grid for each team: n = 32 with one warp, n = 16 with half a warp (two grids a warp), with the triple invariant, as a
//! Young tableau, or restored incrementally.
use super::candidates::Places;
use super::job::Job;
use super::omit;
use super::restore::{self, Phase, cell, cells, first_order};
use super::streams::{Streams, ring_bytes};
use super::team::{self, nothing};
use crate::network::Shuffle;
use crate::order::Key;
use crate::simt::thread;
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;

/// Shared memory of a block of `threads`, bytes: the grids of its teams, then their rings.
pub const fn shared_bytes<K: Key>(threads: u32, n: u32, ring: u32) -> u32 {
    threads / n * ring_bytes::<K>(n, ring) + grids_bytes::<K>(threads, n)
}

pub(super) const fn grids_bytes<K: Key>(threads: u32, n: u32) -> u32 {
    (threads / n * cells(n) * <K::Tagged as Element>::BYTES).next_multiple_of(16)
}

/// A team's grid in shared memory.
pub(super) struct Grid<E: Element> {
    pub(super) view: E::View,
    /// Its first cell in the view.
    pub(super) base: u32,
}

impl<E: Element> Grid<E> {
    /// The grid of team `team` of `teams`.
    #[inline(always)]
    pub(super) fn new(n: u32, teams: u32, team: u32) -> Self {
        Grid { view: E::view(teams * cells(n)), base: team * cells(n) }
    }
    /// # Safety
    /// As [`Cursor::read`].
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn get(&self, cell: u32) -> E {
        E::at(self.view, self.base + cell).read()
    }
    /// # Safety
    /// As [`Element::set`].
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn set(&self, cell: u32, e: E) {
        E::set(self.view, self.base + cell, e)
    }
}

/// Where a lane's candidates lie: register r's in the r-th, if it has one.
#[inline(always)]
pub(super) fn candidate_cells<const V: usize>(places: &Places, lane: u32) -> [Option<u32>; V] {
    let n = places.side();
    let mut at = [None; V];
    let mut r = 0;
    while r < V {
        at[r] = places.cell(r as u32 * n + lane).map(|(row, column)| cell(n, row, column));
        r += 1;
    }
    at
}

/// Looks at the grid after each phase: for demonstrations on the emulator.
pub trait Watch<E>: Copy {
    /// Whether it looks at all.
    const ON: bool;
    /// Is told what is in a cell after a phase, for each cell of each team, by the lanes that have its columns. `step` counts
    /// the phases.
    fn see(self, step: u32, phase: Phase, row: u32, column: u32, element: E);
}

/// Does not look.
#[derive(Clone, Copy)]
pub struct Unwatched;

impl<E> Watch<E> for Unwatched {
    const ON: bool = false;
    #[inline(always)]
    fn see(self, _: u32, _: Phase, _: u32, _: u32, _: E) {}
}

/// Merges each piece of the job by a team of `T` lanes that holds a `T`×`T` grid and takes `B` ≤ `T` elements from it a
/// round. Stable.
///
/// `N` is `T` and `H` a quarter of it, as lengths of arrays. `V` registers a lane hold the candidates: the power of two that
/// `|C(B)|` / `T` asks for. `KIND` says how the grid is [restored](restore::kind). `RING` is the slots of shared memory for
/// each stream to be read ahead into; 0 reads replacements directly. `PARTS` names what a kernel for timing leaves
/// [out](omit).
///
/// Why it is right: the grid holds the next `T` elements of each stream, all there are of one that ends sooner. The `B`
/// ≤ `T` smallest of all that is left are among these, for none is behind `T` others of its stream; and `C(B)` says where in
/// the grid.
///
/// # Safety
/// A block has `THREADS` threads and [`shared_bytes`] of shared memory; the launch has a team of `T` lanes for each piece.
/// The job's arrays are as it says, no piece has 2^31 elements or more, and outputs overlap neither each other nor the
/// streams.
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn grid_merge<
    K: Key,
    P: Payload<K>,
    const T: u32,
    const N: usize,
    const H: usize,
    const V: usize,
    const B: u32,
    const KIND: u32,
    const RING: u32,
    const THREADS: u32,
    const PARTS: u32,
>(
    job: Job<K, P>,
) where
    K::Tagged: Shuffle,
{
    watched_merge::<K, P, T, N, H, V, B, KIND, RING, THREADS, PARTS, Unwatched>(job, Unwatched)
}

/// [`grid_merge`] with somebody who looks at the grid.
///
/// # Safety
/// As [`grid_merge`].
#[inline(always)]
pub unsafe fn watched_merge<
    K: Key,
    P: Payload<K>,
    const T: u32,
    const N: usize,
    const H: usize,
    const V: usize,
    const B: u32,
    const KIND: u32,
    const RING: u32,
    const THREADS: u32,
    const PARTS: u32,
    W: Watch<K::Tagged>,
>(
    job: Job<K, P>,
    watch: W,
) where
    K::Tagged: Shuffle,
{
    const { assert!(B <= T && T as usize == N && THREADS.is_multiple_of(32)) }
    let places = const { &Places::new(restore::order(KIND), T, B, V as u32) };
    let lane = team::lane::<T>();
    let team = thread::thread_idx_x() / T;
    let grid = Grid::<K::Tagged>::new(T, THREADS / T, team);
    let offset = grids_bytes::<K>(THREADS, T) + team * ring_bytes::<K>(T, RING);
    let mut streams = Streams::<K, P, T, RING>::new(&job, thread::block_idx_x() * (THREADS / T) + team, offset);
    let mut step = 0;
    let mut seen = |phase: Phase| {
        if W::ON {
            team::sync();
            for row in 0..T {
                watch.see(step, phase, row, lane, grid.get(cell(T, row, lane)));
            }
            step += 1;
            team::sync();
        }
    };

    // Column c is stream c. Lanes read along the streams, each for the row that it sorts first.
    let mut c = thread::opaque(0);
    while c < T {
        grid.set(cell(T, lane, c), streams.first(c, lane));
        c += 1;
    }
    streams.start(T);
    seen(Phase::Refilled);
    first_order::<K::Tagged, N, KIND>(grid.view, grid.base, nothing::<K>(), &mut seen);

    let at: [Option<u32>; V] = candidate_cells(places, lane);
    while streams.any_left() {
        let mut v = [nothing::<K>(); V];
        for r in 0..V {
            if let Some(cell) = at[r] {
                v[r] = grid.get(cell);
            }
        }
        if PARTS & omit::EXTRACTION == 0 {
            team::select::<K::Tagged, V, T>(&mut v, 1);
        }
        let leaving = streams.leave(v[0], B, T);
        let entering = streams.replace::<PARTS>(leaving);
        if lane < B {
            v[0] = entering;
        }
        // Survivors and replacements go to the candidate cells as they come: each line is sorted whatever it holds.
        for r in 0..V {
            if let Some(cell) = at[r] {
                grid.set(cell, v[r]);
            }
        }
        team::sync();
        streams.read_ahead();
        seen(Phase::Refilled);
        if PARTS & omit::RESTORATION == 0 {
            restore::restore::<K::Tagged, N, H, B, KIND>(grid.view, grid.base, nothing::<K>(), &mut seen);
        }
    }
    streams.finish();
}
