//! Sorts each tile of an array: the runs that merge passes start from, and all there is to do for a single tile.
use crate::batch::{self, Batch};
use crate::network::Shuffle;
use crate::order::{Key, mode};
use crate::simt::{Global, Shared, WARP, thread};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;
use crate::tile::sort::{read_striped, sort_striped};
use crate::tile::warp_sort;

/// Shared memory of a block, bytes: for the elements, and after them for payloads, which may be wider.
pub const fn shared_bytes<K: Key, P: Payload<K>>(tile: u32) -> u32 {
    let (sorted, payload) = (<P::Sorted as Element>::BYTES, size_of::<P::Item>() as u32);
    tile * if sorted > payload { sorted } else { payload }
}

/// A tile of an array: from where to where, which payloads, and by which codec it is stored.
struct Tile<K: Key, T> {
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<T>,
    payload_dst: Global<T>,
    /// Its first element's number in the array.
    base: u64,
    count: u32,
    store: K::Codec,
}

/// The tile that a block sorts; `None` where it has none.
///
/// # Safety
/// As [`tile_sort`].
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
unsafe fn locate<K: Key, P: Payload<K>>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    n: u64,
    tile: u32,
    batch: Batch,
    store: K::Codec,
) -> Option<Tile<K, P::Item>> {
    let part = batch.part(thread::block_idx_x() as u64, n);
    let base = part.unit * tile as u64;
    if base >= part.len {
        return None;
    }
    let (mut dst, mut payload_dst, mut store) = (dst, payload_dst, store);
    if batch.has_table() {
        // Passes go back and forth, and the last one of each segment writes `dst`.
        let passes = batch::passes(part.len, tile as u64);
        if passes % 2 == 1 {
            let (keys, payloads) = batch.others();
            (dst, payload_dst) = (Global::from_address(keys), Global::from_address(payloads));
        }
        if passes > 0 {
            store = K::codec(mode::UNSIGNED);
        }
    }
    let left = part.len - base;
    let row = |payloads: Global<P::Item>, at: u64| {
        if P::PRESENT && !payloads.is_null() { payloads.offset(at) } else { payloads }
    };
    Some(Tile {
        src: src.offset(part.src + base),
        dst: dst.offset(part.dst + base),
        payload_src: row(payload_src, part.src),
        payload_dst: row(payload_dst, part.dst),
        base,
        count: if left < tile as u64 { left as u32 } else { tile },
        store,
    })
}

/// Sorts each run of `THREADS * ITEMS` keys of every array of a batch into `dst`, payloads along with them, stably.
///
/// Keys are read through `load` and written through `store`. `src` and `dst` may be the same array, and so may the
/// payloads. Where `payload_src` is null, the payload of a key is its position in its array. Tiles of segments that passes go on
/// with are not decoded, and go where the last of these passes ends in `dst`.
///
/// # Safety
/// A block has `THREADS` threads and [`shared_bytes`] of shared memory, the grid as many blocks as the batch has units:
/// `ceil(n / tile)` for a row. All arrays hold what the batch says, `n` elements where it is one row; `dst` does not overlap `src`
/// except as the same array, and likewise the payloads.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn tile_sort<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    n: u64,
    batch: Batch,
    load: K::Codec,
    store: K::Codec,
) {
    let tile = THREADS * ITEMS as u32;
    let Some(tile) = locate::<K, P>(src, dst, payload_src, payload_dst, n, tile, batch, store) else { return };
    let Tile { src, dst, payload_src, payload_dst, base, count, store } = tile;
    sort_tile::<K, P, THREADS, ITEMS>(src, dst, payload_src, payload_dst, base, count, load, store);
}

/// Sorts the `count` keys of one tile into `dst`, by the whole block. Payloads are those of the arrays from element `base` on.
/// The caller synchronises the block before it uses shared memory again.
///
/// # Safety
/// As [`tile_sort`], of the one tile: `count` is at most `THREADS * ITEMS`.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn sort_tile<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    base: u64,
    count: u32,
    load: K::Codec,
    store: K::Codec,
) {
    let t = thread::thread_idx_x();
    let view = P::Sorted::view(THREADS * ITEMS as u32);

    // Striped: consecutive threads read consecutive keys.
    let v = read_striped(src, count, t, THREADS, load);
    sort_striped::<P::Sorted, THREADS, ITEMS>(view, v);
    thread::sync_threads();
    write_out::<K, P, THREADS, ITEMS>(view, dst, payload_src, payload_dst, base, count, store);
}

/// [`tile_sort`] by [`warp_sort`]: of `THREADS * ITEMS` keys, a power of two. `SLOTS` is `ITEMS` + 1.
///
/// # Safety
/// As [`tile_sort`], with [`shared_bytes`] for `THREADS * SLOTS` keys.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn tile_sort_by_warps<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize, const SLOTS: usize>(
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    n: u64,
    batch: Batch,
    load: K::Codec,
    store: K::Codec,
) where
    P::Sorted: Shuffle,
{
    let tile = THREADS * ITEMS as u32;
    let t = thread::thread_idx_x();
    let Some(tile) = locate::<K, P>(src, dst, payload_src, payload_dst, n, tile, batch, store) else { return };
    let Tile { src, dst, payload_src, payload_dst, base, count, store } = tile;
    let view = P::Sorted::view(THREADS * SLOTS as u32);

    // Each warp takes consecutive keys, striped over its lanes. Which lane has which does not matter: tags tell.
    let first = t / WARP * WARP * ITEMS as u32 + t % WARP;
    let v = read_striped(src, count, first, WARP, load);
    warp_sort::sort::<P::Sorted, THREADS, ITEMS, SLOTS>(view, v);
    thread::sync_threads();
    write_out::<K, P, THREADS, ITEMS>(view, dst, payload_src, payload_dst, base, count, store);
}

/// Writes the tile's `count` sorted keys to `dst`, and their payloads to where the tile begins in `payload_dst`, from where
/// it begins in `payload_src`: at element `base`.
///
/// # Safety
/// As [`tile_sort`]; the block was synchronised, and the view holds the sorted elements.
#[inline(always)]
unsafe fn write_out<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    view: <P::Sorted as Element>::View,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    base: u64,
    count: u32,
    store: K::Codec,
) {
    let tile = THREADS * ITEMS as u32;
    let t = thread::thread_idx_x();
    let mut from = [0; ITEMS];
    for i in 0..ITEMS {
        let at = t + i as u32 * THREADS;
        if at < count {
            let e = P::Sorted::at(view, at).read();
            dst.set(at as u64, e.key().decode(store));
            from[i] = P::position(e);
        }
    }
    if P::PRESENT {
        let payload_dst = payload_dst.offset(base);
        let positions = payload_src.is_null();
        // Fetched through shared memory: there a gather in random order costs a fraction of one from device memory. It
        // also makes sorting in place safe: all payloads of the tile are read before any is written.
        let staged = Shared::<P::Item>::new(0, tile);
        if !positions {
            let payload_src = payload_src.offset(base);
            thread::sync_threads();
            for i in 0..ITEMS {
                let at = t + i as u32 * THREADS;
                if at < count {
                    staged.copy_async(at, payload_src, at as u64);
                }
            }
            thread::async_copies_done();
            thread::sync_threads();
        }
        for i in 0..ITEMS {
            let at = t + i as u32 * THREADS;
            if at < count {
                let payload = if positions { P::from_position(base + from[i] as u64) } else { staged.get(from[i]) };
                payload_dst.set(at as u64, payload);
            }
        }
    }
}
