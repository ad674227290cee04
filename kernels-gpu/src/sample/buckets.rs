//! Sorts buckets that fit a block, and copies those that need no sorting.
use super::tables::{STATE, entry, state};
use crate::merge::tile_sort::sort_tile;
use crate::order::Key;
use crate::simt::{Global, thread, zeroed};
use crate::tile::payload::Keys;

/// The two areas that keys move between.
#[derive(Clone, Copy)]
pub struct Areas<K> {
    /// The caller's keys.
    pub data: Global<K>,
    /// Those in scratch memory.
    pub scratch: Global<K>,
}

/// Sorts `count` keys of `src`, at most `THREADS * ITEMS`, into `dst`, which may be the same, by the whole block, and
/// synchronises it.
///
/// # Safety
/// As [`sort_tile`].
#[inline(always)]
pub(super) unsafe fn sort_keys<K: Key, const THREADS: u32, const ITEMS: usize>(
    src: Global<K>,
    dst: Global<K>,
    count: u32,
    codec: K::Codec,
) {
    // Without payloads there is nothing that would have to keep its place among equals.
    sort_tile::<K, Keys, THREADS, ITEMS>(src, dst, Global::null(), Global::null(), 0, count, codec, codec);
    thread::sync_threads();
}

/// Sorts the buckets of a list, each of at most `THREADS * ITEMS` keys, into the caller's array.
///
/// # Safety
/// The block has `THREADS` threads and the shared memory of [`sort_tile`]; the list has as many entries as its counter says.
#[inline(always)]
pub unsafe fn sort_buckets<K: Key, const THREADS: u32, const ITEMS: usize>(
    areas: Areas<K>,
    counters: Global<u32>,
    counter: u32,
    list: Global<u64>,
    codec: K::Codec,
) {
    if counters.get(STATE as u64) != state::UNSORTED {
        return;
    }
    let total = counters.get(counter as u64);
    let mut at = thread::block_idx_x();
    while at < total {
        let bucket = list.get(at as u64);
        let start = entry::start(bucket);
        let from = if entry::in_scratch(bucket) { areas.scratch } else { areas.data };
        sort_keys::<K, THREADS, ITEMS>(from.offset(start), areas.data.offset(start), entry::len(bucket), codec);
        at += thread::grid_dim_x();
    }
}

/// Copies buckets of equal keys from scratch memory to where they belong.
///
/// # Safety
/// The block has `THREADS` threads; the list has as many entries as its counter says, all in scratch memory.
#[inline(always)]
pub unsafe fn copy_buckets<K: Key, const THREADS: u32, const ITEMS: usize>(
    areas: Areas<K>,
    counters: Global<u32>,
    counter: u32,
    list: Global<u64>,
) {
    if counters.get(STATE as u64) != state::UNSORTED {
        return;
    }
    let total = counters.get(counter as u64);
    let mut at = thread::block_idx_x();
    while at < total {
        let bucket = list.get(at as u64);
        let (start, count) = (entry::start(bucket), entry::len(bucket));
        let (from, to) = (areas.scratch.offset(start), areas.data.offset(start));
        let mut first = thread::thread_idx_x();
        while first < count {
            let mut v = [zeroed::<K>(); ITEMS];
            for i in 0..ITEMS {
                let at = first + i as u32 * THREADS;
                if at < count {
                    v[i] = from.get(at as u64);
                }
            }
            for i in 0..ITEMS {
                let at = first + i as u32 * THREADS;
                if at < count {
                    to.set(at as u64, v[i]);
                }
            }
            first += THREADS * ITEMS as u32;
        }
        at += thread::grid_dim_x();
    }
}
