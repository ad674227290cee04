//! Moves the keys of a level into their buckets in the order they had, and what they carry along.
//!
//! Where each tile's keys go in each bucket is known before: [`count`](super::count) has left how many of a chunk come
//! before each of its tiles, and [`bases`](super::bases::bases) where each chunk begins. So no tile waits for another.
//! Within a tile, each warp takes consecutive keys, step by step; lanes with the same bucket find each other by a vote
//! on each bit of its number, and the warp counts for itself, without atomics. (`match.any` would find them in one
//! instruction, which goes through the lanes' distinct values one by one: of random keys nearly all are.)
use super::scan::exclusive_sum;
use super::tables::{Level, tile_rows};
use crate::order::Key;
use crate::rows::{Carried, carried};
use crate::simt::{FULL_WARP, Global, Plain, Shared, WARP, thread, warp, zeroed};

/// Where the parts of a block's shared memory begin, bytes. At 0 the warps' counts, and when they are not needed any
/// more, what is staged, keys or payloads.
struct Layout {
    deltas: u32,
    starts: u32,
    bins: u32,
    bytes: u32,
}

const fn layout<K: Key>(threads: u32, tile: u32, bits: u32) -> Layout {
    let buckets = 1u32 << bits;
    let widest = if size_of::<K>() > 8 { size_of::<K>() as u32 } else { 8 };
    let (counts, staged) = (2 * buckets * (threads / WARP), tile * widest);
    let deltas = (if counts > staged { counts } else { staged }).next_multiple_of(16);
    let starts = deltas + 8 * buckets;
    let bins = starts + 4 * buckets;
    Layout { deltas, starts, bins, bytes: bins + 2 * tile }
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Key>(threads: u32, tile: u32, bits: u32) -> u32 {
    layout::<K>(threads, tile, bits).bytes
}

/// A thread's part of a tile: its first key, of which it has every 32nd, and how many keys there are from that one on.
#[derive(Clone, Copy)]
struct Part {
    first: u64,
    left: u32,
}

/// Moves the keys of one tile of a chunk, `GROUP` of a thread at a time, block `b` tile `b % tiles` of chunk `b /
/// tiles`, and what they carry: positions are those in the whole array. `table` and `bases` are what the count and
/// [`bases`](super::bases::bases) left.
///
/// # Safety
/// The block has `THREADS` ≥ `2^BITS` threads and [`shared_bytes`]; the tables are those of the level; the areas hold its
/// keys and what they carry.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn scatter_stably<K: Key, const THREADS: u32, const ITEMS: usize, const GROUP: usize, const BITS: u32>(
    src: Global<K>,
    dst: Global<K>,
    carried: Carried,
    level: Level,
    table: Global<u32>,
    bases: Global<u64>,
    places: Global<u16>,
    tiles: u32,
) {
    const { assert!(ITEMS.is_multiple_of(GROUP) && THREADS >= 1 << BITS) }
    // Ranks in a tile have 16 bits.
    const { assert!(THREADS * ITEMS as u32 <= 1 << 16) }
    let t = thread::thread_idx_x();
    let (buckets, tile) = (1u32 << BITS, THREADS * ITEMS as u32);
    let l = layout::<K>(THREADS, tile, BITS);
    let warps = THREADS / WARP;
    let deltas = Shared::<u64>::new(l.deltas, buckets);
    let starts = Shared::<u32>::new(l.starts, buckets);
    let bins = Shared::<u16>::new(l.bins, tile);
    // Both lie where bins are noted later.
    let sums = Shared::<u32>::new(l.bins, warps);
    let found = Shared::<u32>::new(l.bins + 4 * warps, 1);
    let c = thread::block_idx_x() / tiles;
    if level.is_void() || c >= level.chunk_count() {
        return;
    }
    level.find(c, found);
    let words = Shared::<u32>::new(0, buckets / 2 * warps);
    let mut w = t;
    while w < buckets / 2 * warps {
        words.set(w, 0);
        w += THREADS;
    }
    thread::sync_threads();
    let chunk = level.chunk(c, found.get(0));
    let k = thread::block_idx_x() % tiles;
    let first = k * tile;
    if first >= chunk.len {
        return;
    }
    let len = if chunk.len - first < tile { chunk.len - first } else { tile };

    // How many of each bucket the tile has, and where they go.
    let rows = table.offset(c as u64 * tile_rows(tiles) * buckets as u64);
    let (mut count, mut place) = (0, 0);
    if t < buckets {
        let next = if first + len == chunk.len { tiles } else { k + 1 };
        let before = rows.get((k * buckets + t) as u64);
        count = rows.get((next * buckets + t) as u64) - before;
        place = bases.get(c as u64 * buckets as u64 + t as u64) + before as u64;
    }
    let start = exclusive_sum::<u32, THREADS>(count, sums);
    // Opaque where the kernel is compiled in a crate of the user's, for this one's MIR has been through JumpThreading
    // then: or the sum's barrier is copied onto the paths of those who ask for a bucket and those who do not.
    let same = if K::TRUSTED { t } else { thread::opaque(t) };
    if same < buckets {
        starts.set(t, start);
        deltas.set(t, place.wrapping_sub(start as u64));
    }

    let mine = t / WARP * WARP * ITEMS as u32 + t % WARP;
    let part = Part { first: chunk.start + (first + mine) as u64, left: len.saturating_sub(mine) };
    let mut r = [0; ITEMS];
    for i in 0..ITEMS {
        let at = i as u32 * WARP;
        r[i] = if at < part.left { places.get(part.first + at as u64) as u32 } else { buckets };
    }
    let of_warp = Shared::<u16>::new(2 * buckets * (t / WARP), buckets);
    rank::<ITEMS, BITS>(&mut r, of_warp);
    thread::sync_threads();
    sum_up::<THREADS, BITS>(words, starts);
    thread::sync_threads();
    for i in 0..ITEMS {
        let b = r[i] & 0xffff;
        if b < buckets {
            // Opaque, or the compiler sees that it may keep both apart, in two registers.
            r[i] = thread::opaque(b | ((of_warp.get(b) as u32 + (r[i] >> 16)) << 16));
        }
    }
    thread::sync_threads();
    for i in 0..ITEMS {
        if (i as u32) * WARP < part.left {
            bins.set(r[i] >> 16, r[i] as u16);
        }
    }
    shift::<K, THREADS, ITEMS, GROUP>(part, len, &r, bins, deltas, |at| src.get(at), |at, key| dst.set(at, key));
    if carried.kind == carried::NOTHING {
        return;
    }
    thread::sync_threads();
    match carried.kind {
        carried::PAYLOAD_32 => {
            let (from, to) = (carried.src, carried.dst);
            shift::<u32, THREADS, ITEMS, GROUP>(part, len, &r, bins, deltas, |at| from.get(at), |at, v| to.set(at, v));
        }
        carried::POSITION_32 => {
            let to = carried.dst;
            shift::<u32, THREADS, ITEMS, GROUP>(part, len, &r, bins, deltas, |at| at as u32, |at, v| to.set(at, v));
        }
        kind => {
            let (from, to) = (carried.src.cast::<u64>(), carried.dst.cast::<u64>());
            let fetch = |at| if kind == carried::PAYLOAD_64 { from.get(at) } else { at };
            shift::<u64, THREADS, ITEMS, GROUP>(part, len, &r, bins, deltas, fetch, |at, v| to.set(at, v));
        }
    }
}

/// Replaces each of the warp's buckets by itself and, above 16 bits, how many of the warp's keys before it have the same.
/// `counts`, zeros at first, has how many in all then. What is no key, behind all others, has a bucket beyond the last.
///
/// # Safety
/// All lanes of the warp call it, with counts of its own.
#[inline(always)]
unsafe fn rank<const ITEMS: usize, const BITS: u32>(r: &mut [u32; ITEMS], counts: Shared<u16>) {
    let lane = warp::lane_id();
    for i in 0..ITEMS {
        let b = r[i];
        let is_key = b >> BITS == 0;
        let mut alike = warp::warp_vote_ballot(FULL_WARP, is_key);
        for bit in 0..BITS {
            let set = b & (1 << bit) != 0;
            let votes = warp::warp_vote_ballot(FULL_WARP, set);
            alike &= if set { votes } else { !votes };
        }
        let before = (alike & ((1 << lane) - 1)).count_ones();
        let mut counted = 0;
        if is_key {
            counted = counts.get(b) as u32;
            r[i] = b | (counted + before) << 16;
        }
        warp::sync_warp(FULL_WARP);
        // The last of them counts for all.
        if is_key && alike >> lane == 1 {
            counts.set(b, (counted + before + 1) as u16);
        }
        warp::sync_warp(FULL_WARP);
    }
}

/// Turns the warps' counts into where in the tile their keys of each bucket begin. Two counts to a word: each is at
/// most the keys of a tile.
///
/// # Safety
/// All threads of the block call it; `words` are the counts, `starts` the buckets' places in the tile.
#[inline(always)]
unsafe fn sum_up<const THREADS: u32, const BITS: u32>(words: Shared<u32>, starts: Shared<u32>) {
    let t = thread::thread_idx_x();
    let pairs = 1u32 << (BITS - 1);
    if t < pairs {
        let mut sum = starts.get(2 * t) | starts.get(2 * t + 1) << 16;
        let mut at = words.at(t);
        let mut w = 0;
        while w < THREADS / WARP {
            let mut v = [0; 8];
            const { assert!((THREADS / WARP).is_multiple_of(2)) }
            let some = if THREADS / WARP < 8 { THREADS / WARP } else { 8 };
            for i in 0..some {
                v[i as usize] = at.offset(i * pairs).read();
            }
            for i in 0..some {
                at.offset(i * pairs).write(sum);
                sum += v[i as usize];
            }
            at = at.offset(some * pairs);
            w += some;
        }
    }
}

/// Brings one kind of element into the buckets' order in shared memory, and writes it out.
///
/// # Safety
/// All threads of the block call it; `r` has each element's place in the tile above 16 bits; what is staged is free,
/// and bins are noted before the next barrier.
#[inline(always)]
unsafe fn shift<T: Plain, const THREADS: u32, const ITEMS: usize, const GROUP: usize>(
    part: Part,
    len: u32,
    r: &[u32; ITEMS],
    bins: Shared<u16>,
    deltas: Shared<u64>,
    fetch: impl Fn(u64) -> T,
    put: impl Fn(u64, T),
) {
    let t = thread::thread_idx_x();
    let staged = Shared::<T>::new(0, THREADS * ITEMS as u32);
    let mut g = 0;
    while g < ITEMS {
        // By 1024 threads a few at a time: registers for all of a thread's would halve the blocks of a multiprocessor.
        let mut v = [zeroed::<T>(); GROUP];
        let left = thread::opaque(part.left);
        for i in g..g + GROUP {
            if (i as u32) * WARP < left {
                v[i - g] = fetch(part.first + (i as u32 * WARP) as u64);
            }
        }
        for i in g..g + GROUP {
            if (i as u32) * WARP < left {
                // Opaque, or the compiler keeps places that it has reckoned once for the next kind of element.
                staged.set(thread::opaque(r[i]) >> 16, v[i - g]);
            }
        }
        g += GROUP;
    }
    thread::sync_threads();
    let (bins, staged) = (bins.at(t), staged.at(t));
    let some = thread::opaque(len.saturating_sub(t));
    for i in 0..ITEMS {
        let o = i as u32 * THREADS;
        if o < some {
            let to = deltas.get(bins.offset(o).read() as u32).wrapping_add((t + o) as u64);
            put(to, staged.offset(o).read());
        }
    }
}
