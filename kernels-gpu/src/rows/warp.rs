//! Narrow rows: a few lanes of a warp to each, sorted by a bitonic network between registers.
use super::{Carried, Matrix, Row};
use crate::network::{Shuffle, warp as network};
use crate::order::Key;
use crate::simt::{FULL_WARP, WARP, thread, warp};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;
use crate::tile::sort::{read_striped, store_run};

/// Bytes of shared memory of a block: a slot for each element and one more a thread.
pub const fn shared_bytes<K: Key, P: Payload<K>>(threads: u32, items: u32) -> u32 {
    threads * (items + 1) * <P::Sorted as Element>::BYTES
}

/// Sorts every row, of at most `lanes * ITEMS` keys: `lanes`, a power of two up to 32, to each.
///
/// Elements are ordered by key and position where they are tagged, so that equal keys keep their order.
///
/// # Safety
/// A block has `THREADS` threads and [`shared_bytes`]; the grid has a warp for each `32 / lanes` rows, or more.
/// `matrix` and `carried` have the rows they say, what
/// is written overlaps what is read only as the same place, and `SLOTS` is `ITEMS` + 1.
#[inline(always)]
pub unsafe fn sort_rows<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize, const SLOTS: usize>(
    matrix: Matrix<K>,
    carried: Carried,
    lanes: u32,
    load: K::Codec,
    store: K::Codec,
) where
    P::Sorted: Shuffle,
{
    const { assert!(SLOTS == ITEMS + 1) }
    core::hint::assert_unchecked(lanes > 0);
    let view = P::Sorted::view(THREADS * SLOTS as u32);
    let t = thread::thread_idx_x();
    let lane = t % WARP;
    let mine = lane & (lanes - 1);
    let at_once = (WARP / lanes) as u64;
    // The warp's first row: the same for all lanes, which stay together.
    let first = (thread::block_idx_x() as u64 * (THREADS / WARP) as u64 + (t / WARP) as u64) * at_once;
    let rows = matrix.count();
    if first >= rows {
        return;
    }
    let row = first + (lane / lanes) as u64;
    // Lanes behind the last row sort pads.
    let row_of_lane = matrix.row(if row < rows { row } else { first });
    let Row { dst: to, len, .. } = row_of_lane;
    let count = if row < rows { len } else { 0 };
    let (src, dst) = (matrix.keys(row_of_lane), matrix.dst);
    // Which element a lane has first does not matter: neighbouring lanes read neighbours.
    let mut v = read_striped::<P::Sorted, ITEMS>(src, count, mine, lanes, load);
    network::sort_groups(&mut v, lanes);

    // Each lane holds neighbours now: through shared memory, so that neighbouring lanes write them.
    let base = (t - mine) * SLOTS as u32;
    store_run(view, t * SLOTS as u32, &v);
    warp::sync_warp(FULL_WARP);
    let mut positions = [0; ITEMS];
    for i in 0..ITEMS {
        let at = mine + i as u32 * lanes;
        let e = P::Sorted::at(view, base + at + at / ITEMS as u32).read();
        if at < count && !dst.is_null() {
            dst.set(to + at as u64, e.key().decode(store));
        }
        positions[i] = P::position(e);
    }
    if P::PRESENT {
        let carried = matrix.carried(row_of_lane, carried);
        carried.store(count, |i| mine + i as u32 * lanes, positions, || warp::sync_warp(FULL_WARP));
    }
}
