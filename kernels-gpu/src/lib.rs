//! The GPU kernels of gridsort, in Rust.
//!
//! One source, two machines. For `nvptx64-nvidia-cuda` the crate is `no_std` and compiles to PTX; everywhere else the
//! same functions run thread by thread on the CPU, on the checked [`simt::emulator`]. Algorithms know neither: they are
//! written against [`simt`], the interface to the machine.
//!
//! The rooms, from the bottom up; an arrow only points down:
//! [`simt`] (the machine) ← [`order`] (keys) ← [`corank`], [`network`] ← [`tile`] ← [`merge`], [`kway`], [`grid`], [`bitonic`] ← [`entry`] (the exported
//! kernels). [`tuning`] holds the numbers: threads of a block and keys of a thread, read by kernels and host alike.
//!
//! Kernels are `unsafe fn`s: what makes them sound is the launch (buffers large enough, the block size of the tuning
//! table, enough shared memory), which only the caller can know. Inside them nearly every line is an access under that
//! one condition, so the crate does not repeat `unsafe {}` around each.
#![cfg_attr(target_arch = "nvptx64", no_std)]
#![cfg_attr(target_arch = "nvptx64", feature(abi_ptx, stdarch_nvptx, asm_experimental_arch, link_llvm_intrinsics))]
// `link_llvm_intrinsics`: a handful of NVPTX intrinsics that core does not name (see `simt::ptx`).
#![cfg_attr(target_arch = "nvptx64", allow(internal_features))]
#![allow(unsafe_op_in_unsafe_fn)]
// Without its own entries, or some of them, what they import stands unused.
#![cfg_attr(
    all(target_arch = "nvptx64", not(all(feature = "entry", feature = "grid"))),
    allow(unused_imports, unused_macros, dead_code)
)]
// A thread's registers and its slots of a tile are walked by one index: an iterator over either would hide the other.
#![allow(clippy::needless_range_loop)]

#[doc(hidden)]
pub use bytemuck;

pub mod batch;
pub mod bitonic;
pub mod corank;
pub mod entry;
pub mod gather;
pub mod grid;
pub mod guard;
pub mod kway;
pub mod merge;
pub mod network;
pub mod nulls;
pub mod order;
pub mod rows;
pub mod sample;
pub mod search;
pub mod segments;
pub mod select;
pub mod simt;
pub mod sorted;
pub mod tile;
pub mod tuning;

#[cfg(target_arch = "nvptx64")]
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // Kernels are built so that no panic is reachable; the handler only satisfies the linker.
    loop {}
}
