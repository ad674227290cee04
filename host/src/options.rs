//! What a caller may choose.
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
    /// Tiles sorted in shared memory, then merged pass by pass.
    Merge,
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
        })
    }
}

impl FromStr for Algorithm {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        match text {
            "auto" => Ok(Algorithm::Auto),
            "merge" => Ok(Algorithm::Merge),
            _ => Err(Error::UnknownName { what: "algorithm", found: text.into(), expected: "auto or merge" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back() {
        for algorithm in [Algorithm::Auto, Algorithm::Merge] {
            assert_eq!(algorithm.to_string().parse::<Algorithm>().unwrap(), algorithm);
        }
        for direction in [Direction::Ascending, Direction::Descending] {
            assert_eq!(direction.to_string().parse::<Direction>().unwrap(), direction);
        }
    }

    #[test]
    fn an_unknown_name_says_what_is_known() {
        let error = "Merge".parse::<Algorithm>().unwrap_err();
        assert_eq!(error.to_string(), "unknown algorithm \"Merge\": expected auto or merge");
    }
}
