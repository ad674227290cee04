//! A 32×32 grid for two warps: each sorts half of the candidates, and the halves meet in shared memory; each restores half
//! of the lines, two lanes a line.
use super::candidates::Places;
use super::job::Job;
use super::omit;
use super::restore::{self, Axis, cell, cells, kind, line};
use super::single::Grid;
use super::streams::{Streams, ring_bytes};
use super::team::{self, nothing, sort_lanes};
use crate::network::Shuffle;
use crate::order::Key;
use crate::simt::{FULL_WARP, WARP, thread, warp};
use crate::tile::element::Element;
use crate::tile::payload::Payload;

/// Threads of a block: one grid.
pub const THREADS: u32 = 64;
/// The side of the grid.
const SIDE: u32 = 32;
/// Elements of a line that a lane has.
const HALF: usize = 16;

/// Shared memory of a block, bytes: the grid and a line for the exchange, then the rings.
pub const fn shared_bytes<K: Key>(ring: u32) -> u32 {
    grid_bytes::<K>() + ring_bytes::<K>(SIDE, ring)
}

const fn grid_bytes<K: Key>() -> u32 {
    ((cells(SIDE) + THREADS) * <K::Tagged as Element>::BYTES).next_multiple_of(16)
}

/// Sorts all lines of an axis, with a barrier behind it.
///
/// The first half of a line is with a lane below 16, the second with the lane 16 further: lanes that access together then
/// have the same half of different lines, which are in different banks.
///
/// # Safety
/// All threads of the block call it.
#[inline(always)]
#[track_caller]
unsafe fn sort_axis<K: Key>(grid: &Grid<K::Tagged>, axis: Axis)
where
    K::Tagged: Shuffle,
{
    let t = thread::thread_idx_x();
    let half = t / 16 % 2;
    let (start, step, len) = line(axis, SIDE, t / WARP * 16 + t % 16);
    let whole = matches!(axis, Axis::Columns | Axis::Rows);
    let index = |i: usize| half * HALF as u32 + i as u32;
    let at = |i: usize| start.wrapping_add(step.wrapping_mul(index(i)));
    let mut v = [nothing::<K>(); HALF];
    for i in 0..HALF {
        if whole || index(i) < len {
            v[i] = grid.get(at(i));
        }
    }
    sort_lanes::<K::Tagged, HALF, 2>(&mut v, 16);
    for i in 0..HALF {
        if whole || index(i) < len {
            grid.set(at(i), v[i]);
        }
    }
    thread::sync_threads();
}

/// Merges each piece of the job by a block of [`THREADS`] that holds a 32×32 grid with the triple invariant and takes `B`
/// ≤ 32 elements from it a round. Stable.
///
/// # Safety
/// As [`grid_merge`](super::single::grid_merge), with a block for each piece and this module's [`shared_bytes`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn pair_merge<K: Key, P: Payload<K>, const B: u32, const RING: u32, const PARTS: u32>(job: Job<K, P>)
where
    K::Tagged: Shuffle,
{
    const { assert!(B <= SIDE) }
    let places = const { &Places::new(restore::order(kind::TRIPLE), SIDE, B, 2) };
    let t = thread::thread_idx_x();
    let lane = warp::lane_id();
    let first = t < WARP;
    // The exchange is behind the grid, in the same view.
    let view = K::Tagged::view(cells(SIDE) + THREADS);
    let grid = Grid::<K::Tagged> { view, base: 0 };
    // Both warps follow what is left; the first one alone has to do with the streams.
    let mut streams = Streams::<K, P, SIDE, RING>::new(&job, thread::block_idx_x(), grid_bytes::<K>());

    let mut c = thread::opaque(t / WARP);
    while c < SIDE {
        grid.set(cell(SIDE, lane, c), streams.first(c, lane));
        c += 2;
    }
    if warp::warp_vote_all(FULL_WARP, first) {
        streams.start(SIDE);
    }
    thread::sync_threads();
    sort_axis::<K>(&grid, Axis::Rows);
    sort_axis::<K>(&grid, Axis::Upper);

    let at = places.cell(t).map(|(row, column)| cell(SIDE, row, column));
    while streams.left() > 0 {
        let mut v = nothing::<K>();
        if let Some(cell) = at {
            v = grid.get(cell);
        }
        if PARTS & omit::EXTRACTION == 0 {
            // Upwards in the first warp, downwards in the second: the smaller of each two are the 32 smallest.
            v = team::sort::<K::Tagged, SIDE>(v, !first);
            grid.set(cells(SIDE) + t, v);
            thread::sync_threads();
            let other = grid.get(cells(SIDE) + (t ^ WARP));
            let (low, high) = team::halves(if first { v } else { other }, if first { other } else { v });
            v = if first { low } else { high };
        }
        if warp::warp_vote_all(FULL_WARP, first) {
            if PARTS & omit::EXTRACTION == 0 {
                v = team::clean::<K::Tagged, SIDE>(v, false);
            }
            let leaving = streams.leave(v, B, SIDE);
            let entering = streams.replace::<PARTS>(leaving);
            if lane < B {
                v = entering;
            }
        } else {
            streams.skip(B);
        }
        if let Some(cell) = at {
            grid.set(cell, v);
        }
        thread::sync_threads();
        if warp::warp_vote_all(FULL_WARP, first) {
            streams.read_ahead();
        }
        if PARTS & omit::RESTORATION == 0 {
            sort_axis::<K>(&grid, Axis::Columns);
            sort_axis::<K>(&grid, Axis::Rows);
            sort_axis::<K>(&grid, Axis::Upper);
        }
    }
    streams.finish();
}
