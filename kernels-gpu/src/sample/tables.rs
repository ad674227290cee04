//! What the launches of a sample sort tell each other, in device memory.
use crate::simt::{Global, Shared, thread};

/// Levels of partition at most. The last one is for what the others left too large.
pub const LEVELS: u32 = 3;
/// Size classes of the bucket sort.
pub const CLASSES: u32 = 8;

/// Lists: one for each size class, that of the copies, that of the large buckets.
pub const LISTS: u32 = CLASSES + 2;
/// Keys of an entry of the list of copies, at most.
pub const COPIED: u32 = 1 << 18;

/// Most keys of each size class, ascending: below 2^16 each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClassKeys {
    /// Four classes to a word.
    pub words: [u64; 2],
}

impl ClassKeys {
    /// Those of all classes.
    pub const fn new(keys: [u32; CLASSES as usize]) -> Self {
        let mut words = [0; 2];
        let mut c = 0;
        while c < CLASSES as usize {
            assert!(keys[c] < 1 << 16 && (c == 0 || keys[c] > keys[c - 1]));
            words[c / 4] |= (keys[c] as u64) << (16 * (c % 4));
            c += 1;
        }
        ClassKeys { words }
    }
    /// Most keys of class `c`.
    #[inline(always)]
    pub const fn of(self, c: u32) -> u32 {
        let word = if c < 4 { self.words[0] } else { self.words[1] };
        (word >> (16 * (c % 4)) & 0xffff) as u32
    }
    /// Most keys of any.
    pub const fn most(self) -> u32 {
        self.of(CLASSES - 1)
    }
}

/// Entries of each list for `n` keys of which at most `buckets` buckets are made: a list can't be longer than its buckets are
/// many, nor can they hold more keys than there are.
#[inline(always)]
pub const fn list_entries(list: u32, n: u64, buckets: u64, classes: ClassKeys) -> u64 {
    let most = match list {
        0 => buckets,
        COPIES_LIST => return buckets + n / COPIED as u64,
        LARGE_LIST => n / (classes.most() as u64 + 1),
        _ => n / (classes.of(list - 1) as u64 + 1),
    };
    if most < buckets { most } else { buckets }
}
/// Words of each list.
#[inline(always)]
pub const fn list_words(list: u32, n: u64, buckets: u64, classes: ClassKeys) -> u64 {
    list_entries(list, n, buckets, classes) * if list == COPIES_LIST { 1 } else { 2 }
}
/// The list of copies.
pub const COPIES_LIST: u32 = CLASSES;
/// The list of large buckets, two words each: the start, twice, and one more in scratch memory; the keys.
pub const LARGE_LIST: u32 = CLASSES + 1;

/// Words of the counters: for each level its segments and its chunks, then the lengths of the lists.
pub const COUNTERS: u32 = 28;
/// Counter: segments of a level.
pub const fn segments_of(level: u32) -> u32 {
    2 * level
}
/// Counter: chunks of a level.
pub const fn chunks_of(level: u32) -> u32 {
    2 * level + 1
}
/// Counter: entries of the list of a size class.
pub const fn class(c: u32) -> u32 {
    2 * LEVELS + c
}
/// Counter: entries of the list of buckets that are to be copied.
pub const COPIES: u32 = 2 * LEVELS + CLASSES;
/// Counter: entries of the list of buckets that no size class takes.
pub const LARGE: u32 = COPIES + 1;
/// Not a counter: what is known of the input, one of the [`state`]s.
pub const STATE: u32 = LARGE + 1;
/// Counter: descents that were noted, as long as there are fewer than [`RUNS`].
pub const DESCENTS: u32 = STATE + 1;
/// Not a counter: the flag of the guard under which large buckets are merged. Nobody looks at it, for the block that raises it sets
/// right itself what it has merged.
pub const BROKEN: u32 = DESCENTS + 1;
/// Counter: entries of the list of a size class that are to be looked at once more, after [`cells`](super::cells) took off what lies
/// evenly: none or all.
pub const fn rest(c: u32) -> u32 {
    BROKEN + 1 + c
}
const _: () = assert!(rest(CLASSES - 1) < COUNTERS);
/// Sorted runs at most, one behind the other, that are merged and not sorted.
pub const RUNS: u32 = 16;

/// What is known of the input: which pairs of neighbours were seen.
pub mod state {
    /// A key before the one behind it.
    pub const ASCENT: u32 = 1;
    /// A key after the one behind it.
    pub const DESCENT: u32 = 2;
    /// As many of those as runs have between them, or more.
    pub const MANY: u32 = 4;
    /// Ascents and a few descents: sorted runs.
    pub const RUNS: u32 = ASCENT | DESCENT;
    /// Ascents and many descents: the keys must be sorted.
    pub const UNSORTED: u32 = ASCENT | DESCENT | MANY;
}

/// A range of keys that a level partitions.
#[derive(Clone, Copy)]
pub struct Segment {
    /// Its first key.
    pub start: u64,
    /// Its keys.
    pub len: u64,
    /// Number of its first chunk.
    pub first_chunk: u32,
    /// Its chunks.
    pub chunks: u32,
}

/// Words of a segment's record.
pub const SEGMENT_WORDS: u64 = 3;

/// Sets the tables up for a sort of `n` keys: nothing counted, and one segment.
///
/// # Safety
/// One block of at least [`COUNTERS`] threads.
#[inline(always)]
pub unsafe fn begin(counters: Global<u32>, segments: Global<u64>, n: u64, chunk: u32) {
    let t = thread::thread_idx_x();
    let chunks = n.div_ceil(chunk as u64) as u32;
    if t < COUNTERS {
        let is = |counter| t == counter;
        counters.set(
            t as u64,
            if is(segments_of(0)) {
                1
            } else if is(chunks_of(0)) {
                chunks
            } else {
                0
            },
        );
    }
    if t == 0 {
        Segments { records: segments }.set(0, Segment { start: 0, len: n, first_chunk: 0, chunks });
    }
}

/// A level's segments.
#[derive(Clone, Copy)]
pub struct Segments {
    /// [`SEGMENT_WORDS`] for each.
    pub records: Global<u64>,
}

impl Segments {
    /// Segment `s`.
    ///
    /// # Safety
    /// The table holds it.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn get(self, s: u32) -> Segment {
        let at = s as u64 * SEGMENT_WORDS;
        let chunks = self.records.get(at + 2);
        Segment {
            start: self.records.get(at),
            len: self.records.get(at + 1),
            first_chunk: chunks as u32,
            chunks: (chunks >> 32) as u32,
        }
    }
    /// Sets segment `s`.
    ///
    /// # Safety
    /// The table has room for it, and no other thread accesses it.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn set(self, s: u32, segment: Segment) {
        let at = s as u64 * SEGMENT_WORDS;
        self.records.set(at, segment.start);
        self.records.set(at + 1, segment.len);
        self.records.set(at + 2, segment.first_chunk as u64 | ((segment.chunks as u64) << 32));
    }
}

/// A level as its kernels see it.
#[derive(Clone, Copy)]
pub struct Level {
    /// [`COUNTERS`] words.
    pub counters: Global<u32>,
    /// The segments.
    pub segments: Segments,
    /// [`CHUNK_WORDS`] for each chunk, which the count leaves to the scatter.
    pub chunks: Global<u64>,
    /// Which level, from 0.
    pub number: u32,
    /// Keys of a chunk.
    pub chunk: u32,
}

/// Words of a chunk's record.
pub const CHUNK_WORDS: u64 = 2;

/// Keys that a block works off in order.
#[derive(Clone, Copy)]
pub struct Chunk {
    /// Its segment.
    pub segment: u32,
    /// Its first key.
    pub start: u64,
    /// Its keys.
    pub len: u32,
}

impl Level {
    /// Whether the input was found to need no sorting.
    ///
    /// # Safety
    /// The counters are those of this sort.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn is_void(self) -> bool {
        self.counters.get(STATE as u64) != state::UNSORTED
    }
    /// Segments of the level.
    ///
    /// # Safety
    /// As [`Level::is_void`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn segment_count(self) -> u32 {
        self.counters.get(segments_of(self.number) as u64)
    }
    /// Chunks of the level.
    ///
    /// # Safety
    /// As [`Level::is_void`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn chunk_count(self) -> u32 {
        self.counters.get(chunks_of(self.number) as u64)
    }
    /// Finds the segment that chunk `c` belongs to, by all threads of the block, and leaves it in `found`. The caller
    /// synchronises the block before and after.
    ///
    /// Buckets are put into the table in any order, so its chunk numbers do not ascend.
    ///
    /// # Safety
    /// `c` is below [`Level::chunk_count`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn find(self, c: u32, found: Shared<u32>) {
        let count = self.segment_count();
        let mut s = thread::thread_idx_x();
        while s < count {
            let chunks = self.segments.records.get(s as u64 * SEGMENT_WORDS + 2);
            if c.wrapping_sub(chunks as u32) < (chunks >> 32) as u32 {
                found.set(0, s);
            }
            s += thread::block_dim_x();
        }
    }
    /// Notes chunk `c`, so that nobody must [find](Level::find) it again.
    ///
    /// # Safety
    /// The table has room for it.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn note(self, c: u32, chunk: Chunk) {
        let record = self.chunks.offset(c as u64 * CHUNK_WORDS);
        record.set(0, chunk.start);
        record.set(1, chunk.len as u64 | (chunk.segment as u64) << 32);
    }
    /// Chunk `c`.
    ///
    /// # Safety
    /// It was noted.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn noted(self, c: u32) -> Chunk {
        let record = self.chunks.offset(c as u64 * CHUNK_WORDS);
        let (start, word) = (record.get(0), record.get(1));
        Chunk { segment: (word >> 32) as u32, start, len: word as u32 }
    }
    /// Works off the tiles of the level's chunks, `tiles` to each, by as many blocks as there are: `work` gets the number of the
    /// calling thread, and that of a tile. `current` is a word of shared memory that nobody else uses.
    ///
    /// It keeps the tile's number, for registers are too few for one that lives through `work`.
    ///
    /// # Safety
    /// As [`Level::is_void`]; all threads of the block call it, and `work` has a barrier.
    #[inline(always)]
    pub unsafe fn each_tile(self, tiles: u32, current: Shared<u32>, work: impl Fn(u32, u32)) {
        let mut tile = thread::block_idx_x();
        if self.is_void() || tile / tiles >= self.chunk_count() {
            return;
        }
        loop {
            let t = thread::thread_idx_x();
            if t == 0 {
                current.set(0, tile);
            }
            work(t, tile);
            tile = current.get(0) + thread::grid_dim_x();
            // Asked before the barrier: where there is a block for each tile, nobody waits at it.
            if tile / tiles >= self.chunk_count() {
                return;
            }
            thread::sync_threads();
        }
    }
    /// Chunk `c`, of segment `s`.
    ///
    /// # Safety
    /// As [`Level::find`], which has said that it belongs to that segment.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn chunk(self, c: u32, s: u32) -> Chunk {
        let segment = self.segments.get(s);
        let from = (c - segment.first_chunk) as u64 * self.chunk as u64;
        let left = segment.len - from;
        let len = if left < self.chunk as u64 { left as u32 } else { self.chunk };
        Chunk { segment: s, start: segment.start + from, len }
    }
}

/// An entry of the list of copies: where it starts, in scratch memory, and its keys, at most [`entry::MAX_ENTRY`]. (Those of
/// the classes are what the kernels that sort rows take.)
pub mod entry {
    const LEN_BITS: u32 = 19;
    /// Most keys of an entry.
    pub const MAX_ENTRY: u32 = (1 << LEN_BITS) - 1;

    /// An entry. Places are below 2^44.
    #[inline(always)]
    pub const fn pack(start: u64, len: u32) -> u64 {
        (start << LEN_BITS) | len as u64
    }
    /// Where it starts.
    #[inline(always)]
    pub const fn start(entry: u64) -> u64 {
        entry >> LEN_BITS
    }
    /// Its keys.
    #[inline(always)]
    pub const fn len(entry: u64) -> u32 {
        entry as u32 & MAX_ENTRY
    }
}
