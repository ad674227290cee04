//! The first k of long rows: a block walks a row once, and keeps the best it has seen.
//!
//! The best are in shared memory, behind them the keys that came before the k-th best of them when they were read. When the
//! buffer is full the block sorts it, drops all but the first k, and has a new k-th best. Of random keys fewer and fewer
//! pass: k ln(n / k) or so of n. Of keys in the worst order all pass, and each is sorted once in a buffer of some times k.
//! Which keys pass when depends on which warp comes first, but what the row's first k are does not.
//!
//! More than half a buffer is taken in rounds, each of which reads the row again and looks for what follows the last
//! element of the round before.
use super::order::{Candidate, Selectable};
use super::segments::sort_segments;
use super::window::{Buffer, Span, Window};
use super::{Input, Output};
use crate::order::Order;
use crate::simt::{Shared, thread};
use crate::tile::element::{Cursor, Element};

/// Bytes of shared memory of a block.
pub const fn shared_bytes<K: Selectable>(capacity: u32) -> u32 {
    capacity * <Candidate<K> as Element>::BYTES + 8
}

/// The most results of one round.
pub const fn round(capacity: u32) -> u32 {
    capacity / 2
}

/// Finds the first `k` elements of each slice of each row, in order. A row has `slices` slices of `slice` keys, the last of
/// which may have fewer; block b begins with slice b. Results of a slice are `k` behind those of the one before it, and fewer
/// where it has fewer keys.
///
/// `room` is the buffer's size in elements, a power of two from twice the results of a round on up to `CAPACITY`.
///
/// # Safety
/// The block has `THREADS` threads and [`shared_bytes`]; a slice has 1 to 2^30 keys; the input is there, and the output
/// has room for all results and does not overlap it.
#[inline(always)]
pub unsafe fn stream<K: Selectable, const THREADS: u32, const VECTORS: usize, const CAPACITY: u32>(
    input: Input<K>,
    slices: u32,
    slice: u64,
    k: u64,
    room: u32,
    output: Output<K>,
    codec: K::Codec,
) {
    // Says the caller: without this the divisions below keep a panic.
    core::hint::assert_unchecked(slices > 0);
    let t = thread::thread_idx_x();
    let view = Candidate::<K>::view(CAPACITY);
    let words = Shared::<u32>::new(CAPACITY * <Candidate<K> as Element>::BYTES, 2);
    let buffer = Buffer { words, limit: room };
    let element = |key: K, at: u32| Candidate::<K>::new(key.widen(), at);
    let key_of = |e: Candidate<K>| K::narrow(e.key());
    let tasks = input.rows * slices as u64;
    let mut task = thread::block_idx_x() as u64;
    while task < tasks {
        let (row, s) = (task / slices as u64, task % slices as u64);
        let start = s * slice;
        let left = input.columns - start;
        let len = (if left < slice { left } else { slice }) as u32;
        let span = Span::new(input.keys.offset(row * input.stride + start), len);
        let total = if k < len as u64 { k as u32 } else { len };
        let mut out = row * output.stride + s * k;

        let mut done = 0;
        // Of the round before; nothing is before the pad, which is after everything.
        let mut last = Candidate::<K>::end();
        while done < total {
            let many = if total - done < round(CAPACITY) { total - done } else { round(CAPACITY) };
            // The best so far of that rank.
            let mut bound = Candidate::<K>::end();
            let mut window = Window::<K, THREADS, VECTORS>::new(span);
            if t == 0 {
                buffer.reset(0);
            }
            thread::sync_threads();
            loop {
                let bound_key = key_of(bound);
                let bound_at = bound.tag();
                window.advance(
                    codec,
                    buffer,
                    // Behind the bound's position a key must come before it, up to there it may tie.
                    |first, at| first.before(bound_key) || (at <= bound_at && !bound_key.before(first)),
                    |key, at| {
                        let e = element(key, at);
                        e.before(bound) && (done == 0 || last.before(e))
                    },
                    |place, key, at| Candidate::<K>::set(view, place, element(key, at)),
                );
                thread::sync_threads();
                let (filled, more) = (buffer.filled(), buffer.overflowed());
                let len = if filled < 2 { 2 } else { filled.next_power_of_two() };
                let mut i = filled + t;
                while i < len {
                    Candidate::<K>::set(view, i, Candidate::<K>::end());
                    i += THREADS;
                }
                thread::sync_threads();
                sort_segments::<Candidate<K>, THREADS>(view, len, len);
                thread::sync_threads();
                if filled >= many {
                    bound = Candidate::<K>::at(view, many - 1).read();
                }
                if t == 0 {
                    buffer.reset(if filled < many { filled } else { many });
                }
                if !more {
                    break;
                }
                thread::sync_threads();
            }
            let mut i = t;
            while i < many {
                let e = Candidate::<K>::at(view, i).read();
                let at = start + e.tag() as u64;
                let index = if input.indices.is_null() { at } else { input.indices.get(row * input.stride + at) };
                output.set(out + i as u64, key_of(e).decode(codec), index);
                i += THREADS;
            }
            last = bound;
            done += many;
            out += many as u64;
            // The barrier before the next reading keeps the buffer until all have read it.
        }
        task += thread::grid_dim_x() as u64;
    }
}
