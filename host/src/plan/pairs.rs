//! What sorting keys with payloads takes: whether payloads move with their keys, or positions do.
use super::{MergeSortPlan, Shape, area_bytes, merge_sort};
use crate::error::{Error, Result};
use crate::key::{KeyWidth, PayloadWidth, payload_bytes};
use gridsort_kernels::entry::merge_sort::Tiles;

const WHAT: &str = "sort of pairs";
/// The largest payload, bytes.
pub const MAX_PAYLOAD: usize = 16;
/// The most keys whose positions 32 bits can tell apart.
pub const MAX_POSITIONS_32: u64 = 1 << 32;

/// What moves with keys that have payloads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Carried {
    /// Its width.
    pub width: PayloadWidth,
    /// Whether it is positions, by which the payloads are fetched at the end.
    pub positions: bool,
}

/// What moves with `n` keys that have payloads of `bytes` bytes: payloads of 4 and 8 bytes themselves, else positions.
///
/// ```
/// use gridsort::{PayloadWidth, plan::carried};
///
/// assert!(!carried(1000, 8)?.positions);
/// assert_eq!(carried(1000, 12)?.width, PayloadWidth::W32);
/// assert_eq!(carried(1 << 33, 12)?.width, PayloadWidth::W64);
/// assert!(carried(1000, 17).is_err());
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::PayloadSize`].
pub fn carried(n: u64, bytes: usize) -> Result<Carried> {
    match bytes {
        4 => Ok(Carried { width: PayloadWidth::W32, positions: false }),
        8 => Ok(Carried { width: PayloadWidth::W64, positions: false }),
        1..=MAX_PAYLOAD => {
            let width = if n <= MAX_POSITIONS_32 { PayloadWidth::W32 } else { PayloadWidth::W64 };
            Ok(Carried { width, positions: true })
        }
        _ => Err(Error::PayloadSize { bytes, limit: MAX_PAYLOAD }),
    }
}

/// The memory that a sort of pairs takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PairsPlan {
    /// What moves with the keys.
    pub carried: Carried,
    /// The sort of the keys with it.
    pub sort: MergeSortPlan,
    /// Scratch memory for the sorted positions, bytes; 0 where payloads move. What the sort takes lies behind it, and in
    /// the same place, once the sort is done, the copy that the payloads are fetched from.
    pub positions_bytes: u64,
    /// Scratch memory in all, bytes.
    pub scratch_bytes: u64,
}

/// Plans the merge sort of `n` keys with payloads of `bytes` bytes. With `in_place`, payloads end where they were.
///
/// ```
/// use gridsort::{KeyWidth, Tiles, plan::pairs};
///
/// let moved = pairs(1 << 20, KeyWidth::W32, 4, true, Tiles::Full)?;
/// assert_eq!(moved.scratch_bytes, 8 << 20);
/// let fetched = pairs(1 << 20, KeyWidth::W32, 16, true, Tiles::Full)?;
/// assert_eq!(fetched.scratch_bytes, (4 + 16) << 20);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::PayloadSize`], [`Error::TooLarge`].
pub fn pairs(n: u64, key: KeyWidth, bytes: usize, in_place: bool, tiles: Tiles) -> Result<PairsPlan> {
    let carried = carried(n, bytes)?;
    let sort = merge_sort(n, &Shape::of(key, carried.width, tiles))?;
    let (positions_bytes, scratch_bytes) = pairs_scratch(n, bytes, in_place, carried, sort.scratch_bytes)?;
    Ok(PairsPlan { carried, sort, positions_bytes, scratch_bytes })
}

/// Scratch memory for the sorted positions, and in all, of a sort of pairs whose sort of keys takes so much, bytes.
pub(crate) fn pairs_scratch(n: u64, bytes: usize, in_place: bool, carried: Carried, sort: u64) -> Result<(u64, u64)> {
    if !carried.positions {
        return Ok((0, sort));
    }
    let positions_bytes = area_bytes(WHAT, n, payload_bytes(carried.width))?;
    let copy = if in_place { area_bytes(WHAT, n, bytes as u64)? } else { 0 };
    Ok((positions_bytes, positions_bytes + sort.max(copy)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_sizes_are_carried_by_position() {
        for bytes in 1..=MAX_PAYLOAD {
            let carried = carried(MAX_POSITIONS_32, bytes).unwrap();
            assert_eq!(carried.positions, bytes != 4 && bytes != 8);
            assert_eq!(carried.width == PayloadWidth::W64, bytes == 8);
        }
        for bytes in [0, 17, usize::MAX] {
            assert!(matches!(carried(1, bytes), Err(Error::PayloadSize { limit: 16, .. })));
        }
    }

    #[test]
    fn scratch_holds_positions_and_the_larger_of_sort_and_copy() {
        let plan = pairs(100, KeyWidth::W64, 16, true, Tiles::Small).unwrap();
        assert_eq!((plan.sort.scratch_bytes, plan.positions_bytes, plan.scratch_bytes), (0, 512, 512 + 1792));
        let plan = pairs(1 << 33, KeyWidth::W8, 1, true, Tiles::Full).unwrap();
        assert_eq!((plan.positions_bytes, plan.carried.width), (8 << 33, PayloadWidth::W64));
        assert_eq!(plan.scratch_bytes, plan.positions_bytes + plan.sort.scratch_bytes);
        assert!(pairs(u64::MAX / 8, KeyWidth::W8, 16, true, Tiles::Full).is_err());
    }
}
