//! The block-wide tile sort: registers, then merge rounds in shared memory.
use super::element::{Cursor, Element};
use super::merge::{Runs, serial_merge};
use crate::corank::co_rank;
use crate::guard::Check;
use crate::network;
use crate::order::Key;
use crate::simt::{FULL_WARP, Global, WARP, thread, warp};

/// A thread's elements of `count` keys: each `stride`-th from `first` on. Pads have the highest positions.
///
/// # Safety
/// `src` holds the keys.
#[inline(always)]
#[track_caller]
pub unsafe fn read_striped<E: Element, const ITEMS: usize>(
    src: Global<E::Key>,
    count: u32,
    first: u32,
    stride: u32,
    load: <E::Key as Key>::Codec,
) -> [E; ITEMS] {
    let mut v = [E::pad(0); ITEMS];
    for i in 0..ITEMS {
        let at = first + i as u32 * stride;
        v[i] = if at < count { E::at_position(src.get(at as u64).encode(load), at) } else { E::pad(at) };
    }
    v
}

/// [`sort`] of elements that are striped over the block's threads, each `THREADS`-th to one.
///
/// Bare keys are sorted as they come. Of tagged ones each thread takes consecutive ones, so that runs follow each other
/// in the order of positions and merging them is stable by key alone.
///
/// # Safety
/// As [`sort`].
#[inline(always)]
pub unsafe fn sort_striped<E: Element, const THREADS: u32, const ITEMS: usize>(view: E::View, mut v: [E; ITEMS]) {
    let t = thread::thread_idx_x();
    if E::TAGGED {
        for i in 0..ITEMS {
            E::set(view, t + i as u32 * THREADS, v[i]);
        }
        thread::sync_threads();
        for i in 0..ITEMS {
            v[i] = E::at(view, t * ITEMS as u32 + i as u32).read();
        }
    }
    sort::<E, THREADS, ITEMS>(view, v);
}

/// Sorts the `THREADS * ITEMS` elements that the block's threads hold and leaves them in the view, in order.
///
/// Each thread sorts its own elements by a network and writes them out as a run; runs are then merged in pairs, each
/// thread finding its piece of the output by merge path, until one is left. The network orders by key and tag, the merges
/// by key alone: the sort is stable where a thread's elements all come before the next thread's and their tags say in
/// which order. While both runs of a pair belong to one
/// warp, the warp alone is synchronised. The caller synchronises the block before it reads the view.
///
/// # Safety
/// Every thread of the block calls it, and the view holds `THREADS * ITEMS` elements.
#[inline(always)]
pub unsafe fn sort<E: Element, const THREADS: u32, const ITEMS: usize>(view: E::View, mut v: [E; ITEMS]) {
    let t = thread::thread_idx_x();
    let items = ITEMS as u32;
    network::sort(&mut v);
    store_run(view, t * items, &v);
    let check = Check::new(THREADS * items * E::BYTES, THREADS);
    if !E::Key::TRUSTED {
        // Used after the first barrier of the block.
        check.reset();
    }
    // Opaque, or the rounds are unrolled: log2(THREADS) copies of the largest part of the kernel.
    let mut width = thread::opaque(1);
    while width < THREADS {
        // `width` threads hold one run. Runs of a pair within a warp need no barrier of the block.
        let in_warp = 2 * width <= WARP;
        if in_warp {
            warp::sync_warp(FULL_WARP);
        } else {
            thread::sync_threads();
        }
        let run = width * items;
        let first = t & !(2 * width - 1);
        let (a, b) = (first * items, first * items + run);
        let k = (t - first) * items;
        let i = co_rank(k, run, run, |j, i| E::at(view, b + j).key_before(E::at(view, a + i)));
        if !E::Key::TRUSTED && !in_warp {
            check.begin(a + i);
        }
        let (merged, from) = serial_merge(view, Runs { a: a + i, a_end: a + run, b: b + k - i, b_end: b + run });
        v = merged;
        if in_warp {
            warp::sync_warp(FULL_WARP);
        } else {
            thread::sync_threads();
        }
        if !E::Key::TRUSTED {
            // Where pieces do not fit, the runs stay as they are, one behind the other.
            let end = a + i + from.iter().map(|&from| (from < a + run) as u32).sum::<u32>();
            let goes_on = k + items < 2 * run;
            let broken = if in_warp {
                let next = warp::warp_shuffle_down(FULL_WARP, a + i, 1);
                warp::warp_vote_any(FULL_WARP, goes_on && next != end)
            } else {
                check.end(end, goes_on, width);
                thread::sync_threads();
                check.broken(width)
            };
            if broken {
                width *= 2;
                continue;
            }
        }
        store_run(view, t * items, &v);
        width *= 2;
    }
}

/// Writes consecutive elements from position `at` on.
///
/// # Safety
/// As [`Element::set`] for each.
#[inline(always)]
#[track_caller]
pub unsafe fn store_run<E: Element, const ITEMS: usize>(view: E::View, at: u32, v: &[E; ITEMS]) {
    let mut i = 0;
    while i < ITEMS {
        E::set(view, at + i as u32, v[i]);
        i += 1;
    }
}
