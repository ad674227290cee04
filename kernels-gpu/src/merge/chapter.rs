//! The textbook's kernels: one thread for each output position, each with a co-rank search of its own.
//!
//! They show the idea with nothing around it, and they are what the tiled kernels are measured against: every position
//! pays a search of log2 steps of scattered reads, where a tile pays two searches for thousands of positions.
use crate::corank::co_rank;
use crate::order::Key;
use crate::simt::{Global, thread};

/// The output position of the calling thread.
#[inline(always)]
pub(crate) fn position() -> u64 {
    thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64
}

/// The element at position `k` of the stable merge of two runs: A's next where B has ended or A's is not after B's.
///
/// # Safety
/// `k < a_len + b_len`, and the runs hold that many elements.
#[inline(always)]
unsafe fn merged_at<K: Key>(k: u64, (a, a_len): (Global<K>, u64), (b, b_len): (Global<K>, u64), codec: K::Codec) -> K {
    let key = |run: Global<K>, i: u64| run.get(i).encode(codec);
    let i = co_rank(k, a_len, b_len, |j, i| key(b, j).before(key(a, i)));
    let j = k - i;
    // Checked first whether a run has ended: at the last positions one of them has, and must not be read.
    let from_a = i < a_len && (j >= b_len || !key(b, j).before(key(a, i)));
    if from_a { a.get(i) } else { b.get(j) }
}

/// Merges two sorted arrays, each thread placing one element. Keys are compared through `codec`.
///
/// # Safety
/// The grid has at least `a_len + b_len` threads; the arrays hold what their lengths say, and `out` the sum.
#[inline(always)]
pub unsafe fn corank_merge<K: Key>(
    a: Global<K>,
    b: Global<K>,
    out: Global<K>,
    a_len: u64,
    b_len: u64,
    codec: K::Codec,
) {
    let k = position();
    if k < a_len + b_len {
        out.set(k, merged_at(k, (a, a_len), (b, b_len), codec));
    }
}

/// One pass of bottom-up merge sort: each thread finds its pair of runs of `width` keys from its global position, then
/// its element within that pair.
///
/// # Safety
/// The grid has at least `n` threads, both arrays hold `n` elements, `width` is not 0 and runs of `src` are sorted.
#[inline(always)]
pub unsafe fn corank_pass<K: Key>(src: Global<K>, dst: Global<K>, n: u64, width: u64, codec: K::Codec) {
    // Says the caller: without this the division below keeps a panic.
    core::hint::assert_unchecked(width > 0);
    let at = position();
    if at < n {
        let start = at / width / 2 * 2 * width;
        let middle = start.saturating_add(width).min(n);
        let end = start.saturating_add(width).saturating_add(width).min(n);
        let (a, b) = ((src.offset(start), middle - start), (src.offset(middle), end - middle));
        dst.set(at, merged_at(at - start, a, b, codec));
    }
}
