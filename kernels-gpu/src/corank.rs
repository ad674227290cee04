//! Merge path: where an output position cuts two sorted runs.
//!
//! The co-rank of output position k in the merge of A and B is the pair (i, j), i + j = k, such that the first k
//! elements of the merge are A[..i] and B[..j] (Green, McColl, Bader: GPU Merge Path, 2012; Siebert, Träff: Perfectly
//! load-balanced, stable, synchronization-free parallel merge, 2014). With ties that condition alone allows several
//! pairs, and a pair that is merely allowed loses one payload and doubles another. The search here is strict on one
//! side, `A[i−1] ≤ B[j]` and `B[j−1] < A[i]`, so that the pair is unique and the merge stable: of equal elements, A's first.
//!
//! One function serves every merge: threads in shared memory, blocks and warps in device memory, the host.
use crate::simt::{FULL_WARP, warp};

/// The type of positions and lengths: 32 bits inside a tile, 64 bits in device memory.
pub trait Index: Copy + Ord {
    /// Zero.
    const ZERO: Self;
    /// `self + o`; the sum of two lengths, which fits.
    fn add(self, o: Self) -> Self;
    /// `self - o`, 0 where that is negative.
    fn saturating_sub(self, o: Self) -> Self;
    /// The middle of `self..end`, without overflow.
    fn middle(self, end: Self) -> Self;
    /// `self + 1`.
    fn next(self) -> Self;
    /// `self - 1`; `self` is not 0.
    fn previous(self) -> Self;
}
macro_rules! index {
    ($($t:ty),*) => { $(
        impl Index for $t {
            const ZERO: Self = 0;
            #[inline(always)]
            fn add(self, o: Self) -> Self {
                self + o
            }
            #[inline(always)]
            fn saturating_sub(self, o: Self) -> Self {
                if self > o { self - o } else { 0 }
            }
            #[inline(always)]
            fn middle(self, end: Self) -> Self {
                self + ((end - self) >> 1)
            }
            #[inline(always)]
            fn next(self) -> Self {
                self + 1
            }
            #[inline(always)]
            fn previous(self) -> Self {
                self - 1
            }
        }
    )* };
}
index!(u8, u16, u32, u64, usize);

/// How many of the first `k` elements of the stable merge of A and B come from A.
///
/// `before(j, i)` tells whether `B[j]` must stand before `A[i]`, for i < `a_len` and j < `b_len`; it is asked for no other
/// pair. `k` is at most `a_len + b_len`. Takes about log2(min(k, a_len, b_len)) questions.
#[inline(always)]
pub fn co_rank<I: Index>(k: I, a_len: I, b_len: I, before: impl Fn(I, I) -> bool) -> I {
    let mut low = k.saturating_sub(b_len);
    let mut high = k.min(a_len);
    while low < high {
        let i = low.middle(high);
        // i < high ≤ k, so j = k − 1 − i is not negative; i ≥ low ≥ k − b_len, so it is below b_len.
        let j = k.saturating_sub(i).previous();
        if before(j, i) {
            high = i;
        } else {
            low = i.next();
        }
    }
    low
}

/// [`co_rank`] by a whole warp: every lane passes the same arguments and gets the same answer.
///
/// Each round probes 32 positions at once, so 2^28 elements take six rounds of memory latency instead of 28.
#[inline(always)]
pub fn co_rank_warp(k: u64, a_len: u64, b_len: u64, before: impl Fn(u64, u64) -> bool) -> u64 {
    let lane = warp::lane_id() as u64;
    let mut low = k.saturating_sub(b_len);
    let mut high = k.min(a_len);
    while low < high {
        // Lane l probes low + (l + 1)·step − 1: the last one is at or past high − 1, where the answer may still be high.
        let step = ((high - low) >> 5) + 1;
        let i = low + (lane + 1) * step - 1;
        let beyond = i >= high || before(k - 1 - i, i);
        // The probes are monotone: false for all lanes before the answer, true from there on. The count of leading
        // falses is what is used, so that an order that is no strict weak order cannot lead out of the bracket.
        let not_before = !warp::warp_vote_ballot(FULL_WARP, beyond);
        let passed = not_before.trailing_ones() as u64;
        let next_low = low + passed * step;
        high = high.min(next_low + step - 1);
        low = next_low.min(high);
    }
    low
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(k: usize, a: &[u32], b: &[u32]) -> (usize, usize) {
        let i = co_rank(k, a.len(), b.len(), |j, i| b[j] < a[i]);
        (i, k - i)
    }

    #[test]
    fn the_chapters_worked_values() {
        let (a, b) = ([1, 3, 6, 8], [2, 4, 5, 7]);
        let pairs: Vec<_> = (0..8).map(|k| pair(k, &a, &b)).collect();
        assert_eq!(pairs, [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (2, 3), (3, 3), (3, 4)]);
        assert_eq!(pair(8, &a, &b), (4, 4));
    }

    #[test]
    fn ties_go_to_the_first_run() {
        // The chapter's own search answers (1, 1) here, which splits the equal keys against the stable order.
        assert_eq!(pair(2, &[0, 1, 2, 2], &[1, 1]), (2, 0));
        assert_eq!(pair(3, &[0, 1, 2, 2], &[1, 1]), (2, 1));
    }

    #[test]
    fn every_cut_of_every_small_pair_of_runs_is_the_stable_one() {
        // All pairs of sorted runs of up to 5 keys out of 3 values, given by how often each value occurs.
        let mut runs = vec![];
        for counts in 0..216u32 {
            let n = [counts % 6, counts / 6 % 6, counts / 36];
            if n.iter().sum::<u32>() <= 5 {
                runs.push((0..3).flat_map(|v| vec![v; n[v as usize] as usize]).collect::<Vec<u32>>());
            }
        }
        for a in &runs {
            for b in &runs {
                let mut merged: Vec<_> = a.iter().map(|v| (*v, 0)).chain(b.iter().map(|v| (*v, 1))).collect();
                merged.sort();
                for k in 0..=merged.len() {
                    let from_a = merged[..k].iter().filter(|m| m.1 == 0).count();
                    assert_eq!(pair(k, a, b), (from_a, k - from_a), "{a:?} {b:?} {k}");
                }
            }
        }
    }

    #[test]
    fn lengths_near_the_end_of_the_index_type_do_not_overflow() {
        // Runs of 255 elements under 8-bit positions: a midpoint by (low + high) / 2 would wrap.
        let i = co_rank(255u8, 255u8, 0u8, |_, _| unreachable!());
        assert_eq!(i, 255);
        let i = co_rank(255u8, 200u8, 55u8, |_, _| false);
        assert_eq!(i, 200);
    }
}
