//! Moves the keys of a level into their buckets, in any order within a bucket.
//!
//! Tiles take their places in the buckets as they come, by atomic additions, so that no block waits for another.
//! (Working off the tiles of a chunk in order, which a stable partition needs, took half as long again on an H200: each
//! tile then waits for the one before, and a multiprocessor has few blocks to hide it with.)
//!
//! [`count`](super::count) has left how many of a tile's keys go into each bucket, so one addition tells a key its place in the tile, and
//! marks (`marks.rs`) tell from a place what bucket it is in. What bounds the move then are the writes: a bucket's keys in a tile are
//! some hundred bytes, and begin and end within sectors. So tiles are as large as shared memory allows two blocks to have.
use super::marks::{self, Marks};
use super::places::{LanePlaces, Places};
use super::scan::exclusive_sum;
use super::tables::Level;
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Shared, WARP, thread, zeroed};

/// Where the parts of a block's shared memory begin, bytes: behind the keys.
struct Layout {
    deltas: u32,
    marks: u32,
    next: u32,
    current: u32,
    bytes: u32,
}

const fn layout<K: Key, const THREADS: u32, const ITEMS: usize>(bits: u32) -> Layout {
    let buckets = 1u32 << bits;
    let deltas = (THREADS * ITEMS as u32 * size_of::<K>() as u32).next_multiple_of(16);
    let marks = deltas + 8 * buckets;
    let next = marks + Marks::<THREADS, ITEMS>::BYTES;
    let current = next + 4 * buckets;
    Layout { deltas, marks, next, current, bytes: current + 4 }
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Key, const THREADS: u32, const ITEMS: usize>(bits: u32) -> u32 {
    layout::<K, THREADS, ITEMS>(bits).bytes
}

/// Moves the keys of a level, of which a chunk has `tiles` tiles; a thread fetches `GROUP` keys at a time. `places`
/// says into which buckets, `table` how many of each tile's go into each; row s of `rows`, where the next keys of the buckets of
/// segment s go.
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
    places: Places<BITS>,
    table: Global<u16>,
    tiles: u32,
) {
    let current = Shared::new(layout::<K, THREADS, ITEMS>(BITS).current, 1);
    level.each_tile(tiles, current, |t, b| {
        move_tile::<K, THREADS, ITEMS, GROUP, BITS>(
            t,
            (b / tiles, b % tiles),
            src,
            dst,
            level,
            rows,
            places,
            table.offset((b as u64) << BITS),
        );
    });
}

/// Moves the keys of tile `k` of chunk `c`, by thread `t` of the block; `counts` says how many go into each bucket.
///
/// # Safety
/// As [`scatter`]; the level has the chunk.
#[allow(clippy::too_many_arguments)] // the kernel's, for one tile
#[inline(always)]
unsafe fn move_tile<K: Key, const THREADS: u32, const ITEMS: usize, const GROUP: usize, const BITS: u32>(
    t: u32,
    (c, k): (u32, u32),
    src: Global<K>,
    dst: Global<K>,
    level: Level,
    rows: Global<u64>,
    places: Places<BITS>,
    counts: Global<u16>,
) {
    const { assert!(ITEMS.is_multiple_of(GROUP) && THREADS >= 1 << BITS) }
    let buckets = 1u32 << BITS;
    let tile = THREADS * ITEMS as u32;
    let l = layout::<K, THREADS, ITEMS>(BITS);
    let staged = Shared::<K>::new(0, tile);
    let deltas = Shared::<u64>::new(l.deltas, buckets);
    let marks = Marks::<THREADS, ITEMS>::new(l.marks);
    let next = Shared::<u32>::new(l.next, buckets);
    // They lie where keys are staged later.
    let sums = Shared::<u32>::new(0, THREADS / WARP);
    let chunk = level.noted(c);
    let first = k * tile;
    if first >= chunk.len {
        thread::sync_threads();
        return;
    }
    marks.clear();
    let s = chunk.segment as u64;
    let len = if chunk.len - first < tile { chunk.len - first } else { tile };
    let full = len == tile;
    let of_warp = t / WARP * WARP * ITEMS as u32;
    let mine = of_warp + t % WARP;
    let left = len.saturating_sub(mine);
    let src = src.offset(chunk.start + (first + mine) as u64);
    let places = places.chunk(c, level.chunk, chunk.start).of_lane(first + of_warp, ITEMS as u32, chunk.len);
    let count = if t < buckets { counts.get(t as u64) as u32 } else { 0 };
    let mut place = 0;
    if count > 0 {
        place = rows.fetch_add(s * buckets as u64 + t as u64, count as u64, Ordering::Relaxed);
    }
    let piece = marks::piece(exclusive_sum::<u32, THREADS>(marks::summand(count), sums));
    if count > 0 {
        next.set(t, piece.start);
        marks.mark(piece.start);
    }
    thread::sync_threads();
    let mut g = 0;
    while g < ITEMS {
        // A few at a time: registers for all of them would halve the blocks of a multiprocessor.
        let mut v = [zeroed::<K>(); GROUP];
        // Their buckets, then their places in the tile.
        let mut p = [0; GROUP];
        let some = thread::opaque(left);
        if full {
            fetch::<K, GROUP, BITS>(src, places, g as u32, u32::MAX, &mut v, &mut p);
        } else {
            fetch::<K, GROUP, BITS>(src, places, g as u32, some, &mut v, &mut p);
        }
        for i in 0..GROUP {
            let high = places.high((g + i) as u32);
            if ((g + i) as u32) * WARP < some {
                p[i] = next.fetch_add((p[i] | high) as u64, 1, Ordering::Relaxed);
            }
        }
        for i in 0..GROUP {
            if ((g + i) as u32) * WARP < some {
                staged.set(p[i], v[i]);
            }
        }
        g += GROUP;
    }
    // Not before: the place was far away.
    if count > 0 {
        deltas.set(piece.number, place.wrapping_sub(piece.start as u64));
    }
    marks.sum_up();
    thread::sync_threads();
    marks.each(len, |slot, number| {
        dst.set(deltas.get(number).wrapping_add(slot as u64), staged.get(slot));
    });
}

/// Reads `N` keys, every 32nd of `src` from row `first` on, and the lower bits of their buckets, of those among the first `left`.
///
/// # Safety
/// The arrays hold them.
#[inline(always)]
#[track_caller]
unsafe fn fetch<K: Key, const N: usize, const BITS: u32>(
    src: Global<K>,
    places: LanePlaces<BITS>,
    first: u32,
    left: u32,
    v: &mut [K; N],
    p: &mut [u32; N],
) {
    for i in 0..N {
        let row = first + i as u32;
        if row * WARP < left {
            p[i] = places.low(row);
        }
    }
    for i in 0..N {
        let row = first + i as u32;
        if row * WARP < left {
            v[i] = src.get((row * WARP) as u64);
        }
    }
}
