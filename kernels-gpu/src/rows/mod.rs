//! Rows of a matrix that fit a warp or a block, each sorted for itself.
//!
//! Wider rows are sorted by the merge sort's kernels, all at once: see [`batch`](crate::batch).
pub mod block;
mod carry;
pub mod warp;

pub use carry::{Carried, Matrix, Row, carried, listed};
