//! The sample sort's numbers.
use super::TileShape;

/// Shapes of the sample sort's kernels for one key width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleTuning {
    /// Keys from which on it is faster than the merge sort.
    pub from: u64,
    /// Keys up to which two levels make buckets that a block sorts.
    pub to: u64,
    /// A segment's buckets are two to this power.
    pub bits: u32,
    /// The sort of a segment's sample.
    pub sample: TileShape,
    /// The count.
    pub count: TileShape,
    /// The scatter: as many threads as there are buckets, at least.
    pub scatter: TileShape,
    /// Blocks of it on a multiprocessor.
    pub scatter_min_blocks: u32,
    /// Tiles of the scatter to a chunk, which a block counts at once.
    pub chunk_tiles: u32,
    /// Keys of a bucket in the last level, about.
    pub target: u32,
    /// The bucket sorts, ascending.
    pub classes: [TileShape; 6],
    /// The sort of buckets that no class takes.
    pub large: TileShape,
    /// Keys of a bucket up to which it does. Larger ones are partitioned once more.
    pub large_to: u32,
    /// Blocks at most of kernels that loop over what there turns out to be: enough to fill a large GPU several times over.
    pub looping_grid: u64,
}

impl SampleTuning {
    /// Most keys of each class.
    pub const fn class_keys(&self) -> [u32; 6] {
        let mut keys = [0; 6];
        let mut c = 0;
        while c < 6 {
            keys[c] = self.classes[c].tile();
            assert!(c == 0 || keys[c] > keys[c - 1]);
            c += 1;
        }
        keys
    }
    /// Keys of a chunk.
    pub const fn chunk(&self) -> u32 {
        self.scatter.tile() * self.chunk_tiles
    }
}

// Measured on an H200, see docs/performance.md. A full multiprocessor hides what a tile of the scatter waits for: two blocks of
// 1024 threads, and tiles as large as shared memory then allows, so that a bucket's keys are written many together. Bucket sizes
// scatter by a third around their target, so the classes lie close.
const SAMPLE_CLASSES: [TileShape; 6] = [
    TileShape::new(64, 9),
    TileShape::new(64, 15),
    TileShape::new(64, 21),
    TileShape::new(64, 27),
    TileShape::new(64, 33),
    TileShape::new(128, 33),
];
/// 32-bit keys alone.
pub const SAMPLE_32: SampleTuning = SampleTuning {
    from: 1 << 26,
    to: 1 << 29,
    bits: 9,
    sample: TileShape::of_warps(256, 16),
    count: TileShape::of_warps(512, 16),
    scatter: TileShape::of_warps(1024, 16),
    scatter_min_blocks: 2,
    chunk_tiles: 4,
    target: 1024,
    classes: SAMPLE_CLASSES,
    large: TileShape::new(256, 17),
    large_to: 1 << 16,
    looping_grid: 1 << 14,
};
/// 64-bit keys alone.
pub const SAMPLE_64: SampleTuning =
    SampleTuning { from: 1 << 25, scatter: TileShape::of_warps(1024, 8), chunk_tiles: 8, ..SAMPLE_32 };
/// Tiny tiles for tests on the emulator: some thousand keys reach all levels and classes.
pub const SAMPLE_SMALL: SampleTuning = SampleTuning {
    from: 2500,
    to: 20_000,
    bits: 3,
    sample: TileShape::of_warps(64, 2),
    count: TileShape::of_warps(64, 2),
    scatter: TileShape::of_warps(64, 8),
    scatter_min_blocks: 0,
    chunk_tiles: 2,
    target: 64,
    classes: [
        TileShape::new(32, 1),
        TileShape::new(64, 1),
        TileShape::new(32, 3),
        TileShape::new(64, 3),
        TileShape::new(32, 7),
        TileShape::new(64, 5),
    ],
    large: TileShape::new(64, 3),
    large_to: 800,
    looping_grid: 2,
};
/// Threads of a block of the kernel that copies buckets, and keys of a thread at a time.
pub const SAMPLE_COPY: TileShape = TileShape::of_warps(512, 8);
