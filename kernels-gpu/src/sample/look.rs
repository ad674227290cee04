//! Looks at the input before anything is moved: what is in order already needs no sorting.
//!
//! Blocks read their keys in pieces and stop as soon as both a pair in order and one out of order were seen, by them or by
//! another: of random keys that is the first piece, of sorted ones all.
use super::tables::{STATE, state};
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, thread, zeroed};
use crate::tuning::SORTED;

/// Notes in the state whether some key comes before the one behind it, and whether some comes after it.
///
/// # Safety
/// A block has [`SORTED`]'s threads; `keys` holds `n` keys, and the counters were set up.
#[inline(always)]
pub unsafe fn look<K: Key>(keys: Global<K>, n: u64, counters: Global<u32>, codec: K::Codec) {
    let t = thread::thread_idx_x() as u64;
    let step = thread::grid_dim_x() as u64 * SORTED.tile() as u64;
    let mut first = thread::block_idx_x() as u64 * SORTED.tile() as u64;
    // What this thread has said.
    let mut said = 0;
    while first + 1 < n && counters.load(STATE as u64, Ordering::Relaxed) != state::UNSORTED {
        let mut seen = 0;
        for i in 0..SORTED.items {
            let at = first + t + (i * SORTED.threads) as u64;
            if at + 1 < n {
                // The neighbour is the next thread's own key: it comes from the cache.
                let (key, next) = (keys.get(at).encode(codec), keys.get(at + 1).encode(codec));
                seen |= if key.before(next) { state::ASCENT } else { 0 };
                seen |= if next.before(key) { state::DESCENT } else { 0 };
            }
        }
        if seen & !said != 0 {
            said |= seen;
            counters.fetch_or(STATE as u64, seen, Ordering::Relaxed);
        }
        first += step;
    }
}

/// Finishes what needed no sorting: nothing is left to do, or only to copy, or to turn around. In that, keys which equal each
/// other are alike.
///
/// # Safety
/// A block has `THREADS` threads; both arrays hold `n` keys and are the same or do not overlap.
#[inline(always)]
pub unsafe fn settle<K: Key, const THREADS: u32, const ITEMS: usize>(
    src: Global<K>,
    dst: Global<K>,
    n: u64,
    counters: Global<u32>,
) {
    let found = counters.get(STATE as u64);
    let turned = found == state::DESCENT;
    let in_place = src.address() == dst.address();
    if found == state::UNSORTED || (!turned && in_place) {
        return;
    }
    // In place each key changes places with its opposite.
    let count = if turned && in_place { n / 2 } else { n };
    let step = thread::grid_dim_x() as u64 * THREADS as u64;
    let mut first = thread::block_idx_x() as u64 * THREADS as u64 + thread::thread_idx_x() as u64;
    while first < count {
        let mut near = [zeroed::<K>(); ITEMS];
        let mut far = [zeroed::<K>(); ITEMS];
        for i in 0..ITEMS {
            let at = first + i as u64 * step;
            if at < count {
                near[i] = src.get(at);
                far[i] = if turned { src.get(n - 1 - at) } else { near[i] };
            }
        }
        for i in 0..ITEMS {
            let at = first + i as u64 * step;
            if at < count {
                dst.set(at, far[i]);
                if turned && in_place {
                    dst.set(n - 1 - at, near[i]);
                }
            }
        }
        first += step * ITEMS as u64;
    }
}
