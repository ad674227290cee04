//! Sorting by columns on the CPU: one sort by a comparison over all of them.
use super::HostColumn;
use crate::sort::Position;
use rayon::prelude::*;
use std::cmp::Ordering;

impl HostColumn<'_> {
    fn is_valid(&self, row: usize) -> bool {
        self.validity.is_none_or(|(bits, first)| bits[(first + row) / 8] >> ((first + row) % 8) & 1 != 0)
    }

    /// How two rows compare by this column alone.
    fn compare(&self, x: usize, y: usize) -> Ordering {
        match (self.is_valid(x), self.is_valid(y)) {
            (true, true) => {
                let order = (self.kind.compare)(self.values, x, y);
                if self.options.descending { order.reverse() } else { order }
            }
            (false, false) => Ordering::Equal,
            (x_valid, _) if x_valid == self.options.nulls_first => Ordering::Greater,
            _ => Ordering::Less,
        }
    }
}

/// Writes the order of rows by columns that have a row for each place of `order`. Positions break ties, so a sort in place is
/// stable.
pub(super) fn lexsort<I: Position>(columns: &[HostColumn<'_>], order: &mut [I]) {
    order.par_iter_mut().enumerate().for_each(|(i, place)| *place = I::from_index(i));
    if columns.is_empty() {
        return;
    }
    order.par_sort_unstable_by(|&x, &y| {
        let by_columns = columns.iter().map(|column| column.compare(x.index(), y.index())).find(|order| order.is_ne());
        by_columns.unwrap_or_else(|| x.cmp(&y))
    });
}
