//! What is done with a list of elements before and after it is sorted.
use super::Output;
use super::order::{Composite, Selectable};
use super::state::listed;
use crate::simt::{Global, thread};

/// Fills the rest of a list with what sorts behind its elements, so that a sort whose length the host must know sorts them.
///
/// # Safety
/// The grid has a thread for each element of the list's room.
#[inline(always)]
pub unsafe fn pad<C: Selectable>(elements: Global<C>, state: Global<u64>, list: u32, capacity: u64) {
    let i = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
    if i >= listed(state, list, capacity) && i < capacity {
        elements.set(i, C::pad());
    }
}

/// Takes the first `k` elements of a sorted list apart.
///
/// # Safety
/// The grid has a thread for each; list and output have as many.
#[inline(always)]
pub unsafe fn emit<K: Selectable, C: Composite<K>>(elements: Global<C>, k: u64, output: Output<K>, codec: K::Codec) {
    let i = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
    if i < k {
        let element = elements.get(i);
        output.set(i, element.key().decode(codec), element.index());
    }
}
