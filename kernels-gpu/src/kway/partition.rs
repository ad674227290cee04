//! Cuts for every tile of a k-way merge.
use super::inputs::Inputs;
use super::select::{Bracket, group_sum, select};
use crate::batch::{Batch, SEGMENT_RUNS, passes};
use crate::order::Key;
use crate::simt::{FULL_WARP, Global, thread, warp};

/// Arrays of consecutive sorted runs, merged k at a time: where each group of k lies and how its output is tiled.
#[derive(Clone, Copy)]
pub struct Groups {
    /// Elements of an array, a row of the batch.
    pub n: u64,
    /// Elements of a run; the last may be shorter.
    pub run: u64,
    /// Tiles of a full group: `ceil(k * run / tile)`.
    pub tiles: u32,
    /// The arrays.
    pub batch: Batch,
}

/// What a pass does with an array.
#[derive(Clone, Copy)]
pub struct Turn {
    /// Whether it reads what it is given to write, and writes what it is given to read: a segment's passes begin where its
    /// last one ends in the right place.
    pub swapped: bool,
    /// Whether it is the last.
    pub last: bool,
}

impl Groups {
    /// One array.
    #[inline(always)]
    pub fn of_one(n: u64, run: u64, tiles: u32) -> Self {
        Groups { n, run, tiles, batch: Batch::one() }
    }
    /// What the pass does with an array of `n` elements, which may be nothing. A matrix's rows are all alike, and what the host
    /// says of a pass is true of each; of a segment, its length tells.
    #[inline(always)]
    pub fn turn(self) -> Option<Turn> {
        if !self.batch.has_table() {
            return Some(Turn { swapped: false, last: true });
        }
        if self.n <= self.run {
            return None;
        }
        let after = passes(self.n, self.run * SEGMENT_RUNS as u64);
        Some(Turn { swapped: after.is_multiple_of(2), last: after == 0 })
    }
    /// Where group `g` of `runs` runs starts and ends in its array.
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

/// Writes the cuts of tile boundaries: `cuts[row * RUNS + j]` is how many elements of run `j` of a group are in the first `b`
/// tiles of the group's output, where [`Batch::cuts_row`] says which row belongs to a boundary.
///
/// Two launches make them all. The first, with `level` 0, finds every `stride`-th boundary and the last of each group;
/// the second, with `level` 1, the others, each between the two found next to it. With a `stride` of 1 the first
/// launch finds all.
///
/// # Safety
/// `RUNS` lanes handle a boundary: the grid covers `boundaries * RUNS` threads, rounded up to whole blocks, where there are
/// `groups * (tiles + 1)` boundaries for each array, the units of the batch. All
/// runs of a merge sort are sorted, `cuts` has room, and `tiles` and `run` are positive. With a table of inputs there is one group, it has
/// `RUNS` inputs of `n` elements in all, and `run` is `n`; or the table is [clear](super::inputs::Table::is_clear). With a table of segments, `src` is the area that they end in, and the
/// table names the other.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn partition<K: Key, const RUNS: u32>(
    src: Global<K>,
    cuts: Global<u64>,
    groups: Groups,
    boundaries: u64,
    tile: u32,
    stride: u32,
    level: u32,
    inputs: Inputs<K>,
) {
    core::hint::assert_unchecked(stride > 0 && groups.tiles > 0);
    if inputs.table.is_clear() {
        return;
    }
    let thread = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
    let j = (thread % RUNS as u64) as u32;
    // Lanes past the end search for the last boundary too, and drop it: all lanes of a warp search together.
    let row = (thread / RUNS as u64).min(boundaries - 1);
    let part = groups.batch.part(row, groups.n);
    let groups = Groups { n: part.len, ..groups };
    let turn = groups.turn();
    let (group, b) = (part.unit / (groups.tiles as u64 + 1), (part.unit % (groups.tiles as u64 + 1)) as u32);
    let extent = groups.extent(group, RUNS);
    let total = extent.1 - extent.0;
    // Segments have more units than boundaries.
    let in_range = thread / (RUNS as u64) < boundaries && turn.is_some() && total > 0;
    let total = if in_range { total } else { 0 };
    let (run, len) = if !in_range {
        (src, 0)
    } else if inputs.table.is_none() {
        let (from, len) = groups.run_of(extent, j);
        let src = match turn {
            Some(Turn { swapped: true, .. }) => Global::from_address(groups.batch.others().0),
            _ => src,
        };
        (src.offset(part.src + from), len)
    } else {
        (inputs.table.keys(j), inputs.table.len(j))
    };
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
        let cut = |b: u32| cuts.get((row - part.unit % (groups.tiles as u64 + 1) + b as u64) * RUNS as u64 + j as u64);
        if !coarse && in_range {
            bracket =
                Bracket { low: cut(below), high: cut(above), low_sum: position(below), high_sum: position(above) };
        }
    }
    // A boundary that is not this launch's is no search: its bracket is closed.
    let mine = coarse == (level == 0);
    if !mine {
        bracket = Bracket { low: 0, high: 0, low_sum: p, high_sum: p };
    }
    if may_contradict::<K>(inputs) && level == 1 && !is_bracket::<RUNS>(bracket, len, mine) {
        bracket = Bracket { low: 0, high: len, low_sum: 0, high_sum: total };
    }
    let cut = select::<K, RUNS>(|i| run.get(i).encode(inputs.load), p, bracket);
    if mine && in_range {
        cuts.set(row * RUNS as u64 + j as u64, cut);
    }
}

/// Whether cuts may contradict each other: those of an order that contradicts itself, and those of a user's inputs, which
/// nobody has looked whether they are sorted. Merge sorts by gridsort's own orders know better.
#[inline(always)]
pub(super) fn may_contradict<K: Key>(inputs: Inputs<K>) -> bool {
    !K::TRUSTED || !inputs.table.is_none()
}

/// Whether a group's brackets are ones that a search may start from, which cuts that contradict each other need not be; one that is not `mine` is not searched from. The same for all lanes of a warp, which all call it.
#[inline(always)]
#[track_caller]
fn is_bracket<const RUNS: u32>(bracket: Bracket, len: u64, mine: bool) -> bool {
    let inside = bracket.low <= bracket.high && bracket.high <= len;
    // Sums of what is inside runs do not overflow.
    let (low, high) = if inside { (bracket.low, bracket.high) } else { (0, 0) };
    // Both, always: other groups of the warp take part in the shuffles.
    let (low_sum, high_sum) = (group_sum::<RUNS>(low), group_sum::<RUNS>(high));
    let sums = low_sum == bracket.low_sum && high_sum == bracket.high_sum;
    warp::warp_vote_all(FULL_WARP, !mine || (inside && sums))
}
