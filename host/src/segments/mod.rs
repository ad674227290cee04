//! Segments of an array: each sorted for itself. One file an operation, and the launches that they share.
mod argsort;
mod check;
mod cpu;
mod job;
mod keys;
mod offsets;
mod pairs;
mod scratch;

pub use offsets::{Offset, Segments};
