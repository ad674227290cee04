//! Reads an array once and puts the elements that are not after a pivot into a list, in any order.
//!
//! Each block gathers in shared memory and takes places in the list for all it has at once: additions to one counter, one by
//! one for each warp's find, would take as long as reading the array.
use super::order::{Composite, Selectable, Wide};
use super::state::{self, COUNTS, INDEX, has_failed, listed};
use super::window::{Buffer, Span, Window};
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Shared, thread};

/// A list that elements go to.
#[derive(Clone, Copy)]
pub struct Target<C> {
    /// Its elements.
    pub elements: Global<C>,
    /// How many it has room for. More are counted, not stored.
    pub capacity: u64,
    /// The state, which counts them.
    pub state: Global<u64>,
    /// The list's number.
    pub list: u32,
}

/// Bytes of shared memory of a block.
pub const fn shared_bytes<C>(room: u32) -> u32 {
    room * size_of::<C>() as u32 + 16
}

/// Filters an array, block b its piece of `slice` keys number b. Where `exact`, nothing unless a sample misled, and the pivot
/// is what was found digit by digit.
///
/// # Safety
/// The block has `THREADS` threads and [`shared_bytes`]; a piece has 1 to 2^30 keys; the arrays are there, the target in
/// state.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn of_keys<K, C, const THREADS: u32, const VECTORS: usize, const ROOM: u32>(
    keys: Global<K>,
    n: u64,
    slice: u64,
    pivot: Global<C>,
    exact: u32,
    target: Target<C>,
    codec: K::Codec,
) where
    K: Selectable,
    C: Composite<K>,
{
    if exact != 0 && !has_failed(target.state) {
        return;
    }
    let pivot = if exact != 0 {
        let key = K::narrow(K::Wide::of_bits(state::key(target.state)));
        C::compose(key, target.state.get(INDEX))
    } else {
        pivot.get(0)
    };
    let start = thread::block_idx_x() as u64 * slice;
    let compose = |key: K, at: u32| C::compose(key, start + at as u64);
    sift::<K, C, THREADS, VECTORS, ROOM>(keys, n, slice, (pivot, pivot.key()), compose, target, codec);
}

/// Filters a list of elements, number `from`, which has room for `capacity`. Blocks behind its end do nothing.
///
/// # Safety
/// As [`of_keys`].
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn of_list<C: Selectable, const THREADS: u32, const VECTORS: usize, const ROOM: u32>(
    elements: Global<C>,
    from: u32,
    capacity: u64,
    slice: u64,
    pivot: Global<C>,
    target: Target<C>,
    codec: C::Codec,
) {
    let n = listed(target.state, from, capacity);
    if thread::block_idx_x() as u64 * slice >= n {
        return;
    }
    let pivot = pivot.get(0);
    sift::<C, C, THREADS, VECTORS, ROOM>(elements, n, slice, (pivot, pivot), |element, _| element, target, codec);
}

/// Filters a block's piece. The pivot comes with its key.
///
/// # Safety
/// As [`of_keys`]; the piece has a key.
#[inline(always)]
unsafe fn sift<K: Selectable, C: Selectable, const THREADS: u32, const VECTORS: usize, const ROOM: u32>(
    keys: Global<K>,
    n: u64,
    slice: u64,
    (pivot, pivot_key): (C, K),
    compose: impl Fn(K, u32) -> C,
    target: Target<C>,
    codec: K::Codec,
) {
    let t = thread::thread_idx_x();
    let gathered = Shared::<C>::new(0, ROOM);
    let words = ROOM * size_of::<C>() as u32;
    let first = Shared::<u64>::new(words + 8, 1);
    let buffer = Buffer { words: Shared::new(words, 2), limit: ROOM };
    let start = thread::block_idx_x() as u64 * slice;
    let left = n - start;
    let span = Span::new(keys.offset(start), (if left < slice { left } else { slice }) as u32);
    let mut window = Window::<K, THREADS, VECTORS>::new(span);
    if t == 0 {
        buffer.reset(0);
    }
    thread::sync_threads();
    loop {
        window.advance(
            codec,
            buffer,
            |first, _| !pivot_key.before(first),
            |key, at| !pivot.before(compose(key, at)),
            |place, key, at| gathered.set(place, compose(key, at)),
        );
        thread::sync_threads();
        let (filled, more) = (buffer.filled(), buffer.overflowed());
        if t == 0 {
            first.set(0, target.state.fetch_add(COUNTS + target.list as u64, filled as u64, Ordering::Relaxed));
        }
        thread::sync_threads();
        if t == 0 {
            buffer.reset(0);
        }
        let place = first.get(0);
        let mut i = t;
        while i < filled {
            if place + (i as u64) < target.capacity {
                target.elements.set(place + i as u64, gathered.get(i));
            }
            i += THREADS;
        }
        if !more {
            return;
        }
        thread::sync_threads();
    }
}
