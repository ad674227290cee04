//! Typed pointers into device memory.
use super::super::access::Access;
use super::super::block::Thread;
use super::super::memory::{self, Allocation, BadAccess};
use super::raw;
use crate::simt::Plain;
use core::marker::PhantomData;
use core::mem::{align_of, size_of};
use core::panic::Location;

/// A typed pointer into device memory. It keeps the bounds of its allocation, and every access is held against them.
#[derive(Clone, Copy)]
pub struct Global<T> {
    address: u64,
    /// None for an address that was in no allocation when the pointer was made.
    allocation: Option<&'static Allocation>,
    /// The allocation's generation at that time: another one now means that the memory was freed.
    generation: u32,
    of: PhantomData<T>,
}

impl<T: Plain> Global<T> {
    /// The pointer that points nowhere.
    #[inline]
    pub const fn null() -> Self {
        Global { address: 0, allocation: None, generation: 0, of: PhantomData }
    }

    /// Whether this is [`Global::null`].
    #[inline]
    pub fn is_null(self) -> bool {
        self.address == 0
    }

    /// The pointer with this address, as [`emulator::allocate`](crate::simt::emulator::allocate) gave it or inside such
    /// memory. The allocation is looked up here, once.
    pub fn from_address(address: u64) -> Self {
        if address == 0 {
            return Self::null();
        }
        match Thread::argument(address).or_else(|| memory::find(address)) {
            Some((allocation, generation)) => {
                Global { address, allocation: Some(allocation), generation, of: PhantomData }
            }
            None => Global { address, allocation: None, generation: 0, of: PhantomData },
        }
    }

    /// The address.
    #[inline]
    pub fn address(self) -> u64 {
        self.address
    }

    /// `n` elements further.
    #[inline]
    pub fn offset(self, n: u64) -> Self {
        Global { address: self.address.wrapping_add(n.wrapping_mul(size_of::<T>() as u64)), ..self }
    }

    /// The same address, seen as elements of another type.
    #[inline]
    pub fn cast<U: Plain>(self) -> Global<U> {
        Global { address: self.address, allocation: self.allocation, generation: self.generation, of: PhantomData }
    }

    /// The allocation that the pointer was made in.
    #[inline]
    pub(super) fn allocation(self) -> Option<&'static Allocation> {
        self.allocation
    }

    /// Checks an access to `count` elements from `i`, to be made at once, and gives their address.
    #[inline(always)]
    pub(super) fn access(
        self,
        i: u64,
        count: usize,
        align: usize,
        access: Access,
        place: &'static Location<'static>,
    ) -> *mut T {
        let thread = Thread::current();
        let size = (count * size_of::<T>()) as u64;
        let address = self.address.wrapping_add(i.wrapping_mul(size_of::<T>() as u64));
        let Some(allocation) = self.allocation else {
            memory::no_allocation(thread, address, place);
        };
        let offset = address.wrapping_sub(allocation.start());
        let len = allocation.len();
        // The index bound keeps the product above from wrapping round into the allocation.
        if allocation.generation() != self.generation
            || i >> 48 != 0
            || size > len
            || offset > len - size
            || !address.is_multiple_of(align as u64)
        {
            let generation = self.generation;
            let align = align as u64;
            memory::bad_access(thread, BadAccess { allocation, generation, address, size, align, index: i }, place);
        }
        allocation.check(thread, offset, size, access, place);
        address as usize as *mut T
    }

    /// Element `i`.
    ///
    /// # Safety
    /// It is inside the allocation, and no other thread writes it without synchronisation. Both are checked here.
    #[track_caller]
    #[inline]
    pub unsafe fn get(self, i: u64) -> T {
        // SAFETY: `access` checked the bounds and the alignment.
        unsafe { raw::load(self.access(i, 1, align_of::<T>(), Access::Read, Location::caller())) }
    }

    /// Sets element `i`.
    ///
    /// # Safety
    /// It is inside the allocation, and no other thread accesses it without synchronisation. Both are checked here.
    #[track_caller]
    #[inline]
    pub unsafe fn set(self, i: u64, v: T) {
        // SAFETY: as in `get`.
        unsafe { raw::store(self.access(i, 1, align_of::<T>(), Access::Write, Location::caller()), v) }
    }

    /// The alignment that a vector of `N` elements needs.
    const fn vector_align<const N: usize>() -> usize {
        match N * size_of::<T>() {
            wide @ (8 | 16) => wide,
            _ => align_of::<T>(),
        }
    }

    /// Elements `i..i + N` by wide loads.
    ///
    /// # Safety
    /// As [`Global::get`], and element `i` is aligned to `N * size_of::<T>()` bytes, which are at most 16.
    #[track_caller]
    #[inline]
    pub unsafe fn get_vector<const N: usize>(self, i: u64) -> [T; N] {
        let p = self.access(i, N, Self::vector_align::<N>(), Access::Read, Location::caller());
        // SAFETY: as in `get`, for all N elements.
        core::array::from_fn(|k| unsafe { raw::load(p.add(k)) })
    }

    /// Sets elements `i..i + N` by wide stores.
    ///
    /// # Safety
    /// As [`Global::set`], and the alignment of [`Global::get_vector`].
    #[track_caller]
    #[inline]
    pub unsafe fn set_vector<const N: usize>(self, i: u64, v: [T; N]) {
        let p = self.access(i, N, Self::vector_align::<N>(), Access::Write, Location::caller());
        for (k, v) in v.into_iter().enumerate() {
            // SAFETY: as in `get`, for all N elements.
            unsafe { raw::store(p.add(k), v) }
        }
    }

    /// The alignment of a load or store with a cache hint: one instruction for 4 and 8 bytes.
    const fn hinted_align() -> usize {
        match size_of::<T>() {
            one @ (4 | 8) => one,
            _ => align_of::<T>(),
        }
    }
}

macro_rules! hinted {
    ($($load:ident $ld:literal, $store:ident $st:literal: $what:literal;)*) => {
        impl<T: Plain> Global<T> { $(
            #[doc = concat!("[`Global::get`] with the cache hint `", $ld, "`: ", $what, ".")]
            ///
            /// # Safety
            /// As [`Global::get`].
            #[track_caller]
            #[inline]
            pub unsafe fn $load(self, i: u64) -> T {
                // SAFETY: as in `get`.
                unsafe { raw::load(self.access(i, 1, Self::hinted_align(), Access::Read, Location::caller())) }
            }
            #[doc = concat!("[`Global::set`] with the cache hint `", $st, "`: ", $what, ".")]
            ///
            /// # Safety
            /// As [`Global::set`].
            #[track_caller]
            #[inline]
            pub unsafe fn $store(self, i: u64, v: T) {
                // SAFETY: as in `get`.
                unsafe { raw::store(self.access(i, 1, Self::hinted_align(), Access::Write, Location::caller()), v) }
            }
        )* }
    };
}
hinted! {
    get_streaming "cs", set_streaming "cs": "touched once, evict it first";
    get_cached "ca", set_write_back "wb": "keep it in the nearest cache";
    get_l2 "cg", set_l2 "cg": "keep it in L2 only";
}
