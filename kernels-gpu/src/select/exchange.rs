//! Brings the first k elements to the front of their array.
//!
//! Their keys will be written to the first k places. What stands there and is not one of them, a stray, goes where one of
//! them comes from behind: a hole. There are as many strays as holes, and nothing else moves.
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Global, Plain, thread, warp};

/// Words of the counters: holes, strays.
pub const COUNTERS: u32 = 2;

/// The calling thread's number in the grid.
#[inline(always)]
fn number() -> u64 {
    thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64
}

/// Puts the positions of the lanes that have one into a list, in any order. All lanes call it.
///
/// # Safety
/// The list has room for them.
#[inline(always)]
#[track_caller]
unsafe fn append(list: Global<u64>, counter: Global<u64>, has: bool, position: u64) {
    let all = warp::warp_vote_ballot(FULL_WARP, has);
    if all == 0 {
        return;
    }
    let (lane, leader) = (warp::lane_id(), all.trailing_zeros());
    let mut first = 0;
    if lane == leader {
        first = counter.fetch_add(0, all.count_ones() as u64, Ordering::Relaxed);
    }
    let first = warp::warp_shuffle_idx(FULL_WARP, first, leader);
    if has {
        list.set(first + (all & ((1 << lane) - 1)).count_ones() as u64, position);
    }
}

/// Marks none of the first `k` places, and counts nothing.
///
/// # Safety
/// The grid has a thread for each place and two at least; there are as many marks, and the counters.
#[inline(always)]
pub unsafe fn clear(marks: Global<u8>, counters: Global<u64>, k: u64) {
    let i = number();
    if i < k {
        marks.set(i, 0);
    }
    if i < COUNTERS as u64 {
        counters.set(i, 0);
    }
}

/// Marks the places of those of the first `k` elements that stand in front, and lists where the others stand.
///
/// # Safety
/// The grid has a thread for each; the indices are theirs, each once.
#[inline(always)]
pub unsafe fn find_holes(indices: Global<u64>, marks: Global<u8>, holes: Global<u64>, counters: Global<u64>, k: u64) {
    let i = number();
    let index = if i < k { indices.get(i) } else { 0 };
    if i < k && index < k {
        marks.set(index, 1);
    }
    append(holes, counters, i < k && index >= k, index);
}

/// Lists the places that have no mark.
///
/// # Safety
/// The grid has a thread for each of `k` places.
#[inline(always)]
pub unsafe fn find_strays(marks: Global<u8>, strays: Global<u64>, counters: Global<u64>, k: u64) {
    let i = number();
    append(strays, counters.offset(1), i < k && marks.get(i) == 0, i);
}

/// Moves each stray to a hole.
///
/// # Safety
/// The grid has a thread for each of `k` places; the lists are those of the array.
#[inline(always)]
pub unsafe fn fill_holes<T: Plain>(keys: Global<T>, holes: Global<u64>, strays: Global<u64>, counters: Global<u64>) {
    let i = number();
    if i < counters.get(1) {
        keys.set(holes.get(i), keys.get(strays.get(i)));
    }
}
