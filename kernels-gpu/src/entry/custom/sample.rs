//! The line that exports the kernels of a sample sort by one order, and what it expands to.
//!
//! They are a set of their own, for they take as long to compile as those of the merge sort, and not every order sorts enough keys
//! to gain by them.
//!
//! No order breaks them. A key's bucket is searched for once and noted, so each key has one place whatever the order says;
//! counts, places and lists are of these numbers, and the scatter keeps keys of a bucket in the order they had. What a bucket
//! holds is then sorted under guard: by the tile sort's own where it fits a block, else by merges that leave two runs one behind
//! the other where their pieces do not fit. Splitters are keys, and which ones is a matter of speed.
#[cfg(not(target_arch = "nvptx64"))]
use crate::entry::merge_sort::Tiles;
#[cfg(not(target_arch = "nvptx64"))]
use crate::entry::sample::{Finish, SampleKernels};
use crate::order::Key;
use crate::sample::buckets::{self, Areas};
use crate::sample::look;
#[cfg(not(target_arch = "nvptx64"))]
use crate::sample::tables::CLASSES;
use crate::sample::tables::{COPIES, Level, Segments};
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::simt::{Global, word_bytes};
use crate::tuning::SAMPLE_COPY;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::SampleTuning;
#[cfg(not(target_arch = "nvptx64"))]
use core::marker::PhantomData;

/// Exports the kernels of a sample sort for a key type whose order [`export_order`](crate::export_order) has exported: one more
/// line of a device crate.
///
/// `export_sample_sort!(pub mod NAME: TYPE);` makes a module `NAME` that has them, as `export_order` does, with a `KERNELS` that is
/// an [`OrderSampleKernels`](crate::entry::custom::OrderSampleKernels). `NAME` begins the kernels' names, so it must be unique in
/// the crate.
///
/// ```
/// use gridsort_kernels::order::Order;
///
/// #[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
/// #[repr(C)]
/// pub struct Offer {
///     price: u32,
///     time: u32,
/// }
/// impl Order for Offer {
///     #[inline(always)]
///     fn before(self, other: Self) -> bool {
///         (other.price, self.time) < (self.price, other.time)
///     }
/// }
/// gridsort_kernels::export_order!(pub mod offers: Offer);
/// gridsort_kernels::export_sample_sort!(pub mod offers_by_sample: Offer);
/// # fn main() {
/// assert_eq!(offers_by_sample::KERNELS.name(), "offers_by_sample");
/// # }
/// ```
#[macro_export]
macro_rules! export_sample_sort {
    ($(#[$doc:meta])* $vis:vis mod $name:ident: $k:ty) => {
        $(#[$doc])*
        #[allow(unsafe_op_in_unsafe_fn, missing_docs, unreachable_pub)]
        $vis mod $name {
            #[allow(unused_imports)]
            use super::*;
            /// The keys.
            type Key = $k;
            const TUNING: $crate::tuning::SampleTuning = $crate::tuning::custom_sample(size_of::<Key>());
            $crate::custom_sample_kernels! { $name (all()) (stringify!($name), "_") kernel_is_told }
            $crate::if_small_tiles! {
                /// The same kernels with tiny tiles, for tests on the emulator.
                #[cfg(not(target_arch = "nvptx64"))]
                mod small {
                    use super::Key;
                    pub(super) const TUNING: $crate::tuning::SampleTuning = $crate::tuning::SAMPLE_SMALL_CUSTOM;
                    $crate::custom_sample_kernels! { $name (any()) ("small_", stringify!($name), "_") kernel_is_listed }
                }
            }

            /// The kernels, for the host library.
            #[cfg(not(target_arch = "nvptx64"))]
            pub static KERNELS: $crate::entry::custom::OrderSampleKernels<Key> =
                $crate::entry::custom::OrderSampleKernels::new(
                    stringify!($name),
                    (LIST, TUNING),
                    $crate::small_tiles_or!((LIST, TUNING), (small::LIST, small::TUNING)),
                );
        }
    };
}

/// [`export_sample_sort`](crate::export_sample_sort) of the kernels with tiny tiles alone, for tests of many orders on the emulator.
#[doc(hidden)]
#[macro_export]
macro_rules! export_small_sample_sort {
    (mod $name:ident: $k:ty) => {
        #[allow(unsafe_op_in_unsafe_fn, missing_docs, unreachable_pub)]
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            type Key = $k;
            const TUNING: $crate::tuning::SampleTuning = $crate::tuning::SAMPLE_SMALL_CUSTOM;
            $crate::custom_sample_kernels! { $name (any()) ("small_", stringify!($name), "_") kernel_is_listed }

            pub static KERNELS: $crate::entry::custom::OrderSampleKernels<Key> =
                $crate::entry::custom::OrderSampleKernels::new(stringify!($name), (LIST, TUNING), (LIST, TUNING));
        }
    };
}

/// The kernels for the type `Key` of the module that calls it, by its `TUNING`.
///
/// Their parameters are those of gridsort's own, and so is what they do, so that the host launches both alike. Barriers: a stable
/// scatter that carries nothing has five; a bucket's sort one more than a bare key's for the tags and one for the guard, a large one's
/// the same, and one more for the guard of its merges.
#[doc(hidden)]
#[macro_export]
macro_rules! custom_sample_kernels {
    ($name:ident $gate:tt $prefix:tt $tell:ident) => {
        $crate::custom_sample_kernels! { @all $name $gate $prefix $tell bucket_a 0, bucket_b 1, bucket_c 2, bucket_d 3, bucket_e 4, bucket_f 5, bucket_g 6, bucket_h 7 }
    };
    (@all $name:ident $gate:tt $prefix:tt $tell:ident $($bucket:ident $class:literal),*) => {
        $crate::kernels! { @with $gate $prefix $tell
            /// The kernels.
            LIST:
            fn look(keys: $crate::simt::Global<Key>, n: u64, counters: $crate::simt::Global<u32>, starts: $crate::simt::Global<u64>, strict: u32, unit: u32, codec: u32)
                [module: stringify!($name), threads: $crate::tuning::SORTED.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = { let _ = (starts, unit, codec); $crate::sample::look::look::<Key>(keys, n, counters, $crate::simt::Global::null(), strict, 0, ()) };
            fn settle(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, area: $crate::simt::Global<Key>, n: u64, counters: $crate::simt::Global<u32>, turned: u32)
                [module: stringify!($name), threads: $crate::tuning::SAMPLE_COPY.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = $crate::entry::custom::settle::<Key>(src, dst, area, n, counters, turned);
            fn choose(src: $crate::simt::Global<Key>, counters: $crate::simt::Global<u32>, segments: $crate::simt::Global<u64>, chunks: $crate::simt::Global<u64>, number: u32, chunk: u32, splitters: $crate::simt::Global<Key>, equal: $crate::simt::Global<u32>, guides: $crate::simt::Global<u32>, rows: $crate::simt::Global<u64>, target: u32, seed: u64, codec: u32)
                [module: stringify!($name), threads: TUNING.sample.threads, min_blocks: TUNING.sample_min_blocks, barriers: $crate::sample::splitters::barriers::<Key>(), shared_bytes: $crate::sample::splitters::shared_bytes::<Key>(TUNING.sample.threads, $crate::tile::warp_sort::slots(TUNING.sample.items), TUNING.bits)]
                = { let _ = codec; $crate::sample::splitters::choose_splitters::<Key, { TUNING.sample.threads }, { TUNING.sample.items as usize }, { $crate::tile::warp_sort::slots(TUNING.sample.items) as usize }, { TUNING.bits }>(
                    src, $crate::entry::custom::level(counters, segments, chunks, number, chunk), splitters, equal, guides, rows, target, seed, ()) };
            fn count(src: $crate::simt::Global<Key>, counters: $crate::simt::Global<u32>, segments: $crate::simt::Global<u64>, chunks: $crate::simt::Global<u64>, number: u32, chunk: u32, splitters: $crate::simt::Global<Key>, equal: $crate::simt::Global<u32>, guides: $crate::simt::Global<u32>, rows: $crate::simt::Global<u64>, places: $crate::simt::Global<u8>, highs: $crate::simt::Global<u32>, table: $crate::simt::Global<u16>, tiles: u32, chunk_bases: $crate::simt::Global<u64>, codec: u32)
                [module: stringify!($name), threads: TUNING.count.threads, min_blocks: TUNING.count_min_blocks, barriers: 5, shared_bytes: $crate::sample::count::shared_bytes::<Key, { TUNING.bits }>()]
                = { let _ = codec; $crate::sample::count::count::<Key, { TUNING.count.threads }, { TUNING.count.items as usize }, { TUNING.bits }>(
                    src, $crate::entry::custom::level(counters, segments, chunks, number, chunk), splitters, equal, guides, rows, $crate::sample::places::Places { low: places, high: highs }, table, tiles, chunk_bases, ()) };
            fn scatter(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, payload_src: $crate::simt::Global<u32>, payload_dst: $crate::simt::Global<u32>, carried: u32, counters: $crate::simt::Global<u32>, segments: $crate::simt::Global<u64>, chunks: $crate::simt::Global<u64>, number: u32, chunk: u32, table: $crate::simt::Global<u16>, chunk_bases: $crate::simt::Global<u64>, places: $crate::simt::Global<u8>, highs: $crate::simt::Global<u32>, tiles: u32)
                [module: stringify!($name), threads: TUNING.scatter.threads, min_blocks: TUNING.scatter_min_blocks, barriers: 5, shared_bytes: $crate::sample::stable::shared_bytes::<Key, u32, { TUNING.scatter.threads }, { TUNING.scatter.items as usize }>(TUNING.bits)]
                = { let _ = (payload_src, payload_dst, carried); $crate::sample::stable::scatter_stably::<Key, u32, { TUNING.scatter.threads }, { TUNING.scatter.items as usize }, { TUNING.scatter_group as usize }, { TUNING.bits }>(
                    src, dst, $crate::rows::Carried::nothing(), $crate::entry::custom::level(counters, segments, chunks, number, chunk), table, chunk_bases, $crate::sample::places::Places { low: places, high: highs }, tiles) };
            fn large(data: $crate::simt::Global<Key>, scratch: $crate::simt::Global<Key>, payload_data: $crate::simt::Global<u8>, payload_scratch: $crate::simt::Global<u8>, counters: $crate::simt::Global<u32>, list: $crate::simt::Global<u64>, codec: u32)
                [module: stringify!($name), threads: TUNING.large.threads, min_blocks: 1, barriers: 12, shared_bytes: $crate::sample::large::shared_bytes::<Key, $crate::tile::payload::Keys>(TUNING.large.tile()) + $crate::guard::check_bytes(TUNING.large.threads)]
                = { let _ = codec; $crate::sample::large::sort_large::<Key, $crate::tile::payload::Keys, { TUNING.large.threads }, { TUNING.large.items as usize }>(
                    $crate::sample::buckets::Areas { data, scratch }, $crate::sample::buckets::Areas { data: payload_data, scratch: payload_scratch }, counters, list, ()) };
            fn copy(data: $crate::simt::Global<Key>, scratch: $crate::simt::Global<Key>, counters: $crate::simt::Global<u32>, list: $crate::simt::Global<u64>)
                [module: stringify!($name), threads: $crate::tuning::SAMPLE_COPY.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = $crate::entry::custom::copy_buckets::<Key>(data, scratch, counters, list);
            $(fn $bucket(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, payload_src: $crate::simt::Global<u32>, payload_dst: $crate::simt::Global<u32>, carried: u32, rows: u64, columns: u32, src_stride: u64, dst_stride: u64, list: $crate::simt::Global<u64>, listed: $crate::simt::Global<u32>, load: u32, store: u32)
                [module: stringify!($name), threads: TUNING.classes[$class].threads, min_blocks: 0, barriers: 6, shared_bytes: $crate::rows::block::shared_bytes::<Key, $crate::tile::payload::Keys>(TUNING.classes[$class].tile()) + $crate::guard::check_bytes(TUNING.classes[$class].threads)]
                = { let _ = (payload_src, payload_dst, carried, load, store); $crate::rows::block::sort_rows::<Key, $crate::tile::payload::Keys, { TUNING.classes[$class].threads }, { TUNING.classes[$class].items as usize }>(
                    $crate::rows::Matrix { src, dst, rows, columns, src_stride, dst_stride, list, listed }, $crate::rows::Carried::nothing(), (), ()) };)*
        }
    };
}

/// A level's tables from a kernel's parameters.
#[doc(hidden)]
#[inline(always)]
pub fn level(counters: Global<u32>, segments: Global<u64>, chunks: Global<u64>, number: u32, chunk: u32) -> Level {
    Level { counters, segments: Segments { records: segments }, chunks, number, chunk }
}

/// Runs code with the type of the words that keys are moved in, and how many a key has. Left whole, a key that is no number goes
/// through local memory where nothing is asked of it but to be copied.
macro_rules! by_words {
    ($k:ty, |$word:ident, $parts:ident| $body:expr) => {
        match word_bytes(size_of::<$k>()) {
            1 => by_words!(@ $k, u8, $word, $parts, $body),
            2 => by_words!(@ $k, u16, $word, $parts, $body),
            4 => by_words!(@ $k, u32, $word, $parts, $body),
            8 => by_words!(@ $k, u64, $word, $parts, $body),
            _ => by_words!(@ $k, u128, $word, $parts, $body),
        }
    };
    (@ $k:ty, $of:ty, $word:ident, $parts:ident, $body:expr) => {{
        type $word = $of;
        let $parts = size_of::<$k>() / size_of::<$word>();
        $body
    }};
}

/// [`settle`](look::settle) keys word by word.
///
/// # Safety
/// As there.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn settle<K: Key>(
    src: Global<K>,
    dst: Global<K>,
    area: Global<K>,
    n: u64,
    counters: Global<u32>,
    turned: u32,
) {
    const ITEMS: usize = SAMPLE_COPY.items as usize / 4;
    by_words!(K, |Word, parts| look::settle::<Word, { SAMPLE_COPY.threads }, ITEMS>(
        src.cast(),
        dst.cast(),
        area.cast(),
        n,
        counters,
        turned,
        parts as u64,
        |at| at as Word
    ))
}

/// [`copy_buckets`](buckets::copy_buckets) word by word.
///
/// # Safety
/// As there.
#[doc(hidden)]
#[inline(always)]
pub unsafe fn copy_buckets<K: Key>(data: Global<K>, scratch: Global<K>, counters: Global<u32>, list: Global<u64>) {
    const ITEMS: usize = SAMPLE_COPY.items as usize;
    by_words!(K, |Word, parts| buckets::copy_buckets::<Word, { SAMPLE_COPY.threads }, ITEMS>(
        Areas { data: data.cast(), scratch: scratch.cast() },
        counters,
        COPIES,
        list,
        parts as u32
    ))
}

/// The kernels of a sample sort for keys of a type with an order of its own: what
/// [`export_sample_sort`](crate::export_sample_sort) makes and the host library takes.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Debug)]
pub struct OrderSampleKernels<K> {
    name: &'static str,
    full: (&'static [&'static Kernel], SampleTuning),
    small: (&'static [&'static Kernel], SampleTuning),
    of: PhantomData<fn() -> K>,
}

#[cfg(not(target_arch = "nvptx64"))]
impl<K> OrderSampleKernels<K> {
    /// The kernels of a module that [`export_sample_sort`](crate::export_sample_sort) makes, and their shapes.
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        full: (&'static [&'static Kernel], SampleTuning),
        small: (&'static [&'static Kernel], SampleTuning),
    ) -> Self {
        OrderSampleKernels { name, full, small, of: PhantomData }
    }

    /// The module's name, which begins the kernels' names.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// All that are in the PTX.
    pub fn all(&self) -> impl Iterator<Item = &'static Kernel> + use<K> {
        self.full.0.iter().copied()
    }

    /// Those that sort keys alone, with gridsort's own that look at no key.
    pub fn set(&self, tiles: Tiles) -> SampleKernels {
        let (list, tuning) = match tiles {
            Tiles::Full => self.full,
            Tiles::Small => self.small,
        };
        let [begin, offsets, bases, runs] = crate::entry::sample::common(tiles);
        SampleKernels {
            begin,
            offsets,
            bases: Some(bases),
            look: list[0],
            turn: None,
            runs,
            // The k-way passes of such keys merge neighbours alone.
            merge: None,
            choose: list[2],
            count: list[3],
            scatter: list[4],
            // Only numbers have cells.
            cells: [None; CLASSES as usize],
            classes: core::array::from_fn(|class| list[7 + class]),
            large: list[5],
            keys: Finish { settle: list[1], copy: list[6] },
            payloads: None,
            tuning,
        }
    }
}
