//! What stands in the slots of a block while it sorts a bucket by cells, and a slot's rank among those near it.
use crate::order::{BitKey, Order};
use crate::simt::{Plain, Shared};

/// A slot is compared with so many on either side before anyone asks where its cell ends. Where a cell has one key in the mean, one
/// of two thousand has so many more than one that this is not enough.
pub const NEAR: u32 = 4;

/// What stands in a slot for a key of a bucket.
pub trait Slots<K: BitKey>: Copy {
    /// What a slot has: no two that differ equal each other.
    type Slot: Plain + Order;
    /// Whether keys carry something, so that equal ones keep their order. Else they are alike.
    const CARRY: bool;

    /// For a bucket of at most `tile` keys from `least` to `greatest`, in so many cells, a power of two. `None` where slots have too
    /// few bits.
    fn new(least: K, greatest: K, cells: u32, tile: u32) -> Option<Self>;
    /// The slot of the key that was at a position of the bucket.
    fn slot(self, key: K, position: u32) -> Self::Slot;
    /// The key of a slot.
    fn key(self, slot: Self::Slot) -> K;
    /// The cell of a key.
    fn cell(self, key: K) -> u32;
    /// A slot that no other comes before, and one that comes before no other.
    fn ends() -> (Self::Slot, Self::Slot);
}

/// A slot has the key alone.
#[derive(Clone, Copy)]
pub struct Alone<K> {
    least: K,
    shift: u32,
}

impl<K: BitKey> Slots<K> for Alone<K> {
    type Slot = K;
    const CARRY: bool = false;

    #[inline(always)]
    fn new(least: K, greatest: K, cells: u32, _tile: u32) -> Option<Self> {
        Some(Alone { least, shift: greatest.distance_bits(least).saturating_sub(cells.ilog2()) })
    }
    #[inline(always)]
    fn slot(self, key: K, _position: u32) -> K {
        key
    }
    #[inline(always)]
    fn key(self, slot: K) -> K {
        slot
    }
    #[inline(always)]
    fn cell(self, key: K) -> u32 {
        key.steps(self.least, self.shift)
    }
    #[inline(always)]
    fn ends() -> (K, K) {
        (K::ZERO, K::ZERO.not())
    }
}

/// A slot has the key's distance from the bucket's least and, in the lowest bits, its position, which tells equal keys apart. That of
/// any bucket of 32-bit keys fits. Keys of 64 bits must share their topmost dozen, as they do where buckets are as many as the sort
/// makes of keys that lie evenly.
#[derive(Clone, Copy)]
pub struct Positioned<K> {
    alone: Alone<K>,
    position_bits: u32,
}

impl<K: BitKey> Slots<K> for Positioned<K> {
    type Slot = u64;
    const CARRY: bool = true;

    #[inline(always)]
    fn new(least: K, greatest: K, cells: u32, tile: u32) -> Option<Self> {
        // A constant: the tile is one.
        let position_bits = (tile - 1).ilog2() + 1;
        if greatest.distance_bits(least) + position_bits > u64::BITS {
            return None;
        }
        Alone::new(least, greatest, cells, tile).map(|alone| Positioned { alone, position_bits })
    }
    #[inline(always)]
    fn slot(self, key: K, position: u32) -> u64 {
        key.distance(self.alone.least) << self.position_bits | position as u64
    }
    #[inline(always)]
    fn key(self, slot: u64) -> K {
        self.alone.least.onward(slot >> self.position_bits)
    }
    #[inline(always)]
    fn cell(self, key: K) -> u32 {
        self.alone.cell(key)
    }
    #[inline(always)]
    fn ends() -> (u64, u64) {
        (0, u64::MAX)
    }
}

/// Where slot `at` stands once its cell is in order, if that has at most `NEAR + 1` slots. Cells are in order, and slots that are
/// before one and come before it are where they belong; so does what is behind and comes after. What is left is counted, whichever cells
/// are near: `slots` has [`NEAR`] ends on either side.
///
/// # Safety
/// `slots` are the slots and their ends, which nobody writes.
#[inline(always)]
pub unsafe fn rank_among_near<S: Plain + Order>(slots: Shared<S>, at: u32) -> (S, u32) {
    let first = slots.at(at);
    let own = first.offset(NEAR).read();
    let mut rank = at;
    for i in 0..NEAR {
        rank -= own.before(first.offset(i).read()) as u32;
        rank += first.offset(NEAR + 1 + i).read().before(own) as u32;
    }
    (own, rank)
}
