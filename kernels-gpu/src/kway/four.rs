//! A round of a tile's merge that takes four neighbouring runs at once.
//!
//! It moves every element once where two rounds of two would move it twice, which is what the pipe of shared memory
//! feels: a read at a place of its own for every lane, and a write. A thread finds where its piece begins in all four
//! ([`cut`]), then merges from four heads that it keeps sorted in registers ([`merge`]).
//!
//! All of it is for elements that are alike where they are equal ([`Element::SENTINEL`]): keys alone, in an order that is
//! trusted. Then a cut between equal elements may lie anywhere among them, and the end of a run needs no test of its own.
use crate::simt::{FULL_WARP, thread, warp};
use crate::tile::element::{Cursor, Element};
use core::hint::select_unpredictable as pick;

/// Positions in a search have this many parts.
const PARTS: u32 = 8;
/// The first step of a search that starts in proportion, in parts.
///
/// A step and those that follow, each five eighths of the one before, move a position by up to eight times the first. Of
/// runs that are alike, the cut lies off the proportion by a quarter of the total's root in standard deviation, and this
/// moves it by four of them or more for totals of up to 2^14.
#[inline(always)]
fn near(total: u32) -> u32 {
    5 * PARTS + total / 128
}

/// Four sorted runs in slots of a tile: where each begins, and its end, where a sentinel stands.
#[derive(Clone, Copy)]
pub struct Four {
    /// First slots.
    pub begin: [u32; 4],
    /// Slots of the sentinels.
    pub end: [u32; 4],
}

impl Four {
    /// Length of run `j`.
    #[inline(always)]
    fn len(&self, j: usize) -> u32 {
        self.end[j] - self.begin[j]
    }
    /// Elements of all runs.
    #[inline(always)]
    pub fn total(&self) -> u32 {
        self.len(0) + self.len(1) + self.len(2) + self.len(3)
    }
}

/// The slots at which the first `k` elements of the merge of four runs end in each of them; of equal elements, any may lie
/// before the cut.
///
/// Two parts. The first is a descent that all lanes walk in step: positions that sum to `k` start in proportion to the
/// lengths; then, with ever shorter steps, each two runs compare the elements at their positions, and the one with the
/// lesser element moves a step up, the other a step down. The sum stays, each round of steps takes four loads, and it ends
/// about an element from the cut where runs are alike. Where a run moved nearly as far as the steps reach, the descent is
/// walked again with steps as long as the runs. The second part makes it exact for any data: as long as the last
/// element before the cut is after the first one behind it, the two change sides, by strides that grow when there is
/// much to do. Each change lowers the sum of the ranks before the cut, so there is an end; of runs that are not sorted, which a
/// user may pass, the slots of some step are taken, all of them in their runs.
///
/// # Safety
/// All lanes of the warp call it. The slots from a run's first to its sentinel are in
/// the view, and nobody writes them before the next barrier; `k` is at most the sum of lengths.
#[inline(always)]
pub unsafe fn cut<E: Element>(view: E::View, runs: Four, k: u32) -> [u32; 4] {
    let rough = descend::<E>(view, runs, k);
    exchange::<E>(view, runs, k, rough)
}

/// The first part of [`cut`]: slots near the cut, in their runs. They need not sum to `k`.
///
/// # Safety
/// As [`cut`].
#[inline(always)]
unsafe fn descend<E: Element>(view: E::View, runs: Four, k: u32) -> [u32; 4] {
    let total = runs.total();
    // A tile has fewer than 2^15 elements: products with a share of 16 bits fit.
    let share = (k << 16) / total.max(1);
    let mut start = [0; 4];
    let mut sum = 0;
    let mut j = 0;
    while j < 4 {
        start[j] = ((runs.len(j) * share) >> 13) as i32;
        sum += start[j];
        j += 1;
    }
    start[0] += (PARTS * k) as i32 - sum;

    let mut at = start;
    // Opaque, or the two walks are compiled apart.
    let mut first = thread::opaque(near(total));
    let mut again = false;
    loop {
        let mut step = first;
        let mut reach = 0;
        while step > 2 {
            let mut below = [false; 4];
            let mut e = [E::end(); 4];
            let mut j = 0;
            while j < 4 {
                let slot = (runs.begin[j] + (at[j] >> 3).max(0) as u32).min(runs.end[j]);
                e[j] = E::at(view, slot).read();
                below[j] = at[j] < 0;
                j += 1;
            }
            let mut i = 0;
            while i < 3 {
                let mut j = i + 1;
                while j < 4 {
                    // Before a run everything is least; past it stands the sentinel. Of two equal elements the earlier
                    // run's is the lesser one.
                    let back = below[j] | (!below[i] & e[j].key_before(e[i]));
                    let by = if back { -(step as i32) } else { step as i32 };
                    at[i] += by;
                    at[j] -= by;
                    j += 1;
                }
                i += 1;
            }
            // Of the three steps that it could have moved each time.
            reach += 11 * step as i32 / 4;
            step = (step * 5) >> 3;
        }
        let far = |j: usize| (at[j] - start[j]).abs() > reach;
        if again || !warp::warp_vote_any(FULL_WARP, far(0) | far(1) | far(2) | far(3)) {
            break;
        }
        at = start;
        first = total;
        again = true;
    }
    // Sums are rounded, not positions: then those that are in their runs sum to k.
    let mut slots = [0; 4];
    let (mut sum, mut rounded) = (0, 0);
    let mut j = 0;
    while j < 4 {
        sum += at[j];
        let place = (sum >> 3) - rounded;
        rounded += place;
        slots[j] = (runs.begin[j] + place.max(0) as u32).min(runs.end[j]);
        j += 1;
    }
    slots
}

/// The second part of [`cut`], from any slots of the runs.
///
/// # Safety
/// As [`cut`].
#[inline(always)]
unsafe fn exchange<E: Element>(view: E::View, runs: Four, k: u32, mut slots: [u32; 4]) -> [u32; 4] {
    let [b0, b1, b2, b3] = runs.begin;
    // Elements that are missing before the cut, or too many.
    let mut missing = (k + b0 + b1 + b2 + b3) as i32 - (slots[0] + slots[1] + slots[2] + slots[3]) as i32;
    let mut stride = if missing.unsigned_abs() < 4 { 1 } else { 1 << missing.unsigned_abs().ilog2() };
    let mut trades = 0;
    // Runs that are not sorted may trade in a circle. Sorted ones never take as many steps, for strides grow: of 400 000 random
    // tiles of many distributions, from any slots, the worst took 80, and none more than a quarter of the bound.
    let mut left = 64 + runs.total();
    loop {
        left -= 1;
        if left == 0 {
            return slots;
        }
        // The run whose `stride` elements before the cut begin latest, and that whose `stride` behind it end first.
        let (mut give, mut take) = (0, 0);
        let (mut any_gives, mut any_takes) = (false, false);
        let (mut greatest, mut least) = (E::end(), E::end());
        let mut j = 0;
        while j < 4 {
            let slot = slots[j];
            let gives = slot - runs.begin[j] >= stride;
            let takes = runs.end[j] - slot >= stride;
            // Of no use where it does not give or take, but inside the run.
            let before = E::at(view, if gives { slot - stride } else { runs.end[j] }).read();
            let behind = E::at(view, if takes { slot + stride - 1 } else { runs.end[j] }).read();
            let later = gives & (!any_gives | greatest.key_before(before));
            give = if later { j as u32 } else { give };
            greatest = if later { before } else { greatest };
            any_gives |= gives;
            let earlier = takes & (!any_takes | behind.key_before(least));
            take = if earlier { j as u32 } else { take };
            least = if earlier { behind } else { least };
            any_takes |= takes;
            j += 1;
        }
        let trade = (missing == 0) & any_gives & any_takes & least.key_before(greatest);
        let given = if trade | (any_gives & (-missing >= stride as i32)) { stride } else { 0 };
        let taken = if trade | (any_takes & (missing >= stride as i32)) { stride } else { 0 };
        if given + taken == 0 {
            // By a stride of 1, what is missing is found: some run has it.
            if stride == 1 {
                return slots;
            }
            stride /= 2;
        }
        let mut j = 0;
        while j < 4 {
            slots[j] -= if j as u32 == give { given } else { 0 };
            slots[j] += if j as u32 == take { taken } else { 0 };
            j += 1;
        }
        missing += given as i32 - taken as i32;
        trades += trade as u32;
        stride <<= (trade & (trades > 3)) as u32;
    }
}

/// The first `N` elements of the merge of four runs from these slots on; sentinels once all have ended.
///
/// A run whose head is the sentinel, or equal to it, need not go on: all that is left in all runs is alike.
///
/// # Safety
/// The slots from the given ones to the runs' sentinels are in the view, and nobody writes them before the next barrier.
#[inline(always)]
pub unsafe fn merge<E: Element, const N: usize>(view: E::View, slots: [u32; 4]) -> [E; N] {
    let mut at = slots.map(|slot| E::at(view, slot));
    let mut head = [at[0].read(), at[1].read(), at[2].read(), at[3].read()];
    for (i, j) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
        let swap = head[j].key_before(head[i]);
        (head[i], head[j]) = (pick(swap, head[j], head[i]), pick(swap, head[i], head[j]));
        (at[i], at[j]) = (pick(swap, at[j], at[i]), pick(swap, at[i], at[j]));
    }
    let mut out = [head[0]; N];
    let mut i = 0;
    while i < N {
        out[i] = head[0];
        E::next_of_four(&mut head, &mut at);
        i += 1;
    }
    out
}

/// [`merge`] of two runs.
///
/// # Safety
/// As [`merge`].
#[inline(always)]
pub unsafe fn merge_of_two<E: Element, const N: usize>(view: E::View, slots: [u32; 2]) -> [E; N] {
    let mut at = slots.map(|slot| E::at(view, slot));
    let mut head = [at[0].read(), at[1].read()];
    if head[1].key_before(head[0]) {
        head.swap(0, 1);
        at.swap(0, 1);
    }
    let mut out = [head[0]; N];
    let mut i = 0;
    while i < N {
        out[i] = head[0];
        E::next_of_two(&mut head, &mut at);
        i += 1;
    }
    out
}
