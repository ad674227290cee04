//! Sorts what no size class takes: buckets of which the sample knew too little.
//!
//! A block to each bucket: it sorts tile by tile, then merges runs pass by pass between the two areas, whose places both are
//! the bucket's alone by now. The time grows with n log n, whatever the keys, and hardly any bucket comes here: those of many
//! tiles were partitioned once more before.
use super::buckets::Areas;
use super::tables::{LARGE, STATE, state};
use crate::guard::Guard;
use crate::merge::piece::{self, Cuts, Source, Target, merge_piece};
use crate::merge::tile_sort::{shared_bytes as tile_bytes, write_out};
use crate::order::Key;
use crate::simt::{Global, thread};
use crate::tile::element::Element;
use crate::tile::payload::Payload;
use crate::tile::sort;

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Key, P: Payload<K>>(tile: u32) -> u32 {
    let (sort, merge) = (tile_bytes::<K, P>(tile), piece::shared_bytes::<K, P>(tile));
    if sort > merge { sort } else { merge }
}

/// Sorts the large buckets into the caller's arrays.
///
/// # Safety
/// The block has `THREADS` ≥ 64 threads (or 32) and [`shared_bytes`]; the list has as many entries as its counter says.
#[inline(always)]
pub unsafe fn sort_large<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    areas: Areas<K, P::Item>,
    counters: Global<u32>,
    list: Global<u64>,
    codec: K::Codec,
) {
    // As in `sort_buckets`.
    const { assert!(!P::Sorted::TAGGED) }
    if counters.get(STATE as u64) != state::UNSORTED {
        return;
    }
    let t = thread::thread_idx_x();
    let tile = THREADS * ITEMS as u32;
    let view = P::Sorted::view(tile);
    let total = counters.get(LARGE as u64);
    let mut at = thread::block_idx_x();
    while at < total {
        let (place, len) = (list.get(2 * at as u64), list.get(2 * at as u64 + 1));
        let start = place >> 1;
        let area = |scratch: bool| match scratch {
            true => (areas.scratch.offset(start), areas.payload_scratch.offset(start)),
            false => (areas.data.offset(start), areas.payload_data.offset(start)),
        };
        let mut passes = 0;
        while (tile as u64) << passes < len {
            passes += 1;
        }
        let (keys, payloads) = area(place & 1 != 0);
        // The last pass writes the caller's arrays.
        let mut in_scratch = passes % 2 == 1;
        let (keys_to, payloads_to) = area(in_scratch);
        let mut first = 0;
        while first < len {
            let left = len - first;
            let count = if left < tile as u64 { left as u32 } else { tile };
            let mut v = [P::Sorted::pad(0); ITEMS];
            for i in 0..ITEMS {
                let at = t + i as u32 * THREADS;
                v[i] = if at < count {
                    P::Sorted::at_position(keys.get(first + at as u64).encode(codec), at)
                } else {
                    P::Sorted::pad(at)
                };
            }
            sort::sort::<P::Sorted, THREADS, ITEMS>(view, v);
            thread::sync_threads();
            let keys_to = keys_to.offset(first);
            write_out::<K, P, THREADS, ITEMS>(view, keys_to, payloads, payloads_to, first, count, codec);
            // Tiles share the view; the first pass reads what other threads wrote.
            thread::sync_threads();
            first += tile as u64;
        }
        let mut pass = 0;
        while pass < passes {
            let run = (tile as u64) << pass;
            let ((keys, payload), (keys_to, payload_to)) = (area(in_scratch), area(!in_scratch));
            let mut first = 0;
            while first < len {
                let pair = first / (2 * run) * (2 * run);
                let of_pair = len - pair;
                let a_len = if of_pair < run { of_pair } else { run };
                let b_len = if of_pair - a_len < run { of_pair - a_len } else { run };
                let (a, payload_a) = (keys.offset(pair), payload.offset(pair));
                let source =
                    Source { a, a_len, b: a.offset(a_len), b_len, payload_a, payload_b: payload_a.offset(a_len) };
                let target = Target { keys: keys_to.offset(pair), payload: payload_to.offset(pair) };
                let left = len - first;
                let count = if left < tile as u64 { left as u32 } else { tile };
                merge_piece::<K, P, THREADS, ITEMS>(
                    source,
                    target,
                    first - pair,
                    count,
                    Cuts::Search,
                    codec,
                    codec,
                    false,
                    Guard::none(),
                );
                thread::sync_threads();
                first += tile as u64;
            }
            in_scratch = !in_scratch;
            pass += 1;
        }
        at += thread::grid_dim_x();
    }
}
