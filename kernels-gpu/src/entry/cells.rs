//! The kernels that sort buckets of numbers by cells, for each width of keys that a sample sort carries nothing with.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::Tiles;
use crate::order::Key;
use crate::sample::buckets::Areas;
#[cfg(not(target_arch = "nvptx64"))]
use crate::sample::cells;
use crate::sample::cells::sort_by_cells;
#[cfg(not(target_arch = "nvptx64"))]
use crate::sample::tables::{CLASSES, ClassKeys};
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tuning;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::CellTuning;

/// The kernels for one width.
macro_rules! cells {
    ($list:ident, $k:ty, $tuning:expr, $module:literal, $($c:literal $name:ident),*) => {
        crate::kernels! {
            /// Kernels for keys of one width.
            $list:
            $(
                /// [`sort_by_cells`].
                fn $name(data: Global<$k>, scratch: Global<$k>, list: Global<u64>, listed: Global<u32>, rest: Global<u32>, codec: u32)
                    [module: $module, threads: $tuning.shapes[$c].threads, min_blocks: $tuning.min_blocks[$c], barriers: cells::barriers($tuning.shapes[$c].threads), shared_bytes: cells::shared_bytes::<$k>($tuning.shapes[$c].threads, $tuning.shapes[$c].tile())]
                    = sort_by_cells::<$k, { $tuning.shapes[$c].threads }, { $tuning.shapes[$c].items as usize }>(
                        Areas { data, scratch }, list, listed, rest, <$k as Key>::codec(codec),
                    );
            )*
        }
    };
}

cells!(CELLS_32, u32, tuning::CELLS, "cells_32", 0 cells_32_a, 1 cells_32_b, 2 cells_32_c, 3 cells_32_d);
cells!(CELLS_64, u64, tuning::CELLS, "cells_64", 0 cells_64_a, 1 cells_64_b, 2 cells_64_c, 3 cells_64_d);

#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small {
    //! The same kernels with tiny tiles, for tests on the emulator. They are in no PTX.
    use super::*;

    cells!(CELLS_32, u32, tuning::CELLS_SMALL, "small", 0 small_cells_32_a, 1 small_cells_32_b, 2 small_cells_32_c, 3 small_cells_32_d);
    cells!(CELLS_64, u64, tuning::CELLS_SMALL, "small", 0 small_cells_64_a, 1 small_cells_64_b, 2 small_cells_64_c, 3 small_cells_64_d);
}

/// The kernel for each class of buckets, where there is one that takes as many keys.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn cell_kernels(
    width: KeyWidth,
    tiles: Tiles,
    classes: ClassKeys,
) -> [Option<&'static Kernel>; CLASSES as usize] {
    type List = &'static [&'static Kernel];
    let (list, tuning): (List, CellTuning) = match (tiles, width) {
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, KeyWidth::W32) => (small::CELLS_32, tuning::CELLS_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, KeyWidth::W64) => (small::CELLS_64, tuning::CELLS_SMALL),
        (_, KeyWidth::W32) => (CELLS_32, tuning::CELLS),
        (_, KeyWidth::W64) => (CELLS_64, tuning::CELLS),
        _ => return [None; CLASSES as usize],
    };
    core::array::from_fn(|class| {
        let takes = tuning.shapes.iter().position(|shape| shape.tile() >= classes.of(class as u32));
        takes.map(|shape| list[shape])
    })
}

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 2] {
    [CELLS_32, CELLS_64]
}
