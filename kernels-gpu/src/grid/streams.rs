//! The streams of one piece, as its team sees them: lane j keeps where stream j stands.
//!
//! Elements are read ahead into a ring of `RING` slots for each stream, half a ring at a time by all lanes together:
//! neighbouring lanes read neighbouring elements, and the copy runs while the engine works. Without that (`RING` 0) every
//! replacement is a load of its own, scattered over the streams, that the round waits for.
//!
//! Positions are counted as if streams never ended: what comes after a stream's end is [`nothing`]. An engine holds
//! `DEPTH` elements of each stream, so the one that enters at position p follows the one that leaves at p − `DEPTH`.
use super::job::Job;
use super::omit;
use super::team::{self, nothing, tagged};
use crate::order::Key;
use crate::simt::{Global, Shared, thread, warp};
use crate::tile::element::Element;
use crate::tile::payload::Payload;

/// The streams of a team of `T` lanes.
pub(super) struct Streams<K: Key, P: Payload<K>, const T: u32, const RING: u32> {
    src: Global<K>,
    payload_src: Global<P::Item>,
    dst: Global<K>,
    payload_dst: Global<P::Item>,
    load: K::Codec,
    store: K::Codec,
    /// Number of the calling lane, and of its stream.
    lane: u32,
    /// Where the lane's stream begins.
    begin: u64,
    /// Its elements.
    len: u32,
    /// How many of them have entered the engine, those behind its end included.
    next: u32,
    /// Up to where it has been asked for, and up to where all lanes may read it in the ring.
    asked: u32,
    ready: u32,
    ring: Shared<K>,
    /// Elements that the engine has still to write.
    left: u32,
    /// How many it has written.
    written: u32,
}

/// Shared memory of a team's rings, bytes.
pub(super) const fn ring_bytes<K: Key>(t: u32, ring: u32) -> u32 {
    (t * ring * size_of::<K>() as u32).next_multiple_of(16)
}

/// The elements of a round that are to be replaced.
#[derive(Clone, Copy)]
pub(super) struct Leaving {
    /// Whether the lane has one.
    is: bool,
    /// The stream of it.
    stream: u32,
    /// The position at which its replacement enters the engine.
    enters: u32,
    /// Elements of its stream.
    len: u32,
}

impl<K: Key, P: Payload<K>, const T: u32, const RING: u32> Streams<K, P, T, RING> {
    /// Slots that are filled at a time.
    const CHUNK: u32 = RING / 2;

    /// The streams of piece `piece`, with rings at byte `offset` of shared memory. A piece that the job has not is empty.
    ///
    /// # Safety
    /// As the engines say; all lanes of the warp call it.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn new(job: &Job<K, P>, piece: u32, offset: u32) -> Self {
        const { assert!(RING == 0 || RING.is_power_of_two() && RING >= 2) }
        let lane = team::lane::<T>();
        let (mut begin, mut len, mut output) = (0, 0, 0);
        if piece < job.pieces {
            output = job.outputs.get(piece as u64);
            if lane < job.streams {
                let i = piece as u64 * job.streams as u64 + lane as u64;
                let (from, to) = (job.begins.get(i), job.ends.get(i));
                (begin, len) = (from, to.saturating_sub(from) as u32);
            }
        }
        let mut left = len;
        let mut distance = 1;
        while distance < T {
            left += warp::warp_shuffle_xor(crate::simt::FULL_WARP, left, distance);
            distance *= 2;
        }
        Streams {
            src: job.src,
            payload_src: job.payload_src,
            dst: job.dst.offset(output),
            payload_dst: if P::PRESENT { job.payload_dst.offset(output) } else { job.payload_dst },
            load: job.load,
            store: job.store,
            lane,
            begin,
            len,
            next: 0,
            asked: 0,
            ready: 0,
            ring: Shared::new(offset, T * RING),
            left,
            written: 0,
        }
    }

    /// Whether any team of the warp has elements to write.
    #[inline(always)]
    #[track_caller]
    pub(super) fn any_left(&self) -> bool {
        team::any(self.left > 0)
    }

    /// Elements that the team has to write.
    #[inline(always)]
    pub(super) fn left(&self) -> u32 {
        self.left
    }

    /// The element of stream `stream` at `position`, for the first elements of an engine. Read through caches, not rings.
    ///
    /// # Safety
    /// All lanes call it, each for any stream and position.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn first(&self, stream: u32, position: u32) -> K::Tagged {
        let begin = team::of_lane::<_, T>(self.begin, stream);
        let len = team::of_lane::<_, T>(self.len, stream);
        if position < len {
            tagged(self.src.get(begin + position as u64).encode(self.load), stream)
        } else {
            nothing::<K>()
        }
    }

    /// Says that the first `depth` elements of every stream have been taken by [`Streams::first`], and starts to fill the
    /// rings behind them.
    ///
    /// # Safety
    /// All lanes call it once, before [`Streams::leave`].
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn start(&mut self, depth: u32) {
        (self.next, self.asked, self.ready) = (depth, depth, depth);
        self.read_ahead();
        self.read_ahead();
    }

    /// Starts copies of half a ring for every stream that has room for it.
    ///
    /// # Safety
    /// All lanes call it; whatever was read from the rings before is ordered by [`team::sync`].
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn read_ahead(&mut self) {
        if RING == 0 {
            return;
        }
        let room = self.asked < self.len && self.asked + Self::CHUNK <= self.next + RING;
        let mut streams = team::ballot::<T>(room);
        // Teams of a warp have different streams to fill, and different numbers of them: those with none copy nothing.
        while team::any(streams != 0) {
            let stream = if streams != 0 { streams.trailing_zeros() } else { 0 };
            let from = team::of_lane::<_, T>(self.asked, stream);
            let len = team::of_lane::<_, T>(self.len, stream);
            let begin = team::of_lane::<_, T>(self.begin, stream);
            let mut i = self.lane;
            while i < Self::CHUNK {
                let position = from + i;
                if streams != 0 && position < len {
                    let slot = stream * RING + position % RING;
                    self.ring.copy_async(slot, self.src, begin + position as u64);
                }
                i += T;
            }
            if streams != 0 && stream == self.lane {
                self.asked = (from + Self::CHUNK).min(len);
            }
            streams &= streams.wrapping_sub(1);
        }
    }

    /// Writes out one element a lane, in order of lanes: those of the first `count` lanes that are not [`nothing`].
    /// Gives what [`Streams::replace`] needs.
    ///
    /// # Safety
    /// All lanes call it, with the smallest elements that the engine holds, sorted. It holds `depth` of each stream.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn leave(&mut self, e: K::Tagged, count: u32, depth: u32) -> Leaving {
        let is = self.lane < count && self.lane < self.left && team::stream(e).is_some();
        let stream = e.tag() % T;
        // Which lanes have an element of this lane's stream (`same`), and which of the stream that this lane keeps.
        let leaving = team::ballot::<T>(is);
        let (mut same, mut own) = (leaving, leaving);
        let mut bit = 1;
        while bit < T {
            let set = team::ballot::<T>(stream & bit != 0);
            same &= if stream & bit != 0 { set } else { !set };
            own &= if self.lane & bit != 0 { set } else { !set };
            bit *= 2;
        }
        let rank = (same & ((1 << self.lane) - 1)).count_ones();
        let enters = team::of_lane::<_, T>(self.next, stream) + rank;
        let len = team::of_lane::<_, T>(self.len, stream);
        // Where it comes from, if that is asked for.
        let by_position = P::PRESENT || K::Sorted::TAGGED;
        let begin = if by_position { team::of_lane::<_, T>(self.begin, stream) } else { 0 };
        self.next += own.count_ones();
        if is {
            let from = begin + (enters - depth) as u64;
            let to = (self.written + self.lane) as u64;
            // Equal keys that differ would be mixed up within their stream: by position they are not.
            let key = if K::Sorted::TAGGED { self.src.get(from).encode(self.load) } else { e.key() };
            self.dst.set(to, key.decode(self.store));
            if P::PRESENT {
                self.payload_dst.set(to, self.payload_src.get(from));
            }
        }
        let count = count.min(self.left);
        self.written += count;
        self.left -= count;
        Leaving { is, stream, enters, len }
    }

    /// What follows the elements that left: each lane's from the stream of its own; [`nothing`] where that is dry, and
    /// where none left. `PARTS` is what a kernel for timing leaves [out](omit).
    ///
    /// # Safety
    /// All lanes call it.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn replace<const PARTS: u32>(&mut self, leaving: Leaving) -> K::Tagged {
        let Leaving { is, stream, enters, len } = leaving;
        if PARTS & omit::REFILL != 0 {
            // The key that just left, as one of any stream: the engine has as much to do as ever.
            return if is && enters < len { tagged(K::pad(), stream) } else { nothing::<K>() };
        }
        let (mut from_ring, mut begin) = (RING > 0, 0);
        if RING == 0 {
            begin = team::of_lane::<_, T>(self.begin, stream);
        } else {
            // Lanes see each other's copies once all have waited. Most were started many rounds ago.
            let wanted = self.next.min(self.len);
            if team::any(wanted > self.ready) {
                thread::async_copies_done();
                team::sync();
                self.ready = self.asked;
            }
            // More than a ring of one stream at once: the rest of it is read directly, by neighbouring lanes.
            if team::any(wanted > self.asked) {
                from_ring = enters < team::of_lane::<_, T>(self.asked, stream);
                begin = team::of_lane::<_, T>(self.begin, stream);
                if wanted > self.asked {
                    (self.asked, self.ready) = (wanted, wanted);
                }
            }
        }
        if !is || enters >= len {
            return nothing::<K>();
        }
        let key =
            if from_ring { self.ring.get(stream * RING + enters % RING) } else { self.src.get(begin + enters as u64) };
        tagged(key.encode(self.load), stream)
    }

    /// Follows a round in which another warp wrote `count` elements.
    #[inline(always)]
    pub(super) fn skip(&mut self, count: u32) {
        self.left -= count.min(self.left);
    }

    /// Waits for the copies that the next `count` elements of any stream need.
    ///
    /// # Safety
    /// All lanes call it.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn settle(&mut self, count: u32) {
        if RING > 0 && team::any(self.ready < self.asked && self.ready < self.next + count) {
            self.finish();
            team::sync();
            self.ready = self.asked;
        }
    }

    /// Waits for the lane's copies in flight: what an engine ends with.
    ///
    /// # Safety
    /// None beyond those of copies.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn finish(&self) {
        if RING > 0 {
            thread::async_copies_done();
        }
    }

    /// How many elements of the lane's stream have entered, those behind its end included.
    #[inline(always)]
    pub(super) fn entered(&self) -> u32 {
        self.next
    }

    /// The calling lane's stream, read one element after the other.
    ///
    /// # Safety
    /// As [`Streams::first`] for the lane's own stream.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn own(&self, position: u32) -> K::Tagged {
        if position >= self.len {
            return nothing::<K>();
        }
        let key = if RING > 0 && position < self.ready && position >= self.next {
            self.ring.get(self.lane * RING + position % RING)
        } else {
            self.src.get(self.begin + position as u64)
        };
        tagged(key.encode(self.load), self.lane)
    }
}
