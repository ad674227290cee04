//! Merging k sorted runs at once, so that memory is read and written once where a tree of two-way merges does so
//! log2(k) times.
//!
//! [`select`](mod@select) finds where an output position cuts each of the k runs; [`partition`] does so for the
//! boundary of every tile; [`tile`] merges one tile's pieces in shared memory, four at a time by [`four`]; [`pass`] is
//! the merge sort's pass built from them. [`inputs`] names runs that are no neighbours: the user's, in a merge of many;
//! [`restore`] ends one that an order which contradicts itself has broken.
pub mod four;
pub mod inputs;
pub mod partition;
pub mod pass;
pub mod restore;
pub mod select;
mod stage;
pub mod tile;
