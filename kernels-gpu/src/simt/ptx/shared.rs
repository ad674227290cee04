//! Typed views of the block's shared memory.
use super::{Global, thread};
use crate::simt::Plain;
use crate::simt::plain::{MAX_PLAIN, from_words, to_all_words, to_words, word_bytes};
use core::arch::asm;
use core::marker::PhantomData;
use core::mem::{size_of, transmute_copy};

core::arch::global_asm!(".extern .shared .align 16 .b8 gridsort_shared[];");

/// A typed view of `len` elements of the block's dynamic shared memory, from a byte offset.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Shared<T> {
    pub(super) address: u32,
    of: PhantomData<T>,
}

/// A position in a [`Shared`] view, carried as a byte address: what a loop over shared memory keeps in a register.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct SharedCursor<T> {
    pub(super) address: u32,
    of: PhantomData<T>,
}

impl<T: Plain> Shared<T> {
    /// The view of `len` elements from byte `offset`, a multiple of the element's alignment.
    #[inline(always)]
    pub fn new(offset: u32, _len: u32) -> Self {
        let base: u32;
        // SAFETY: the address of the block's shared memory, a constant.
        unsafe {
            asm!("mov.u32 {}, gridsort_shared;", out(reg32) base, options(nostack, nomem, pure, preserves_flags))
        };
        Shared { address: base.wrapping_add(offset), of: PhantomData }
    }
    /// The position of element `i`; one past the end is allowed.
    #[inline(always)]
    pub fn at(self, i: u32) -> SharedCursor<T> {
        SharedCursor { address: self.address.wrapping_add(i.wrapping_mul(size_of::<T>() as u32)), of: PhantomData }
    }
    /// Element `i`.
    ///
    /// # Safety
    /// `i` is inside the view, and no other thread writes it before the next barrier.
    #[inline(always)]
    pub unsafe fn get(self, i: u32) -> T {
        self.at(i).read()
    }
    /// Sets element `i`.
    ///
    /// # Safety
    /// `i` is inside the view, and no other thread accesses it before the next barrier.
    #[inline(always)]
    pub unsafe fn set(self, i: u32, v: T) {
        self.at(i).write(v)
    }
    /// Starts copying element `j` of `src` to element `i` without passing through registers; the copy is done after
    /// [`thread::async_copies_done`]. Elements of 4, 8 and 16 bytes; others are copied at once.
    ///
    /// # Safety
    /// As [`Shared::set`] and [`Global::get`], until the copy is done.
    #[inline(always)]
    pub unsafe fn copy_async(self, i: u32, src: Global<T>, j: u64) {
        let (to, from) = (self.at(i).address, src.pointer.add(j as usize));
        match size_of::<T>() {
            4 => asm!("cp.async.ca.shared.global [{}], [{}], 4;", in(reg32) to, in(reg64) from,
                options(nostack, preserves_flags)),
            8 => asm!("cp.async.ca.shared.global [{}], [{}], 8;", in(reg32) to, in(reg64) from,
                options(nostack, preserves_flags)),
            16 => asm!("cp.async.ca.shared.global [{}], [{}], 16;", in(reg32) to, in(reg64) from,
                options(nostack, preserves_flags)),
            _ => self.set(i, src.get(j)),
        }
    }
    /// Elements `i..i + N`, in 16-byte loads where `N` elements fill them.
    ///
    /// # Safety
    /// As [`Shared::get`] for all of them, and element `i` is aligned to 16 bytes where `N * size_of::<T>()` is a
    /// multiple of 16.
    #[inline(always)]
    pub unsafe fn get_vector<const N: usize>(self, i: u32) -> [T; N] {
        if (N * size_of::<T>()) % 16 != 0 || size_of::<T>() < 4 || 16 % size_of::<T>() != 0 {
            return core::array::from_fn(|k| self.get(i + k as u32));
        }
        let mut v = [self.zeroed(); N];
        let per = 16 / size_of::<T>();
        let mut k = 0;
        while k < N {
            let a = self.at(i + k as u32).address;
            let (w0, w1, w2, w3): (u32, u32, u32, u32);
            asm!("ld.shared.v4.b32 {{{}, {}, {}, {}}}, [{}];", out(reg32) w0, out(reg32) w1, out(reg32) w2,
                out(reg32) w3, in(reg32) a, options(nostack, pure, readonly, preserves_flags));
            let w = [w0, w1, w2, w3];
            let words = size_of::<T>() / 4;
            let mut e = 0;
            while e < per {
                let mut one = [0u32; 4];
                let mut j = 0;
                while j < words {
                    one[j] = w[e * words + j];
                    j += 1;
                }
                v[k + e] = from_words(one);
                e += 1;
            }
            k += per;
        }
        v
    }
    /// Sets elements `i..i + N`, in 16-byte stores where `N` elements fill them.
    ///
    /// # Safety
    /// As [`Shared::set`] for all of them, and the alignment of [`Shared::get_vector`].
    #[inline(always)]
    pub unsafe fn set_vector<const N: usize>(self, i: u32, v: [T; N]) {
        if (N * size_of::<T>()) % 16 != 0 || size_of::<T>() < 4 || 16 % size_of::<T>() != 0 {
            let mut k = 0;
            while k < N {
                self.set(i + k as u32, v[k]);
                k += 1;
            }
            return;
        }
        let per = 16 / size_of::<T>();
        let words = size_of::<T>() / 4;
        let mut k = 0;
        while k < N {
            let mut w = [0u32; 4];
            let mut e = 0;
            while e < per {
                let one = to_words(v[k + e]);
                let mut j = 0;
                while j < words {
                    w[e * words + j] = one[j];
                    j += 1;
                }
                e += 1;
            }
            asm!("st.shared.v4.b32 [{}], {{{}, {}, {}, {}}};", in(reg32) self.at(i + k as u32).address,
                in(reg32) w[0], in(reg32) w[1], in(reg32) w[2], in(reg32) w[3], options(nostack, preserves_flags));
            k += per;
        }
    }
    #[inline(always)]
    fn zeroed(self) -> T {
        from_words([0; 4])
    }
}

impl<T: Plain> SharedCursor<T> {
    /// The element here.
    ///
    /// # Safety
    /// As [`Shared::get`].
    #[inline(always)]
    pub unsafe fn read(self) -> T {
        let a = self.address;
        // `pure, readonly`: the compiler may drop or merge loads between which nothing writes memory. Barriers and
        // stores count as writes, so a load never moves across one.
        match size_of::<T>() {
            1 => {
                let r: u16;
                asm!("ld.shared.u8 {}, [{}];", out(reg16) r, in(reg32) a, options(nostack, pure, readonly, preserves_flags));
                from_words([r as u32, 0, 0, 0])
            }
            2 => {
                let r: u16;
                asm!("ld.shared.b16 {}, [{}];", out(reg16) r, in(reg32) a, options(nostack, pure, readonly, preserves_flags));
                from_words([r as u32, 0, 0, 0])
            }
            4 => {
                let r: u32;
                asm!("ld.shared.b32 {}, [{}];", out(reg32) r, in(reg32) a, options(nostack, pure, readonly, preserves_flags));
                transmute_copy(&r)
            }
            8 => {
                let r: u64;
                asm!("ld.shared.b64 {}, [{}];", out(reg64) r, in(reg32) a, options(nostack, pure, readonly, preserves_flags));
                transmute_copy(&r)
            }
            12 => {
                let (x, y, z): (u32, u32, u32);
                asm!("ld.shared.b32 {}, [{a}]; ld.shared.b32 {}, [{a}+4]; ld.shared.b32 {}, [{a}+8];",
                    out(reg32) x, out(reg32) y, out(reg32) z, a = in(reg32) a,
                    options(nostack, pure, readonly, preserves_flags));
                from_words([x, y, z, 0])
            }
            16 => {
                let (x, y): (u64, u64);
                asm!("ld.shared.v2.b64 {{{}, {}}}, [{}];", out(reg64) x, out(reg64) y, in(reg32) a,
                    options(nostack, pure, readonly, preserves_flags));
                transmute_copy(&[x, y])
            }
            _ => self.read_words(),
        }
    }
    /// The element here, by the largest words that divide it.
    #[inline(always)]
    unsafe fn read_words(self) -> T {
        let mut v = [0u32; MAX_PLAIN / 4];
        let mut at = 0;
        while at < size_of::<T>() {
            let (a, to) = (self.address.wrapping_add(at as u32), (&raw mut v).cast::<u8>().add(at));
            macro_rules! word {
                ($t:ty, $reg:ident, $r:ty, $load:literal) => {{
                    let r: $r;
                    asm!(concat!($load, " {}, [{}];"), out($reg) r, in(reg32) a,
                        options(nostack, pure, readonly, preserves_flags));
                    to.cast::<$t>().write_unaligned(r as $t)
                }};
            }
            match word_bytes(size_of::<T>()) {
                1 => word!(u8, reg16, u16, "ld.shared.u8"),
                2 => word!(u16, reg16, u16, "ld.shared.b16"),
                4 => word!(u32, reg32, u32, "ld.shared.b32"),
                8 => word!(u64, reg64, u64, "ld.shared.b64"),
                _ => {
                    let (x, y): (u64, u64);
                    asm!("ld.shared.v2.b64 {{{}, {}}}, [{}];", out(reg64) x, out(reg64) y, in(reg32) a,
                        options(nostack, pure, readonly, preserves_flags));
                    to.cast::<[u64; 2]>().write_unaligned([x, y])
                }
            }
            at += word_bytes(size_of::<T>());
        }
        transmute_copy(&v)
    }
    /// Sets the element here, by the largest words that divide it.
    #[inline(always)]
    unsafe fn write_words(self, v: T) {
        let v = to_all_words(v);
        let mut at = 0;
        while at < size_of::<T>() {
            let (a, from) = (self.address.wrapping_add(at as u32), (&raw const v).cast::<u8>().add(at));
            macro_rules! word {
                ($t:ty, $reg:ident, $r:ty, $store:literal) => {
                    asm!(concat!($store, " [{}], {};"), in(reg32) a, in($reg) from.cast::<$t>().read_unaligned() as $r,
                        options(nostack, preserves_flags))
                };
            }
            match word_bytes(size_of::<T>()) {
                1 => word!(u8, reg16, u16, "st.shared.u8"),
                2 => word!(u16, reg16, u16, "st.shared.b16"),
                4 => word!(u32, reg32, u32, "st.shared.b32"),
                8 => word!(u64, reg64, u64, "st.shared.b64"),
                _ => {
                    let [x, y] = from.cast::<[u64; 2]>().read_unaligned();
                    asm!("st.shared.v2.b64 [{}], {{{}, {}}};", in(reg32) a, in(reg64) x, in(reg64) y,
                        options(nostack, preserves_flags))
                }
            }
            at += word_bytes(size_of::<T>());
        }
    }
    /// Sets the element here.
    ///
    /// # Safety
    /// As [`Shared::set`].
    #[inline(always)]
    pub unsafe fn write(self, v: T) {
        let a = self.address;
        let [w0, w1, w2, ..] = to_all_words(v);
        match size_of::<T>() {
            1 => asm!("st.shared.u8 [{}], {};", in(reg32) a, in(reg16) w0 as u16, options(nostack, preserves_flags)),
            2 => asm!("st.shared.b16 [{}], {};", in(reg32) a, in(reg16) w0 as u16, options(nostack, preserves_flags)),
            4 => asm!("st.shared.b32 [{}], {};", in(reg32) a, in(reg32) w0, options(nostack, preserves_flags)),
            8 => {
                let r: u64 = transmute_copy(&v);
                asm!("st.shared.b64 [{}], {};", in(reg32) a, in(reg64) r, options(nostack, preserves_flags))
            }
            12 => asm!("st.shared.b32 [{a}], {}; st.shared.b32 [{a}+4], {}; st.shared.b32 [{a}+8], {};",
                in(reg32) w0, in(reg32) w1, in(reg32) w2, a = in(reg32) a, options(nostack, preserves_flags)),
            16 => {
                let r: [u64; 2] = transmute_copy(&v);
                asm!("st.shared.v2.b64 [{}], {{{}, {}}};", in(reg32) a, in(reg64) r[0], in(reg64) r[1],
                    options(nostack, preserves_flags))
            }
            _ => self.write_words(v),
        }
    }
    /// The same position, its address computed once and kept: otherwise the compiler may carry the index and compute
    /// the address anew at each use.
    #[inline(always)]
    pub fn pinned(self) -> Self {
        SharedCursor { address: thread::opaque(self.address), of: PhantomData }
    }
    /// `n` elements further.
    #[inline(always)]
    pub fn offset(self, n: u32) -> Self {
        SharedCursor { address: self.address.wrapping_add(n.wrapping_mul(size_of::<T>() as u32)), of: PhantomData }
    }
}
impl<T> SharedCursor<T> {
    #[inline(always)]
    pub(super) fn at_address(address: u32) -> Self {
        SharedCursor { address, of: PhantomData }
    }
    /// Elements from `origin`, a position of the same view that is not behind this one.
    #[inline(always)]
    pub fn distance(self, origin: Self) -> u32 {
        self.address.wrapping_sub(origin.address) / size_of::<T>() as u32
    }
}
impl<T> PartialEq for SharedCursor<T> {
    #[inline(always)]
    fn eq(&self, o: &Self) -> bool {
        self.address == o.address
    }
}
impl<T> PartialOrd for SharedCursor<T> {
    #[inline(always)]
    fn partial_cmp(&self, o: &Self) -> Option<core::cmp::Ordering> {
        self.address.partial_cmp(&o.address)
    }
    #[inline(always)]
    fn lt(&self, o: &Self) -> bool {
        self.address < o.address
    }
    #[inline(always)]
    fn le(&self, o: &Self) -> bool {
        self.address <= o.address
    }
    #[inline(always)]
    fn ge(&self, o: &Self) -> bool {
        self.address >= o.address
    }
}
