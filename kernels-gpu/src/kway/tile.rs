//! One tile of a k-way merge: its k pieces are staged in shared memory once and merged there in log2(k) rounds of
//! two-way merge path, in place.
//!
//! Every thread owns `ITEMS` consecutive slots of the tile. Pieces are staged in pairs; a pair's region is padded to
//! whole threads, so that no thread ever merges for two pairs, and each piece ends in a sentinel: the inner loop reads one
//! element a step, clamped to the sentinel, and for keys alone needs no other test for a run's end. A round merges two neighbouring
//! regions into registers, and after a barrier back into the first one's place, sentinel included.
use super::inputs::Inputs;
use crate::corank::co_rank;
use crate::guard::Check;
use crate::order::Key;
use crate::simt::{FULL_WARP, Global, Shared, thread, warp};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;
use crate::tile::sort::store_run;

/// Keys that one block merges: what is left of its slots when every pair of pieces is padded to whole threads and each
/// piece has its sentinel.
pub const fn tile_keys(threads: u32, items: u32, runs: u32) -> u32 {
    // A pair holds two sentinels and loses at most items − 1 slots to rounding up.
    threads * items - runs / 2 * (items + 1)
}

/// Shared memory of a block, bytes: the slots, then the table of pieces.
pub const fn shared_bytes<K: Key, P: Payload<K>>(threads: u32, items: u32, runs: u32) -> u32 {
    let slots = threads * items * <P::Merged as Element>::BYTES;
    slots.next_multiple_of(16) + table_bytes(runs)
}

const fn table_bytes(runs: u32) -> u32 {
    // source: u64; length prefix: u32, one more; region of each pair: u32, one more.
    8 * runs + 4 * (runs + 1) + 4 * (runs / 2 + 1)
}

/// What the block knows of its pieces, in shared memory.
#[derive(Clone, Copy)]
struct Table {
    /// Where a piece starts in device memory: elements from the start of its run or of the array; for keys alone that a
    /// table names, its address.
    source: Shared<u64>,
    /// Lengths summed before each piece.
    prefix: Shared<u32>,
    /// The first slot of each pair of pieces.
    region: Shared<u32>,
}

impl Table {
    #[inline(always)]
    fn new(offset: u32, runs: u32) -> Self {
        Table {
            source: Shared::new(offset, runs),
            prefix: Shared::new(offset + 8 * runs, runs + 1),
            region: Shared::new(offset + 12 * runs + 4, runs / 2 + 1),
        }
    }
    /// Elements of the pieces before piece `j`.
    #[inline(always)]
    #[track_caller]
    unsafe fn before(self, j: u32) -> u32 {
        self.prefix.get(j)
    }
    /// The slot of piece `j`'s first element.
    #[inline(always)]
    #[track_caller]
    unsafe fn slot(self, j: u32) -> u32 {
        let first = self.region.get(j / 2);
        first + if j % 2 == 1 { self.before(j) - self.before(j - 1) + 1 } else { 0 }
    }
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
pub unsafe fn merge_pieces<K: Key, P: Payload<K>, const RUNS: u32, const THREADS: u32, const ITEMS: usize>(
    src: Global<K>,
    payload: Global<P::Item>,
    inputs: Inputs<K>,
    source: u64,
    len: u32,
) {
    let t = thread::thread_idx_x();
    let items = ITEMS as u32;
    let view = P::Merged::view(THREADS * items);
    let table = Table::new(shared_bytes::<K, P>(THREADS, items, RUNS) - table_bytes(RUNS), RUNS);

    if warp::warp_vote_all(FULL_WARP, t < 32) {
        let partner = warp::warp_shuffle_xor(FULL_WARP, len, 1);
        let padded = if t.is_multiple_of(2) && t < RUNS { (len + partner + 2).next_multiple_of(items) } else { 0 };
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
        if t < RUNS {
            let at_address = !P::PRESENT && !inputs.table.is_none();
            table.source.set(t, if at_address { inputs.table.keys::<K>(t).offset(source).address() } else { source });
            table.prefix.set(t + 1, lens);
            if t == 0 {
                table.prefix.set(0, 0);
            }
            if t.is_multiple_of(2) {
                table.region.set(t / 2, slots - padded);
            }
            if t == RUNS - 1 {
                table.region.set(RUNS / 2, slots);
            }
        }
    }
    thread::sync_threads();

    if inputs.table.is_none() {
        let mut j = 0;
        while j < RUNS {
            let (from, slot) = (table.source.get(j), table.slot(j));
            let len = table.before(j + 1) - table.before(j);
            let (keys, payloads) = (src.offset(from), payload.offset(if P::PRESENT { from } else { 0 }));
            let mut i = t;
            while i < len {
                P::Merged::stage(view, slot + i, keys, payloads, i as u64);
                i += THREADS;
            }
            if t == 0 {
                P::Merged::set(view, slot + len, P::Merged::end());
            }
            j += 1;
        }
    } else {
        stage_inputs::<K, P, RUNS, THREADS>(view, table, inputs);
    }
    thread::async_copies_done();
    if !inputs.encoded {
        // What a thread has staged is there for itself, before the barrier. Sentinels are encoded already.
        // Opaque, or the loop is unrolled.
        let mut j = thread::opaque(0);
        while j < RUNS {
            let (slot, len) = (table.slot(j), table.before(j + 1) - table.before(j));
            let mut i = t;
            while i < len {
                let e = P::Merged::at(view, slot + i).read();
                P::Merged::set(view, slot + i, P::Merged::new(e.key().encode(inputs.load), e.tag()));
                i += THREADS;
            }
            j += 1;
        }
    }
    thread::sync_threads();

    let check = Check::new(shared_bytes::<K, P>(THREADS, items, RUNS), THREADS);
    if !K::TRUSTED {
        // Used after the first barrier of the rounds: an earlier round's end is behind it.
        check.reset();
    }
    // The pair whose region holds this thread's slots.
    let mine = t * items;
    let mut pair = 0;
    let mut step = RUNS / 4;
    while step > 0 {
        if table.region.get(pair + step) <= mine {
            pair += step;
        }
        step /= 2;
    }
    // Opaque, or the rounds are unrolled.
    let mut round = thread::opaque(0);
    while (1 << round) < RUNS {
        // The two halves to merge: 2^round pieces each, the first half from piece `first` on.
        let group = pair >> round;
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

/// Stages the pieces of inputs that a table names.
///
/// # Safety
/// As [`merge_pieces`]; the block's table of pieces is written.
#[inline(always)]
unsafe fn stage_inputs<K: Key, P: Payload<K>, const RUNS: u32, const THREADS: u32>(
    view: <P::Merged as Element>::View,
    table: Table,
    inputs: Inputs<K>,
) {
    let t = thread::thread_idx_x();
    // Opaque, or the loop is unrolled: it is not the sort's.
    let mut j = thread::opaque(0);
    while j < RUNS {
        let (from, slot) = (table.source.get(j), table.slot(j));
        let len = table.before(j + 1) - table.before(j);
        let keys = if P::PRESENT { inputs.table.keys::<K>(j).offset(from) } else { Global::from_address(from) };
        let payloads = if P::PRESENT { inputs.table.payloads::<P::Item>(j) } else { Global::null() };
        let mut i = t;
        if P::PRESENT && payloads.is_null() {
            let first = inputs.table.first(j) + from;
            while i < len {
                let position = P::from_position(first + i as u64);
                P::Merged::set(view, slot + i, P::Merged::new(keys.get(i as u64), position));
                i += THREADS;
            }
        } else {
            let payloads = payloads.offset(if P::PRESENT { from } else { 0 });
            while i < len {
                P::Merged::stage(view, slot + i, keys, payloads, i as u64);
                i += THREADS;
            }
        }
        if t == 0 {
            P::Merged::set(view, slot + len, P::Merged::end());
        }
        j += 1;
    }
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
