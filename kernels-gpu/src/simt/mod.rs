//! The machine that kernels see: threads in warps of 32, warps in blocks with shared memory, blocks in a grid.
//!
//! Everything a kernel does that a CPU program cannot is a function or type of this module. There are two machines
//! behind it with the same items: `ptx` for NVIDIA GPUs, where each is one intrinsic or PTX instruction, and
//! [`emulator`] for the CPU, where each is checked. Names follow rust-cuda's `cuda_std` where it has one, so that its
//! implementation could be put under this interface without touching an algorithm.
//!
//! | item | what it is |
//! |---|---|
//! | [`thread`] | ids, [`thread::sync_threads`], fences |
//! | [`warp`] | lane id, shuffles, votes, ballot, match, reduce, `sync_warp` |
//! | [`Shared`], [`SharedCursor`] | typed views of the block's shared memory |
//! | [`Global`] | a typed pointer into device memory |
//! | [`atomic`] | atomic operations on both, with orderings and scopes |
//! | [`Plain`], [`Word`], [`Param`] | what may stand in memory, be operated on atomically, be a kernel's parameter |
pub mod atomic;
mod plain;
pub use plain::{MAX_PLAIN, Plain, Word, word_bytes, zeroed};

#[cfg(target_arch = "nvptx64")]
mod ptx;
#[cfg(target_arch = "nvptx64")]
pub use ptx::{Global, Shared, SharedCursor, thread, warp};

#[cfg(not(target_arch = "nvptx64"))]
pub mod emulator;
#[cfg(not(target_arch = "nvptx64"))]
pub use emulator::device::{Global, Shared, SharedCursor, thread, warp};

#[cfg(not(target_arch = "nvptx64"))]
mod kernel;
#[cfg(not(target_arch = "nvptx64"))]
pub use kernel::{Arg, Kernel, Param, ParamKind};

/// All 32 lanes of a warp.
pub const FULL_WARP: u32 = !0;

/// Threads of a warp.
pub const WARP: u32 = 32;
