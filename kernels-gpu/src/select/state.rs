//! What the launches of a selection of many from an array tell each other, in device memory, and the numbers that host and
//! kernels both reckon with.
use crate::simt::{Global, thread};

/// Lists of candidates at most, each drawn from the one before.
pub const LEVELS: u32 = 3;

/// Words of the state.
pub const WORDS: u32 = 8;
/// Whether the answer must be found digit by digit.
pub(super) const FAILED: u64 = 0;
/// Elements of the first list, of which some may have found no place; then those of the others.
pub(super) const COUNTS: u64 = 1;
/// The rank that is looked for, among the elements that agree with what is known of it.
pub(super) const RANK: u64 = COUNTS + LEVELS as u64;
/// The digits of its key so far, in two words.
pub(super) const KEY: u64 = RANK + 1;
/// The digits of its index so far.
pub(super) const INDEX: u64 = KEY + 2;

/// The integer part of a square root.
const fn root(x: u64) -> u64 {
    let (mut root, mut bit, mut rest) = (0, 1 << 62, x);
    while bit > 0 {
        if rest >= root + bit {
            rest -= root + bit;
            root = root / 2 + bit;
        } else {
            root /= 2;
        }
        bit /= 4;
    }
    root
}

/// Which of `samples` sorted random elements of `n` comes after the first `k` of them as good as always: as many samples
/// are before the k-th element as are expected there, and more than six standard deviations and six. A number of samples or
/// more says that none is known to.
///
/// How many fall before it is a Poisson number, and however small its mean, that exceeds this by chance once in 10^8 or more
/// draws. It does not depend on the keys: as ranks, elements are always 0 to n − 1.
#[inline(always)]
pub const fn pivot_rank(k: u64, samples: u64, n: u64) -> u64 {
    // In sixteenths. k below n, and samples below 2^16, which leaves 44 bits for k.
    let expected = 16 * samples * k / if n > 0 { n } else { 1 };
    (expected + 24 * root(expected)) / 16 + 6
}

/// How many of `n` elements come before the pivot that [`pivot_rank`] chooses, or are it, as good as always: what is expected,
/// and six standard deviations and twelve times what lies between two samples more.
pub const fn candidates(k: u64, samples: u64, n: u64) -> u64 {
    let rank = pivot_rank(k, samples, n) + 1;
    if rank >= samples {
        return n;
    }
    let most = (16 * rank + 24 * root(16 * rank)) / 16 + 12;
    let most = (n / samples + 1) * most;
    if most < n { most } else { n }
}

/// Sets the state and the counts of digits up: nothing counted, no digit known of the element of rank `rank`. `failed` says
/// that it is to be found digit by digit in any case.
///
/// # Safety
/// The state has [`WORDS`] words, the bins have `count`.
#[inline(always)]
pub unsafe fn begin(state: Global<u64>, bins: Global<u64>, count: u32, rank: u64, failed: u32) {
    let mut i = thread::thread_idx_x();
    while i < count {
        bins.set(i as u64, 0);
        i += thread::block_dim_x();
    }
    let t = thread::thread_idx_x() as u64;
    if t < WORDS as u64 {
        state.set(
            t,
            if t == FAILED {
                failed as u64
            } else if t == RANK {
                rank
            } else {
                0
            },
        );
    }
}

/// Looks whether each list has the first `k` elements and room for all that it got. If not the answer must be found digit by
/// digit, and the last list begins anew.
///
/// # Safety
/// One thread; the state is that of a selection whose `lists` lists are full.
#[inline(always)]
pub unsafe fn judge(state: Global<u64>, k: u64, lists: u32, capacity_0: u64, capacity_1: u64, capacity_2: u64) {
    if thread::thread_idx_x() != 0 {
        return;
    }
    let failed = |list: u32, capacity: u64| {
        let count = state.get(COUNTS + list as u64);
        list < lists && (count < k || count > capacity)
    };
    if failed(0, capacity_0) || failed(1, capacity_1) || failed(2, capacity_2) {
        state.set(FAILED, 1);
        state.set(COUNTS + lists as u64 - 1, 0);
    }
}

/// Whether the answer must be found digit by digit.
///
/// # Safety
/// The state is one.
#[inline(always)]
#[track_caller]
pub(super) unsafe fn has_failed(state: Global<u64>) -> bool {
    state.get(FAILED) != 0
}

/// The digits of the key that are known.
///
/// # Safety
/// As [`has_failed`].
#[inline(always)]
#[track_caller]
pub(super) unsafe fn key(state: Global<u64>) -> u128 {
    state.get(KEY) as u128 | (state.get(KEY + 1) as u128) << 64
}

/// Elements of a list that has room for `capacity`.
///
/// # Safety
/// As [`has_failed`].
#[inline(always)]
#[track_caller]
pub(super) unsafe fn listed(state: Global<u64>, list: u32, capacity: u64) -> u64 {
    let count = state.get(COUNTS + list as u64);
    if count < capacity { count } else { capacity }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roots_are_whole() {
        for x in (0..2000).chain([1 << 40, (1 << 40) - 1, 999_999_999_999, u64::MAX >> 1]) {
            let r = root(x);
            assert!(r * r <= x && (r + 1) * (r + 1) > x, "{x}: {r}");
        }
    }

    /// The chance that a Poisson number of this mean is above `most`.
    fn above(mean: f64, most: u64) -> f64 {
        let (mut term, mut sum) = ((-mean).exp(), 0.0);
        for i in 1..most + 2000 {
            term *= mean / i as f64;
            sum += if i > most { term } else { 0.0 };
        }
        sum
    }

    #[test]
    fn pivots_come_behind_the_first_k() {
        for k in [1, 16, 1 << 12, 1 << 16, 1 << 20, 1 << 25] {
            for (samples, n) in [(2048, 1 << 28), (4096, 1 << 28), (4096, 1 << 26)] {
                let rank = pivot_rank(k, samples, n);
                let mean = (samples * k) as f64 / n as f64;
                assert!(above(mean, rank) < 1e-8, "{k} {samples} {n}: {}", above(mean, rank));
                let most = candidates(k, samples, n);
                assert!(most > k && most <= n);
                if most < n {
                    // That many elements have more samples among them than the pivot's rank, as good as always.
                    let mean = most as f64 * samples as f64 / n as f64;
                    let sure = if mean < 600.0 {
                        1.0 - above(mean, rank) < 1e-8
                    } else {
                        // The sum of so large a mean underflows.
                        mean > rank as f64 + 5.5 * (rank as f64).sqrt()
                    };
                    assert!(sure, "{k} {samples} {n}: {mean} {rank}");
                }
            }
        }
    }
}
