//! Fetches keys by the order so far, with nulls set apart.
use super::{GROUP, ROWS, TILE, position};
use crate::order::{BitKey, Codec};
use crate::sample::scan::warp_inclusive_sum;
use crate::simt::{FULL_WARP, Global, WARP, Word, thread, warp};
use crate::tuning::NULLS_THREADS;

/// Which elements have a value, as [`gather_bits`](super::gather_bits) and [`sum_counts`](super::sum_counts) left it.
#[derive(Clone, Copy)]
pub struct Marks {
    /// A bit for each element, in words.
    pub words: Global<u32>,
    /// Values of each tile.
    pub counts: Global<u32>,
    /// Values before each group, and of all.
    pub starts: Global<u64>,
}

/// Writes the keys at `positions`, and the positions, to `keys` and `moved`: with `nulls_first` those that have no value,
/// then those that do, else the other way round; both in the order of `positions`. The key of a null is the first one, or
/// the last.
///
/// # Safety
/// A block has [`NULLS_THREADS`] threads, the grid a warp for each of `n`'s tiles. `positions` holds `n` positions of `values`
/// (null: each its own), the marks are theirs; `keys` and `moved` have room for `n` and overlap none of the others.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn fetch_valid<K: BitKey, I: Word>(
    positions: Global<I>,
    values: Global<K>,
    marks: Marks,
    keys: Global<K>,
    moved: Global<I>,
    n: u64,
    nulls_first: bool,
    codec: Codec<K>,
) {
    let tile = thread::block_idx_x() as u64 * (NULLS_THREADS / WARP) as u64 + (thread::thread_idx_x() / WARP) as u64;
    let start = tile * TILE as u64;
    if start >= n {
        return;
    }
    let lane = warp::lane_id();
    let all = marks.starts.get(n.div_ceil(TILE as u64).div_ceil(GROUP as u64));
    let (values_from, nulls_from) = if nulls_first { (n - all, 0) } else { (0, all) };
    let null = codec.decode(if nulls_first { K::ZERO } else { K::ZERO.not() });

    // Values before the tile: those before its group, and those of the group's tiles ahead.
    let (group, ahead) = (tile / GROUP as u64, (tile % GROUP as u64) as u32);
    let count = if lane < ahead { marks.counts.get(group * GROUP as u64 + lane as u64) } else { 0 };
    let before = marks.starts.get(group) + warp::warp_reduce_add(FULL_WARP, count) as u64;
    // Each lane has the marks of one row, and how many values stand before that within the tile.
    let mine = if start + ((lane * WARP) as u64) < n { marks.words.get(start / WARP as u64 + lane as u64) } else { 0 };
    let mine_before = warp_inclusive_sum(mine.count_ones()) - mine.count_ones();

    let mut first = 0;
    while first < thread::opaque(WARP) {
        // All loads before the first store: the compiler must take it that a store changes what is read after it.
        let mut at = [0; ROWS as usize];
        let mut fetched = [null; ROWS as usize];
        for k in 0..ROWS {
            let row = first + k;
            let i = start + (row * WARP + lane) as u64;
            let valid = warp::warp_shuffle_idx(FULL_WARP, mine, row) >> lane & 1 != 0;
            if i < n {
                at[k as usize] = position(positions, i);
                if valid {
                    fetched[k as usize] = values.get(at[k as usize]);
                }
            }
        }
        for k in 0..ROWS {
            let row = first + k;
            let word = warp::warp_shuffle_idx(FULL_WARP, mine, row);
            let row_before = warp::warp_shuffle_idx(FULL_WARP, mine_before, row);
            let i = start + (row * WARP + lane) as u64;
            if i < n {
                let lower = word & ((1 << lane) - 1);
                let rank = before + (row_before + lower.count_ones()) as u64;
                let valid = word >> lane & 1 != 0;
                let place = if valid { values_from + rank } else { nulls_from + (i - rank) };
                keys.set(place, fetched[k as usize]);
                moved.set(place, I::from_u64(at[k as usize]));
            }
        }
        first += ROWS;
    }
}

/// Sets element `i` of `positions` to `i`, for the first `n`.
///
/// # Safety
/// A block has [`NULLS_THREADS`] threads, the grid a thread for each of `n`, and `positions` room for them.
#[inline(always)]
pub unsafe fn write_positions<I: Word>(positions: Global<I>, n: u64) {
    let i = thread::block_idx_x() as u64 * NULLS_THREADS as u64 + thread::thread_idx_x() as u64;
    if i < n {
        positions.set(i, I::from_u64(i));
    }
}
