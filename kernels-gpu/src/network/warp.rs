//! Bitonic sorts and merges across the 32 lanes of a warp, by shuffles.
//!
//! Each lane holds `V` elements, `V` a power of two up to 32. Positions are lane-major: element `r` of lane `l` is at position
//! `l * V + r`. So the shortest strides, which most comparators have, stay within a lane's registers, and only the
//! others take shuffles: 15 `V` a lane in a sort, 5 `V` in a merge.
//!
//! All lanes of the warp call these functions together. None is stable; [`Shuffle::keep`] says what happens on ties.
use super::shuffle::Shuffle;
use super::{bitonic, odd_even};
use crate::simt::warp::lane_id;

/// One layer of the network.
#[derive(Clone, Copy)]
struct Step {
    /// A lane's partner is `lane ^ mask`; 0: the remaining strides are within the lane.
    mask: u32,
    /// The bit of the lane's number that tells the upper lane of two.
    upper: u32,
    /// Whether register `r` meets the partner's register `V - 1 - r` instead of `r`.
    mirrored: bool,
}

/// Steps of the longest network, the sort: five joins of 1 + 0, …, 1 + 4 layers between lanes, and one within them each.
const MAX_STEPS: usize = 20;

type Steps = ([Step; MAX_STEPS], usize);

const NONE: Steps = ([Step { mask: 0, upper: 0, mirrored: false }; MAX_STEPS], 0);

/// Appends the half-cleaners that sort each bitonic block of `2 * lanes` lanes.
const fn clean(mut steps: Steps, mut lanes: u32) -> Steps {
    while lanes > 0 {
        steps.0[steps.1] = Step { mask: lanes, upper: lanes, mirrored: false };
        steps.1 += 1;
        lanes /= 2;
    }
    steps.1 += 1;
    steps
}

/// Steps that merge ascending runs of `first` lanes, then of twice that, until one run is left.
const fn joins(first: u32) -> Steps {
    let mut steps = NONE;
    let mut lanes = first;
    while lanes < 32 {
        steps.0[steps.1] = Step { mask: 2 * lanes - 1, upper: lanes, mirrored: true };
        steps.1 += 1;
        steps = clean(steps, lanes / 2);
        lanes *= 2;
    }
    steps
}

/// A network: joins of runs of `FIRST` lanes and longer; none where that is 32, but half-cleaners of the whole warp.
struct Network<const FIRST: u32>;
impl<const FIRST: u32> Network<FIRST> {
    const STEPS: Steps = if FIRST < 32 { joins(FIRST) } else { clean(NONE, 16) };
    /// The first join alone.
    const JOIN: Steps = first_join(Self::STEPS);
}

/// The steps up to the second join.
const fn first_join(mut steps: Steps) -> Steps {
    let mut s = 1;
    while s < steps.1 && !steps.0[s].mirrored {
        s += 1;
    }
    steps.1 = s;
    steps
}

/// Takes one step.
#[inline(always)]
#[track_caller]
fn take<E: Shuffle, const V: usize>(v: &mut [E; V], Step { mask, upper, mirrored }: Step) {
    const {
        assert!(
            V == 1 || V == 2 || V == 4 || V == 8 || V == 16 || V == 32,
            "a lane holds a power of two of elements, 32 at most"
        )
    }
    if mask == 0 {
        bitonic::merge(v);
        return;
    }
    let upper = lane_id() & upper != 0;
    let mine = *v;
    let mut r = 0;
    while r < V {
        let other = mine[if mirrored { V - 1 - r } else { r }].shuffle_xor(mask);
        v[r] = mine[r].keep(other, upper);
        r += 1;
    }
}

#[inline(always)]
#[track_caller]
fn walk<E: Shuffle, const V: usize, const FIRST: u32>(v: &mut [E; V]) {
    let mut s = 0;
    while s < Network::<FIRST>::STEPS.1 {
        take(v, Network::<FIRST>::STEPS.0[s]);
        s += 1;
    }
}

/// Merges each two neighbouring runs of `FIRST` lanes.
#[inline(always)]
#[track_caller]
fn join<E: Shuffle, const V: usize, const FIRST: u32>(v: &mut [E; V]) {
    let mut s = 0;
    while s < Network::<FIRST>::JOIN.1 {
        take(v, Network::<FIRST>::JOIN.0[s]);
        s += 1;
    }
}

/// Sorts the warp's `32 * V` elements.
#[inline(always)]
#[track_caller]
pub fn sort<E: Shuffle, const V: usize>(v: &mut [E; V]) {
    odd_even::sort(v);
    walk::<E, V, 1>(v);
}

/// Sorts the `lanes * V` elements of each group of `lanes` neighbouring lanes: a power of two of them, the same for all.
#[inline(always)]
#[track_caller]
pub fn sort_groups<E: Shuffle, const V: usize>(v: &mut [E; V], lanes: u32) {
    odd_even::sort(v);
    // One join after the other, so that each stays straight code: a loop over all of them would take more registers.
    if lanes > 1 {
        join::<E, V, 1>(v);
    }
    if lanes > 2 {
        join::<E, V, 2>(v);
    }
    if lanes > 4 {
        join::<E, V, 4>(v);
    }
    if lanes > 8 {
        join::<E, V, 8>(v);
    }
    if lanes > 16 {
        join::<E, V, 16>(v);
    }
}

/// Sorts the warp's `32 * V` elements where they are a bitonic sequence: one that ascends and then descends, or any
/// rotation of such a one.
#[inline(always)]
#[track_caller]
pub fn merge<E: Shuffle, const V: usize>(v: &mut [E; V]) {
    walk::<E, V, 32>(v);
}

/// Merges the warp's two ascending halves: the elements of lanes 0 to 15 and those of lanes 16 to 31.
#[inline(always)]
#[track_caller]
pub fn merge_halves<E: Shuffle, const V: usize>(v: &mut [E; V]) {
    walk::<E, V, 16>(v);
}
