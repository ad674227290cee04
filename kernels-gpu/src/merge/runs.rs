//! Merge of two sorted arrays, in one launch or two.
//!
//! Small merges are one launch whose blocks search their own cuts. Searches of neighbouring blocks read scattered
//! sectors and wait for each, which a large merge pays for: 1.9 ms where the bare merge of 2^28 64-bit keys takes 1.2
//! on an H200. There a kernel before the merge finds all cuts at once, one thread a cut, each warp within bounds that
//! its lanes find together. It needs no memory of its own: each
//! tile's two cuts wait where the tile's output will be, and nobody but its block reads or writes there.
use super::piece::{Cuts, Source, Target, merge_piece};
use crate::corank::{co_rank, co_rank_warp};
use crate::guard::Guard;
use crate::order::Key;
use crate::simt::{Global, WARP, thread};
use crate::tile::payload::Payload;

/// Writes, for each tile of the merge's output but the last, where its two ends cut the first array: two u64 at the
/// tile's place in `dst`.
///
/// The last tile may be too short to hold them; its block searches.
///
/// # Safety
/// The grid has a thread for each tile of `tile` keys, rounded up to whole blocks; a tile's keys take at least 16 bytes, and
/// `dst` is aligned to 8. `dst` holds `a_len + b_len` keys and overlaps neither array.
#[inline(always)]
pub unsafe fn merge_cuts<K: Key>(
    a: Global<K>,
    b: Global<K>,
    dst: Global<K>,
    a_len: u64,
    b_len: u64,
    tile: u32,
    load: K::Codec,
) {
    let t = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
    let total = a_len + b_len;
    let tile = tile as u64;
    let in_range = |k: u64| if k < total { k } else { total };
    // The cuts around the warp's tiles, by all lanes together; then each lane searches between them, near its neighbours.
    let first = t - t % WARP as u64;
    let (from, to) = (in_range(first * tile), in_range((first + WARP as u64) * tile));
    let before = |j: u64, i: u64| b.get(j).encode(load).before(a.get(i).encode(load));
    let a_from = co_rank_warp(from, a_len, b_len, before);
    // Clamped as in `merge_piece`, for inputs that are not sorted.
    let a_to = co_rank_warp(to, a_len, b_len, before).max(a_from).min(a_from + (to - from));
    let b_from = from - a_from;
    let k = t * tile;
    if k >= total {
        return;
    }
    let (a_between, b_between) = (a_to - a_from, (to - a_to) - b_from);
    let cut = a_from + co_rank(k - from, a_between, b_between, |j, i| before(b_from + j, a_from + i));
    if total - k > tile {
        dst.offset(k).cast::<u64>().set(0, cut);
    }
    if t > 0 {
        dst.offset(k - tile).cast::<u64>().set(1, cut);
    }
}

/// Merges two sorted arrays into one, stably: of equal keys, the first array's come first. Where
/// `payload_a` is null, payloads are positions in both arrays laid one behind the other. With `cut`, [`merge_cuts`] ran
/// before.
///
/// # Safety
/// As [`merge_piece`]; the grid has `ceil((a_len + b_len) / tile)` blocks.
#[inline(always)]
pub unsafe fn merge_runs<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    source: Source<K, P::Item>,
    target: Target<K, P::Item>,
    cut: bool,
    load: K::Codec,
    store: K::Codec,
    guard: Guard,
) {
    let tile = (THREADS * ITEMS as u32) as u64;
    let k = thread::block_idx_x() as u64 * tile;
    let left = source.a_len + source.b_len - k;
    let count = if left < tile { left as u32 } else { tile as u32 };
    let cuts = if cut && left > tile { Cuts::InOutput } else { Cuts::Search };
    // Without payloads the pointers are null as well, but then there is nothing to write.
    let positions = P::PRESENT && source.payload_a.is_null();
    merge_piece::<K, P, THREADS, ITEMS>(source, target, k, count, cuts, load, store, positions, guard);
}
