//! A segment of the array on its way through a group of threads: a warp or a block, `V` elements a thread.
use crate::order::Key;
use crate::simt::{Global, Shared};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::Payload;

/// Shared memory of a block that sorts `tile` elements, bytes: for the elements, then for their payloads.
pub(super) const fn shared_bytes<K: Key, P: Payload<K>>(tile: u32) -> u32 {
    tile * (<P::Sorted as Element>::BYTES + payload_bytes::<K, P>())
}

const fn payload_bytes<K: Key, P: Payload<K>>() -> u32 {
    if P::PRESENT { size_of::<P::Item>() as u32 } else { 0 }
}

/// The arrays that a kernel was given.
#[derive(Clone, Copy)]
pub(super) struct Arrays<K: Key, P: Payload<K>> {
    pub(super) src: Global<K>,
    pub(super) dst: Global<K>,
    pub(super) payload_src: Global<P::Item>,
    pub(super) payload_dst: Global<P::Item>,
    pub(super) n: u64,
}

/// A segment and the threads that sort it.
pub(super) struct Segment<K: Key, P: Payload<K>, const V: usize> {
    src: Global<K>,
    dst: Global<K>,
    payload_src: Global<P::Item>,
    payload_dst: Global<P::Item>,
    /// Keys in it: the last one may be short, and those of warps behind it empty.
    count: u32,
    /// Where it begins in the block's tile.
    start: u32,
    /// Threads of the group.
    threads: u32,
    /// Number of the calling thread in the group.
    index: u32,
    view: <P::Sorted as Element>::View,
    payloads: Shared<P::Item>,
}

/// Where position `p` of a tile lies in shared memory.
///
/// Threads write `V` consecutive positions each and read positions that are `threads` apart. Exchanging elements within
/// groups of `V`, by the number of the row of banks they lie in, makes both free of bank conflicts: the `V`-th part of
/// the banks that lanes would share in a row becomes another one in each of the next `V - 1` rows. Where key and tag lie in
/// planes the row is the keys', and narrower tags keep conflicts of two lanes.
#[inline(always)]
pub(super) fn place<E: Element, const V: usize>(p: u32) -> u32 {
    let row = 128 >> E::BYTES.ilog2();
    p ^ (p / row % V as u32)
}

impl<K: Key, P: Payload<K>, const V: usize> Segment<K, P, V> {
    /// The segment of keys `base..` that `threads` threads sort, of which the caller is number `index`, at position
    /// `start` of the block's tile of `tile` positions.
    #[inline(always)]
    pub(super) fn new(arrays: Arrays<K, P>, base: u64, start: u32, tile: u32, threads: u32, index: u32) -> Self {
        let left = arrays.n.saturating_sub(base);
        let size = threads * V as u32;
        Segment {
            src: arrays.src.offset(base),
            dst: arrays.dst.offset(base),
            payload_src: arrays.payload_src.offset(base),
            payload_dst: arrays.payload_dst.offset(base),
            count: if left < size as u64 { left as u32 } else { size },
            start,
            threads,
            index,
            view: P::Sorted::view(tile),
            payloads: Shared::new(tile * P::Sorted::BYTES, if P::PRESENT { tile } else { 0 }),
        }
    }

    /// Reads the thread's elements, neighbouring threads neighbouring keys, and starts to copy the payloads to shared
    /// memory. Pads have the highest positions.
    ///
    /// # Safety
    /// The arrays hold the segment.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn load(&self, codec: K::Codec) -> [P::Sorted; V] {
        let mut v = [P::Sorted::pad(0); V];
        for i in 0..V {
            let at = self.index + i as u32 * self.threads;
            v[i] = P::Sorted::pad(at);
            if at < self.count {
                v[i] = P::Sorted::at_position(self.src.get(at as u64).encode(codec), at);
                if P::PRESENT {
                    self.payloads.copy_async(self.start + at, self.payload_src, at as u64);
                }
            }
        }
        v
    }

    /// Writes the thread's elements to shared memory: those of thread `t` are at positions `t * V` on.
    ///
    /// # Safety
    /// No other thread accesses these positions before the next barrier.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn put(&self, v: &[P::Sorted; V]) {
        for i in 0..V {
            let p = self.index * V as u32 + i as u32;
            P::Sorted::set(self.view, self.start + place::<P::Sorted, V>(p), v[i]);
        }
    }

    /// The element that [`Segment::put`] wrote at position `p`.
    ///
    /// # Safety
    /// `p` is in the segment, and a barrier lies between.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn get(&self, p: u32) -> P::Sorted {
        P::Sorted::at(self.view, self.start + place::<P::Sorted, V>(p)).read()
    }

    /// Writes the sorted segment out, neighbouring threads neighbouring keys.
    ///
    /// # Safety
    /// All threads have put their elements, their copies of payloads are done, and a barrier lies between. The arrays
    /// hold the segment.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn store(&self, codec: K::Codec) {
        for i in 0..V {
            let at = self.index + i as u32 * self.threads;
            if at < self.count {
                let e = self.get(at);
                self.dst.set(at as u64, e.key().decode(codec));
                if P::PRESENT {
                    self.payload_dst.set(at as u64, self.payloads.get(self.start + P::position(e)));
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tile::element::Bare;

    /// Whether the lanes of one access of `BYTES` each touch every bank once: 32 lanes of 4 bytes, 16 of 8.
    fn free_of_conflicts<E: Element, const V: usize>(position: impl Fn(u32) -> u32) {
        let lanes = 128 / E::BYTES;
        for first in (0..32).step_by(lanes as usize) {
            let mut banks: Vec<u32> =
                (first..first + lanes).map(|lane| place::<E, V>(position(lane)) % lanes).collect();
            banks.sort();
            assert!(banks.into_iter().eq(0..lanes), "{} bytes, {V} a lane", E::BYTES);
        }
    }

    fn check<E: Element, const V: usize>() {
        let tile = 8 * 32 * V as u32;
        let mut places: Vec<u32> = (0..tile).map(place::<E, V>).collect();
        places.sort();
        assert!(places.into_iter().eq(0..tile));
        for warp in 0..8 {
            for i in 0..V as u32 {
                // As threads put, as they exchange at every stride beyond a warp, mirrored or not, and as they store.
                let own = |lane: u32| (warp * 32 + lane) * V as u32 + i;
                free_of_conflicts::<E, V>(own);
                for run in [32, 64, 128].map(|threads| threads * V as u32) {
                    free_of_conflicts::<E, V>(|lane| own(lane) ^ run);
                    free_of_conflicts::<E, V>(|lane| own(lane) ^ (2 * run - 1));
                }
                free_of_conflicts::<E, V>(|lane| warp * 32 + lane + i * 256);
            }
        }
    }

    #[test]
    fn no_access_has_bank_conflicts() {
        check::<Bare<u32>, 1>();
        check::<Bare<u32>, 2>();
        check::<Bare<u32>, 4>();
        check::<Bare<u32>, 8>();
        check::<Bare<u64>, 1>();
        check::<Bare<u64>, 2>();
        check::<Bare<u64>, 4>();
        check::<Bare<u64>, 8>();
    }
}
