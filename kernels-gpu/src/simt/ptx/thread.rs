//! Ids, the block's barrier, fences.
use core::arch::{asm, nvptx};

/// Number of the thread in its block.
#[inline(always)]
pub fn thread_idx_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_thread_idx_x() as u32 }
}
/// Number of the block in the grid.
#[inline(always)]
pub fn block_idx_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_block_idx_x() as u32 }
}
/// Threads of a block.
#[inline(always)]
pub fn block_dim_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_block_dim_x() as u32 }
}
/// Blocks of the grid.
#[inline(always)]
pub fn grid_dim_x() -> u32 {
    // SAFETY: reads a special register.
    unsafe { nvptx::_grid_dim_x() as u32 }
}
/// Waits for all threads of the block and orders their accesses to shared and global memory.
#[inline(always)]
pub fn sync_threads() {
    // SAFETY: bar.sync 0; that all threads reach it is the kernel's to ensure, and the emulator checks it.
    unsafe { nvptx::_syncthreads() }
}
/// Orders this thread's accesses as seen by its block.
#[inline(always)]
pub fn block_fence() {
    // SAFETY: a fence has no operands.
    unsafe { asm!("fence.acq_rel.cta;", options(nostack)) }
}
/// Orders this thread's accesses as seen by the whole device.
#[inline(always)]
pub fn device_fence() {
    // SAFETY: a fence has no operands.
    unsafe { asm!("fence.acq_rel.gpu;", options(nostack)) }
}
/// Suspends the thread for about `ns` nanoseconds; what a loop that polls memory calls.
#[inline(always)]
pub fn nanosleep(ns: u32) {
    // SAFETY: no memory is touched.
    unsafe { asm!("nanosleep.u32 {};", in(reg32) ns, options(nostack)) }
}
/// Waits until the thread's asynchronous copies ([`Shared::copy_async`](super::Shared::copy_async)) have arrived. Other
/// threads see them after the next barrier.
#[inline(always)]
pub fn async_copies_done() {
    // SAFETY: it only waits.
    unsafe { asm!("cp.async.wait_all;", options(nostack, preserves_flags)) }
}
/// The same value, of which the compiler knows nothing: keeps a loop from being unrolled.
#[inline(always)]
pub fn opaque(v: u32) -> u32 {
    let r: u32;
    // SAFETY: a register move.
    unsafe { asm!("mov.u32 {}, {};", out(reg32) r, in(reg32) v, options(nostack, nomem, pure, preserves_flags)) };
    r
}
