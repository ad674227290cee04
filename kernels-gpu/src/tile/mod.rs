//! One tile in shared memory: what a block sorts or merges at a time.
//!
//! [`element`] says what a tile holds and how it lies in shared memory: keys alone, [`tagged`] with their position, or
//! [`paired`] with their payload; [`payload`] chooses among them. [`merge`](mod@merge) merges two runs of a tile,
//! [`sort`](mod@sort) and [`warp_sort`] sort all of it.
pub mod element;
pub mod merge;
pub mod paired;
pub mod payload;
pub mod planes;
pub mod sort;
pub mod tagged;
pub mod warp_sort;
