//! The numbers of the kernels that look things up in sorted data.
use super::TileShape;

/// Shapes of the kernels that search and that find runs of equal keys, for one key width.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SearchTuning {
    /// The search: a thread has `items` queries at a time.
    pub bounds: TileShape,
    /// A block of it keeps two to this power, less one, of the data's keys in shared memory.
    pub pivot_bits: u32,
    /// Blocks of it at most; each takes more queries instead, and fetches its pivots once.
    pub bounds_grid: u32,
    /// The kernels that find runs.
    pub runs: TileShape,
    /// The sum over their tiles, by one block.
    pub scan: TileShape,
}

/// Keys of up to 64 bits. A search waits for memory: four queries a thread and all the threads that a multiprocessor can have,
/// in which ten levels in shared memory take 8 KiB of a block's. The grid fills a large GPU twice.
pub const SEARCH: SearchTuning = SearchTuning {
    bounds: TileShape::of_warps(256, 4),
    pivot_bits: 10,
    bounds_grid: 1 << 11,
    runs: TileShape::of_warps(256, 16),
    scan: TileShape::of_warps(1024, 4),
};
/// 128-bit keys: half the keys a thread, for the same registers.
pub const SEARCH_128: SearchTuning = SearchTuning { runs: TileShape::of_warps(256, 8), ..SEARCH };
/// Tiny tiles for tests on the emulator: a few hundred queries take several rounds of all blocks, and some thousand keys
/// several of the sum.
pub const SEARCH_SMALL: SearchTuning = SearchTuning {
    bounds: TileShape::of_warps(64, 2),
    pivot_bits: 3,
    bounds_grid: 2,
    runs: TileShape::of_warps(64, 2),
    scan: TileShape::of_warps(64, 1),
};
