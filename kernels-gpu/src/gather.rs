//! Fetches elements by their positions: how payloads follow keys that were sorted or merged with positions.
//!
//! Elements of any size are moved as words of the largest size that divides them. Neighbouring threads move neighbouring
//! words, so stores and the reads within an element are coalesced; only the jumps from element to element are as random
//! as the positions.
use crate::kway::inputs::Table;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Plain, Word, thread, zeroed};
use crate::tuning::GATHER_THREADS;

/// Sets element `i` of `out` to the element at position `positions[i]` of `a` and `b` laid one behind the other, for the
/// first `n` elements of `units` words each. Where there is a table of `input_count` inputs, their payloads are the arrays.
///
/// A position behind both arrays gives zeros, and lowers `stray[0]`, where there is one, to the first `i` that has such a
/// position. With a table, positions are trusted.
///
/// # Safety
/// A block has [`GATHER_THREADS`] threads, the grid `ceil(n / GATHER_THREADS)` blocks, and `units` is 1 to 16.
/// `positions` holds `n` positions, with a table below the elements of all its inputs together; `a` has `a_len` elements and
/// `b` has `b_len`, and `out` has room for `n` and overlaps none of the others.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn gather<I: Word, T: Plain>(
    positions: Global<I>,
    a: Global<T>,
    b: Global<T>,
    out: Global<T>,
    n: u64,
    (a_len, b_len): (u64, u64),
    units: u32,
    inputs: Table,
    input_count: u32,
    stray: Global<u64>,
) {
    // Says the caller: without this the divisions below keep a panic.
    core::hint::assert_unchecked(units > 0);
    let base = thread::block_idx_x() as u64 * GATHER_THREADS as u64;
    let left = n - base;
    let count = if left < GATHER_THREADS as u64 { left as u32 } else { GATHER_THREADS };
    let (positions, out) = (positions.offset(base), out.offset(base * units as u64));
    // At most 256 · 16 words a block: 32 bits are enough within it.
    let mut word = thread::thread_idx_x();
    while word < count * units {
        let from = positions.get((word / units) as u64).to_u64();
        let (array, element, found) = if !inputs.is_none() {
            let input = inputs.holding(from, input_count);
            (inputs.payloads(input), from - inputs.first(input), true)
        } else if from < a_len {
            (a, from, true)
        } else {
            (b, from - a_len, from - a_len < b_len)
        };
        let fetched = if found { array.get(element * units as u64 + (word % units) as u64) } else { zeroed() };
        out.set(word as u64, fetched);
        if !found && !stray.is_null() {
            stray.fetch_min(0, base + (word / units) as u64, Ordering::Relaxed);
        }
        word += GATHER_THREADS;
    }
}
