//! What sorting keys with payloads takes: whether payloads move with their keys, or positions do.
use super::area_bytes;
use crate::error::{Error, Result};
use crate::key::{PayloadWidth, payload_bytes};

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairsPlan {
    /// What moves with the keys.
    pub carried: Carried,
    /// Scratch memory for the sorted positions, bytes; 0 where payloads move. What the sort takes lies behind it, and in
    /// the same place, once the sort is done, the copy that the payloads are fetched from.
    pub positions_bytes: u64,
    /// Scratch memory in all, bytes.
    pub scratch_bytes: u64,
}

/// Plans the memory of a sort of `n` keys with payloads of `bytes` bytes, of which the sort of the keys with what is `carried`
/// takes `sort_bytes`, whatever the algorithm. With `in_place`, payloads end where they were.
///
/// ```
/// use gridsort::plan::{carried, pairs};
///
/// let n = 1 << 20;
/// assert_eq!(pairs(n, 4, true, carried(n, 4)?, 8 << 20)?.scratch_bytes, 8 << 20);
/// // Positions, and a copy of the payloads.
/// assert_eq!(pairs(n, 16, true, carried(n, 16)?, 8 << 20)?.scratch_bytes, (4 + 16) << 20);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`].
pub fn pairs(n: u64, bytes: usize, in_place: bool, carried: Carried, sort_bytes: u64) -> Result<PairsPlan> {
    if !carried.positions {
        return Ok(PairsPlan { carried, positions_bytes: 0, scratch_bytes: sort_bytes });
    }
    let positions_bytes = area_bytes(WHAT, n, payload_bytes(carried.width))?;
    let copy = if in_place { area_bytes(WHAT, n, bytes as u64)? } else { 0 };
    Ok(PairsPlan { carried, positions_bytes, scratch_bytes: positions_bytes + sort_bytes.max(copy) })
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
        let plan = |n, bytes, in_place, sort| pairs(n, bytes, in_place, carried(n, bytes).unwrap(), sort);
        let small = plan(100, 16, true, 0).unwrap();
        assert_eq!((small.positions_bytes, small.scratch_bytes), (512, 512 + 1792));
        assert_eq!(plan(100, 16, false, 700).unwrap().scratch_bytes, 512 + 700);
        let large = plan(1 << 33, 1, true, 1 << 40).unwrap();
        assert_eq!((large.positions_bytes, large.carried.width), (8 << 33, PayloadWidth::W64));
        assert_eq!(large.scratch_bytes, (8 << 33) + (1 << 40));
        assert_eq!(plan(100, 8, true, 77).unwrap().scratch_bytes, 77);
        assert!(plan(u64::MAX / 8, 16, true, 0).is_err());
    }
}
