//! What ends a guarded merge of many: where a pass had no result, the inputs themselves are it.
use super::inputs::Table;
use crate::simt::Global;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::thread;

/// Lays the inputs that a table names one behind the other in `keys`, and their payloads in `payloads`, if a pass of
/// their merge raised the flag: `count` inputs of `n` elements in all, of as many bytes as stand beside the two.
///
/// A sort is restored from what the pass read that raised its flag, which is one array. What a pass of a merge reads
/// lies here and there, some of it merged already and some of it not. But nothing ever writes the inputs, and laid one
/// behind the other they are a permutation of themselves, whichever pass it was. Byte by byte: no merge of sorted
/// inputs by an order that holds comes here.
///
/// # Safety
/// The table has `count` inputs, at least one, with their first positions, and payloads where these have bytes. The
/// outputs have room for `n` elements and overlap no input; `flag` is one word.
#[inline(always)]
pub unsafe fn restore_inputs(
    flag: Global<u32>,
    table: Global<u64>,
    count: u32,
    n: u64,
    (keys, key_bytes): (Global<u8>, u32),
    (payloads, payload_bytes): (Global<u8>, u32),
) {
    if flag.load(0, Ordering::Relaxed) == 0 {
        return;
    }
    let table = Table::new(table);
    let threads = thread::grid_dim_x() as u64 * thread::block_dim_x() as u64;
    let mut i = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
    while i < n {
        let input = table.holding(i, count);
        let at = i - table.first(input);
        copy(table.keys(input), at, keys, i, key_bytes);
        if payload_bytes > 0 {
            copy(table.payloads(input), at, payloads, i, payload_bytes);
        }
        i += threads;
    }
}

/// Copies element `at` of `src`, of `bytes` bytes, to element `to` of `dst`.
///
/// # Safety
/// Both have the element.
#[inline(always)]
unsafe fn copy(src: Global<u8>, at: u64, dst: Global<u8>, to: u64, bytes: u32) {
    let bytes = bytes as u64;
    let mut byte = 0;
    while byte < bytes {
        dst.set(to * bytes + byte, src.get(at * bytes + byte));
        byte += 1;
    }
}
