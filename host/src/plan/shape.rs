//! What a plan must know of the kernels: the sizes of their tiles and of the elements.
use crate::key::{KeyWidth, PayloadWidth, key_bytes, payload_bytes};
use gridsort_kernels::entry::kway::{KwayKernels, kway_kernels};
use gridsort_kernels::entry::merge_sort::{MergeSortKernels, Tiles, merge_sort_kernels};

/// The sizes of the merge sort's tiles, and of a key and its payload.
///
/// ```
/// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::Shape};
///
/// let shape = Shape::of(KeyWidth::W64, PayloadWidth::W32, Tiles::Full);
/// assert_eq!((shape.key_bytes, shape.payload_bytes), (8, 4));
/// assert_eq!(shape.tile % shape.merge_tile, 0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Keys that a block of the tile sort sorts, where passes merge two runs.
    pub tile: u32,
    /// Keys up to which one block of a smaller tile sort sorts them.
    pub small_tile: u32,
    /// Keys that a block of a two-way pass merges; divides `tile`.
    pub merge_tile: u32,
    /// Keys from which on passes merge more than two runs at once.
    pub kway_from: u64,
    /// Keys that a block of the tile sort sorts, where passes merge more than two runs.
    pub kway_tile: u32,
    /// Keys that a block of a pass merges, by 4, 8 and 16 runs.
    pub kway_merge_tiles: [u32; 3],
    /// Keys that a block of a merge of 32 runs merges; `None` where there is no such kernel.
    pub kway_tile_of_32: Option<u32>,
    /// Bytes of a key.
    pub key_bytes: u64,
    /// Bytes of a payload, 0 without one.
    pub payload_bytes: u64,
}

/// Runs that a k-way pass can merge at once, ascending.
pub(crate) const KWAY_RUNS: [u32; 3] = [4, 8, 16];
/// Runs that a merge of many can merge at once, where there are kernels for so many.
pub(crate) const MANY_RUNS: u32 = 32;

impl Shape {
    /// The shape of the kernels for these widths.
    ///
    /// ```
    /// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::Shape};
    ///
    /// let full = Shape::of(KeyWidth::W32, PayloadWidth::None, Tiles::Full);
    /// let small = Shape::of(KeyWidth::W32, PayloadWidth::None, Tiles::Small);
    /// assert!(small.tile < full.tile);
    /// ```
    pub fn of(key: KeyWidth, payload: PayloadWidth, tiles: Tiles) -> Self {
        let two_way = merge_sort_kernels(key, payload, tiles);
        Self::of_kernels(&two_way, &kway_kernels(key, payload, tiles), key, payload)
    }

    /// Runs that a merge of many can merge at once.
    ///
    /// ```
    /// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::Shape};
    ///
    /// let most = |key| Shape::of(key, PayloadWidth::None, Tiles::Full).most_runs();
    /// assert_eq!([KeyWidth::W32, KeyWidth::W128].map(most), [32, 16]);
    /// ```
    pub fn most_runs(&self) -> u32 {
        if self.kway_tile_of_32.is_some() { MANY_RUNS } else { KWAY_RUNS[KWAY_RUNS.len() - 1] }
    }

    /// Keys that a block of a merge of `runs` runs merges, of [`KWAY_RUNS`] or [`MANY_RUNS`], where it has a kernel.
    pub(crate) fn tile_of(&self, runs: u32) -> u32 {
        let index = KWAY_RUNS.iter().position(|&r| r == runs);
        index
            .map_or(self.kway_tile_of_32, |index| Some(self.kway_merge_tiles[index]))
            .unwrap_or(self.kway_merge_tiles[0])
    }

    pub(crate) fn of_kernels(
        two_way: &MergeSortKernels,
        kway: &KwayKernels,
        key: KeyWidth,
        payload: PayloadWidth,
    ) -> Self {
        debug_assert_eq!(kway.passes.map(|pass| pass.runs), KWAY_RUNS);
        Self {
            tile: two_way.tile,
            small_tile: two_way.small_tile,
            merge_tile: two_way.merge_tile,
            kway_from: kway.from,
            kway_tile: kway.tile,
            kway_merge_tiles: kway.passes.map(|pass| pass.tile),
            kway_tile_of_32: kway.of_32.map(|pass| pass.tile),
            key_bytes: key_bytes(key),
            payload_bytes: payload_bytes(payload),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shapes_come_from_the_kernels() {
        for key in [KeyWidth::W32, KeyWidth::W64] {
            for payload in [PayloadWidth::None, PayloadWidth::W32, PayloadWidth::W64] {
                for tiles in [Tiles::Full, Tiles::Small] {
                    let shape = Shape::of(key, payload, tiles);
                    assert!(shape.tile > 0 && shape.tile.is_multiple_of(shape.merge_tile), "{shape:?}");
                    assert!(shape.kway_merge_tiles.iter().all(|&tile| tile > 0), "{shape:?}");
                }
            }
        }
    }
}
