//! Bitonic sorts as kernels of their own: each warp, or each block, sorts a segment of the array by nothing but
//! compare-exchanges.
//!
//! They are what the textbook sorts small pieces with, offered to be measured against the
//! [tile sort](crate::merge::tile_sort) by merging: n log² n comparators in a fixed pattern without a branch, against
//! n log n steps that each depend on the one before.
//!
//! Keys with a payload travel as keys with their position in the segment, which breaks ties: both kernels are stable,
//! no pad carries a payload out, and the two lanes of an exchange never tie.
mod block;
mod elements;
mod segment;
mod warp;

pub use block::{block_sort, block_sort_shared_bytes};
pub use warp::{warp_sort, warp_sort_shared_bytes};
