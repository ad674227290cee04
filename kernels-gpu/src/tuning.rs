//! The numbers that tune kernels, in one place: kernels are instantiated with them and hosts launch by them.
//!
//! Constants are named by key width, with the payload's width behind it where that matters.

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
    /// Keys of a block.
    pub const fn tile(self) -> u32 {
        self.threads * self.items
    }
}

/// Shapes of the merge sort's two kernels for one key and payload width.
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

/// Keys of 8 to 64 bits, alone and with a payload.
pub const MERGE_SORT: MergeSortTuning = MergeSortTuning::new(TileShape::new(256, 17), TileShape::new(128, 17), 0, 0);
/// 128-bit keys: half the keys a thread, for the same registers and shared memory.
pub const MERGE_SORT_128: MergeSortTuning = MergeSortTuning::new(TileShape::new(256, 9), TileShape::new(128, 9), 0, 0);
/// Tiny tiles for tests on the emulator: a few hundred keys reach many tiles and several passes. Two warps sort, so that
/// both the rounds inside a warp and those across the block run.
pub const SMALL: MergeSortTuning = MergeSortTuning::new(TileShape::new(64, 3), TileShape::new(32, 3), 0, 0);

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
}

// Measured on an H200 with 2^28 uniform keys, see docs/performance.md. Shared memory bounds the merge: long pieces a
// thread mean fewer searches, until registers leave too few warps.

const fn kway(sort: TileShape, merge: TileShape, merge_min_blocks: u32) -> KwayTuning {
    KwayTuning { from: 1 << 21, sort, sort_min_blocks: 0, merge, merge_min_blocks }
}
/// Keys of up to 32 bits alone.
pub const KWAY_KEYS_32: KwayTuning = kway(TileShape::new(128, 33), TileShape::new(128, 55), 0);
/// 64-bit keys alone.
pub const KWAY_KEYS_64: KwayTuning = kway(TileShape::new(128, 33), TileShape::new(128, 55), 0);
/// 128-bit keys alone, and any keys of 16 bytes.
pub const KWAY_KEYS_128: KwayTuning = kway(TileShape::new(256, 9), TileShape::new(128, 21), 0);
/// Keys of up to 32 bits with a 4-byte payload.
pub const KWAY_PAIRS_32_32: KwayTuning = kway(TileShape::new(128, 33), TileShape::new(128, 31), 0);
/// Keys of up to 32 bits with an 8-byte payload.
pub const KWAY_PAIRS_32_64: KwayTuning = kway(TileShape::new(128, 33), TileShape::new(128, 23), 0);
/// 64-bit keys with a 4-byte payload.
pub const KWAY_PAIRS_64_32: KwayTuning = kway(TileShape::new(256, 17), TileShape::new(128, 23), 4);
/// 64-bit keys with an 8-byte payload.
pub const KWAY_PAIRS_64_64: KwayTuning = kway(TileShape::new(256, 17), TileShape::new(128, 23), 0);
/// 128-bit keys with a payload.
pub const KWAY_PAIRS_128: KwayTuning = kway(TileShape::new(256, 9), TileShape::new(128, 15), 0);
/// Tiny tiles for tests on the emulator.
pub const KWAY_SMALL: KwayTuning = KwayTuning {
    from: 600,
    sort: TileShape::new(32, 3),
    sort_min_blocks: 0,
    merge: TileShape::new(64, 5),
    merge_min_blocks: 0,
};

/// Threads of a block of the kernels that search for cuts.
pub const PARTITION_THREADS: u32 = 128;
/// Their blocks on a multiprocessor for keys of 8 and 128 bits: left alone, the assembler spills a register for sm_80.
pub const PARTITION_MIN_BLOCKS: u32 = 4;

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
