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
/// The smaller and the greater of two words, by one comparison.
///
/// Whoever writes a comparison and two selections of 64-bit words gets two comparisons: compiler and assembler both make
/// `min` and `max` of them, for which the machine has no instruction. Selecting halves hides what it is.
#[inline(always)]
pub fn min_max(a: u64, b: u64) -> (u64, u64) {
    let (low, high): (u64, u64);
    // SAFETY: registers only.
    unsafe {
        asm!(
            "{{",
            ".reg .pred swap;",
            ".reg .b32 a0, a1, b0, b1, low0, low1, high0, high1;",
            "mov.b64 {{a0, a1}}, {a};",
            "mov.b64 {{b0, b1}}, {b};",
            "setp.lt.u64 swap, {b}, {a};",
            "selp.b32 low0, b0, a0, swap;",
            "selp.b32 low1, b1, a1, swap;",
            "selp.b32 high0, a0, b0, swap;",
            "selp.b32 high1, a1, b1, swap;",
            "mov.b64 {low}, {{low0, low1}};",
            "mov.b64 {high}, {{high0, high1}};",
            "}}",
            a = in(reg64) a, b = in(reg64) b, low = out(reg64) low, high = out(reg64) high,
            options(nostack, nomem, pure, preserves_flags)
        )
    };
    (low, high)
}
