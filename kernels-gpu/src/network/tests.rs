//! The 0-1 principle on the networks in registers: one that sorts every sequence of zeros and ones sorts everything.
use super::*;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

fn check<const N: usize>(bits: u64, network: impl Fn(&mut [u32; N])) {
    let mut v: [u32; N] = core::array::from_fn(|i| (bits >> i) as u32 & 1);
    network(&mut v);
    assert!(v.is_sorted(), "{N} inputs, {bits:#b}: {v:?}");
    assert_eq!(v.iter().sum::<u32>(), (bits & mask(N)).count_ones());
}

/// The `n` lowest bits.
fn mask(n: usize) -> u64 {
    if n == 0 { 0 } else { u64::MAX >> (64 - n) }
}

/// Every input up to 16 of them, random ones above.
fn zero_one<const N: usize>(network: impl Fn(&mut [u32; N])) {
    if N <= 16 {
        (0..1u64 << N).for_each(|bits| check(bits, &network));
    } else {
        let mut rng = rand_xoshiro::Xoshiro256PlusPlus::seed_from_u64(N as u64);
        for _ in 0..20_000 {
            // Dense and sparse patterns alike.
            let (x, y) = (rng.next_u64(), rng.next_u64());
            [x, x & y, x | y].into_iter().for_each(|bits| check(bits, &network));
        }
    }
}

#[test]
fn odd_even_networks_sort_all_zero_one_inputs() {
    zero_one::<1>(sort);
    zero_one::<2>(sort);
    zero_one::<3>(sort);
    zero_one::<5>(sort);
    zero_one::<7>(sort);
    zero_one::<8>(sort);
    zero_one::<11>(sort);
    zero_one::<15>(sort);
    zero_one::<16>(sort);
    zero_one::<17>(sort);
    zero_one::<31>(sort);
    zero_one::<32>(sort);
    zero_one::<47>(sort);
    zero_one::<64>(sort);
}

/// One size of the bitonic networks; for the merges all zero-one inputs that they are made for, at every size.
fn bitonic_networks<const N: usize>() {
    zero_one::<N>(bitonic::sort);
    // A bitonic sequence of zeros and ones is a block of ones at any place, rotated or not; its complement is another.
    for start in 0..N {
        for len in 0..=N {
            let block = mask(len) as u128;
            let rotated = (block << start | block << start >> N) as u64 & mask(N);
            check::<N>(rotated, bitonic::merge);
        }
    }
    for ones in 0..=N / 2 {
        for more in 0..=N / 2 {
            let half = |ones: usize| mask(ones) << (N / 2 - ones) & mask(N / 2);
            check::<N>(if N == 1 { 0 } else { half(ones) | half(more) << (N / 2) }, bitonic::merge_halves);
        }
    }
}

#[test]
fn bitonic_networks_sort_and_merge_all_zero_one_inputs() {
    bitonic_networks::<1>();
    bitonic_networks::<2>();
    bitonic_networks::<4>();
    bitonic_networks::<8>();
    bitonic_networks::<16>();
    bitonic_networks::<32>();
    bitonic_networks::<64>();
}

/// Orders that are none: each network must give a permutation.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Liar(u32);
impl Order for Liar {
    fn before(self, other: Self) -> bool {
        match self.0 % 3 {
            0 => true,
            1 => self.0 <= other.0,
            _ => (self.0 ^ other.0).wrapping_mul(0x9E37_79B9) >> 31 == 0,
        }
    }
}

#[test]
fn no_order_loses_an_element() {
    let networks: [fn(&mut [Liar; 32]); 4] = [sort, bitonic::sort, bitonic::merge, bitonic::merge_halves];
    for of in networks {
        let input: [Liar; 32] = core::array::from_fn(|i| Liar(i as u32 * 7 % 32));
        let mut v = input;
        of(&mut v);
        v.sort();
        assert!(v.iter().enumerate().all(|(i, e)| e.0 == i as u32));
    }
}
