//! The block-wide tile sort, second kind: each warp sorts its part by a bitonic network, then the block merges.
//!
//! Against [`sort`](super::sort::sort), which merges from single threads' runs on, the five rounds inside a warp become
//! shuffles and compares between registers: no searches, and nothing waits for shared memory. That halves the time of a
//! lone block, which is what small inputs wait for. (On an H200, a launch included: 1024 u32 keys 7.4 µs where the other
//! takes 11; 4096 12.4 instead of 16.2.) Where all multiprocessors are full it gains for keys of up to 32 bits only:
//! wider elements take several shuffles each.
use super::element::{Cursor, Element};
use super::merge::{Runs, serial_merge};
use super::sort::store_run;
use crate::corank::co_rank;
use crate::network::{Shuffle, warp as network};
use crate::simt::{FULL_WARP, WARP, thread, warp};

/// Slots of the view for each thread that holds `items` elements: one more, see [`sort`].
pub const fn slots(items: u32) -> u32 {
    items + 1
}

/// Sorts the `THREADS * ITEMS` elements that the block's threads hold and leaves them in the view, in order, from
/// position 0 on.
///
/// Networks want a power of two of elements a thread, and shared memory an odd number of slots between threads. So a
/// thread holds `ITEMS` elements, but owns `SLOTS` = `ITEMS` + 1 slots, and makes that many of a round's outputs: the last
/// threads of a pair of runs have fewer to make, or none, and fill their slots with what is never read.
///
/// The network orders by key and tag, the merges by key alone: the sort is stable where a warp's elements all come before
/// the next warp's and their tags say in which order. The caller synchronises the block before it reads the view.
///
/// # Safety
/// Every thread of the block calls it, and the view holds `THREADS * SLOTS` elements.
#[inline(always)]
pub unsafe fn sort<E: Element + Shuffle, const THREADS: u32, const ITEMS: usize, const SLOTS: usize>(
    view: E::View,
    mut v: [E; ITEMS],
) {
    const { assert!(SLOTS as u32 == slots(ITEMS as u32)) }
    let t = thread::thread_idx_x();
    let (items, slots) = (ITEMS as u32, SLOTS as u32);
    network::sort(&mut v);

    // Each thread holds consecutive elements, an even number of them: written side by side they would meet in one bank.
    // So they go to the thread's own slots first, and from there, read across the lanes, side by side.
    let lane = t % WARP;
    let base = (t - lane) * slots;
    store_run(view, t * slots, &v);
    warp::sync_warp(FULL_WARP);
    let mut i = 0;
    while i < ITEMS {
        let p = lane + i as u32 * WARP;
        v[i] = E::at(view, base + p + p / items).read();
        i += 1;
    }
    warp::sync_warp(FULL_WARP);
    let mut i = 0;
    while i < ITEMS {
        E::set(view, base + lane + i as u32 * WARP, v[i]);
        i += 1;
    }

    // Opaque, or the rounds are unrolled.
    let mut width = thread::opaque(WARP);
    while width < THREADS {
        thread::sync_threads();
        // `width` threads hold one run, at the start of their slots.
        let run = width * items;
        let first = t & !(2 * width - 1);
        let (a, b) = (first * slots, (first + width) * slots);
        let k = (t - first) * slots;
        let k = if k < 2 * run { k } else { 2 * run };
        let i = co_rank(k, run, run, |j, i| E::at(view, b + j).key_before(E::at(view, a + i)));
        let runs = Runs { a: a + i, a_end: a + run, b: b + k - i, b_end: b + run };
        let merged: [E; SLOTS] = serial_merge(view, runs).0;
        thread::sync_threads();
        store_run(view, t * slots, &merged);
        width *= 2;
    }
}
