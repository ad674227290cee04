//! Prefix sums of a block.
use crate::simt::{FULL_WARP, Plain, Shared, WARP, thread, warp};
use core::ops::{Add, Sub};

/// The sum of `v` over the threads before this one. `sums` has a slot for each warp. The block was synchronised since `sums`
/// was used last.
///
/// # Safety
/// All `THREADS` threads of the block call it.
#[inline(always)]
pub unsafe fn exclusive_sum<T: Plain + Default + Add<Output = T> + Sub<Output = T>, const THREADS: u32>(
    v: T,
    sums: Shared<T>,
) -> T {
    let t = thread::thread_idx_x();
    let lane = t % WARP;
    let through = warp_inclusive_sum(v);
    if THREADS > WARP {
        if lane == WARP - 1 {
            sums.set(t / WARP, through);
        }
        thread::sync_threads();
        // Every warp adds up the sums of all: cheaper than a second barrier.
        let warps = THREADS / WARP;
        let sum = if lane < warps { sums.get(lane) } else { T::default() };
        let before = warp_inclusive_sum(sum) - sum;
        return warp::warp_shuffle_idx(FULL_WARP, before, t / WARP) + (through - v);
    }
    through - v
}

/// The sum of `v` over the lanes up to this one.
#[inline(always)]
pub fn warp_inclusive_sum<T: Plain + Default + Add<Output = T>>(v: T) -> T {
    let lane = warp::lane_id();
    let mut sum = v;
    let mut d = 1;
    while d < WARP {
        let below = warp::warp_shuffle_up(FULL_WARP, sum, d);
        sum = sum + if lane >= d { below } else { T::default() };
        d *= 2;
    }
    sum
}
