//! Typed pointers into device memory.
use crate::simt::Plain;
use core::arch::asm;
use core::mem::{align_of, size_of, transmute_copy};

/// A typed pointer into device memory. As a kernel's parameter it compiles to `ld.global`/`st.global`.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Global<T> {
    pub(super) pointer: *mut T,
}

impl<T: Plain> Global<T> {
    /// The pointer that points nowhere.
    #[inline(always)]
    pub const fn null() -> Self {
        Global { pointer: core::ptr::null_mut() }
    }
    /// The pointer with this address, which a kernel has read rather than been given. Such pointers compile to generic loads
    /// and stores.
    #[inline(always)]
    pub fn from_address(address: u64) -> Self {
        Global { pointer: core::ptr::with_exposed_provenance_mut(address as usize) }
    }
    /// The address.
    #[inline(always)]
    pub fn address(self) -> u64 {
        self.pointer.expose_provenance() as u64
    }
    /// Whether this is [`Global::null`].
    #[inline(always)]
    pub fn is_null(self) -> bool {
        self.pointer.is_null()
    }
    /// `n` elements further.
    #[inline(always)]
    pub fn offset(self, n: u64) -> Self {
        Global { pointer: self.pointer.wrapping_add(n as usize) }
    }
    /// The same address, seen as elements of another type.
    #[inline(always)]
    pub fn cast<U: Plain>(self) -> Global<U> {
        Global { pointer: self.pointer.cast() }
    }
    /// Element `i`.
    ///
    /// # Safety
    /// It is inside the allocation, and no other thread writes it without synchronisation.
    #[inline(always)]
    pub unsafe fn get(self, i: u64) -> T {
        let pointer = self.pointer.add(i as usize);
        // A struct of two 64-bit fields says less of its alignment than `Plain` does: one instruction will do.
        match size_of::<T>() {
            8 if align_of::<T>() < 8 => transmute_copy(&*(pointer as *const Align8)),
            16 if align_of::<T>() < 16 => transmute_copy(&*(pointer as *const Align16)),
            32 if align_of::<T>() < 16 => transmute_copy(&*(pointer as *const [Align16; 2])),
            _ => *pointer,
        }
    }
    /// Sets element `i`.
    ///
    /// # Safety
    /// It is inside the allocation, and no other thread accesses it without synchronisation.
    #[inline(always)]
    pub unsafe fn set(self, i: u64, v: T) {
        let pointer = self.pointer.add(i as usize);
        match size_of::<T>() {
            8 if align_of::<T>() < 8 => *(pointer as *mut Align8) = transmute_copy(&v),
            16 if align_of::<T>() < 16 => *(pointer as *mut Align16) = transmute_copy(&v),
            32 if align_of::<T>() < 16 => *(pointer as *mut [Align16; 2]) = transmute_copy(&v),
            _ => *pointer = v,
        }
    }
    /// Elements `i..i + N` by wide loads.
    ///
    /// # Safety
    /// As [`Global::get`], and element `i` is aligned to `N * size_of::<T>()` bytes, which are at most 16.
    #[inline(always)]
    pub unsafe fn get_vector<const N: usize>(self, i: u64) -> [T; N] {
        match N * size_of::<T>() {
            8 => transmute_copy(&*(self.pointer.add(i as usize) as *const Align8)),
            16 => transmute_copy(&*(self.pointer.add(i as usize) as *const Align16)),
            _ => core::array::from_fn(|k| self.get(i + k as u64)),
        }
    }
    /// Sets elements `i..i + N` by wide stores.
    ///
    /// # Safety
    /// As [`Global::set`], and the alignment of [`Global::get_vector`].
    #[inline(always)]
    pub unsafe fn set_vector<const N: usize>(self, i: u64, v: [T; N]) {
        match N * size_of::<T>() {
            8 => *(self.pointer.add(i as usize) as *mut Align8) = transmute_copy(&v),
            16 => *(self.pointer.add(i as usize) as *mut Align16) = transmute_copy(&v),
            _ => {
                let mut k = 0;
                while k < N {
                    self.set(i + k as u64, v[k]);
                    k += 1;
                }
            }
        }
    }
}

#[derive(Clone, Copy)]
#[repr(C, align(8))]
struct Align8([u32; 2]);
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Align16([u32; 4]);

macro_rules! hinted {
    ($($load:ident $ld:literal, $store:ident $st:literal: $what:literal;)*) => {
        impl<T: Plain> Global<T> { $(
            #[doc = concat!("[`Global::get`] with the cache hint `", $ld, "`: ", $what, ". Types of 4 and 8 bytes; others load plainly.")]
            ///
            /// # Safety
            /// As [`Global::get`].
            #[inline(always)]
            pub unsafe fn $load(self, i: u64) -> T {
                let p = self.pointer.add(i as usize);
                match size_of::<T>() {
                    4 => { let r: u32; asm!(concat!("ld.global.", $ld, ".b32 {}, [{}];"), out(reg32) r, in(reg64) p, options(nostack, pure, readonly, preserves_flags)); transmute_copy(&r) }
                    8 => { let r: u64; asm!(concat!("ld.global.", $ld, ".b64 {}, [{}];"), out(reg64) r, in(reg64) p, options(nostack, pure, readonly, preserves_flags)); transmute_copy(&r) }
                    _ => *p,
                }
            }
            #[doc = concat!("[`Global::set`] with the cache hint `", $st, "`: ", $what, ". Types of 4 and 8 bytes; others store plainly.")]
            ///
            /// # Safety
            /// As [`Global::set`].
            #[inline(always)]
            pub unsafe fn $store(self, i: u64, v: T) {
                let p = self.pointer.add(i as usize);
                match size_of::<T>() {
                    4 => { let r: u32 = transmute_copy(&v); asm!(concat!("st.global.", $st, ".b32 [{}], {};"), in(reg64) p, in(reg32) r, options(nostack, preserves_flags)); }
                    8 => { let r: u64 = transmute_copy(&v); asm!(concat!("st.global.", $st, ".b64 [{}], {};"), in(reg64) p, in(reg64) r, options(nostack, preserves_flags)); }
                    _ => *p = v,
                }
            }
        )* }
    };
}
hinted! {
    get_streaming "cs", set_streaming "cs": "touched once, evict it first";
    get_cached "ca", set_write_back "wb": "keep it in the nearest cache";
    get_l2 "cg", set_l2 "cg": "keep it in L2 only";
}
