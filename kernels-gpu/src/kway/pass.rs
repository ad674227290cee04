//! One pass of the k-way merge sort.
use super::partition::Groups;
use super::tile::{merge_pieces, tile_keys};
use crate::order::Key;
use crate::simt::{Global, thread};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;

/// Merges each group of `RUNS` neighbouring runs of `src` into one run of `dst`, stably; one block makes one tile.
///
/// Keys are in their encoded form; `store` decodes them on the last pass. `cuts` is what
/// [`partition`](super::partition::partition) wrote for tiles of [`tile_keys`].
///
/// # Safety
/// A block has `THREADS` threads and the tile's shared memory; the grid has `groups.tiles` blocks for each group of the
/// array. All arrays hold `groups.n` elements, and `dst` does not overlap `src`.
#[inline(always)]
pub unsafe fn kway_pass<K: Key, P: Payload<K>, const RUNS: u32, const THREADS: u32, const ITEMS: usize>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    cuts: Global<u64>,
    groups: Groups,
    store: K::Codec,
) {
    core::hint::assert_unchecked(groups.tiles > 0);
    let tile = tile_keys(THREADS, ITEMS as u32, RUNS);
    let t = thread::thread_idx_x();
    let block = thread::block_idx_x();
    let (group, b) = (block / groups.tiles, block % groups.tiles);
    let extent = groups.extent(group as u64, RUNS);
    let position = b as u64 * tile as u64;
    let total = extent.1 - extent.0;
    if position >= total {
        // A last group with fewer tiles than a full one.
        return;
    }
    let left = total - position;
    let count = if left < tile as u64 { left as u32 } else { tile };

    let (mut source, mut len) = (0, 0);
    if t < RUNS {
        let row = (group as u64 * (groups.tiles as u64 + 1) + b as u64) * RUNS as u64 + t as u64;
        let (from, to) = (cuts.get(row), cuts.get(row + RUNS as u64));
        source = groups.run_of(extent, t).0 + from;
        len = (to - from) as u32;
    }
    merge_pieces::<K, P, RUNS, THREADS, ITEMS>(src, payload_src, source, len);

    let view = P::Merged::view(THREADS * ITEMS as u32);
    let start = extent.0 + position;
    let (out, payload_out) = (dst.offset(start), payload_dst.offset(if P::PRESENT { start } else { 0 }));
    for i in 0..ITEMS {
        let at = t + i as u32 * THREADS;
        if at < count {
            let e = P::Merged::at(view, at).read();
            out.set(at as u64, e.key().decode(store));
            if P::PRESENT {
                payload_out.set(at as u64, e.tag());
            }
        }
    }
}
