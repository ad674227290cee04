//! Collectives of the 32 threads that run together. Every lane that `mask` names must make the same call.
use super::thread;
use crate::simt::Plain;
use crate::simt::plain::{from_all_words, to_all_words};
use core::mem::size_of;

#[allow(improper_ctypes)]
unsafe extern "C" {
    #[link_name = "llvm.nvvm.shfl.sync.bfly.i32"]
    fn llvm_shfl_bfly(mask: i32, v: i32, arg: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.up.i32"]
    fn llvm_shfl_up(mask: i32, v: i32, arg: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.down.i32"]
    fn llvm_shfl_down(mask: i32, v: i32, arg: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.shfl.sync.idx.i32"]
    fn llvm_shfl_idx(mask: i32, v: i32, arg: i32, clamp: i32) -> i32;
    #[link_name = "llvm.nvvm.match.any.sync.i32"]
    fn llvm_match_any(mask: i32, v: i32) -> i32;
    #[link_name = "llvm.nvvm.vote.ballot.sync"]
    fn llvm_ballot(mask: i32, p: bool) -> i32;
    #[link_name = "llvm.nvvm.vote.all.sync"]
    fn llvm_all(mask: i32, p: bool) -> bool;
    #[link_name = "llvm.nvvm.vote.any.sync"]
    fn llvm_any(mask: i32, p: bool) -> bool;
    #[link_name = "llvm.nvvm.bar.warp.sync"]
    fn llvm_sync_warp(mask: i32);
    #[link_name = "llvm.nvvm.redux.sync.add"]
    fn llvm_redux_add(v: i32, mask: i32) -> i32;
    #[link_name = "llvm.nvvm.redux.sync.umin"]
    fn llvm_redux_min(v: i32, mask: i32) -> i32;
    #[link_name = "llvm.nvvm.redux.sync.umax"]
    fn llvm_redux_max(v: i32, mask: i32) -> i32;
}

/// Number of the thread in its warp (blocks are one-dimensional).
#[inline(always)]
pub fn lane_id() -> u32 {
    thread::thread_idx_x() & 31
}
/// Waits for the lanes of `mask` and orders their accesses to memory.
#[inline(always)]
pub fn sync_warp(mask: u32) {
    // SAFETY: a convergent intrinsic; the mask's condition is the module's.
    unsafe { llvm_sync_warp(mask as i32) }
}
macro_rules! shuffle {
    ($(#[$doc:meta])* $name:ident, $intrinsic:ident, $clamp:expr) => {
        $(#[$doc])*
        #[inline(always)]
        pub fn $name<T: Plain>(mask: u32, v: T, arg: u32) -> T {
            let mut w = to_all_words(v);
            let words = (size_of::<T>() + 3) / 4;
            let mut i = 0;
            while i < words {
                // SAFETY: a convergent intrinsic; the mask's condition is the module's.
                w[i] = unsafe { $intrinsic(mask as i32, w[i] as i32, arg as i32, $clamp) } as u32;
                i += 1;
            }
            from_all_words(w)
        }
    };
}
shuffle!(
    /// The value of lane `lane_id() ^ arg`.
    warp_shuffle_xor, llvm_shfl_bfly, 31);
shuffle!(
    /// The value of lane `lane_id() - arg`; the lane's own where that is below 0.
    warp_shuffle_up, llvm_shfl_up, 0);
shuffle!(
    /// The value of lane `lane_id() + arg`; the lane's own where that is above 31.
    warp_shuffle_down, llvm_shfl_down, 31);
shuffle!(
    /// The value of lane `arg & 31`.
    warp_shuffle_idx, llvm_shfl_idx, 31);
/// Bit `l` is lane `l`'s predicate; 0 for lanes outside `mask`.
#[inline(always)]
pub fn warp_vote_ballot(mask: u32, p: bool) -> u32 {
    // SAFETY: as above.
    unsafe { llvm_ballot(mask as i32, p) as u32 }
}
/// Whether all lanes of `mask` say true.
#[inline(always)]
pub fn warp_vote_all(mask: u32, p: bool) -> bool {
    // SAFETY: as above.
    unsafe { llvm_all(mask as i32, p) }
}
/// Whether any lane of `mask` says true.
#[inline(always)]
pub fn warp_vote_any(mask: u32, p: bool) -> bool {
    // SAFETY: as above.
    unsafe { llvm_any(mask as i32, p) }
}
/// The lanes of `mask` that hold the same value as this one.
#[inline(always)]
pub fn warp_match_any(mask: u32, v: u32) -> u32 {
    // SAFETY: as above.
    unsafe { llvm_match_any(mask as i32, v as i32) as u32 }
}
/// The sum over the lanes of `mask`, wrapping.
#[inline(always)]
pub fn warp_reduce_add(mask: u32, v: u32) -> u32 {
    // SAFETY: as above.
    unsafe { llvm_redux_add(v as i32, mask as i32) as u32 }
}
/// The minimum over the lanes of `mask`.
#[inline(always)]
pub fn warp_reduce_min(mask: u32, v: u32) -> u32 {
    // SAFETY: as above.
    unsafe { llvm_redux_min(v as i32, mask as i32) as u32 }
}
/// The maximum over the lanes of `mask`.
#[inline(always)]
pub fn warp_reduce_max(mask: u32, v: u32) -> u32 {
    // SAFETY: as above.
    unsafe { llvm_redux_max(v as i32, mask as i32) as u32 }
}
