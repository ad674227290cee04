//! Segments of an array, each sorted for itself, whose lengths nobody but the device knows.
//!
//! [`classify`] puts every segment into the list of the kernel that sorts segments of its length, or into the
//! [table](crate::batch) of those that the merge sort's kernels sort, all at once. Every launch after it has as many blocks as
//! there can be work for, and those without work return: nothing is waited for.
pub mod check;
pub mod classify;

use crate::simt::{Global, Word};

/// Size classes of segments that a warp's lanes or a block sort; longer ones go into the table.
pub const CLASSES: u32 = 14;
/// Words of the counters: segments of each class, and [`BAD`].
pub const COUNTERS: u32 = CLASSES + 1;
/// Not a counter: whether a segment is not what it should be.
pub const BAD: u32 = CLASSES;

/// The longest segments of each class, ascending; 16 bits each, four a word. A class whose bound is that of the class before it
/// has no segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Four bounds each.
    pub words: [u64; 4],
}

impl Bounds {
    /// Those of up to [`CLASSES`] classes.
    pub const fn new(bounds: &[u32]) -> Self {
        let mut words = [0; 4];
        let mut c = 0;
        let mut last = 0;
        while c < CLASSES as usize {
            if c < bounds.len() {
                assert!(bounds[c] >= last && bounds[c] < 1 << 16);
                last = bounds[c];
            }
            words[c / 4] |= (last as u64) << (16 * (c % 4));
            c += 1;
        }
        Bounds { words }
    }
    /// The longest segment of class `c`.
    #[inline(always)]
    pub const fn of(self, c: u32) -> u32 {
        // Selected, not indexed: an index that is known only at run time would put the words into local memory.
        let word = match c / 4 {
            0 => self.words[0],
            1 => self.words[1],
            2 => self.words[2],
            _ => self.words[3],
        };
        (word >> (16 * (c % 4)) & 0xffff) as u32
    }
    /// The shortest segment of class `c`, or where `c` is [`CLASSES`], of the table.
    #[inline(always)]
    pub const fn shortest(self, c: u32) -> u32 {
        if c == 0 { 1 } else { self.of(c - 1) + 1 }
    }
    /// Segments of class `c`, or of the table, at most: of `count` that lie side by side in an array of `n` elements.
    #[inline(always)]
    pub const fn most(self, c: u32, count: u64, n: u64) -> u64 {
        if c < CLASSES && self.of(c) < self.shortest(c) {
            return 0;
        }
        let most = n / self.shortest(c) as u64;
        if most < count { most } else { count }
    }
}

/// Where segments begin and end, in elements of an array of `n`.
#[derive(Clone, Copy)]
pub struct Segments<O> {
    /// Where each begins.
    pub begins: Global<O>,
    /// Where each ends.
    pub ends: Global<O>,
    /// How many there are.
    pub count: u64,
    /// Elements of the array.
    pub n: u64,
}

impl<O: Word> Segments<O> {
    /// Whether segment `s`, from `begin` to `end`, ascends, lies in the array, and ends where the next one begins or before that.
    ///
    /// # Safety
    /// As [`Segments::get`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn is_good(self, s: u64, begin: u64, end: u64) -> bool {
        let next = if s + 1 < self.count { self.begins.get(s + 1).to_u64() } else { self.n };
        begin <= end && end <= self.n && end <= next
    }
    /// Where segment `s` begins and ends.
    ///
    /// # Safety
    /// It is below `count`.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn get(self, s: u64) -> (u64, u64) {
        (self.begins.get(s).to_u64(), self.ends.get(s).to_u64())
    }
}
