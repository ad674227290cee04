//! Typed views of the block's shared memory.
use super::super::access::Access;
use super::super::block::Thread;
use super::super::fault::FaultKind;
use crate::simt::Plain;
use core::marker::PhantomData;
use core::mem::size_of;
use core::panic::Location;

/// A typed view of `len` elements of the block's dynamic shared memory, from a byte offset.
#[derive(Clone, Copy)]
pub struct Shared<T> {
    offset: u32,
    len: u32,
    of: PhantomData<T>,
}

/// A position in a [`Shared`] view, carried as a byte address: what a loop over shared memory keeps in a register.
///
/// It remembers the bounds of its view, so an access past them is reported even inside the block's shared memory.
#[derive(Clone, Copy)]
pub struct SharedCursor<T> {
    at: u32,
    start: u32,
    end: u32,
    of: PhantomData<T>,
}

/// The alignment that one shared-memory instruction asks for: the size of the words that elements are moved in.
const fn natural<T>() -> u32 {
    crate::simt::word_bytes(size_of::<T>()) as u32
}

impl<T: Plain> Shared<T> {
    /// The view of `len` elements from byte `offset`, a multiple of the element's alignment.
    #[inline]
    pub fn new(offset: u32, len: u32) -> Self {
        Shared { offset, len, of: PhantomData }
    }

    /// The position of element `i`; one past the end is allowed.
    #[inline]
    pub fn at(self, i: u32) -> SharedCursor<T> {
        let size = size_of::<T>() as u32;
        SharedCursor {
            at: self.offset.wrapping_add(i.wrapping_mul(size)),
            start: self.offset,
            end: self.offset.saturating_add(self.len.saturating_mul(size)),
            of: PhantomData,
        }
    }

    /// As [`Shared::at`], for an access: an index so large that its address would wrap round into the view is refused.
    #[inline(always)]
    pub(super) fn element(self, i: u32, access: Access, place: &'static Location<'static>) -> *mut T {
        if i >= self.len {
            outside_view::<T>(self.offset, self.len, i as i64, place);
        }
        self.at(i).access(access, place)
    }

    /// Element `i`.
    ///
    /// # Safety
    /// `i` is inside the view, and no other thread writes it before the next barrier. Both are checked here.
    #[track_caller]
    #[inline]
    pub unsafe fn get(self, i: u32) -> T {
        // SAFETY: `element` checked the bounds and the alignment; only this OS thread touches the block's memory.
        unsafe { self.element(i, Access::Read, Location::caller()).read() }
    }

    /// Sets element `i`.
    ///
    /// # Safety
    /// `i` is inside the view, and no other thread accesses it before the next barrier. Both are checked here.
    #[track_caller]
    #[inline]
    pub unsafe fn set(self, i: u32, v: T) {
        // SAFETY: as in `get`.
        unsafe { self.element(i, Access::Write, Location::caller()).write(v) }
    }

    /// Starts copying element `j` of `src` to element `i` without passing through registers; the copy is done after
    /// [`async_copies_done`](super::thread::async_copies_done).
    ///
    /// # Safety
    /// As [`Shared::set`] and [`Global::get`](super::Global::get), until the copy is done.
    #[track_caller]
    #[inline]
    pub unsafe fn copy_async(self, i: u32, src: super::Global<T>, j: u64) {
        let place = Location::caller();
        // SAFETY: as in `set`; the global access checks itself. A plain value has no padding.
        unsafe {
            let value = src.get(j);
            if !matches!(size_of::<T>(), 4 | 8 | 16) {
                // There is no instruction for it: copied at once, as on the GPU.
                return self.element(i, Access::Write, place).write(value);
            }
            self.element(i, Access::Write, place);
            let bytes = core::slice::from_raw_parts((&raw const value).cast::<u8>(), size_of::<T>());
            Thread::current().start_copy(self.at(i).at, bytes, place);
        }
    }

    /// Elements `i..i + N`, in 16-byte loads where `N` elements fill them.
    ///
    /// # Safety
    /// As [`Shared::get`] for all of them, and element `i` is aligned to 16 bytes where `N * size_of::<T>()` is a
    /// multiple of 16.
    #[track_caller]
    #[inline]
    pub unsafe fn get_vector<const N: usize>(self, i: u32) -> [T; N] {
        let place = Location::caller();
        self.vector_aligned::<N>(i, place);
        core::array::from_fn(|k| {
            // SAFETY: as in `get`.
            unsafe { self.element(i.wrapping_add(k as u32), Access::Read, place).read() }
        })
    }

    /// Sets elements `i..i + N`, in 16-byte stores where `N` elements fill them.
    ///
    /// # Safety
    /// As [`Shared::set`] for all of them, and the alignment of [`Shared::get_vector`].
    #[track_caller]
    #[inline]
    pub unsafe fn set_vector<const N: usize>(self, i: u32, v: [T; N]) {
        let place = Location::caller();
        self.vector_aligned::<N>(i, place);
        for (k, v) in v.into_iter().enumerate() {
            // SAFETY: as in `get`.
            unsafe { self.element(i.wrapping_add(k as u32), Access::Write, place).write(v) }
        }
    }

    /// Reports a vector access that the GPU would refuse.
    #[inline(always)]
    fn vector_aligned<const N: usize>(self, i: u32, place: &'static Location<'static>) {
        let wide = size_of::<T>() >= 4 && 16 % size_of::<T>() == 0 && (N * size_of::<T>()).is_multiple_of(16);
        if wide && !self.at(i).at.is_multiple_of(16) {
            misaligned(self.at(i).at, 16, place);
        }
    }
}

impl<T: Plain> SharedCursor<T> {
    /// Checks an access here and gives its address.
    #[inline(always)]
    pub(super) fn access(self, access: Access, place: &'static Location<'static>) -> *mut T {
        let thread = Thread::current();
        let block = thread.block();
        let size = size_of::<T>() as u32;
        let end = self.at as u64 + size as u64;
        if self.at < self.start || end > self.end as u64 {
            let index = (self.at as i64 - self.start as i64).div_euclid(size as i64);
            outside_view::<T>(self.start, (self.end - self.start) / size, index, place);
        }
        if end > block.shared_len.get() as u64 {
            outside_block(self.at, size, place);
        }
        if !self.at.is_multiple_of(natural::<T>()) {
            misaligned(self.at, natural::<T>(), place);
        }
        if block.checks.get() {
            if thread.copies.any() {
                thread.check_copies(self.at, size, access, place);
            }
            block.check_shared(thread, self.at, size, access, place);
        }
        // SAFETY: the end is inside the block's shared memory.
        unsafe { block.shared.get().add(self.at as usize) as *mut T }
    }

    /// The element here.
    ///
    /// # Safety
    /// As [`Shared::get`].
    #[track_caller]
    #[inline]
    pub unsafe fn read(self) -> T {
        // SAFETY: as in `Shared::get`.
        unsafe { self.access(Access::Read, Location::caller()).read() }
    }

    /// Sets the element here.
    ///
    /// # Safety
    /// As [`Shared::set`].
    #[track_caller]
    #[inline]
    pub unsafe fn write(self, v: T) {
        // SAFETY: as in `Shared::get`.
        unsafe { self.access(Access::Write, Location::caller()).write(v) }
    }

    /// The same position; on the GPU, its address stays in a register from here on.
    #[inline]
    pub fn pinned(self) -> Self {
        self
    }

    /// `n` elements further.
    #[inline]
    pub fn offset(self, n: u32) -> Self {
        SharedCursor { at: self.at.wrapping_add(n.wrapping_mul(size_of::<T>() as u32)), ..self }
    }
}

impl<T> SharedCursor<T> {
    /// Elements from `origin`, a position of the same view that is not behind this one.
    #[inline(always)]
    pub fn distance(self, origin: Self) -> u32 {
        self.at.wrapping_sub(origin.at) / size_of::<T>() as u32
    }
}

impl<T> PartialEq for SharedCursor<T> {
    #[inline]
    fn eq(&self, o: &Self) -> bool {
        self.at == o.at
    }
}

impl<T> PartialOrd for SharedCursor<T> {
    #[inline]
    fn partial_cmp(&self, o: &Self) -> Option<core::cmp::Ordering> {
        self.at.partial_cmp(&o.at)
    }
}

#[cold]
#[inline(never)]
fn outside_view<T>(start: u32, len: u32, index: i64, place: &'static Location<'static>) -> ! {
    let size = size_of::<T>();
    let text = format!("shared element {index}, but the view at byte {start} has {len} elements of {size} bytes");
    Thread::current().fault(FaultKind::OutOfBounds, place, None, text)
}

#[cold]
#[inline(never)]
fn outside_block(at: u32, size: u32, place: &'static Location<'static>) -> ! {
    let thread = Thread::current();
    let have = thread.block().shared_len.get();
    let text = format!("shared bytes {at}..{}, but the launch gave the block {have} bytes", at as u64 + size as u64);
    thread.fault(FaultKind::OutOfBounds, place, None, text)
}

#[cold]
#[inline(never)]
fn misaligned(at: u32, align: u32, place: &'static Location<'static>) -> ! {
    let text = format!("shared byte {at} is not a multiple of {align}, which this access needs");
    Thread::current().fault(FaultKind::Misaligned, place, None, text)
}
