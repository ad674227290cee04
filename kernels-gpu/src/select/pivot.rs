//! Draws a sample of elements, and takes one of them that comes after the first k but not after many more.
use super::order::{Composite, Selectable};
use super::state::{listed, pivot_rank};
use crate::network::Shuffle;
use crate::order::Key;
use crate::sample::splitters::drawn;
use crate::simt::{Global, WARP, thread};
use crate::tile::element::{Cursor, Element};
use crate::tile::warp_sort;

/// Bytes of shared memory of a block.
pub const fn shared_bytes<C: Key>(threads: u32, slots: u32) -> u32 {
    threads * slots * <C::Sorted as Element>::BYTES
}

/// A pivot of an array.
///
/// # Safety
/// One block of `THREADS` threads with [`shared_bytes`]; the array has `n` keys, at least one; `pivot` has room for one.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn of_keys<K: Selectable, C: Composite<K>, const THREADS: u32, const ITEMS: usize, const SLOTS: usize>(
    keys: Global<K>,
    n: u64,
    k: u64,
    seed: u64,
    pivot: Global<C>,
    codec: K::Codec,
) where
    C::Sorted: Shuffle,
{
    let element = |i: u32| {
        let at = drawn(seed, 0, 0, i, n);
        C::compose(keys.get(at).encode(codec), at)
    };
    choose::<C, THREADS, ITEMS, SLOTS>(element, n, k, pivot);
}

/// A pivot of a list of elements.
///
/// # Safety
/// As [`of_keys`], of list number `list`, which has room for `capacity`.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn of_list<C: Selectable, const THREADS: u32, const ITEMS: usize, const SLOTS: usize>(
    elements: Global<C>,
    state: Global<u64>,
    list: u32,
    capacity: u64,
    k: u64,
    seed: u64,
    pivot: Global<C>,
) where
    C::Sorted: Shuffle,
{
    let n = listed(state, list, capacity);
    let element = |i: u32| if n > 0 { elements.get(drawn(seed, 1 + list, 0, i, n)) } else { C::pad() };
    choose::<C, THREADS, ITEMS, SLOTS>(element, n, k, pivot);
}

/// Sorts the samples, and takes the one of the pivot's rank; where no sample has it, what comes after everything.
///
/// # Safety
/// As [`of_keys`].
#[inline(always)]
unsafe fn choose<C: Selectable, const THREADS: u32, const ITEMS: usize, const SLOTS: usize>(
    element: impl Fn(u32) -> C,
    n: u64,
    k: u64,
    pivot: Global<C>,
) where
    C::Sorted: Shuffle,
{
    let t = thread::thread_idx_x();
    let view = C::Sorted::view(THREADS * SLOTS as u32);
    let mut v = [C::Sorted::pad(0); ITEMS];
    for i in 0..ITEMS {
        let place = t / WARP * WARP * ITEMS as u32 + i as u32 * WARP + t % WARP;
        v[i] = C::Sorted::at_position(element(place), place);
    }
    warp_sort::sort::<C::Sorted, THREADS, ITEMS, SLOTS>(view, v);
    thread::sync_threads();
    if t == 0 {
        let samples = THREADS * ITEMS as u32;
        let rank = pivot_rank(k, samples as u64, n);
        let last = C::Sorted::pad(0).key();
        pivot.set(0, if rank < samples as u64 { C::Sorted::at(view, rank as u32).read().key() } else { last });
    }
}
