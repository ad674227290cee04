//! A shortcut into a segment's splitters, where keys are numbers.
//!
//! A binary search among 511 splitters reads shared memory nine times a key, and that pipe is what bounds a count: lanes of a warp
//! read as many different words, which meet in banks. But a number tells by itself roughly where it stands. The range from the
//! first splitter to the last is cut into eight times as many *cells* as there are buckets, and a table tells for each cell how
//! many splitters stand before it and how many in it: most often none, then the table's word is the answer, else the rest is a
//! binary search among those few. Where numbers crowd in few cells, that is the search there was without.
//!
//! No result depends on how well cells fit: they only ascend with the key, for splitters and keys alike.
use super::scan::exclusive_sum;
use super::search::{Splitters, padded};
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Shared, thread};

/// The table of cells for `2^BITS` buckets. Words stand with one slot left out after every 32, so that lanes which read eight in
/// a row each do not meet in one bank.
#[derive(Clone, Copy)]
pub struct Guide<const BITS: u32> {
    words: Shared<u32>,
}

/// How cells lie, as a thread keeps it: the first splitter, the last, and what a cell spans, a power of two.
#[derive(Clone, Copy)]
pub struct Scale<K> {
    first: K,
    last: K,
    shift: u32,
}

/// Splitters before a cell and, above 16 bits, those in it.
#[derive(Clone, Copy)]
pub struct Range(u32);

impl<const BITS: u32> Guide<BITS> {
    /// Its cells, two to this power.
    const CELL_BITS: u32 = BITS + 3;
    const CELLS: u32 = 1 << Self::CELL_BITS;
    /// Bytes of shared memory.
    pub const BYTES: u32 = 4 * padded(Self::CELLS);

    /// The table from a byte offset on.
    #[inline(always)]
    pub fn new(offset: u32) -> Self {
        Guide { words: Shared::new(offset, Self::BYTES / 4) }
    }
    /// Empties it, which all threads of the block do, before a barrier.
    ///
    /// # Safety
    /// Nobody else uses it.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn clear(self) {
        let mut i = thread::thread_idx_x();
        while i < Self::BYTES / 4 {
            self.words.set(i, 0);
            i += thread::block_dim_x();
        }
    }
    /// Fills it for these splitters, with barriers between its steps and behind. `sums` has a slot for each warp.
    ///
    /// # Safety
    /// All `THREADS` threads of the block call it; a barrier is between this and [`Guide::clear`], [`Splitters::load`] and any other use
    /// of `sums`.
    #[inline(always)]
    pub unsafe fn fill<K: Key, const THREADS: u32>(self, splitters: Splitters<K, BITS>, sums: Shared<u32>) -> Scale<K> {
        // Cells of a thread.
        let each = const {
            assert!(Self::CELLS.is_multiple_of(THREADS));
            Self::CELLS / THREADS
        };
        let t = thread::thread_idx_x();
        let count = (1 << BITS) - 1;
        let (first, last) = (splitters.get(0), splitters.get(count - 1));
        let bits = last.distance_bits(first);
        let scale = Scale { first, last, shift: bits.saturating_sub(Self::CELL_BITS) };
        let mut i = t;
        while i < count {
            let cell = splitters.get(i).steps(first, scale.shift);
            self.words.fetch_add(padded(cell) as u64, 1, Ordering::Relaxed);
            i += THREADS;
        }
        thread::sync_threads();
        let mut sum = 0;
        for i in 0..each {
            sum += self.words.get(padded(t * each + i));
        }
        let mut before = exclusive_sum::<u32, THREADS>(sum, sums);
        for i in 0..each {
            let at = padded(t * each + i);
            let inside = self.words.get(at);
            self.words.set(at, before | inside << 16);
            before += inside;
        }
        thread::sync_threads();
        scale
    }
    /// Where the key's rank among the splitters is.
    ///
    /// # Safety
    /// [`Guide::fill`] came before, and told the scale.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn range<K: Key>(self, scale: &Scale<K>, key: K) -> Range {
        let key = if key.before(scale.first) { scale.first } else { key };
        let key = if scale.last.before(key) { scale.last } else { key };
        Range(self.words.get(padded(key.steps(scale.first, scale.shift))))
    }
}

impl Range {
    /// Of no splitters.
    pub const NONE: Self = Range(0);

    /// How many splitters the key is not before.
    ///
    /// # Safety
    /// The range is that of the key in the guide of these splitters.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn rank<K: Key, const BITS: u32>(self, splitters: Splitters<K, BITS>, key: K) -> u32 {
        let (mut at, mut count) = (self.0 & 0xffff, self.0 >> 16);
        while count > 0 {
            let half = count / 2;
            if key.before(splitters.get(at + half)) {
                count = half;
            } else {
                at += half + 1;
                count -= half + 1;
            }
        }
        at
    }
}
