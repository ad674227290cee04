//! Shapes of the kernels that sort rows, for one key width, with and without what keys carry along.
use super::TileShape;
use crate::sample::tables::CLASSES;

/// Kernels that sort narrow rows, a few lanes to each.
pub const ROW_WARPS: usize = 3;
/// Kernels that sort rows by blocks.
pub const ROW_BLOCKS: usize = 10;

/// The kernels' shapes, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RowTuning {
    /// Those of a few lanes: `items` keys each.
    pub warps: [TileShape; ROW_WARPS],
    /// Keys of the widest row that each of them sorts: at most half a warp's, and where the next one or a block takes over.
    pub warp_keys: [u32; ROW_WARPS],
    /// Those of a block, in steps of a fifth to a half; the narrowest ones are wider apart.
    pub blocks: [TileShape; ROW_BLOCKS],
    /// How many of each to fit on a multiprocessor; 0 leaves registers to the assembler.
    pub min_blocks: [u32; ROW_BLOCKS],
    /// Keys of the narrowest row that the widest block takes: one before it that is filled less is slower than tiles and a merge.
    pub widest_from: u32,
}

impl RowTuning {
    const fn new(
        warps: [(u32, u32); ROW_WARPS],
        blocks: [TileShape; ROW_BLOCKS],
        widest_from: u32,
        threads: u32,
    ) -> Self {
        let mut shapes = [TileShape::of_warps(threads, 1); ROW_WARPS];
        let mut keys = [0; ROW_WARPS];
        let mut i = 0;
        while i < ROW_WARPS {
            shapes[i] = TileShape::of_warps(threads, warps[i].0);
            keys[i] = warps[i].1;
            assert!(keys[i].is_power_of_two() && keys[i] <= 16 * warps[i].0);
            i += 1;
        }
        let mut i = 1;
        while i < ROW_BLOCKS {
            assert!(blocks[i].tile() > blocks[i - 1].tile());
            i += 1;
        }
        RowTuning { warps: shapes, warp_keys: keys, blocks, min_blocks: [0; ROW_BLOCKS], widest_from }
    }
    /// Keys of the widest row that lanes of a warp sort.
    pub const fn narrow(&self) -> u32 {
        self.warp_keys[ROW_WARPS - 1]
    }
    /// Keys of the widest row.
    pub const fn most(&self) -> u32 {
        self.blocks[ROW_BLOCKS - 1].tile()
    }
}

/// Threads of a block of the kernels that look at where segments are.
pub const SEGMENT_THREADS: u32 = 256;

const fn block(threads: u32, items: u32) -> TileShape {
    TileShape::new(threads, items)
}
/// By warps: see [`warp_sort`](crate::tile::warp_sort).
const fn of_warps(threads: u32, items: u32) -> TileShape {
    TileShape::of_warps(threads, items)
}

// Measured on an H200 with 2^26 keys, see docs/performance.md. A block of one warp needs no barrier to wait for another.

/// 32-bit keys alone. The eighth and the tenth block are by warps. Left alone, the assembler spills a register of the sixth.
pub const ROWS_32: RowTuning = RowTuning { min_blocks: [0, 0, 0, 0, 0, 8, 0, 0, 0, 0], ..BY_32 };
const BY_32: RowTuning = RowTuning::new(
    [(4, 8), (8, 64), (32, 512)],
    [
        block(32, 17),
        block(32, 21),
        block(32, 27),
        block(32, 33),
        block(64, 21),
        block(64, 33),
        block(128, 21),
        of_warps(128, 32),
        block(128, 41),
        of_warps(256, 32),
    ],
    6400,
    128,
);
/// 32-bit keys that carry something.
pub const ROWS_PAIRS_32: RowTuning = RowTuning::new(
    [(4, 4), (8, 32), (16, 256)],
    [
        block(32, 9),
        block(32, 17),
        block(32, 25),
        block(32, 33),
        block(64, 25),
        block(64, 33),
        block(128, 21),
        block(128, 27),
        block(128, 33),
        block(256, 21),
    ],
    0,
    128,
);
/// 64-bit keys alone.
pub const ROWS_64: RowTuning = RowTuning::new(
    [(4, 8), (8, 32), (16, 256)],
    [
        block(32, 9),
        block(32, 17),
        block(32, 25),
        block(64, 17),
        block(64, 25),
        block(64, 33),
        block(128, 21),
        block(128, 27),
        block(128, 33),
        block(256, 21),
    ],
    0,
    128,
);
/// 64-bit keys that carry something.
pub const ROWS_PAIRS_64: RowTuning = RowTuning::new(
    [(4, 4), (8, 32), (16, 256)],
    [
        block(32, 9),
        block(32, 17),
        block(32, 25),
        block(64, 17),
        block(64, 21),
        block(64, 33),
        block(128, 21),
        block(128, 27),
        block(256, 17),
        block(256, 21),
    ],
    0,
    128,
);
/// Shapes of the bucket sorts, by which of the kernels for rows they are.
pub(super) const fn of_rows(rows: RowTuning, blocks: [usize; CLASSES as usize]) -> [TileShape; CLASSES as usize] {
    let mut shapes = [rows.blocks[0]; CLASSES as usize];
    let mut c = 0;
    while c < blocks.len() {
        shapes[c] = rows.blocks[blocks[c]];
        c += 1;
    }
    shapes
}
/// Shapes of kernels that sort a sample sort's buckets and no other rows, ascending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BucketTuning {
    /// A block to a bucket.
    pub blocks: [TileShape; CLASSES as usize],
    /// How many of each to fit on a multiprocessor; 0 leaves registers to the assembler.
    pub min_blocks: [u32; CLASSES as usize],
}
/// 128-bit keys alone: the registers of 64-bit ones, so half the keys a thread. By reckoning, no others were measured: 288, 416, 544, 704, 960,
/// 1408, 2176 and 3328 keys, steps of a third to a half around what a bucket has.
pub const BUCKETS_128: BucketTuning = BucketTuning {
    blocks: [
        block(32, 9),
        block(32, 13),
        block(32, 17),
        block(64, 11),
        block(64, 15),
        block(128, 11),
        block(128, 17),
        block(256, 13),
    ],
    min_blocks: [0; CLASSES as usize],
};
/// Tiny rows for tests on the emulator.
pub const ROWS_SMALL: RowTuning = RowTuning::new(
    [(1, 2), (2, 16), (4, 64)],
    [
        block(32, 3),
        block(32, 5),
        block(32, 7),
        block(64, 5),
        block(64, 7),
        block(64, 9),
        block(64, 11),
        of_warps(64, 16),
        block(64, 17),
        of_warps(128, 16),
    ],
    1200,
    64,
);
/// The same without those by warps.
pub const ROWS_SMALL_BY_THREADS: RowTuning = RowTuning::new(
    [(1, 2), (2, 16), (4, 64)],
    [
        block(32, 3),
        block(32, 5),
        block(32, 7),
        block(64, 5),
        block(64, 7),
        block(64, 9),
        block(64, 11),
        block(64, 13),
        block(64, 15),
        block(64, 17),
    ],
    0,
    64,
);
/// Eight of these shapes, for the buckets of 128-bit keys: those of other keys' buckets.
pub const BUCKETS_SMALL: BucketTuning = BucketTuning {
    blocks: of_rows(ROWS_SMALL_BY_THREADS, super::sample::CLASSES_SMALL),
    min_blocks: [0; CLASSES as usize],
};
