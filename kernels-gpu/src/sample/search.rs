//! Finding a key's bucket among a segment's splitters.
use crate::order::Key;
use crate::simt::{FULL_WARP, Global, Shared, SharedCursor, thread, warp};

/// Where element `i` stands in shared memory that has one slot left out after every 32: what is read a power of two apart, as the
/// middles of a binary search are, or the firsts of each lane's own, would meet in one bank.
pub(super) const fn padded(i: u32) -> u32 {
    i + i / 32
}
/// Slots that the splitters of `2^bits` buckets take.
pub const fn slots(bits: u32) -> u32 {
    padded(1 << bits)
}
/// Words of the bits that say which buckets hold equal keys only.
pub const fn equal_words(bits: u32) -> u32 {
    (1u32 << bits).div_ceil(32)
}

/// A segment's `2^BITS - 1` splitters, ascending, in shared memory.
///
/// Bucket b takes the keys that `b` splitters are not after: splitter b − 1 ≤ key < splitter b. Where a splitter occurs more
/// than once, the buckets between its occurrences would stay empty; the last of them takes the keys that equal it.
#[derive(Clone, Copy)]
pub struct Splitters<K, const BITS: u32> {
    keys: Shared<K>,
    equal: Shared<u32>,
}

/// What a thread keeps of them in registers: the topmost of the search.
#[derive(Clone, Copy)]
pub struct Top<K> {
    keys: [K; 3],
}

impl<K: Key, const BITS: u32> Splitters<K, BITS> {
    /// Bytes of shared memory, a multiple of 16.
    pub const BYTES: u32 = (slots(BITS) * size_of::<K>() as u32 + equal_words(BITS) * 4).next_multiple_of(16);

    /// Splitters from a byte offset, a multiple of 16, on.
    #[inline(always)]
    pub fn new(offset: u32) -> Self {
        let keys = Shared::new(offset, slots(BITS));
        Splitters { keys, equal: Shared::new(offset + slots(BITS) * size_of::<K>() as u32, equal_words(BITS)) }
    }
    /// Fetches those of a segment: `keys` are its splitters, `equal` its [`equal_words`]. The caller
    /// synchronises the block before and after.
    ///
    /// # Safety
    /// All threads of the block call it.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn load(self, keys: Global<K>, equal: Global<u32>, codec: K::Codec) {
        let mut i = thread::thread_idx_x();
        while i < (1 << BITS) - 1 {
            self.keys.set(padded(i), keys.get(i as u64).encode(codec));
            i += thread::block_dim_x();
        }
        let mut i = thread::thread_idx_x();
        while i < equal_words(BITS) {
            self.equal.set(i, equal.get(i as u64));
            i += thread::block_dim_x();
        }
    }
    /// What a thread keeps in registers.
    ///
    /// # Safety
    /// [`Splitters::load`] and a barrier came before.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn top(self) -> Top<K> {
        let quarter = 1 << (BITS - 2);
        let at = |i: u32| self.get(i - 1);
        Top { keys: [at(quarter), at(2 * quarter), at(3 * quarter)] }
    }
    /// Splitter `i`.
    ///
    /// # Safety
    /// As [`Splitters::top`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn get(self, i: u32) -> K {
        self.keys.get(padded(i))
    }
    /// Whether there are buckets of equal keys. All lanes of the warp call it.
    ///
    /// # Safety
    /// As [`Splitters::top`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn any_equal(self) -> bool {
        let lane = warp::lane_id();
        warp::warp_vote_any(FULL_WARP, lane < equal_words(BITS) && self.equal.get(lane) != 0)
    }
    /// How many splitters the key is not before.
    ///
    /// # Safety
    /// As [`Splitters::top`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn rank(self, top: &Top<K>, key: K) -> u32 {
        let [low, middle, high] = top.keys;
        let step = |at: SharedCursor<K>, splitter: K, half: u32| {
            if key.before(splitter) { at } else { at.offset(padded(half)) }
        };
        let upper = !key.before(middle);
        let start = self.keys.at(0);
        let mut at = if upper { start.offset(padded(1 << (BITS - 1))) } else { start };
        at = step(at, if upper { high } else { low }, 1 << (BITS - 2));
        let mut d = 2;
        while d < BITS {
            // Padded places add up: `half` is a power of two, and what came before is a multiple of 2 · half.
            let half = 1 << (BITS - 1 - d);
            at = step(at, at.offset(padded(half - 1)).read(), half);
            d += 1;
        }
        let slot = at.distance(start);
        slot - slot / 33
    }
    /// The bucket of a key that is not before `rank` splitters, where there are buckets of equal keys.
    ///
    /// # Safety
    /// As [`Splitters::top`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn bucket(self, rank: u32, key: K) -> u32 {
        if rank > 0 {
            let equal = self.equal.get((rank - 1) / 32) >> ((rank - 1) % 32) & 1;
            if equal != 0 && !self.get(rank - 1).before(key) {
                return rank - 1;
            }
        }
        rank
    }
}
