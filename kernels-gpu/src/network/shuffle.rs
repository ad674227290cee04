//! What can pass between the lanes of a warp, and how two lanes divide two elements between them.
use crate::order::{Key, Order};
use crate::simt::{FULL_WARP, Plain, warp};
use crate::tile::element::Element;

/// An element that lanes of a warp can exchange.
pub trait Shuffle: Order {
    /// Whether the order is a strict weak order, sure, in which only elements of the same bits are equal. Then each lane
    /// may decide alone what it keeps: where two elements tie it does not matter which lane has which.
    const ALIKE: bool;

    /// The element of lane `lane_id() ^ mask`. All lanes of the warp call it.
    fn shuffle_xor(self, mask: u32) -> Self;

    /// What the calling lane keeps of its own element and its partner's: the later one where it is the upper of the two
    /// lanes, else the earlier.
    ///
    /// Both lanes must agree, or one element is lost and the other doubled. Where elements may tie and still differ, and
    /// where the order may contradict itself, both ask the same question with the same operands: is the upper lane's
    /// element before the lower lane's? If so they swap, else each keeps its own.
    #[inline(always)]
    fn keep(self, other: Self, upper: bool) -> Self {
        let swap = if Self::ALIKE {
            // One comparison, no selection of operands. On a tie the lower lane takes, the upper keeps: the same bits.
            self.before(other) == upper
        } else {
            let (low, high) = if upper { (other, self) } else { (self, other) };
            high.before(low)
        };
        if swap { other } else { self }
    }
}

impl<K: Key> Shuffle for K {
    // Keys that a sort moves without a tag are those of which equal ones are alike.
    const ALIKE: bool = !K::Sorted::TAGGED;
    #[inline(always)]
    #[track_caller]
    fn shuffle_xor(self, mask: u32) -> Self {
        warp::warp_shuffle_xor(FULL_WARP, self, mask)
    }
}

/// A key and what it carries along, in the order of keys alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair<K, T> {
    /// What is compared.
    pub key: K,
    /// What is not.
    pub payload: T,
}

impl<K: Order, T: Copy> Order for Pair<K, T> {
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        self.key.before(other.key)
    }
}

impl<K: Plain + Order, T: Plain> Shuffle for Pair<K, T> {
    // Two payloads of one key.
    const ALIKE: bool = false;
    #[inline(always)]
    #[track_caller]
    fn shuffle_xor(self, mask: u32) -> Self {
        Pair {
            key: warp::warp_shuffle_xor(FULL_WARP, self.key, mask),
            payload: warp::warp_shuffle_xor(FULL_WARP, self.payload, mask),
        }
    }
}
