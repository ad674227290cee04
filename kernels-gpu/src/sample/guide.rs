//! A shortcut into a segment's splitters, where keys are numbers.
//!
//! A binary search among 511 splitters reads shared memory nine times a key, and that pipe is what bounds a count: lanes of a warp
//! read as many different words, which meet in banks. But a number tells by itself roughly where it stands. The range from the
//! first splitter to the last is cut into four times as many *cells* as there are buckets, and a table tells for each cell how
//! many splitters stand before it, and how many in it if there are several: then those few are searched. A splitter that is alone
//! in its cell counts as one at the cell's end: a bucket is a cell larger then, another one smaller, and a key that does not share
//! its cell with several splitters has its bucket by one read. Where numbers crowd in few cells, that is the search there was
//! without.
//!
//! The table is made where splitters are chosen, once for each segment.
use super::scan::exclusive_sum;
use super::search::Splitters;
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Shared, thread};

/// Bits of an entry that tell how many splitters stand before the cell; those above, how many it has if these are several.
const BEFORE_BITS: u32 = 10;
/// As many in a cell, or more.
const MANY: u32 = (1 << (16 - BEFORE_BITS)) - 1;

/// Cells for `2^bits` buckets, two to this power.
const fn cell_bits(bits: u32) -> u32 {
    bits + 2
}
/// Words of a table for `2^bits` buckets: an entry is half of one.
pub const fn words(bits: u32) -> u32 {
    (1 << cell_bits(bits)) / 2
}
/// Bytes of shared memory of [`fill`], by a block of `threads`.
pub const fn fill_bytes(bits: u32, threads: u32) -> u32 {
    4 * (1 << cell_bits(bits)) + 4 * (threads / 32)
}

/// How cells lie, as a thread keeps it: the first splitter, and what a cell spans, a power of two by which the last splitter has one.
#[derive(Clone, Copy)]
pub struct Scale<K> {
    first: K,
    shift: u32,
}

impl<K: Key> Scale<K> {
    /// That of the cells between these.
    #[inline(always)]
    fn new<const BITS: u32>(first: K, last: K) -> Self {
        Scale { first, shift: last.distance_bits(first).saturating_sub(cell_bits(BITS)) }
    }
    /// The cell of a key; the first for those before it, the last for those behind.
    #[inline(always)]
    fn cell<const BITS: u32>(&self, key: K) -> u32 {
        let key = if key.before(self.first) { self.first } else { key };
        key.steps_at_most(self.first, self.shift, (1 << cell_bits(BITS)) - 1)
    }
}

/// Makes the table of the ascending splitters that `get` tells, from a byte offset of shared memory on, which has [`fill_bytes`].
///
/// # Safety
/// All `THREADS` threads of the block call it; [`clear`] and a barrier came before.
#[inline(always)]
pub unsafe fn fill<K: Key, const THREADS: u32, const BITS: u32>(
    offset: u32,
    get: impl Fn(u32) -> K,
    table: Global<u32>,
) {
    let cells = 1u32 << cell_bits(BITS);
    // Cells of a thread: whole words of the table. Of tiny tables only some threads have any.
    let each = const {
        assert!(BITS <= BEFORE_BITS && THREADS.is_power_of_two());
        let even = (1u32 << cell_bits(BITS)) / THREADS;
        if even < 2 { 2 } else { even }
    };
    let counts = Shared::<u32>::new(offset, cells);
    let sums = Shared::<u32>::new(offset + 4 * cells, THREADS / 32);
    let t = thread::thread_idx_x();
    let scale = Scale::new::<BITS>(get(0), get((1 << BITS) - 2));
    // Opaque, or a register is spilled for what the loop is turned into.
    let count = thread::opaque((1 << BITS) - 1);
    let mut i = t;
    while i < count {
        counts.fetch_add(scale.cell::<BITS>(get(i)) as u64, 1, Ordering::Relaxed);
        i += THREADS;
    }
    thread::sync_threads();
    let mut sum = 0;
    for i in 0..each {
        sum += if t * each < cells { counts.get(t * each + i) } else { 0 };
    }
    let mut before = exclusive_sum::<u32, THREADS>(sum, sums);
    if t * each >= cells {
        return;
    }
    let mut entry = |i: u32| {
        let inside = counts.get(t * each + i);
        let several = if inside < 2 { 0 } else { inside.min(MANY) };
        let entry = before | several << BEFORE_BITS;
        before += inside;
        entry
    };
    for i in 0..each / 2 {
        let (low, high) = (entry(2 * i), entry(2 * i + 1));
        table.set((t * each / 2 + i) as u64, low | high << 16);
    }
}

/// Sets what [`fill`] counts in to zero.
///
/// # Safety
/// All threads of the block call it, between barriers.
#[inline(always)]
#[track_caller]
pub unsafe fn clear<const BITS: u32>(offset: u32) {
    let counts = Shared::<u32>::new(offset, 1 << cell_bits(BITS));
    let mut i = thread::thread_idx_x();
    while i < 1 << cell_bits(BITS) {
        counts.set(i, 0);
        i += thread::block_dim_x();
    }
}

/// A table in shared memory.
#[derive(Clone, Copy)]
pub struct Guide<const BITS: u32> {
    offset: u32,
}

/// What the table tells of a key's cell.
#[derive(Clone, Copy)]
pub struct Entry(u32);

impl<const BITS: u32> Guide<BITS> {
    /// Bytes of shared memory.
    pub const BYTES: u32 = 4 * words(BITS);

    /// The table from a byte offset on.
    #[inline(always)]
    pub fn new(offset: u32) -> Self {
        Guide { offset }
    }
    /// Fetches a segment's. The caller synchronises the block before and after.
    ///
    /// # Safety
    /// All threads of the block call it; `table` is what [`fill`] made.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn load(self, table: Global<u32>) {
        let to = Shared::<u32>::new(self.offset, words(BITS));
        let mut i = thread::thread_idx_x();
        while i < words(BITS) {
            to.set(i, table.get(i as u64));
            i += thread::block_dim_x();
        }
    }
    /// How its cells lie.
    ///
    /// # Safety
    /// The table is that of these splitters, and a barrier came behind both.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn scale<K: Key>(self, splitters: Splitters<K, BITS>) -> Scale<K> {
        Scale::new::<BITS>(splitters.get(0), splitters.get((1 << BITS) - 2))
    }
    /// What it tells of a key.
    ///
    /// # Safety
    /// As [`Guide::scale`], which told the scale.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn entry<K: Key>(self, scale: &Scale<K>, key: K) -> Entry {
        Entry(Shared::<u16>::new(self.offset, 1 << cell_bits(BITS)).get(scale.cell::<BITS>(key)) as u32)
    }
}

impl Entry {
    /// Of no splitters.
    pub const NONE: Self = Entry(0);

    /// The bucket of the key. Where its cell has several splitters it is found among them: buckets of equal keys are between such
    /// alone.
    ///
    /// # Safety
    /// The entry is that of the key in the guide of these splitters.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn bucket<K: Key, const BITS: u32>(self, splitters: Splitters<K, BITS>, key: K) -> u32 {
        let (mut at, mut count) = (self.0 & ((1 << BEFORE_BITS) - 1), self.0 >> BEFORE_BITS);
        if count == 0 {
            return at;
        }
        if count == MANY {
            // Or more.
            count = (1 << BITS) - 1 - at;
        }
        while count > 0 {
            let half = count / 2;
            if key.before(splitters.get(at + half)) {
                count = half;
            } else {
                at += half + 1;
                count -= half + 1;
            }
        }
        splitters.bucket(at, key)
    }
}
