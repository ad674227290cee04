//! Each block sorts a segment: long strides through shared memory, short ones within the warps.
use super::segment::{self, Arrays, Segment};
use crate::network::{self, Shuffle};
use crate::order::Key;
use crate::simt::{Global, WARP, thread};
use crate::tile::payload::Payload;

/// Shared memory of a block, bytes.
pub const fn block_sort_shared_bytes<K: Key, P: Payload<K>>(tile: u32) -> u32 {
    segment::shared_bytes::<K, P>(tile)
}

/// Sorts each segment of `THREADS * V` keys of `src[..n]` into `dst`, payloads along with them, stably. The last segment
/// may be shorter.
///
/// Keys are read through `load` and written through `store`. `src` and `dst` may be the same array, and so may the
/// payloads.
///
/// Each warp sorts its part; then runs of one warp are joined to runs of two, four, … Each join compares mirror images
/// first, then at halved strides. As long as these reach beyond the warp, an element and its partner meet through shared
/// memory; the rest is the warp's merge of a bitonic sequence, by shuffles and in registers. With w warps that is
/// `log2(w) * (log2(w) + 1) / 2` round trips through shared memory.
///
/// # Safety
/// A block has `THREADS` threads, a power of two, and [`block_sort_shared_bytes`] of shared memory, the grid
/// `ceil(n / (THREADS * V))` blocks. All arrays hold `n` elements; `dst` does not overlap `src` except as the same array,
/// and likewise the payloads.
#[inline(always)]
pub unsafe fn block_sort<K: Key, P: Payload<K>, const THREADS: u32, const V: usize>(
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
    const { assert!(THREADS.is_power_of_two() && THREADS >= WARP) }
    let tile = THREADS * V as u32;
    let t = thread::thread_idx_x();
    let base = thread::block_idx_x() as u64 * tile as u64;
    let arrays = Arrays::<K, P> { src, dst, payload_src, payload_dst, n };
    let segment = Segment::<K, P, V>::new(arrays, base, 0, tile, THREADS, t);
    let mut v = segment.load(load);
    network::warp::sort(&mut v);
    // Opaque, or the joins are unrolled: a copy of the warp's merge for each.
    let mut run = thread::opaque(WARP * V as u32);
    while run < tile {
        // Positions p and p ^ mask meet; `upper` is the bit that tells the later of the two. Both are the same for all
        // elements of a thread, and the mirror image of its registers is in the mask's low bits.
        let (mut mask, mut upper) = (2 * run - 1, run);
        while upper >= WARP * V as u32 {
            segment.put(&v);
            thread::sync_threads();
            for i in 0..V {
                let p = t * V as u32 + i as u32;
                v[i] = v[i].keep(segment.get(p ^ mask), p & upper != 0);
            }
            thread::sync_threads();
            upper /= 2;
            mask = upper;
        }
        network::warp::merge(&mut v);
        run *= 2;
    }
    segment.put(&v);
    if P::PRESENT {
        thread::async_copies_done();
    }
    thread::sync_threads();
    segment.store(store);
}
