//! The kernels that sort buckets of numbers by cells, for each width of keys and of what they carry.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::{PayloadWidth, Tiles};
use crate::order::Key;
use crate::sample::buckets::Areas;
#[cfg(not(target_arch = "nvptx64"))]
use crate::sample::cells;
#[cfg(not(target_arch = "nvptx64"))]
use crate::sample::cells::slots::Slots;
use crate::sample::cells::slots::{Alone, Positioned};
use crate::sample::cells::{Buckets, sort_by_cells};
#[cfg(not(target_arch = "nvptx64"))]
use crate::sample::tables::{CLASSES, ClassKeys};
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tuning;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::CellTuning;

/// The kernels for one width of keys and of what they carry.
macro_rules! cells {
    ($list:ident, $k:ty, $p:ty, $slots:ident, $tuning:expr, $module:literal, $($c:literal $name:ident),*) => {
        crate::kernels! {
            /// Kernels for keys of one width, alone or with what they carry.
            $list:
            $(
                /// [`sort_by_cells`].
                fn $name(data: Global<$k>, wanted: Global<$k>, scratch: Global<$k>, payload_data: Global<$p>, payload_scratch: Global<$p>, list: Global<u64>, listed: Global<u32>, rest: Global<u32>, codec: u32)
                    [module: $module, threads: $tuning.shapes[$c].threads, min_blocks: $tuning.min_blocks[$c], barriers: cells::barriers($tuning.shapes[$c].threads, <$slots<$k> as Slots<$k>>::CARRY), shared_bytes: cells::shared_bytes::<$k, $p, $slots<$k>>($tuning.shapes[$c].threads, $tuning.shapes[$c].tile())]
                    = sort_by_cells::<$k, $p, $slots<$k>, { $tuning.shapes[$c].threads }, { $tuning.shapes[$c].items as usize }>(
                        Buckets { keys: Areas { data, scratch }, wanted, payloads: Areas { data: payload_data, scratch: payload_scratch } },
                        list, listed, rest, <$k as Key>::codec(codec),
                    );
            )*
        }
    };
}

cells!(CELLS_32, u32, u32, Alone, tuning::CELLS_32, "cells_32", 0 cells_32_a, 1 cells_32_b, 2 cells_32_c, 3 cells_32_d);
cells!(CELLS_64, u64, u32, Alone, tuning::CELLS_64, "cells_64", 0 cells_64_a, 1 cells_64_b, 2 cells_64_c, 3 cells_64_d);
cells!(CELLS_32_32, u32, u32, Positioned, tuning::CELLS_PAIRS_32, "cells_pairs_32", 0 cells_32_32_a, 1 cells_32_32_b, 2 cells_32_32_c, 3 cells_32_32_d);
cells!(CELLS_32_64, u32, u64, Positioned, tuning::CELLS_PAIRS_32, "cells_pairs_32", 0 cells_32_64_a, 1 cells_32_64_b, 2 cells_32_64_c, 3 cells_32_64_d);
cells!(CELLS_64_32, u64, u32, Positioned, tuning::CELLS_PAIRS_64, "cells_pairs_64", 0 cells_64_32_a, 1 cells_64_32_b, 2 cells_64_32_c, 3 cells_64_32_d);
cells!(CELLS_64_64, u64, u64, Positioned, tuning::CELLS_PAIRS_64, "cells_pairs_64", 0 cells_64_64_a, 1 cells_64_64_b, 2 cells_64_64_c, 3 cells_64_64_d);

#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small {
    //! The same kernels with tiny tiles, for tests on the emulator. They are in no PTX.
    use super::*;

    cells!(CELLS_32, u32, u32, Alone, tuning::CELLS_SMALL, "small", 0 small_cells_32_a, 1 small_cells_32_b, 2 small_cells_32_c, 3 small_cells_32_d);
    cells!(CELLS_64, u64, u32, Alone, tuning::CELLS_SMALL, "small", 0 small_cells_64_a, 1 small_cells_64_b, 2 small_cells_64_c, 3 small_cells_64_d);
    cells!(CELLS_32_32, u32, u32, Positioned, tuning::CELLS_SMALL, "small", 0 small_cells_32_32_a, 1 small_cells_32_32_b, 2 small_cells_32_32_c, 3 small_cells_32_32_d);
    cells!(CELLS_32_64, u32, u64, Positioned, tuning::CELLS_SMALL, "small", 0 small_cells_32_64_a, 1 small_cells_32_64_b, 2 small_cells_32_64_c, 3 small_cells_32_64_d);
    cells!(CELLS_64_32, u64, u32, Positioned, tuning::CELLS_SMALL, "small", 0 small_cells_64_32_a, 1 small_cells_64_32_b, 2 small_cells_64_32_c, 3 small_cells_64_32_d);
    cells!(CELLS_64_64, u64, u64, Positioned, tuning::CELLS_SMALL, "small", 0 small_cells_64_64_a, 1 small_cells_64_64_b, 2 small_cells_64_64_c, 3 small_cells_64_64_d);
}

/// The kernel for each class of buckets, where there is one that takes as many keys.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn cell_kernels(
    width: KeyWidth,
    payload: PayloadWidth,
    tiles: Tiles,
    classes: ClassKeys,
) -> [Option<&'static Kernel>; CLASSES as usize] {
    use KeyWidth as W;
    use PayloadWidth as P;
    type List = &'static [&'static Kernel];
    let (list, tuning): (List, CellTuning) = match (tiles, width, payload) {
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, W::W32, P::None) => (small::CELLS_32, tuning::CELLS_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, W::W64, P::None) => (small::CELLS_64, tuning::CELLS_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, W::W32, P::W32) => (small::CELLS_32_32, tuning::CELLS_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, W::W32, P::W64) => (small::CELLS_32_64, tuning::CELLS_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, W::W64, P::W32) => (small::CELLS_64_32, tuning::CELLS_SMALL),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, W::W64, P::W64) => (small::CELLS_64_64, tuning::CELLS_SMALL),
        (_, W::W32, P::None) => (CELLS_32, tuning::CELLS_32),
        (_, W::W64, P::None) => (CELLS_64, tuning::CELLS_64),
        (_, W::W32, P::W32) => (CELLS_32_32, tuning::CELLS_PAIRS_32),
        (_, W::W32, P::W64) => (CELLS_32_64, tuning::CELLS_PAIRS_32),
        (_, W::W64, P::W32) => (CELLS_64_32, tuning::CELLS_PAIRS_64),
        (_, W::W64, P::W64) => (CELLS_64_64, tuning::CELLS_PAIRS_64),
        _ => return [None; CLASSES as usize],
    };
    core::array::from_fn(|class| {
        let takes = tuning.shapes.iter().position(|shape| shape.tile() >= classes.of(class as u32));
        takes.map(|shape| list[shape])
    })
}

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 6] {
    [CELLS_32, CELLS_64, CELLS_32_32, CELLS_32_64, CELLS_64_32, CELLS_64_64]
}
