//! One tile of a k-way merge: its k pieces are staged in shared memory once and merged there in place, in log2(k) rounds
//! of two-way merge path, or half as many [of four runs](super::four).
//!
//! Every thread owns `ITEMS` consecutive slots of the tile. Pieces are staged in regions of two or four; a region is padded
//! to whole threads, so that no thread ever merges for two of them, and each piece ends in a sentinel: the inner loop
//! reads one element a step, and for keys alone needs no other test for a run's end. A round merges neighbouring runs
//! into registers, and after a barrier back into the first one's place, sentinel included.
use super::four::{Four, cut, merge, merge_of_two};
use super::inputs::Inputs;
use super::stage::{Table, stage, table_bytes};
use crate::corank::co_rank;
use crate::guard::Check;
use crate::order::Key;
use crate::simt::{FULL_WARP, Global, thread, warp};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;
use crate::tile::sort::store_run;

/// Keys that one block merges: what is left of its slots when every region is padded to whole threads and each piece has
/// its sentinel; `four` tells whether rounds take four runs.
pub const fn tile_keys(threads: u32, items: u32, runs: u32, four: bool) -> u32 {
    // A region holds a sentinel for each piece and loses at most items − 1 slots to rounding up.
    let pieces = in_region(four);
    threads * items - runs / pieces * (items - 1 + pieces)
}

/// Barriers of [`merge_pieces`] in the source: two for staging, two for each kind of round.
pub const fn barriers(runs: u32, four: bool) -> u32 {
    if four && runs.trailing_zeros() % 2 == 1 { 6 } else { 4 }
}

/// Pieces of a region.
const fn in_region(four: bool) -> u32 {
    if four { 4 } else { 2 }
}

/// Shared memory of a block, bytes: the slots, then the table of pieces.
pub const fn shared_bytes<K: Key, P: Payload<K>>(threads: u32, items: u32, runs: u32) -> u32 {
    let slots = threads * items * <P::Merged as Element>::BYTES;
    slots.next_multiple_of(16) + table_bytes(runs)
}

/// Merges the block's pieces: lane `j` < `RUNS` of the first warp passes where piece `j` starts in `src`, or in input `j`
/// where there is a table of them, and its length.
///
/// Leaves the merged elements in the slots from 0 on, for all threads to read.
///
/// # Safety
/// All threads of the block call it; `src` and `payload`, or the inputs, hold the pieces; the lengths sum to at most [`tile_keys`]; a block has `THREADS` threads and
/// [`shared_bytes`] of shared memory.
#[inline(always)]
pub unsafe fn merge_pieces<
    K: Key,
    P: Payload<K>,
    const RUNS: u32,
    const THREADS: u32,
    const ITEMS: usize,
    const FOUR: bool,
>(
    src: Global<K>,
    payload: Global<P::Item>,
    inputs: Inputs<K>,
    source: u64,
    len: u32,
) {
    const { assert!(!FOUR || (P::Merged::SENTINEL && K::TRUSTED), "rounds of four are for keys alone, in a trusted order") };
    let t = thread::thread_idx_x();
    let items = ITEMS as u32;
    let view = P::Merged::view(THREADS * items);
    let table = Table::new(shared_bytes::<K, P>(THREADS, items, RUNS) - table_bytes(RUNS), RUNS, in_region(FOUR));
    let pieces = in_region(FOUR);

    if warp::warp_vote_all(FULL_WARP, t < 32) {
        let mut region = len + warp::warp_shuffle_xor(FULL_WARP, len, 1);
        if FOUR {
            region += warp::warp_shuffle_xor(FULL_WARP, region, 2);
        }
        let padded = if t.is_multiple_of(pieces) && t < RUNS { (region + pieces).next_multiple_of(items) } else { 0 };
        let (mut lens, mut slots) = (len, padded);
        let mut distance = 1;
        while distance < 32 {
            let below = warp::warp_shuffle_up(FULL_WARP, lens, distance);
            let below_slots = warp::warp_shuffle_up(FULL_WARP, slots, distance);
            if t >= distance {
                lens += below;
                slots += below_slots;
            }
            distance *= 2;
        }
        // Twice its share.
        let long = warp::warp_vote_ballot(FULL_WARP, t < RUNS && len > 2 * THREADS * items / RUNS);
        if t < RUNS {
            let at_address = !P::PRESENT && !inputs.table.is_none();
            table.source.set(t, if at_address { inputs.table.keys::<K>(t).offset(source).address() } else { source });
            table.prefix.set(t + 1, lens);
            if t == 0 {
                table.prefix.set(0, 0);
                table.long.set(0, long);
            }
            if t.is_multiple_of(pieces) {
                table.region.set(t / pieces, slots - padded);
            }
            if t == RUNS - 1 {
                table.region.set(RUNS / pieces, slots);
            }
        }
    }
    thread::sync_threads();

    stage::<K, P, RUNS, THREADS>(view, table, src, payload, inputs);
    thread::sync_threads();

    let check = Check::new(shared_bytes::<K, P>(THREADS, items, RUNS), THREADS);
    if !K::TRUSTED {
        // Used after the first barrier of the rounds: an earlier round's end is behind it.
        check.reset();
    }
    // The region that holds this thread's slots.
    let mine = t * items;
    let mut region = 0;
    let mut step = RUNS / pieces / 2;
    while step > 0 {
        if table.region.get(region + step) <= mine {
            region += step;
        }
        step /= 2;
    }
    if FOUR {
        // Opaque, or the rounds are unrolled.
        let mut round = thread::opaque(0);
        while (4 << (2 * round)) <= RUNS {
            round_of_four::<P::Merged, ITEMS>(view, table, region, round, mine);
            round += 1;
        }
        if RUNS.trailing_zeros() % 2 == 1 {
            let (a_len, total) = (table.before(RUNS / 2), table.before(RUNS));
            let b = table.region.get(RUNS / 2 / pieces);
            let k = if mine < total { mine } else { total };
            let b_len = total - a_len;
            let at = |i: u32| P::Merged::at(view, i);
            let i = co_rank(k, a_len, b_len, |j, i| at(b + j).key_before(at(i)));
            let v = merge_of_two(view, [i, b + k - i]);
            thread::sync_threads();
            store_run::<P::Merged, ITEMS>(view, mine, &v);
            thread::sync_threads();
        }
        return;
    }
    // Opaque, or the rounds are unrolled.
    let mut round = thread::opaque(0);
    while (1 << round) < RUNS {
        // The two halves to merge: 2^round pieces each, the first half from piece `first` on.
        let group = region >> round;
        let first = group << (round + 1);
        let half = 1 << round;
        let (p0, p1, p2) = (table.before(first), table.before(first + half), table.before(first + 2 * half));
        let (a_len, b_len) = (p1 - p0, p2 - p1);
        let a = table.region.get(group << round);
        let b = if round == 0 { a + a_len + 1 } else { table.region.get((group << round) + half / 2) };
        let k = mine - a;
        // The sentinel moves along: it is the element at k = a_len + b_len. Threads beyond it merge sentinels into their
        // own slots, which nobody reads: a branch around the merge or the store makes the compiler keep two elements for
        // each slot in registers.
        let k = if k < a_len + b_len { k } else { a_len + b_len };
        let at = |i: u32| P::Merged::at(view, i);
        // Opaque, or the loop is unrolled.
        let mut concat = if K::TRUSTED { 0 } else { thread::opaque(0) };
        let v: [P::Merged; ITEMS] = loop {
            // Where pieces do not fit together, the runs are laid one behind the other, by the same code: with another
            // one beside it, the compiler keeps two elements for each slot in registers.
            let merges = K::TRUSTED || concat == 0;
            let i = if merges {
                co_rank(k, a_len, b_len, |j, i| at(b + j).key_before(at(a + i)))
            } else if k < a_len {
                k
            } else {
                a_len
            };
            if !K::TRUSTED {
                check.begin(a + i);
            }
            let (v, taken) = merge_to_sentinels(view, (a + i, a + a_len), (b + k - i, b + b_len), merges);
            thread::sync_threads();
            if K::TRUSTED {
                break v;
            }
            check.end(a + i + taken, merges && k + items < a_len + b_len, round + 1);
            thread::sync_threads();
            if !merges || !check.broken(round + 1) {
                break v;
            }
            concat = thread::opaque(1);
        };
        store_run(view, mine, &v);
        thread::sync_threads();
        round += 1;
    }
}

/// Merges four neighbouring runs, of 4^`round` pieces each, into the first one's place: those that hold the thread's
/// slots, in region `region`, from `mine` on.
///
/// # Safety
/// As [`merge_pieces`]; the rounds before are done.
#[inline(always)]
unsafe fn round_of_four<E: Element, const ITEMS: usize>(
    view: E::View,
    table: Table,
    region: u32,
    round: u32,
    mine: u32,
) {
    let first = (region >> (2 * round)) << (2 * round + 2);
    let (mut begin, mut end) = ([0; 4], [0; 4]);
    let mut before = table.before(first);
    let mut j = 0;
    while j < 4 {
        let piece = first + ((j as u32) << (2 * round));
        let after = table.before(piece + (1 << (2 * round)));
        begin[j] = table.slot(piece);
        end[j] = begin[j] + after - before;
        before = after;
        j += 1;
    }
    let runs = Four { begin, end };
    // Sentinels and threads beyond them as in rounds of two.
    let (k, total) = (mine - begin[0], runs.total());
    let slots = cut::<E>(view, runs, if k < total { k } else { total });
    let v: [E; ITEMS] = merge(view, slots);
    thread::sync_threads();
    store_run(view, mine, &v);
    thread::sync_threads();
}

/// The first `N` elements of the merge of two runs that end in sentinels at `a_end` and `b_end`; sentinels once both
/// have ended. And how many of them are the first run's, where neither has ended. Without `merges`, all of the first run
/// comes before the second.
///
/// # Safety
/// `a..=a_end` and `b..=b_end` are in the view, and nobody writes them before the next barrier.
#[inline(always)]
unsafe fn merge_to_sentinels<E: Element, const N: usize>(
    view: E::View,
    (a, a_end): (u32, u32),
    (b, b_end): (u32, u32),
    merges: bool,
) -> ([E; N], u32) {
    let (mut a, mut b) = (E::at(view, a), E::at(view, b));
    let (a_end, b_end) = (E::at(view, a_end).pinned(), E::at(view, b_end).pinned());
    let (mut x, mut y) = (a.read(), b.read());
    let mut out = [x; N];
    let mut taken = 0;
    let mut i = 0;
    while i < N {
        // Without a true sentinel, a run's end is told by position.
        let take_b =
            if E::SENTINEL { y.key_before(x) } else { b < b_end && (a >= a_end || (merges && y.key_before(x))) };
        out[i] = if take_b { y } else { x };
        taken += !take_b as u32;
        let next = if take_b { b } else { a }.offset(1);
        let end = if take_b { b_end } else { a_end };
        let next = if end < next { end } else { next };
        let fresh = next.read();
        y = if take_b { fresh } else { y };
        x = if take_b { x } else { fresh };
        b = if take_b { next } else { b };
        a = if take_b { a } else { next };
        i += 1;
    }
    (out, taken)
}
