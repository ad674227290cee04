//! Each warp sorts a segment in its registers.
use super::segment::{self, Arrays, Segment};
use crate::network::{self, Shuffle};
use crate::order::Key;
use crate::simt::{FULL_WARP, Global, WARP, thread, warp};
use crate::tile::payload::Payload;

/// Shared memory of a block, bytes.
pub const fn warp_sort_shared_bytes<K: Key, P: Payload<K>>(tile: u32) -> u32 {
    segment::shared_bytes::<K, P>(tile)
}

/// Sorts each segment of `32 * V` keys of `src[..n]` into `dst`, payloads along with them, stably. The last segment may
/// be shorter.
///
/// Keys are read through `load` and written through `store`. `src` and `dst` may be the same array, and so may the
/// payloads. Shared memory serves only to write the result in the order of the array, and to fetch payloads by position.
///
/// # Safety
/// A block has `THREADS` threads and [`warp_sort_shared_bytes`] of shared memory, the grid `ceil(n / (THREADS * V))`
/// blocks. All arrays hold `n` elements; `dst` does not overlap `src` except as the same array, and likewise the payloads.
#[inline(always)]
pub unsafe fn warp_sort<K: Key, P: Payload<K>, const THREADS: u32, const V: usize>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    n: u64,
    load: K::Codec,
    store: K::Codec,
) where
    P::Sorted: Shuffle,
{
    let tile = THREADS * V as u32;
    let lane = warp::lane_id();
    let start = (thread::thread_idx_x() - lane) * V as u32;
    let base = thread::block_idx_x() as u64 * tile as u64 + start as u64;
    // Warps behind the end sort pads: a branch around shuffles would have the assembler prove that whole warps take it.
    let arrays = Arrays::<K, P> { src, dst, payload_src, payload_dst, n };
    let segment = Segment::<K, P, V>::new(arrays, base, start, tile, WARP, lane);
    let mut v = segment.load(load);
    network::warp::sort(&mut v);
    segment.put(&v);
    if P::PRESENT {
        thread::async_copies_done();
    }
    // What lies in shared memory is the warp's own. All of the segment has been read, so it may be written in place.
    warp::sync_warp(FULL_WARP);
    segment.store(store);
}
