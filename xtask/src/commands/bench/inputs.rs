//! Inputs: each key is a function of its position, so that any program can make the same ones without a file.
//!
//! `peers/inputs.cuh` has the same functions in C++. A digest that goes with each peer's times proves that its keys were
//! the same.
use std::fmt;

use gridsort::Key;
use rayon::prelude::*;

use super::keys::{from_code, mix, word};

/// What the keys are like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Distribution {
    /// Uniformly random
    Uniform,
    /// In order already
    Sorted,
    /// In the reverse order
    Reversed,
    /// In order, save that each key is random with a chance of 5 %
    Nearly,
    /// 16 values
    Few,
    /// The value of rank r with a chance that goes as 1/r, of 2^20 - 1 values
    Zipf,
    /// All equal
    Equal,
    /// Teeth of 1000 keys, each in order
    Sawtooth,
    /// Up to the middle, then down
    OrganPipe,
    /// 16 runs of random keys, each in order
    Runs,
    /// Most bank conflicts in a merge sort's tile
    Adversary,
}

/// Steps of SplitMix64's counter.
const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;
/// Of 100 keys, those out of place.
const OUT_OF_PLACE: u64 = 5;
/// Different keys among few.
const FEW: u64 = 16;
/// Zipf's ranks are below two to this power.
const ZIPF_OCTAVES: u64 = 20;
/// Draws until a rank is taken as it comes; each is taken with a chance above one half.
const ZIPF_TRIES: u64 = 32;
/// Keys of a tooth. No power of two, and no divisor of any tile.
const TOOTH: u64 = 1000;
/// Runs in order.
const RUNS: u64 = 16;

impl Distribution {
    /// All of them, in the order of their numbers in `peers/inputs.cuh`.
    pub const ALL: [Distribution; 11] = [
        Distribution::Uniform,
        Distribution::Sorted,
        Distribution::Reversed,
        Distribution::Nearly,
        Distribution::Few,
        Distribution::Zipf,
        Distribution::Equal,
        Distribution::Sawtooth,
        Distribution::OrganPipe,
        Distribution::Runs,
        Distribution::Adversary,
    ];

    /// Its number in `peers/inputs.cuh`.
    pub(super) fn number(self) -> usize {
        self as usize
    }

    /// Where in the order of all keys the key at position `i` of `n` stands, of 2^64 places. `tile` is the adversary's
    /// pattern; other distributions do without.
    pub(super) fn code(self, i: u64, n: u64, seed: u64, tile: &[u32]) -> u64 {
        let draw = |round: u64| {
            mix(mix(seed.wrapping_add(round.wrapping_mul(GOLDEN))).wrapping_add((i + 1).wrapping_mul(GOLDEN)))
        };
        let stride = u64::MAX / n.max(1);
        match self {
            Distribution::Uniform => draw(0),
            Distribution::Sorted => i * stride,
            Distribution::Reversed => (n - 1 - i) * stride,
            Distribution::Nearly if draw(0) % 100 < OUT_OF_PLACE => draw(1),
            Distribution::Nearly => i * stride,
            Distribution::Few => mix(draw(0) % FEW + 1),
            Distribution::Zipf => mix(zipf(draw)),
            Distribution::Equal => mix(FEW),
            Distribution::Sawtooth => (i % TOOTH) * (u64::MAX / TOOTH),
            Distribution::OrganPipe => i.min(n - 1 - i) * 2 * (stride / 2),
            Distribution::Runs => {
                let length = n.div_ceil(RUNS);
                let step = u64::MAX / length;
                i % length * step + draw(0) % step
            }
            Distribution::Adversary => {
                let length = tile.len() as u64;
                let tiles = n.div_ceil(length);
                // Runs interleave evenly above the tile.
                let rank = u64::from(tile[(i % length) as usize]) * tiles + i / length;
                rank * (u64::MAX / (tiles * length))
            }
        }
    }
}

/// A rank from 1 on with a chance that goes as 1/rank: an octave by equal chances, a rank of it by equal chances, taken
/// with the chance octave's first / rank. Whole numbers throughout, so that every machine draws the same.
fn zipf(draw: impl Fn(u64) -> u64) -> u64 {
    let mut rank = 1;
    for round in 0..ZIPF_TRIES {
        let bits = draw(round);
        let first = 1 << (((bits >> 56) * ZIPF_OCTAVES) >> 8);
        rank = first + (bits & (first - 1));
        let chance = (bits >> 24) & 0xffff_ffff;
        if chance * rank < first << 32 {
            break;
        }
    }
    rank
}

impl fmt::Display for Distribution {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Distribution::Uniform => "uniform",
            Distribution::Sorted => "sorted",
            Distribution::Reversed => "reversed",
            Distribution::Nearly => "nearly",
            Distribution::Few => "few",
            Distribution::Zipf => "zipf",
            Distribution::Equal => "equal",
            Distribution::Sawtooth => "sawtooth",
            Distribution::OrganPipe => "organ-pipe",
            Distribution::Runs => "runs",
            Distribution::Adversary => "adversary",
        })
    }
}

/// Writes the keys of an input over `keys`.
pub(super) fn fill<K: Key>(keys: &mut [K], distribution: Distribution, seed: u64, tile: &[u32]) {
    let n = keys.len() as u64;
    keys.par_iter_mut().enumerate().for_each(|(i, key)| {
        *key = from_code(distribution.code(i as u64, n, seed, tile));
    });
}

/// A number that hangs on every key and its position.
pub(super) fn digest<K: Key>(keys: &[K]) -> u64 {
    keys.par_iter().enumerate().map(|(i, &key)| mix(word(key) ^ mix(i as u64 + 1))).reduce(|| 0, u64::wrapping_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(distribution: Distribution, n: usize, seed: u64) -> Vec<u64> {
        let mut keys = vec![0; n];
        fill(&mut keys, distribution, seed, &[2, 0, 1, 3]);
        keys
    }

    #[test]
    fn each_is_what_its_name_says() {
        let n = 10_000;
        assert!(keys(Distribution::Sorted, n, 1).is_sorted());
        assert!(keys(Distribution::Reversed, n, 1).is_sorted_by(|a, b| a > b));
        let falls = keys(Distribution::Nearly, n, 1).windows(2).filter(|pair| pair[0] > pair[1]).count();
        assert!((400..600).contains(&falls), "{falls}");
        let distinct = |mut keys: Vec<u64>| {
            keys.sort_unstable();
            keys.dedup();
            keys.len()
        };
        assert_eq!(distinct(keys(Distribution::Uniform, n, 1)), n);
        assert_eq!(distinct(keys(Distribution::Few, n, 1)), 16);
        assert_eq!(distinct(keys(Distribution::Equal, n, 1)), 1);
        assert_eq!(distinct(keys(Distribution::Adversary, n, 1)), n);
        let falls = keys(Distribution::Sawtooth, n, 1).windows(2).filter(|pair| pair[0] > pair[1]).count();
        assert_eq!(falls, 9);
        let runs = keys(Distribution::Runs, n, 1);
        assert_eq!(runs.windows(2).filter(|pair| pair[0] > pair[1]).count(), 15);
        assert_eq!(distinct(runs), n);
        let pipe = keys(Distribution::OrganPipe, n, 1);
        assert!(pipe[..n / 2].is_sorted() && pipe[n / 2..].iter().rev().is_sorted());
    }

    #[test]
    fn zipf_ranks_go_as_one_over_the_rank() {
        let n = 200_000;
        let found = keys(Distribution::Zipf, n, 5);
        // The harmonic number of 2^20 - 1.
        let harmonic = 14.44;
        for rank in [1_u64, 2, 3, 10] {
            let count = found.iter().filter(|&&key| key == mix(rank)).count() as f64;
            let expected = n as f64 / harmonic / rank as f64;
            assert!((count / expected - 1.0).abs() < 0.1, "rank {rank}: {count} of {expected}");
        }
    }

    #[test]
    fn the_seed_decides_and_small_inputs_are_made() {
        for distribution in Distribution::ALL {
            assert_eq!(keys(distribution, 3000, 7), keys(distribution, 3000, 7));
            assert_eq!(keys(distribution, 1, 7).len(), 1);
            assert!(keys(distribution, 0, 7).is_empty());
            assert_eq!(Distribution::ALL[distribution.number()], distribution);
        }
        assert_ne!(keys(Distribution::Uniform, 300, 7), keys(Distribution::Uniform, 300, 8));
    }

    #[test]
    fn a_digest_hangs_on_positions() {
        assert_ne!(digest(&[1_u32, 2]), digest(&[2_u32, 1]));
        assert_ne!(digest(&[1_u128 << 64]), digest(&[1_u128 << 65]));
    }
}
