//! Many arrays sorted by the same launches: the rows of a matrix, or segments that a table in device memory names.
//!
//! A launch hands out *units*, blocks or whatever a thread group works on, and every array gets as many as the largest of them
//! may need: those without work return. Arrays of a matrix are all alike, so the host counts their units and a division tells
//! whose a unit is. Segments are counted on the device, where their lengths are, and a search in the table tells.
//!
//! A single array is a matrix of one row.
use crate::simt::Global;

/// Words before the first record of a table of segments: how many there are and, above [`COUNT_BITS`], how many units they
/// have; where the other area for keys lies; where that for payloads does.
pub const HEADER: u64 = 3;
/// Bits of the header's first word that count segments.
pub const COUNT_BITS: u32 = 32;
/// Words of a record: where the segment starts, its length, its first unit.
pub const RECORD: u64 = 3;
/// Runs that a pass over segments merges at once: a segment takes part in as many passes as its length wants.
pub const SEGMENT_RUNS: u32 = 16;

/// Which array a unit belongs to.
#[derive(Clone, Copy)]
pub struct Batch {
    /// Units of a row.
    units: u32,
    /// Elements from row to row of what is read.
    src_stride: u64,
    /// The same of what is written.
    dst_stride: u64,
    /// The table of segments; null for rows.
    table: Global<u64>,
}

/// The array that a unit belongs to.
#[derive(Clone, Copy)]
pub struct Part {
    /// Where it begins in what is read.
    pub src: u64,
    /// The same in what is written.
    pub dst: u64,
    /// Its elements.
    pub len: u64,
    /// Number of the array in the matrix, or of its first unit in the table.
    first: u64,
    /// Number of the unit in the array.
    pub unit: u64,
}

/// Units that a segment of `len` elements gets: enough for its tiles of `tile` elements or more, for their boundaries, one more
/// for each group of runs, and for partial tiles.
#[inline(always)]
pub const fn units_of(len: u64, tile: u64) -> u64 {
    if len <= tile { 1 } else { len / tile + 2 * (len / (tile * SEGMENT_RUNS as u64)) + 4 }
}

/// Units that `count` segments of `n` elements together get at most.
pub const fn most_units(n: u64, count: u64, tile: u64) -> u64 {
    let long = if n / tile < count { n / tile } else { count };
    count + n / tile + 2 * (n / (tile * SEGMENT_RUNS as u64)) + 4 * long
}

impl Batch {
    /// One array.
    #[inline(always)]
    pub fn one() -> Self {
        Self::new(u32::MAX, 0, 0, Global::null())
    }
    /// Rows of `units` units, `u32::MAX` where there is but one; or, where `table` is not null, its segments.
    #[inline(always)]
    pub fn new(units: u32, src_stride: u64, dst_stride: u64, table: Global<u64>) -> Self {
        Batch { units, src_stride, dst_stride, table }
    }
    /// Whether a table names segments.
    #[inline(always)]
    pub fn has_table(self) -> bool {
        !self.table.is_null()
    }
    /// Where the other area for keys lies, and that for payloads.
    ///
    /// # Safety
    /// There is a table.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn others(self) -> (u64, u64) {
        (self.table.get(1), self.table.get(2))
    }
    /// The array that unit `unit` of the launch belongs to; `columns` are the elements of a row. One without elements where
    /// no segment has the unit.
    ///
    /// # Safety
    /// The table, if there is one, is a table of segments, and nobody writes it meanwhile.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn part(self, unit: u64, columns: u64) -> Part {
        if self.has_table() {
            return self.find(unit);
        }
        let units = self.units as u64;
        core::hint::assert_unchecked(units > 0);
        // Mostly there are fewer than 2^32 units: a short division costs a fifth of a long one.
        let (row, unit) = if self.units == u32::MAX {
            (0, unit)
        } else if unit >> 32 == 0 {
            ((unit as u32 / self.units) as u64, (unit as u32 % self.units) as u64)
        } else {
            (unit / units, unit % units)
        };
        Part { src: row * self.src_stride, dst: row * self.dst_stride, len: columns, first: row, unit }
    }
    /// The segment that has unit `unit`: the last one whose first unit is not beyond it.
    #[inline(always)]
    #[track_caller]
    unsafe fn find(self, unit: u64) -> Part {
        let header = self.table.get(0);
        let records = self.table.offset(HEADER);
        let none = Part { src: 0, dst: 0, len: 0, first: 0, unit: 0 };
        if unit >= header >> COUNT_BITS {
            return none;
        }
        let (mut at, mut count) = (0, header & ((1 << COUNT_BITS) - 1));
        while count > 1 {
            let half = count / 2;
            if records.get((at + half) * RECORD + 2) <= unit {
                at += half;
                count -= half;
            } else {
                count = half;
            }
        }
        let word = |word| records.get(at * RECORD + word);
        let (start, first) = (word(0), word(2));
        Part { src: start, dst: start, len: word(1), first, unit: unit - first }
    }
    /// Row of the cuts that belongs to boundary `b` of group `group` of an array, where a full group has `tiles` tiles.
    #[inline(always)]
    pub fn cuts_row(self, part: Part, group: u64, tiles: u32, b: u32) -> u64 {
        let first = if self.has_table() {
            part.first
        } else {
            // Each group has as many boundaries as blocks, and one more.
            part.first * (self.units as u64 + (self.units / tiles) as u64)
        };
        first + group * (tiles as u64 + 1) + b as u64
    }
}

/// How many passes sort an array of `len` elements, of which runs of `run` are sorted, where each merges [`SEGMENT_RUNS`].
#[inline(always)]
pub fn passes(len: u64, run: u64) -> u32 {
    let (mut passes, mut run) = (0, run);
    while run < len {
        passes += 1;
        run *= SEGMENT_RUNS as u64;
    }
    passes
}
