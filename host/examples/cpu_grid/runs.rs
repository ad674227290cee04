//! Sorted runs of keys in one array, as a pass of a merge sort finds them.
use crate::lanes::{NOTHING, element};
use std::ops::Range;

/// How many runs are merged at once. Fewer are merged as if the others were empty.
pub(crate) const RUNS: usize = 8;

/// Eight sorted parts of one array.
pub(crate) struct Runs<'a> {
    keys: &'a [u32],
    ranges: [Range<usize>; RUNS],
}

impl<'a> Runs<'a> {
    /// Runs of these lengths, one behind the other, which are all of `keys`.
    pub(crate) fn new(keys: &'a [u32], lengths: [usize; RUNS]) -> Self {
        assert_eq!(lengths.iter().sum::<usize>(), keys.len());
        let mut end = 0;
        let ranges = lengths.map(|length| {
            end += length;
            end - length..end
        });
        assert!(ranges.iter().all(|range| keys[range.clone()].is_sorted()));
        Runs { keys, ranges }
    }

    pub(crate) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(crate) fn cursors(&self) -> Cursors<'a> {
        Cursors {
            keys: self.keys,
            next: Aligned(std::array::from_fn(|run| self.ranges[run].start as u64)),
            end: Aligned(std::array::from_fn(|run| self.ranges[run].end as u64)),
        }
    }
}

/// A vector register's worth, in one cache line.
#[repr(align(64))]
pub(crate) struct Aligned(pub(crate) [u64; RUNS]);

/// How far each run has been read. No `end` is behind the end of `keys`.
pub(crate) struct Cursors<'a> {
    keys: &'a [u32],
    next: Aligned,
    end: Aligned,
}

impl<'a> Cursors<'a> {
    /// The next element of a run, or [`NOTHING`].
    #[inline(always)]
    pub(crate) fn next(&mut self, run: usize) -> u64 {
        let at = self.next.0[run];
        if at < self.end.0[run] {
            self.next.0[run] = at + 1;
            element(self.keys[at as usize], run)
        } else {
            NOTHING
        }
    }

    /// Keys, the next position of each run, and its end, which is not behind the end of the keys.
    #[cfg(target_arch = "x86_64")]
    #[inline(always)]
    pub(crate) fn parts(&mut self) -> (&'a [u32], &mut Aligned, &Aligned) {
        (self.keys, &mut self.next, &self.end)
    }
}
