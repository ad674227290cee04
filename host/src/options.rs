//! What a caller may choose.
use crate::engine::Engine;
use crate::error::Error;
use std::fmt;
use std::str::FromStr;

/// Which end of the order comes first.
///
/// Descending is the exact reverse of the order of the keys, not of the result: equal keys keep the order of the
/// input in both directions.
///
/// ```
/// use gridsort::Direction;
///
/// assert_eq!("descending".parse::<Direction>().unwrap(), Direction::Descending);
/// assert_eq!(Direction::default().to_string(), "ascending");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Smallest first.
    #[default]
    Ascending,
    /// Largest first.
    Descending,
}

/// How to sort.
///
/// ```
/// use gridsort::Algorithm;
///
/// assert_eq!("merge".parse::<Algorithm>().unwrap(), Algorithm::Merge);
/// assert!("bogo".parse::<Algorithm>().is_err());
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Algorithm {
    /// The one expected to be fastest for the keys, their number and the device.
    #[default]
    Auto,
    /// Tiles sorted in shared memory, then merged pass by pass. Of all algorithms it takes least scratch memory: a copy of what
    /// is sorted and at most a twentieth more. The price of asking for it where [`Algorithm::Auto`] would take a sample sort,
    /// measured on an H200 with 2^28 keys: 1.6 times as long for `u32`, 1.8 for `u64`, 1.9 and 2.1 for them with a
    /// `u32` each.
    ///
    /// ```
    /// use gridsort::{Algorithm, Device};
    ///
    /// let (device, n) = (Device::emulator(), 1 << 28);
    /// let lean = device.sort_scratch_bytes_by::<u32>(n, Algorithm::Merge)?;
    /// let fast = device.sort_scratch_bytes_by::<u32>(n, Algorithm::Sample)?;
    /// let keys = 4 * n as u64;
    /// assert!(lean < keys * 105 / 100 && fast > keys * 135 / 100);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    Merge,
    /// Keys thrown into buckets by splitters drawn from a sample, level by level, then bucket by bucket sorted: for keys of
    /// 32 and 64 bits, alone or with payloads, which it sorts stably, and for keys of 128 bits alone. Memory is touched
    /// a fixed few times; from about 2^30 keys on the second level's buckets come out too large for that, and the merge sort
    /// is faster.
    Sample,
    /// As [`Algorithm::Merge`], with passes that an engine of McGridsort merges, to compare them (`docs/mcgridsort.md`): by sixteen or
    /// thirty-two runs at a time, at every size. Takes the scratch memory that [`plan::grid_sort`](crate::plan::grid_sort)
    /// says. `grid` alone is the fastest of them, `grid:ti16` the one of that name.
    ///
    /// ```
    /// use gridsort::{Algorithm, Device, Engine, SortOptions};
    ///
    /// assert_eq!("grid:tile".parse::<Algorithm>()?, Algorithm::Grid(Engine::Tile));
    /// let mut keys = [3u32, 1, 2];
    /// let options = SortOptions::new().algorithm(Algorithm::Grid(Engine::Tile));
    /// Device::emulator().sort(&mut keys, options)?;
    /// assert_eq!(keys, [1, 2, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    Grid(Engine),
}

/// The options of a sort or a merge: ascending and [`Algorithm::Auto`] unless said otherwise.
///
/// ```
/// use gridsort::{Algorithm, Device, SortOptions};
///
/// let mut keys = [2, 3, 1];
/// let options = SortOptions::new().descending().algorithm(Algorithm::Merge);
/// Device::cpu().sort(&mut keys, options)?;
/// assert_eq!(keys, [3, 2, 1]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct SortOptions {
    /// Which end of the order comes first.
    pub direction: Direction,
    /// How to sort.
    pub algorithm: Algorithm,
    /// What a sample sort draws its samples by: the same seed, the same buckets of the first level. Keys come out the same by any.
    pub seed: u64,
}

impl SortOptions {
    /// Ascending, by the algorithm expected to be fastest.
    ///
    /// ```
    /// use gridsort::{Direction, SortOptions};
    ///
    /// assert_eq!(SortOptions::new().direction, Direction::Ascending);
    /// ```
    pub fn new() -> Self {
        Self::default()
    }

    /// Sorts in this direction.
    ///
    /// ```
    /// use gridsort::{Direction, SortOptions};
    ///
    /// let options = SortOptions::new().direction(Direction::Descending);
    /// assert_eq!(options, SortOptions::new().descending());
    /// ```
    pub fn direction(mut self, direction: Direction) -> Self {
        self.direction = direction;
        self
    }

    /// Sorts with the largest key first.
    ///
    /// ```
    /// use gridsort::{Direction, SortOptions};
    ///
    /// assert_eq!(SortOptions::new().descending().direction, Direction::Descending);
    /// ```
    pub fn descending(self) -> Self {
        self.direction(Direction::Descending)
    }

    /// Sorts by this algorithm.
    ///
    /// ```
    /// use gridsort::{Algorithm, SortOptions};
    ///
    /// assert_eq!(SortOptions::new().algorithm(Algorithm::Merge).algorithm, Algorithm::Merge);
    /// ```
    pub fn algorithm(mut self, algorithm: Algorithm) -> Self {
        self.algorithm = algorithm;
        self
    }

    /// Draws samples by this seed.
    ///
    /// ```
    /// use gridsort::SortOptions;
    ///
    /// assert_eq!(SortOptions::new().seed(7).seed, 7);
    /// ```
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }
}

impl fmt::Display for Direction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Direction::Ascending => "ascending",
            Direction::Descending => "descending",
        })
    }
}

impl FromStr for Direction {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "ascending" => Ok(Direction::Ascending),
            "descending" => Ok(Direction::Descending),
            _ => Err(Error::UnknownName { what: "direction", found: text.into(), expected: "ascending or descending" }),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Algorithm::Auto => "auto",
            Algorithm::Merge => "merge",
            Algorithm::Sample => "sample",
            Algorithm::Grid(engine) => return f.pad(&format!("grid:{engine}")),
        })
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "auto" => Ok(Algorithm::Auto),
            "merge" => Ok(Algorithm::Merge),
            "sample" => Ok(Algorithm::Sample),
            "grid" => Ok(Algorithm::Grid(Engine::default())),
            grid if grid.starts_with("grid:") => Ok(Algorithm::Grid(grid["grid:".len()..].parse()?)),
            _ => Err(Error::UnknownName {
                what: "algorithm",
                found: text.into(),
                expected: "auto, merge, sample, grid or grid:ENGINE",
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        let grid = Engine::ALL.map(Algorithm::Grid);
        for algorithm in [Algorithm::Auto, Algorithm::Merge, Algorithm::Sample].into_iter().chain(grid) {
            assert_eq!(algorithm.to_string().parse::<Algorithm>().unwrap(), algorithm);
        }
        for direction in [Direction::Ascending, Direction::Descending] {
            assert_eq!(direction.to_string().parse::<Direction>().unwrap(), direction);
        }
    }

    #[test]
    fn an_unknown_name_says_what_is_known() {
        let error = "Merge".parse::<Algorithm>().unwrap_err();
        assert_eq!(error.to_string(), "unknown algorithm \"Merge\": expected auto, merge, sample, grid or grid:ENGINE");
        assert!("grid:".parse::<Algorithm>().is_err() && "grid:bogo".parse::<Algorithm>().is_err());
    }
}
