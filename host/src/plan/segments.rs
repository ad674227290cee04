//! Sorts of segments: how much there can be to do, where nobody on the host knows how long a segment is.
use super::shape::KWAY_RUNS;
use super::{Shape, area_bytes, grid};
use crate::error::{Error, Result};
use gridsort_kernels::batch::{HEADER, RECORD, SEGMENT_RUNS, most_units, passes};
use gridsort_kernels::segments::{Bounds, CLASSES, COUNTERS};
use gridsort_kernels::tuning::{PARTITION_THREADS, ROW_WARPS, RowTuning, SEGMENT_THREADS};

const WHAT: &str = "sort of segments";

/// The kernel that sorts the segments of a class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClassSort {
    /// A few lanes to a segment.
    Warps {
        /// Which of the kernels for narrow rows.
        kernel: usize,
        /// Lanes to a segment.
        lanes: u32,
    },
    /// A block to a segment: which of the kernels.
    Blocks(usize),
}

/// The segments of up to some length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Class {
    /// The longest.
    pub longest: u32,
    /// What sorts them.
    pub sort: ClassSort,
    /// Blocks, for as many as there can be.
    pub grid: u32,
    /// Where its list is, in words from the first.
    pub list: u64,
}

/// A pass over all segments that are longer than its runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SegmentPass {
    /// Elements of a run before the pass.
    pub run: u64,
    /// Tiles of a full group of runs.
    pub tiles: u32,
}

/// Launches for the segments that no class has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LongSegments {
    /// Units of all, at most: blocks of the tile sort and of each pass, and boundaries that are searched for.
    pub units: u32,
    /// Blocks of the search.
    pub partition_grid: u32,
    /// The passes, as many as the longest segment can want.
    pub passes: Vec<SegmentPass>,
}

/// The launches and the scratch memory of a sort of segments. Offsets are in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentsPlan {
    /// Elements that a unit of the table has at least.
    pub tile: u32,
    /// Blocks of the kernel that looks at the segments.
    pub classify_grid: u32,
    /// The bounds of the classes.
    pub bounds: Bounds,
    /// The classes.
    pub classes: Vec<Class>,
    /// What is done with longer ones; `None` where there can be none.
    pub long: Option<LongSegments>,
    /// Where the lists lie, behind the counters.
    pub lists: u64,
    /// Where the table lies.
    pub table: u64,
    /// Where the keys of an argsort are sorted.
    pub keys: u64,
    /// Where the other area for keys lies.
    pub other_keys: u64,
    /// Where the other area for payloads lies.
    pub other_payloads: u64,
    /// Where the cuts lie.
    pub cuts: u64,
    /// Scratch memory in all.
    pub scratch_bytes: u64,
}

/// Classes for the kernels that there are.
fn classes(tuning: Option<&RowTuning>) -> Vec<(u32, ClassSort)> {
    let Some(tuning) = tuning else { return Vec::new() };
    let of_lanes = |kernel: usize, longest: u32| {
        (longest, ClassSort::Warps { kernel, lanes: longest.div_ceil(tuning.warps[kernel].items).max(1) })
    };
    let mut classes: Vec<_> = (0..).zip(tuning.warp_keys).map(|(kernel, keys)| of_lanes(kernel, keys)).collect();
    // The last kernel's rows differ most.
    classes.insert(ROW_WARPS - 1, of_lanes(ROW_WARPS - 1, tuning.narrow() / 4));
    classes.extend((0..).zip(&tuning.blocks).map(|(i, shape)| (shape.tile(), ClassSort::Blocks(i))));
    // Tiny ones for tests overlap.
    let mut longest = 0;
    classes.retain(|&(bound, _)| {
        let more = bound > longest;
        longest = longest.max(bound);
        more
    });
    classes
}

/// Plans the sort of `count` segments of an array of `n` keys. `rows_by` are the shapes of the kernels for rows, where there are
/// any; with `argsort`, keys are sorted in scratch memory.
///
/// ```
/// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::{self, Shape}};
/// use gridsort_kernels::tuning::ROWS_32;
///
/// let shape = Shape::of(KeyWidth::W32, PayloadWidth::None, Tiles::Full);
/// let plan = plan::sort_segments(1 << 28, 1 << 20, &shape, Some(&ROWS_32), false)?;
/// assert_eq!((plan.classes.len(), plan.long.map(|long| long.passes.len())), (14, Some(4)));
/// // None of a thousand keys is too long for a block.
/// assert!(plan::sort_segments(1000, 9, &shape, Some(&ROWS_32), false)?.long.is_none());
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`].
pub fn sort_segments(
    n: u64,
    count: u64,
    shape: &Shape,
    rows_by: Option<&RowTuning>,
    argsort: bool,
) -> Result<SegmentsPlan> {
    let sorts = classes(rows_by);
    let bounds = Bounds::new(&sorts.iter().map(|&(longest, _)| longest).collect::<Vec<_>>());
    let mut classes = Vec::with_capacity(sorts.len());
    let mut words = 0;
    for (c, &(longest, sort)) in (0..).zip(&sorts) {
        let most = bounds.most(c, count, n);
        if most > u32::MAX.into() {
            return Err(Error::TooLarge { what: WHAT, n: most, limit: u32::MAX.into() });
        }
        let segments_of_block = match (sort, rows_by) {
            (ClassSort::Warps { kernel, lanes }, Some(tuning)) => tuning.warps[kernel].threads / lanes,
            _ => 1,
        };
        classes.push(Class { longest, sort, grid: grid(WHAT, most, segments_of_block)?, list: words });
        words += 2 * most;
    }

    let tile = shape.kway_tile.min(shape.kway_merge_tiles[KWAY_RUNS.len() - 1]);
    let most_long = bounds.most(CLASSES, count, n);
    let long = (most_long > 0).then(|| long_segments(n, most_long, tile, shape)).transpose()?;
    let passes = long.as_ref().is_some_and(|long| !long.passes.is_empty());
    let moved = if passes { n } else { 0 };
    let units = long.as_ref().map_or(0, |long| u64::from(long.units));

    let area = |n: u64, size: u64| area_bytes(WHAT, n, size);
    let lists = area(COUNTERS.into(), 4)?;
    let table = lists + area(words, 8)?;
    let keys = table + area(HEADER + RECORD * most_long, 8)?;
    let other_keys = keys + if argsort && long.is_some() { area(n, shape.key_bytes)? } else { 0 };
    let other_payloads = other_keys + area(moved, shape.key_bytes)?;
    let cuts = other_payloads + area(moved, shape.payload_bytes)?;
    let scratch_bytes = cuts + if passes { area(units.saturating_mul(SEGMENT_RUNS.into()), 8)? } else { 0 };
    let classify_grid = grid(WHAT, count, SEGMENT_THREADS)?;
    Ok(SegmentsPlan {
        tile,
        classify_grid,
        bounds,
        classes,
        long,
        lists,
        table,
        keys,
        other_keys,
        other_payloads,
        cuts,
        scratch_bytes,
    })
}

/// The launches for up to `count` long segments of `n` keys together.
fn long_segments(n: u64, count: u64, tile: u32, shape: &Shape) -> Result<LongSegments> {
    let units = grid(WHAT, most_units(n, count, tile.into()), 1)?;
    let partition_grid = grid(WHAT, u64::from(units) * u64::from(SEGMENT_RUNS), PARTITION_THREADS)?;
    let merge_tile = shape.kway_merge_tiles[KWAY_RUNS.len() - 1];
    let first = u64::from(shape.kway_tile);
    let mut run = first;
    let passes = (0..passes(n, first)).map(|_| {
        let group = run.saturating_mul(SEGMENT_RUNS.into());
        let pass = SegmentPass { run, tiles: grid(WHAT, group.min(n.max(1)), merge_tile)? };
        run = group;
        Ok(pass)
    });
    Ok(LongSegments { units, partition_grid, passes: passes.collect::<Result<_>>()? })
}
