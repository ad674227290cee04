//! The numbers that tune kernels, in one place: kernels are instantiated with them and hosts launch by them.
//!
//! Constants are named by key width, with the payload's width behind it where that matters.

mod nulls;
mod rows;
mod sample;
mod search;
mod select;

pub use nulls::NULLS_THREADS;
pub use rows::{
    BUCKETS_128, BUCKETS_SMALL, BucketTuning, ROW_BLOCKS, ROW_WARPS, ROWS_32, ROWS_64, ROWS_PAIRS_32, ROWS_PAIRS_64,
    ROWS_SMALL, ROWS_SMALL_BY_THREADS, RowTuning, SEGMENT_THREADS,
};
pub use sample::{
    CELLS_32, CELLS_64, CELLS_PAIRS_32, CELLS_PAIRS_64, CELLS_SMALL, CellTuning, SAMPLE_32, SAMPLE_64, SAMPLE_128,
    SAMPLE_COPY, SAMPLE_PAIRS_32, SAMPLE_PAIRS_32_WIDE, SAMPLE_PAIRS_64, SAMPLE_SMALL, SAMPLE_SMALL_CUSTOM,
    SAMPLE_TURN, SampleTuning, custom_sample,
};
pub use search::{SEARCH, SEARCH_128, SEARCH_SMALL, SearchTuning};
pub use select::{SELECT, SELECT_EACH, SELECT_SMALL, SelectTuning};

/// Tile shape of a kernel: a block of `threads` handles `threads * items` keys.
///
/// `items` is odd: a thread's keys then lie an odd number of words apart in shared memory, and a warp that walks its
/// lanes' runs in step touches all banks. An even number costs 1.5 to 2.5 times in bank conflicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TileShape {
    /// Threads of a block.
    pub threads: u32,
    /// Keys of a thread.
    pub items: u32,
}

impl TileShape {
    const fn new(threads: u32, items: u32) -> Self {
        assert!(items % 2 == 1 && threads.is_power_of_two() && threads >= 32 && threads <= 1024);
        TileShape { threads, items }
    }
    /// The shape of a sort by warps: its `items` are a power of two, and shared memory has slots for one more.
    const fn of_warps(threads: u32, items: u32) -> Self {
        assert!(items.is_power_of_two() && items <= 32);
        assert!(threads.is_power_of_two() && threads >= 32 && threads <= 1024);
        TileShape { threads, items }
    }
    /// The shape of a kernel whose threads take every so manyth key: any number of warps will do.
    const fn of_steps(threads: u32, items: u32) -> Self {
        assert!(items > 0 && threads.is_multiple_of(32) && threads > 0 && threads <= 1024);
        TileShape { threads, items }
    }
    /// Keys of a block.
    pub const fn tile(self) -> u32 {
        self.threads * self.items
    }
}

/// Shapes of the two-way merge sort's kernels for keys with an order of their user's own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MergeSortTuning {
    /// The tile sort: it makes the first sorted runs.
    pub sort: TileShape,
    /// The merge pass; its tile divides the tile sort's, so that a block's piece never lies in two pairs of runs.
    pub merge: TileShape,
    /// Blocks of the tile sort to fit on a multiprocessor; 0 leaves registers to the assembler.
    pub sort_min_blocks: u32,
    /// The same for the merge pass.
    pub merge_min_blocks: u32,
}

impl MergeSortTuning {
    const fn new(sort: TileShape, merge: TileShape, sort_min_blocks: u32, merge_min_blocks: u32) -> Self {
        assert!(sort.tile().is_multiple_of(merge.tile()));
        MergeSortTuning { sort, merge, sort_min_blocks, merge_min_blocks }
    }
}

// 256 × 17 keys are a little more than 2^12: one merge pass less than the largest tile below 2^12 would need at every
// power of two.

/// Keys of up to 64 bits.
pub const MERGE_SORT: MergeSortTuning = MergeSortTuning::new(TileShape::new(256, 17), TileShape::new(128, 17), 0, 0);
/// 128-bit keys: half the keys a thread, for the same registers and shared memory.
pub const MERGE_SORT_128: MergeSortTuning = MergeSortTuning::new(TileShape::new(256, 9), TileShape::new(128, 9), 0, 0);
/// Tiny tiles for tests on the emulator: a few hundred keys reach many tiles and several passes. Two warps sort, so that
/// both the rounds inside a warp and those across the block run.
pub const SMALL: MergeSortTuning = MergeSortTuning::new(TileShape::new(64, 3), TileShape::new(32, 3), 0, 0);

/// Shapes of the two-way merge sort's kernels for one key and payload width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TwoWayTuning {
    /// The tile sort: it makes the first sorted runs.
    pub sort: TileShape,
    /// The tile sort of inputs that fit a tile of it: less to wait for.
    pub small: TileShape,
    /// The merge pass.
    pub merge: TileShape,
    /// Keys of one of its blocks, at most `merge.tile()`: they divide the tile sort's, so that a block's piece never lies in
    /// two pairs of runs.
    pub merge_tile: u32,
    /// The merge of two arrays.
    pub runs: TileShape,
    /// Blocks of the tile sort to fit on a multiprocessor; 0 leaves registers to the assembler.
    pub sort_min_blocks: u32,
}

impl TwoWayTuning {
    const fn new(sort: TileShape, small: TileShape, merge: TileShape, merge_tile: u32, runs: TileShape) -> Self {
        assert!(sort.tile().is_multiple_of(merge_tile) && merge_tile <= merge.tile());
        TwoWayTuning { sort, small, merge, merge_tile, runs, sort_min_blocks: 0 }
    }
}

// Measured on an H200, see docs/performance.md. Tiles are powers of two, as inputs often are. The merge of two arrays can be
// large: with keys of 32 bits longer pieces a thread gain a sixth, with wider ones nothing.
const SORT: TileShape = TileShape::of_warps(256, 16);
const SMALL_SORT: TileShape = TileShape::of_warps(256, 4);

/// Keys of up to 32 bits alone.
pub const TWO_WAY_32: TwoWayTuning =
    TwoWayTuning::new(SORT, SMALL_SORT, TileShape::new(128, 17), 2048, TileShape::new(128, 33));
/// 64-bit keys alone.
pub const TWO_WAY_64: TwoWayTuning =
    TwoWayTuning::new(SORT, SMALL_SORT, TileShape::new(128, 17), 2048, TileShape::new(256, 17));
/// Keys of up to 64 bits with a payload.
pub const TWO_WAY_PAIRS: TwoWayTuning =
    TwoWayTuning::new(SORT, SMALL_SORT, TileShape::new(128, 17), 2048, TileShape::new(128, 17));
/// 128-bit keys, alone and with a payload: half the keys a thread, for the same registers and shared memory.
pub const TWO_WAY_128: TwoWayTuning =
    TwoWayTuning::new(TileShape::of_warps(256, 8), SMALL_SORT, TileShape::new(128, 9), 1024, TileShape::new(128, 9));
/// 128-bit keys with a payload: left alone, the assembler spills two registers of the tile sort.
pub const TWO_WAY_PAIRS_128: TwoWayTuning = TwoWayTuning { sort_min_blocks: 2, ..TWO_WAY_128 };
/// Tiny tiles for tests on the emulator: a few hundred keys reach many tiles and several passes. Two warps sort, so that
/// both a warp's part and the rounds of the block run.
pub const TWO_WAY_SMALL: TwoWayTuning = TwoWayTuning::new(
    TileShape::of_warps(64, 2),
    TileShape::of_warps(32, 2),
    TileShape::new(32, 3),
    64,
    TileShape::new(32, 3),
);

/// Shapes of the k-way merge sort's kernels for one key and payload width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KwayTuning {
    /// Keys from which on it is faster than two-way passes, which need fewer launches and no search beforehand.
    pub from: u64,
    /// The tile sort. Any tile will do: cuts are searched for, so runs need not be multiples of a merge's tile.
    pub sort: TileShape,
    /// Blocks of the tile sort to fit on a multiprocessor; 0 leaves registers to the assembler.
    pub sort_min_blocks: u32,
    /// The merge of k pieces.
    pub merge: TileShape,
    /// The same for the merge.
    pub merge_min_blocks: u32,
    /// The tile of a merge of at most eight runs and its blocks, where they are others.
    pub few_runs: Option<(TileShape, u32)>,
    /// Whether the merge's rounds take four runs at once, not two: for keys alone, in a trusted order.
    pub four: bool,
}

impl KwayTuning {
    /// That of a merge of so many runs.
    pub const fn of(self, runs: u32) -> Self {
        match self.few_runs {
            Some((merge, merge_min_blocks)) if runs <= 8 => KwayTuning { merge, merge_min_blocks, ..self },
            _ => self,
        }
    }
}

// Measured on an H200 with 2^28 uniform keys, see docs/performance.md. Shared memory bounds the merge: long pieces a
// thread mean fewer searches, until registers leave too few warps.

const fn by_fours(tuning: KwayTuning) -> KwayTuning {
    KwayTuning { four: true, ..tuning }
}
const fn with_few_runs(tuning: KwayTuning, merge: TileShape, merge_min_blocks: u32) -> KwayTuning {
    KwayTuning { few_runs: Some((merge, merge_min_blocks)), ..tuning }
}
const fn kway(sort: TileShape, merge: TileShape, merge_min_blocks: u32) -> KwayTuning {
    KwayTuning { from: 1 << 21, sort, sort_min_blocks: 0, merge, merge_min_blocks, few_runs: None, four: false }
}
/// 32-bit keys alone. The tile sort is that by warps, which takes 1.96 ms where the other takes 2.26.
pub const KWAY_KEYS_32: KwayTuning = with_few_runs(
    by_fours(kway(TileShape::of_warps(128, 32), TileShape::new(128, 103), 4)),
    TileShape::new(128, 79),
    5,
);
/// Keys of 8 and 16 bits: left alone, the assembler keeps the tile sort to 72 registers and spills one.
pub const KWAY_KEYS_16: KwayTuning = KwayTuning { sort: KWAY_KEYS_32.sort, sort_min_blocks: 4, ..BY_TWOS_32 };
/// 64-bit keys alone: four-way rounds ask for long pieces a thread, for a search costs as much as merging 30 keys.
pub const KWAY_KEYS_64: KwayTuning =
    with_few_runs(by_fours(kway(TileShape::new(128, 33), TileShape::new(128, 69), 3)), TileShape::new(128, 47), 4);
/// Merges by rounds of two: of keys of up to 4 bytes. Tile sorts are others' choice.
const BY_TWOS_32: KwayTuning = kway(TileShape::new(128, 33), TileShape::new(128, 55), 0);
/// 128-bit keys alone, and any keys of 16 bytes.
pub const KWAY_KEYS_128: KwayTuning = kway(TileShape::new(256, 9), TileShape::new(128, 19), 0);
// Five blocks: left alone, the assembler takes as many registers as let four or five start, and spills a few in some.
/// Keys of up to 32 bits with a 4-byte payload.
pub const KWAY_PAIRS_32_32: KwayTuning = kway(TileShape::new(128, 33), TileShape::new(128, 31), 5);
/// Keys of up to 32 bits with an 8-byte payload.
pub const KWAY_PAIRS_32_64: KwayTuning = kway(TileShape::new(128, 33), TileShape::new(128, 23), 5);
/// 64-bit keys with a 4-byte payload.
pub const KWAY_PAIRS_64_32: KwayTuning = kway(TileShape::new(256, 17), TileShape::new(128, 23), 4);
/// 64-bit keys with an 8-byte payload.
pub const KWAY_PAIRS_64_64: KwayTuning = kway(TileShape::new(256, 17), TileShape::new(128, 23), 0);
/// 128-bit keys with a payload.
pub const KWAY_PAIRS_128: KwayTuning = kway(TileShape::new(256, 9), TileShape::new(128, 15), 3);
/// Tiny tiles for tests on the emulator. Two warps sort, so that the rounds of the block run too.
pub const KWAY_SMALL: KwayTuning = KwayTuning {
    from: 600,
    sort: TileShape::new(64, 3),
    sort_min_blocks: 0,
    merge: TileShape::new(64, 5),
    merge_min_blocks: 0,
    few_runs: None,
    four: false,
};
/// The same by rounds of four.
pub const KWAY_SMALL_BY_FOURS: KwayTuning = by_fours(KWAY_SMALL);

/// Tiles of the output from which on a merge of two arrays has its cuts found by a kernel of its own: four blocks for each
/// multiprocessor of a large GPU. Below, its launch costs more than the searches do.
pub const MERGE_CUTS_FROM: u64 = 512;
/// The same for tiny tiles.
pub const MERGE_CUTS_FROM_SMALL: u64 = 2;

/// The same where tiles are sorted by warps.
pub const KWAY_SMALL_BY_WARPS: KwayTuning = KwayTuning { sort: TileShape::of_warps(64, 2), ..KWAY_SMALL };
/// The same by rounds of four.
pub const KWAY_SMALL_BY_WARPS_AND_FOURS: KwayTuning = by_fours(KWAY_SMALL_BY_WARPS);

/// Threads of a block of the kernels that search for cuts.
pub const PARTITION_THREADS: u32 = 128;
/// Blocks on a multiprocessor of some of them: left alone, the assembler spills a register for sm_80.
pub const PARTITION_MIN_BLOCKS: u32 = 4;

/// Shapes for keys with an order of their own, which may have any size: those of the built-in keys of about their size.
/// Such a key is sorted with its position beside it, so that equal keys keep their order.
pub const fn custom_merge_sort(key_bytes: usize) -> MergeSortTuning {
    match key_bytes {
        0..=8 => MERGE_SORT,
        9..=16 => MERGE_SORT_128,
        _ => MERGE_SORT_256,
    }
}

/// The same for the k-way merge sort; a payload has 0, 4 or 8 bytes.
pub const fn custom_kway(key_bytes: usize, payload_bytes: usize) -> KwayTuning {
    match (key_bytes, payload_bytes) {
        // The tile sorts of pairs: those of bare keys have no room for positions.
        (0..=4, 0) => KwayTuning { sort: KWAY_PAIRS_32_32.sort, ..BY_TWOS_32 },
        // Guards take registers too: under them a merge keeps each element twice. So of some sizes a thread has fewer keys than
        // of gridsort's own, as many as let three blocks start without a spill.
        (0..=4, 4) => KwayTuning { merge_min_blocks: 0, ..KWAY_PAIRS_32_32 },
        (0..=4, _) => kway(KWAY_PAIRS_32_64.sort, TileShape::new(128, 19), 0),
        (5..=8, 0) => kway(KWAY_PAIRS_64_32.sort, TileShape::new(128, 29), 0),
        (5..=8, 4) => kway(KWAY_PAIRS_64_32.sort, TileShape::new(128, 17), 0),
        (5..=8, _) => KWAY_PAIRS_64_64,
        // Twelve bytes, left alone, spill two registers at three blocks.
        (9..=12, 0) => KwayTuning { merge_min_blocks: 2, ..KWAY_KEYS_128 },
        (13..=16, 0) => KWAY_KEYS_128,
        (9..=16, _) => KwayTuning { merge_min_blocks: 0, ..KWAY_PAIRS_128 },
        (_, 0) => kway(MERGE_SORT_256.sort, TileShape::new(128, 11), 0),
        // As of twelve bytes, of thirty-two.
        (_, _) => kway(MERGE_SORT_256.sort, TileShape::new(128, 9), 2),
    }
}

/// Keys of 17 to 32 bytes: half the keys a thread of those of 16.
const MERGE_SORT_256: MergeSortTuning = MergeSortTuning::new(TileShape::new(256, 5), TileShape::new(128, 5), 0, 0);

/// Threads of a block of the kernel that restores what a pass read.
pub const GUARD_THREADS: u32 = 256;

/// Threads of a block of the one-thread-per-output kernels.
pub const CHAPTER_THREADS: u32 = 256;

/// Threads of a block of the kernels that fetch elements by position.
pub const GATHER_THREADS: u32 = 256;

/// The kernels that look whether keys are sorted: enough keys a thread to keep many loads in flight.
pub const SORTED: TileShape = TileShape::new(256, 9);

/// Shape of a bitonic sort: a block of `threads`, each with `items` keys in registers.
///
/// Both are powers of two, as the networks want them; shared memory is kept free of bank conflicts by where keys lie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitonicShape {
    /// Threads of a block.
    pub threads: u32,
    /// Keys of a thread, 1 to 8.
    pub items: u32,
}

impl BitonicShape {
    const fn new(threads: u32, items: u32) -> Self {
        assert!(items.is_power_of_two() && items <= 8);
        assert!(threads.is_power_of_two() && threads >= 32 && threads <= 1024);
        BitonicShape { threads, items }
    }
    /// Keys of a block.
    pub const fn tile(self) -> u32 {
        self.threads * self.items
    }
    /// Keys of a warp.
    pub const fn warp(self) -> u32 {
        32 * self.items
    }
}

/// Shapes of the two bitonic sorts for one key width, with and without payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BitonicTuning {
    /// The sort of a segment by a warp.
    pub warp: BitonicShape,
    /// The sort of a segment by a block.
    pub block: BitonicShape,
}

// More keys a thread leave fewer comparators to shuffles and shared memory, and fewer threads to hide their latency.

/// 32-bit keys.
pub const BITONIC_32: BitonicTuning =
    BitonicTuning { warp: BitonicShape::new(256, 8), block: BitonicShape::new(256, 8) };
/// 64-bit keys.
pub const BITONIC_64: BitonicTuning =
    BitonicTuning { warp: BitonicShape::new(256, 4), block: BitonicShape::new(256, 8) };
/// Blocks of the block sort of 64-bit keys with payloads on a multiprocessor: left alone, the assembler takes 64 registers
/// for sm_100 and spills two.
pub const BITONIC_64_PAIRS_MIN_BLOCKS: u32 = 3;

/// Shape of a McGridsort engine's kernel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridShape {
    /// Threads of a block.
    pub threads: u32,
    /// Threads that merge one piece: as many as an engine takes streams, or two warps.
    pub team: u32,
    /// Most streams of a piece.
    pub streams: u32,
    /// Slots of shared memory for each stream to be read ahead into; 0: none.
    pub ring: u32,
}

impl GridShape {
    const fn new(threads: u32, team: u32, streams: u32, ring: u32) -> Self {
        assert!(threads.is_multiple_of(team) && threads.is_multiple_of(32) && streams <= team);
        assert!(ring == 0 || ring.is_power_of_two());
        GridShape { threads, team, streams, ring }
    }
    /// Pieces that a block merges.
    pub const fn pieces(self) -> u32 {
        self.threads / self.team
    }
}

// Teams share nothing, so blocks are small: two warps, so that neither the 32 blocks of a multiprocessor nor what is left
// over of shared memory costs much occupancy. A ring of 32 elements is filled 16 at a time: 64 or 128 neighbouring bytes.

/// Engines of 16 lanes: two a warp.
pub const GRID_16: GridShape = GridShape::new(64, 16, 16, 32);
/// Engines of a warp.
pub const GRID_32: GridShape = GridShape::new(64, 32, 32, 32);
/// The engine of two warps.
pub const GRID_PAIR: GridShape = GridShape::new(64, 64, 32, 32);
/// Elements a lane of the gridless engines merges at a time: odd, so that lanes read from different banks.
pub const GRIDLESS_ITEMS: usize = 5;
/// Threads of a block of the kernel that lays out pieces.
pub const PIECES_THREADS: u32 = 256;
