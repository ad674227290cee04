//! k-way co-rank: where an output position cuts each of k sorted runs (multi-sequence selection).
//!
//! The order is total: by key, then by number of the run, then by position in the run. So the cut is unique, and a
//! merge of what lies between two cuts is stable. (Varman, Scheufler, Iyer, Ricard: Merging multiple lists on
//! hierarchical-memory multiprocessors, 1991, is an early source of exact splitting; the search here is our own.)
//!
//! k lanes share one search, one run each. Every lane keeps a bracket of its run in which the cut must lie. A round
//! guesses a pivot from all brackets, counts by binary search how many elements of each run stand before it, and so
//! learns the pivot's exact rank: every bracket then closes from one side. Guesses interpolate by position, and aim a
//! little past the nearer end, so that on most data both ends close in within about four rounds; every fourth round
//! that has not cut the brackets to an eighth bisects instead, so no data takes more than about 4·log2(n) rounds.
//!
//! Interpolation misses where runs do not overlap, or their keys are equal: then a pivot cuts its own run and no other. The
//! round after one that did so takes its pivot from where it must be if all of a run stands before all of the next, which is
//! then exact. And a count looks at the far end of its bracket first, where such runs lie whole on one side.
use crate::order::Key;
use crate::simt::{FULL_WARP, WARP, warp};

/// What is known of a cut: it lies in `low..=high` of the lane's run, and over all runs these sum to `low_sum` and
/// `high_sum`.
#[derive(Clone, Copy)]
pub struct Bracket {
    /// Elements of the lane's run that surely stand before the cut.
    pub low: u64,
    /// Elements of the lane's run that may stand before it.
    pub high: u64,
    /// The sum of `low` over the group's runs.
    pub low_sum: u64,
    /// The sum of `high` over the group's runs.
    pub high_sum: u64,
}

/// The sum of `v` over the lanes of a group of `RUNS` lanes.
#[inline(always)]
#[track_caller]
pub(super) fn group_sum<const RUNS: u32>(v: u64) -> u64 {
    let mut sum = v;
    let mut distance = 1;
    while distance < RUNS {
        sum += warp::warp_shuffle_xor(FULL_WARP, sum, distance);
        distance *= 2;
    }
    sum
}

/// 2 to the half of log2, rounded: within a factor of √2 of the square root, and cheap.
#[inline(always)]
fn about_sqrt(v: u64) -> u64 {
    1 << ((64 - v.leading_zeros()) / 2)
}

/// How many elements of the calling lane's run are among the first `p` of the stable merge of its group's runs.
///
/// A group is `RUNS` (2 to 32, a power of two) neighbouring lanes; `bracket` holds the cut. `p` and the sums are the
/// same throughout a group. `get` tells the element at a position below `bracket.high` of the lane's run, by a load or by
/// anything else.
///
/// # Safety
/// All lanes of the warp call it, and nobody writes what `get` reads meanwhile.
#[inline(always)]
pub unsafe fn select<K: Key, const RUNS: u32>(get: impl Fn(u64) -> K, p: u64, bracket: Bracket) -> u64 {
    let Bracket { mut low, mut high, mut low_sum, mut high_sum } = bracket;
    let lane = warp::lane_id();
    let me = lane % RUNS;
    let group = lane - me;
    let in_group = |ballot: u32| (ballot >> group) & (u32::MAX >> (WARP - RUNS));
    // The last few elements are taken one by one, which is cheaper than another round.
    let few = if RUNS < 16 { RUNS as u64 } else { 8 };
    let mut round = 0;
    let mut window_before = u64::MAX;
    // Whether the pivot before cut no run but its own: runs that do not overlap, or equal keys.
    let mut apart = false;
    loop {
        let searching = p - low_sum > few && high_sum - p > few;
        if !warp::warp_vote_any(FULL_WARP, searching) {
            break;
        }
        let width = high - low;
        let window = high_sum - low_sum;

        // Aim: the distance from the near end plus what the estimate may be off.
        let (from_low, from_high) = (p - low_sum, high_sum - p);
        let near = from_low.min(from_high);
        let reach = near + 2 * about_sqrt(RUNS as u64 * near) + RUNS as u64 / 4;
        let (mut aim, mut from_top) =
            if 2 * reach < window { (reach, from_low >= from_high) } else { (from_low, false) };
        round += 1;
        if round % 4 == 0 {
            if window > window_before / 8 {
                (aim, from_top) = (window / 2, false);
            }
            window_before = window;
        }
        let aim = aim.min(window.max(1) - 1);
        let active = searching && width > 0;
        let share = ((width as f32 * (aim as f32 / window as f32)) as u64).min(width.max(1) - 1);
        let mut guess = if from_top { high.max(1) - 1 - share.min(high.max(1) - 1) } else { low + share };
        let mut key = if active { get(guess) } else { K::pad() };

        // The pivot: the guess that about `target` elements of the window stand before, by the brackets' widths.
        let target = if from_top { window.max(1) - 1 - aim } else { aim };
        let mut before = 0;
        let mut other = 0;
        while other < RUNS {
            let other_key = warp::warp_shuffle_idx(FULL_WARP, key, group + other);
            let other_width = warp::warp_shuffle_idx(FULL_WARP, width, group + other);
            if other_key.before(key) || (!key.before(other_key) && other < me) {
                before += other_width;
            }
            other += 1;
        }
        let hit = active && before <= target && target - before < width;
        let hits = in_group(warp::warp_vote_ballot(FULL_WARP, hit));
        let actives = in_group(warp::warp_vote_ballot(FULL_WARP, active));
        // An order that is no strict weak order may leave no hit: any pivot will do then, the search still ends.
        let chosen = if hits != 0 { hits } else { actives };
        let pivot_run = if chosen != 0 { chosen.trailing_zeros() } else { 0 };
        // Then all of a run stands before all of the next, and the pivot can be had exactly.
        if apart && hit && me == pivot_run {
            guess = low + (target - before);
            key = get(guess);
        }
        let pivot = warp::warp_shuffle_idx(FULL_WARP, key, group + pivot_run);

        // Its rank in the lane's own run, by a galloping search from the guess.
        let count = if !active {
            low
        } else if me == pivot_run {
            guess
        } else {
            let before_pivot = |k: K| k.before(pivot) || (!pivot.before(k) && me < pivot_run);
            gallop((low, high), guess, before_pivot(key), &get, before_pivot)
        };
        let inside = me != pivot_run && low < count && count < high;
        apart = in_group(warp::warp_vote_ballot(FULL_WARP, inside)) == 0;
        let rank = group_sum::<RUNS>(count);
        if searching {
            if rank < p {
                low = count + (me == pivot_run) as u64;
                low_sum = rank + 1;
            } else {
                high = count;
                high_sum = rank;
            }
        }
    }
    take_the_rest::<K, RUNS>(get, p, Bracket { low, high, low_sum, high_sum })
}

/// How many elements of a run, counted from 0, stand before the pivot: `low..=high` of them. `at_guess` tells it for
/// the element at `guess`, `before_pivot` for any other.
#[inline(always)]
fn gallop<K: Key>(
    (low, high): (u64, u64),
    guess: u64,
    at_guess: bool,
    get: impl Fn(u64) -> K,
    before_pivot: impl Fn(K) -> bool,
) -> u64 {
    let (mut from, mut to) = if at_guess { (guess + 1, high) } else { (low, guess) };
    if from >= to {
        return from;
    }
    // First stride: the square root of the largest distance, so that both near and far cuts are found in few steps.
    let mut stride = about_sqrt((guess - low).min(high - guess) + 1);
    let mut galloping = stride < to - from;
    let step = |from: u64, to: u64, stride: u64, galloping: bool| {
        let far = if at_guess { from.wrapping_add(stride) } else { to.wrapping_sub(stride) };
        if galloping { far } else { from + (to - from) / 2 }
    };
    let mut probe = step(from, to, stride, galloping);
    // The far end is fetched with the first step: of runs that do not overlap, or of equal keys, it tells that all that is left
    // stands on one side.
    let end = if at_guess { to - 1 } else { from };
    let (at_end, mut key) = (get(end), get(probe));
    if before_pivot(at_end) == at_guess {
        return if at_guess { to } else { from };
    }
    loop {
        let is_before = before_pivot(key);
        if is_before {
            from = probe + 1;
        } else {
            to = probe;
        }
        if from >= to {
            return from;
        }
        // The first probe on the other side ends the galloping; from there on the rest is halved.
        galloping &= is_before == at_guess;
        stride = stride.wrapping_mul(2);
        galloping &= stride < to - from;
        probe = step(from, to, stride, galloping);
        key = get(probe);
    }
}

/// Ends a search whose brackets hold only a few elements on one side: takes the first ones of all runs in turn, or gives
/// back the last ones.
///
/// # Safety
/// As [`select`].
#[inline(always)]
unsafe fn take_the_rest<K: Key, const RUNS: u32>(get: impl Fn(u64) -> K, p: u64, bracket: Bracket) -> u64 {
    const NONE: u32 = 1 << 8;
    let Bracket { mut low, mut high, low_sum, high_sum } = bracket;
    let me = warp::lane_id() % RUNS;
    let up = p - low_sum <= high_sum - p;
    let mut rest = if up { p - low_sum } else { high_sum - p };
    let candidate = |low: u64, high: u64, rest: u64| {
        if low < high && rest > 0 { (get(if up { low } else { high - 1 }), me) } else { (K::pad(), me | NONE) }
    };
    let (mut key, mut from) = candidate(low, high, rest);
    while warp::warp_vote_any(FULL_WARP, rest > 0) {
        // The first (or last) of the group's candidates, by a butterfly; runs with none left lose to all others.
        let (mut best, mut best_from) = (key, from);
        let mut distance = 1;
        while distance < RUNS {
            let other = warp::warp_shuffle_xor(FULL_WARP, best, distance);
            let other_from = warp::warp_shuffle_xor(FULL_WARP, best_from, distance);
            let other_first = other.before(best) || (!best.before(other) && other_from < best_from);
            let take = if (other_from ^ best_from) & NONE != 0 { best_from & NONE != 0 } else { other_first == up };
            if take {
                (best, best_from) = (other, other_from);
            }
            distance *= 2;
        }
        if rest > 0 {
            rest -= 1;
            if best_from == me {
                if up {
                    low += 1;
                } else {
                    high -= 1;
                }
                (key, from) = candidate(low, high, rest);
            }
        }
    }
    if up { low } else { high }
}
