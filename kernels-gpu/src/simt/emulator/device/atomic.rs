//! Atomic instructions: device scope on global memory, block scope on shared memory.
//!
//! The host's own atomics carry them out, always at their strongest, so a kernel whose ordering is too weak still
//! computes what it would on a kind machine; what it forgot shows as a race of the accesses it was to order.
use super::super::access::Access;
use super::super::block::Thread;
use super::super::sync::{Order, Step};
use super::{Global, Shared};
use crate::simt::atomic::{Atomic, Ordering};
use core::mem::size_of;
use core::panic::Location;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering::SeqCst};

type Place = &'static Location<'static>;

macro_rules! atomic_impl {
    ($memory:ident, $t:ty, $atomic:ty) => {
        impl $memory<$t> {
            /// One atomic operation on element `i`: `run` gives the value before, and `then` the value that the
            /// operation makes of it, None where it writes nothing.
            #[inline]
            fn atomic(
                self,
                i: u64,
                order: Order,
                place: Place,
                run: impl FnOnce(&$atomic) -> $t,
                then: impl FnOnce($t) -> Option<$t>,
            ) -> $t {
                let thread = Thread::current();
                thread.before_atomic(place);
                let access = match order.step {
                    Step::Load => Access::AtomicLoad,
                    Step::Store => Access::AtomicStore,
                    Step::Update => Access::AtomicUpdate,
                };
                let p = self.atomic_address(i, access, place);
                // SAFETY: the access checked bounds and alignment; the memory outlives the launch.
                let word = unsafe { &*(p as *const $atomic) };
                let mut changed = false;
                let (old, _) = self.synchronise(thread, p as usize as u64, order, || {
                    let old = run(word);
                    let new = then(old);
                    changed = new.is_some_and(|new| new != old);
                    (old, new.is_some())
                });
                thread.after_atomic(changed);
                old
            }
            #[inline]
            fn update(
                self,
                i: u64,
                order: Ordering,
                place: Place,
                run: impl FnOnce(&$atomic) -> $t,
                then: impl FnOnce($t) -> $t,
            ) -> $t {
                self.atomic(i, Order::new(Step::Update, order), place, run, |old| Some(then(old)))
            }
        }
        impl Atomic<$t> for $memory<$t> {
            #[track_caller]
            #[inline]
            unsafe fn fetch_add(self, i: u64, v: $t, order: Ordering) -> $t {
                self.update(i, order, Location::caller(), |a| a.fetch_add(v, SeqCst), |old| old.wrapping_add(v))
            }
            #[track_caller]
            #[inline]
            unsafe fn fetch_min(self, i: u64, v: $t, order: Ordering) -> $t {
                self.update(i, order, Location::caller(), |a| a.fetch_min(v, SeqCst), |old| old.min(v))
            }
            #[track_caller]
            #[inline]
            unsafe fn fetch_max(self, i: u64, v: $t, order: Ordering) -> $t {
                self.update(i, order, Location::caller(), |a| a.fetch_max(v, SeqCst), |old| old.max(v))
            }
            #[track_caller]
            #[inline]
            unsafe fn fetch_or(self, i: u64, v: $t, order: Ordering) -> $t {
                self.update(i, order, Location::caller(), |a| a.fetch_or(v, SeqCst), |old| old | v)
            }
            #[track_caller]
            #[inline]
            unsafe fn exchange(self, i: u64, v: $t, order: Ordering) -> $t {
                self.update(i, order, Location::caller(), |a| a.swap(v, SeqCst), |_| v)
            }
            #[track_caller]
            #[inline]
            unsafe fn compare_exchange(self, i: u64, current: $t, new: $t, order: Ordering) -> $t {
                self.atomic(
                    i,
                    Order::new(Step::Update, order),
                    Location::caller(),
                    |a| a.compare_exchange(current, new, SeqCst, SeqCst).unwrap_or_else(|old| old),
                    |old| (old == current).then_some(new),
                )
            }
            #[track_caller]
            #[inline]
            unsafe fn load(self, i: u64, order: Ordering) -> $t {
                let place = Location::caller();
                self.atomic(i, Order::new(Step::Load, order), place, |a| a.load(SeqCst), |_| None)
            }
            #[track_caller]
            #[inline]
            unsafe fn store(self, i: u64, v: $t, order: Ordering) {
                let place = Location::caller();
                self.atomic(i, Order::new(Step::Store, order), place, |a| a.swap(v, SeqCst), |_| Some(v));
            }
        }
    };
}
atomic_impl!(Global, u32, AtomicU32);
atomic_impl!(Global, u64, AtomicU64);
atomic_impl!(Shared, u32, AtomicU32);
atomic_impl!(Shared, u64, AtomicU64);

macro_rules! spaces {
    ($t:ty) => {
        impl Global<$t> {
            #[inline]
            fn atomic_address(self, i: u64, access: Access, place: Place) -> *mut $t {
                self.access(i, 1, size_of::<$t>(), access, place)
            }
            #[inline]
            fn synchronise<R>(
                self,
                thread: &Thread,
                address: u64,
                order: Order,
                run: impl FnOnce() -> (R, bool),
            ) -> (R, bool) {
                match self.allocation() {
                    Some(allocation) => allocation.locations().perform(thread, address, order, run),
                    None => run(),
                }
            }
        }
        impl Shared<$t> {
            #[inline]
            fn atomic_address(self, i: u64, access: Access, place: Place) -> *mut $t {
                // An index of more than 32 bits is outside any view, as u32::MAX is.
                self.element(u32::try_from(i).unwrap_or(u32::MAX), access, place)
            }
            #[inline]
            fn synchronise<R>(
                self,
                thread: &Thread,
                address: u64,
                order: Order,
                run: impl FnOnce() -> (R, bool),
            ) -> (R, bool) {
                thread.block().locations.perform(thread, address, order, run)
            }
        }
    };
}
spaces!(u32);
spaces!(u64);
