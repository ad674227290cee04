//! NVIDIA GPUs: each function is one intrinsic or one PTX instruction.
//!
//! Barriers, shuffles and votes are LLVM intrinsics and not inline assembly: the compiler knows them as convergent and
//! neither duplicates nor moves them. Shared memory has no statics in Rust, and a generic pointer to it stays generic
//! (slow `LD`/`ST`), so views carry the 32-bit shared address and access it by `ld.shared`/`st.shared`.
mod atomic;
mod global;
mod heads;
mod shared;
pub mod thread;
pub mod warp;

pub use global::Global;
pub use shared::{Shared, SharedCursor};
