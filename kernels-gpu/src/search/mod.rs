//! Looking things up in sorted data: the bounds of many queries, and runs of equal keys.
pub mod bounds;
pub mod runs;

use crate::simt::Global;

/// An array of integers of 32 or of 64 bits, whichever the host says: a kernel that stores an integer for many keys it reads
/// need not be compiled twice.
#[derive(Clone, Copy)]
pub struct Integers {
    words: Global<u32>,
    wide: bool,
}

impl Integers {
    /// Those at an address: 64-bit ones where `wide` is not 0.
    #[inline(always)]
    pub fn new(words: Global<u32>, wide: u32) -> Self {
        Integers { words, wide: wide != 0 }
    }
    /// Whether there is no array.
    #[inline(always)]
    pub fn is_null(self) -> bool {
        self.words.is_null()
    }
    /// Sets element `i` to `v`, which fits.
    ///
    /// # Safety
    /// As [`Global::set`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn set(self, i: u64, v: u64) {
        if self.wide {
            self.words.cast::<u64>().set_streaming(i, v);
        } else {
            self.words.set_streaming(i, v as u32);
        }
    }
}
