//! Sorts buckets of numbers that lie evenly, without merging.
//!
//! What lies between two splitters is most often spread evenly between its least and its greatest key. So a block
//! counts a bucket's keys into about as many *cells* of that range as there are keys, puts each into a slot of its
//! cell's, and finds its rank by a look at the few slots around it ([`slots`]). What keys carry is staged beside them, and moved once.
//! That passes half as often through shared memory as rounds of merging, which is what bounds those
//! ([`docs/performance.md`](https://github.com/gridsort/gridsort/blob/main/docs/performance.md#the-sample-sort)).
//! (Sorting by distribution within a range is as old as Neubert's flashsort, 1998.)
//!
//! A bucket of which some cell is crowded, by keys that are not all alike, is left as it is, for the kernels that sort
//! by comparisons alone; one that is done has no keys any more in the list that both read. Where all are done, nobody
//! reads it again.
pub mod slots;

use self::slots::{NEAR, Slots, rank_among_near};
use super::buckets::Areas;
use super::scan::exclusive_sum;
use super::search::padded;
use crate::order::{BitKey, Order};
use crate::rows::listed;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Global, Plain, Shared, WARP, thread, warp, zeroed};

/// Keys of a cell at most, unless they all equal each other and are alike.
const CROWD: u32 = 24;
/// What a bucket's cells are found to be, bits: some has more keys than a look at what is near can put in order;
const FULL: u32 = 1;
/// some is crowded;
const CROWDED: u32 = 2;
/// some is crowded by keys that differ.
const MIXED: u32 = 4;
/// What keys carry is fetched so many at a time: there are no registers for all of it beside the keys and their places.
const GROUP: usize = 6;

/// Where the parts of a block's shared memory begin, bytes: the slots at 0, then these.
struct Layout {
    payloads: u32,
    cells: u32,
    ends: u32,
    sums: u32,
    len: u32,
    found: u32,
    bytes: u32,
}

/// Cells for a tile, at most one to a key and at least one to two.
const fn cells(tile: u32) -> u32 {
    1 << tile.ilog2()
}
/// Slots for a tile, with the ends on either side.
const fn slots(tile: u32) -> u32 {
    tile + 2 * NEAR
}

const fn layout<K: BitKey, P: Plain, S: Slots<K>>(threads: u32, tile: u32) -> Layout {
    let payloads = (slots(tile) * size_of::<S::Slot>() as u32).next_multiple_of(16);
    let cells_at = if S::CARRY { (payloads + tile * size_of::<P>() as u32).next_multiple_of(16) } else { payloads };
    let ends = (cells_at + 4 * (padded(cells(tile)) + 1)).next_multiple_of(16);
    let sums = ends + 2 * (threads / WARP) * size_of::<K>() as u32;
    let len = sums + 4 * (threads / WARP);
    Layout { payloads, cells: cells_at, ends, sums, len, found: len + 4, bytes: len + 8 }
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: BitKey, P: Plain, S: Slots<K>>(threads: u32, tile: u32) -> u32 {
    layout::<K, P, S>(threads, tile).bytes
}

/// Where buckets are read and where they are written.
#[derive(Clone, Copy)]
pub struct Buckets<K, P> {
    /// The keys.
    pub keys: Areas<K>,
    /// Where sorted keys go, which is `keys.data`; null where only what they carry is wanted.
    pub wanted: Global<K>,
    /// What they carry. Not looked at where that is nothing.
    pub payloads: Areas<P>,
}

/// Barriers of a block of `threads`: one behind the least and the greatest key, one behind the counts, one in their
/// sum, where that takes more than a warp, and one behind it, one behind the staging, one behind a bucket; where keys
/// carry nothing, one more behind a look at crowds.
pub const fn barriers(threads: u32, carry: bool) -> u32 {
    5 + (threads > WARP) as u32 + !carry as u32
}

/// Sorts the listed buckets, of at most `THREADS * ITEMS` keys, whose keys lie evenly, and takes them off the list:
/// blocks take them in turn. `rest[0]`, 0 at first, gets the list's length if some bucket is left. Where keys carry
/// something the sort is stable; others that equal each other are alike.
///
/// # Safety
/// A block has `THREADS` threads and [`shared_bytes`]; the list has `listed[0]` entries, as [`listed`] says.
#[inline(always)]
pub unsafe fn sort_by_cells<K: BitKey, P: Plain, S: Slots<K>, const THREADS: u32, const ITEMS: usize>(
    buckets: Buckets<K, P>,
    list: Global<u64>,
    listed: Global<u32>,
    rest: Global<u32>,
    codec: K::Codec,
) {
    let count = listed.get(0);
    let mut at = thread::block_idx_x() as u64;
    while at < count as u64 {
        let done = sort_bucket::<K, P, S, THREADS, ITEMS>(buckets, list.offset(2 * at), codec);
        if !done && thread::thread_idx_x() == 0 {
            rest.store(0, count, Ordering::Relaxed);
        }
        // The next one takes its place.
        thread::sync_threads();
        at += thread::grid_dim_x() as u64;
    }
}

/// Sorts one bucket, whose entry is the first of the list; tells, all threads alike, whether it did.
///
/// # Safety
/// As [`sort_by_cells`].
#[inline(always)]
unsafe fn sort_bucket<K: BitKey, P: Plain, S: Slots<K>, const THREADS: u32, const ITEMS: usize>(
    buckets: Buckets<K, P>,
    entry: Global<u64>,
    codec: K::Codec,
) -> bool {
    // Each thread begins as many cells.
    const { assert!(cells(THREADS * ITEMS as u32).is_multiple_of(THREADS)) }
    let t = thread::thread_idx_x();
    let tile = THREADS * ITEMS as u32;
    let l = layout::<K, P, S>(THREADS, tile);
    let staged = Shared::<S::Slot>::new(0, slots(tile));
    let counts = Shared::<u32>::new(l.cells, padded(cells(tile)) + 1);
    let found = Shared::<u32>::new(l.found, 1);
    // What each slot's key carries. Nobody looks where that is nothing.
    let carried = Shared::<P>::new(l.payloads, tile);
    // The bucket's length, to be read again: what a thread knows of its keys from before, the assembler keeps as a predicate for
    // each, all in one register, and takes that apart again and again.
    let len_slot = Shared::<u32>::new(l.len, 1);

    let (start, word) = (entry.get(0), entry.get(1));
    let (len, other) = (word as u32, listed::is_other(word));
    let mut v = [zeroed::<K>(); ITEMS];
    let (mut least, mut greatest) = (K::pad(), zeroed::<K>());
    let left = len.saturating_sub(t);
    let src = if other { buckets.keys.scratch } else { buckets.keys.data }.offset(start + t as u64);
    for i in 0..ITEMS {
        let at = i as u32 * THREADS;
        if at < left {
            v[i] = src.get(at as u64);
        }
    }
    let mut c = t;
    while c <= padded(cells(tile)) {
        counts.set(c, 0);
        c += THREADS;
    }
    if t == 0 {
        found.set(0, 0);
        len_slot.set(0, len);
    }
    // Read again for the same reason; by an atomic load, or the assembler sees that it is the same.
    let left = (entry.load(1, Ordering::Relaxed) as u32).saturating_sub(t);
    for i in 0..ITEMS {
        if i as u32 * THREADS < left {
            v[i] = v[i].encode(codec);
            least = if v[i].before(least) { v[i] } else { least };
            greatest = if greatest.before(v[i]) { v[i] } else { greatest };
        }
    }
    let (least, greatest) = ends_of_block::<K, THREADS>(least, greatest, Shared::new(l.ends, 2 * (THREADS / WARP)));
    let Some(slots) = S::new(least, greatest, cells(tile), tile) else {
        return false;
    };

    // The cell's count and, above 16 bits, the rank in it, in whichever order.
    let mut r = [0; ITEMS];
    let left = len_slot.get(0).saturating_sub(t);
    for i in 0..ITEMS {
        if i as u32 * THREADS < left {
            let cell = padded(slots.cell(v[i]));
            let rank = counts.fetch_add(cell as u64, 1, Ordering::Relaxed);
            // Opaque, or the compiler sees that it may keep both apart, in two registers.
            r[i] = thread::opaque(cell.wrapping_add(rank << 16));
        }
    }
    thread::sync_threads();
    begin_cells::<THREADS>(counts, cells(tile), found, Shared::new(l.sums, THREADS / WARP));
    if t == 0 {
        counts.set(padded(cells(tile)), len);
    }
    let ends = S::ends();
    if t < NEAR {
        staged.set(t, ends.0);
        staged.set(NEAR + len + t, ends.1);
    }
    thread::sync_threads();
    // All threads read the same. Slots tell apart what carries something, so that no crowd of those is in order.
    let marks = found.get(0);
    if S::CARRY && marks & CROWDED != 0 {
        return false;
    }
    let left = len_slot.get(0).saturating_sub(t);
    for i in 0..ITEMS {
        let at = i as u32 * THREADS;
        if at < left {
            // From now on its slot.
            r[i] = counts.get(r[i] & 0xffff) + (r[i] >> 16);
            staged.set(NEAR + r[i], slots.slot(v[i], t + at));
        }
    }
    if S::CARRY {
        let src = if other { buckets.payloads.scratch } else { buckets.payloads.data }.offset(start + t as u64);
        let mut g = 0;
        while g < ITEMS {
            let mut p = [zeroed::<P>(); GROUP];
            let some = thread::opaque(left);
            for i in 0..GROUP {
                let at = (g + i) as u32 * THREADS;
                if g + i < ITEMS && at < some {
                    p[i] = src.get(at as u64);
                }
            }
            for i in 0..GROUP {
                if g + i < ITEMS && ((g + i) as u32) * THREADS < some {
                    carried.set(r[g + i], p[i]);
                }
            }
            g += GROUP;
        }
    }
    thread::sync_threads();
    let cell_of = |key: K| {
        let cell = slots.cell(key);
        (counts.get(padded(cell)), counts.get(padded(cell + 1)))
    };
    if !S::CARRY && marks & CROWDED != 0 {
        // A crowd of one value is in order.
        let mut at = t;
        while at < len {
            let slot = staged.get(NEAR + at);
            let (from, to) = cell_of(slots.key(slot));
            let first = staged.get(NEAR + from);
            if to - from > CROWD && (first.before(slot) || slot.before(first)) {
                found.fetch_or(0, MIXED, Ordering::Relaxed);
            }
            at += THREADS;
        }
        thread::sync_threads();
        if found.get(0) & MIXED != 0 {
            return false;
        }
    }
    if t == 0 {
        entry.set(1, 0);
    }
    let (dst, payload_dst) = (buckets.wanted.offset(start), buckets.payloads.data.offset(start));
    let mut at = t;
    while at < len {
        let (slot, mut rank) = rank_among_near(staged, at);
        let key = slots.key(slot);
        if marks & FULL != 0 {
            let (from, to) = cell_of(key);
            // A crowd is in order.
            if to - from <= CROWD {
                rank = rank_among_far(staged, (from, to), at, slot, rank);
            }
        }
        if S::CARRY {
            payload_dst.set(rank as u64, carried.get(at));
        }
        if !S::CARRY || !buckets.wanted.is_null() {
            dst.set(rank as u64, key.decode(codec));
        }
        at += THREADS;
    }
    true
}

/// What [`rank_among_near`] has found for slot `at`, and what the rest of its cell adds to it.
///
/// # Safety
/// As [`rank_among_near`]; the slots `from..to` are the cell's.
#[inline(always)]
unsafe fn rank_among_far<S: Plain + Order>(
    staged: Shared<S>,
    (from, to): (u32, u32),
    at: u32,
    own: S,
    mut rank: u32,
) -> u32 {
    let mut other = from;
    while other + NEAR < at {
        rank -= own.before(staged.get(NEAR + other)) as u32;
        other += 1;
    }
    other = at + NEAR + 1;
    while other < to {
        rank += staged.get(NEAR + other).before(own) as u32;
        other += 1;
    }
    rank
}

/// Turns the counts of the cells into the slots where they begin, and notes whether some cell is full or crowded.
///
/// # Safety
/// All `THREADS` threads of the block call it, between barriers; `sums` has a slot for each warp.
#[inline(always)]
unsafe fn begin_cells<const THREADS: u32>(counts: Shared<u32>, cells: u32, found: Shared<u32>, sums: Shared<u32>) {
    // As many to each thread.
    let each = cells / THREADS;
    let first = thread::thread_idx_x() * each;
    let (mut sum, mut most) = (0, 0);
    for i in 0..each {
        let inside = counts.get(padded(first + i));
        sum += inside;
        most = if inside > most { inside } else { most };
    }
    if most > NEAR + 1 {
        found.fetch_or(0, FULL | if most > CROWD { CROWDED } else { 0 }, Ordering::Relaxed);
    }
    let mut before = exclusive_sum::<u32, THREADS>(sum, sums);
    for i in 0..each {
        let at = padded(first + i);
        let inside = counts.get(at);
        counts.set(at, before);
        before += inside;
    }
}

/// The least and the greatest key of the block. `ends` has two slots for each warp.
///
/// # Safety
/// All `THREADS` threads of the block call it; there was a barrier since `ends` was used.
#[inline(always)]
unsafe fn ends_of_block<K: BitKey, const THREADS: u32>(mut least: K, mut greatest: K, ends: Shared<K>) -> (K, K) {
    let (t, warps) = (thread::thread_idx_x(), THREADS / WARP);
    let mut distance = 1;
    while distance < WARP {
        let (low, high) =
            (warp::warp_shuffle_xor(FULL_WARP, least, distance), warp::warp_shuffle_xor(FULL_WARP, greatest, distance));
        least = if low.before(least) { low } else { least };
        greatest = if greatest.before(high) { high } else { greatest };
        distance *= 2;
    }
    if t.is_multiple_of(WARP) {
        ends.set(t / WARP, least);
        ends.set(warps + t / WARP, greatest);
    }
    thread::sync_threads();
    for w in 0..warps {
        let (low, high) = (ends.get(w), ends.get(warps + w));
        least = if low.before(least) { low } else { least };
        greatest = if greatest.before(high) { high } else { greatest };
    }
    (least, greatest)
}
