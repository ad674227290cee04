//! The numbers of selection.
use super::TileShape;

/// Shapes of the kernels that select.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SelectTuning {
    /// Threads of a block that reads an array or rows.
    pub threads: u32,
    /// Elements that a block keeps in shared memory: rows of up to as many are sorted there, and of longer ones it finds half
    /// as many of the first ones at a time.
    pub capacity: u32,
    /// Elements that a block keeps at least, however few it looks for.
    pub least: u32,
    /// Elements that a block of a filter gathers before it writes them out.
    pub room: u32,
    /// The sort of a sample of 64-bit elements.
    pub sample_64: TileShape,
    /// The sort of a sample of 128-bit elements.
    pub sample_128: TileShape,
    /// Bits of a digit.
    pub digit_bits: u32,
    /// Blocks that fill a large GPU: work is cut into so many pieces, where pieces are not too short then.
    pub blocks: u64,
    /// Blocks at most of a launch that reads rows: they go on with further ones.
    pub looping_grid: u64,
    /// Keys of a piece at least.
    pub piece: u64,
    /// Keys of an array up to which a narrow key and its index make a 64-bit element.
    pub narrow_to: u64,
    /// First elements of an array up to which they are found by streaming, where there are many more; above, by a sample.
    pub streamed: u64,
    /// Keys of an array above which more than that are worth a sample's launches.
    pub many: u64,
    /// Elements up to which a list of candidates is sorted as it is.
    pub sorted: u64,
}

/// All widths. A buffer of 2048 elements lets eight blocks of 256 threads share a multiprocessor for keys of up to 32 bits,
/// five for those of 64; registers allow six. Pieces are as many as twice six blocks on each of 132 multiprocessors.
pub const SELECT: SelectTuning = SelectTuning {
    threads: 256,
    capacity: 2048,
    least: 256,
    room: 1024,
    sample_64: TileShape::of_warps(256, 16),
    sample_128: TileShape::of_warps(256, 8),
    digit_bits: 11,
    blocks: 1584,
    looping_grid: 1 << 20,
    piece: 1 << 14,
    narrow_to: 1 << 32,
    streamed: 256,
    many: 1 << 20,
    sorted: 1 << 16,
};
/// Tiny shapes for tests on the emulator: some hundred keys are long rows, some thousand make two lists of candidates.
pub const SELECT_SMALL: SelectTuning = SelectTuning {
    threads: 64,
    capacity: 128,
    least: 32,
    room: 32,
    sample_64: TileShape::of_warps(64, 2),
    sample_128: TileShape::of_warps(64, 2),
    digit_bits: 6,
    blocks: 6,
    looping_grid: 3,
    piece: 256,
    narrow_to: 5000,
    streamed: 16,
    many: 1200,
    sorted: 512,
};
/// Threads of a block of the kernels that look at an element each.
pub const SELECT_EACH: u32 = 256;
