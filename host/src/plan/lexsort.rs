//! What a sort by several columns takes.
use super::{Shape, area_bytes, grid, merge_sort};
use crate::error::Result;
use crate::key::{KeyWidth, PayloadWidth, key_bytes, payload_bytes};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::nulls::{GROUP, TILE};
use gridsort_kernels::tuning::NULLS_THREADS;

const WHAT: &str = "sort by columns";

/// The scratch memory of a sort by columns, area behind area, and the grids of what is launched beside the sorts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LexsortPlan {
    /// Rows.
    pub n: u64,
    /// A copy of the widest column's keys, bytes.
    pub key_bytes: u64,
    /// What the sort that takes most takes, bytes.
    pub sort_bytes: u64,
    /// A bit for each row, whether it has a value, bytes; 0 where no column has nulls.
    pub marks_bytes: u64,
    /// How many values each tile of rows has, bytes.
    pub counts_bytes: u64,
    /// How many values stand before each group of tiles, bytes.
    pub starts_bytes: u64,
    /// Tiles of rows, in which nulls are counted.
    pub tiles: u64,
    /// Blocks of the kernels that count and set apart nulls.
    pub nulls_grid: u32,
    /// Blocks of the kernel that writes positions, where there are no columns.
    pub positions_grid: u32,
    /// All of it, bytes.
    pub scratch_bytes: u64,
}

/// Plans the sort of `n` rows by columns, of each of which the width is told and whether it has nulls. `positions` is the
/// width of the order.
///
/// Each column is one sort of its keys, in the order that the columns behind it gave, with the positions.
///
/// ```
/// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::lexsort};
///
/// let columns = [(KeyWidth::W32, false), (KeyWidth::W64, true)];
/// let plan = lexsort(1 << 20, &columns, PayloadWidth::W32, Tiles::Full)?;
/// assert_eq!(plan.key_bytes, 8 << 20);
/// assert_eq!(plan.sort_bytes, (8 + 4) << 20);
/// assert_eq!(plan.marks_bytes, (1 << 20) / 8);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`](crate::Error::TooLarge).
pub fn lexsort(n: u64, columns: &[(KeyWidth, bool)], positions: PayloadWidth, tiles: Tiles) -> Result<LexsortPlan> {
    let (mut key_area, mut sort_area) = (0, 0);
    for &(width, nulls) in columns {
        key_area = key_area.max(area_bytes(WHAT, n, key_bytes(width))?);
        let sort = merge_sort(n, &Shape::of(width, positions, tiles))?;
        // Where nulls were set apart, positions begin in the place that is scratch memory for positions afterwards.
        let moved = if nulls { area_bytes(WHAT, n, payload_bytes(positions))? } else { 0 };
        sort_area = sort_area.max(sort.scratch_bytes).max(sort.key_scratch_bytes + moved);
    }
    let nulls = if columns.iter().any(|&(_, nulls)| nulls) { n } else { 0 };
    let tiles = nulls.div_ceil(u64::from(TILE));
    let groups = tiles.div_ceil(u64::from(GROUP));
    let marks_bytes = area_bytes(WHAT, nulls.div_ceil(32), 4)?;
    let counts_bytes = area_bytes(WHAT, tiles, 4)?;
    let starts_bytes = area_bytes(WHAT, if nulls > 0 { groups + 1 } else { 0 }, 8)?;
    Ok(LexsortPlan {
        n,
        key_bytes: key_area,
        sort_bytes: sort_area,
        marks_bytes,
        counts_bytes,
        starts_bytes,
        tiles,
        nulls_grid: bits_grid(nulls)?,
        positions_grid: grid(WHAT, n, NULLS_THREADS)?,
        scratch_bytes: key_area + sort_area + marks_bytes + counts_bytes + starts_bytes,
    })
}

/// Blocks of the kernels for columns with nulls, which have a warp for each tile of rows.
pub(crate) fn bits_grid(n: u64) -> Result<u32> {
    grid("fetch of bits by position", n, NULLS_THREADS / 32 * TILE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn areas_hold_the_most_that_a_column_takes() {
        let plan = |n, columns: &[_]| lexsort(n, columns, PayloadWidth::W32, Tiles::Full).unwrap();
        // One tile: keys are copied, and positions where nulls are set apart.
        assert_eq!(plan(100, &[(KeyWidth::W64, false)]).scratch_bytes, 1024);
        let nulls = plan(100, &[(KeyWidth::W64, true)]);
        assert_eq!((nulls.key_bytes, nulls.sort_bytes), (1024, 512));
        assert_eq!((nulls.marks_bytes, nulls.counts_bytes, nulls.starts_bytes), (256, 256, 256));
        // The widest decides, whichever has nulls.
        let [wide, narrow] = [KeyWidth::W128, KeyWidth::W8];
        let both = plan(1 << 20, &[(wide, false), (narrow, true)]);
        assert_eq!(both.key_bytes, 16 << 20);
        assert_eq!(both.sort_bytes, plan(1 << 20, &[(wide, true)]).sort_bytes);
        assert_eq!((both.tiles, both.nulls_grid), (1 << 10, 1 << 7));
        assert_eq!(plan(1 << 20, &[]).scratch_bytes, 0);
        assert_eq!(plan(0, &[(wide, true)]).scratch_bytes, 0);
    }

    #[test]
    fn more_rows_than_32_bits_can_count() {
        let columns = [(KeyWidth::W8, true)];
        let plan = lexsort(1 << 36, &columns, PayloadWidth::W64, Tiles::Full).unwrap();
        assert_eq!((plan.tiles, plan.nulls_grid), (1 << 26, 1 << 23));
        assert!(lexsort(u64::MAX / 4, &columns, PayloadWidth::W64, Tiles::Full).is_err());
    }
}
