//! Sorts buckets of numbers that lie evenly, without merging.
//!
//! What lies between two splitters is most often spread evenly between its least and its greatest key. So a block counts a
//! bucket's keys into about as many *cells* of that range as there are keys, puts each at a place of its cell's, and finds its
//! rank among the few that share the cell. That passes half as often through shared memory as rounds of merging, which is what
//! bounds those ([`docs/performance.md`](https://github.com/gridsort/gridsort/blob/main/docs/performance.md#the-sample-sort)).
//! (Sorting by distribution within a range is as old as Neubert's flashsort, 1998.)
//!
//! A bucket of which some cell is crowded is left as it is, for the kernels that sort by comparisons alone; one that is done has
//! no keys any more in the list that both read. Where all are done, nobody reads it again.
use super::buckets::Areas;
use super::scan::exclusive_sum;
use super::search::padded;
use crate::order::Key;
use crate::rows::listed;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Global, Plain, Shared, WARP, thread, warp, zeroed};

/// Keys of a cell at most.
const CROWD: u32 = 24;

/// Where the parts of a block's shared memory begin, bytes: the keys at 0, then these.
struct Layout {
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

const fn layout<K: Plain>(threads: u32, tile: u32) -> Layout {
    let cells_at = (tile * size_of::<K>() as u32).next_multiple_of(16);
    let ends = (cells_at + 4 * (padded(cells(tile)) + 1)).next_multiple_of(16);
    let sums = ends + 2 * (threads / WARP) * size_of::<K>() as u32;
    let crowded = sums + 4 * (threads / WARP);
    Layout { cells: cells_at, ends, sums, crowded, bytes: crowded + 4 }
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Plain>(threads: u32, tile: u32) -> u32 {
    layout::<K>(threads, tile).bytes
}

/// Barriers of a block of `threads`: one behind the least and the greatest key, one behind the counts, one in their sum, where that
/// takes more than a warp, and one behind it, one behind the staging, one behind a bucket.
pub const fn barriers(threads: u32) -> u32 {
    if threads > WARP { 6 } else { 5 }
}

/// Sorts the listed buckets, of at most `THREADS * ITEMS` keys, whose keys lie evenly, and takes them off the list: blocks take
/// them in turn. Sorted keys are written to `areas.data`. `rest[0]`, 0 at first, gets the list's length if some bucket is left.
///
/// # Safety
/// A block has `THREADS` threads and [`shared_bytes`]; the list has `listed[0]` entries, as [`listed`] says.
#[inline(always)]
pub unsafe fn sort_by_cells<K: Key, const THREADS: u32, const ITEMS: usize>(
    areas: Areas<K>,
    list: Global<u64>,
    listed: Global<u32>,
    rest: Global<u32>,
    codec: K::Codec,
) {
    let count = listed.get(0);
    let mut at = thread::block_idx_x() as u64;
    while at < count as u64 {
        let done = sort_bucket::<K, THREADS, ITEMS>(areas, list.offset(2 * at), codec);
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
unsafe fn sort_bucket<K: Key, const THREADS: u32, const ITEMS: usize>(
    areas: Areas<K>,
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
    let l = layout::<K>(THREADS, tile);
    let staged = Shared::<K>::new(0, tile);
    let cells = Shared::<u32>::new(l.cells, padded(count) + 1);
    let crowded = Shared::<u32>::new(l.crowded, 1);

    let (start, word) = (entry.get(0), entry.get(1));
    let len = word as u32;
    let src = if listed::is_other(word) { areas.scratch } else { areas.data }.offset(start);
    let mut v = [zeroed::<K>(); ITEMS];
    let (mut least, mut greatest) = (K::pad(), zeroed::<K>());
    let left = len.saturating_sub(t);
    let src = src.offset(t as u64);
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
    // All threads read the same.
    if crowded.get(0) != 0 {
        return false;
    }
    let some = thread::opaque(left);
    for i in 0..ITEMS {
        if i as u32 * THREADS < some {
            staged.set(cells.get(r[i] & 0xffff) + (r[i] >> 16), v[i]);
        }
    }
    if t == 0 {
        entry.set(1, 0);
    }
    thread::sync_threads();
    let dst = areas.data.offset(start);
    let mut at = t;
    while at < len {
        let key = staged.get(at);
        let cell = key.steps(least, shift);
        let (from, to) = (cells.get(padded(cell)), cells.get(padded(cell + 1)));
        let mut rank = from;
        let mut other = from;
        while other < to {
            let its = staged.get(other);
            rank += (its.before(key) || (other < at && !key.before(its))) as u32;
            other += 1;
        }
        dst.set(rank as u64, key.decode(codec));
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
