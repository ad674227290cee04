//! Kernels for keys with an order of their user's own: exported by one line in the user's own device crate.
//!
//! The kernels are those of gridsort's own keys, instantiated for the user's type: tile sort, two-way and k-way passes
//! (which merge a user's inputs too, by a table), the merge of two arrays and the search for disorder, for keys alone
//! and with payloads of 4 and 8 bytes. They are guarded ([`guard`](crate::guard)), so that no order can lose an
//! element. A sample sort's are a line of their own.
mod export;
mod guarded;
mod sample;
#[cfg(not(target_arch = "nvptx64"))]
mod sets;

#[doc(hidden)]
pub use guarded::{kway_pass, merge_pass, partition, tile_sort};
#[cfg(not(target_arch = "nvptx64"))]
pub use sample::OrderSampleKernels;
#[doc(hidden)]
pub use sample::{copy_buckets, level, settle};
#[cfg(not(target_arch = "nvptx64"))]
pub use sets::{OrderKernels, OrderSet};
