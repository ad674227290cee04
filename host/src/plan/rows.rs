//! Sorts of the rows of a matrix: which kernels, and how many blocks.
use super::merge_sort::{first_tile, kway_merge, kway_radices, passes};
use super::{MAX_GRID, MergeSortPlan, Shape, TileSort, area_bytes};
use crate::error::{Error, Result};
use gridsort_kernels::tuning::RowTuning;

const WHAT: &str = "sort of rows";

/// How the rows of a matrix are sorted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RowSort {
    /// There is nothing to move.
    Nothing,
    /// A few lanes of a warp to a row.
    Warps {
        /// Which of the kernels for narrow rows.
        kernel: usize,
        /// Lanes to a row.
        lanes: u32,
    },
    /// A block to a row: which of the kernels.
    Blocks(usize),
    /// By the merge sort's launches for one row, with blocks for many at once: see [`RowsPlan::merge`].
    Merge(MergeSortPlan),
}

/// The launches of a sort of rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RowsPlan {
    /// How.
    pub sort: RowSort,
    /// Rows that are sorted at once: launches have a limit, and for more rows they are repeated.
    pub rows_at_once: u64,
    /// Scratch memory, bytes: for as many rows.
    pub scratch_bytes: u64,
}

impl RowsPlan {
    /// The merge sort's launches for `rows` rows; `None` where they are sorted otherwise.
    ///
    /// # Errors
    /// [`Error::TooLarge`], not for up to [`RowsPlan::rows_at_once`].
    pub fn merge(&self, rows: u64, shape: &Shape) -> Result<Option<MergeSortPlan>> {
        match &self.sort {
            RowSort::Merge(one) => one.of_rows(rows, shape).map(Some),
            _ => Ok(None),
        }
    }
}

/// Plans the sort of `rows` rows of `columns` keys. `rows_by` are the shapes of the kernels for rows, where there are any.
///
/// Rows that fit a warp or a block are read and written once. Wider ones are sorted as one array is, tile sort and passes that
/// merge up to sixteen runs, by launches that have blocks for every row.
///
/// ```
/// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::{self, RowSort, Shape}};
/// use gridsort_kernels::tuning::ROWS_32;
///
/// let shape = Shape::of(KeyWidth::W32, PayloadWidth::None, Tiles::Full);
/// let sort = |rows, columns| plan::sort_rows(rows, columns, &shape, Some(&ROWS_32)).map(|plan| plan.sort);
/// assert_eq!(sort(7, 0)?, RowSort::Nothing);
/// assert!(matches!(sort(1 << 40, 256)?, RowSort::Warps { .. }));
/// assert!(matches!(sort(65_536, 4096)?, RowSort::Blocks(_)));
/// assert!(matches!(sort(16, 1 << 24)?, RowSort::Merge(_)));
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`].
pub fn sort_rows(rows: u64, columns: u64, shape: &Shape, rows_by: Option<&RowTuning>) -> Result<RowsPlan> {
    // A block takes one row, or more.
    let at_once = rows.min(MAX_GRID.into());
    let plan = |sort| Ok(RowsPlan { sort, rows_at_once: at_once, scratch_bytes: 0 });
    if rows == 0 || columns == 0 {
        return plan(RowSort::Nothing);
    }
    if let Some(tuning) = rows_by {
        if let Some(kernel) = tuning.warp_keys.iter().position(|&keys| columns <= u64::from(keys)) {
            let lanes = columns.div_ceil(tuning.warps[kernel].items.into()).next_power_of_two() as u32;
            return plan(RowSort::Warps { kernel, lanes });
        }
        let (widest, blocks) = (tuning.blocks.len() - 1, &tuning.blocks);
        let fits = blocks.iter().position(|shape| columns <= u64::from(shape.tile()));
        if let Some(block) = fits.filter(|&block| block < widest || columns >= u64::from(tuning.widest_from)) {
            return plan(RowSort::Blocks(block));
        }
    }
    let tiles = [TileSort::Small, TileSort::TwoWay, TileSort::Kway];
    let fits = |&tiles: &TileSort| columns <= u64::from(first_tile(tiles, shape).1);
    let tiles = tiles.into_iter().find(fits).unwrap_or(TileSort::Kway);
    let tile = first_tile(tiles, shape);
    let one = passes(columns, shape, tile, kway_radices, |run, runs| kway_merge(columns, run, runs, shape))?;
    // Blocks of a row in the launch that has most.
    let grids = one.passes.iter().map(|pass| u64::from(pass.merge.widest_grid()));
    let widest = grids.chain([one.tile_grid.into()]).max().unwrap_or(1);
    let at_once = rows.min(u64::from(MAX_GRID) / widest.max(1)).max(1);
    let scratch_bytes = one.of_rows(at_once, shape)?.scratch_bytes;
    Ok(RowsPlan { sort: RowSort::Merge(one), rows_at_once: at_once, scratch_bytes })
}

/// Bytes of scratch memory for a copy of `rows` × `columns` elements.
pub(crate) fn matrix_bytes(rows: u64, columns: u64, size: u64) -> Result<u64> {
    let n = rows.checked_mul(columns).ok_or(Error::TooLarge { what: WHAT, n: u64::MAX, limit: u64::MAX - 1 })?;
    area_bytes(WHAT, n, size)
}
