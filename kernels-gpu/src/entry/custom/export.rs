//! The line that exports the kernels of one order, and what it expands to.

/// Exports the kernels for a key type with an [`Order`](crate::order::Order): one line of a device crate.
///
/// `export_order!(pub mod NAME: TYPE);` makes a module `NAME` that has the kernels. Compiled for a GPU, they are in the
/// crate's PTX; elsewhere the module has `KERNELS`, an
/// [`OrderKernels`](crate::entry::custom::OrderKernels), which the host library takes. `NAME` begins the
/// kernels' names, so it must be unique in the crate.
///
/// The type is [`bytemuck::Pod`] and has 1 to 32 bytes. The crate begins with
/// `#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]`.
///
/// ```
/// use gridsort_kernels::order::Order;
///
/// /// A price in cents, and when it was offered. The highest price comes first, of equal ones the earliest.
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
/// # fn main() {
/// assert_eq!(offers::KERNELS.name(), "offers");
/// # }
/// ```
#[macro_export]
macro_rules! export_order {
    ($(#[$doc:meta])* $vis:vis mod $name:ident: $k:ty) => {
        $crate::order_of_keys!($k);

        $(#[$doc])*
        #[allow(unsafe_op_in_unsafe_fn, missing_docs, unreachable_pub)]
        $vis mod $name {
            #[allow(unused_imports)]
            use super::*;
            /// The keys.
            type Key = $k;
            #[allow(dead_code)]
            const BYTES: usize = size_of::<Key>();

            $crate::custom_kernels! { @all $name (all()) (stringify!($name), "_") kernel_is_told
                $crate::tuning::custom_merge_sort(BYTES),
                $crate::tuning::custom_kway(BYTES, 0),
                $crate::tuning::custom_kway(BYTES, 4),
                $crate::tuning::custom_kway(BYTES, 8)
            }
            $crate::if_small_tiles! {
                /// The same kernels with tiny tiles, for tests on the emulator.
                #[cfg(not(target_arch = "nvptx64"))]
                mod small {
                    use super::Key;
                    $crate::custom_kernels! { @small $name }
                }
            }

            /// The kernels, for the host library.
            #[cfg(not(target_arch = "nvptx64"))]
            pub static KERNELS: $crate::entry::custom::OrderKernels<Key> = $crate::entry::custom::OrderKernels::new(
                stringify!($name),
                &SETS,
                $crate::small_tiles_or!(&SETS, &small::SETS),
                &find_disorder,
            );
        }
    };
}

/// [`export_order`](crate::export_order) of the kernels with tiny tiles alone, for tests of many orders on the emulator.
#[doc(hidden)]
#[macro_export]
macro_rules! export_small_order {
    (mod $name:ident: $k:ty) => {
        $crate::order_of_keys!($k);

        #[allow(unsafe_op_in_unsafe_fn, missing_docs, unreachable_pub)]
        mod $name {
            #[allow(unused_imports)]
            use super::*;
            type Key = $k;
            $crate::custom_kernels! { @small $name }

            pub static KERNELS: $crate::entry::custom::OrderKernels<Key> =
                $crate::entry::custom::OrderKernels::new(stringify!($name), &SETS, &SETS, &find_disorder);
        }
    };
}

/// What kernels ask of their keys.
#[doc(hidden)]
#[macro_export]
macro_rules! order_of_keys {
    ($k:ty) => {
        const _: () = {
            const fn is_pod<T: $crate::bytemuck::Pod>() {}
            is_pod::<$k>();
            assert!(size_of::<$k>() >= 1 && size_of::<$k>() <= $crate::simt::MAX_PLAIN, "a key has 1 to 32 bytes");
            assert!(align_of::<$k>() <= 16, "a key is aligned to 16 bytes at most");
        };
        // SAFETY: of a size that was looked at above, and bytemuck's Pod: without padding, all bit patterns valid.
        unsafe impl $crate::simt::Plain for $k {}
        $crate::custom_key!($k);
    };
}

/// Writes what the builder must know of a kernel into its PTX, as a comment.
#[doc(hidden)]
#[macro_export]
macro_rules! kernel_is_told {
    ($kernel:expr, $module:expr, $threads:expr, $min_blocks:expr, $barriers:expr) => {
        ::core::arch::global_asm!(
            concat!("// gridsort kernel ", $kernel, " in ", $module, ": {} threads, {} blocks, {} barriers"),
            const $threads, const $min_blocks, const $barriers
        );
    };
}

/// Passes its tokens on where there are tiny tiles.
#[cfg(feature = "small-tiles")]
#[doc(hidden)]
#[macro_export]
macro_rules! if_small_tiles {
    ($($tokens:tt)*) => { $($tokens)* };
}
/// Passes its tokens on where there are tiny tiles.
#[cfg(not(feature = "small-tiles"))]
#[doc(hidden)]
#[macro_export]
macro_rules! if_small_tiles {
    ($($tokens:tt)*) => {};
}
/// The second where there are tiny tiles, else the first.
#[cfg(feature = "small-tiles")]
#[doc(hidden)]
#[macro_export]
macro_rules! small_tiles_or {
    ($full:expr, $small:expr) => {
        $small
    };
}
/// The second where there are tiny tiles, else the first.
#[cfg(not(feature = "small-tiles"))]
#[doc(hidden)]
#[macro_export]
macro_rules! small_tiles_or {
    ($full:expr, $small:expr) => {
        $full
    };
}

/// All kernels for the type `Key` of the module that calls it.
///
/// Barriers are those of the built-in kernels for keys with their position, and the guard's: one in the tile sort's rounds
/// across warps, one in a merge,
/// and one in a k-way pass.
#[doc(hidden)]
#[macro_export]
macro_rules! custom_kernels {
    // Those with tiny tiles, which are in no PTX.
    (@small $name:ident) => {
        $crate::custom_kernels! { @all $name (any()) ("small_", stringify!($name), "_") kernel_is_listed
            $crate::tuning::SMALL, $crate::tuning::KWAY_SMALL, $crate::tuning::KWAY_SMALL, $crate::tuning::KWAY_SMALL
        }
    };
    (@all $name:ident $gate:tt $prefix:tt $tell:ident $two:expr, $keys:expr, $p32:expr, $p64:expr) => {
        $crate::custom_kernels! { @common $name $gate $prefix $tell kway_partition_by_4 4 $crate::tuning::PARTITION_MIN_BLOCKS, kway_partition_by_8 8 $crate::tuning::PARTITION_MIN_BLOCKS, kway_partition_by_16 16 $crate::tuning::PARTITION_MIN_BLOCKS }
        mod keys {
            use super::Key;
            #[allow(dead_code)]
            const BYTES: usize = size_of::<Key>();
            $crate::custom_kernels! { @keys $name $gate $prefix $tell $two, $keys, kway_pass_by_4 4, kway_pass_by_8 8, kway_pass_by_16 16 }
        }
        mod pairs_32 {
            use super::Key;
            #[allow(dead_code)]
            const BYTES: usize = size_of::<Key>();
            $crate::custom_kernels! { @pairs $name $gate $prefix $tell u32, "_pairs_32", $two, $p32, kway_pass_by_4 4, kway_pass_by_8 8, kway_pass_by_16 16 }
        }
        mod pairs_64 {
            use super::Key;
            #[allow(dead_code)]
            const BYTES: usize = size_of::<Key>();
            $crate::custom_kernels! { @pairs $name $gate $prefix $tell u64, "_pairs_64", $two, $p64, kway_pass_by_4 4, kway_pass_by_8 8, kway_pass_by_16 16 }
        }
        #[cfg(not(target_arch = "nvptx64"))]
        pub(super) static SETS: [$crate::entry::custom::OrderSet; 3] = [
            $crate::entry::custom::OrderSet::new(keys::LIST, COMMON, $two, $keys),
            $crate::entry::custom::OrderSet::new(pairs_32::LIST, COMMON, $two, $p32),
            $crate::entry::custom::OrderSet::new(pairs_64::LIST, COMMON, $two, $p64),
        ];
    };
    // What payloads have no part in.
    (@common $name:ident $gate:tt $prefix:tt $tell:ident $($partition:ident $runs:literal $min_blocks:expr),*) => {
        $crate::kernels! { @with $gate $prefix $tell
            /// Kernels that look at keys alone, whatever travels with them.
            COMMON:
            $(fn $partition(src: $crate::simt::Global<Key>, cuts: $crate::simt::Global<u64>, n: u64, run: u64, tiles: u32, boundaries: u64, tile: u32, stride: u32, level: u32, inputs: $crate::simt::Global<u64>, flag: $crate::simt::Global<u32>, pass: u32)
                [module: stringify!($name), threads: $crate::tuning::PARTITION_THREADS, min_blocks: $min_blocks, barriers: 0, shared_bytes: 0]
                = $crate::entry::custom::partition::<Key, $runs>(src, cuts, (n, run, tiles), boundaries, tile, stride, level, inputs, $crate::guard::Guard::new(flag, pass));)*
            fn find_disorder(keys: $crate::simt::Global<Key>, n: u64, found: $crate::simt::Global<u32>, codec: u32)
                [module: stringify!($name), threads: $crate::tuning::SORTED.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = { let _ = codec; $crate::sorted::find_disorder::<Key>(keys, n, found, ()) };
        }
    };
    (@keys $name:ident $gate:tt $prefix:tt $tell:ident $two:expr, $kway:expr, $($pass:ident $runs:literal),*) => {
        $crate::kernels! { @with $gate $prefix $tell
            /// Kernels for keys alone.
            LIST:
            fn tile_sort(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, n: u64, load: u32, store: u32, flag: $crate::simt::Global<u32>)
                [module: stringify!($name), threads: $two.sort.threads, min_blocks: $two.sort_min_blocks, barriers: 5, shared_bytes: $crate::merge::tile_sort::shared_bytes::<Key, $crate::tile::payload::Keys>($two.sort.tile()) + $crate::guard::check_bytes($two.sort.threads)]
                = $crate::entry::custom::tile_sort::<Key, $crate::tile::payload::Keys, { $two.sort.threads }, { $two.sort.items as usize }>(src, dst, $crate::simt::Global::null(), $crate::simt::Global::null(), n, load + store, flag);
            fn merge_pass(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, n: u64, run: u64, store: u32, flag: $crate::simt::Global<u32>, pass: u32)
                [module: stringify!($name), threads: $two.merge.threads, min_blocks: $two.merge_min_blocks, barriers: 5, shared_bytes: $crate::merge::piece::shared_bytes::<Key, $crate::tile::payload::Keys>($two.merge.tile()) + $crate::guard::check_bytes($two.merge.threads)]
                = $crate::entry::custom::merge_pass::<Key, $crate::tile::payload::Keys, { $two.merge.threads }, { $two.merge.items as usize }>(src, dst, $crate::simt::Global::null(), $crate::simt::Global::null(), n, run, store, $crate::guard::Guard::new(flag, pass));
            fn merge_runs(a: $crate::simt::Global<Key>, b: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, a_len: u64, b_len: u64, flag: $crate::simt::Global<u32>)
                [module: stringify!($name), threads: $two.merge.threads, min_blocks: $two.merge_min_blocks, barriers: 5, shared_bytes: $crate::merge::piece::shared_bytes::<Key, $crate::tile::payload::Keys>($two.merge.tile()) + $crate::guard::check_bytes($two.merge.threads)]
                = $crate::merge::runs::merge_runs::<Key, $crate::tile::payload::Keys, { $two.merge.threads }, { $two.merge.items as usize }>(
                    $crate::merge::piece::Source { a, a_len, b, b_len, payload_a: $crate::simt::Global::null(), payload_b: $crate::simt::Global::null() },
                    $crate::merge::piece::Target { keys: dst, payload: $crate::simt::Global::null() },
                    false, (), (), $crate::guard::Guard::new(flag, 0));
            fn kway_tile_sort(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, n: u64, load: u32, store: u32, flag: $crate::simt::Global<u32>)
                [module: stringify!($name), threads: $kway.sort.threads, min_blocks: $kway.sort_min_blocks, barriers: 5, shared_bytes: $crate::merge::tile_sort::shared_bytes::<Key, $crate::tile::payload::Keys>($kway.sort.tile()) + $crate::guard::check_bytes($kway.sort.threads)]
                = $crate::entry::custom::tile_sort::<Key, $crate::tile::payload::Keys, { $kway.sort.threads }, { $kway.sort.items as usize }>(src, dst, $crate::simt::Global::null(), $crate::simt::Global::null(), n, load + store, flag);
            $(fn $pass(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, cuts: $crate::simt::Global<u64>, n: u64, run: u64, tiles: u32, store: u32, inputs: $crate::simt::Global<u64>, flag: $crate::simt::Global<u32>, pass: u32)
                [module: stringify!($name), threads: $kway.merge.threads, min_blocks: $kway.merge_min_blocks, barriers: 5, shared_bytes: $crate::kway::tile::shared_bytes::<Key, $crate::tile::payload::Keys>($kway.merge.threads, $kway.merge.items, $runs) + $crate::guard::check_bytes($kway.merge.threads)]
                = $crate::entry::custom::kway_pass::<Key, $crate::tile::payload::Keys, $runs, { $kway.merge.threads }, { $kway.merge.items as usize }>((src, dst), ($crate::simt::Global::null(), $crate::simt::Global::null()), cuts, (n, run, tiles), store, inputs, $crate::guard::Guard::new(flag, pass));)*
        }
    };
    (@pairs $name:ident $gate:tt $prefix:tt $tell:ident $p:ty, $suffix:literal, $two:expr, $kway:expr, $($pass:ident $runs:literal),*) => {
        $crate::kernels! { @with $gate (concat! $prefix, "pairs_", stringify!($p), "_") $tell
            /// Kernels for keys with a payload.
            LIST:
            fn tile_sort(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, payload_src: $crate::simt::Global<$p>, payload_dst: $crate::simt::Global<$p>, n: u64, load: u32, store: u32, flag: $crate::simt::Global<u32>)
                [module: concat!(stringify!($name), $suffix), threads: $two.sort.threads, min_blocks: $two.sort_min_blocks, barriers: 7, shared_bytes: $crate::merge::tile_sort::shared_bytes::<Key, $crate::tile::payload::Pairs<$p>>($two.sort.tile()) + $crate::guard::check_bytes($two.sort.threads)]
                = $crate::entry::custom::tile_sort::<Key, $crate::tile::payload::Pairs<$p>, { $two.sort.threads }, { $two.sort.items as usize }>(src, dst, payload_src, payload_dst, n, load + store, flag);
            fn merge_pass(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, payload_src: $crate::simt::Global<$p>, payload_dst: $crate::simt::Global<$p>, n: u64, run: u64, store: u32, flag: $crate::simt::Global<u32>, pass: u32)
                [module: concat!(stringify!($name), $suffix), threads: $two.merge.threads, min_blocks: $two.merge_min_blocks, barriers: 5, shared_bytes: $crate::merge::piece::shared_bytes::<Key, $crate::tile::payload::Pairs<$p>>($two.merge.tile()) + $crate::guard::check_bytes($two.merge.threads)]
                = $crate::entry::custom::merge_pass::<Key, $crate::tile::payload::Pairs<$p>, { $two.merge.threads }, { $two.merge.items as usize }>(src, dst, payload_src, payload_dst, n, run, store, $crate::guard::Guard::new(flag, pass));
            fn merge_runs(a: $crate::simt::Global<Key>, b: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, payload_a: $crate::simt::Global<$p>, payload_b: $crate::simt::Global<$p>, payload_dst: $crate::simt::Global<$p>, a_len: u64, b_len: u64, flag: $crate::simt::Global<u32>)
                [module: concat!(stringify!($name), $suffix), threads: $two.merge.threads, min_blocks: $two.merge_min_blocks, barriers: 5, shared_bytes: $crate::merge::piece::shared_bytes::<Key, $crate::tile::payload::Pairs<$p>>($two.merge.tile()) + $crate::guard::check_bytes($two.merge.threads)]
                = $crate::merge::runs::merge_runs::<Key, $crate::tile::payload::Pairs<$p>, { $two.merge.threads }, { $two.merge.items as usize }>(
                    $crate::merge::piece::Source { a, a_len, b, b_len, payload_a, payload_b },
                    $crate::merge::piece::Target { keys: dst, payload: payload_dst },
                    false, (), (), $crate::guard::Guard::new(flag, 0));
            fn kway_tile_sort(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, payload_src: $crate::simt::Global<$p>, payload_dst: $crate::simt::Global<$p>, n: u64, load: u32, store: u32, flag: $crate::simt::Global<u32>)
                [module: concat!(stringify!($name), $suffix), threads: $kway.sort.threads, min_blocks: $kway.sort_min_blocks, barriers: 7, shared_bytes: $crate::merge::tile_sort::shared_bytes::<Key, $crate::tile::payload::Pairs<$p>>($kway.sort.tile()) + $crate::guard::check_bytes($kway.sort.threads)]
                = $crate::entry::custom::tile_sort::<Key, $crate::tile::payload::Pairs<$p>, { $kway.sort.threads }, { $kway.sort.items as usize }>(src, dst, payload_src, payload_dst, n, load + store, flag);
            $(fn $pass(src: $crate::simt::Global<Key>, dst: $crate::simt::Global<Key>, payload_src: $crate::simt::Global<$p>, payload_dst: $crate::simt::Global<$p>, cuts: $crate::simt::Global<u64>, n: u64, run: u64, tiles: u32, store: u32, inputs: $crate::simt::Global<u64>, flag: $crate::simt::Global<u32>, pass: u32)
                [module: concat!(stringify!($name), $suffix), threads: $kway.merge.threads, min_blocks: $kway.merge_min_blocks, barriers: 5, shared_bytes: $crate::kway::tile::shared_bytes::<Key, $crate::tile::payload::Pairs<$p>>($kway.merge.threads, $kway.merge.items, $runs) + $crate::guard::check_bytes($kway.merge.threads)]
                = $crate::entry::custom::kway_pass::<Key, $crate::tile::payload::Pairs<$p>, $runs, { $kway.merge.threads }, { $kway.merge.items as usize }>((src, dst), (payload_src, payload_dst), cuts, (n, run, tiles), store, inputs, $crate::guard::Guard::new(flag, pass));)*
        }
    };
}
