//! Without a grid: a sorted list of n·n elements, of which each round takes the first n and merges n others in.
//!
//! The list is a ring in shared memory: taking its beginning moves nothing. Merging goes from the end down, a chunk at a
//! time, each lane a piece of it found by merge path; an element moves by as many places as new ones come before it. So the
//! part before the first new one stays where it is, and the merge ends there. On uniform keys what is read next is mostly
//! behind most of the list: about half of it moves.
use super::job::Job;
use super::omit;
use super::streams::{Streams, ring_bytes};
use super::team::{self, Tagged, nothing};
use crate::corank::co_rank;
use crate::network::Shuffle;
use crate::order::Key;
use crate::simt::thread;
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;

/// Shared memory of a block of `threads`, bytes: for each team a list of `t`·`t` elements and `t` new ones, then its rings.
pub const fn shared_bytes<K: Key>(threads: u32, t: u32, ring: u32) -> u32 {
    lists_bytes::<K>(threads, t) + threads / t * ring_bytes::<K>(t, ring)
}

const fn lists_bytes<K: Key>(threads: u32, t: u32) -> u32 {
    ((threads * (t + 1) + threads / t) * <K::Tagged as Element>::BYTES).next_multiple_of(16)
}

/// A team's list and what is to be merged into it.
struct List<E: Element, const T: u32> {
    view: E::View,
    /// Where the ring of slots begins in the view.
    base: u32,
    /// Where the new elements do; what stands for nothing is behind them.
    fresh: u32,
    /// The slot of the list's first element.
    head: u32,
}

impl<E: Element, const T: u32> List<E, T> {
    /// The slot of element `i`.
    #[inline(always)]
    fn slot(&self, i: u32) -> u32 {
        self.base + (self.head + i) % (T * T)
    }
    /// # Safety
    /// As [`Cursor::read`].
    #[inline(always)]
    #[track_caller]
    unsafe fn get(&self, i: u32) -> E {
        E::at(self.view, self.slot(i)).read()
    }
    /// # Safety
    /// As [`Cursor::read`].
    #[inline(always)]
    #[track_caller]
    unsafe fn new_one(&self, j: u32) -> E {
        E::at(self.view, self.fresh + j).read()
    }
}

/// Merges the `T` new elements, one a lane, into the `T`·`T` − `T` of the list, whose place then ends `T` slots further, `V`
/// elements a lane at a time.
///
/// # Safety
/// All lanes of the warp call it, each team for a list of its own; nobody has accessed the last `T` slots, or the new
/// ones, since the last [`team::sync`]. `V` < `T`.
#[inline(always)]
#[track_caller]
unsafe fn merge_in<E: Tagged, const T: u32, const V: usize>(list: &List<E, T>, new: E, nothing: E) {
    let old = T * T - T;
    let lane = team::lane::<T>();
    // Behind both runs stands nothing, and as all of it is alike, it does not matter from which run it is taken: no end of a
    // run is looked for.
    E::set(list.view, list.fresh + lane, team::sort::<E, T>(new, false));
    E::set(list.view, list.slot(old + lane), nothing);
    if lane == 0 {
        E::set(list.view, list.fresh + T, nothing);
    }
    team::sync();
    // All results from `end` on are in their slots; `fresh` of the new ones are before it.
    let (mut end, mut fresh) = (T * T, T);
    while team::any(fresh > 0) {
        let start = end.saturating_sub(T * V as u32);
        let first = start + lane * V as u32;
        let first = if first < end { first } else { end };
        // On ties the list's own go first: they are of the same stream, and older.
        let i = co_rank(first, old, T, |j, i| list.new_one(j).before(list.get(i)));
        let (mut a, mut b) = (i, list.fresh + first - i);
        let before_start = team::of_lane::<_, T>(first - i, 0);
        let (mut x, mut y) = (list.get(a), E::at(list.view, b).read());
        let mut out = [nothing; V];
        for k in 0..V {
            let take_new = y.before(x);
            out[k] = if take_new { y } else { x };
            b += take_new as u32;
            a += !take_new as u32;
            let next = E::at(list.view, if take_new { b } else { list.slot(a) }).read();
            y = if take_new { next } else { y };
            x = if take_new { x } else { next };
        }
        team::sync();
        for k in 0..V {
            // The last chunk may be short; what is too much goes where a new element was that is needed no more. A branch
            // instead of that would have elements compared once more.
            let at = first + k as u32;
            E::set(list.view, if at < end { list.slot(at) } else { list.fresh + lane }, out[k]);
        }
        // The next chunk reads only what lies before this one's slots, or does not use what it reads.
        team::sync();
        end = start;
        fresh = before_start;
    }
}

/// Merges each piece of the job by a team of `T` lanes with a sorted list of `T`·`T` elements, `T` a round. Stable.
///
/// Only for orders that are [known to be one](Key::TRUSTED): lanes cut the list by comparisons of their own, and with an
/// order that contradicts itself these cuts need not fit together.
///
/// `V` is how many elements a lane merges at a time: odd, so that lanes read from different banks. The other parameters are
/// those of [`grid_merge`](super::single::grid_merge).
///
/// # Safety
/// As [`grid_merge`](super::single::grid_merge), with this module's [`shared_bytes`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn gridless_merge<
    K: Key,
    P: Payload<K>,
    const T: u32,
    const V: usize,
    const RING: u32,
    const THREADS: u32,
    const PARTS: u32,
>(
    job: Job<K, P>,
) where
    K::Tagged: Shuffle,
{
    const { assert!(K::TRUSTED, "merge path asks for a strict weak order") }
    const { assert!(V % 2 == 1 && V < T as usize && THREADS.is_multiple_of(32)) }
    let lane = team::lane::<T>();
    let team = thread::thread_idx_x() / T;
    let teams = THREADS / T;
    let view = K::Tagged::view(THREADS * (T + 1) + teams);
    let offset = lists_bytes::<K>(THREADS, T) + team * ring_bytes::<K>(T, RING);
    let mut streams = Streams::<K, P, T, RING>::new(&job, thread::block_idx_x() * teams + team, offset);
    let mut list = List::<K::Tagged, T> { view, base: team * T * T, fresh: teams * T * T + team * (T + 1), head: 0 };

    // The list begins empty, and each round of this loop merges a stream's first elements in; what it pushes out of the
    // list is nothing.
    let mut i = thread::opaque(0);
    while i < T {
        K::Tagged::set(view, list.slot(i * T + lane), nothing::<K>());
        i += 1;
    }
    team::sync();
    let mut stream = thread::opaque(0);
    while stream < T {
        merge_in::<K::Tagged, T, V>(&list, streams.first(stream, lane), nothing::<K>());
        stream += 1;
    }
    streams.start(T);
    while streams.any_left() {
        let leaving = streams.leave(list.get(lane), T, T);
        let entering = streams.replace::<PARTS>(leaving);
        list.head = (list.head + T) % (T * T);
        if PARTS & omit::RESTORATION == 0 {
            merge_in::<K::Tagged, T, V>(&list, entering, nothing::<K>());
            streams.read_ahead();
        } else {
            K::Tagged::set(view, list.slot(T * T - T + lane), entering);
            team::sync();
            streams.read_ahead();
        }
    }
    streams.finish();
}
