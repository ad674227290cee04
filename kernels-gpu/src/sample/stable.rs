//! Moves the keys of a level into their buckets in the order they had, and what they carry along.
//!
//! Where each tile's keys go in each bucket is known before: [`count`](super::count) has left how many each tile has, and
//! [`bases`](super::bases::bases) where each chunk begins. So no tile waits for another. Within a tile, each warp takes
//! consecutive keys, step by step, and counts for itself. Lanes with one bucket are counted in whichever order; all of
//! them but the last see by the sum that there are others: of random keys three steps in five have some. Such lanes are
//! put in order group by group, by a vote on their bucket, and where many are alike by votes on each bit. (Votes on each
//! bit for all made the whole kernel a fifth more instructions; `match.any` goes through the lanes' distinct values one
//! by one, which of random keys nearly all are.)
use super::marks::{self, Marks};
use super::places::Places;
use super::scan::exclusive_sum;
use super::tables::Level;
use crate::order::Key;
use crate::rows::{Carried, carried};
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Global, Plain, Shared, SharedCursor, WARP, thread, warp, zeroed};

/// Where the parts of a block's shared memory begin, bytes. At 0 the warps' counts, and when they are not needed any
/// more, what is staged, keys or payloads.
struct Layout {
    deltas: u32,
    marks: u32,
    sums: u32,
    bytes: u32,
}

const fn layout<K: Key, P: Plain, const THREADS: u32, const ITEMS: usize>(bits: u32) -> Layout {
    let buckets = 1u32 << bits;
    let widest = if size_of::<K>() > size_of::<P>() { size_of::<K>() } else { size_of::<P>() } as u32;
    let (counts, staged) = (4 * buckets * (THREADS / WARP), THREADS * ITEMS as u32 * widest);
    let deltas = (if counts > staged { counts } else { staged }).next_multiple_of(16);
    let marks = deltas + 8 * buckets;
    let sums = marks + Marks::<THREADS, ITEMS>::BYTES;
    Layout { deltas, marks, sums, bytes: sums + 4 * (THREADS / WARP) }
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Key, P: Plain, const THREADS: u32, const ITEMS: usize>(bits: u32) -> u32 {
    layout::<K, P, THREADS, ITEMS>(bits).bytes
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
/// keys and what they carry, `P` if it is anything.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn scatter_stably<
    K: Key,
    P: Plain,
    const THREADS: u32,
    const ITEMS: usize,
    const GROUP: usize,
    const BITS: u32,
>(
    src: Global<K>,
    dst: Global<K>,
    carried: Carried,
    level: Level,
    table: Global<u16>,
    bases: Global<u64>,
    places: Places<BITS>,
    tiles: u32,
) {
    const { assert!(ITEMS.is_multiple_of(GROUP) && THREADS >= 1 << BITS) }
    // Ranks in a tile have 16 bits.
    const { assert!(THREADS * ITEMS as u32 <= 1 << 16) }
    let t = thread::thread_idx_x();
    let (buckets, tile) = (1u32 << BITS, THREADS * ITEMS as u32);
    let l = layout::<K, P, THREADS, ITEMS>(BITS);
    let warps = THREADS / WARP;
    let deltas = Shared::<u64>::new(l.deltas, buckets);
    let marks = Marks::<THREADS, ITEMS>::new(l.marks);
    let sums = Shared::<u32>::new(l.sums, warps);
    let c = thread::block_idx_x() / tiles;
    if level.is_void() || c >= level.chunk_count() {
        return;
    }
    let chunk = level.noted(c);
    let k = thread::block_idx_x() % tiles;
    let first = k * tile;
    if first >= chunk.len {
        return;
    }
    marks.clear();
    let counts = Shared::<u32>::new(0, buckets * warps);
    let mut w = t;
    while w < buckets * warps {
        counts.set(w, 0);
        w += THREADS;
    }
    let len = if chunk.len - first < tile { chunk.len - first } else { tile };

    let of_warp = t / WARP * WARP * ITEMS as u32;
    let mine = of_warp + t % WARP;
    let part = Part { first: chunk.start + (first + mine) as u64, left: len.saturating_sub(mine) };
    let mut r = [0; ITEMS];
    let places = places.chunk(c, level.chunk, chunk.start).of_lane(first + of_warp, ITEMS as u32, chunk.len);
    for i in 0..ITEMS {
        let row = i as u32;
        let high = places.high(row);
        r[i] = if row * WARP < part.left { places.low(row) | high } else { buckets };
    }

    // How many of each bucket the tile has, and where they go.
    let (mut count, mut place) = (0, 0);
    if t < buckets {
        place = bases.get(((c as u64) << BITS) + t as u64);
        let row = table.offset(((c as u64 * tiles as u64) << BITS) + t as u64);
        count = row.get((k << BITS) as u64) as u32;
        // Several at a time, for each is far away.
        let mut j = 0;
        while j < k {
            let mut v = [0; 8];
            for i in 0..8 {
                if j + i < k {
                    v[i as usize] = row.get(((j + i) << BITS) as u64) as u32;
                }
            }
            place += v.iter().sum::<u32>() as u64;
            j += 8;
        }
    }
    let piece = marks::piece(exclusive_sum::<u32, THREADS>(marks::summand(count), sums));
    // Opaque where the kernel is compiled in a crate of the user's, for this one's MIR has been through JumpThreading
    // then: or the sum's barrier is copied onto the paths of those who ask for a bucket and those who do not.
    let some = if K::TRUSTED { count } else { thread::opaque(count) };
    if some > 0 {
        deltas.set(piece.number, place.wrapping_sub(piece.start as u64));
        marks.mark(piece.start);
    }
    let of_warp = Shared::<u32>::new(4 * buckets * (t / WARP), buckets);
    rank::<ITEMS, BITS>(&mut r, of_warp);
    thread::sync_threads();
    marks.sum_up();
    if t < buckets {
        begin_warps(counts.at(t), buckets, warps, piece.start);
    }
    thread::sync_threads();
    for i in 0..ITEMS {
        let b = r[i] & 0xffff;
        if b < buckets {
            // From now on the place in the tile. Opaque, or the compiler keeps both parts of it, in two registers.
            r[i] = thread::opaque(of_warp.get(b) + (r[i] >> 16));
        }
    }
    thread::sync_threads();
    let tile = Tile { part, len, marks, deltas };
    shift::<K, THREADS, ITEMS, GROUP>(tile, &r, |at| src.get(at), |at, key| dst.set(at, key));
    if carried.kind == carried::NOTHING {
        return;
    }
    thread::sync_threads();
    if size_of::<P>() == 4 {
        let (from, to) = (carried.src, carried.dst);
        let fetch = |at| if carried.kind == carried::PAYLOAD_32 { from.get(at) } else { at as u32 };
        shift::<u32, THREADS, ITEMS, GROUP>(tile, &r, fetch, |at, v| to.set(at, v));
    } else {
        let (from, to) = (carried.src.cast::<u64>(), carried.dst.cast::<u64>());
        let fetch = |at| if carried.kind == carried::PAYLOAD_64 { from.get(at) } else { at };
        shift::<u64, THREADS, ITEMS, GROUP>(tile, &r, fetch, |at, v| to.set(at, v));
    }
}

/// Groups of lanes with one bucket that are looked at one by one.
const GROUPS: u32 = 4;

/// Replaces each of the warp's buckets by itself and, above 16 bits, how many of the warp's keys before it have the same.
/// `counts`, zeros at first, has how many in all then. What is no key, behind all others, has a bucket beyond the last.
///
/// # Safety
/// All lanes of the warp call it, with counts of its own.
#[inline(always)]
unsafe fn rank<const ITEMS: usize, const BITS: u32>(r: &mut [u32; ITEMS], counts: Shared<u32>) {
    let below = (1u32 << warp::lane_id()) - 1;
    for i in 0..ITEMS {
        let b = r[i];
        let is_key = b >> BITS == 0;
        let mut rank = 0;
        if is_key {
            rank = counts.fetch_add(b as u64, 1, Ordering::Relaxed);
        }
        warp::sync_warp(FULL_WARP);
        let after = if is_key { counts.get(b) } else { 0 };
        warp::sync_warp(FULL_WARP);
        // Lanes with one bucket were counted in any order: all but the one that was counted last see that there are others.
        let mut mixed = warp::warp_vote_ballot(FULL_WARP, is_key && rank + 1 < after);
        let in_order = |alike: u32| after - alike.count_ones() + (alike & below).count_ones();
        let mut groups = 0;
        while mixed != 0 && groups < GROUPS {
            let its = warp::warp_shuffle_idx(FULL_WARP, b, mixed.trailing_zeros());
            let alike = warp::warp_vote_ballot(FULL_WARP, b == its);
            if b == its {
                rank = in_order(alike);
            }
            mixed &= !alike;
            groups += 1;
        }
        if mixed != 0 {
            let mut alike = FULL_WARP;
            for bit in 0..=BITS {
                let set = b & (1 << bit) != 0;
                let votes = warp::warp_vote_ballot(FULL_WARP, set);
                alike &= if set { votes } else { !votes };
            }
            if is_key {
                rank = in_order(alike);
            }
        }
        // Opaque, or the compiler keeps the bucket, or where it is counted, in a register of its own.
        r[i] = thread::opaque(b | rank << 16);
    }
}

/// Turns how many keys of a bucket each warp has, from `at` on, `step` apart, into where in the tile they begin.
///
/// # Safety
/// They are nobody else's between two barriers.
#[inline(always)]
unsafe fn begin_warps(mut at: SharedCursor<u32>, step: u32, warps: u32, start: u32) {
    const AT_ONCE: u32 = 8;
    let mut sum = start;
    let mut w = 0;
    while w < warps {
        let mut v = [0; AT_ONCE as usize];
        for i in 0..AT_ONCE {
            if w + i < warps {
                v[i as usize] = at.offset(i * step).read();
            }
        }
        for i in 0..AT_ONCE {
            if w + i < warps {
                at.offset(i * step).write(sum);
                sum += v[i as usize];
            }
        }
        at = at.offset(AT_ONCE * step);
        w += AT_ONCE;
    }
}

/// A tile whose keys' places are known.
#[derive(Clone, Copy)]
struct Tile<const THREADS: u32, const ITEMS: usize> {
    part: Part,
    len: u32,
    marks: Marks<THREADS, ITEMS>,
    /// For each bucket with keys how far its part of the tile moves.
    deltas: Shared<u64>,
}

/// Brings one kind of element into the buckets' order in shared memory, and writes it out.
///
/// # Safety
/// All threads of the block call it; `r` has each element's place in the tile; what is staged is free.
#[inline(always)]
unsafe fn shift<T: Plain, const THREADS: u32, const ITEMS: usize, const GROUP: usize>(
    tile: Tile<THREADS, ITEMS>,
    r: &[u32; ITEMS],
    fetch: impl Fn(u64) -> T,
    put: impl Fn(u64, T),
) {
    let staged = Shared::<T>::new(0, THREADS * ITEMS as u32);
    let part = tile.part;
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
                // Opaque, or the compiler keeps addresses that it has reckoned once for the next kind of element.
                staged.set(thread::opaque(r[i]), v[i - g]);
            }
        }
        g += GROUP;
    }
    thread::sync_threads();
    tile.marks.each(tile.len, |slot, number| {
        put(tile.deltas.get(number).wrapping_add(slot as u64), staged.get(slot));
    });
}
