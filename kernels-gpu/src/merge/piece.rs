//! One block's piece of a merge of two runs in device memory.
use crate::corank::{co_rank, co_rank_warp};
use crate::guard::{Check, Guard};
use crate::order::Key;
use crate::simt::{Global, Shared, WARP, thread, warp};
use crate::tile::element::{Bare, Cursor, Element};
use crate::tile::merge::{Runs, serial_merge};
use crate::tile::payload::Payload;
use crate::tile::sort::store_run;

/// Two sorted runs in device memory and their payloads.
#[derive(Clone, Copy)]
pub struct Source<K, T> {
    /// The first run: on ties its elements come first.
    pub a: Global<K>,
    /// Keys of the first run.
    pub a_len: u64,
    /// The second run.
    pub b: Global<K>,
    /// Keys of the second run.
    pub b_len: u64,
    /// Payloads of the first run; null where payloads are to be positions, those of the second run counted on from
    /// `a_len`.
    pub payload_a: Global<T>,
    /// Payloads of the second run.
    pub payload_b: Global<T>,
}

/// Where a merge goes to.
#[derive(Clone, Copy)]
pub struct Target<K, T> {
    /// Keys.
    pub keys: Global<K>,
    /// Payloads.
    pub payload: Global<T>,
}

/// Shared memory of a block, bytes: the tile's keys; with payloads the place each came from; the two cuts.
pub const fn shared_bytes<K: Key, P: Payload<K>>(tile: u32) -> u32 {
    let from = if P::PRESENT { 4 } else { 0 };
    tile * (Bare::<K>::BYTES + from) + 16
}

/// How a block learns where its piece cuts the first run.
#[derive(Clone, Copy)]
pub enum Cuts {
    /// By a search of its warps.
    Search,
    /// Both ends were found before, by [`merge_cuts`](super::runs::merge_cuts), and stand where its output will be.
    InOutput,
}

/// Merges output positions `k..k + count` of two runs, where `count` is at most the tile.
///
/// The block finds its piece by co-rank at both ends (two warps at once) or is told it, stages the two parts in shared memory one
/// behind the other, and each thread merges `ITEMS` outputs from where merge path cuts them. Payloads are fetched from
/// device memory by where their key came from: outputs ascend in both runs, so neighbours fetch neighbours. With
/// `positions` they are what they would be fetched by.
///
/// Tells, all threads alike, whether the piece's end is where the next one begins, which with a trusted order it is. Where it is
/// not, nothing was merged.
///
/// # Safety
/// Every thread of the block calls it with the same arguments; a block has `THREADS` ≥ 64 threads (or 32, where one warp
/// finds both ends) and [`shared_bytes`] of shared memory. The runs hold what `source` says, and the target does not
/// overlap them.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn merge_piece<K: Key, P: Payload<K>, const THREADS: u32, const ITEMS: usize>(
    source: Source<K, P::Item>,
    target: Target<K, P::Item>,
    k: u64,
    count: u32,
    known: Cuts,
    load: K::Codec,
    store: K::Codec,
    positions: bool,
    guard: Guard,
) -> bool {
    let tile = THREADS * ITEMS as u32;
    let t = thread::thread_idx_x();
    let view = Bare::<K>::view(tile);
    let at_slot = |i: u32| Bare::<K>::at(view, i);
    let origins = Shared::<u32>::new(tile * Bare::<K>::BYTES, if P::PRESENT { tile } else { 0 });
    let cuts = Shared::<u64>::new(shared_bytes::<K, P>(tile) - 16, 2);

    if let Cuts::InOutput = known {
        // Read before the first barrier, and the output is written after it.
        if t < 2 {
            cuts.set(t, target.keys.offset(k).cast::<u64>().get(t as u64));
        }
    } else {
        let warps = if THREADS < 2 * WARP { 1 } else { 2 };
        let mut end = t / WARP;
        while end < 2 {
            let position = k + if end == 0 { 0 } else { count as u64 };
            let i = co_rank_warp(position, source.a_len, source.b_len, |j, i| {
                source.b.get(j).encode(load).before(source.a.get(i).encode(load))
            });
            if warp::lane_id() == 0 {
                cuts.set(end, i);
            }
            end += warps;
        }
    }
    thread::sync_threads();
    // Between the cuts of sorted runs lie 0 to `count` elements of A. Runs that are not sorted, or an order that is no
    // strict weak order, may put the second cut anywhere: clamped, the piece still lies inside both runs.
    let a_start = cuts.get(0);
    let a_end = cuts.get(1).max(a_start).min(a_start + count as u64);
    if !K::TRUSTED && a_end != cuts.get(1) {
        // The next block begins elsewhere: what is between would be lost or doubled.
        guard.raise();
        return false;
    }
    let a_count = (a_end - a_start) as u32;
    let (a, b) = (source.a.offset(a_start), source.b.offset(k - a_start));

    let mut keys = [K::pad(); ITEMS];
    for i in 0..ITEMS {
        let at = t + i as u32 * THREADS;
        if at < count {
            let from_a = at < a_count;
            let run = if from_a { a } else { b };
            keys[i] = run.get((if from_a { at } else { at - a_count }) as u64);
        }
    }
    for i in 0..ITEMS {
        let at = t + i as u32 * THREADS;
        if at < count {
            Bare::set(view, at, Bare(keys[i].encode(load)));
        }
    }
    thread::sync_threads();

    let first = t * ITEMS as u32;
    let first = if first < count { first } else { count };
    let i = co_rank(first, a_count, count - a_count, |j, i| at_slot(a_count + j).key_before(at_slot(i)));
    let runs = Runs { a: i, a_end: a_count, b: a_count + first - i, b_end: count };
    let check = Check::new(shared_bytes::<K, P>(tile), THREADS);
    if !K::TRUSTED {
        check.reset();
        check.begin(i);
    }
    let (keys, mut from) = serial_merge::<Bare<K>, ITEMS>(view, runs);
    thread::sync_threads();
    if !K::TRUSTED {
        let end = i + from.iter().map(|&from| (from < a_count) as u32).sum::<u32>();
        check.end(end, first + (ITEMS as u32) < count, 1);
        thread::sync_threads();
    }
    if K::TRUSTED || !check.broken(1) {
        store_run(view, t * ITEMS as u32, &keys);
    } else {
        // The keys stay as they were staged, one run behind the other.
        for i in 0..ITEMS {
            from[i] = t * ITEMS as u32 + i as u32;
        }
    }
    if P::PRESENT {
        for i in 0..ITEMS {
            origins.set(t * ITEMS as u32 + i as u32, from[i]);
        }
    }
    thread::sync_threads();

    let out = target.keys.offset(k);
    for i in 0..ITEMS {
        let at = t + i as u32 * THREADS;
        if at < count {
            out.set(at as u64, Cursor::<Bare<K>>::read(at_slot(at)).key().decode(store));
        }
    }
    if P::PRESENT {
        let (a, b) = (source.payload_a.offset(a_start), source.payload_b.offset(k - a_start));
        let out = target.payload.offset(k);
        for i in 0..ITEMS {
            let at = t + i as u32 * THREADS;
            if at < count {
                let from = origins.get(at);
                let from_a = from < a_count;
                let index = (if from_a { from } else { from - a_count }) as u64;
                let payload = if positions {
                    P::from_position(index + if from_a { a_start } else { source.a_len + (k - a_start) })
                } else if from_a {
                    a.get(index)
                } else {
                    b.get(index)
                };
                out.set(at as u64, payload);
            }
        }
    }
    true
}
