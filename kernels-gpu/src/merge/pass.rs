//! One pass of the merge sort: neighbouring runs of an array, merged in pairs.
use super::piece::{Cuts, Source, Target, merge_piece};
use crate::guard::Guard;
use crate::order::{Key, mode};
use crate::simt::{Global, thread};
use crate::tile::payload::Payload;

/// Merges each pair of neighbouring runs of `run` keys of `src[..n]` into one run of `dst`, stably.
///
/// The last run may be shorter, and a last run without a partner is copied: it is a merge with an empty one. Keys are in
/// their encoded form; `store` decodes them on the last pass.
///
/// # Safety
/// As [`merge_piece`]; `tile` is at most `THREADS * ITEMS`, `run` a positive multiple of it;
/// the grid has `ceil(n / tile)` blocks, all arrays hold `n` elements, and `dst` does not overlap `src`.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn merge_pass<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    n: u64,
    run: u64,
    tile: u32,
    store: K::Codec,
    guard: Guard,
) {
    // A positive run, says the caller: without this the division below keeps a panic.
    core::hint::assert_unchecked(run > 0);
    let tile = tile as u64;
    let position = thread::block_idx_x() as u64 * tile;
    // The pair of runs that this block's outputs lie in. `run` is a multiple of the tile, so they lie in one pair.
    // Runs are a tile times a power of two, but n may be anything up to 2^64: no product below exceeds position + 2·run.
    let start = position / run / 2 * 2 * run;
    let in_run = |at: u64| if at < n { at } else { n };
    let (middle, end) = (in_run(start.saturating_add(run)), in_run(start.saturating_add(run).saturating_add(run)));
    let k = position - start;
    let left = end - position;
    let count = if left < tile { left as u32 } else { tile as u32 };
    let source = Source {
        a: src.offset(start),
        a_len: middle - start,
        b: src.offset(middle),
        b_len: end - middle,
        payload_a: payload_src.offset(if P::PRESENT { start } else { 0 }),
        payload_b: payload_src.offset(if P::PRESENT { middle } else { 0 }),
    };
    let target = Target { keys: dst.offset(start), payload: payload_dst.offset(if P::PRESENT { start } else { 0 }) };
    let load = K::codec(mode::UNSIGNED);
    merge_piece::<K, P, THREADS, ITEMS>(source, target, k, count, Cuts::Search, load, store, false, guard);
}
