//! A team: `T` neighbouring lanes of a warp, a power of two, that run one engine. All teams of a warp go through the same
//! instructions together; none waits for another's data.
use crate::network::{Shuffle, bitonic};
use crate::order::{Key, Order};
use crate::simt::{FULL_WARP, Plain, warp};
use crate::tile::element::Element;

/// The number of the calling lane in its team.
#[inline(always)]
pub fn lane<const T: u32>() -> u32 {
    warp::lane_id() % T
}

/// Bit l is the predicate of the team's lane l.
#[inline(always)]
#[track_caller]
pub fn ballot<const T: u32>(p: bool) -> u32 {
    (warp::warp_vote_ballot(FULL_WARP, p) >> (warp::lane_id() & (32 - T))) & (u32::MAX >> (32 - T))
}

/// Whether any lane of the warp says true: what loops that all teams leave together ask.
#[inline(always)]
#[track_caller]
pub fn any(p: bool) -> bool {
    warp::warp_vote_any(FULL_WARP, p)
}

/// The value of the team's lane `from`, which may differ between lanes.
#[inline(always)]
#[track_caller]
pub fn of_lane<T2: Plain, const T: u32>(v: T2, from: u32) -> T2 {
    warp::warp_shuffle_idx(FULL_WARP, v, (warp::lane_id() & (32 - T)) + from % T)
}

/// Orders the team's accesses to shared memory.
#[inline(always)]
#[track_caller]
pub fn sync() {
    warp::sync_warp(FULL_WARP)
}

/// An element that engines move: a key, tagged with the number of its stream.
pub trait Tagged: Shuffle + Element<Tag = u32> {}
impl<E: Shuffle + Element<Tag = u32>> Tagged for E {}

/// The element of a key from stream `stream`.
#[inline(always)]
pub fn tagged<K: Key>(key: K, stream: u32) -> K::Tagged {
    K::Tagged::new(key, stream)
}

/// What stands for no element: after all elements of streams, which number below 32. All are alike.
#[inline(always)]
pub fn nothing<K: Key>() -> K::Tagged {
    K::Tagged::pad(32)
}

/// The number of an element's stream; `None` for [`nothing`].
#[inline(always)]
pub fn stream<E: Element<Tag = u32>>(e: E) -> Option<u32> {
    if e.tag() < 32 { Some(e.tag()) } else { None }
}

/// Puts the earlier of two elements at `low`, or the later one where `down`.
#[inline(always)]
fn compare_exchange<E: Order, const V: usize>(v: &mut [E; V], low: usize, high: usize, down: bool) {
    let (x, y) = v[low].in_order(v[high]);
    (v[low], v[high]) = if down { (y, x) } else { (x, y) };
}

/// Steps of the longest network here, the sort of 256: 8·9/2.
const MAX_STEPS: usize = 36;

/// A bitonic sort (Batcher 1968), step by step: runs of this length are made, by comparing at this stride.
struct Bitonic<const SIZE: usize>;
impl<const SIZE: usize> Bitonic<SIZE> {
    const STEPS: ([(u32, u32); MAX_STEPS], usize) = {
        let mut steps = [(0, 0); MAX_STEPS];
        let mut used = 0;
        let mut run = 2;
        while run <= SIZE {
            let mut stride = run / 2;
            while stride > 0 {
                steps[used] = (run as u32, stride as u32);
                used += 1;
                stride /= 2;
            }
            run *= 2;
        }
        (steps, used)
    };
}

/// The sort for a team of `T` lanes with `V` registers; a type, so that its table is computed once.
struct Select<const V: usize, const T: u32>;
impl<const V: usize, const T: u32> Select<V, T> {
    const STEPS: ([(u32, u32); MAX_STEPS], usize) = match V * T as usize {
        4 => Bitonic::<4>::STEPS,
        8 => Bitonic::<8>::STEPS,
        16 => Bitonic::<16>::STEPS,
        32 => Bitonic::<32>::STEPS,
        64 => Bitonic::<64>::STEPS,
        128 => Bitonic::<128>::STEPS,
        256 => Bitonic::<256>::STEPS,
        _ => panic!("a team sorts 4 to 256 elements"),
    };
}

/// Sorts the smallest `keep * T` of the team's `V * T` elements into the registers `..keep`; the others are left in any
/// order behind them. Position p is lane p mod `T` of register p / `T`.
///
/// Of [`nothing`], as many as were in the upper half of the positions before are at the beginning of it afterwards, where
/// `keep` is at most half of `V`: the upper half is sorted downwards before the two are compared.
#[inline(always)]
#[track_caller]
pub fn select<E: Shuffle, const V: usize, const T: u32>(v: &mut [E; V], keep: usize) {
    let lane = lane::<T>();
    let size = V as u32 * T;
    let mut s = 0;
    while s < Select::<V, T>::STEPS.1 {
        let (run, stride) = Select::<V, T>::STEPS.0[s];
        let last = run == size;
        let mut r = 0;
        while r < V {
            // Runs go up and down in turn, so that each two make a bitonic sequence; the last one goes up.
            let down = !last && if run >= T { (r as u32 * T) & run != 0 } else { lane & run != 0 };
            if last && r >= keep && stride < size / 2 {
                // Nobody needs these in order.
            } else if stride < T {
                let upper = lane & stride != 0;
                v[r] = v[r].keep(v[r].shuffle_xor(stride), upper != down);
            } else if r & (stride / T) as usize == 0 {
                compare_exchange(v, r, r | (stride / T) as usize, down);
            }
            r += 1;
        }
        s += 1;
    }
}

/// Sorts one element a lane over the team, upwards or downwards.
#[inline(always)]
#[track_caller]
pub fn sort<E: Shuffle, const T: u32>(e: E, down: bool) -> E {
    let lane = lane::<T>();
    let mut v = e;
    let mut s = 0;
    while s < Select::<1, T>::STEPS.1 {
        let (run, stride) = Select::<1, T>::STEPS.0[s];
        let turned = if run == T { down } else { lane & run != 0 };
        v = v.keep(v.shuffle_xor(stride), (lane & stride != 0) != turned);
        s += 1;
    }
    v
}

/// Sorts one element a lane over the team where they are a bitonic sequence.
#[inline(always)]
#[track_caller]
pub fn clean<E: Shuffle, const T: u32>(e: E, down: bool) -> E {
    let lane = lane::<T>();
    let mut v = e;
    let mut s = Select::<1, T>::STEPS.1 - T.ilog2() as usize;
    while s < Select::<1, T>::STEPS.1 {
        let (_, stride) = Select::<1, T>::STEPS.0[s];
        v = v.keep(v.shuffle_xor(stride), (lane & stride != 0) != down);
        s += 1;
    }
    v
}

/// The lower and the upper of each two elements: with one sequence upwards and one downwards, the smaller half of both and
/// the greater, each bitonic.
#[inline(always)]
pub fn halves<E: Order>(up: E, down: E) -> (E, E) {
    up.in_order(down)
}

/// Sorts the elements of `L` lanes, `apart` lanes from each other, as one sequence: one lane's after the other's. `L` is a
/// power of two up to 32.
#[inline(always)]
#[track_caller]
pub fn sort_lanes<E: Shuffle, const V: usize, const L: u32>(v: &mut [E; V], apart: u32) {
    crate::network::sort(v);
    // A loop over all of it would be too long to be unrolled.
    if L > 1 {
        join_lanes(v, 1, apart);
    }
    if L > 2 {
        join_lanes(v, 2, apart);
    }
    if L > 4 {
        join_lanes(v, 4, apart);
    }
    if L > 8 {
        join_lanes(v, 8, apart);
    }
    if L > 16 {
        join_lanes(v, 16, apart);
    }
}

/// Merges neighbouring ascending runs of `run` lanes: mirror images compared, then at halved strides.
#[inline(always)]
#[track_caller]
fn join_lanes<E: Shuffle, const V: usize>(v: &mut [E; V], run: u32, apart: u32) {
    let lane = warp::lane_id();
    let mine = *v;
    for r in 0..V {
        let other = mine[V - 1 - r].shuffle_xor((2 * run - 1) * apart);
        v[r] = mine[r].keep(other, lane & (run * apart) != 0);
    }
    let mut stride = run / 2;
    while stride > 0 {
        for r in 0..V {
            v[r] = v[r].keep(v[r].shuffle_xor(stride * apart), lane & (stride * apart) != 0);
        }
        stride /= 2;
    }
    bitonic::merge(v);
}
