//! Moves the keys of a level into their buckets, in any order within a bucket.
//!
//! Tiles take their places in the buckets as they come, by atomic additions, so that no block waits for another.
//! (Working off the tiles of a chunk in order, which a stable partition needs, took half as long again on an H200: each
//! tile then waits for the one before, and a multiprocessor has few blocks to hide it with.)
use super::scan::exclusive_sum;
use super::tables::Level;
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Plain, Shared, WARP, thread, zeroed};

/// Where the parts of a block's shared memory begin, bytes.
struct Layout {
    deltas: u32,
    counts: u32,
    bins: u32,
    current: u32,
    bytes: u32,
}

const fn layout<K: Key>(tile: u32, bits: u32) -> Layout {
    let buckets = 1u32 << bits;
    let deltas = (tile * size_of::<K>() as u32).next_multiple_of(16);
    let counts = deltas + 8 * buckets;
    let bins = counts + 4 * (buckets + 1);
    let current = bins + 2 * tile;
    Layout { deltas, counts, bins, current, bytes: current + 4 }
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Key>(tile: u32, bits: u32) -> u32 {
    layout::<K>(tile, bits).bytes
}

/// Moves the keys of a level, of which a chunk has `tiles` tiles; a thread fetches `GROUP` keys at a time. `places`
/// says into which buckets; row s of `rows`, where the next keys of the buckets of segment s go.
///
/// # Safety
/// The block has `THREADS` ≥ `2^BITS` threads and [`shared_bytes`]; the tables are those of the level; the areas hold its
/// keys.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn scatter<K: Key, const THREADS: u32, const ITEMS: usize, const GROUP: usize, const BITS: u32>(
    src: Global<K>,
    dst: Global<K>,
    level: Level,
    rows: Global<u64>,
    places: Global<u16>,
    tiles: u32,
) {
    let current = Shared::new(layout::<K>(THREADS * ITEMS as u32, BITS).current, 1);
    level.each_tile(tiles, current, |t, b| {
        move_tile::<K, THREADS, ITEMS, GROUP, BITS>(t, (b / tiles, b % tiles), src, dst, level, rows, places);
    });
}

/// Moves the keys of tile `k` of chunk `c`, by thread `t` of the block.
///
/// # Safety
/// As [`scatter`]; the level has the chunk.
#[inline(always)]
unsafe fn move_tile<K: Key, const THREADS: u32, const ITEMS: usize, const GROUP: usize, const BITS: u32>(
    t: u32,
    (c, k): (u32, u32),
    src: Global<K>,
    dst: Global<K>,
    level: Level,
    rows: Global<u64>,
    places: Global<u16>,
) {
    const { assert!(ITEMS.is_multiple_of(GROUP) && THREADS >= 1 << BITS) }
    let buckets = 1u32 << BITS;
    let tile = THREADS * ITEMS as u32;
    let l = layout::<K>(tile, BITS);
    let staged = Shared::<K>::new(0, tile);
    let bins = Shared::<u16>::new(l.bins, tile);
    let deltas = Shared::<u64>::new(l.deltas, buckets);
    let counts = Shared::<u32>::new(l.counts, buckets + 1);
    // Both lie where keys are staged later.
    let sums = Shared::<u32>::new(0, THREADS / WARP);
    let found = Shared::<u32>::new(4 * (THREADS / WARP), 1);
    level.find(c, found);
    if t < buckets {
        counts.set(t, 0);
    }
    if t == 0 {
        counts.set(buckets, 0);
    }
    thread::sync_threads();
    let chunk = level.chunk(c, found.get(0));
    let first = k * tile;
    if first >= chunk.len {
        return;
    }
    let s = chunk.segment as u64;
    let len = if chunk.len - first < tile { chunk.len - first } else { tile };
    let full = len == tile;
    let left = len.saturating_sub(t);
    let src = src.offset(chunk.start + (first + t) as u64);
    // The bucket, and above 16 bits the rank in it. What is no key goes to a bucket of its own, behind the others.
    let mut r = [buckets; ITEMS];
    let places = places.offset(chunk.start + (first + t) as u64);
    let mut i = 0;
    fetch::<u16, ITEMS, THREADS>(places, 0, left, full, |bucket| {
        r[i] = bucket as u32;
        i += 1;
    });
    if !full {
        for i in 0..ITEMS {
            r[i] = if (i as u32) * THREADS < left { r[i] } else { buckets };
        }
    }
    for i in 0..ITEMS {
        // Opaque, or the compiler sees that it may keep both apart, in two registers.
        r[i] = thread::opaque(r[i] | counts.fetch_add(r[i] as u64, 1, Ordering::Relaxed) << 16);
    }
    thread::sync_threads();
    let count = if t < buckets { counts.get(t) } else { 0 };
    let mut place = 0;
    if count > 0 {
        place = rows.fetch_add(s * buckets as u64 + t as u64, count as u64, Ordering::Relaxed);
    }
    let start = exclusive_sum::<u32, THREADS>(count, sums);
    if t < buckets {
        counts.set(t, start);
        deltas.set(t, place.wrapping_sub(start as u64));
    }
    thread::sync_threads();
    let mut g = 0;
    while g < ITEMS {
        // Keys are fetched only now, a few at a time: registers for all of them would halve the blocks of a
        // multiprocessor.
        let mut v = [zeroed::<K>(); GROUP];
        let mut i = 0;
        fetch::<K, GROUP, THREADS>(src, g as u32, left, full, |key| {
            v[i] = key;
            i += 1;
        });
        let some = thread::opaque(left);
        for i in g..g + GROUP {
            if (i as u32) * THREADS < some {
                let b = r[i] & 0xffff;
                let place = counts.get(b) + (r[i] >> 16);
                staged.set(place, v[i - g]);
                bins.set(place, b as u16);
            }
        }
        g += GROUP;
    }
    thread::sync_threads();
    let (bins, staged) = (bins.at(t), staged.at(t));
    let some = thread::opaque(left);
    for i in 0..ITEMS {
        let o = i as u32 * THREADS;
        if o < some {
            let to = deltas.get(bins.offset(o).read() as u32).wrapping_add((t + o) as u64);
            dst.set(to, staged.offset(o).read());
        }
    }
}

/// Reads `N` elements `THREADS` apart, from number `first` on, those of the `left` first places; all where the tile is
/// `full`.
///
/// # Safety
/// The array holds them.
#[inline(always)]
#[track_caller]
unsafe fn fetch<T: Plain, const N: usize, const THREADS: u32>(
    src: Global<T>,
    first: u32,
    left: u32,
    full: bool,
    mut put: impl FnMut(T),
) {
    let left = thread::opaque(left);
    if full {
        for i in 0..N {
            put(src.get(((first + i as u32) * THREADS) as u64));
        }
    } else {
        for i in 0..N {
            let at = (first + i as u32) * THREADS;
            put(if at < left { src.get(at as u64) } else { zeroed() });
        }
    }
}
