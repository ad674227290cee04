//! Turns counts into places, and buckets into work.
use super::scan::{exclusive_sum, warp_inclusive_sum};
use super::search::equal_words;
use super::tables::{
    self, CLASSES, COPIED, COPIES, COPIES_LIST, ClassKeys, LARGE, LARGE_LIST, LISTS, Level, Segment, Segments, entry,
    list_words,
};
use crate::rows::listed::pack;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Shared, WARP, thread};

/// Bytes of shared memory of a block of `threads`.
pub const fn shared_bytes(threads: u32) -> u32 {
    8 * (threads / WARP) + 8 * LISTS + 4 * CLASSES
}

/// Where buckets go.
#[derive(Clone, Copy)]
pub struct Lists {
    /// The lists, one behind the other.
    pub entries: Global<u64>,
    /// Keys of the sort.
    pub n: u64,
    /// Buckets of all levels, at most.
    pub buckets: u64,
    /// Most keys of each class.
    pub classes: ClassKeys,
}

/// The next level, if there is one.
#[derive(Clone, Copy)]
pub struct Next {
    /// Its segments; null: there is none.
    pub segments: Segments,
    /// Keys of its chunks.
    pub chunk: u32,
    /// Only buckets of more keys than this become segments.
    pub above: u64,
}

/// Replaces each row of counts by the places where the buckets begin, and puts every bucket into a list.
///
/// Keys of the level move to scratch memory where its number is even, else back.
///
/// # Safety
/// The block has `THREADS` ≥ `2^bits` threads, two warps or more, and [`shared_bytes`]; the tables have room.
#[inline(always)]
pub unsafe fn offsets<const THREADS: u32>(
    level: Level,
    bits: u32,
    next: Next,
    equal: Global<u32>,
    rows: Global<u64>,
    lists: Lists,
) {
    if level.is_void() {
        return;
    }
    let t = thread::thread_idx_x();
    let buckets = 1u32 << bits;
    let counters = level.counters;
    let in_scratch = level.number.is_multiple_of(2);
    let sums = Shared::<u64>::new(0, THREADS / WARP);
    // The segment's buckets of each class, then the places of their entries.
    let listed = Shared::<u32>::new(8 * (THREADS / WARP) + 8 * LISTS, CLASSES);
    // Where each list begins: reckoned once, for divisions are dear.
    let begins = Shared::<u64>::new(8 * (THREADS / WARP), LISTS);
    if t < WARP {
        let words = if t < LISTS { list_words(t, lists.n, lists.buckets, lists.classes) } else { 0 };
        let through = warp_inclusive_sum(words);
        if t < LISTS {
            begins.set(t, through - words);
        }
    }
    let list = |i: u32| lists.entries.offset(begins.get(i));
    let count = level.segment_count();
    let mut s = thread::block_idx_x();
    while s < count {
        if t < CLASSES {
            listed.set(t, 0);
        }
        let segment = level.segments.get(s);
        let mine = t < buckets;
        let row = rows.offset(s as u64 * buckets as u64);
        let len = if mine { row.get(t as u64) } else { 0 };
        let start = segment.start + exclusive_sum::<u64, THREADS>(len, sums);
        if mine {
            row.set(t as u64, start);
        }

        // A bucket's kind: the list it goes to, or one of these.
        let alike = mine && equal.get(s as u64 * equal_words(bits) as u64 + (t / WARP) as u64) >> (t % WARP) & 1 != 0;
        let none = len == 0 || (alike && !in_scratch);
        let copied = !none && alike;
        let mut class = CLASSES;
        for c in (0..CLASSES).rev() {
            if len <= lists.classes.of(c) as u64 {
                class = c;
            }
        }
        let sorted = !none && !copied && class < CLASSES;
        let further = !none && !copied && !sorted && !next.segments.records.is_null() && len > next.above;
        let large = !none && !copied && !sorted && !further;
        // By one addition a class to what all blocks add to.
        let before = if sorted { listed.fetch_add(class as u64, 1, Ordering::Relaxed) } else { 0 };
        thread::sync_threads();
        if t < CLASSES {
            let wanted = listed.get(t);
            let first =
                if wanted > 0 { counters.fetch_add(tables::class(t) as u64, wanted, Ordering::Relaxed) } else { 0 };
            listed.set(t, first);
        }
        thread::sync_threads();
        if sorted {
            let place = (listed.get(class) + before) as u64;
            let list = list(class);
            list.set(2 * place, start);
            list.set(2 * place + 1, pack(len as u32, in_scratch));
        }
        if copied {
            let pieces = len.div_ceil(COPIED as u64) as u32;
            let place = counters.fetch_add(COPIES as u64, pieces, Ordering::Relaxed);
            let mut i = 0;
            while i < pieces {
                let from = i as u64 * COPIED as u64;
                let left = len - from;
                let piece = if left < COPIED as u64 { left as u32 } else { COPIED };
                list(COPIES_LIST).set((place + i) as u64, entry::pack(start + from, piece));
                i += 1;
            }
        }
        if further {
            let place = counters.fetch_add(tables::segments_of(level.number + 1) as u64, 1, Ordering::Relaxed);
            // Never 0, which the compiler cannot know: it would call a panic.
            let chunks = len.div_ceil(next.chunk.max(1) as u64) as u32;
            let first_chunk = counters.fetch_add(tables::chunks_of(level.number + 1) as u64, chunks, Ordering::Relaxed);
            next.segments.set(place, Segment { start, len, first_chunk, chunks });
        }
        if large {
            let place = counters.fetch_add(LARGE as u64, 1, Ordering::Relaxed) as u64;
            let list = list(LARGE_LIST);
            list.set(2 * place, start << 1 | in_scratch as u64);
            list.set(2 * place + 1, len);
        }
        // Sums and places are used again.
        thread::sync_threads();
        s += thread::grid_dim_x();
    }
}
