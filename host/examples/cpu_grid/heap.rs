//! The merge that one writes first: the standard library's binary heap of the first elements.
use crate::lanes::{NOTHING, key, run};
use crate::runs::{RUNS, Runs};
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Merges by a heap.
///
/// # Panics
/// If `out` has not the length of all runs.
pub(crate) fn merge(runs: &Runs, out: &mut [u32]) {
    assert_eq!(out.len(), runs.len());
    let mut cursors = runs.cursors();
    let mut heap: BinaryHeap<_> =
        (0..RUNS).map(|run| cursors.next(run)).filter(|&element| element != NOTHING).map(Reverse).collect();
    for to in out {
        let Some(mut first) = heap.peek_mut() else { unreachable!("as many elements as places") };
        *to = key(first.0);
        match cursors.next(run(first.0)) {
            NOTHING => drop(PeekMut::pop(first)),
            next => first.0 = next,
        }
    }
}
