//! The CPU as a GPU: runs kernels thread by thread and checks what they do.
//!
//! Each emulated thread is a coroutine on a small stack of its own. It runs until it waits, at a barrier, in a warp
//! collective or by polling memory, and then the next one runs; a block stays on one OS thread, several OS threads run
//! several blocks. [`launch`] runs a kernel of a list, [`run`] any closure; [`allocate`] and its neighbours are the
//! device's memory. [`Config`] says in which order threads and blocks run: each seed is another legal schedule.
//!
//! # What is reported
//! A [`Fault`] names the kernel, the block and thread with its line, and the other thread concerned with its line.
//!
//! | fault | in detail |
//! |---|---|
//! | [`FaultKind::Race`] | shared memory between two barriers, to the byte, atomic against plain access, ordered by `sync_threads`, by `sync_warp` of any mask, by release and acquire in the block; global memory between the threads of a block and between the blocks of a launch |
//! | [`FaultKind::BarrierDivergence`] | a barrier that not all threads reach, two barriers at once, a barrier against a collective |
//! | [`FaultKind::WarpDivergence`], [`FaultKind::LaneExited`], [`FaultKind::LaneNotInMask`] | collectives with different masks or operations; whose mask names a lane that returned, or not the caller, or not a shuffle's source |
//! | [`FaultKind::OutOfBounds`], [`FaultKind::UseAfterFree`], [`FaultKind::Misaligned`] | views and cursors of shared memory, the block's shared memory, allocations; also with `checks` off |
//! | [`FaultKind::Unwritten`] | reads of shared memory that nothing in the block wrote, of global memory that nothing ever wrote |
//! | [`FaultKind::CopyInFlight`] | an access to what `copy_async` writes, or a return, without `async_copies_done`; what other threads do in between is a race |
//! | [`FaultKind::Deadlock`] | every thread that could run polls memory that nobody is left to change |
//! | [`FaultKind::Panic`] | a panic in a kernel |
//!
//! A stack overflow ends the process with a message that names the kernel.
//!
//! # How races between blocks are found
//! Two accesses of which one writes, and not both are atomic, must be ordered: by a barrier or `sync_warp` within a
//! block; between blocks by a release that an acquire reads. A release is an atomic store or update with `Release`, or a
//! relaxed one after `device_fence` in the same thread; an acquire likewise. What one thread released or acquired, its
//! block's barriers pass on, as on the GPU. So a missing release, acquire, fence or barrier shows as a race of the
//! accesses that it should have ordered, whichever values the run happened to see. The modules `clock`, `knowledge`,
//! `sync` and `global_shadow` say how, and what is kept of each access; no race is invented, a few can be missed:
//! those of a third concurrent reader or atomic writer of one word, and those that one schedule does not show because
//! an unlucky order of releases happened to order them. Run several seeds.
//!
//! What is not modelled: time, caches, and that weakly ordered accesses may be seen late. Two launches that share
//! memory must not run at once; nothing looks for races between launches.
//!
//! # Speed
//! Measured on one of two cores of a machine that was busy with other work, in processor time, release build, blocks of
//! 256 threads, everything checked (without checks): a barrier 13 (13) ns a thread, a shuffle 13 (13), a load and a store
//! of shared memory together 7 (3), of global memory 24 (4), to start and end a thread 40 to 50. A block-wide merge sort
//! of 2048 keys a tile does 2.1 (4.4) million random u32 keys a second, 1.6 (3.8) of u64, a scan by look-back 7.7 (20);
//! two OS threads do nearly twice that. The race shadow of global memory
//! takes 8 bytes for each byte that a checked launch touches, and 32 more where it is accessed in units below 4 bytes; the
//! first touch of a page costs more than the checks.
pub mod device;

mod access;
mod block;
mod clock;
mod config;
mod copies;
mod entries;
mod fault;
mod global_shadow;
mod hook;
mod knowledge;
mod launch;
mod memory;
#[cfg(feature = "mutate")]
pub mod mutate;
mod scheduler;
mod shadow;
mod source;
mod stack;
mod sync;
mod warp;
mod written;

pub use config::{Config, Launch, Schedule};
pub use fault::{Fault, FaultKind, LaunchError, Party, Site};
pub use launch::{launch, run};
pub use memory::{allocate, copy, free, read, write};
