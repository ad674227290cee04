//! Fetching by position: what applies an order to other columns.
mod bits;
mod elements;

pub(crate) use bits::GatherBits;
