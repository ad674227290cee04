//! Runs of equal keys: the first key of each, how many there are, and how long each is.
//!
//! A *head* is a key that differs from the one before it; its *rank*, the number of heads before it, is its place in the
//! output. Three launches:
//!
//! 1. [`count_heads`]: each tile counts its heads and notes where the last one is;
//! 2. [`scan_tiles`]: one block turns the counts into the rank of each tile's first head, and the notes into the last head
//!    before each tile;
//! 3. [`write_runs`]: each tile finds its heads again and writes them. A head also ends the run before it, whose length it
//!    writes.
//!
//! Keys are read twice, which costs a fixed factor and spares blocks waiting for one another. Keys differ where one is
//! before the other. For built-in keys that is where their bits differ, so nothing is encoded, and any order will do.
use super::Integers;
use crate::order::Key;
use crate::sample::scan::exclusive_sum;
use crate::simt::{FULL_WARP, Global, Shared, WARP, thread, warp, zeroed};

/// Bytes of shared memory of a block of `threads` threads that counts: a word for each warp.
pub const fn count_shared_bytes(threads: u32) -> u32 {
    4 * (threads / WARP)
}

/// The same of a block that writes: two words for each warp.
pub const fn write_shared_bytes(threads: u32) -> u32 {
    8 * (threads / WARP)
}

/// The same of the block that scans: two long words for each warp, and two.
pub const fn scan_shared_bytes(threads: u32) -> u32 {
    16 * (threads / WARP) + 16
}

/// Keys of a thread: every 32nd from `first` on, so that a warp's are neighbours.
struct Heads<K, const ITEMS: usize> {
    first: u64,
    keys: [K; ITEMS],
    /// Bit i: whether key i is a head. Those from the end of all keys on are none.
    bits: u32,
}

impl<K: Key, const ITEMS: usize> Heads<K, ITEMS> {
    /// Reads those of the calling thread.
    ///
    /// # Safety
    /// `keys` holds `n` > 0 keys; `ITEMS` is at most 32.
    #[inline(always)]
    #[track_caller]
    unsafe fn load<const THREADS: u32>(keys: Global<K>, n: u64) -> Self {
        let t = thread::thread_idx_x();
        let warp = thread::block_idx_x() as u64 * (THREADS / WARP) as u64 + (t / WARP) as u64;
        let first = warp * (WARP as u64 * ITEMS as u64) + (t % WARP) as u64;
        let place = |i: usize| first + i as u64 * WARP as u64;
        // Behind the end the last key is read again, so that no load waits for a branch.
        let within = |at: u64| if at < n { at } else { n - 1 };
        let mut heads = Heads { first, keys: [zeroed(); ITEMS], bits: 0 };
        for i in 0..ITEMS {
            heads.keys[i] = keys.get(within(place(i)));
        }
        for i in 0..ITEMS {
            let at = place(i);
            // Mostly the key of the lane below: it comes from the cache.
            let before = keys.get(if at > 0 { within(at) - (at < n) as u64 } else { 0 });
            let differs = before.before(heads.keys[i]) | heads.keys[i].before(before);
            heads.bits |= (((at < n) & (differs | (at == 0))) as u32) << i;
        }
        heads
    }

    /// 1 + the position of the last head among the keys from `start` on, or 0 where none is a head.
    #[inline(always)]
    fn last(&self, start: u64) -> u32 {
        if self.bits == 0 {
            return 0;
        }
        (self.first - start) as u32 + (31 - self.bits.leading_zeros()) * WARP + 1
    }
}

/// Sets `counts[b]` to the number of heads in tile b and, unless it is null, `lasts[b]` to 1 + the position of its last
/// head, or to 0 where it has none.
///
/// # Safety
/// A block has `THREADS` threads, more than a warp, and [`count_shared_bytes`]; the grid has a block for each tile of
/// `THREADS * ITEMS` keys, which are at most 2^15. `ITEMS` is at most 32. `keys` holds `n` > 0 keys, `counts` and `lasts`
/// have an element for each tile and overlap nothing.
#[inline(always)]
pub unsafe fn count_heads<K: Key, const THREADS: u32, const ITEMS: usize>(
    keys: Global<K>,
    n: u64,
    counts: Global<u64>,
    lasts: Global<u64>,
) {
    const { assert!(THREADS as usize * ITEMS <= 1 << 15) }
    let t = thread::thread_idx_x();
    let tile = thread::block_idx_x() as u64;
    let start = tile * (THREADS as u64 * ITEMS as u64);
    let heads = Heads::<K, ITEMS>::load::<THREADS>(keys, n);
    let last = warp::warp_reduce_max(FULL_WARP, heads.last(start));
    let count = warp::warp_reduce_add(FULL_WARP, heads.bits.count_ones());
    // Neither is more than the keys of a tile: 16 bits each.
    let of_warps = Shared::<u32>::new(0, THREADS / WARP);
    if t.is_multiple_of(WARP) {
        of_warps.set(t / WARP, last << 16 | count);
    }
    thread::sync_threads();
    if t < WARP {
        let word = if t < THREADS / WARP { of_warps.get(t) } else { 0 };
        let count = warp::warp_reduce_add(FULL_WARP, word & 0xffff);
        let last = warp::warp_reduce_max(FULL_WARP, word >> 16);
        if t == 0 {
            counts.set(tile, count as u64);
            if !lasts.is_null() {
                lasts.set(tile, if last == 0 { 0 } else { start + last as u64 });
            }
        }
    }
}

/// The greatest `v` of the lanes up to this one.
#[inline(always)]
fn warp_inclusive_max(v: u64) -> u64 {
    let lane = warp::lane_id();
    let mut most = v;
    let mut d = 1;
    while d < WARP {
        let below = warp::warp_shuffle_up(FULL_WARP, most, d);
        if lane >= d && below > most {
            most = below;
        }
        d *= 2;
    }
    most
}

/// Replaces each tile's count by the sum of those before it, and each note of `lasts`, unless it is null, by the greatest
/// before it. Sets `total[0]` to the sum of all counts.
///
/// # Safety
/// One block of `THREADS` threads, more than a warp, with [`scan_shared_bytes`]. `counts` and `lasts` have `tiles`
/// elements, `total` has one; none overlaps another.
#[inline(always)]
pub unsafe fn scan_tiles<const THREADS: u32, const ITEMS: usize>(
    counts: Global<u64>,
    lasts: Global<u64>,
    tiles: u64,
    total: Global<u64>,
) {
    let t = thread::thread_idx_x();
    let lane = t % WARP;
    let warps = THREADS / WARP;
    let sums = Shared::<u64>::new(0, warps);
    let greatest = Shared::<u64>::new(8 * warps, warps);
    // What all threads go on from: the sum, and the last head.
    let carried = Shared::<u64>::new(16 * warps, 2);
    let noted = !lasts.is_null();
    let (mut sum, mut last) = (0, 0);
    let mut base = 0;
    while base < tiles {
        let first = base + t as u64 * ITEMS as u64;
        let mut count = [0; ITEMS];
        let mut note = [0; ITEMS];
        let (mut mine, mut latest) = (0, 0);
        for i in 0..ITEMS {
            let at = first + i as u64;
            if at < tiles {
                count[i] = counts.get(at);
                if noted {
                    note[i] = lasts.get(at);
                }
            }
            mine += count[i];
            latest = if note[i] > latest { note[i] } else { latest };
        }
        let through = warp_inclusive_max(latest);
        if lane == WARP - 1 {
            greatest.set(t / WARP, through);
        }
        // Its barrier is that of `greatest` too.
        let mut rank = sum + exclusive_sum::<u64, THREADS>(mine, sums);
        let of_warps = warp_inclusive_max(if lane < warps { greatest.get(lane) } else { 0 });
        let of_before = warp::warp_shuffle_idx(FULL_WARP, of_warps, (t / WARP + WARP - 1) % WARP);
        let below = warp::warp_shuffle_up(FULL_WARP, through, 1);
        let mut seen = last;
        if t >= WARP && of_before > seen {
            seen = of_before;
        }
        if lane > 0 && below > seen {
            seen = below;
        }
        for i in 0..ITEMS {
            let at = first + i as u64;
            if at < tiles {
                counts.set(at, rank);
                if noted {
                    lasts.set(at, seen);
                }
            }
            rank += count[i];
            seen = if note[i] > seen { note[i] } else { seen };
        }
        // Who reads these is past it before the barrier of the next sum.
        if t == THREADS - 1 {
            carried.set(0, rank);
            carried.set(1, seen);
        }
        thread::sync_threads();
        (sum, last) = (carried.get(0), carried.get(1));
        base += THREADS as u64 * ITEMS as u64;
    }
    if t == 0 {
        total.set(0, sum);
    }
}

/// Writes the first key of each run to `out` and, unless it is null, the run's length to `lengths`.
///
/// # Safety
/// A block has `THREADS` threads, more than a warp, and [`write_shared_bytes`]; the grid has a block for each tile of
/// `THREADS * ITEMS` keys. `ITEMS` is at most 32. `keys` holds `n` > 0 keys, `ranks` and, where there are `lengths`, `lasts`
/// hold what [`scan_tiles`] left. `out` and `lengths` have room for as many runs as there are and overlap nothing; a length
/// has room for `n`.
#[inline(always)]
pub unsafe fn write_runs<K: Key, const THREADS: u32, const ITEMS: usize>(
    keys: Global<K>,
    n: u64,
    ranks: Global<u64>,
    lasts: Global<u64>,
    out: Global<K>,
    lengths: Integers,
) {
    let t = thread::thread_idx_x();
    let lane = t % WARP;
    let warps = THREADS / WARP;
    let tile = thread::block_idx_x() as u64;
    let start = tile * (THREADS as u64 * ITEMS as u64);
    let measured = !lengths.is_null();
    let mine = Heads::<K, ITEMS>::load::<THREADS>(keys, n);

    let last_of = Shared::<u32>::new(4 * warps, warps);
    let last = warp::warp_reduce_max(FULL_WARP, mine.last(start));
    if lane == 0 {
        last_of.set(t / WARP, last);
    }
    // Its barrier is that of `last_of` too.
    let before = exclusive_sum::<u32, THREADS>(mine.bits.count_ones(), Shared::new(0, warps));
    // The rank of the warp's next head, and 1 + the position of the last head before it.
    let mut rank = ranks.get(tile) + warp::warp_shuffle_idx(FULL_WARP, before, 0) as u64;
    let mut last = 0;
    if measured {
        let of_others = if lane < t / WARP { last_of.get(lane) } else { 0 };
        let in_tile = warp::warp_reduce_max(FULL_WARP, of_others);
        last = if in_tile > 0 { start + in_tile as u64 } else { lasts.get(tile) };
    }
    for i in 0..ITEMS {
        let is_head = mine.bits >> i & 1 != 0;
        let heads = warp::warp_vote_ballot(FULL_WARP, is_head);
        let below = heads & ((1 << lane) - 1);
        let row = mine.first - lane as u64 + i as u64 * WARP as u64;
        if is_head {
            let r = rank + below.count_ones() as u64;
            out.set(r, mine.keys[i]);
            // The first head of all ends no run.
            if measured && r > 0 {
                let begin = if below != 0 { row + (31 - below.leading_zeros()) as u64 } else { last - 1 };
                lengths.set(r - 1, row + lane as u64 - begin);
            }
        }
        rank += heads.count_ones() as u64;
        if heads != 0 {
            last = row + (32 - heads.leading_zeros()) as u64;
        }
    }
    // The end of the keys ends the last run.
    if measured && tile + 1 == thread::grid_dim_x() as u64 && t == THREADS - WARP {
        lengths.set(rank - 1, n - (last - 1));
    }
}
