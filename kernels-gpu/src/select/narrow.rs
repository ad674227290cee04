//! The first k of each of many short rows: a block loads as many rows as fit its shared memory and sorts each.
use super::order::{Candidate, Selectable};
use super::segments::sort_segments;
use super::{Input, Output};
use crate::simt::thread;
use crate::tile::element::{Cursor, Element};

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Selectable>(capacity: u32) -> u32 {
    capacity * <Candidate<K> as Element>::BYTES
}

/// Finds the first `k` elements of each row, in order. `segment` is a power of two from 2 to `CAPACITY`, and at least the
/// columns.
///
/// # Safety
/// The block has `THREADS` threads and [`shared_bytes`]; `k` is 1 to the columns; the input is there, and the output has room
/// for all results and does not overlap it.
#[inline(always)]
pub unsafe fn narrow<K: Selectable, const THREADS: u32, const CAPACITY: u32>(
    input: Input<K>,
    segment: u32,
    k: u32,
    output: Output<K>,
    codec: K::Codec,
) {
    // Says the caller: without this the divisions below keep a panic.
    core::hint::assert_unchecked(k > 0);
    let t = thread::thread_idx_x();
    let view = Candidate::<K>::view(CAPACITY);
    let bits = segment.trailing_zeros();
    let most = CAPACITY >> bits;
    let mut first = thread::block_idx_x() as u64 * most as u64;
    while first < input.rows {
        let left = input.rows - first;
        let rows = if left < most as u64 { left as u32 } else { most };
        let len = rows.next_power_of_two() << bits;
        let mut i = t;
        while i < len {
            let (row, column) = (i >> bits, i & (segment - 1));
            let mut e = Candidate::<K>::end();
            if row < rows && (column as u64) < input.columns {
                let at = (first + row as u64) * input.stride + column as u64;
                e = Candidate::<K>::new(input.keys.get(at).encode(codec).widen(), column);
            }
            Candidate::<K>::set(view, i, e);
            i += THREADS;
        }
        thread::sync_threads();
        sort_segments::<Candidate<K>, THREADS>(view, len, segment);
        thread::sync_threads();
        let mut i = t;
        while i < rows * k {
            let (row, place) = (i / k, i % k);
            let e = Candidate::<K>::at(view, (row << bits) + place).read();
            let row = first + row as u64;
            let column = e.tag() as u64;
            let index = if input.indices.is_null() { column } else { input.indices.get(row * input.stride + column) };
            output.set(row * output.stride + place as u64, K::narrow(e.key()).decode(codec), index);
            i += THREADS;
        }
        // The rows stay until all have read them.
        thread::sync_threads();
        first += thread::grid_dim_x() as u64 * most as u64;
    }
}
