//! What an operation will launch and how much memory it takes: pure functions of the input's size.
//!
//! Nothing here knows a device, so the arithmetic can be checked for sizes that no machine holds. Every count is 64-bit
//! and every sum and product is checked.
//!
//! ```
//! use gridsort::{KeyWidth, PayloadWidth, Tiles, plan};
//!
//! let shape = plan::Shape::of(KeyWidth::W32, PayloadWidth::None, Tiles::Full);
//! let plan = plan::merge_sort(1 << 20, &shape)?;
//! assert_eq!(plan.scratch_bytes, plan::scratch_bytes(1 << 20, &shape)?);
//! assert!(plan.scratch_bytes >= 4 << 20);
//! # Ok::<(), gridsort::Error>(())
//! ```
mod corank;
mod grid_sort;
mod lexsort;
mod merge_many;
mod merge_sort;
mod pairs;
mod rows;
mod sample_sort;
mod search;
mod segments;
mod select;
mod shape;

pub use corank::{CorankPass, CorankPlan, corank_sort};
pub use grid_sort::grid_sort;
pub(crate) use lexsort::bits_grid;
pub use lexsort::{LexsortPlan, lexsort};
pub use merge_many::{
    ManyGroup, ManyPass, MergeManyGuardedPlan, MergeManyPairsPlan, MergeManyPlan, RunPlace, merge_many,
    merge_many_guarded, merge_many_pairs,
};
pub(crate) use merge_sort::merge_of_table;
pub use merge_sort::{Area, Merge, MergePass, MergeSortPlan, TileSort, merge_sort, scratch_bytes};
pub use pairs::{Carried, MAX_PAYLOAD, MAX_POSITIONS_32, PairsPlan, carried, pairs};
pub(crate) use rows::matrix_bytes;
pub use rows::{RowSort, RowsPlan, sort_rows};
pub use sample_sort::{SampleLevel, SamplePlan, sample_sort};
pub use search::{RunsPlan, bounds_grid, runs};
pub use segments::{Class, ClassSort, LongSegments, SegmentPass, SegmentsPlan, sort_segments};
pub use select::{
    DigitPlan, ListLevel, ListsPlan, RankPlan, SelectPlan, StreamLevel, StreamPlan, StreamWay, select, select_rank,
};
pub use shape::Shape;

use crate::error::{Error, Result};

/// The most blocks that a launch can have: 2^31 − 1.
pub const MAX_GRID: u32 = i32::MAX as u32;

/// Areas of scratch memory begin at multiples of this many bytes, as separate allocations would.
pub const ALIGNMENT: u64 = 256;

/// Blocks of `tile` elements that cover `n`. Fails where a launch cannot have that many; `what` names the operation
/// in the error.
///
/// ```
/// assert_eq!(gridsort::plan::grid("sort", 1025, 256)?, 5);
/// assert!(gridsort::plan::grid("sort", 1 << 60, 256).is_err());
/// # Ok::<(), gridsort::Error>(())
/// ```
pub fn grid(what: &'static str, n: u64, tile: u32) -> Result<u32> {
    let tile = u64::from(tile.max(1));
    match u32::try_from(n.div_ceil(tile)) {
        Ok(blocks) if blocks <= MAX_GRID => Ok(blocks),
        _ => Err(Error::TooLarge { what, n, limit: tile * u64::from(MAX_GRID) }),
    }
}

/// Bytes of `n` elements of `size` bytes, rounded up to [`ALIGNMENT`]. Fails where they exceed what an address can
/// reach.
///
/// ```
/// assert_eq!(gridsort::plan::area_bytes("sort", 65, 4)?, 512);
/// assert!(gridsort::plan::area_bytes("sort", u64::MAX, 4).is_err());
/// # Ok::<(), gridsort::Error>(())
/// ```
pub fn area_bytes(what: &'static str, n: u64, size: u64) -> Result<u64> {
    // Half of the address space, as for every allocation in Rust; the sum of a few areas then fits 64 bits too.
    const LIMIT: u64 = (i64::MAX as u64) / 4;
    n.checked_mul(size)
        .filter(|&bytes| bytes <= LIMIT)
        .map(|bytes| bytes.next_multiple_of(ALIGNMENT))
        .ok_or(Error::TooLarge { what, n, limit: LIMIT / size.max(1) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn grids_cover_every_element_once() {
        for (n, blocks) in [(0, 0), (1, 1), (255, 1), (256, 1), (257, 2)] {
            assert_eq!(grid("test", n, 256).unwrap(), blocks);
        }
        let most = 256 * u64::from(MAX_GRID);
        assert_eq!(grid("test", most, 256).unwrap(), MAX_GRID);
        let error = grid("test", most + 1, 256).unwrap_err();
        assert!(matches!(error, Error::TooLarge { limit, .. } if limit == most));
        assert!(grid("test", u64::MAX, 1).is_err());
    }

    #[test]
    fn areas_are_aligned_and_checked() {
        assert_eq!(area_bytes("test", 0, 8).unwrap(), 0);
        assert_eq!(area_bytes("test", 1, 8).unwrap(), 256);
        assert_eq!(area_bytes("test", 1 << 40, 8).unwrap(), 1 << 43);
        assert!(area_bytes("test", 1 << 61, 8).is_err());
        assert!(area_bytes("test", u64::MAX, 1).is_err());
    }
}
