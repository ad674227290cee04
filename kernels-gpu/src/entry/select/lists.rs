//! The kernels that select many of an array, through lists of elements.
#[cfg(not(target_arch = "nvptx64"))]
use super::List;
#[cfg(not(target_arch = "nvptx64"))]
use crate::entry::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use crate::entry::merge_sort::Tiles;
use crate::order::Key;
use crate::select::filter::Target;
use crate::select::{Output, emit, filter, pivot};
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tile::warp_sort::slots;
use crate::tuning::{SELECT, SELECT_EACH};

/// The kernels for elements of keys of one width and their indices. Barriers: the sort of a sample has two in its rounds and
/// one behind it; a filter one at its start, two around the places that it takes, and one before it goes on.
macro_rules! elements {
    ($list:ident, $k:ty, $c:ty, $vectors:literal, $sample:ident, $tuning:expr, $module:literal, $pivot:ident, $filter:ident, $emit:ident) => {
        crate::kernels! {
            /// Kernels for elements of keys of one width and indices of one.
            $list:
            /// [`pivot::of_keys`].
            fn $pivot(keys: Global<$k>, n: u64, k: u64, seed: u64, pivot: Global<$c>, codec: u32)
                [module: $module, threads: $tuning.$sample.threads, min_blocks: 0, barriers: 3, shared_bytes: pivot::shared_bytes::<$c>($tuning.$sample.threads, slots($tuning.$sample.items))]
                = pivot::of_keys::<$k, $c, { $tuning.$sample.threads }, { $tuning.$sample.items as usize }, { slots($tuning.$sample.items) as usize }>(
                    keys, n, k, seed, pivot, <$k as Key>::codec(codec),
                );
            /// [`filter::of_keys`].
            fn $filter(keys: Global<$k>, n: u64, slice: u64, pivot: Global<$c>, exact: u32, elements: Global<$c>, capacity: u64, state: Global<u64>, list: u32, codec: u32)
                [module: $module, threads: $tuning.threads, min_blocks: 0, barriers: 4, shared_bytes: filter::shared_bytes::<$c>($tuning.room)]
                = filter::of_keys::<$k, $c, { $tuning.threads }, $vectors, { $tuning.room }>(
                    keys, n, slice, pivot, exact, Target { elements, capacity, state, list }, <$k as Key>::codec(codec),
                );
            /// [`emit::emit`].
            fn $emit(elements: Global<$c>, k: u64, values: Global<$k>, out: Global<u64>, wide: u32, codec: u32)
                [module: $module, threads: SELECT_EACH, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = emit::emit::<$k, $c>(
                    elements, k, Output { values, indices: out, wide, stride: k }, <$k as Key>::codec(codec),
                );
        }
    };
}

/// The kernels for lists of elements of one width. Barriers: as above.
macro_rules! lists {
    ($list:ident, $c:ty, $vectors:literal, $sample:ident, $tuning:expr, $module:literal, $pivot:ident, $filter:ident, $pad:ident) => {
        crate::kernels! {
            /// Kernels for lists of elements of one width.
            $list:
            /// [`pivot::of_list`].
            fn $pivot(elements: Global<$c>, state: Global<u64>, list: u32, capacity: u64, k: u64, seed: u64, pivot: Global<$c>)
                [module: $module, threads: $tuning.$sample.threads, min_blocks: 0, barriers: 3, shared_bytes: pivot::shared_bytes::<$c>($tuning.$sample.threads, slots($tuning.$sample.items))]
                = pivot::of_list::<$c, { $tuning.$sample.threads }, { $tuning.$sample.items as usize }, { slots($tuning.$sample.items) as usize }>(
                    elements, state, list, capacity, k, seed, pivot,
                );
            /// [`filter::of_list`].
            fn $filter(from: Global<$c>, from_list: u32, from_capacity: u64, slice: u64, pivot: Global<$c>, elements: Global<$c>, capacity: u64, state: Global<u64>, list: u32)
                [module: $module, threads: $tuning.threads, min_blocks: 0, barriers: 4, shared_bytes: filter::shared_bytes::<$c>($tuning.room)]
                = filter::of_list::<$c, { $tuning.threads }, $vectors, { $tuning.room }>(
                    from, from_list, from_capacity, slice, pivot, Target { elements, capacity, state, list },
                    <$c as Key>::codec(0),
                );
            /// [`emit::pad`].
            fn $pad(elements: Global<$c>, state: Global<u64>, list: u32, capacity: u64)
                [module: $module, threads: SELECT_EACH, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = emit::pad(elements, state, list, capacity);
        }
    };
}

lists!(LISTS_64, u64, 4, sample_64, SELECT, "select_lists", select_repivot_64, select_refilter_64, select_pad_64);
lists!(LISTS_128, u128, 4, sample_128, SELECT, "select_lists", select_repivot_128, select_refilter_128, select_pad_128);
elements!(ELEMENTS_8, u8, u64, 1, sample_64, SELECT, "select_8", select_pivot_8, select_filter_8, select_emit_8);
elements!(ELEMENTS_16, u16, u64, 2, sample_64, SELECT, "select_16", select_pivot_16, select_filter_16, select_emit_16);
elements!(ELEMENTS_32, u32, u64, 4, sample_64, SELECT, "select_32", select_pivot_32, select_filter_32, select_emit_32);
elements!(
    WIDE_8,
    u8,
    u128,
    1,
    sample_128,
    SELECT,
    "select_wide",
    select_pivot_8_wide,
    select_filter_8_wide,
    select_emit_8_wide
);
elements!(
    WIDE_16,
    u16,
    u128,
    2,
    sample_128,
    SELECT,
    "select_wide",
    select_pivot_16_wide,
    select_filter_16_wide,
    select_emit_16_wide
);
elements!(
    WIDE_32,
    u32,
    u128,
    4,
    sample_128,
    SELECT,
    "select_wide",
    select_pivot_32_wide,
    select_filter_32_wide,
    select_emit_32_wide
);
elements!(WIDE_64, u64, u128, 4, sample_128, SELECT, "select_64", select_pivot_64, select_filter_64, select_emit_64);

#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small {
    //! The same kernels with tiny shapes, for tests on the emulator. They are in no PTX.
    use super::*;
    use crate::tuning::SELECT_SMALL;

    lists!(
        LISTS_64,
        u64,
        2,
        sample_64,
        SELECT_SMALL,
        "small",
        small_select_repivot_64,
        small_select_refilter_64,
        small_select_pad_64
    );
    lists!(
        LISTS_128,
        u128,
        1,
        sample_128,
        SELECT_SMALL,
        "small",
        small_select_repivot_128,
        small_select_refilter_128,
        small_select_pad_128
    );
    elements!(
        ELEMENTS_8,
        u8,
        u64,
        1,
        sample_64,
        SELECT_SMALL,
        "small",
        small_select_pivot_8,
        small_select_filter_8,
        small_select_emit_8
    );
    elements!(
        ELEMENTS_16,
        u16,
        u64,
        1,
        sample_64,
        SELECT_SMALL,
        "small",
        small_select_pivot_16,
        small_select_filter_16,
        small_select_emit_16
    );
    elements!(
        ELEMENTS_32,
        u32,
        u64,
        2,
        sample_64,
        SELECT_SMALL,
        "small",
        small_select_pivot_32,
        small_select_filter_32,
        small_select_emit_32
    );
    elements!(
        WIDE_8,
        u8,
        u128,
        1,
        sample_128,
        SELECT_SMALL,
        "small",
        small_select_pivot_8_wide,
        small_select_filter_8_wide,
        small_select_emit_8_wide
    );
    elements!(
        WIDE_16,
        u16,
        u128,
        1,
        sample_128,
        SELECT_SMALL,
        "small",
        small_select_pivot_16_wide,
        small_select_filter_16_wide,
        small_select_emit_16_wide
    );
    elements!(
        WIDE_32,
        u32,
        u128,
        1,
        sample_128,
        SELECT_SMALL,
        "small",
        small_select_pivot_32_wide,
        small_select_filter_32_wide,
        small_select_emit_32_wide
    );
    elements!(
        WIDE_64,
        u64,
        u128,
        2,
        sample_128,
        SELECT_SMALL,
        "small",
        small_select_pivot_64,
        small_select_filter_64,
        small_select_emit_64
    );
}

/// The kernels that select many of an array, through lists of elements.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct ListKernels {
    /// A pivot of the array.
    pub pivot: &'static Kernel,
    /// Filters the array.
    pub filter: &'static Kernel,
    /// Takes elements apart.
    pub emit: &'static Kernel,
    /// A pivot of a list.
    pub repivot: &'static Kernel,
    /// Filters a list.
    pub refilter: &'static Kernel,
    /// Fills a list up.
    pub pad: &'static Kernel,
    /// The width of an element.
    pub width: KeyWidth,
    /// How many a sample has.
    pub samples: u32,
}

/// The kernels that select many keys of this width, by indices of 32 bits or `wide` ones. There are none for keys of 128 bits.
#[cfg(not(target_arch = "nvptx64"))]
pub fn list_kernels(width: KeyWidth, wide: bool, tiles: Tiles) -> Option<ListKernels> {
    let wide = wide || width == KeyWidth::W64;
    let (list, lists, tuning) = match (tiles, width, wide) {
        (_, KeyWidth::W128, _) => return None,
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, ..) => {
            let list = match (width, wide) {
                (KeyWidth::W8, false) => small::ELEMENTS_8,
                (KeyWidth::W16, false) => small::ELEMENTS_16,
                (KeyWidth::W32, false) => small::ELEMENTS_32,
                (KeyWidth::W8, true) => small::WIDE_8,
                (KeyWidth::W16, true) => small::WIDE_16,
                (KeyWidth::W32, true) => small::WIDE_32,
                _ => small::WIDE_64,
            };
            (list, if wide { small::LISTS_128 } else { small::LISTS_64 }, crate::tuning::SELECT_SMALL)
        }
        _ => {
            let list = match (width, wide) {
                (KeyWidth::W8, false) => ELEMENTS_8,
                (KeyWidth::W16, false) => ELEMENTS_16,
                (KeyWidth::W32, false) => ELEMENTS_32,
                (KeyWidth::W8, true) => WIDE_8,
                (KeyWidth::W16, true) => WIDE_16,
                (KeyWidth::W32, true) => WIDE_32,
                _ => WIDE_64,
            };
            (list, if wide { LISTS_128 } else { LISTS_64 }, SELECT)
        }
    };
    let (width, sample) = if wide { (KeyWidth::W128, tuning.sample_128) } else { (KeyWidth::W64, tuning.sample_64) };
    Some(ListKernels {
        pivot: list[0],
        filter: list[1],
        emit: list[2],
        repivot: lists[0],
        refilter: lists[1],
        pad: lists[2],
        width,
        samples: sample.tile(),
    })
}

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [List; 9] {
    [LISTS_64, LISTS_128, ELEMENTS_8, ELEMENTS_16, ELEMENTS_32, WIDE_8, WIDE_16, WIDE_32, WIDE_64]
}
