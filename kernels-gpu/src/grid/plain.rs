//! The plain baseline: all n·n elements in registers, sorted anew each round.
use super::job::Job;
use super::omit;
use super::streams::{Streams, ring_bytes};
use super::team::{self, nothing, sort_lanes};
use crate::network::Shuffle;
use crate::order::Key;
use crate::simt::thread;
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;

/// Shared memory of a block of `threads`, bytes: a line of `T` elements for each team, then its rings.
pub const fn shared_bytes<K: Key>(threads: u32, t: u32, ring: u32) -> u32 {
    lines_bytes::<K>(threads) + threads / t * ring_bytes::<K>(t, ring)
}

const fn lines_bytes<K: Key>(threads: u32) -> u32 {
    (threads * <K::Tagged as Element>::BYTES).next_multiple_of(16)
}

/// Merges each piece of the job by a team of `T` lanes that sorts `T`·`T` elements and takes the first `T`. Stable.
///
/// `N` is `T` as the length of an array. Elements lie lane by lane, so those to emit are the first lane's; they pass through
/// shared memory to be written and replaced by all lanes.
///
/// # Safety
/// As [`grid_merge`](super::single::grid_merge), with this module's [`shared_bytes`].
#[cfg_attr(target_arch = "nvptx64", inline(always))]
pub unsafe fn plain_merge<
    K: Key,
    P: Payload<K>,
    const T: u32,
    const N: usize,
    const RING: u32,
    const THREADS: u32,
    const PARTS: u32,
>(
    job: Job<K, P>,
) where
    K::Tagged: Shuffle,
{
    const { assert!(T as usize == N && THREADS.is_multiple_of(32)) }
    let lane = team::lane::<T>();
    let team = thread::thread_idx_x() / T;
    let view = K::Tagged::view(THREADS);
    let base = team * T;
    let offset = lines_bytes::<K>(THREADS) + team * ring_bytes::<K>(T, RING);
    let mut streams = Streams::<K, P, T, RING>::new(&job, thread::block_idx_x() * (THREADS / T) + team, offset);
    let mut v = [nothing::<K>(); N];
    for r in 0..N {
        v[r] = streams.first(r as u32, lane);
    }
    streams.start(T);
    while streams.any_left() {
        if PARTS & omit::RESTORATION == 0 {
            sort_lanes::<K::Tagged, N, T>(&mut v, 1);
        }
        if lane == 0 {
            for r in 0..N {
                K::Tagged::set(view, base + r as u32, v[r]);
            }
        }
        team::sync();
        let leaving = streams.leave(K::Tagged::at(view, base + lane).read(), T, T);
        let entering = streams.replace::<PARTS>(leaving);
        K::Tagged::set(view, base + lane, entering);
        team::sync();
        streams.read_ahead();
        if lane == 0 {
            for r in 0..N {
                v[r] = K::Tagged::at(view, base + r as u32).read();
            }
        }
    }
    streams.finish();
}
