//! Batcher's odd-even merge sort: fewer comparators than a bitonic sort, and any number of inputs.
use super::{Comparators, compare_exchange};
use crate::order::Order;

/// Comparators of the largest network, Batcher's for 64 inputs, rounded up.
const MAX_COMPARATORS: usize = 640;

/// Batcher's odd-even merge sort for any number of inputs (Batcher 1968; Knuth, TAOCP 3, 5.2.2, algorithm M).
///
/// For n inputs that is the network of the next power of two without the comparators that touch missing inputs: those
/// would hold pads greater than all, which no comparator moves.
const fn odd_even_merge_sort(n: usize) -> Comparators<MAX_COMPARATORS> {
    let mut list = [(0u8, 0u8); MAX_COMPARATORS];
    let mut used = 0;
    let mut p = 1;
    while p < n {
        let mut k = p;
        while k >= 1 {
            let mut j = k % p;
            while j + k < n {
                let mut i = 0;
                while i < k && i + j + k < n {
                    let (low, high) = (i + j, i + j + k);
                    if low / (2 * p) == high / (2 * p) {
                        list[used] = (low as u8, high as u8);
                        used += 1;
                    }
                    i += 1;
                }
                j += 2 * k;
            }
            k /= 2;
        }
        p *= 2;
    }
    (list, used)
}

struct OddEven<const N: usize>;
impl<const N: usize> OddEven<N> {
    const LIST: Comparators<MAX_COMPARATORS> = odd_even_merge_sort(N);
}

/// Sorts `N` ≤ 64 elements in registers. Not stable: where that matters, elements carry their position.
#[inline(always)]
pub fn sort<K: Order, const N: usize>(v: &mut [K; N]) {
    const { assert!(N <= 64) }
    let mut c = 0;
    while c < OddEven::<N>::LIST.1 {
        let (low, high) = OddEven::<N>::LIST.0[c];
        compare_exchange(v, low as usize, high as usize);
        c += 1;
    }
}
