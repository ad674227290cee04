//! The warp's networks on the emulator: by the 0-1 principle, with payloads under heavy ties, and with orders that are
//! none.
#![allow(clippy::undocumented_unsafe_blocks)]
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::network::{Pair, Shuffle, warp};
use gridsort_kernels::order::Order;
use gridsort_kernels::simt::emulator::{self, Config};
use gridsort_kernels::simt::{Plain, thread, warp as simt_warp};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::sync::Mutex;

/// What a warp makes of each input of `32 * V` elements, in lane-major order; a block of one warp for each.
fn run<E: Shuffle + Send + Sync, const V: usize>(
    config: &Config,
    inputs: &[Vec<E>],
    network: impl Fn(&mut [E; V]) + Sync,
) -> Vec<Vec<E>> {
    let outputs = Mutex::new(inputs.to_vec());
    emulator::run("network", shape(inputs.len() as u32, 32, 0), config, || {
        let (block, first) = (thread::block_idx_x() as usize, simt_warp::lane_id() as usize * V);
        let mut v: [E; V] = std::array::from_fn(|r| inputs[block][first + r]);
        network(&mut v);
        outputs.lock().unwrap()[block][first..first + V].copy_from_slice(&v);
    })
    .unwrap();
    outputs.into_inner().unwrap()
}

/// Shuffles need no checks of memory; lanes in a random order.
fn fast() -> Config {
    Config { checks: false, workers: 1, seed: 3, ..Config::default() }
}

fn rng(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// Random zeros and ones, `ones` of 16 on average, and structured ones.
fn zero_ones(n: usize, random: usize) -> Vec<Vec<u32>> {
    let mut rng = rng(n as u64);
    let mut inputs = Vec::new();
    for i in 0..random as u64 {
        let ones = [1, 4, 8, 12, 15][i as usize % 5];
        inputs.push((0..n).map(|_| u32::from(rng.next_u64() >> 60 < ones)).collect());
    }
    // Alternating blocks of each power of two, either way round.
    for block in (0..).map(|e| 1 << e).take_while(|&block| block <= n) {
        for first in [0, 1] {
            inputs.push((0..n).map(|i| (i / block + first) as u32 & 1).collect());
        }
    }
    // A single one and a single zero at every place.
    for at in 0..n {
        inputs.push((0..n).map(|i| u32::from(i == at)).collect());
        inputs.push((0..n).map(|i| u32::from(i != at)).collect());
    }
    inputs
}

fn expect_sorted(inputs: &[Vec<u32>], outputs: &[Vec<u32>]) {
    for (input, output) in inputs.iter().zip(outputs) {
        let mut expected = input.clone();
        expected.sort();
        assert_eq!(output, &expected, "{input:?}");
    }
}

fn sorts_zero_ones<const V: usize>() {
    let inputs = zero_ones(32 * V, 1000);
    expect_sorted(&inputs, &run::<u32, V>(&fast(), &inputs, warp::sort));
}

#[test]
fn sorts_of_zeros_and_ones() {
    sorts_zero_ones::<1>();
    sorts_zero_ones::<2>();
    sorts_zero_ones::<4>();
    sorts_zero_ones::<8>();
    sorts_zero_ones::<16>();
    sorts_zero_ones::<32>();
}

/// All inputs of zeros and ones that the merges are made for; of the bitonic ones every `step`th length.
fn merges_zero_ones<const V: usize>(step: usize) {
    let n = 32 * V;
    let mut halves = Vec::new();
    for a in 0..=n / 2 {
        for b in 0..=n / 2 {
            halves.push((0..n).map(|i| u32::from(i % (n / 2) >= if i < n / 2 { a } else { b })).collect::<Vec<_>>());
        }
    }
    expect_sorted(&halves, &run::<u32, V>(&fast(), &halves, warp::merge_halves));
    let mut bitonic = Vec::new();
    for start in 0..n {
        for len in (start % step..=n).step_by(step) {
            bitonic.push((0..n).map(|i| u32::from((i + n - start) % n < len)).collect::<Vec<_>>());
        }
    }
    expect_sorted(&bitonic, &run::<u32, V>(&fast(), &bitonic, warp::merge));
}

#[test]
fn merges_of_zeros_and_ones() {
    merges_zero_ones::<1>(1);
    merges_zero_ones::<2>(1);
    merges_zero_ones::<4>(3);
    merges_zero_ones::<8>(17);
}

/// Keys with few values and payloads that are all different: the keys come out in order, and no pair is lost, doubled or
/// divided.
fn pairs<K: Plain + Order + Ord, T: Plain + Ord, const V: usize>(key: fn(u64) -> K, payload: fn(usize) -> T) {
    let n = 32 * V;
    let mut rng = rng(V as u64);
    let inputs: Vec<Vec<Pair<K, T>>> = (0..40)
        .map(|i| {
            let values = [1, 2, 3, 10, 1 << 40][i % 5];
            (0..n).map(|at| Pair { key: key(rng.next_u64() % values), payload: payload(at) }).collect()
        })
        .collect();
    let list = |pairs: &[Pair<K, T>]| pairs.iter().map(|p| (p.key, p.payload)).collect::<Vec<_>>();
    let check = |inputs: &[Vec<Pair<K, T>>], outputs: Vec<Vec<Pair<K, T>>>| {
        for (input, output) in inputs.iter().zip(outputs) {
            assert!(output.iter().map(|p| p.key).is_sorted());
            let (mut input, mut output) = (list(input), list(&output));
            input.sort();
            output.sort();
            assert!(input == output);
        }
    };
    let sorted = run::<_, V>(&fast(), &inputs, warp::sort);
    check(&inputs, sorted.clone());
    // A sorted half, then another one from behind: bitonic. From the front: two halves.
    let mix = |i: usize, reverse: bool| {
        let (a, b) = (&inputs[i], &inputs[(i + 5) % inputs.len()]);
        let half = |of: &[Pair<K, T>]| {
            let mut half = of.to_vec();
            half.sort_by_key(|p| p.key);
            half
        };
        let (a, mut b) = (half(&a[..n / 2]), half(&b[n / 2..]));
        if reverse {
            b.reverse();
        }
        [a, b].concat()
    };
    let bitonic: Vec<_> = (0..inputs.len()).map(|i| mix(i, true)).collect();
    check(&bitonic, run::<_, V>(&fast(), &bitonic, warp::merge));
    let halves: Vec<_> = (0..inputs.len()).map(|i| mix(i, false)).collect();
    check(&halves, run::<_, V>(&fast(), &halves, warp::merge_halves));
}

#[test]
fn payloads_stay_a_permutation_under_ties() {
    pairs::<u32, u32, 1>(|k| k as u32, |i| i as u32);
    pairs::<u64, u32, 2>(|k| k << 20, |i| u32::MAX - i as u32);
    pairs::<u32, u64, 4>(|k| u32::MAX - k as u32, |i| (i as u64) << 40);
    pairs::<u8, u128, 4>(|k| k as u8, |i| (i as u128) << 100);
    pairs::<u64, u64, 8>(|k| k, |i| i as u64);
}

#[test]
fn every_width_and_schedule() {
    fn keys<K: Shuffle + Send + Sync + Ord + std::fmt::Debug, const V: usize>(key: fn(u64) -> K) {
        let mut rng = rng(9);
        let inputs: Vec<Vec<K>> = (0..4).map(|_| (0..32 * V).map(|_| key(rng.next_u64())).collect()).collect();
        for config in configs() {
            for (input, output) in inputs.iter().zip(run::<K, V>(&config, &inputs, warp::sort)) {
                let mut expected = input.clone();
                expected.sort();
                assert_eq!(output, expected);
            }
        }
    }
    keys::<u8, 8>(|k| k as u8);
    keys::<u16, 4>(|k| k as u16);
    keys::<u32, 2>(|k| k as u32);
    keys::<u64, 4>(|k| k);
    keys::<u32, 16>(|k| k as u32);
    keys::<u16, 32>(|k| k as u16);
    keys::<u128, 1>(|k| (k as u128) << 70 | k as u128);
}

/// A key whose order contradicts itself, or is not strict.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(transparent)]
struct Liar(u32);
// SAFETY: a transparent word.
unsafe impl Plain for Liar {}
impl Order for Liar {
    fn before(self, other: Self) -> bool {
        match self.0 % 4 {
            0 => true,
            1 => self.0 <= other.0,
            2 => other.0.is_multiple_of(2),
            _ => (self.0 ^ other.0.rotate_left(7)).wrapping_mul(0x9E37_79B9) >> 31 == 0,
        }
    }
}
gridsort_kernels::custom_key!(Liar);

#[test]
fn no_order_loses_an_element() {
    fn check<const V: usize>() {
        let mut rng = rng(V as u64 + 77);
        let inputs: Vec<Vec<Liar>> =
            (0..50).map(|i| (0..32 * V).map(|_| Liar(rng.next_u64() as u32 >> (i % 30))).collect()).collect();
        let networks: [fn(&mut [Liar; V]); 3] = [warp::sort, warp::merge, warp::merge_halves];
        for network in networks {
            for (input, mut output) in inputs.iter().zip(run::<Liar, V>(&fast(), &inputs, network)) {
                let mut input = input.clone();
                input.sort();
                output.sort();
                assert_eq!(input, output);
            }
        }
    }
    check::<1>();
    check::<2>();
    check::<4>();
    check::<8>();
    check::<16>();
}
