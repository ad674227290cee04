//! The naive k-way merge: one lane a stream, the smallest front written, one element a round.
//!
//! Fronts are kept in registers, the next element of each stream behind it, so that a lane that wins has its new front at
//! once and the load for the one after has a round's time. What leaves is kept by the lanes in turn and written `T` at a
//! time.
use super::job::Job;
use super::omit;
use super::streams::{Streams, ring_bytes};
use super::team::{self, nothing};
use crate::network::Shuffle;
use crate::order::{Key, Order};
use crate::simt::{FULL_WARP, thread, warp};
use crate::tile::element::Element;
use crate::tile::payload::Payload;

/// How the smallest front is found.
pub mod minimum {
    /// log2 of `T` exchanges of key and stream.
    pub const SHUFFLES: u32 = 0;
    /// The warp's minimum in one instruction (`redux.sync`, from sm_80 on) for each 32 bits of the key; then the first of the
    /// lanes that have it. A piece takes a warp.
    pub const REDUCE: u32 = 1;
}

/// A key that the warp's minimum of 32-bit words can be found of.
pub trait Reduce: Key {
    /// The smallest key of the lanes that are `alive`, and the first of them that has it; 32 where none is. All lanes of the
    /// warp call it.
    fn first_minimum(self, alive: bool) -> (Self, u32);
}

impl Reduce for u32 {
    #[inline(always)]
    #[track_caller]
    fn first_minimum(self, alive: bool) -> (u32, u32) {
        let least = warp::warp_reduce_min(FULL_WARP, if alive { self } else { u32::MAX });
        (least, warp::warp_vote_ballot(FULL_WARP, alive && self == least).trailing_zeros())
    }
}

impl Reduce for u64 {
    #[inline(always)]
    #[track_caller]
    fn first_minimum(self, alive: bool) -> (u64, u32) {
        let high = warp::warp_reduce_min(FULL_WARP, if alive { (self >> 32) as u32 } else { u32::MAX });
        let (low, first) = (self as u32).first_minimum(alive && (self >> 32) as u32 == high);
        (((high as u64) << 32) | low as u64, first)
    }
}

/// Shared memory of a block of `threads`, bytes: the rings of its teams.
pub const fn shared_bytes<K: Key>(threads: u32, t: u32, ring: u32) -> u32 {
    threads / t * ring_bytes::<K>(t, ring)
}

/// Merges each piece of the job by a team of `T` lanes, one element a round; `T` is 32 where `HOW` is
/// [`REDUCE`](minimum::REDUCE). Stable.
///
/// # Safety
/// As [`grid_merge`](super::single::grid_merge), with this module's [`shared_bytes`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn naive_merge<
    K: Reduce,
    P: Payload<K>,
    const T: u32,
    const HOW: u32,
    const RING: u32,
    const THREADS: u32,
    const PARTS: u32,
>(
    job: Job<K, P>,
) where
    K::Tagged: Shuffle,
{
    const { assert!((HOW == minimum::SHUFFLES || T == 32) && THREADS.is_multiple_of(32)) }
    let lane = team::lane::<T>();
    let team = thread::thread_idx_x() / T;
    let piece = thread::block_idx_x() * (THREADS / T) + team;
    let mut streams = Streams::<K, P, T, RING>::new(&job, piece, team * ring_bytes::<K>(T, RING));
    let mut front = streams.first(lane, 0);
    let mut behind = streams.first(lane, 1);
    streams.start(2);
    while streams.any_left() {
        streams.settle(T);
        // Where in the lane's stream the element after `behind` is.
        let mut position = streams.entered();
        let mut leaving = nothing::<K>();
        let mut i = thread::opaque(0);
        while i < T {
            let least = if HOW == minimum::REDUCE {
                let (key, first) = front.key().first_minimum(team::stream(front).is_some());
                if first < T { team::tagged(key, first) } else { nothing::<K>() }
            } else {
                let mut least = front;
                let mut distance = 1;
                while distance < T {
                    let other = least.shuffle_xor(distance);
                    least = if other.before(least) { other } else { least };
                    distance *= 2;
                }
                least
            };
            if i == lane {
                leaving = least;
            }
            let mine = team::stream(least) == Some(lane);
            if mine {
                front = behind;
                behind = if PARTS & omit::REFILL == 0 { streams.own(position) } else { behind };
                position += 1;
            }
            i += 1;
        }
        streams.leave(leaving, T, 2);
        team::sync();
        streams.read_ahead();
    }
    streams.finish();
}
