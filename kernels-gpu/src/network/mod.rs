//! Sorting networks in registers and across a warp.
//!
//! A network is a list of comparators that is fixed before the kernel runs, so an array under it never needs an address
//! and stays in registers. The list is a constant, walked by one flat loop that the compiler unrolls.
//!
//! | network | elements | where |
//! |---|---|---|
//! | [`sort`], Batcher's odd-even merge sort | any number up to 64 | a thread's registers |
//! | [`bitonic`] sort and merges | 2, 4, …, 64 | a thread's registers |
//! | [`warp`] sort and merges, bitonic | 32·V, V = 1, 2, 4, …, 32 | V registers of each lane of a warp, by shuffles |
//!
//! None is stable. Where that matters, elements carry their position and compare by it on ties. With an order that is no
//! strict weak order each gives some permutation of its input: a comparator swaps its two elements or leaves them.
use crate::order::Order;

pub mod bitonic;
mod odd_even;
mod shuffle;
pub mod warp;

pub use odd_even::sort;
pub use shuffle::{Pair, Shuffle};

/// A comparator list with room for `MAX` entries: (lower position, higher position), and how many are used.
type Comparators<const MAX: usize> = ([(u8, u8); MAX], usize);

/// Puts the smaller of two elements at `low`. Two selects on one comparison: nothing branches.
#[inline(always)]
fn compare_exchange<K: Order, const N: usize>(v: &mut [K; N], low: usize, high: usize) {
    (v[low], v[high]) = v[low].in_order(v[high]);
}

#[cfg(test)]
mod tests;
