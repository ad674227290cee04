//! The sample sort's numbers.
use super::TileShape;
use super::rows::{BUCKETS_128, ROWS_32, ROWS_64, ROWS_PAIRS_32, ROWS_PAIRS_64, ROWS_SMALL_BY_THREADS, of_rows};
use crate::sample::tables::{CLASSES, ClassKeys};

/// Shapes of the sample sort's kernels for one key width, with or without what keys carry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleTuning {
    /// Keys from which on it is faster than the merge sort.
    pub from: u64,
    /// Keys up to which it is: of more, two levels leave buckets that no size class takes.
    pub to: u64,
    /// Blocks of the look at the keys on a multiprocessor; 0 leaves registers to the assembler.
    pub look_min_blocks: u32,
    /// Blocks of the kernel that turns keys around.
    pub turn_min_blocks: u32,
    /// A segment's buckets are two to this power.
    pub bits: u32,
    /// The sort of a segment's sample.
    pub sample: TileShape,
    /// Blocks of it on a multiprocessor.
    pub sample_min_blocks: u32,
    /// The count.
    pub count: TileShape,
    /// Blocks of it on a multiprocessor.
    pub count_min_blocks: u32,
    /// The scatter: as many threads as there are buckets, at least. A tile is some of the count's, where it is stable.
    pub scatter: TileShape,
    /// Keys that a thread of it fetches at a time.
    pub scatter_group: u32,
    /// Blocks of it on a multiprocessor.
    pub scatter_min_blocks: u32,
    /// Blocks of it at most, where no order is to be kept, in a level that has something to do: these loop over tiles.
    pub scatter_grid: u64,
    /// Tiles of the scatter to a chunk, which a block counts at once, at most.
    pub chunk_tiles: u32,
    /// Chunks that there are to be before one has more than a tile: enough to fill a large GPU several times over.
    pub chunks: u64,
    /// Keys of a bucket in the last level, about.
    pub target: u32,
    /// The bucket sorts, ascending: kernels that sort rows by blocks of these shapes.
    pub classes: [TileShape; CLASSES as usize],
    /// The sort of buckets that no class takes.
    pub large: TileShape,
    /// Keys of a bucket up to which it does. Larger ones are partitioned once more.
    pub large_to: u32,
    /// Whether equal keys keep their order where they carry nothing, which they need not where they are alike. Where
    /// they carry something they do.
    pub stable: bool,
    /// Whether keys are numbers, and their splitters have a guide.
    pub guided: bool,
    /// Blocks at most of kernels that loop over what there turns out to be: enough to fill a large GPU several times
    /// over.
    pub looping_grid: u64,
}

impl SampleTuning {
    /// Most keys of each class.
    pub const fn class_keys(&self) -> ClassKeys {
        let mut keys = [0; CLASSES as usize];
        let mut c = 0;
        while c < keys.len() {
            let shape = self.classes[c];
            // Those by warps, of an even number of items, take no further rows of a list.
            assert!(shape.items % 2 == 1);
            keys[c] = shape.tile();
            c += 1;
        }
        ClassKeys::new(keys)
    }
    /// Keys of a chunk at most.
    pub const fn chunk(&self) -> u32 {
        self.scatter.tile() * self.chunk_tiles
    }
    /// Tiles of a chunk where there are `n` keys.
    pub const fn tiles_of_chunk(&self, n: u64) -> u32 {
        let even = n / (self.scatter.tile() as u64 * self.chunks);
        if even < 1 {
            1
        } else if even < self.chunk_tiles as u64 {
            even as u32
        } else {
            self.chunk_tiles
        }
    }
}

// Measured on an H200, see docs/performance.md. What hides what a tile of the scatter waits for are many keys in
// flight: two blocks of 512 threads that have registers for many each, and tiles as large as shared memory then allows,
// so that a bucket's keys are written many together. Bucket sizes scatter by a third around their target, so the
// classes lie close.
/// 32-bit keys alone.
pub const SAMPLE_32: SampleTuning = SampleTuning {
    from: 1 << 25,
    to: 1 << 30,
    look_min_blocks: 0,
    turn_min_blocks: 3,
    bits: 9,
    sample: TileShape::of_warps(256, 16),
    sample_min_blocks: 3,
    count: TileShape::of_warps(512, 8),
    count_min_blocks: 3,
    scatter: TileShape::of_steps(768, 32),
    scatter_group: 8,
    scatter_min_blocks: 2,
    // A block for each tile: which multiprocessor is free next decides better than a plan.
    scatter_grid: u64::MAX,
    chunk_tiles: 3,
    chunks: 1024,
    target: 1024,
    // 544, 672, 864, 1056, 1344, 2112, 2688 and 5248 keys.
    classes: of_rows(ROWS_32, [0, 1, 2, 3, 4, 5, 6, 8]),
    large: TileShape::new(256, 17),
    large_to: 1 << 17,
    stable: false,
    guided: true,
    looping_grid: 1 << 14,
};
/// 64-bit keys alone.
pub const SAMPLE_64: SampleTuning = SampleTuning {
    from: 1 << 24,
    // Left alone, the assembler takes so many registers that a block fewer fits, and of sorted keys all are read.
    look_min_blocks: 6,
    scatter: TileShape::of_steps(768, 16),
    // By eight the assembler spills registers.
    scatter_group: 4,
    chunk_tiles: 6,
    // 544, 800, 1088, 1600, 2112, 2688, 3456 and 4224 keys.
    classes: of_rows(ROWS_64, [1, 2, 3, 4, 5, 6, 7, 8]),
    // Fewer tables for the last level, which scratch memory has room for.
    large_to: 3 << 16,
    ..SAMPLE_32
};
/// 32-bit keys that carry 32 bits: by the stable scatter.
pub const SAMPLE_PAIRS_32: SampleTuning = SampleTuning {
    from: 3 << 23,
    to: 1 << 29,
    scatter: TileShape::of_steps(512, 32),
    scatter_group: 8,
    scatter_min_blocks: 2,
    chunk_tiles: 8,
    // 544, 800, 1056, 1600, 2112, 2688, 3456 and 4224 keys.
    classes: of_rows(ROWS_PAIRS_32, [1, 2, 3, 4, 5, 6, 7, 8]),
    ..SAMPLE_32
};
/// 32-bit keys that carry 64 bits, for which a tile must have room.
pub const SAMPLE_PAIRS_32_WIDE: SampleTuning =
    SampleTuning { scatter: TileShape::of_steps(512, 24), chunk_tiles: 6, ..SAMPLE_PAIRS_32 };
/// 64-bit keys that carry 32 or 64 bits.
pub const SAMPLE_PAIRS_64: SampleTuning = SampleTuning {
    from: 3 << 22,
    to: 1 << 29,
    scatter: TileShape::of_steps(512, 24),
    scatter_group: 8,
    scatter_min_blocks: 2,
    chunk_tiles: 6,
    // 544, 800, 1088, 1344, 2112, 2688, 3456 and 4352 keys.
    classes: of_rows(ROWS_PAIRS_64, [1, 2, 3, 4, 5, 6, 7, 8]),
    ..SAMPLE_64
};
/// 128-bit keys alone: the bytes of a tile, a chunk and a bucket, and the registers of a thread, are about those of 64
/// bits, the keys half as many.
pub const SAMPLE_128: SampleTuning = SampleTuning {
    from: 3 << 22,
    to: 1 << 28,
    // By two the assembler spills a register.
    turn_min_blocks: 1,
    sample: TileShape::of_warps(512, 8),
    sample_min_blocks: 1,
    // By four the assembler spills a register.
    count: TileShape::of_warps(512, 2),
    count_min_blocks: 2,
    scatter: TileShape::of_steps(512, 8),
    scatter_group: 4,
    scatter_min_blocks: 3,
    chunk_tiles: 8,
    target: 512,
    classes: BUCKETS_128.blocks,
    large: TileShape::new(256, 9),
    large_to: 1 << 16,
    ..SAMPLE_32
};
/// Shapes for keys with an order of their own, which may have any size, alone: by half the bytes and registers, twice
/// the keys. Such keys are sorted with their position beside them, and scattered in the order they had.
pub const fn custom_sample(key_bytes: usize) -> SampleTuning {
    match key_bytes {
        0..=8 => SAMPLE_CUSTOM_8,
        9..=16 => SAMPLE_CUSTOM_16,
        _ => SAMPLE_CUSTOM_32,
    }
}
const SAMPLE_CUSTOM_8: SampleTuning = SampleTuning {
    sample: TileShape::of_warps(512, 8),
    sample_min_blocks: 1,
    count: TileShape::of_warps(512, 8),
    count_min_blocks: 2,
    scatter: TileShape::of_steps(1024, 8),
    scatter_min_blocks: 1,
    chunk_tiles: 8,
    target: 1024,
    classes: [
        TileShape::new(32, 17),
        TileShape::new(64, 13),
        TileShape::new(64, 17),
        TileShape::new(128, 13),
        TileShape::new(128, 17),
        TileShape::new(256, 11),
        TileShape::new(256, 13),
        // With 256 threads of 17 keys, two of which start by themselves, the assembler spills two registers.
        TileShape::new(512, 9),
    ],
    large: TileShape::new(256, 17),
    stable: true,
    guided: false,
    ..SAMPLE_128
};
const SAMPLE_CUSTOM_16: SampleTuning = SampleTuning {
    scatter_min_blocks: 1,
    // The guard takes registers too.
    classes: [
        TileShape::new(32, 9),
        TileShape::new(32, 13),
        TileShape::new(64, 9),
        TileShape::new(64, 11),
        TileShape::new(128, 7),
        TileShape::new(128, 11),
        TileShape::new(256, 9),
        TileShape::new(256, 13),
    ],
    stable: true,
    guided: false,
    ..SAMPLE_128
};
const SAMPLE_CUSTOM_32: SampleTuning = SampleTuning {
    sample: TileShape::of_warps(512, 4),
    count: TileShape::of_warps(512, 2),
    // As few threads as there are buckets: a tile of 64 KiB.
    scatter: TileShape::of_steps(512, 4),
    target: 256,
    classes: [
        TileShape::new(32, 7),
        TileShape::new(64, 5),
        TileShape::new(64, 7),
        TileShape::new(128, 5),
        TileShape::new(128, 7),
        TileShape::new(256, 5),
        TileShape::new(256, 7),
        TileShape::new(512, 5),
    ],
    large: TileShape::new(256, 5),
    large_to: 1 << 15,
    ..SAMPLE_CUSTOM_16
};
/// Which of the tiny kernels for rows sort buckets.
pub(super) const CLASSES_SMALL: [usize; CLASSES as usize] = [0, 1, 2, 3, 4, 5, 6, 8];
/// Tiny tiles for tests on the emulator: some thousand keys reach all levels and classes.
pub const SAMPLE_SMALL: SampleTuning = SampleTuning {
    from: 2500,
    to: 20_000,
    look_min_blocks: 0,
    turn_min_blocks: 0,
    bits: 3,
    sample: TileShape::of_warps(64, 2),
    sample_min_blocks: 3,
    count: TileShape::of_warps(64, 2),
    count_min_blocks: 3,
    // Three warps: any number will do.
    scatter: TileShape::of_steps(96, 8),
    scatter_group: 4,
    scatter_min_blocks: 0,
    scatter_grid: 2,
    chunk_tiles: 2,
    chunks: 1,
    target: 192,
    classes: of_rows(ROWS_SMALL_BY_THREADS, CLASSES_SMALL),
    large: TileShape::new(64, 7),
    large_to: 1200,
    stable: false,
    guided: true,
    looping_grid: 2,
};
/// The same for keys with an order of their own.
pub const SAMPLE_SMALL_CUSTOM: SampleTuning = SampleTuning { stable: true, guided: false, ..SAMPLE_SMALL };
// The count leaves a row before each tile of a stable scatter.
const _: () = {
    assert!(SAMPLE_PAIRS_32.scatter.tile().is_multiple_of(SAMPLE_PAIRS_32.count.tile()));
    assert!(SAMPLE_PAIRS_64.scatter.tile().is_multiple_of(SAMPLE_PAIRS_64.count.tile()));
    assert!(SAMPLE_CUSTOM_8.scatter.tile().is_multiple_of(SAMPLE_CUSTOM_8.count.tile()));
    assert!(SAMPLE_CUSTOM_16.scatter.tile().is_multiple_of(SAMPLE_CUSTOM_16.count.tile()));
    assert!(SAMPLE_CUSTOM_32.scatter.tile().is_multiple_of(SAMPLE_CUSTOM_32.count.tile()));
    assert!(SAMPLE_SMALL.scatter.tile().is_multiple_of(SAMPLE_SMALL.count.tile()));
};
/// Threads of a block of the kernel that copies buckets, and keys of a thread at a time.
pub const SAMPLE_COPY: TileShape = TileShape::of_warps(512, 8);
/// Of the kernel that turns keys around: as many from the front as from the back.
pub const SAMPLE_TURN: TileShape = TileShape::of_warps(512, 4);

/// Shapes of the kernels that sort buckets by cells, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellTuning {
    /// A block to a bucket.
    pub shapes: [TileShape; 4],
    /// How many of each to fit on a multiprocessor.
    pub min_blocks: [u32; 4],
}
// Measured on an H200, see docs/performance.md: what bounds them is instructions, then how many warps there are to hide
// latencies.
/// 32-bit keys alone: 576, 1088, 2176 and 5376 keys, by 48 to 80 registers a thread.
pub const CELLS_32: CellTuning = CellTuning {
    shapes: [TileShape::new(64, 9), TileShape::new(64, 17), TileShape::new(128, 17), TileShape::new(256, 21)],
    min_blocks: [18, 16, 8, 3],
};
/// 64-bit keys alone: 576, 1088, 2176 and 4352 keys, by 56 and 80 registers a thread.
pub const CELLS_64: CellTuning = CellTuning {
    shapes: [TileShape::new(64, 9), TileShape::new(64, 17), TileShape::new(128, 17), TileShape::new(256, 17)],
    min_blocks: [18, 12, 6, 3],
};
/// 32-bit keys that carry something, as many as 64-bit ones. Shared memory leaves room for half to all of these blocks,
/// by what they carry.
pub const CELLS_PAIRS_32: CellTuning = CellTuning { shapes: CELLS_64.shapes, min_blocks: [18, 16, 8, 4] };
/// 64-bit keys that carry something: the same goes for them.
pub const CELLS_PAIRS_64: CellTuning = CELLS_64;
/// Tiny ones for tests on the emulator.
pub const CELLS_SMALL: CellTuning = CellTuning {
    shapes: [TileShape::new(32, 3), TileShape::new(64, 3), TileShape::new(64, 5), TileShape::new(64, 13)],
    min_blocks: [0; 4],
};
