//! Sorting networks in registers.
//!
//! A network is a list of comparators that is fixed before the kernel runs, so an array under it never needs an address
//! and stays in registers. The list is a constant, walked by one flat loop that the compiler unrolls.
use crate::order::Order;

/// A comparator list with room for `MAX` entries: (lower position, higher position), and how many are used.
type Comparators<const MAX: usize> = ([(u8, u8); MAX], usize);

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

/// Puts the smaller of two elements at `low`. Two selects on one comparison: nothing branches.
#[inline(always)]
fn compare_exchange<K: Order, const N: usize>(v: &mut [K; N], low: usize, high: usize) {
    let (x, y) = (v[low], v[high]);
    let swap = y.before(x);
    v[low] = if swap { y } else { x };
    v[high] = if swap { x } else { y };
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

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// The 0-1 principle: a network that sorts every sequence of zeros and ones sorts everything.
    fn zero_one<const N: usize>() {
        let check = |bits: u64| {
            let mut v: [u32; N] = core::array::from_fn(|i| (bits >> i) as u32 & 1);
            sort(&mut v);
            assert!(v.is_sorted(), "{N} inputs, {bits:#b}");
            assert_eq!(v.iter().sum::<u32>(), (bits & (u64::MAX >> (64 - N))).count_ones());
        };
        if N <= 16 {
            (0..1u64 << N).for_each(check);
        } else {
            let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(N as u64);
            for _ in 0..20_000 {
                // Dense and sparse patterns alike.
                let (x, y) = (rng.next_u64(), rng.next_u64());
                [x, x & y, x | y].into_iter().for_each(check);
            }
        }
    }

    #[test]
    fn networks_sort_all_zero_one_inputs() {
        zero_one::<1>();
        zero_one::<2>();
        zero_one::<3>();
        zero_one::<5>();
        zero_one::<7>();
        zero_one::<8>();
        zero_one::<11>();
        zero_one::<15>();
        zero_one::<16>();
        zero_one::<17>();
        zero_one::<31>();
        zero_one::<32>();
        zero_one::<47>();
        zero_one::<64>();
    }
}
