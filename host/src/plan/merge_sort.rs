//! The merge sort: one tile sort, then passes that merge runs, ping-pong between two areas.
use super::{Shape, area_bytes, grid};
use crate::error::{Error, Result};
use gridsort_kernels::tuning::PARTITION_THREADS;

const WHAT: &str = "merge sort";

/// One of the two areas that passes go back and forth between.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Area {
    /// The caller's buffer, where the result must end.
    Data,
    /// Scratch memory.
    Scratch,
}

impl Area {
    /// The area that a pass from this one writes.
    ///
    /// ```
    /// use gridsort::plan::Area;
    ///
    /// assert_eq!(Area::Data.other(), Area::Scratch);
    /// ```
    pub fn other(self) -> Self {
        match self {
            Area::Data => Area::Scratch,
            Area::Scratch => Area::Data,
        }
    }
}

/// The tile sorts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TileSort {
    /// That for a single small tile: tiles of [`Shape::small_tile`].
    Small,
    /// That before passes that merge two runs: tiles of [`Shape::tile`].
    TwoWay,
    /// That before passes that merge more runs at once: tiles of [`Shape::kway_tile`].
    Kway,
}

/// How a pass merges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Merge {
    /// Two runs at once; blocks find their own cuts.
    TwoWay {
        /// Blocks.
        grid: u32,
    },
    /// More runs at once; kernels before the merge find the cuts of all blocks.
    Kway {
        /// Runs merged at once: 4, 8 or 16.
        runs: u32,
        /// Tiles of a full group of runs.
        tiles: u32,
        /// Tile boundaries of all groups: where the runs must be cut.
        boundaries: u64,
        /// Boundaries are searched for in two steps: every one of this number first. 1 where one step does it.
        stride: u32,
        /// Blocks of the search.
        partition_grid: u32,
        /// Blocks of the merge.
        grid: u32,
    },
    /// More runs at once, by an engine of McGridsort: kernels before the merge find the cuts of all pieces, and write where
    /// each piece of each run is.
    Engine {
        /// Runs merged at once: 4, 8, 16 or 32.
        runs: u32,
        /// Keys of a piece.
        piece: u32,
        /// Pieces of a full group of runs.
        tiles: u32,
        /// Boundaries of pieces of all groups: where the runs must be cut.
        boundaries: u64,
        /// As for the other merge of more than two.
        stride: u32,
        /// Blocks of the search.
        partition_grid: u32,
        /// Pieces of all groups.
        pieces: u32,
        /// Blocks of the kernel that lays out the pieces.
        pieces_grid: u32,
        /// Blocks of the merge.
        grid: u32,
    },
}

/// One pass: neighbouring runs in `from` become longer runs in the other area.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergePass {
    /// Keys of a run before the pass; the last run may be shorter.
    pub run: u64,
    /// Where the runs are.
    pub from: Area,
    /// Whether this is the last pass, which gives keys their own bits back.
    pub last: bool,
    /// How it merges.
    pub merge: Merge,
}

impl Merge {
    /// Blocks of its largest launch.
    pub(super) fn widest_grid(&self) -> u32 {
        match *self {
            Merge::TwoWay { grid } => grid,
            Merge::Kway { partition_grid, grid, .. } => grid.max(partition_grid),
            Merge::Engine { partition_grid, pieces_grid, grid, .. } => grid.max(partition_grid).max(pieces_grid),
        }
    }

    /// The same merges for each of `rows` arrays: how, and how many words their cuts take.
    ///
    /// # Errors
    /// [`Error::TooLarge`], and for other merges than [`Merge::Kway`], whose kernels know one array.
    fn of_rows(&self, rows: u64) -> Result<(Merge, u64)> {
        let one = Error::TooLarge { what: WHAT, n: rows, limit: 1 };
        let Merge::Kway { runs, tiles, boundaries, stride, grid: blocks, .. } = *self else { return Err(one) };
        let boundaries = boundaries.saturating_mul(rows);
        let words = boundaries.saturating_mul(u64::from(runs));
        let partition_grid = grid(WHAT, words, PARTITION_THREADS)?;
        let grid = grid(WHAT, rows.saturating_mul(blocks.into()), 1)?;
        Ok((Merge::Kway { runs, tiles, boundaries, stride, partition_grid, grid }, words))
    }
}

impl MergePass {
    /// Keys of a run after the pass.
    ///
    /// ```
    /// use gridsort::plan::{Area, Merge, MergePass};
    ///
    /// let pass = MergePass { run: 100, from: Area::Data, last: true, merge: Merge::TwoWay { grid: 1 } };
    /// assert_eq!(pass.merged_run(), 200);
    /// ```
    pub fn merged_run(&self) -> u64 {
        self.run.saturating_mul(match self.merge {
            Merge::TwoWay { .. } => 2,
            Merge::Kway { runs, .. } | Merge::Engine { runs, .. } => u64::from(runs),
        })
    }
}

/// The launches of one merge sort.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeSortPlan {
    /// Keys to sort.
    pub n: u64,
    /// The tile sort that makes the first runs.
    pub tiles: TileSort,
    /// Blocks of the tile sort; 0 where there is nothing to sort.
    pub tile_grid: u32,
    /// Where the tile sort writes: chosen such that the last pass ends in [`Area::Data`].
    pub tiles_to: Area,
    /// The merge passes, in order.
    pub passes: Vec<MergePass>,
    /// Scratch memory for keys, bytes.
    pub key_scratch_bytes: u64,
    /// Scratch memory for payloads, bytes; it lies behind the keys'.
    pub payload_scratch_bytes: u64,
    /// Scratch memory for cuts, and for what says where the pieces of an engine are, bytes; it lies behind the payloads'.
    pub cuts_scratch_bytes: u64,
    /// Scratch memory in all, bytes.
    pub scratch_bytes: u64,
}

impl MergeSortPlan {
    /// The sort of `rows` arrays of `n` keys each, by the same launches.
    pub(super) fn of_rows(&self, rows: u64, shape: &Shape) -> Result<Self> {
        let mut plan = self.clone();
        plan.tile_grid = grid(WHAT, rows.saturating_mul(self.tile_grid.into()), 1)?;
        let mut cuts = 0;
        for pass in &mut plan.passes {
            let (merge, words) = pass.merge.of_rows(rows)?;
            pass.merge = merge;
            cuts = cuts.max(words);
        }
        plan.reserve(rows, cuts, shape)?;
        Ok(plan)
    }

    /// Sets the scratch memory for `rows` arrays, and `cuts` words of cuts.
    fn reserve(&mut self, rows: u64, cuts: u64, shape: &Shape) -> Result<()> {
        let moved = if self.passes.is_empty() { 0 } else { self.n.saturating_mul(rows) };
        self.key_scratch_bytes = area_bytes(WHAT, moved, shape.key_bytes)?;
        self.payload_scratch_bytes = area_bytes(WHAT, moved, shape.payload_bytes)?;
        self.cuts_scratch_bytes = area_bytes(WHAT, cuts, size_of::<u64>() as u64)?;
        self.scratch_bytes = self.key_scratch_bytes + self.payload_scratch_bytes + self.cuts_scratch_bytes;
        Ok(())
    }
}

/// Plans the merge sort of `n` keys.
///
/// Passes merge two runs at once where `n` is small, for such a pass is one launch. From [`Shape::kway_from`] keys on,
/// memory traffic decides, and passes merge up to sixteen runs. Each pass changes the area, and the tile sort may work
/// in place or not; so it starts in whichever area makes the last pass end in the caller's buffer, and nothing is
/// copied. A single tile needs no scratch memory.
///
/// ```
/// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::{self, Area, Shape}};
///
/// let shape = Shape::of(KeyWidth::W32, PayloadWidth::None, Tiles::Full);
/// let tile = u64::from(shape.tile);
/// let plan = plan::merge_sort(3 * tile + 1, &shape)?;
/// assert_eq!((plan.tile_grid, plan.tiles_to), (4, Area::Data));
/// assert_eq!(plan.passes.iter().map(|pass| pass.run).collect::<Vec<_>>(), [tile, 2 * tile]);
/// // 2^28 keys take four passes of sixteen runs each.
/// assert_eq!(plan::merge_sort(1 << 28, &shape)?.passes.len(), 4);
/// # Ok::<(), gridsort::Error>(())
/// ```
pub fn merge_sort(n: u64, shape: &Shape) -> Result<MergeSortPlan> {
    let kway = n >= shape.kway_from.max(1) && n > u64::from(shape.kway_tile);
    let tiles = if kway {
        TileSort::Kway
    } else if n <= u64::from(shape.small_tile) {
        TileSort::Small
    } else {
        TileSort::TwoWay
    };
    let radices = |doublings| if kway { kway_radices(doublings) } else { vec![2; doublings as usize] };
    passes(n, shape, first_tile(tiles, shape), radices, |run, runs| {
        if kway {
            kway_merge(n, run, runs, shape)
        } else {
            Ok((Merge::TwoWay { grid: grid(WHAT, n, shape.merge_tile)? }, 0))
        }
    })
}

/// A tile sort, and keys of its tiles.
pub(super) fn first_tile(tiles: TileSort, shape: &Shape) -> (TileSort, u32) {
    let tile = match tiles {
        TileSort::Small => shape.small_tile,
        TileSort::TwoWay => shape.tile,
        TileSort::Kway => shape.kway_tile,
    };
    (tiles, tile)
}

/// Plans a sort that begins with a tile sort. `radices` says how many runs each pass merges to double them so many times;
/// `merge` says, of the keys of a run and the number of runs, how a pass merges and how many words its cuts take.
pub(super) fn passes(
    n: u64,
    shape: &Shape,
    (tiles, tile): (TileSort, u32),
    radices: impl Fn(u32) -> Vec<u32>,
    merge: impl Fn(u64, u32) -> Result<(Merge, u64)>,
) -> Result<MergeSortPlan> {
    let tile_grid = grid(WHAT, n, tile)?;
    // Runs double from here on until they reach n, which a grid has bounded to 63 bits: no run overflows 64.
    let doublings = tile_grid.max(1).next_power_of_two().trailing_zeros();
    let merges = radices(doublings);
    let tiles_to = if merges.len().is_multiple_of(2) { Area::Data } else { Area::Scratch };

    let mut passes = Vec::with_capacity(merges.len());
    let (mut from, mut run, mut cuts) = (tiles_to, u64::from(tile), 0);
    for (index, &runs) in merges.iter().enumerate() {
        let (merge, words) = merge(run, runs)?;
        cuts = cuts.max(words);
        let pass = MergePass { run, from, last: index + 1 == merges.len(), merge };
        run = pass.merged_run();
        from = from.other();
        passes.push(pass);
    }
    debug_assert_eq!(from, Area::Data);

    let mut plan = MergeSortPlan {
        n,
        tiles,
        tile_grid,
        tiles_to,
        passes,
        key_scratch_bytes: 0,
        payload_scratch_bytes: 0,
        cuts_scratch_bytes: 0,
        scratch_bytes: 0,
    };
    plan.reserve(1, cuts, shape)?;
    Ok(plan)
}

/// How many runs each pass merges, so that all together merge 2^`doublings`: as few passes as possible, wide ones first
/// (a first pass has short groups, and a wide one fills its tiles better), none wider than it must be.
pub(super) fn kway_radices(doublings: u32) -> Vec<u32> {
    let (sixteens, rest) = (doublings as usize / 4, doublings % 4);
    let mut radices = vec![16; sixteens];
    match (rest, sixteens) {
        (0, _) => {}
        // Thirty-two is cheaper by eight and four than by sixteen and two.
        (1, 1..) => {
            radices.pop();
            radices.extend([8, 4]);
        }
        (1 | 2, _) => radices.push(4),
        _ => radices.push(8),
    }
    radices
}

/// A pass that merges `runs` runs of `run` keys at once, and how many cuts it needs.
pub(super) fn kway_merge(n: u64, run: u64, runs: u32, shape: &Shape) -> Result<(Merge, u64)> {
    merge_by_tiles(n, run, runs, shape.tile_of(runs))
}

/// The same by a kernel for tiles of `tile` keys.
fn merge_by_tiles(n: u64, run: u64, runs: u32, tile: u32) -> Result<(Merge, u64)> {
    let group = run.saturating_mul(u64::from(runs));
    let groups = n.div_ceil(group);
    let tiles = grid(WHAT, group.min(n), tile)?;
    // Not more blocks than an even tiling of n would have, and one for each group.
    let blocks = groups.saturating_mul(u64::from(tiles));
    let boundaries = groups.saturating_mul(u64::from(tiles) + 1);
    let merge = Merge::Kway {
        runs,
        tiles,
        boundaries,
        // Two steps pay where a search in one step would start from long runs.
        stride: if tiles > 64 { 16 } else { 1 },
        partition_grid: grid(WHAT, boundaries.saturating_mul(u64::from(runs)), PARTITION_THREADS)?,
        grid: grid(WHAT, blocks, 1)?,
    };
    Ok((merge, boundaries.saturating_mul(u64::from(runs))))
}

/// The merge of a table's `runs` runs, `n` keys in all, by a kernel for tiles of `tile` keys, and how many cuts it needs.
pub(crate) fn merge_of_table(n: u64, runs: u32, tile: u32) -> Result<(Merge, u64)> {
    merge_by_tiles(n, n, runs, tile)
}

/// Bytes of scratch memory that sorting `n` keys takes: one more copy of keys and payloads and, for many keys, the cuts
/// of one pass, some hundredths of that; or nothing where they fit one tile.
///
/// ```
/// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::{Shape, scratch_bytes}};
///
/// let shape = Shape::of(KeyWidth::W64, PayloadWidth::W32, Tiles::Full);
/// assert_eq!(scratch_bytes(1024, &shape)?, 0);
/// assert_eq!(scratch_bytes(1 << 20, &shape)?, (8 + 4) << 20);
/// # Ok::<(), gridsort::Error>(())
/// ```
pub fn scratch_bytes(n: u64, shape: &Shape) -> Result<u64> {
    merge_sort(n, shape).map(|plan| plan.scratch_bytes)
}

#[cfg(test)]
mod tests;
