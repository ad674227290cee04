//! Merge of two sorted arrays.
use super::piece::{Source, Target, merge_piece};
use crate::order::Key;
use crate::simt::thread;
use crate::tile::payload::Payload;

/// Merges two sorted arrays into one, stably: of equal keys, the first array's come first. Where
/// `payload_a` is null, payloads are positions in both arrays laid one behind the other.
///
/// # Safety
/// As [`merge_piece`]; the grid has `ceil((a_len + b_len) / tile)` blocks.
#[inline(always)]
pub unsafe fn merge_runs<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    source: Source<K, P::Item>,
    target: Target<K, P::Item>,
    load: K::Codec,
    store: K::Codec,
) {
    let tile = (THREADS * ITEMS as u32) as u64;
    let k = thread::block_idx_x() as u64 * tile;
    let left = source.a_len + source.b_len - k;
    let count = if left < tile { left as u32 } else { tile as u32 };
    // Without payloads the pointers are null as well, but then there is nothing to write.
    let positions = P::PRESENT && source.payload_a.is_null();
    merge_piece::<K, P, THREADS, ITEMS>(source, target, k, count, load, store, positions);
}
