//! Copies buckets that need no sorting. Those that fit a block are sorted as segments are, by the kernels of
//! [`rows`](crate::rows), from lists.
use super::tables::{STATE, entry, state};
use crate::simt::{Global, Plain, thread, zeroed};

/// The two areas that keys move between.
#[derive(Clone, Copy)]
pub struct Areas<K> {
    /// The caller's keys.
    pub data: Global<K>,
    /// Those in scratch memory.
    pub scratch: Global<K>,
}

/// Copies buckets of equal keys from scratch memory to where they belong. A key is `parts` of what is copied.
///
/// # Safety
/// The block has `THREADS` threads; the list has as many entries as its counter says, all in scratch memory.
#[inline(always)]
pub unsafe fn copy_buckets<K: Plain, const THREADS: u32, const ITEMS: usize>(
    areas: Areas<K>,
    counters: Global<u32>,
    counter: u32,
    list: Global<u64>,
    parts: u32,
) {
    if counters.get(STATE as u64) != state::UNSORTED {
        return;
    }
    let total = counters.get(counter as u64);
    let mut at = thread::block_idx_x();
    while at < total {
        let bucket = list.get(at as u64);
        // Fewer than 2^19 keys of at most 32 parts.
        let (start, count) = (entry::start(bucket) * parts as u64, entry::len(bucket) * parts);
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
