//! Looks for a key that comes before the one ahead of it.
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, thread};
use crate::tuning::SORTED;

/// Sets `found[0]`, which the caller has set to 0, to 1 where two neighbours of `keys[..n]` are out of order.
///
/// One pass of reading; blocks that start after one has found something return at once.
///
/// # Safety
/// A block has [`SORTED`]'s threads, the grid a block for each of its tiles; `keys` holds `n` keys and `found` one word.
#[inline(always)]
pub unsafe fn find_disorder<K: Key>(keys: Global<K>, n: u64, found: Global<u32>, codec: K::Codec) {
    if found.load(0, Ordering::Relaxed) != 0 {
        return;
    }
    let first = thread::block_idx_x() as u64 * SORTED.tile() as u64 + thread::thread_idx_x() as u64;
    let mut disorder = false;
    for i in 0..SORTED.items {
        let at = first + (i * SORTED.threads) as u64;
        if at + 1 < n {
            // The neighbour is the next thread's own key: it comes from the cache.
            disorder |= keys.get(at + 1).encode(codec).before(keys.get(at).encode(codec));
        }
    }
    if disorder {
        found.store(0, 1, Ordering::Relaxed);
    }
}
