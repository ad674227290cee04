//! Loads and stores that stay defined where a kernel races: blocks run on several OS threads at once, and a kernel that
//! is being tested may well be wrong.
use core::mem::{MaybeUninit, align_of, size_of};
use core::sync::atomic::{AtomicU8, AtomicU16, AtomicU32, AtomicU64, Ordering::Relaxed};

macro_rules! each_chunk {
    ($t:ty, $atomic:ty, $unit:ty, |$k:ident| $body:expr) => {
        for $k in 0..size_of::<$t>() / size_of::<$unit>() {
            $body
        }
    };
}

/// Bytes moved at once: what the type's alignment guarantees, 8 at most.
const fn unit<T>() -> usize {
    if align_of::<T>() < 8 { align_of::<T>() } else { 8 }
}

/// Loads a value, in pieces of its alignment.
///
/// # Safety
/// `p` is valid for reads and aligned, and its bytes are a valid `T`.
#[inline(always)]
pub(super) unsafe fn load<T: Copy>(p: *mut T) -> T {
    let mut v = MaybeUninit::<T>::uninit();
    macro_rules! copy {
        ($atomic:ty, $unit:ty) => {
            each_chunk!(T, $atomic, $unit, |k| {
                // SAFETY: chunk k is inside the value at p, and aligned to the unit, which divides T's alignment.
                unsafe {
                    let x = (*(p as *const $atomic).add(k)).load(Relaxed);
                    (v.as_mut_ptr() as *mut $unit).add(k).write(x);
                }
            })
        };
    }
    match unit::<T>() {
        8 => copy!(AtomicU64, u64),
        4 => copy!(AtomicU32, u32),
        2 => copy!(AtomicU16, u16),
        _ => copy!(AtomicU8, u8),
    }
    // SAFETY: the alignment divides the size, so the chunks covered every byte.
    unsafe { v.assume_init() }
}

/// Stores a value, in pieces of its alignment.
///
/// # Safety
/// `p` is valid for writes and aligned; `T` has no padding.
#[inline(always)]
pub(super) unsafe fn store<T: Copy>(p: *mut T, v: T) {
    macro_rules! copy {
        ($atomic:ty, $unit:ty) => {
            each_chunk!(T, $atomic, $unit, |k| {
                // SAFETY: as in `load`.
                unsafe {
                    let x = (&raw const v as *const $unit).add(k).read();
                    (*(p as *const $atomic).add(k)).store(x, Relaxed);
                }
            })
        };
    }
    match unit::<T>() {
        8 => copy!(AtomicU64, u64),
        4 => copy!(AtomicU32, u32),
        2 => copy!(AtomicU16, u16),
        _ => copy!(AtomicU8, u8),
    }
}
