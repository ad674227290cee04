//! Columns with nulls: keys fetched by the order so far, nulls set apart from values.
//!
//! What is missing has no key. Rather than sort once more by whether there is one, keys and positions are laid out for the
//! sort with all nulls before or behind all values: [`gather_bits`] fetches the validity of each position, [`sum_counts`]
//! tells how many values stand before any group of tiles, and [`fetch_valid`] writes each element to its place. A null gets
//! the key that no value sorts before (or behind); since the sort that follows is stable, nulls stay together, in their
//! order, ahead of values that have that very key.
//!
//! A warp has a tile of 1024 elements, and no two share memory: there are no barriers.
mod bits;
mod fetch;
mod starts;

pub use bits::{Bits, gather_bits};
pub use fetch::{Marks, fetch_valid, write_positions};
pub use starts::sum_counts;

use crate::simt::{Global, WARP, Word};

/// Elements of a tile: 32 for each lane of a warp, so that a lane holds the marks of one row of them.
pub const TILE: u32 = WARP * WARP;

/// Tiles of a group, of which it is known how many values stand before it.
pub const GROUP: u32 = WARP;

/// Rows of a tile that are handled at once, to have as many loads on their way.
const ROWS: u32 = 4;

/// Position `i`; `i` itself where there are none.
///
/// # Safety
/// As [`Global::get`].
#[inline(always)]
#[track_caller]
unsafe fn position<I: Word>(positions: Global<I>, i: u64) -> u64 {
    if positions.is_null() { i } else { positions.get(i).to_u64() }
}
