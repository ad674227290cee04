//! Collectives of the 32 threads that run together. Every lane that `mask` names must make the same call.
//!
//! Shuffles, votes and reductions order no memory; only [`sync_warp`] does.
use super::super::block::Thread;
use super::super::warp::Operation;
use crate::simt::Plain;
use crate::simt::plain::{from_all_words, to_all_words};
use core::panic::Location;

/// Number of the thread in its warp (blocks are one-dimensional).
#[track_caller]
#[inline]
pub fn lane_id() -> u32 {
    Thread::current().lane
}

/// Waits for the lanes of `mask` and orders their accesses to memory.
#[track_caller]
#[inline]
pub fn sync_warp(mask: u32) {
    let (thread, place) = (Thread::current(), Location::caller());
    #[cfg(feature = "mutate")]
    if thread.block().context().skips(place) {
        return;
    }
    thread.collective(Operation::Sync, mask, 0, 0, place);
}

/// Carries a value of any kind through a shuffle.
#[inline(always)]
fn shuffle<T: Plain>(operation: Operation, mask: u32, v: T, arg: u32, place: &'static Location<'static>) -> T {
    let mut words = to_all_words(v);
    // A collective carries four words; a larger value takes as many as it fills.
    for words in words.chunks_exact_mut(4).take(size_of::<T>().div_ceil(16)) {
        let bits = words.iter().rev().fold(0, |bits, &word| bits << 32 | word as u128);
        let bits = Thread::current().collective(operation, mask, bits, arg, place);
        for (i, word) in words.iter_mut().enumerate() {
            *word = (bits >> (32 * i)) as u32;
        }
    }
    from_all_words(words)
}

/// The value of lane `lane_id() ^ arg`.
#[track_caller]
#[inline]
pub fn warp_shuffle_xor<T: Plain>(mask: u32, v: T, arg: u32) -> T {
    shuffle(Operation::ShuffleXor, mask, v, arg, Location::caller())
}

/// The value of lane `lane_id() - arg`; the lane's own where that is below 0.
#[track_caller]
#[inline]
pub fn warp_shuffle_up<T: Plain>(mask: u32, v: T, arg: u32) -> T {
    shuffle(Operation::ShuffleUp, mask, v, arg, Location::caller())
}

/// The value of lane `lane_id() + arg`; the lane's own where that is above 31.
#[track_caller]
#[inline]
pub fn warp_shuffle_down<T: Plain>(mask: u32, v: T, arg: u32) -> T {
    shuffle(Operation::ShuffleDown, mask, v, arg, Location::caller())
}

/// The value of lane `arg & 31`.
#[track_caller]
#[inline]
pub fn warp_shuffle_idx<T: Plain>(mask: u32, v: T, arg: u32) -> T {
    shuffle(Operation::ShuffleIdx, mask, v, arg, Location::caller())
}

/// Bit `l` is lane `l`'s predicate; 0 for lanes outside `mask`.
#[track_caller]
#[inline]
pub fn warp_vote_ballot(mask: u32, p: bool) -> u32 {
    Thread::current().collective(Operation::Ballot, mask, p as u128, 0, Location::caller()) as u32
}

/// Whether all lanes of `mask` say true.
#[track_caller]
#[inline]
pub fn warp_vote_all(mask: u32, p: bool) -> bool {
    Thread::current().collective(Operation::All, mask, p as u128, 0, Location::caller()) != 0
}

/// Whether any lane of `mask` says true.
#[track_caller]
#[inline]
pub fn warp_vote_any(mask: u32, p: bool) -> bool {
    Thread::current().collective(Operation::Any, mask, p as u128, 0, Location::caller()) != 0
}

/// The lanes of `mask` that hold the same value as this one.
#[track_caller]
#[inline]
pub fn warp_match_any(mask: u32, v: u32) -> u32 {
    Thread::current().collective(Operation::MatchAny, mask, v as u128, 0, Location::caller()) as u32
}

/// The sum over the lanes of `mask`, wrapping.
#[track_caller]
#[inline]
pub fn warp_reduce_add(mask: u32, v: u32) -> u32 {
    Thread::current().collective(Operation::ReduceAdd, mask, v as u128, 0, Location::caller()) as u32
}

/// The minimum over the lanes of `mask`.
#[track_caller]
#[inline]
pub fn warp_reduce_min(mask: u32, v: u32) -> u32 {
    Thread::current().collective(Operation::ReduceMin, mask, v as u128, 0, Location::caller()) as u32
}

/// The maximum over the lanes of `mask`.
#[track_caller]
#[inline]
pub fn warp_reduce_max(mask: u32, v: u32) -> u32 {
    Thread::current().collective(Operation::ReduceMax, mask, v as u128, 0, Location::caller()) as u32
}
