//! Sorts buckets that fit a block.
use super::tables::{STATE, entry, state};
use crate::merge::tile_sort::{shared_bytes as tile_bytes, write_out};
use crate::order::Key;
use crate::simt::{Global, thread};
use crate::tile::element::Element;
use crate::tile::payload::Payload;
use crate::tile::sort;

/// The two areas that keys and payloads move between.
#[derive(Clone, Copy)]
pub struct Areas<K, T> {
    /// The caller's keys.
    pub data: Global<K>,
    /// Those in scratch memory.
    pub scratch: Global<K>,
    /// The caller's payloads.
    pub payload_data: Global<T>,
    /// Those in scratch memory.
    pub payload_scratch: Global<T>,
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Key, P: Payload<K>>(slots: u32) -> u32 {
    tile_bytes::<K, P>(slots)
}

/// Sorts the buckets of a list, each of at most `THREADS * ITEMS` keys, into the caller's arrays.
///
/// # Safety
/// The block has `THREADS` threads and [`shared_bytes`]; the list has as many entries as its counter says.
#[inline(always)]
pub unsafe fn sort_buckets<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    areas: Areas<K, P::Item>,
    counters: Global<u32>,
    counter: u32,
    list: Global<u64>,
    codec: K::Codec,
) {
    // Tagged elements would have to go to threads in the order of their positions first.
    const { assert!(!P::Sorted::TAGGED) }
    if counters.get(STATE as u64) != state::UNSORTED {
        return;
    }
    let t = thread::thread_idx_x();
    let total = counters.get(counter as u64);
    let view = P::Sorted::view(THREADS * ITEMS as u32);
    let mut at = thread::block_idx_x();
    while at < total {
        let bucket = list.get(at as u64);
        let (start, count) = (entry::start(bucket), entry::len(bucket));
        let (keys, payloads) = if entry::in_scratch(bucket) {
            (areas.scratch, areas.payload_scratch)
        } else {
            (areas.data, areas.payload_data)
        };
        let src = keys.offset(start);
        let mut v = [P::Sorted::pad(0); ITEMS];
        for i in 0..ITEMS {
            let at = t + i as u32 * THREADS;
            v[i] = if at < count {
                P::Sorted::at_position(src.get(at as u64).encode(codec), at)
            } else {
                P::Sorted::pad(at)
            };
        }
        sort::sort::<P::Sorted, THREADS, ITEMS>(view, v);
        thread::sync_threads();
        write_out::<K, P, THREADS, ITEMS>(
            view,
            areas.data.offset(start),
            payloads,
            areas.payload_data,
            start,
            count,
            codec,
        );
        thread::sync_threads();
        at += thread::grid_dim_x();
    }
}

/// Copies buckets of equal keys to where they belong.
///
/// # Safety
/// As [`sort_buckets`]; an entry has at most [`entry::MAX_ENTRY`] keys, and all are in scratch memory.
#[inline(always)]
pub unsafe fn copy_buckets<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    areas: Areas<K, P::Item>,
    counters: Global<u32>,
    counter: u32,
    list: Global<u64>,
) {
    if counters.get(STATE as u64) != state::UNSORTED {
        return;
    }
    let total = counters.get(counter as u64);
    let mut entry_at = thread::block_idx_x();
    while entry_at < total {
        let bucket = list.get(entry_at as u64);
        let (start, count) = (entry::start(bucket), entry::len(bucket));
        copy::<K, THREADS, ITEMS>(areas.scratch.offset(start), areas.data.offset(start), count);
        if P::PRESENT {
            copy::<P::Item, THREADS, ITEMS>(
                areas.payload_scratch.offset(start),
                areas.payload_data.offset(start),
                count,
            );
        }
        entry_at += thread::grid_dim_x();
    }
}

/// Copies `count` elements by the whole block.
///
/// # Safety
/// Both hold as many, and do not overlap.
#[inline(always)]
unsafe fn copy<T: crate::simt::Plain, const THREADS: u32, const ITEMS: usize>(
    src: Global<T>,
    dst: Global<T>,
    count: u32,
) {
    let tile = THREADS * ITEMS as u32;
    let mut first = thread::thread_idx_x();
    while first < count {
        let mut v = [crate::simt::zeroed::<T>(); ITEMS];
        for i in 0..ITEMS {
            let at = first + i as u32 * THREADS;
            if at < count {
                v[i] = src.get(at as u64);
            }
        }
        for i in 0..ITEMS {
            let at = first + i as u32 * THREADS;
            if at < count {
                dst.set(at as u64, v[i]);
            }
        }
        first += tile;
    }
}
