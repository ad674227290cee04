//! Selection: the first k of rows by streaming, of an array through lists of candidates, or by a sort where k is a large share.
use super::{ALIGNMENT, area_bytes, grid};
use crate::error::{Error, Result};
use gridsort_kernels::select::state::{LEVELS, WORDS, candidates};
use gridsort_kernels::select::stream::round;
use gridsort_kernels::tuning::{SELECT_EACH, SelectTuning};

const WHAT: &str = "selection";

/// Most keys of a piece that one block reads: positions in it are 32-bit, with room to spare.
const MAX_PIECE: u64 = 1 << 30;

/// Rows up to which each gets launches of its own, where it is long and many are looked for.
const FEW_ROWS: u64 = 64;
/// Keys that a block reads at most to find one row's first, all rounds together: some milliseconds.
const MOST_BY_BLOCK: u64 = 1 << 25;

/// How a level of [`StreamPlan`] works.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamWay {
    /// Several rows a block, each sorted in a segment of shared memory of so many elements.
    Narrow {
        /// They.
        segment: u32,
    },
    /// Each row in slices, a block each.
    Stream {
        /// Slices of a row.
        slices: u32,
        /// Keys of a slice; the last has fewer.
        slice: u64,
        /// Elements of a block's buffer.
        room: u32,
    },
}

/// One level: finds the first of each slice of each row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamLevel {
    /// Elements of a row that it reads.
    pub columns: u64,
    /// How.
    pub way: StreamWay,
    /// Blocks.
    pub grid: u32,
    /// Elements of a row that it leaves.
    pub results: u64,
}

/// The first k of each of many rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamPlan {
    /// Rows.
    pub rows: u64,
    /// How many of each.
    pub k: u64,
    /// The levels. All but the last leave their results in scratch memory.
    pub levels: Vec<StreamLevel>,
    /// Where in scratch memory lie keys and indices, of the levels in turn.
    pub areas: [[u64; 2]; 2],
    /// Scratch memory, bytes.
    pub scratch_bytes: u64,
}

/// A digit that is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DigitPlan {
    /// Its lowest bit.
    pub shift: u32,
    /// Its bits.
    pub bits: u32,
    /// Whether it is one of the index.
    pub of_index: bool,
}

/// The key of a rank, digit by digit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RankPlan {
    /// Keys.
    pub n: u64,
    /// Keys of a block.
    pub slice: u64,
    /// Blocks that read the array.
    pub grid: u32,
    /// The digits, from the top.
    pub digits: Vec<DigitPlan>,
    /// Where in scratch memory lies the state; the bins are [`ALIGNMENT`] behind it.
    pub state: u64,
    /// Scratch memory, bytes.
    pub scratch_bytes: u64,
}

/// A list of candidates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ListLevel {
    /// Elements that it has room for.
    pub capacity: u64,
    /// Where in scratch memory it lies.
    pub elements: u64,
    /// Where its pivot.
    pub pivot: u64,
    /// Elements of a block that reads it.
    pub slice: u64,
    /// Blocks that do.
    pub grid: u32,
}

/// The first k of an array through lists of candidates, each the part of the one before that is not after a pivot.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListsPlan {
    /// How many of the first.
    pub k: u64,
    /// Whether elements are 128-bit numbers.
    pub wide: bool,
    /// How the array is read, and what there is to do where a sample misled.
    pub rank: RankPlan,
    /// The lists.
    pub lists: Vec<ListLevel>,
    /// Blocks that fill the last list up.
    pub pad_grid: u32,
    /// Blocks that write results.
    pub emit_grid: u32,
    /// Where in scratch memory the sort of the last list has its own, behind all else.
    pub sort: u64,
}

/// How a selection from rows is done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SelectPlan {
    /// There is nothing to find.
    Nothing,
    /// By streaming.
    Rows(StreamPlan),
    /// Row by row, through lists. The sort of a list is the caller's to plan.
    Lists(ListsPlan),
    /// Row by row, by an argsort of which the first k are kept. It is the caller's to plan.
    Sort,
}

/// How to find the first `k` of `columns` keys of `key_bytes` bytes in each of `rows` rows. `samples` says how many elements
/// a sample of narrow and of wide elements has.
///
/// # Errors
/// [`Error::TooLarge`].
///
/// ```
/// use gridsort::plan::{SelectPlan, select};
/// use gridsort_kernels::tuning::SELECT;
///
/// // One read of each row, by a block each.
/// let SelectPlan::Rows(plan) = select(4096, 128_256, 50, 4, &SELECT)? else { panic!() };
/// assert_eq!((plan.levels.len(), plan.levels[0].grid, plan.scratch_bytes), (1, 4096, 0));
/// // Many of one array: some candidates, fewer candidates, a sort.
/// let SelectPlan::Lists(plan) = select(1, 1 << 28, 4096, 4, &SELECT)? else { panic!() };
/// assert!(plan.lists.len() == 2 && plan.lists[1].capacity < 1 << 16);
/// assert_eq!(select(1, 1 << 28, 1 << 27, 4, &SELECT)?, SelectPlan::Sort);
/// # Ok::<(), gridsort::Error>(())
/// ```
pub fn select(rows: u64, columns: u64, k: u64, key_bytes: u64, tuning: &SelectTuning) -> Result<SelectPlan> {
    if rows == 0 || k == 0 {
        return Ok(SelectPlan::Nothing);
    }
    let round = u64::from(round(tuning.capacity));
    if k > columns {
        return Err(Error::TooLarge { what: WHAT, n: k, limit: columns });
    }
    let many = k > round || (rows == 1 && k > tuning.streamed && columns > tuning.many);
    // One block to a row reads it in each round: where that takes long, rows are taken one by one, by all blocks.
    let by_row = rows <= FEW_ROWS || columns > MAX_PIECE || k.div_ceil(round).saturating_mul(columns) > MOST_BY_BLOCK;
    if columns <= tuning.capacity.into() || !many || !by_row || (k <= round && !has_lists(key_bytes)) {
        return select_rows(rows, columns, k, key_bytes, tuning).map(SelectPlan::Rows);
    }
    if rows > 1 && k.div_ceil(round) <= 2 && columns <= tuning.many {
        return select_rows(rows, columns, k, key_bytes, tuning).map(SelectPlan::Rows);
    }
    if columns > tuning.many && has_lists(key_bytes) {
        let plan = lists(columns, k, key_bytes, tuning)?;
        // Beyond, what is read and sorted of the lists comes to as much as a sort.
        if plan.lists[0].capacity <= columns / 2 {
            return Ok(SelectPlan::Lists(plan));
        }
    }
    Ok(SelectPlan::Sort)
}

/// Whether keys of that many bytes make elements together with their index.
fn has_lists(key_bytes: u64) -> bool {
    key_bytes <= 8
}

/// How rows are cut for blocks: pieces of equal length but the last, as many as `blocks` wants and `least` keys allow.
fn pieces(columns: u64, blocks: u64, least: u64) -> (u64, u64) {
    // Whole loads of 16 bytes of the narrowest keys.
    const UNIT: u64 = 16;
    let most = (columns / least.max(1)).max(1);
    let count = blocks.clamp(1, most).max(columns.div_ceil(MAX_PIECE));
    let slice = columns.div_ceil(count).next_multiple_of(UNIT).clamp(UNIT, MAX_PIECE);
    (columns.div_ceil(slice), slice)
}

/// The first `k` of each row by levels of streaming.
fn select_rows(rows: u64, columns: u64, k: u64, key_bytes: u64, tuning: &SelectTuning) -> Result<StreamPlan> {
    let capacity = u64::from(tuning.capacity);
    let round = u64::from(round(tuning.capacity));
    let mut levels = Vec::new();
    let mut left = columns;
    loop {
        let (way, blocks, results) = if left <= capacity {
            let segment = left.next_power_of_two().max(2);
            (StreamWay::Narrow { segment: segment as u32 }, rows.div_ceil(capacity / segment), k)
        } else {
            // A slice that leaves a sixteenth of itself at most is worth it. Rounds need whole rows.
            let wanted = if k <= round { tuning.blocks.div_ceil(rows) } else { 1 };
            let (slices, slice) = pieces(left, wanted, tuning.piece.max(16 * k));
            if k > round && slices > 1 {
                return Err(Error::TooLarge { what: WHAT, n: left, limit: MAX_PIECE });
            }
            let last = left - (slices - 1) * slice;
            let room = (4 * k.min(round)).next_power_of_two().clamp(tuning.least.into(), capacity) as u32;
            let slices = u32::try_from(slices).map_err(|_| Error::TooLarge { what: WHAT, n: left, limit: 1 << 60 })?;
            let results = u64::from(slices - 1) * k + k.min(last);
            (StreamWay::Stream { slices, slice, room }, rows.saturating_mul(slices.into()), results)
        };
        let blocks = blocks.min(tuning.looping_grid) as u32;
        levels.push(StreamLevel { columns: left, way, grid: blocks, results });
        if results == k {
            break;
        }
        left = results;
    }
    let mut end = 0;
    let mut area = |level: usize| {
        let results = if level + 1 < levels.len() { levels[level].results } else { 0 };
        let count = rows.checked_mul(results).ok_or(Error::TooLarge {
            what: WHAT,
            n: rows,
            limit: u64::MAX / results.max(1),
        })?;
        let keys = end;
        let indices = keys + area_bytes(WHAT, count, key_bytes)?;
        end = indices + area_bytes(WHAT, count, 8)?;
        Ok::<_, Error>([keys, indices])
    };
    let areas = [area(0)?, area(1)?];
    Ok(StreamPlan { rows, k, levels, areas, scratch_bytes: end })
}

/// The digits of a number of so many bits, from the top.
fn digits(bits: u32, of_index: bool, tuning: &SelectTuning) -> Vec<DigitPlan> {
    let mut shift = bits;
    let mut digits = Vec::new();
    while shift > 0 {
        let bits = shift.min(tuning.digit_bits);
        shift -= bits;
        digits.push(DigitPlan { shift, bits, of_index });
    }
    digits
}

/// How the key of a rank is found among `n` keys of `key_bytes` bytes, one at least.
///
/// # Errors
/// [`Error::TooLarge`].
///
/// ```
/// use gridsort::plan::select_rank;
/// use gridsort_kernels::tuning::SELECT;
///
/// assert_eq!(select_rank(1 << 28, 4, &SELECT)?.digits.len(), 3);
/// # Ok::<(), gridsort::Error>(())
/// ```
pub fn select_rank(n: u64, key_bytes: u64, tuning: &SelectTuning) -> Result<RankPlan> {
    let (blocks, slice) = pieces(n, tuning.blocks, tuning.piece);
    Ok(RankPlan {
        n,
        slice,
        grid: grid(WHAT, blocks, 1)?,
        digits: digits(8 * key_bytes as u32, false, tuning),
        state: 0,
        scratch_bytes: area_bytes(WHAT, WORDS.into(), 8)?.max(ALIGNMENT) + area_bytes(WHAT, 1 << tuning.digit_bits, 8)?,
    })
}

/// The first `k` of `n` keys, through lists.
fn lists(n: u64, k: u64, key_bytes: u64, tuning: &SelectTuning) -> Result<ListsPlan> {
    let wide = n > tuning.narrow_to || key_bytes > 4;
    let (sample, element_bytes) = if wide { (tuning.sample_128, 16) } else { (tuning.sample_64, 8) };
    let samples = u64::from(sample.tile());
    // What the reckoning of a pivot's rank has room for.
    const LIMIT: u64 = 1 << 44;
    if n > LIMIT {
        return Err(Error::TooLarge { what: WHAT, n, limit: LIMIT });
    }
    let mut rank = select_rank(n, key_bytes, tuning)?;
    let index_bits = u64::BITS - (n - 1).leading_zeros();
    rank.digits.extend(digits(index_bits, true, tuning));
    let mut end = rank.scratch_bytes;
    let mut lists = Vec::<ListLevel>::new();
    let mut from = n;
    loop {
        let capacity = candidates(k, samples, from);
        // A list that is not much shorter than the one before is not worth its launches, and a short one is soon sorted.
        let worth = lists.is_empty() || (from > tuning.sorted && capacity <= from / 2);
        if !worth || lists.len() == LEVELS as usize {
            break;
        }
        let (blocks, slice) = pieces(capacity, tuning.blocks, tuning.piece / 8);
        let pivot = end;
        let elements = pivot + ALIGNMENT;
        end = elements + area_bytes(WHAT, capacity, element_bytes)?;
        lists.push(ListLevel { capacity, elements, pivot, slice, grid: grid(WHAT, blocks, 1)? });
        from = capacity;
    }
    Ok(ListsPlan {
        k,
        wide,
        rank,
        lists,
        pad_grid: grid(WHAT, from, SELECT_EACH)?,
        emit_grid: grid(WHAT, k, SELECT_EACH)?,
        sort: end,
    })
}

#[cfg(test)]
mod tests;
