//! From the cuts of a k-way partition to the pieces of a job.
use crate::kway::partition::Groups;
use crate::simt::{Global, thread};

/// The arrays that say what each piece is; see [`Job`](super::Job).
#[derive(Clone, Copy)]
pub struct Layout {
    /// Where each piece of each stream begins.
    pub begins: Global<u64>,
    /// Where it ends.
    pub ends: Global<u64>,
    /// Where the merge of each piece goes.
    pub outputs: Global<u64>,
}

/// Writes, for each tile of each group of `runs` runs, where its piece of each run begins and ends and where its output
/// goes: the layout of a [`Job`](super::Job) with `runs` streams. `cuts` is what
/// [`partition`](crate::kway::partition::partition) wrote for tiles of `tile` elements; group `g` has the pieces from
/// `g * groups.tiles` on.
///
/// # Safety
/// The grid covers `pieces * runs` threads, rounded up to whole blocks; the arrays have room for as many.
#[inline(always)]
pub unsafe fn pieces(cuts: Global<u64>, layout: Layout, groups: Groups, pieces: u32, runs: u32, tile: u32) {
    core::hint::assert_unchecked(groups.tiles > 0);
    core::hint::assert_unchecked(runs > 0);
    let i = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
    let (piece, j) = (i / runs as u64, (i % runs as u64) as u32);
    if piece >= pieces as u64 {
        return;
    }
    let (group, b) = (piece / groups.tiles as u64, piece % groups.tiles as u64);
    let extent = groups.extent(group, runs);
    let base = groups.run_of(extent, j).0;
    let row = (group * (groups.tiles as u64 + 1) + b) * runs as u64 + j as u64;
    layout.begins.set(i, base + cuts.get(row));
    layout.ends.set(i, base + cuts.get(row + runs as u64));
    if j == 0 {
        let position = b * tile as u64;
        let total = extent.1 - extent.0;
        layout.outputs.set(piece, extent.0 + if position < total { position } else { total });
    }
}
