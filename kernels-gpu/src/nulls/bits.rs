//! Fetches bits by their positions.
use super::{ROWS, TILE, position};
use crate::simt::{FULL_WARP, Global, WARP, Word, thread, warp};
use crate::tuning::NULLS_THREADS;

/// Bits of a bitmap, the lowest of a byte first.
#[derive(Clone, Copy)]
pub struct Bits {
    /// The bytes.
    pub bytes: Global<u8>,
    /// Where the first bit is.
    pub first: u64,
    /// How many there are.
    pub len: u64,
}

impl Bits {
    /// Bit `i`; not set where there is none.
    ///
    /// # Safety
    /// The bytes hold the bits.
    #[inline(always)]
    #[track_caller]
    unsafe fn get(self, i: u64) -> bool {
        let at = self.first.wrapping_add(i);
        i < self.len && self.bytes.get(at / 8) >> (at % 8) & 1 != 0
    }
}

/// Sets bit `i` of `out`, the lowest of a byte first, to the bit at position `positions[i]`, for the first `n` bits; bits
/// behind them, up to the end of the `out_bytes` bytes, are 0. Without positions bit `i` is that at position `i`. Where
/// there are counts, those of a tile's bits that are set.
///
/// # Safety
/// A block has [`NULLS_THREADS`] threads, the grid a warp for each of `n`'s tiles. `positions` holds `n` positions, any; `out`
/// has `out_bytes` bytes, from `ceil(n / 8)` to `4 ceil(n / 32)`, and `counts` a word for each tile.
#[inline(always)]
pub unsafe fn gather_bits<I: Word>(
    positions: Global<I>,
    bits: Bits,
    out: Global<u8>,
    out_bytes: u64,
    counts: Global<u32>,
    n: u64,
) {
    let tile = thread::block_idx_x() as u64 * (NULLS_THREADS / WARP) as u64 + (thread::thread_idx_x() / WARP) as u64;
    let start = tile * TILE as u64;
    if start >= n {
        return;
    }
    let lane = warp::lane_id();
    let mut count = 0;
    let mut first = 0;
    while first < thread::opaque(WARP) {
        let mut set = [false; ROWS as usize];
        for k in 0..ROWS {
            let i = start + ((first + k) * WARP + lane) as u64;
            set[k as usize] = i < n && bits.get(position(positions, i));
        }
        for k in 0..ROWS {
            let word = warp::warp_vote_ballot(FULL_WARP, set[k as usize]);
            let byte = start / 8 + ((first + k) * 4 + lane) as u64;
            if lane < 4 && byte < out_bytes {
                out.set(byte, (word >> (8 * lane)) as u8);
            }
            count += word.count_ones();
        }
        first += ROWS;
    }
    if lane == 0 && !counts.is_null() {
        counts.set(tile, count);
    }
}
