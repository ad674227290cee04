//! Keys that fall all the way are turned around where they are, and looked at in the same reading.
//!
//! Reading all keys to find out that they fall, and again to turn them around, would cost half as much again. Keys that carry
//! nothing have no order to lose, so they are turned around on suspicion: [`look`](super::look::look) stops where all that was
//! seen so far falls, and if a key then turns out to come before one behind it, the keys are sorted as they lie by then.
use super::tables::{STATE, state};
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Global, Shared, WARP, thread, warp, zeroed};

/// Bytes of shared memory of a block of [`turn`].
pub const SHARED_BYTES: u32 = 8;

/// Notes in the state where a key comes before the one behind it, of those pairs that [`turn`] would read in two units, which
/// change them at different times. `unit` is what it turns around at once.
///
/// # Safety
/// `keys` holds `n` keys that nobody writes, and the counters were set up.
#[inline(always)]
#[track_caller]
pub unsafe fn look_between<K: Key>(keys: Global<K>, n: u64, counters: Global<u32>, unit: u32, codec: K::Codec) {
    let half = n / 2;
    let threads = thread::grid_dim_x() as u64 * thread::block_dim_x() as u64;
    // Opaque, so that the look does not keep parts of it for itself: as it was measured; it takes as many registers without.
    let block = thread::opaque(thread::block_idx_x()) as u64;
    let mut border = block * thread::block_dim_x() as u64 + thread::opaque(thread::thread_idx_x()) as u64;
    let mut rises = false;
    while border * (unit as u64) < half {
        let at = ((border + 1) * unit as u64).min(half);
        for first in [at - 1, n - 1 - at] {
            rises |= keys.get(first).encode(codec).before(keys.get(first + 1).encode(codec));
        }
        border += threads;
    }
    if rises {
        counters.fetch_or(STATE as u64, state::ASCENT, Ordering::Relaxed);
    }
}

/// Turns the keys around if none was seen to come before the one behind it, and looks whether that is so of all. Whatever it
/// finds, the keys stay the same but for their places.
///
/// A block takes units of `THREADS * ITEMS` keys from the front and as many from the back, which change places.
///
/// # Safety
/// A block has `THREADS` threads and [`SHARED_BYTES`]; `keys` holds `n` keys, and [`look_between`] was told the same unit.
#[inline(always)]
pub unsafe fn turn<K: Key, const THREADS: u32, const ITEMS: usize>(
    keys: Global<K>,
    n: u64,
    counters: Global<u32>,
    codec: K::Codec,
) {
    let lane = warp::lane_id();
    let unit = THREADS * ITEMS as u32;
    // A warp's keys lie together, so that the neighbour is nearly always another lane's.
    let mine = thread::thread_idx_x() / WARP * WARP * ITEMS as u32 + lane;
    let half = n / 2;
    let step = thread::grid_dim_x() as u64 * unit as u64;
    let mut first = thread::block_idx_x() as u64 * unit as u64;
    // What one thread has found, for a block stops as one: by turns, so that it need not wait until all have read.
    let found = Shared::<u32>::new(0, 2);
    let mut units = 0;
    // Most often there is nothing to turn around: then nothing is read.
    if thread::thread_idx_x() == 0 {
        found.set(1, counters.load(STATE as u64, Ordering::Relaxed));
    }
    thread::sync_threads();
    if found.get(1) & state::RUNS != state::DESCENT {
        return;
    }
    while first < half {
        if thread::thread_idx_x() == 0 {
            found.set(units % 2, counters.load(STATE as u64, Ordering::Relaxed));
        }
        let left = ((half - first).min(unit as u64) as u32).saturating_sub(mine);
        let (front, back) = (first + mine as u64, (n - 1 - first).wrapping_sub(mine as u64));
        let (mut near, mut far) = ([zeroed::<K>(); ITEMS], [zeroed::<K>(); ITEMS]);
        for i in 0..ITEMS {
            let at = i as u32 * WARP;
            if at < left {
                near[i] = keys.get(front + at as u64);
                far[i] = keys.get(back - at as u64);
            }
        }
        // For the first lane: the keys behind the warp's last.
        let (mut behind_near, mut behind_far) = (zeroed::<K>(), zeroed::<K>());
        let end = ITEMS as u32 * WARP;
        if lane == 0 && end < left {
            behind_near = keys.get(front + end as u64);
            behind_far = keys.get(back - end as u64);
        }
        // Nobody writes before all have read.
        thread::sync_threads();
        if found.get(units % 2) & state::RUNS != state::DESCENT {
            return;
        }
        let mut rises = false;
        for i in 0..ITEMS {
            let at = i as u32 * WARP;
            let neighbour = |v: &[K; ITEMS], behind: K| {
                let next = if i + 1 < ITEMS { v[i + 1] } else { behind };
                let passed = if lane == 0 { next } else { v[i] };
                warp::warp_shuffle_idx(FULL_WARP, passed, (lane + 1) % WARP).encode(codec)
            };
            let (behind, before) = (neighbour(&near, behind_near), neighbour(&far, behind_far));
            let is_pair = at + 1 < left;
            rises |= is_pair & near[i].encode(codec).before(behind);
            rises |= is_pair & before.before(far[i].encode(codec));
            if at < left {
                keys.set(front + at as u64, far[i]);
                keys.set(back - at as u64, near[i]);
            }
        }
        if warp::warp_vote_any(FULL_WARP, rises) && lane == 0 {
            counters.fetch_or(STATE as u64, state::ASCENT, Ordering::Relaxed);
        }
        first += step;
        units += 1;
    }
}
