//! Which bucket each key of a level is in, as the count leaves it for the scatter.
//!
//! A bucket's number has nine bits. Eight of them are a byte at the key's place; the topmost is one of a word for 32 keys, for sixteen
//! bits a key would make a third of what a count of 32-bit keys moves. Words begin anew with each chunk, so that no two blocks write to
//! one.
use crate::simt::{FULL_WARP, Global, WARP, warp};

/// The buckets of all keys, of which there are `2^BITS` in a segment.
#[derive(Clone, Copy)]
pub struct Places<const BITS: u32> {
    /// The lower bits of each.
    pub low: Global<u8>,
    /// The top bits, [`words`] for each chunk.
    pub high: Global<u32>,
}

/// Words for the top bits of a chunk's keys.
pub const fn words(chunk: u32) -> u32 {
    chunk.div_ceil(WARP)
}

/// Those of a chunk.
#[derive(Clone, Copy)]
pub(super) struct ChunkPlaces<const BITS: u32> {
    low: Global<u8>,
    high: Global<u32>,
}

impl<const BITS: u32> Places<BITS> {
    /// Those of chunk `c`, of at most `most` keys, the first of which is key `start`.
    #[inline(always)]
    pub(super) fn chunk(self, c: u32, most: u32, start: u64) -> ChunkPlaces<BITS> {
        ChunkPlaces { low: self.low.offset(start), high: self.high.offset(c as u64 * words(most) as u64) }
    }
}

impl<const BITS: u32> ChunkPlaces<BITS> {
    /// Bits of the byte.
    const LOW: u32 = {
        // Fewer buckets, which only tests have, are split as well.
        assert!(BITS > 1 && BITS <= 9);
        if BITS < 9 { BITS - 1 } else { 8 }
    };

    /// Notes the lower bits of a key's bucket.
    ///
    /// # Safety
    /// The chunk has the key, which is the caller's alone.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn note_low(self, at: u32, bucket: u32) {
        self.low.set(at as u64, (bucket & ((1 << Self::LOW) - 1)) as u8);
    }
    /// The top bits of the buckets of a warp's 32 keys side by side, one for each lane.
    ///
    /// # Safety
    /// All lanes of the warp call it.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn top_bits(bucket: u32) -> u32 {
        warp::warp_vote_ballot(FULL_WARP, bucket >> Self::LOW != 0)
    }
    /// Notes the [`top_bits`](Self::top_bits) of the 32 keys from `32 * row` on.
    ///
    /// # Safety
    /// The chunk has such keys, and the row is the caller's alone.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn note_high(self, row: u32, bits: u32) {
        self.high.set(row as u64, bits);
    }
    /// Reads the buckets of the calling lane's keys: every 32nd of a warp's from `first`, a multiple of 32, on, `rows` at most, below
    /// `len`.
    ///
    /// # Safety
    /// All lanes of the warp call it; the buckets have been noted.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn of_lane(self, first: u32, rows: u32, len: u32) -> LanePlaces<BITS> {
        let lane = warp::lane_id();
        let high =
            if lane < rows && first + lane * WARP < len { self.high.get((first / WARP + lane) as u64) } else { 0 };
        LanePlaces { low: self.low.offset((first + lane) as u64), high }
    }
}

/// Those of a lane, one from each row of 32.
#[derive(Clone, Copy)]
pub(super) struct LanePlaces<const BITS: u32> {
    low: Global<u8>,
    /// Those of the row that has the lane's number.
    high: u32,
}

impl<const BITS: u32> LanePlaces<BITS> {
    /// The lower bits of the bucket of the lane's key in a row.
    ///
    /// # Safety
    /// There is such a key.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn low(self, row: u32) -> u32 {
        self.low.get((row * WARP) as u64) as u32
    }
    /// The top bit of it, where it belongs.
    ///
    /// # Safety
    /// All lanes of the warp call it for one row, below 32.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn high(self, row: u32) -> u32 {
        (warp::warp_shuffle_idx(FULL_WARP, self.high, row) >> warp::lane_id() & 1) << ChunkPlaces::<BITS>::LOW
    }
}
