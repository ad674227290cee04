//! Looks at the input before anything is moved: what is in order already needs no sorting.
//!
//! Blocks read their keys in pieces and stop as soon as pairs in order and enough pairs out of order were seen, by them or by
//! another: of random keys that is the first piece, of sorted ones all. Few pairs out of order are noted: between them the keys
//! are sorted runs, which [`runs`](super::runs) has merged.
use super::tables::{DESCENTS, RUNS, STATE, state};
use super::turn::look_between;
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Global, Plain, WARP, thread, warp, zeroed};
use crate::tuning::SORTED;

/// Pieces before each of which a warp asks whether the others have seen enough. Behind these, before one in so many.
const ASKED: u32 = 4;

/// Notes in the state whether some key comes before the one behind it, and whether some comes after it. Where equal keys must
/// keep their order, which turning around would not, `strict` is 1: two equal ones then count as in order. `starts` gets where
/// runs begin but the first, in any order: all of them, unless the state says that there are [`state::MANY`]. Where it is null
/// nobody merges runs, and the first descent is one of many.
///
/// Where [`turn`](super::turn::turn) comes next, `unit` is how many keys it turns around at once, else 0: then keys that only fall
/// are left to it.
///
/// # Safety
/// A block has [`SORTED`]'s threads; `keys` holds `n` keys, `starts` has room for [`RUNS`] − 1 or is null, and the counters were
/// set up.
#[inline(always)]
pub unsafe fn look<K: Key>(
    keys: Global<K>,
    n: u64,
    counters: Global<u32>,
    starts: Global<u64>,
    strict: u32,
    unit: u32,
    codec: K::Codec,
) {
    const FALLING: u32 = state::DESCENT | state::MANY;
    const ITEMS: usize = SORTED.items as usize;
    // First: behind the loop it would cost those of 32-bit keys two registers in it, and a block.
    if unit > 0 {
        look_between(keys, n, counters, unit, codec);
    }
    let lane = warp::lane_id();
    // A warp's keys lie together, so that the neighbour is nearly always another lane's.
    let mine = thread::thread_idx_x() / WARP * WARP * SORTED.items + lane;
    let step = thread::grid_dim_x() as u64 * SORTED.tile() as u64;
    let mut first = thread::block_idx_x() as u64 * SORTED.tile() as u64;
    let ties_rise = strict != 0;
    // What this thread has said.
    let mut said = 0;
    let mut pieces = 0u32;
    while first + 1 < n {
        // From the thread's first key on, those of the tile and the one behind it.
        let left = (n - first).min(SORTED.tile() as u64 + 1) as u32;
        let left = left.saturating_sub(mine);
        let keys = keys.offset(first + mine as u64);
        // One more for the first lane: the key behind the warp's last.
        let mut v = [zeroed::<K>(); ITEMS + 1];
        for i in 0..ITEMS + 1 {
            let at = i as u32 * WARP;
            if at < left && (i < ITEMS || lane == 0) {
                v[i] = keys.get(at as u64);
            }
        }
        // Asked while the keys are on their way, and later on not each time: all warps ask for the same word, and of sorted keys
        // that is what they would wait for. A warp stops as one, for its lanes pass on their keys.
        if pieces < ASKED || pieces.is_multiple_of(ASKED) {
            let found = counters.load(STATE as u64, Ordering::Relaxed);
            let suffices = found == state::UNSORTED || (unit > 0 && pieces > 0 && found == FALLING);
            if warp::warp_vote_any(FULL_WARP, suffices) {
                break;
            }
        }
        pieces += 1;
        // Which of the thread's keys are before a descent, and whether one is before an ascent.
        let (mut falling, mut rising) = (0u32, false);
        for i in 0..ITEMS + 1 {
            v[i] = v[i].encode(codec);
        }
        for i in 0..ITEMS {
            // The neighbour of the last lane's key is the first lane's next.
            let passed = if lane == 0 { v[i + 1] } else { v[i] };
            let (key, next) = (v[i], warp::warp_shuffle_idx(FULL_WARP, passed, (lane + 1) % WARP));
            let (is_pair, falls, rises) = (i as u32 * WARP + 1 < left, next.before(key), key.before(next));
            rising |= is_pair & (rises | (ties_rise & !falls));
            falling |= ((is_pair & falls) as u32) << i;
        }
        let mut seen = if rising { state::ASCENT } else { 0 };
        if warp::warp_vote_any(FULL_WARP, falling != 0) {
            let many =
                if starts.is_null() { state::MANY } else { note(falling, first + mine as u64, counters, starts) };
            seen |= state::DESCENT | many;
        }
        if seen & !said != 0 {
            said |= seen;
            counters.fetch_or(STATE as u64, seen, Ordering::Relaxed);
        }
        first += step;
    }
}

/// Notes where the warp's descents are: a thread's bit `i` of `falling` stands for key `at + 32 i`. Tells whether there are
/// too many.
///
/// # Safety
/// As [`look`]; all lanes call it, one of them with some bit.
#[inline(always)]
#[track_caller]
unsafe fn note(falling: u32, at: u64, counters: Global<u32>, starts: Global<u64>) -> u32 {
    let (mut count, lane) = (0, warp::lane_id());
    for i in 0..SORTED.items {
        count += warp::warp_vote_ballot(FULL_WARP, falling >> i & 1 != 0).count_ones();
    }
    // Random keys end here: no counter is touched.
    if count >= RUNS {
        return state::MANY;
    }
    let mut place = 0;
    if lane == 0 {
        place = counters.fetch_add(DESCENTS as u64, count, Ordering::Relaxed);
    }
    place = warp::warp_shuffle_idx(FULL_WARP, place, 0);
    if place + count >= RUNS {
        return state::MANY;
    }
    for i in 0..SORTED.items {
        let falls = falling >> i & 1 != 0;
        let all = warp::warp_vote_ballot(FULL_WARP, falls);
        if falls {
            let before = (all & ((1 << lane) - 1)).count_ones();
            starts.set((place + before) as u64, at + (i * WARP) as u64 + 1);
        }
        place += all.count_ones();
    }
    0
}

/// Finishes what needed no sorting: nothing is left to do, or only to copy, or to turn around, unless it is `turned` already. In
/// that, keys which equal each other are alike, or there are none. `src` and `dst` hold keys, or what they carry, which where
/// `src` is null is what `position` makes of their positions. Runs that were to stay in place are merged in `area`, others in `dst`. An element is
/// `parts` of their type.
///
/// # Safety
/// A block has `THREADS` threads; all arrays hold `n` elements, `src` and `dst` are the same or do not overlap, and neither does
/// `area`.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn settle<T: Plain, const THREADS: u32, const ITEMS: usize>(
    src: Global<T>,
    dst: Global<T>,
    area: Global<T>,
    n: u64,
    counters: Global<u32>,
    turned: u32,
    parts: u64,
    position: impl Fn(u64) -> T,
) {
    let (positions, in_place) = (src.is_null(), src.address() == dst.address());
    let found = counters.get(STATE as u64);
    let (runs, turned) = (found == state::RUNS, turned == 0 && found & state::RUNS == state::DESCENT);
    if found == state::UNSORTED || (runs != in_place && !turned) {
        return;
    }
    let src = if runs { area } else { src };
    let fetch = |at| if positions { position(at) } else { src.get(at) };
    // In place each key changes places with its opposite.
    let count = if turned && in_place { n / 2 } else { n } * parts;
    let opposite = |at: u64| (n - 1 - at / parts) * parts + at % parts;
    let step = thread::grid_dim_x() as u64 * THREADS as u64;
    let mut first = thread::block_idx_x() as u64 * THREADS as u64 + thread::thread_idx_x() as u64;
    while first < count {
        let mut near = [zeroed::<T>(); ITEMS];
        let mut far = [zeroed::<T>(); ITEMS];
        for i in 0..ITEMS {
            let at = first + i as u64 * step;
            if at < count {
                near[i] = fetch(at);
                far[i] = if turned { fetch(opposite(at)) } else { near[i] };
            }
        }
        for i in 0..ITEMS {
            let at = first + i as u64 * step;
            if at < count {
                dst.set(at, far[i]);
                if turned && in_place {
                    dst.set(opposite(at), near[i]);
                }
            }
        }
        first += step * ITEMS as u64;
    }
}
