//! Which bucket each slot of a tile belongs to, where the tile's keys lie bucket by bucket.
//!
//! A bit for each slot marks those where a bucket begins. So the marks up to a slot are as many as the buckets up to its own, those
//! without keys left out. A warp reads 32 slots side by side, whose marks are one word, read by all lanes at once. (Noting each key's
//! bucket beside it takes two bytes a slot, written at places that meet in banks, and was a third of the shared memory that a
//! block needed.)
use super::scan::warp_inclusive_sum;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Shared, WARP, thread, warp};

/// The marks of a tile of `THREADS * ITEMS` slots, each warp's part of which are consecutive ones.
#[derive(Clone, Copy)]
pub(super) struct Marks<const THREADS: u32, const ITEMS: usize> {
    offset: u32,
}

/// Bits that a tile's slots, at most 2^15, take in a word that has the number of a bucket above them.
const SLOT_BITS: u32 = 16;

/// A bucket's part of a tile.
#[derive(Clone, Copy)]
pub(super) struct Piece {
    /// Where it begins.
    pub(super) start: u32,
    /// How many buckets with keys are before it.
    pub(super) number: u32,
}

/// What of a tile a bucket has, as it is summed up: [`exclusive_sum`](super::scan::exclusive_sum) of this over the buckets is a
/// [`piece`].
#[inline(always)]
pub(super) fn summand(count: u32) -> u32 {
    count | ((count > 0) as u32) << SLOT_BITS
}
/// The sum of the [`summand`]s before a bucket.
#[inline(always)]
pub(super) fn piece(sum: u32) -> Piece {
    Piece { start: sum & ((1 << SLOT_BITS) - 1), number: sum >> SLOT_BITS }
}

impl<const THREADS: u32, const ITEMS: usize> Marks<THREADS, ITEMS> {
    const WARPS: u32 = THREADS / WARP;
    /// Words of 64 bits: 32 slots each.
    const WORDS: u32 = Self::WARPS * ITEMS as u32;
    /// Bytes of shared memory, a multiple of 8.
    pub(super) const BYTES: u32 = 8 * Self::WORDS + 4 * Self::WARPS.next_multiple_of(2);

    /// Those from a byte offset, a multiple of 8, on.
    #[inline(always)]
    pub(super) fn new(offset: u32) -> Self {
        const { assert!(ITEMS <= WARP as usize && THREADS * ITEMS as u32 <= 1 << (SLOT_BITS - 1)) }
        Marks { offset }
    }
    /// For 32 slots, the marks and how many of the warp's are before them.
    #[inline(always)]
    fn words(self) -> Shared<u64> {
        Shared::new(self.offset, Self::WORDS)
    }
    #[inline(always)]
    fn halves(self) -> Shared<u32> {
        Shared::new(self.offset, 2 * Self::WORDS)
    }
    /// The marks of each warp's slots.
    #[inline(always)]
    fn totals(self) -> Shared<u32> {
        Shared::new(self.offset + 8 * Self::WORDS, Self::WARPS)
    }
    /// Removes all.
    ///
    /// # Safety
    /// All threads of the block call it, between barriers.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn clear(self) {
        let mut w = thread::thread_idx_x();
        while w < Self::WORDS {
            self.halves().set(2 * w, 0);
            w += THREADS;
        }
    }
    /// Marks a slot, which has none yet.
    ///
    /// # Safety
    /// Behind [`Marks::clear`] and a barrier.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn mark(self, slot: u32) {
        self.halves().fetch_or((2 * (slot / WARP)) as u64, 1 << (slot % WARP), Ordering::Relaxed);
    }
    /// Sums up the marks of each warp's slots.
    ///
    /// # Safety
    /// All threads of the block call it, behind all marks and a barrier.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn sum_up(self) {
        let (lane, warp) = (warp::lane_id(), thread::thread_idx_x() / WARP);
        let word = warp * ITEMS as u32 + lane;
        let count = if lane < ITEMS as u32 { self.halves().get(2 * word).count_ones() } else { 0 };
        let through = warp_inclusive_sum(count);
        if lane < ITEMS as u32 {
            self.halves().set(2 * word + 1, through - count);
        }
        if lane == WARP - 1 {
            self.totals().set(warp, through);
        }
    }
    /// Calls `work` with each slot below `len` that is the calling thread's, and how many buckets with keys are before its own.
    ///
    /// # Safety
    /// All threads of the block call it, behind [`Marks::sum_up`] and a barrier; slot 0 is marked.
    #[inline(always)]
    pub(super) unsafe fn each(self, len: u32, work: impl Fn(u32, u32)) {
        let (lane, warp) = (warp::lane_id(), thread::thread_idx_x() / WARP);
        let before = if lane < warp { self.totals().get(lane) } else { 0 };
        // The slot's own bucket is counted as well.
        let before = warp::warp_reduce_add(FULL_WARP, before).wrapping_sub(1);
        let words = self.words().at(warp * ITEMS as u32);
        let first = warp * ITEMS as u32 * WARP + lane;
        let some = thread::opaque(len.saturating_sub(first));
        let up_to = !0 >> (WARP - 1 - lane);
        for i in 0..ITEMS {
            if i as u32 * WARP < some {
                let word = words.offset(i as u32).read();
                let number = before.wrapping_add((word >> 32) as u32).wrapping_add((word as u32 & up_to).count_ones());
                work(first + i as u32 * WARP, number);
            }
        }
    }
}
