//! One pass of the k-way merge sort.
use super::inputs::Inputs;
use super::partition::{Groups, may_contradict};
use super::tile::{merge_pieces, tile_keys};
use crate::guard::Guard;
use crate::order::{Key, mode};
use crate::simt::{FULL_WARP, Global, thread, warp};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;

/// Merges each group of `RUNS` neighbouring runs of `src` into one run of `dst`, stably; one block makes one tile.
///
/// Or, where `inputs` has a table, the runs that it names, into one. Keys are encoded as they are read, which those of a
/// merge sort's runs are already; `store` names the codec that decodes them where they are the result. `cuts` is what
/// [`partition`](super::partition::partition) wrote for tiles of [`tile_keys`].
///
/// # Safety
/// A block has `THREADS` threads and the tile's shared memory; the grid has `groups.tiles` blocks for each group of each
/// array, the units of the batch. All arrays hold what the batch says, and `dst` does not overlap `src`. With a table of segments
/// `src` is where they end, and `dst` the other area. A table of inputs is as in
/// [`partition`](super::partition::partition), and `dst` overlaps none of them.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn kway_pass<
    K: Key,
    P: Payload<K>,
    const RUNS: u32,
    const THREADS: u32,
    const ITEMS: usize,
    const FOUR: bool,
>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    cuts: Global<u64>,
    groups: Groups,
    inputs: Inputs<K>,
    store: u32,
    guard: Guard,
) {
    core::hint::assert_unchecked(groups.tiles > 0);
    if inputs.table.is_clear() {
        return;
    }
    let tile = tile_keys(THREADS, ITEMS as u32, RUNS, FOUR);
    let t = thread::thread_idx_x();
    let part = groups.batch.part(thread::block_idx_x() as u64, groups.n);
    let groups = Groups { n: part.len, ..groups };
    let Some(turn) = groups.turn() else { return };
    // A launch has fewer than 2^31 blocks.
    let (group, b) = (part.unit as u32 / groups.tiles, part.unit as u32 % groups.tiles);
    let extent = groups.extent(group as u64, RUNS);
    let position = b as u64 * tile as u64;
    let total = extent.1 - extent.0;
    if position >= total {
        // A last group with fewer tiles than a full one.
        return;
    }
    let (src, dst, payload_src, payload_dst) = if turn.swapped {
        // The other areas change with them.
        (dst, src, payload_dst, payload_src)
    } else {
        (src, dst, payload_src, payload_dst)
    };
    let store = if turn.last { store } else { mode::UNSIGNED };
    let cuts = cuts.offset(groups.batch.cuts_row(part, group as u64, groups.tiles, b) * RUNS as u64);
    let left = total - position;
    let count = if left < tile as u64 { left as u32 } else { tile };

    // Without a flag to raise, only the warp that reads the cuts must know.
    let looks = may_contradict::<K>(inputs) && (!K::TRUSTED || t < 32);
    let fit = !looks || cuts_fit::<K, RUNS>(cuts, groups, inputs, extent, count);
    if !K::TRUSTED && !fit {
        guard.raise();
        return;
    }

    let (mut source, mut len) = (0, 0);
    if t < RUNS {
        if fit {
            let (from, to) = (cuts.get(t as u64), cuts.get((t + RUNS) as u64));
            source = from + if inputs.table.is_none() { part.src + groups.run_of(extent, t).0 } else { 0 };
            len = (to - from) as u32;
        } else {
            // Inputs that are not sorted: any of their elements will do.
            (source, len) = share(inputs, t, position, count);
        }
    }
    merge_pieces::<K, P, RUNS, THREADS, ITEMS, FOUR>(src, payload_src, inputs, source, len);

    let view = P::Merged::view(THREADS * ITEMS as u32);
    let start = part.dst + extent.0 + position;
    let (out, payload_out) = (dst.offset(start), payload_dst.offset(if P::PRESENT { start } else { 0 }));
    let write = |at: u32, codec: Option<K::Codec>| {
        let e = P::Merged::at(view, at).read();
        out.set(at as u64, codec.map_or(e.key(), |codec| e.key().decode(codec)));
        if P::PRESENT {
            payload_out.set(at as u64, e.tag());
        }
    };
    // Nearly all tiles are full, and nearly all passes leave keys as they are: a read and a write for each element.
    if count == tile && store == mode::UNSIGNED {
        for i in 0..ITEMS {
            let at = t + i as u32 * THREADS;
            if i as u32 * THREADS + THREADS <= tile || at < tile {
                write(at, None);
            }
        }
    } else {
        let codec = K::codec(store);
        let mut at = t;
        while at < count {
            write(at, Some(codec));
            at += THREADS;
        }
    }
}

/// Whether the tile's two cuts ascend in every run, stay inside it, and lie `count` elements apart in all. Where they do
/// for every tile, the tiles take every element once: the first cut of a group is at the start of all runs. `cuts` begin with the
/// tile's.
///
/// Every warp asks for itself and gets the same answer.
///
/// # Safety
/// As [`kway_pass`]; all threads of a warp call it.
#[inline(always)]
unsafe fn cuts_fit<K: Key, const RUNS: u32>(
    cuts: Global<u64>,
    groups: Groups,
    inputs: Inputs<K>,
    extent: (u64, u64),
    count: u32,
) -> bool {
    let lane = warp::lane_id();
    let (mut len, mut fits) = (0, true);
    if lane < RUNS {
        let (from, to) = (cuts.get(lane as u64), cuts.get((lane + RUNS) as u64));
        let run = if inputs.table.is_none() { groups.run_of(extent, lane).1 } else { inputs.table.len(lane) };
        fits = from <= to && to <= run && to - from <= count as u64;
        len = if fits { (to - from) as u32 } else { 0 };
    }
    let mut distance = 1;
    while distance < 32 {
        len += warp::warp_shuffle_xor(FULL_WARP, len, distance);
        distance *= 2;
    }
    warp::warp_vote_all(FULL_WARP, fits && len == count)
}

/// What input `j` has of `count` elements from `position` on, in all inputs laid one behind the other: where it begins in
/// the input, and its length.
///
/// # Safety
/// There is a table, which has inputs `0..=j`.
#[inline(always)]
unsafe fn share<K: Key>(inputs: Inputs<K>, j: u32, position: u64, count: u32) -> (u64, u32) {
    let mut first = 0;
    let mut i = 0;
    while i < j {
        first += inputs.table.len(i);
        i += 1;
    }
    let (begin, end) = (first.max(position), (first + inputs.table.len(j)).min(position + count as u64));
    if begin < end { (begin - first, (end - begin) as u32) } else { (0, 0) }
}
