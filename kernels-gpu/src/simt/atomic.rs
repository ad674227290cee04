//! Atomic operations on global and shared memory, with their orderings.
//!
//! Operations on [`Global`](super::Global) memory act at device scope, those on [`Shared`](super::Shared) memory at
//! block scope. An ordering is a constant at each call, so each call is one instruction.
use super::Word;
pub use core::sync::atomic::Ordering;

/// Memory that atomic instructions work on: a [`Global`](super::Global) pointer or a [`Shared`](super::Shared) view of 32- or 64-bit words.
pub trait Atomic<T: Word>: Copy {
    /// Adds, wrapping; returns the value before.
    ///
    /// # Safety
    /// Element `i` is inside the memory, and every concurrent access to it is atomic.
    unsafe fn fetch_add(self, i: u64, v: T, order: Ordering) -> T;
    /// Takes the minimum; returns the value before.
    ///
    /// # Safety
    /// As [`Atomic::fetch_add`].
    unsafe fn fetch_min(self, i: u64, v: T, order: Ordering) -> T;
    /// Takes the maximum; returns the value before.
    ///
    /// # Safety
    /// As [`Atomic::fetch_add`].
    unsafe fn fetch_max(self, i: u64, v: T, order: Ordering) -> T;
    /// Sets the bits of `v`; returns the value before.
    ///
    /// # Safety
    /// As [`Atomic::fetch_add`].
    unsafe fn fetch_or(self, i: u64, v: T, order: Ordering) -> T;
    /// Stores `v`; returns the value before.
    ///
    /// # Safety
    /// As [`Atomic::fetch_add`].
    unsafe fn exchange(self, i: u64, v: T, order: Ordering) -> T;
    /// Stores `new` where the value is `current`; returns the value before.
    ///
    /// # Safety
    /// As [`Atomic::fetch_add`].
    unsafe fn compare_exchange(self, i: u64, current: T, new: T, order: Ordering) -> T;
    /// Loads; `order` is `Relaxed` or `Acquire`.
    ///
    /// # Safety
    /// As [`Atomic::fetch_add`].
    unsafe fn load(self, i: u64, order: Ordering) -> T;
    /// Stores; `order` is `Relaxed` or `Release`.
    ///
    /// # Safety
    /// As [`Atomic::fetch_add`].
    unsafe fn store(self, i: u64, v: T, order: Ordering);
}
