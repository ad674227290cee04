//! Sorts buckets of numbers that lie evenly, without merging.
//!
//! What lies between two splitters is most often spread evenly between its least and its greatest key. So a block
//! counts a bucket's keys into about as many *cells* of that range as there are keys, puts each at a place of its
//! cell's, and finds its rank among the few that share the cell. What keys carry is staged beside them, and moved once.
//! That passes half as often through shared memory as rounds of merging, which is what bounds those
//! ([`docs/performance.md`](https://github.com/gridsort/gridsort/blob/main/docs/performance.md#the-sample-sort)).
//! (Sorting by distribution within a range is as old as Neubert's flashsort, 1998.)
//!
//! A bucket of which some cell is crowded, by keys that are not all alike, is left as it is, for the kernels that sort
//! by comparisons alone; one that is done has no keys any more in the list that both read. Where all are done, nobody
//! reads it again.
use super::buckets::Areas;
use super::scan::exclusive_sum;
use super::search::padded;
use crate::order::Key;
use crate::rows::listed;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Global, Plain, Shared, WARP, thread, warp, zeroed};

/// Keys of a cell at most, unless they all equal each other and are alike.
const CROWD: u32 = 24;
/// The mark of a bucket in which some cell has more that differ, beside that of one in which some cell has more.
const MIXED: u32 = 2;
/// Keys of a cell that are looked at without asking first whether there are as many. Of the cells that keys are in, one
/// in twenty has more, where they are random; a loop over what there is goes as often around as the fullest cell of a
/// warp's 32 asks for.
const AHEAD: u32 = 3;
/// What keys carry is fetched so many at a time: there are no registers for all of it beside the keys and their places.
const GROUP: usize = 6;

/// Where the parts of a block's shared memory begin, bytes: the keys at 0, then these.
struct Layout {
    payloads: u32,
    positions: u32,
    cells: u32,
    ends: u32,
    sums: u32,
    crowded: u32,
    bytes: u32,
}

/// Cells for a tile, at most one to a key and at least one to two.
const fn cells(tile: u32) -> u32 {
    1 << tile.ilog2()
}

const fn layout<K: Plain, P: Plain, const CARRY: bool>(threads: u32, tile: u32) -> Layout {
    let payloads = (tile * size_of::<K>() as u32).next_multiple_of(16);
    let positions = if CARRY { (payloads + tile * size_of::<P>() as u32).next_multiple_of(16) } else { payloads };
    let cells_at = if CARRY { (positions + 2 * tile).next_multiple_of(16) } else { positions };
    let ends = (cells_at + 4 * (padded(cells(tile)) + 1)).next_multiple_of(16);
    let sums = ends + 2 * (threads / WARP) * size_of::<K>() as u32;
    let crowded = sums + 4 * (threads / WARP);
    Layout { payloads, positions, cells: cells_at, ends, sums, crowded, bytes: crowded + 4 }
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Plain, P: Plain, const CARRY: bool>(threads: u32, tile: u32) -> u32 {
    layout::<K, P, CARRY>(threads, tile).bytes
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
/// blocks take them in turn. `rest[0]`, 0 at first, gets the list's length if some bucket is left. Where keys `CARRY`
/// something the sort is stable; others that equal each other are alike.
///
/// # Safety
/// A block has `THREADS` threads and [`shared_bytes`]; the list has `listed[0]` entries, as [`listed`] says.
#[inline(always)]
pub unsafe fn sort_by_cells<K: Key, P: Plain, const CARRY: bool, const THREADS: u32, const ITEMS: usize>(
    buckets: Buckets<K, P>,
    list: Global<u64>,
    listed: Global<u32>,
    rest: Global<u32>,
    codec: K::Codec,
) {
    let count = listed.get(0);
    let mut at = thread::block_idx_x() as u64;
    while at < count as u64 {
        let done = sort_bucket::<K, P, CARRY, THREADS, ITEMS>(buckets, list.offset(2 * at), codec);
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
unsafe fn sort_bucket<K: Key, P: Plain, const CARRY: bool, const THREADS: u32, const ITEMS: usize>(
    buckets: Buckets<K, P>,
    entry: Global<u64>,
    codec: K::Codec,
) -> bool {
    const { assert!(K::NUMBER) }
    let t = thread::thread_idx_x();
    let tile = THREADS * ITEMS as u32;
    let count = cells(tile);
    // Cells of a thread.
    let each = const {
        assert!(cells(THREADS * ITEMS as u32).is_multiple_of(THREADS));
        cells(THREADS * ITEMS as u32) / THREADS
    };
    let l = layout::<K, P, CARRY>(THREADS, tile);
    let staged = Shared::<K>::new(0, tile);
    let cells = Shared::<u32>::new(l.cells, padded(count) + 1);
    let crowded = Shared::<u32>::new(l.crowded, 1);
    // What each staged key carries, and where it was. Nobody looks where that is nothing.
    let carried = Shared::<P>::new(l.payloads, tile);
    let positions = Shared::<u16>::new(l.positions, tile);

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
    while c <= padded(count) {
        cells.set(c, 0);
        c += THREADS;
    }
    if t == 0 {
        crowded.set(0, 0);
    }
    // Opaque, or for each key a register says whether there is one.
    let some = thread::opaque(left);
    for i in 0..ITEMS {
        if i as u32 * THREADS < some {
            v[i] = v[i].encode(codec);
            least = if v[i].before(least) { v[i] } else { least };
            greatest = if greatest.before(v[i]) { v[i] } else { greatest };
        }
    }
    let (least, greatest) = ends_of_block::<K, THREADS>(least, greatest, Shared::new(l.ends, 2 * (THREADS / WARP)));
    let shift = greatest.distance_bits(least).saturating_sub(count.ilog2());
    let cell_of = |key: K| padded(key.steps(least, shift));

    // The cell's slot and, above 16 bits, the rank in it, in whichever order.
    let mut r = [0; ITEMS];
    let some = thread::opaque(left);
    for i in 0..ITEMS {
        if i as u32 * THREADS < some {
            let cell = cell_of(v[i]);
            // Opaque, or the compiler sees that it may keep both apart, in two registers.
            r[i] = thread::opaque(cell | cells.fetch_add(cell as u64, 1, Ordering::Relaxed) << 16);
        }
    }
    thread::sync_threads();
    let (mut sum, mut most) = (0, 0);
    for i in 0..each {
        let inside = cells.get(padded(t * each + i));
        sum += inside;
        most = if inside > most { inside } else { most };
    }
    if most > CROWD {
        crowded.fetch_or(0, 1, Ordering::Relaxed);
    }
    let mut before = exclusive_sum::<u32, THREADS>(sum, Shared::new(l.sums, THREADS / WARP));
    for i in 0..each {
        let at = padded(t * each + i);
        let inside = cells.get(at);
        cells.set(at, before);
        before += inside;
    }
    if t == 0 {
        cells.set(padded(count), len);
    }
    thread::sync_threads();
    // All threads read the same. What keys carry tells equal ones apart.
    let many = crowded.get(0) != 0;
    if CARRY && many {
        return false;
    }
    let some = thread::opaque(left);
    for i in 0..ITEMS {
        if i as u32 * THREADS < some {
            // From now on its place.
            r[i] = cells.get(r[i] & 0xffff) + (r[i] >> 16);
            staged.set(r[i], v[i]);
        }
    }
    if CARRY {
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
                let at = (g + i) as u32 * THREADS;
                if g + i < ITEMS && at < some {
                    carried.set(r[g + i], p[i]);
                    positions.set(r[g + i], (t + at) as u16);
                }
            }
            g += GROUP;
        }
    }
    thread::sync_threads();
    if !CARRY && many {
        // A crowd of one value is in order.
        let mut at = t;
        while at < len {
            let key = staged.get(at);
            let cell = key.steps(least, shift);
            let from = cells.get(padded(cell));
            let first = staged.get(from);
            if cells.get(padded(cell + 1)) - from > CROWD && (first.before(key) || key.before(first)) {
                crowded.fetch_or(0, MIXED, Ordering::Relaxed);
            }
            at += THREADS;
        }
        thread::sync_threads();
        if crowded.get(0) & MIXED != 0 {
            return false;
        }
    }
    if t == 0 {
        entry.set(1, 0);
    }
    let (dst, payload_dst) = (buckets.wanted.offset(start), buckets.payloads.data.offset(start));
    let mut at = t;
    while at < len {
        let key = staged.get(at);
        let cell = key.steps(least, shift);
        let (from, to) = (cells.get(padded(cell)), cells.get(padded(cell + 1)));
        // Those that come before it, and whether some other one is alike.
        let (mut rank, mut ties) = (from, false);
        if !CARRY && to - from > CROWD {
            dst.set(at as u64, key.decode(codec));
            at += THREADS;
            continue;
        }
        // Whoever is asked for a key that the cell does not have is asked for the key itself, which does not come
        // before itself.
        let mut other = from;
        for _ in 0..AHEAD {
            let slot = if other < to { other } else { at };
            let its = staged.get(slot);
            let (before, after) = (its.before(key), key.before(its));
            rank += (before | (!CARRY & (slot < at) & !after)) as u32;
            ties |= (slot != at) & !before & !after;
            other += 1;
        }
        while other < to {
            let its = staged.get(other);
            let (before, after) = (its.before(key), key.before(its));
            rank += (before | (!CARRY & (other < at) & !after)) as u32;
            ties |= (other != at) & !before & !after;
            other += 1;
        }
        if CARRY {
            if ties {
                let position = positions.get(at);
                for other in from..to {
                    let its = staged.get(other);
                    let alike = !its.before(key) & !key.before(its);
                    rank += (alike & (positions.get(other) < position)) as u32;
                }
            }
            payload_dst.set(rank as u64, carried.get(at));
        }
        if !CARRY || !buckets.wanted.is_null() {
            dst.set(rank as u64, key.decode(codec));
        }
        at += THREADS;
    }
    true
}

/// The least and the greatest key of the block. `ends` has two slots for each warp.
///
/// # Safety
/// All `THREADS` threads of the block call it; there was a barrier since `ends` was used.
#[inline(always)]
unsafe fn ends_of_block<K: Key, const THREADS: u32>(mut least: K, mut greatest: K, ends: Shared<K>) -> (K, K) {
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
