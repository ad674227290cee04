//! What a caller may choose of each column.
use crate::options::Direction;

/// How a column is sorted: ascending with nulls first unless said otherwise, as in Arrow.
///
/// The place of nulls does not depend on the direction: first is first in both.
///
/// ```
/// use gridsort::ColumnOptions;
///
/// let options = ColumnOptions::new().descending().nulls_last();
/// assert_eq!(options, ColumnOptions { descending: true, nulls_first: false });
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ColumnOptions {
    /// Largest values first.
    pub descending: bool,
    /// Nulls before all values; else behind them.
    pub nulls_first: bool,
}

impl ColumnOptions {
    /// Ascending, nulls first.
    ///
    /// ```
    /// use gridsort::ColumnOptions;
    ///
    /// assert_eq!(ColumnOptions::new(), ColumnOptions { descending: false, nulls_first: true });
    /// ```
    pub fn new() -> Self {
        Self { descending: false, nulls_first: true }
    }

    /// With the largest values first.
    ///
    /// ```
    /// assert!(gridsort::ColumnOptions::new().descending().descending);
    /// ```
    pub fn descending(self) -> Self {
        Self { descending: true, ..self }
    }

    /// With nulls before all values.
    ///
    /// ```
    /// assert!(gridsort::ColumnOptions::new().nulls_first().nulls_first);
    /// ```
    pub fn nulls_first(self) -> Self {
        Self { nulls_first: true, ..self }
    }

    /// With nulls behind all values.
    ///
    /// ```
    /// assert!(!gridsort::ColumnOptions::new().nulls_last().nulls_first);
    /// ```
    pub fn nulls_last(self) -> Self {
        Self { nulls_first: false, ..self }
    }

    pub(super) fn direction(self) -> Direction {
        if self.descending { Direction::Descending } else { Direction::Ascending }
    }
}

impl Default for ColumnOptions {
    fn default() -> Self {
        Self::new()
    }
}
