//! The merge-sort kernels.
//!
//! [`tile_sort`](mod@tile_sort) makes sorted runs of one tile; [`piece`] merges one block's piece of two runs;
//! [`pass`] does so for neighbouring runs of one array, [`runs`] for two separate arrays; [`chapter`] has the textbook's
//! versions, one thread for each output position.
pub mod chapter;
pub mod pass;
pub mod piece;
pub mod runs;
pub mod tile_sort;
