//! Ids, the block's barrier, fences.
use super::super::block::Thread;
use core::panic::Location;

/// Number of the thread in its block.
#[track_caller]
#[inline]
pub fn thread_idx_x() -> u32 {
    Thread::current().id
}

/// Number of the block in the grid.
#[track_caller]
#[inline]
pub fn block_idx_x() -> u32 {
    Thread::current().block().index.get()
}

/// Threads of a block.
#[track_caller]
#[inline]
pub fn block_dim_x() -> u32 {
    Thread::current().block().dim.get()
}

/// Blocks of the grid.
#[track_caller]
#[inline]
pub fn grid_dim_x() -> u32 {
    Thread::current().block().grid.get()
}

/// Waits for all threads of the block and orders their accesses to shared and global memory.
#[track_caller]
#[inline]
pub fn sync_threads() {
    Thread::current().sync_threads(Location::caller());
}

/// Orders this thread's accesses as seen by its block.
#[track_caller]
#[inline]
pub fn block_fence() {
    Thread::current().fence(super::super::sync::Scope::Block);
}

/// Orders this thread's accesses as seen by the whole device.
#[track_caller]
#[inline]
pub fn device_fence() {
    core::sync::atomic::fence(core::sync::atomic::Ordering::SeqCst);
    Thread::current().fence(super::super::sync::Scope::Device);
}

/// Suspends the thread; what a loop that polls memory calls. Here it lets the other threads run, whatever `ns` says.
#[track_caller]
#[inline]
pub fn nanosleep(_ns: u32) {
    Thread::current().spin(Location::caller());
}

/// Waits until the thread's asynchronous copies have arrived. Other threads see them after the next barrier.
#[track_caller]
#[inline]
pub fn async_copies_done() {
    let thread = Thread::current();
    #[cfg(feature = "mutate")]
    if thread.block().context().skips(Location::caller()) {
        return;
    }
    thread.finish_copies();
}

/// The same value, of which the compiler knows nothing: keeps a loop from being unrolled.
#[inline]
pub fn opaque(v: u32) -> u32 {
    core::hint::black_box(v)
}

/// The smaller and the greater of two words.
#[inline]
pub fn min_max(a: u64, b: u64) -> (u64, u64) {
    (a.min(b), a.max(b))
}
