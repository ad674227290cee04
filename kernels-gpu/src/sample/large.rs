//! Sorts what no size class takes: buckets of which the sample knew too little.
//!
//! A block to each bucket: it sorts tile by tile, then merges runs pass by pass between the two areas, whose places both are
//! the bucket's alone by now. The time grows with n log n, whatever the keys, and hardly any bucket comes here: those of many
//! tiles were partitioned once more before. By an order that contradicts itself pieces of a merge may not fit: then its runs stay
//! as they are, one behind the other.
use super::buckets::Areas;
use super::tables::{BROKEN, LARGE, STATE, state};
use crate::guard::Guard;
use crate::merge::piece::{self, Cuts, Source, Target, merge_piece};
use crate::merge::tile_sort::{self, sort_tile};
use crate::order::Key;
use crate::simt::{Global, thread};
use crate::tile::payload::Payload;

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Key, P: Payload<K>>(tile: u32) -> u32 {
    let (sort, merge) = (tile_sort::shared_bytes::<K, P>(tile), piece::shared_bytes::<K, P>(tile));
    if sort > merge { sort } else { merge }
}

/// The smaller of two lengths.
#[inline(always)]
fn at_most(len: u64, most: u64) -> u64 {
    if len < most { len } else { most }
}

/// Sorts the large buckets into the caller's array, and payloads along with them, stably.
///
/// # Safety
/// The block has `THREADS` ≥ 64 threads (or 32) and [`shared_bytes`], with the shared memory of a [`Check`](crate::guard::Check)
/// more where the order is not trusted; the list has as many entries as its counter says.
#[inline(always)]
pub unsafe fn sort_large<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    areas: Areas<K>,
    payloads: Areas<P::Item>,
    counters: Global<u32>,
    list: Global<u64>,
    codec: K::Codec,
) {
    // What keys carry would have to stay with them.
    const { assert!(K::TRUSTED || !P::PRESENT) }
    if counters.get(STATE as u64) != state::UNSORTED {
        return;
    }
    let guard = Guard::new(counters.offset(BROKEN as u64), 0);
    let tile = (THREADS * ITEMS as u32) as u64;
    let total = counters.get(LARGE as u64);
    let mut at = thread::block_idx_x();
    while at < total {
        let (place, len) = (list.get(2 * at as u64), list.get(2 * at as u64 + 1));
        let area = |scratch: bool| if scratch { areas.scratch } else { areas.data }.offset(place >> 1);
        let payload_at = if P::PRESENT { place >> 1 } else { 0 };
        let payload = |scratch: bool| if scratch { payloads.scratch } else { payloads.data }.offset(payload_at);
        let mut passes = 0;
        while tile << passes < len {
            passes += 1;
        }
        // The last pass writes the caller's array.
        let mut in_scratch = passes % 2 == 1;
        let (from, to) = (area(place & 1 != 0), area(in_scratch));
        let (payload_from, payload_to) = (payload(place & 1 != 0), payload(in_scratch));
        let mut first = 0;
        while first < len {
            let count = at_most(len - first, tile) as u32;
            let (src, dst) = (from.offset(first), to.offset(first));
            let base = if P::PRESENT { first } else { 0 };
            sort_tile::<K, P, THREADS, ITEMS>(src, dst, payload_from, payload_to, base, count, codec, codec);
            thread::sync_threads();
            first += tile;
        }
        let mut pass = 0;
        while pass < passes {
            let run = tile << pass;
            let (from, to) = (area(in_scratch), area(!in_scratch));
            let (payload_from, payload_to) = (payload(in_scratch), payload(!in_scratch));
            let mut first = 0;
            while first < len {
                let pair = first / (2 * run) * (2 * run);
                let a_len = at_most(len - pair, run);
                let b_len = at_most(len - pair - a_len, run);
                let a = from.offset(pair);
                let carried = |from: Global<P::Item>, at: u64| if P::PRESENT { from.offset(at) } else { from };
                let (payload_a, payload_b) = (carried(payload_from, pair), carried(payload_from, pair + a_len));
                let source = Source { a, a_len, b: a.offset(a_len), b_len, payload_a, payload_b };
                let target = Target { keys: to.offset(pair), payload: carried(payload_to, pair) };
                let count = at_most(len - first, tile) as u32;
                let fits = merge_piece::<K, P, THREADS, ITEMS>(
                    source,
                    target,
                    first - pair,
                    count,
                    Cuts::Search,
                    codec,
                    codec,
                    false,
                    guard,
                );
                first += tile;
                if !K::TRUSTED && !fits {
                    // What was merged of these two counts for nothing.
                    let mut at = thread::thread_idx_x() as u64;
                    while at < a_len + b_len {
                        target.keys.set(at, a.get(at));
                        at += THREADS as u64;
                    }
                    first = pair + a_len + b_len;
                }
                // Pieces share the block's memory, and the next pass reads what other threads wrote.
                thread::sync_threads();
            }
            in_scratch = !in_scratch;
            pass += 1;
        }
        at += thread::grid_dim_x();
    }
}
