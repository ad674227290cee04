//! What looking things up in sorted data launches and takes.
use super::{area_bytes, grid};
use crate::error::Result;

const RUNS: &str = "runs of equal keys";

/// The launches that find runs of equal keys: a count of tiles, a sum over them by one block, and a write by tiles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RunsPlan {
    /// Blocks of the count and of the write, one a tile; 0 where there are no keys.
    pub grid: u32,
    /// Where in scratch memory each tile's note of its last run begins, bytes; `None` where no lengths are asked for. Counts
    /// are at its start.
    pub notes: Option<u64>,
    /// Scratch memory, bytes.
    pub scratch_bytes: u64,
}

/// Plans the search for runs of equal keys among `n` keys, by tiles of `tile`, with or without the runs' `lengths`.
///
/// ```
/// use gridsort::plan::runs;
///
/// let plan = runs(1 << 32, 4096, true)?;
/// assert_eq!((plan.grid, plan.notes, plan.scratch_bytes), (1 << 20, Some(8 << 20), 16 << 20));
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`](crate::Error::TooLarge).
pub fn runs(n: u64, tile: u32, lengths: bool) -> Result<RunsPlan> {
    let grid = grid(RUNS, n, tile)?;
    let counts = area_bytes(RUNS, grid.into(), size_of::<u64>() as u64)?;
    let notes = lengths.then_some(counts);
    Ok(RunsPlan { grid, notes, scratch_bytes: counts + notes.map_or(0, |_| counts) })
}

/// Blocks of a search for `m` queries, `tile` of them a block at a time: at most `most`, which then go on to further ones.
///
/// ```
/// use gridsort::plan::bounds_grid;
///
/// assert_eq!(bounds_grid(1000, 256, 2048), 4);
/// assert_eq!(bounds_grid(1 << 40, 256, 2048), 2048);
/// ```
pub fn bounds_grid(m: u64, tile: u32, most: u32) -> u32 {
    // The smaller of the two fits 32 bits.
    m.div_ceil(u64::from(tile.max(1))).min(most.into()) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::plan::MAX_GRID;

    #[test]
    fn notes_lie_behind_counts() {
        for n in [0, 1, 128, 129, 10_000, 1 << 33] {
            let (alone, measured) = (runs(n, 128, false).unwrap(), runs(n, 128, true).unwrap());
            assert_eq!(u64::from(alone.grid), n.div_ceil(128));
            assert_eq!((alone.grid, alone.notes), (measured.grid, None));
            assert!(alone.scratch_bytes >= 8 * u64::from(alone.grid));
            assert_eq!(measured.notes, Some(alone.scratch_bytes));
            assert_eq!(measured.scratch_bytes, 2 * alone.scratch_bytes);
        }
    }

    #[test]
    fn limits() {
        let most = 4096 * u64::from(MAX_GRID);
        assert_eq!(runs(most, 4096, true).unwrap().grid, MAX_GRID);
        assert!(
            matches!(runs(most + 1, 4096, true), Err(Error::TooLarge { n, limit, .. }) if (n, limit) == (most + 1, most))
        );
        assert_eq!(bounds_grid(0, 256, 7), 0);
        assert_eq!(bounds_grid(u64::MAX, 1, 7), 7);
    }
}
