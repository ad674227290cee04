//! Bitonic sorts and merges of 2 to 64 elements in registers, any power of two (Batcher 1968).
//!
//! All comparators point the same way. A merge of two ascending halves first compares each element with its mirror image,
//! which does at once what reversing one half and comparing at half the length would do; see [`merge_halves`].
use super::{Comparators, compare_exchange};
use crate::order::Order;

/// Comparators of the largest network here, the sort of 64: 21 layers of 32.
const MAX_COMPARATORS: usize = 672;

/// Appends half-cleaners of blocks of `2 * stride` elements, then of half of that, down to neighbours: they sort each
/// block that is bitonic.
const fn clean(mut list: Comparators<MAX_COMPARATORS>, n: usize, mut stride: usize) -> Comparators<MAX_COMPARATORS> {
    while stride > 0 {
        let mut i = 0;
        while i < n {
            if i & stride == 0 {
                list.0[list.1] = (i as u8, (i | stride) as u8);
                list.1 += 1;
            }
            i += 1;
        }
        stride /= 2;
    }
    list
}

/// Appends what merges neighbouring ascending runs of `run` elements: mirror images compared, then each run cleaned.
const fn join(mut list: Comparators<MAX_COMPARATORS>, n: usize, run: usize) -> Comparators<MAX_COMPARATORS> {
    let mut i = 0;
    while i < n {
        if i & run == 0 {
            list.0[list.1] = (i as u8, (i ^ (2 * run - 1)) as u8);
            list.1 += 1;
        }
        i += 1;
    }
    clean(list, n, run / 2)
}

const NONE: Comparators<MAX_COMPARATORS> = ([(0, 0); MAX_COMPARATORS], 0);

const fn all_joins(n: usize) -> Comparators<MAX_COMPARATORS> {
    let mut list = NONE;
    let mut run = 1;
    while run < n {
        list = join(list, n, run);
        run *= 2;
    }
    list
}

struct Bitonic<const N: usize>;
impl<const N: usize> Bitonic<N> {
    const SIZE: () =
        assert!(N.is_power_of_two() && N <= 64, "a bitonic network has a power of two of inputs, 64 at most");
    const SORT: Comparators<MAX_COMPARATORS> = all_joins(N);
    const MERGE: Comparators<MAX_COMPARATORS> = clean(NONE, N, N / 2);
    const HALVES: Comparators<MAX_COMPARATORS> = if N < 2 { NONE } else { join(NONE, N, N / 2) };
}

/// Sorts `N` elements, a power of two up to 64. [`sort`](super::sort) takes fewer comparators for the same.
#[inline(always)]
pub fn sort<K: Order, const N: usize>(v: &mut [K; N]) {
    const { Bitonic::<N>::SIZE }
    let mut c = 0;
    while c < Bitonic::<N>::SORT.1 {
        let (low, high) = Bitonic::<N>::SORT.0[c];
        compare_exchange(v, low as usize, high as usize);
        c += 1;
    }
}

/// Sorts a bitonic sequence of `N` elements, a power of two up to 64: one that ascends and then descends, or any rotation
/// of such a one.
#[inline(always)]
pub fn merge<K: Order, const N: usize>(v: &mut [K; N]) {
    const { Bitonic::<N>::SIZE }
    let mut c = 0;
    while c < Bitonic::<N>::MERGE.1 {
        let (low, high) = Bitonic::<N>::MERGE.0[c];
        compare_exchange(v, low as usize, high as usize);
        c += 1;
    }
}

/// Merges two ascending halves of `N` elements, a power of two up to 64.
///
/// After the mirrored comparisons no element of the lower half is after one of the upper half, and both halves are
/// bitonic: the same pairs meet as in the first half-cleaner of a merge whose upper half was reversed.
#[inline(always)]
pub fn merge_halves<K: Order, const N: usize>(v: &mut [K; N]) {
    const { Bitonic::<N>::SIZE }
    let mut c = 0;
    while c < Bitonic::<N>::HALVES.1 {
        let (low, high) = Bitonic::<N>::HALVES.0[c];
        compare_exchange(v, low as usize, high as usize);
        c += 1;
    }
}
