//! Matrices: every row sorted for itself. One file an operation, and the launches that they share.
mod argsort;
mod cpu;
mod job;
mod keys;
mod pairs;
mod scratch;
mod shape;

pub(crate) use job::{Carry, Ends};
pub(crate) use pairs::width_of;
pub use shape::Rows;
