//! How the pieces of a tile come into shared memory, and what the block knows of them there.
use super::inputs::Inputs;
use crate::order::Key;
use crate::simt::{Global, Shared, thread};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;

/// Shared memory of a [`Table`], bytes.
pub(super) const fn table_bytes(runs: u32) -> u32 {
    // source: u64; length prefix: u32, one more; the first slot of each region: u32, one more; long pieces: u32.
    8 * runs + 4 * (runs + 1) + 4 * (runs / 2 + 1) + 4
}

/// What the block knows of its pieces, in shared memory.
#[derive(Clone, Copy)]
pub(super) struct Table {
    /// Where a piece starts in device memory: elements from the start of its run or of the array; for keys alone that a
    /// table names, its address.
    pub(super) source: Shared<u64>,
    /// Lengths summed before each piece.
    pub(super) prefix: Shared<u32>,
    /// The first slot of each region.
    pub(super) region: Shared<u32>,
    /// A bit for each piece that the whole block stages.
    pub(super) long: Shared<u32>,
    /// Pieces of a region.
    pieces: u32,
}

impl Table {
    #[inline(always)]
    pub(super) fn new(offset: u32, runs: u32, pieces: u32) -> Self {
        Table {
            source: Shared::new(offset, runs),
            prefix: Shared::new(offset + 8 * runs, runs + 1),
            region: Shared::new(offset + 12 * runs + 4, runs / pieces + 1),
            long: Shared::new(offset + 12 * runs + 4 + 4 * (runs / 2 + 1), 1),
            pieces,
        }
    }
    /// Elements of the pieces before piece `j`.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn before(self, j: u32) -> u32 {
        self.prefix.get(j)
    }
    /// The slot of piece `j`'s first element.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn slot(self, j: u32) -> u32 {
        let first = self.region.get(j / self.pieces);
        let others = j % self.pieces;
        first + if others > 0 { self.before(j) - self.before(j - others) + others } else { 0 }
    }
    /// Calls `walk` with each piece that the calling thread has a share in, its first slot and its length, the first
    /// element of the share and the distance to the next one.
    ///
    /// A warp takes every fourth piece, or so: less overhead than all threads have in taking each. All threads take the few
    /// that are much longer than others. `walk` is compiled once.
    ///
    /// # Safety
    /// The table is written.
    #[inline(always)]
    unsafe fn each_piece<const RUNS: u32, const THREADS: u32>(self, walk: impl Fn(u32, u32, u32, u32, u32)) {
        let t = thread::thread_idx_x();
        let long = self.long.get(0);
        let mut every = 0;
        let mut j = 0;
        while j < RUNS {
            every |= 1 << j;
            j += THREADS / 32;
        }
        // Opaque, or the loop is unrolled.
        let mut left = thread::opaque(long | ((every << (t / 32)) & (u32::MAX >> (32 - RUNS))));
        while left != 0 {
            let j = left.trailing_zeros();
            let whole = (long >> j) & 1 == 1;
            let len = self.before(j + 1) - self.before(j);
            // Opaque, or each use of it becomes a selection of two constants.
            let (first, step) = (if whole { t } else { t % 32 }, thread::opaque(if whole { THREADS } else { 32 }));
            walk(j, self.slot(j), len, first, step);
            left &= left - 1;
        }
    }
}

/// Stages the pieces, each with its sentinel, encoded; done for all threads after the next barrier.
///
/// # Safety
/// As [`merge_pieces`](super::tile::merge_pieces); the table of pieces is written.
#[inline(always)]
pub(super) unsafe fn stage<K: Key, P: Payload<K>, const RUNS: u32, const THREADS: u32>(
    view: <P::Merged as Element>::View,
    table: Table,
    src: Global<K>,
    payload: Global<P::Item>,
    inputs: Inputs<K>,
) {
    if inputs.table.is_none() {
        table.each_piece::<RUNS, THREADS>(|j, slot, len, first, step| {
            let from = table.source.get(j);
            let (keys, payloads) = (src.offset(from), payload.offset(if P::PRESENT { from } else { 0 }));
            stage_share::<P::Merged>(view, slot, (keys, payloads), len, first, step);
        });
    } else {
        stage_inputs::<K, P, RUNS, THREADS>(view, table, inputs);
    }
    thread::async_copies_done();
    if !inputs.encoded {
        // What a thread has staged is there for itself, before the barrier. Sentinels are encoded already.
        table.each_piece::<RUNS, THREADS>(|_, slot, len, first, step| {
            let mut i = first;
            while i < len {
                let e = P::Merged::at(view, slot + i).read();
                P::Merged::set(view, slot + i, P::Merged::new(e.key().encode(inputs.load), e.tag()));
                i += step;
            }
        });
    }
}

/// Stages the pieces of inputs that a table names.
///
/// # Safety
/// As [`stage`].
#[inline(always)]
unsafe fn stage_inputs<K: Key, P: Payload<K>, const RUNS: u32, const THREADS: u32>(
    view: <P::Merged as Element>::View,
    table: Table,
    inputs: Inputs<K>,
) {
    table.each_piece::<RUNS, THREADS>(|j, slot, len, first, step| {
        let from = table.source.get(j);
        let keys = if P::PRESENT { inputs.table.keys::<K>(j).offset(from) } else { Global::from_address(from) };
        let payloads = if P::PRESENT { inputs.table.payloads::<P::Item>(j) } else { Global::null() };
        let mut i = first;
        if P::PRESENT && payloads.is_null() {
            let position = inputs.table.first(j) + from;
            while i < len {
                let e = P::Merged::new(keys.get(i as u64), P::from_position(position + i as u64));
                P::Merged::set(view, slot + i, e);
                i += step;
            }
            if first == 0 {
                P::Merged::set(view, slot + len, P::Merged::end());
            }
        } else {
            let payloads = payloads.offset(if P::PRESENT { from } else { 0 });
            stage_share::<P::Merged>(view, slot, (keys, payloads), len, first, step);
        }
    });
}

/// Stages every `step`-th of `len` elements from element `first` on, and the sentinel behind them with element 0.
///
/// # Safety
/// As [`Element::stage`] for the elements, the first of which goes to `slot`.
#[inline(always)]
unsafe fn stage_share<E: Element>(
    view: E::View,
    slot: u32,
    (keys, tags): (Global<E::Key>, Global<E::Tag>),
    len: u32,
    first: u32,
    step: u32,
) {
    let mut i = first;
    while i < len {
        let mut of_four = 0;
        while of_four < 4 {
            let at = i + of_four * step;
            if at < len {
                E::stage(view, slot + at, keys, tags, at as u64);
            }
            of_four += 1;
        }
        i += 4 * step;
    }
    if first == 0 {
        E::set(view, slot + len, E::end());
    }
}
