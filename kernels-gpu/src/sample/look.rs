//! Looks at the input before anything is moved: what is in order already needs no sorting.
//!
//! Blocks read their keys in pieces and stop as soon as both a pair in order and one out of order were seen, by them or by
//! another: of random keys that is the first piece, of sorted ones all.
use super::tables::{STATE, state};
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Global, WARP, thread, warp, zeroed};
use crate::tile::payload::Item;
use crate::tuning::SORTED;

/// Notes in the state whether some key comes before the one behind it, and whether some comes after it. Where equal keys must
/// keep their order, which turning around would not, `strict` is 1: two equal ones then count as in order.
///
/// # Safety
/// A block has [`SORTED`]'s threads; `keys` holds `n` keys, and the counters were set up.
#[inline(always)]
pub unsafe fn look<K: Key>(keys: Global<K>, n: u64, counters: Global<u32>, strict: u32, codec: K::Codec) {
    let t = thread::thread_idx_x() as u64;
    let step = thread::grid_dim_x() as u64 * SORTED.tile() as u64;
    let mut first = thread::block_idx_x() as u64 * SORTED.tile() as u64;
    let last_lane = warp::lane_id() == WARP - 1;
    // What this thread has said.
    let mut said = 0;
    while first + 1 < n {
        let mut v = [zeroed::<K>(); SORTED.items as usize];
        for i in 0..SORTED.items {
            let at = first + t + (i * SORTED.threads) as u64;
            if at < n {
                v[i as usize] = keys.get(at);
            }
        }
        // Asked while the keys are on their way. A warp stops as one: its lanes pass on their keys.
        if warp::warp_vote_any(FULL_WARP, counters.load(STATE as u64, Ordering::Relaxed) == state::UNSORTED) {
            break;
        }
        let mut seen = 0;
        for i in 0..SORTED.items {
            let at = first + t + (i * SORTED.threads) as u64;
            let key = v[i as usize];
            let mut next = warp::warp_shuffle_down(FULL_WARP, key, 1);
            if at + 1 < n {
                if last_lane {
                    next = keys.get(at + 1);
                }
                let (key, next) = (key.encode(codec), next.encode(codec));
                let falls = next.before(key);
                seen |= if key.before(next) || (strict != 0 && !falls) { state::ASCENT } else { 0 };
                seen |= if falls { state::DESCENT } else { 0 };
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
/// other are alike, or there are none. `src` and `dst` hold keys, or what they carry, which where `src` is null is their positions.
///
/// # Safety
/// A block has `THREADS` threads; both arrays hold `n` elements and are the same or do not overlap.
#[inline(always)]
pub unsafe fn settle<T: Item, const THREADS: u32, const ITEMS: usize>(
    src: Global<T>,
    dst: Global<T>,
    n: u64,
    counters: Global<u32>,
) {
    let (positions, in_place) = (src.is_null(), src.address() == dst.address());
    let fetch = |at| if positions { T::from_position(at) } else { src.get(at) };
    let found = counters.get(STATE as u64);
    let turned = found == state::DESCENT;
    if found == state::UNSORTED || (!turned && in_place) {
        return;
    }
    // In place each key changes places with its opposite.
    let count = if turned && in_place { n / 2 } else { n };
    let step = thread::grid_dim_x() as u64 * THREADS as u64;
    let mut first = thread::block_idx_x() as u64 * THREADS as u64 + thread::thread_idx_x() as u64;
    while first < count {
        let mut near = [zeroed::<T>(); ITEMS];
        let mut far = [zeroed::<T>(); ITEMS];
        for i in 0..ITEMS {
            let at = first + i as u64 * step;
            if at < count {
                near[i] = fetch(at);
                far[i] = if turned { fetch(n - 1 - at) } else { near[i] };
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
