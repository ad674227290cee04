//! Counts how many keys of each segment fall into each bucket.
use super::guide::{Entry, Guide, words};
use super::search::{Splitters, equal_words};
use super::tables::{Level, tile_rows};
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Shared, thread};

/// Where the parts of a block's shared memory begin, bytes: behind the splitters.
struct Layout {
    counts: u32,
    found: u32,
    guide: u32,
    bytes: u32,
}

const fn layout<K: Key, const BITS: u32>() -> Layout {
    let counts = Splitters::<K, BITS>::BYTES;
    let found = counts + 4 * (1 << BITS);
    let guide = found + 4;
    Layout { counts, found, guide, bytes: guide + if K::NUMBER { Guide::<BITS>::BYTES } else { 0 } }
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Key, const BITS: u32>() -> u32 {
    layout::<K, BITS>().bytes
}

/// Of so many keys of a thread, how many are looked up at once: more would take more registers than there are.
const fn group<K>(items: usize) -> usize {
    let most = if size_of::<K>() < 8 { 4 } else { 2 };
    if items < most { items } else { most }
}

/// Adds the counts of each chunk to the `2^BITS` words of row s of `rows`, where s is its segment, and leaves each key's bucket
/// in `places`, at the key's place: searching again would cost more than two bytes do. `guides` are looked at where keys are
/// numbers.
///
/// Where there is a `table`, it gets [`tile_rows`] rows of counts for each chunk: row k how many of the chunk's keys come before
/// its tile k of a stable scatter, of which there are `tiles`, and row `tiles` how many there are in all.
///
/// # Safety
/// The block has `THREADS` threads and [`shared_bytes`]; the tables are those of the level; `src` holds its keys; with a
/// table, a tile of the scatter is some of this kernel's tiles.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn count<K: Key, const THREADS: u32, const ITEMS: usize, const BITS: u32>(
    src: Global<K>,
    level: Level,
    splitters: Global<K>,
    equal: Global<u32>,
    guides: Global<u32>,
    rows: Global<u64>,
    places: Global<u16>,
    table: Global<u32>,
    tiles: u32,
    codec: K::Codec,
) {
    if level.is_void() {
        return;
    }
    let t = thread::thread_idx_x();
    let buckets = 1u32 << BITS;
    let tree = Splitters::<K, BITS>::new(0);
    let l = layout::<K, BITS>();
    let counts = Shared::<u32>::new(l.counts, buckets);
    let found = Shared::<u32>::new(l.found, 1);
    let guide = Guide::<BITS>::new(l.guide);
    let chunks = level.chunk_count();
    let stable = !table.is_null();
    let mut c = thread::block_idx_x();
    while c < chunks {
        level.find(c, found);
        let mut b = t;
        while b < buckets {
            counts.set(b, 0);
            b += THREADS;
        }
        thread::sync_threads();
        let chunk = level.chunk(c, found.get(0));
        let s = chunk.segment as u64;
        tree.load(splitters.offset(s * (buckets as u64 - 1)), equal.offset(s * equal_words(BITS) as u64), codec);
        if K::NUMBER {
            guide.load(guides.offset(s * words(BITS) as u64));
        }
        thread::sync_threads();
        let (scale, top) = if K::NUMBER { (Some(guide.scale(tree)), None) } else { (None, Some(tree.top())) };
        let any_equal = !K::NUMBER && tree.any_equal();
        let keys = src.offset(chunk.start);
        let places = places.offset(chunk.start);
        let look_up = |key: K| scale.as_ref().map_or(Entry::NONE, |scale| guide.entry(scale, key));
        let note = |at: u32, key: K, entry: Entry| {
            let bucket = if K::NUMBER {
                entry.bucket(tree, key)
            } else {
                let rank = top.as_ref().map_or(0, |top| tree.rank(top, key));
                if any_equal { tree.bucket(rank, key) } else { rank }
            };
            counts.fetch_add(bucket as u64, 1, Ordering::Relaxed);
            places.set(at as u64, bucket as u16);
        };
        let tile = THREADS * ITEMS as u32;
        let per_row = if stable { level.chunk / tiles } else { 0 };
        let table = table.offset(if stable { c as u64 * tile_rows(tiles) * buckets as u64 } else { 0 });
        let record = |row: u32| {
            let mut b = t;
            while b < buckets {
                table.set((row * buckets + b) as u64, counts.get(b));
                b += THREADS;
            }
        };
        let (mut first, mut row, mut row_first) = (0, 0, 0);
        while first < chunk.len {
            if stable && first == row_first {
                thread::sync_threads();
                record(row);
                thread::sync_threads();
                row += 1;
                row_first += per_row;
            }
            if chunk.len - first >= tile {
                let mut v = [crate::simt::zeroed(); ITEMS];
                for i in 0..ITEMS {
                    v[i] = keys.get((first + t + i as u32 * THREADS) as u64);
                }
                let mut g = 0;
                while g < ITEMS {
                    let mut entries = [Entry::NONE; 4];
                    for i in 0..group::<K>(ITEMS) {
                        v[g + i] = v[g + i].encode(codec);
                        entries[i] = look_up(v[g + i]);
                    }
                    for i in 0..group::<K>(ITEMS) {
                        note(first + t + (g + i) as u32 * THREADS, v[g + i], entries[i]);
                    }
                    g += group::<K>(ITEMS);
                }
            } else {
                let mut at = first + t;
                while at < chunk.len {
                    let key = keys.get(at as u64).encode(codec);
                    note(at, key, look_up(key));
                    at += THREADS;
                }
            }
            first += tile;
        }
        thread::sync_threads();
        if stable {
            record(tiles);
        }
        let mut b = t;
        while b < buckets {
            let n = counts.get(b) as u64;
            if n > 0 {
                rows.fetch_add(s * buckets as u64 + b as u64, n, Ordering::Relaxed);
            }
            b += THREADS;
        }
        // Each thread zeroes what it has read, and nobody reads `found` any more.
        c += thread::grid_dim_x();
    }
}
