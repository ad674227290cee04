//! Counts how many keys of each segment fall into each bucket.
use super::guide::{Entry, Guide, words};
use super::places::{ChunkPlaces, Places};
use super::search::{Splitters, equal_words};
use super::tables::Level;
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Shared, WARP, thread, warp};

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
/// in `places`: searching again would cost more than reading it does. `guides` are looked at where keys are
/// numbers.
///
/// `table` gets a row of counts for each tile of the scatter, of which a chunk has `tiles`: row `tiles` · c + k those of tile k of chunk c.
/// Where `bases` are not null, row c of them gets those of chunk c.
///
/// # Safety
/// The block has `THREADS` ≥ `2^BITS` threads and [`shared_bytes`]; the tables are those of the level; `src` holds its keys; a tile
/// of the scatter is some of this kernel's tiles, below 2^16 keys.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn count<K: Key, const THREADS: u32, const ITEMS: usize, const BITS: u32>(
    src: Global<K>,
    level: Level,
    splitters: Global<K>,
    equal: Global<u32>,
    guides: Global<u32>,
    rows: Global<u64>,
    places: Places<BITS>,
    table: Global<u16>,
    tiles: u32,
    bases: Global<u64>,
    codec: K::Codec,
) {
    if level.is_void() {
        return;
    }
    const { assert!(THREADS >= 1 << BITS) }
    let t = thread::thread_idx_x();
    let (lane, warp) = (warp::lane_id(), t / WARP);
    let buckets = 1u32 << BITS;
    let tree = Splitters::<K, BITS>::new(0);
    let l = layout::<K, BITS>();
    let counts = Shared::<u32>::new(l.counts, buckets);
    let found = Shared::<u32>::new(l.found, 1);
    let guide = Guide::<BITS>::new(l.guide);
    let chunks = level.chunk_count();
    let per_row = level.chunk / tiles;
    let mut c = thread::block_idx_x();
    while c < chunks {
        level.find(c, found);
        if t < buckets {
            counts.set(t, 0);
        }
        thread::sync_threads();
        let chunk = level.chunk(c, found.get(0));
        if t == 0 {
            level.note(c, chunk);
        }
        let s = chunk.segment as u64;
        tree.load(splitters.offset(s * (buckets as u64 - 1)), equal.offset(s * equal_words(BITS) as u64), codec);
        if K::NUMBER {
            guide.load(guides.offset(s * words(BITS) as u64));
        }
        thread::sync_threads();
        let (scale, top) = if K::NUMBER { (Some(guide.scale(tree)), None) } else { (None, Some(tree.top())) };
        let any_equal = !K::NUMBER && tree.any_equal();
        let keys = src.offset(chunk.start);
        let places = places.chunk(c, level.chunk, chunk.start);
        let look_up = |key: K| scale.as_ref().map_or(Entry::NONE, |scale| guide.entry(scale, key));
        let note = |at: u32, key: K, entry: Entry| {
            let bucket = if K::NUMBER {
                entry.bucket(tree, key)
            } else {
                let rank = top.as_ref().map_or(0, |top| tree.rank(top, key));
                if any_equal { tree.bucket(rank, key) } else { rank }
            };
            counts.fetch_add(bucket as u64, 1, Ordering::Relaxed);
            places.note_low(at, bucket);
            bucket
        };
        let tile = THREADS * ITEMS as u32;
        let table = table.offset((c as u64 * tiles as u64) << BITS);
        // The chunk's keys of bucket t.
        let mut total = 0;
        // Notes how many the tile had, and begins the next one. All threads call it, between barriers.
        let mut end_tile = |row: u32| {
            if t < buckets {
                let count = counts.get(t);
                table.set(((row << BITS) + t) as u64, count as u16);
                counts.set(t, 0);
                total += count;
            }
        };
        let (mut first, mut row, mut row_end) = (0, 0, per_row);
        while first < chunk.len {
            if first == row_end {
                thread::sync_threads();
                end_tile(row);
                thread::sync_threads();
                row += 1;
                row_end += per_row;
            }
            if chunk.len - first >= tile {
                // A warp's keys are side by side, and so are its words of top bits, which the first lanes keep.
                let mine = first + warp * WARP * ITEMS as u32 + lane;
                let mut v = [crate::simt::zeroed(); ITEMS];
                for i in 0..ITEMS {
                    v[i] = keys.get((mine + i as u32 * WARP) as u64);
                }
                let mut high = 0;
                let mut g = 0;
                while g < ITEMS {
                    let mut entries = [Entry::NONE; 4];
                    for i in 0..group::<K>(ITEMS) {
                        v[g + i] = v[g + i].encode(codec);
                        entries[i] = look_up(v[g + i]);
                    }
                    for i in 0..group::<K>(ITEMS) {
                        let bucket = note(mine + (g + i) as u32 * WARP, v[g + i], entries[i]);
                        let bits = ChunkPlaces::<BITS>::top_bits(bucket);
                        high = if lane == (g + i) as u32 { bits } else { high };
                    }
                    g += group::<K>(ITEMS);
                }
                if lane < ITEMS as u32 {
                    places.note_high(first / WARP + warp * ITEMS as u32 + lane, high);
                }
            } else {
                let mut at = first + t;
                while at - lane < chunk.len {
                    let mut bucket = 0;
                    if at < chunk.len {
                        let key = keys.get(at as u64).encode(codec);
                        bucket = note(at, key, look_up(key));
                    }
                    let bits = ChunkPlaces::<BITS>::top_bits(bucket);
                    if lane == 0 {
                        places.note_high(at / WARP, bits);
                    }
                    at += THREADS;
                }
            }
            first += tile;
        }
        thread::sync_threads();
        end_tile(row);
        if total > 0 {
            rows.fetch_add(s * buckets as u64 + t as u64, total as u64, Ordering::Relaxed);
        }
        if !bases.is_null() && t < buckets {
            bases.set(((c as u64) << BITS) + t as u64, total as u64);
        }
        // Each thread has zeroed what it read, and nobody reads `found` any more.
        c += thread::grid_dim_x();
    }
}
