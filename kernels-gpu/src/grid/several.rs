//! Several extractions for one restoration: the candidates for `M`·n elements are sorted once, and serve `M` rounds.
//!
//! A round may emit no more than n elements, for the one after may still be outside the grid. But the next n are among
//! those sorted already and the replacements that came in meanwhile: so these are merged, and restoring the grid waits
//! until nothing sorted is left.
use super::candidates::Places;
use super::job::Job;
use super::omit;
use super::restore::{self, cell, first_order, kind};
use super::single::{Grid, candidate_cells, grids_bytes};
use super::streams::{Streams, ring_bytes};
use super::team::{self, nothing};
use crate::network::Shuffle;
use crate::order::Key;
use crate::simt::thread;
use crate::tile::payload::Payload;

/// Merges each piece of the job by a team of `T` lanes that holds a `T`×`T` grid, sorts the candidates for `M`·`T`
/// elements, and takes `M` times `T` elements before it restores the grid. `BATCH` is `M`·`T`. Stable.
///
/// `V` registers a lane hold the candidates; `M` is at most half of that. The other parameters are those of
/// [`grid_merge`](super::single::grid_merge).
///
/// After a round, `R` registers are left that hold the next `R`·`T` elements of the grid in order. The `T` replacements are
/// merged with the first of them, what comes out above with the second, and so on: the first results are the next `T`
/// elements to emit, the others the next `R` − 1 registers, and what is above all of them goes back into the grid.
///
/// # Safety
/// As [`grid_merge`](super::single::grid_merge).
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn several_merge<
    K: Key,
    P: Payload<K>,
    const T: u32,
    const N: usize,
    const H: usize,
    const V: usize,
    const M: usize,
    const BATCH: u32,
    const RING: u32,
    const THREADS: u32,
    const PARTS: u32,
>(
    job: Job<K, P>,
) where
    K::Tagged: Shuffle,
{
    const { assert!(BATCH == M as u32 * T && 2 * M <= V && T as usize == N && THREADS.is_multiple_of(32)) }
    let places = const { &Places::new(restore::order(kind::TRIPLE), T, BATCH, V as u32) };
    let lane = team::lane::<T>();
    let team = thread::thread_idx_x() / T;
    let grid = Grid::<K::Tagged>::new(T, THREADS / T, team);
    let offset = grids_bytes::<K>(THREADS, T) + team * ring_bytes::<K>(T, RING);
    let mut streams = Streams::<K, P, T, RING>::new(&job, thread::block_idx_x() * (THREADS / T) + team, offset);

    let mut c = thread::opaque(0);
    while c < T {
        grid.set(cell(T, lane, c), streams.first(c, lane));
        c += 1;
    }
    streams.start(T);
    first_order::<K::Tagged, N, { kind::TRIPLE }>(grid.view, grid.base, nothing::<K>(), |_| {});

    let at: [Option<u32>; V] = candidate_cells(places, lane);
    while streams.any_left() {
        let mut v = [nothing::<K>(); V];
        for r in 0..V {
            if let Some(cell) = at[r] {
                v[r] = grid.get(cell);
            }
        }
        if PARTS & omit::EXTRACTION == 0 {
            team::select::<K::Tagged, V, T>(&mut v, M);
        }
        let mut round = 0;
        while round < M {
            let leaving = streams.leave(v[0], T, T);
            v[0] = streams.replace::<PARTS>(leaving);
            team::sync();
            streams.read_ahead();
            let left = M - 1 - round;
            if left > 0 && PARTS & omit::EXTRACTION == 0 {
                let mut over = team::sort::<K::Tagged, T>(v[0], true);
                let mut i = 1;
                while i <= left {
                    let (low, high) = team::halves(v[i], over);
                    v[i - 1] = team::clean::<K::Tagged, T>(low, false);
                    over = if i < left { team::clean::<K::Tagged, T>(high, true) } else { high };
                    i += 1;
                }
                v[left] = over;
            }
            round += 1;
        }
        for r in 0..V {
            if let Some(cell) = at[r] {
                grid.set(cell, v[r]);
            }
        }
        team::sync();
        if PARTS & omit::RESTORATION == 0 {
            let (view, base) = (grid.view, grid.base);
            restore::restore::<K::Tagged, N, H, BATCH, { kind::TRIPLE }>(view, base, nothing::<K>(), |_| {});
        }
    }
    streams.finish();
}
