//! The items that kernels see, emulated: the same as those of the machine for NVIDIA GPUs.
//!
//! Everything here is `#[track_caller]`, so that a report names the kernel's line. A helper between a kernel and these
//! functions that wants its caller named instead of itself carries the attribute too.
mod atomic;
mod global;
mod raw;
mod shared;
pub mod thread;
pub mod warp;

pub use global::Global;
pub use shared::{Shared, SharedCursor};
