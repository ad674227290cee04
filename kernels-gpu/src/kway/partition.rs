//! Cuts for every tile of a k-way merge.
use super::select::{Bracket, select};
use crate::order::Key;
use crate::simt::{Global, thread};

/// An array of consecutive sorted runs, merged k at a time: where each group of k lies and how its output is tiled.
#[derive(Clone, Copy)]
pub struct Groups {
    /// Elements of the array.
    pub n: u64,
    /// Elements of a run; the last may be shorter.
    pub run: u64,
    /// Tiles of a full group: `ceil(k * run / tile)`.
    pub tiles: u32,
}

impl Groups {
    /// Where group `g` of `runs` runs starts and ends.
    #[inline(always)]
    pub fn extent(self, group: u64, runs: u32) -> (u64, u64) {
        let len = self.run * runs as u64;
        let start = group * len;
        let start = if start < self.n { start } else { self.n };
        (start, if self.n - start < len { self.n } else { start + len })
    }
    /// Run `j` of the group at `start..end`: where it starts, and its length.
    #[inline(always)]
    pub fn run_of(self, (start, end): (u64, u64), j: u32) -> (u64, u64) {
        let from = start + self.run * j as u64;
        let from = if from < end { from } else { end };
        (from, if end - from < self.run { end - from } else { self.run })
    }
}

/// Writes the cuts of tile boundaries: `cuts[(g * (tiles + 1) + b) * RUNS + j]` is how many elements of run `j` of group
/// `g` are in the first `b` tiles of the group's output.
///
/// Two launches make them all. The first, with `level` 0, finds every `stride`-th boundary and the last of each group;
/// the second, with `level` 1, the others, each between the two found next to it. With a `stride` of 1 the first
/// launch finds all.
///
/// # Safety
/// `RUNS` lanes handle a boundary: the grid covers `groups * (tiles + 1) * RUNS` threads, rounded up to whole blocks. All
/// runs are sorted, `cuts` has room, and `tiles` and `run` are positive.
#[inline(always)]
pub unsafe fn partition<K: Key, const RUNS: u32>(
    src: Global<K>,
    cuts: Global<u64>,
    groups: Groups,
    boundaries: u64,
    tile: u32,
    stride: u32,
    level: u32,
) {
    core::hint::assert_unchecked(stride > 0 && groups.tiles > 0);
    let thread = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
    let j = (thread % RUNS as u64) as u32;
    // Lanes past the end search for the last boundary too, and drop it: all lanes of a warp search together.
    let row = (thread / RUNS as u64).min(boundaries - 1);
    let in_range = thread / (RUNS as u64) < boundaries;
    let (group, b) = (row / (groups.tiles as u64 + 1), (row % (groups.tiles as u64 + 1)) as u32);
    let extent = groups.extent(group, RUNS);
    let (from, len) = groups.run_of(extent, j);
    let total = extent.1 - extent.0;
    let position = |b: u32| {
        let p = b as u64 * tile as u64;
        if p < total { p } else { total }
    };
    let coarse = b % stride == 0 || b == groups.tiles;
    let mut bracket = Bracket { low: 0, high: len, low_sum: 0, high_sum: total };
    let p = position(b);
    if level == 1 {
        let below = b - b % stride;
        let above = (below + stride).min(groups.tiles);
        let cut = |b: u32| cuts.get((row - row % (groups.tiles as u64 + 1) + b as u64) * RUNS as u64 + j as u64);
        if !coarse {
            bracket =
                Bracket { low: cut(below), high: cut(above), low_sum: position(below), high_sum: position(above) };
        }
    }
    // A boundary that is not this launch's is no search: its bracket is closed.
    let mine = coarse == (level == 0);
    if !mine {
        bracket = Bracket { low: 0, high: 0, low_sum: p, high_sum: p };
    }
    let cut = select::<K, RUNS>(src.offset(from), p, bracket);
    if mine && in_range {
        cuts.set(row * RUNS as u64 + j as u64, cut);
    }
}
