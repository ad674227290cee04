//! Who sorts which segment.
use super::{BAD, Bounds, CLASSES, COUNTERS, Segments};
use crate::batch::{COUNT_BITS, HEADER, RECORD, units_of};
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Shared, Word, thread};

/// Bytes of shared memory of a block: a word for each class.
pub const SHARED_BYTES: u32 = 4 * CLASSES;

/// Sets the counters of all classes to 0 and the flag of bad segments to 0, and the table to no segments, with its other areas.
///
/// # Safety
/// One block of [`COUNTERS`] threads or more; `counters` has as many words, `table` a header.
#[inline(always)]
pub unsafe fn begin(counters: Global<u32>, table: Global<u64>, other_keys: u64, other_payloads: u64) {
    let t = thread::thread_idx_x();
    if t < COUNTERS {
        counters.set(t as u64, 0);
    }
    if t == 0 {
        table.set(0, 0);
        table.set(1, other_keys);
        table.set(2, other_payloads);
    }
}

/// Appends each segment to the list of its class, two words each: where it begins, and its length; or to the table. The list of
/// class `c` lies behind those before it, each of which has room for as many segments as the class can have.
///
/// Segments without elements are left out. Where any is not what it should be, [`BAD`] is set; lists, table and cuts have room for
/// all that can lie side by side, and what finds no room then is left out.
///
/// # Safety
/// The grid has a thread for each segment, a block [`SHARED_BYTES`] and [`CLASSES`] threads or more. [`begin`] ran before;
/// `lists` and the table have room for all that can lie side by side, of which `tile` are the elements of a unit and `units`
/// the units of all.
#[inline(always)]
pub unsafe fn classify<O: Word>(
    segments: Segments<O>,
    bounds: Bounds,
    counters: Global<u32>,
    lists: Global<u64>,
    table: Global<u64>,
    tile: u32,
    units: u64,
) {
    let t = thread::thread_idx_x();
    let s = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + t as u64;
    let (mut start, mut len) = (0, 0);
    if s < segments.count {
        let (begin, end) = segments.get(s);
        if segments.is_good(s, begin, end) {
            (start, len) = (begin, end - begin);
        } else {
            counters.fetch_or(BAD as u64, 1, Ordering::Relaxed);
        }
    }
    let mut class = 0;
    let mut c = 0;
    while c < CLASSES {
        class += (len > bounds.of(c) as u64) as u32;
        c += 1;
    }

    // Places are taken for the whole block at once: all segments may be of one class, and its counter one address.
    let taken = Shared::<u32>::new(0, CLASSES);
    if t < CLASSES {
        taken.set(t, 0);
    }
    thread::sync_threads();
    let listed = len > 0 && class < CLASSES;
    let mut rank = 0;
    if listed {
        rank = taken.fetch_add(class as u64, 1, Ordering::Relaxed);
    }
    thread::sync_threads();
    if t < CLASSES {
        let mut mine = taken.get(t);
        if mine > 0 {
            mine = counters.fetch_add(t as u64, mine, Ordering::Relaxed);
        }
        taken.set(t, mine);
    }
    thread::sync_threads();
    if listed {
        let mut first = 0;
        let mut c = 0;
        while c < class {
            first += bounds.most(c, segments.count, segments.n);
            c += 1;
        }
        let place = (taken.get(class) + rank) as u64;
        if place < bounds.most(class, segments.count, segments.n) {
            lists.set(2 * (first + place), start);
            lists.set(2 * (first + place) + 1, len);
        }
    }
    if len > 0 && class == CLASSES {
        // One addition takes a place and as many units, so that first units ascend with places.
        let mine = units_of(len, tile as u64);
        let header = table.fetch_add(0, (mine << COUNT_BITS) | 1, Ordering::Relaxed);
        let (place, first) = (header & ((1 << COUNT_BITS) - 1), header >> COUNT_BITS);
        if place < bounds.most(CLASSES, segments.count, segments.n) {
            let record = HEADER + place * RECORD;
            table.set(record, start);
            table.set(record + 1, if first + mine <= units { len } else { 0 });
            table.set(record + 2, first);
        }
    }
}

/// Forgets all segments where one is not what it should be: nobody sorts anything then.
///
/// # Safety
/// One block of [`COUNTERS`] threads or more, after [`classify`].
#[inline(always)]
pub unsafe fn judge(counters: Global<u32>, table: Global<u64>) {
    let t = thread::thread_idx_x();
    if counters.get(BAD as u64) != 0 {
        if t < CLASSES {
            counters.set(t as u64, 0);
        }
        if t == 0 {
            table.set(0, 0);
        }
    }
}
