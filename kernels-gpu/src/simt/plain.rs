//! What may stand in device memory.
use core::mem::{size_of, transmute_copy};

/// Plain old data of 1 to 32 bytes. One memory instruction moves 1, 2, 4, 8 or 16 bytes; other sizes are moved as words of
/// the largest of these that divides them.
///
/// # Safety
/// The type has such a size and an alignment that divides it, no padding, no `Drop`, and its all-zero bit pattern is
/// valid. Where it lies in memory, the address is a multiple of [`word_bytes`] of its size.
pub unsafe trait Plain: Copy + Send + Sync + 'static {}

macro_rules! plain {
    ($($t:ty),*) => { $(
        // SAFETY: primitive numbers have no padding and no invalid bit patterns.
        unsafe impl Plain for $t {}
    )* };
}
plain!(u8, u16, u32, u64, u128, i8, i16, i32, i64, i128, f32, f64);

/// A 32- or 64-bit unsigned word: what atomic instructions work on.
///
/// # Safety
/// The type is `u32` or `u64`.
pub unsafe trait Word: Plain + Eq + Ord {
    /// Zero-extends.
    fn to_u64(self) -> u64;
    /// Truncates.
    fn from_u64(v: u64) -> Self;
}
// SAFETY: it is u32.
unsafe impl Word for u32 {
    #[inline(always)]
    fn to_u64(self) -> u64 {
        self as u64
    }
    #[inline(always)]
    fn from_u64(v: u64) -> Self {
        v as u32
    }
}
// SAFETY: it is u64.
unsafe impl Word for u64 {
    #[inline(always)]
    fn to_u64(self) -> u64 {
        self
    }
    #[inline(always)]
    fn from_u64(v: u64) -> Self {
        v
    }
}

/// The value as up to four 32-bit words, low word first; a smaller value is zero-extended.
#[inline(always)]
pub(crate) fn to_words<T: Plain>(v: T) -> [u32; 4] {
    // SAFETY: each branch reads exactly size_of::<T>() bytes of a value without padding.
    unsafe {
        match size_of::<T>() {
            1 => [transmute_copy::<T, u8>(&v) as u32, 0, 0, 0],
            2 => [transmute_copy::<T, u16>(&v) as u32, 0, 0, 0],
            4 => [transmute_copy::<T, u32>(&v), 0, 0, 0],
            8 => {
                let w = transmute_copy::<T, u64>(&v);
                [w as u32, (w >> 32) as u32, 0, 0]
            }
            12 => {
                let w = transmute_copy::<T, [u32; 3]>(&v);
                [w[0], w[1], w[2], 0]
            }
            16 => transmute_copy::<T, [u32; 4]>(&v),
            _ => unreachable_size(),
        }
    }
}

/// The inverse of [`to_words`].
#[inline(always)]
pub(crate) fn from_words<T: Plain>(w: [u32; 4]) -> T {
    // SAFETY: each branch reads exactly size_of::<T>() bytes, and Plain admits the bit patterns that came from a T.
    unsafe {
        match size_of::<T>() {
            1 => transmute_copy::<u8, T>(&(w[0] as u8)),
            2 => transmute_copy::<u16, T>(&(w[0] as u16)),
            4 => transmute_copy::<u32, T>(&w[0]),
            8 => transmute_copy::<u64, T>(&(w[0] as u64 | (w[1] as u64) << 32)),
            12 => transmute_copy::<[u32; 3], T>(&[w[0], w[1], w[2]]),
            16 => transmute_copy::<[u32; 4], T>(&w),
            _ => unreachable_size(),
        }
    }
}

/// The value whose bits are all zero.
#[inline(always)]
pub fn zeroed<T: Plain>() -> T {
    // SAFETY: Plain says that it is valid.
    unsafe { core::mem::zeroed() }
}

/// The largest type that is [`Plain`], bytes.
pub const MAX_PLAIN: usize = 32;

/// Bytes of the words that elements of `size` bytes are moved in: the largest power of two that divides it, at most 16.
pub const fn word_bytes(size: usize) -> usize {
    let bytes = 1 << size.trailing_zeros();
    if bytes < 16 { bytes } else { 16 }
}

/// The value as 32-bit words, low word first, whatever its size; bytes behind its end are zero.
#[inline(always)]
pub(crate) fn to_all_words<T: Plain>(v: T) -> [u32; MAX_PLAIN / 4] {
    const { assert!(size_of::<T>() <= MAX_PLAIN) }
    if size_of::<T>() <= 16 && (size_of::<T>().is_power_of_two() || size_of::<T>() == 12) {
        let [a, b, c, d] = to_words(v);
        return [a, b, c, d, 0, 0, 0, 0];
    }
    let mut words = [0; MAX_PLAIN / 4];
    // SAFETY: the type has no padding and at most as many bytes as the array.
    unsafe {
        core::ptr::copy_nonoverlapping((&raw const v).cast::<u8>(), (&raw mut words).cast::<u8>(), size_of::<T>())
    };
    words
}

/// The inverse of [`to_all_words`].
#[inline(always)]
pub(crate) fn from_all_words<T: Plain>(w: [u32; MAX_PLAIN / 4]) -> T {
    const { assert!(size_of::<T>() <= MAX_PLAIN) }
    if size_of::<T>() <= 16 && (size_of::<T>().is_power_of_two() || size_of::<T>() == 12) {
        return from_words([w[0], w[1], w[2], w[3]]);
    }
    // SAFETY: the array has at least as many bytes, which came from a T.
    unsafe { transmute_copy(&w) }
}

/// Refuses a size that one memory instruction does not move, when the kernel is compiled.
pub(crate) const fn unreachable_size() -> ! {
    panic!("a Plain type of another size is moved in words")
}
