//! Adds up the counts of tiles.
use super::GROUP;
use crate::sample::scan::warp_inclusive_sum;
use crate::simt::{FULL_WARP, Global, WARP, warp};

/// Sets word `g` of `starts` to the sum of the counts of all tiles before group `g`, for each group and one more: the last
/// word is the sum of all.
///
/// One warp does it: it reads a word for each thousand elements.
///
/// # Safety
/// The grid is one block of one warp. `counts` has `tiles` words, `starts` one for each group and one more.
#[inline(always)]
pub unsafe fn sum_counts(counts: Global<u32>, starts: Global<u64>, tiles: u64) {
    let lane = warp::lane_id();
    let groups = tiles.div_ceil(GROUP as u64);
    let mut before = 0u64;
    let mut first = 0;
    while first < groups {
        let group = first + lane as u64;
        let mut sum = 0;
        for k in 0..GROUP {
            let tile = group * GROUP as u64 + k as u64;
            if tile < tiles {
                sum += counts.get(tile) as u64;
            }
        }
        let through = before + warp_inclusive_sum(sum);
        if group < groups {
            starts.set(group, through - sum);
        }
        before = warp::warp_shuffle_idx(FULL_WARP, through, WARP - 1);
        first += WARP as u64;
    }
    if lane == 0 {
        starts.set(groups, before);
    }
}
