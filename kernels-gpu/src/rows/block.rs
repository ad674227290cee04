//! Rows that fit a block: a tile sort to each.
use super::{Carried, Matrix, Row};
use crate::network::Shuffle;
use crate::order::Key;
use crate::simt::{WARP, thread};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;
use crate::tile::sort::{read_striped, sort_striped};
use crate::tile::warp_sort;

/// Bytes of shared memory of a block with so many slots.
pub const fn shared_bytes<K: Key, P: Payload<K>>(slots: u32) -> u32 {
    slots * <P::Sorted as Element>::BYTES
}

/// Sorts every row, of at most `THREADS * ITEMS` keys: a block to each, and further ones where there are more than blocks.
///
/// Elements are ordered by key and position where they are tagged, so that equal keys keep their order.
///
/// # Safety
/// A block has `THREADS` threads and [`shared_bytes`]. `matrix` and `carried` have the rows they say, and what is written
/// overlaps what is read only as the same place.
#[inline(always)]
pub unsafe fn sort_rows<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    matrix: Matrix<K>,
    carried: Carried,
    load: K::Codec,
    store: K::Codec,
) {
    let view = P::Sorted::view(THREADS * ITEMS as u32);
    let t = thread::thread_idx_x();
    let (mut at, rows) = (thread::block_idx_x() as u64, matrix.count());
    while at < rows {
        let row = matrix.row(at);
        if row.len == 0 {
            // Somebody has sorted it already.
            at += thread::grid_dim_x() as u64;
            continue;
        }
        // Striped: consecutive threads read consecutive keys.
        let v = read_striped(matrix.keys(row), row.len, t, THREADS, load);
        sort_striped::<P::Sorted, THREADS, ITEMS>(view, v);
        thread::sync_threads();
        write::<K, P, THREADS, ITEMS>(view, row, matrix, carried, store);
        // The next row takes the place of this one.
        thread::sync_threads();
        at += thread::grid_dim_x() as u64;
    }
}

/// [`sort_rows`] by [`warp_sort`], of keys alone. `SLOTS` is `ITEMS` + 1.
///
/// # Safety
/// As [`sort_rows`], with [`shared_bytes`] of `THREADS * SLOTS` and a block for each row.
#[inline(always)]
pub unsafe fn sort_rows_by_warps<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize, const SLOTS: usize>(
    matrix: Matrix<K>,
    carried: Carried,
    load: K::Codec,
    store: K::Codec,
) where
    P::Sorted: Shuffle,
{
    let view = P::Sorted::view(THREADS * SLOTS as u32);
    let t = thread::thread_idx_x();
    let row = thread::block_idx_x() as u64;
    if row >= matrix.count() {
        return;
    }
    let row = matrix.row(row);
    // Each warp takes consecutive keys, striped over its lanes.
    let first = t / WARP * WARP * ITEMS as u32 + t % WARP;
    let v = read_striped(matrix.keys(row), row.len, first, WARP, load);
    warp_sort::sort::<P::Sorted, THREADS, ITEMS, SLOTS>(view, v);
    thread::sync_threads();
    write::<K, P, THREADS, ITEMS>(view, row, matrix, carried, store);
}

/// Writes a sorted row, and what it carries.
#[inline(always)]
unsafe fn write<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    view: <P::Sorted as Element>::View,
    row: Row,
    matrix: Matrix<K>,
    carried: Carried,
    store: K::Codec,
) {
    let t = thread::thread_idx_x();
    let dst = matrix.dst;
    let mut positions = [0; ITEMS];
    for i in 0..ITEMS {
        let at = t + i as u32 * THREADS;
        if at < row.len {
            let e = P::Sorted::at(view, at).read();
            if !dst.is_null() {
                dst.set(row.dst + at as u64, e.key().decode(store));
            }
            positions[i] = P::position(e);
        }
    }
    if P::PRESENT {
        let carried = matrix.carried(row, carried);
        carried.store(row.len, |i| t + i as u32 * THREADS, positions, || thread::sync_threads());
    }
}
