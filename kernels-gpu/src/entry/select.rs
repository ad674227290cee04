//! The kernels that select, for each key width.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::Tiles;
use crate::order::Key;
use crate::select::radix::Digit;
use crate::select::{Input, Output, exchange, narrow, radix, state, stream};
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::SelectTuning;
use crate::tuning::{SELECT, SELECT_EACH};

pub mod lists;

/// What all key widths share. Barriers: the choice of a digit has one in a sum.
macro_rules! common {
    ($list:ident, $tuning:expr, $module:literal, $begin:ident, $choose:ident) => {
        crate::kernels! {
            /// Kernels that know no keys.
            $list:
            /// [`state::begin`].
            fn $begin(state: Global<u64>, bins: Global<u64>, rank: u64, failed: u32)
                [module: $module, threads: $tuning.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = state::begin(state, bins, 1 << $tuning.digit_bits, rank, failed);
            /// [`radix::choose`].
            fn $choose(state: Global<u64>, bins: Global<u64>, shift: u32, bits: u32, of_index: u32)
                [module: $module, threads: crate::entry::select::chooser(&$tuning), min_blocks: 0, barriers: 1, shared_bytes: radix::choose_bytes(crate::entry::select::chooser(&$tuning))]
                = radix::choose::<{ crate::entry::select::chooser(&$tuning) }, { $tuning.digit_bits }>(state, bins, Digit { shift, bits, of_index });
        }
    };
}

/// Threads of the block that chooses a digit: not more than there are bins.
const fn chooser(tuning: &crate::tuning::SelectTuning) -> u32 {
    if 1 << tuning.digit_bits < tuning.threads { 1 << tuning.digit_bits } else { tuning.threads }
}

crate::kernels! {
    /// Kernels that know no keys and have no shape.
    ONCE:
    /// [`state::judge`].
    fn select_judge(state: Global<u64>, k: u64, lists: u32, capacity_0: u64, capacity_1: u64, capacity_2: u64)
        [module: "select", threads: 32, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = state::judge(state, k, lists, capacity_0, capacity_1, capacity_2);
    /// [`exchange::clear`].
    fn select_clear(marks: Global<u8>, counters: Global<u64>, k: u64)
        [module: "select", threads: SELECT_EACH, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = exchange::clear(marks, counters, k);
    /// [`exchange::find_holes`].
    fn select_find_holes(indices: Global<u64>, marks: Global<u8>, holes: Global<u64>, counters: Global<u64>, k: u64)
        [module: "select", threads: SELECT_EACH, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = exchange::find_holes(indices, marks, holes, counters, k);
    /// [`exchange::find_strays`].
    fn select_find_strays(marks: Global<u8>, strays: Global<u64>, counters: Global<u64>, k: u64)
        [module: "select", threads: SELECT_EACH, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = exchange::find_strays(marks, strays, counters, k);
}
common!(COMMON, SELECT, "select", select_begin, select_choose_digit);

/// The kernels for keys of one width. Barriers: a sort of segments has one in its steps, and one before and one behind it; a
/// stream besides those one at its start, one behind its reading and one before it goes on; narrow rows one at their
/// end. A count of digits has one before and one behind it.
macro_rules! keys {
    ($list:ident, $k:ty, $vectors:literal, $tuning:expr, $module:literal, $narrow:ident, $stream:ident, $count:ident, $tell:ident, $fill:ident) => {
        crate::kernels! {
            /// Kernels for keys of one width.
            $list:
            /// [`narrow::narrow`].
            fn $narrow(keys: Global<$k>, indices: Global<u64>, rows: u64, columns: u64, stride: u64, segment: u32, k: u32, values: Global<$k>, out: Global<u64>, wide: u32, out_stride: u64, codec: u32)
                [module: $module, threads: $tuning.threads, min_blocks: 0, barriers: 4, shared_bytes: narrow::shared_bytes::<$k>($tuning.capacity)]
                = narrow::narrow::<$k, { $tuning.threads }, { $tuning.capacity }>(
                    Input { keys, indices, rows, columns, stride }, segment, k,
                    Output { values, indices: out, wide, stride: out_stride },
                    <$k as Key>::codec(codec),
                );
            /// [`stream::stream`].
            fn $stream(keys: Global<$k>, indices: Global<u64>, rows: u64, columns: u64, stride: u64, slices: u32, slice: u64, k: u64, room: u32, values: Global<$k>, out: Global<u64>, wide: u32, out_stride: u64, codec: u32)
                [module: $module, threads: $tuning.threads, min_blocks: 0, barriers: 6, shared_bytes: stream::shared_bytes::<$k>($tuning.capacity)]
                = stream::stream::<$k, { $tuning.threads }, $vectors, { $tuning.capacity }>(
                    Input { keys, indices, rows, columns, stride }, slices, slice, k, room,
                    Output { values, indices: out, wide, stride: out_stride },
                    <$k as Key>::codec(codec),
                );
            /// [`radix::count`].
            fn $count(keys: Global<$k>, n: u64, slice: u64, state: Global<u64>, bins: Global<u64>, shift: u32, bits: u32, of_index: u32, codec: u32)
                [module: $module, threads: $tuning.threads, min_blocks: 0, barriers: 2, shared_bytes: radix::count_bytes($tuning.digit_bits)]
                = radix::count::<$k, { $tuning.threads }, $vectors, { $tuning.digit_bits }>(
                    keys, n, slice, state, bins, Digit { shift, bits, of_index },
                    <$k as Key>::codec(codec),
                );
            /// [`radix::tell`].
            fn $tell(state: Global<u64>, value: Global<$k>, codec: u32)
                [module: $module, threads: 32, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = radix::tell::<$k>(state, value, <$k as Key>::codec(codec));
            /// [`exchange::fill_holes`].
            fn $fill(keys: Global<$k>, holes: Global<u64>, strays: Global<u64>, counters: Global<u64>)
                [module: $module, threads: SELECT_EACH, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = exchange::fill_holes(keys, holes, strays, counters);
        }
    };
}

keys!(
    KEYS_8,
    u8,
    1,
    SELECT,
    "select_8",
    select_narrow_8,
    select_stream_8,
    select_count_8,
    select_tell_8,
    select_fill_8
);
keys!(
    KEYS_16,
    u16,
    2,
    SELECT,
    "select_16",
    select_narrow_16,
    select_stream_16,
    select_count_16,
    select_tell_16,
    select_fill_16
);
keys!(
    KEYS_32,
    u32,
    4,
    SELECT,
    "select_32",
    select_narrow_32,
    select_stream_32,
    select_count_32,
    select_tell_32,
    select_fill_32
);
keys!(
    KEYS_64,
    u64,
    4,
    SELECT,
    "select_64",
    select_narrow_64,
    select_stream_64,
    select_count_64,
    select_tell_64,
    select_fill_64
);
keys!(
    KEYS_128,
    u128,
    4,
    SELECT,
    "select_128",
    select_narrow_128,
    select_stream_128,
    select_count_128,
    select_tell_128,
    select_fill_128
);

#[cfg(all(not(target_arch = "nvptx64"), feature = "small-tiles"))]
pub mod small {
    //! The same kernels with tiny shapes, for tests on the emulator. They are in no PTX.
    use super::*;
    use crate::tuning::SELECT_SMALL;

    common!(COMMON, SELECT_SMALL, "small", small_select_begin, small_select_choose_digit);
    keys!(
        KEYS_8,
        u8,
        1,
        SELECT_SMALL,
        "small",
        small_select_narrow_8,
        small_select_stream_8,
        small_select_count_8,
        small_select_tell_8,
        small_select_fill_8
    );
    keys!(
        KEYS_16,
        u16,
        1,
        SELECT_SMALL,
        "small",
        small_select_narrow_16,
        small_select_stream_16,
        small_select_count_16,
        small_select_tell_16,
        small_select_fill_16
    );
    keys!(
        KEYS_32,
        u32,
        2,
        SELECT_SMALL,
        "small",
        small_select_narrow_32,
        small_select_stream_32,
        small_select_count_32,
        small_select_tell_32,
        small_select_fill_32
    );
    keys!(
        KEYS_64,
        u64,
        1,
        SELECT_SMALL,
        "small",
        small_select_narrow_64,
        small_select_stream_64,
        small_select_count_64,
        small_select_tell_64,
        small_select_fill_64
    );
    keys!(
        KEYS_128,
        u128,
        2,
        SELECT_SMALL,
        "small",
        small_select_narrow_128,
        small_select_stream_128,
        small_select_count_128,
        small_select_tell_128,
        small_select_fill_128
    );
}

/// The kernels that select keys of one width.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct SelectKernels {
    /// Sets the state up.
    pub begin: &'static Kernel,
    /// Chooses a digit.
    pub choose_digit: &'static Kernel,
    /// The first of short rows.
    pub narrow: &'static Kernel,
    /// The first of long rows.
    pub stream: &'static Kernel,
    /// Counts digits.
    pub count: &'static Kernel,
    /// Writes the key that digits were found of.
    pub tell: &'static Kernel,
    /// Moves strays to holes.
    pub fill: &'static Kernel,
    /// Their shapes.
    pub tuning: SelectTuning,
}

#[cfg(not(target_arch = "nvptx64"))]
type List = &'static [&'static Kernel];

#[cfg(not(target_arch = "nvptx64"))]
impl SelectKernels {
    fn of(common: List, list: List, tuning: SelectTuning) -> Self {
        SelectKernels {
            begin: common[0],
            choose_digit: common[1],
            narrow: list[0],
            stream: list[1],
            count: list[2],
            tell: list[3],
            fill: list[4],
            tuning,
        }
    }
}

/// The kernels that select keys of this width.
#[cfg(not(target_arch = "nvptx64"))]
pub fn select_kernels(width: KeyWidth, tiles: Tiles) -> SelectKernels {
    #[cfg(feature = "small-tiles")]
    if tiles == Tiles::Small {
        let list = match width {
            KeyWidth::W8 => small::KEYS_8,
            KeyWidth::W16 => small::KEYS_16,
            KeyWidth::W32 => small::KEYS_32,
            KeyWidth::W64 => small::KEYS_64,
            KeyWidth::W128 => small::KEYS_128,
        };
        return SelectKernels::of(small::COMMON, list, crate::tuning::SELECT_SMALL);
    }
    let _ = tiles;
    let list = match width {
        KeyWidth::W8 => KEYS_8,
        KeyWidth::W16 => KEYS_16,
        KeyWidth::W32 => KEYS_32,
        KeyWidth::W64 => KEYS_64,
        KeyWidth::W128 => KEYS_128,
    };
    SelectKernels::of(COMMON, list, SELECT)
}

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> impl Iterator<Item = List> {
    [ONCE, COMMON, KEYS_8, KEYS_16, KEYS_32, KEYS_64, KEYS_128].into_iter().chain(lists::lists())
}
