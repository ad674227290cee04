//! Numbers of the kernels for columns with nulls.

/// Threads of a block: eight warps, each with a tile of its own.
pub const NULLS_THREADS: u32 = 256;
