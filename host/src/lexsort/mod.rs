//! Sorts of rows by several columns: the order is that of the first column, ties are broken by the second, and so on.
//!
//! The last column is sorted first, and each one before it in the order so far: sorts are stable, so what a column leaves
//! tied stays as the columns behind it had it. A sort of one column is an argsort that starts from that order: keys are
//! fetched by it, and carry the positions along. The first sort starts from nothing, and needs no fetch.
//!
//! A column with nulls has a key for each row all the same, as wide as its values. The fetch sets nulls apart, before or
//! behind all values, and gives them the key at that end of the order; the sort then leaves them where they are, stable as
//! it is, and in front of (or behind) values with that very key. That takes a count of the nulls and a fetch that scatters:
//! less than a sort more by a flag, or a sort of keys twice as wide.
mod column;
mod cpu;
mod launch;
mod options;
mod sort;
#[cfg(test)]
mod tests;

pub use column::{HostColumn, SortColumn};
pub use options::ColumnOptions;
