//! The exported kernels, one line each.
//!
//! Compiled to PTX, each line is an entry function. Compiled for the CPU, the same line is a [`Kernel`]: what the host
//! needs to launch it, and a function that runs one emulated thread of it. [`kernels`] lists them all; the PTX is held
//! against that list when it is built.
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;

/// Exports kernels. Each is a line `fn name(parameters) [its launch shape] = expression;`, after the name of their list.
#[macro_export]
macro_rules! kernels {
    // Under which condition the PTX has them, what their names begin with, and a macro that is told about each.
    (@with $gate:tt $prefix:tt $tell:ident $(#[$list_doc:meta])* $list:ident: $(
        $(#[$doc:meta])*
        fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
            [module: $module:expr, threads: $threads:expr, min_blocks: $min:expr, barriers: $barriers:expr, shared_bytes: $shared:expr]
            = $body:expr;
    )*) => {
        $(
            $(#[$doc])*
            ///
            /// # Safety
            /// As the kernel function says.
            #[cfg(all(target_arch = "nvptx64", all $gate))]
            #[unsafe(export_name = concat!(concat! $prefix, stringify!($name)))]
            pub unsafe extern "ptx-kernel" fn $name($($arg: $ty),*) {
                $body
            }
            #[cfg(target_arch = "nvptx64")]
            $crate::$tell! { concat!(concat! $prefix, stringify!($name)), $module, $threads, $min, $barriers }
            $(#[$doc])*
            #[cfg(not(target_arch = "nvptx64"))]
            #[allow(non_upper_case_globals)]
            pub static $name: $crate::simt::Kernel = $crate::simt::Kernel {
                name: concat!(concat! $prefix, stringify!($name)),
                module: $module,
                threads: $threads,
                min_blocks: $min,
                barriers: $barriers,
                shared_bytes: $shared,
                params: &[$(<$ty as $crate::simt::Param>::KIND),*],
                run: {
                    /// # Safety
                    /// As the kernel function says.
                    #[inline(never)]
                    unsafe fn run(args: &[$crate::simt::Arg]) {
                        let mut args = args.iter().copied();
                        $(let $arg = <$ty as $crate::simt::Param>::from_arg(args.next().expect("checked by the launch"));)*
                        $body
                    }
                    run
                },
            };
        )*
        $(#[$list_doc])*
        #[cfg(not(target_arch = "nvptx64"))]
        pub static $list: &[&$crate::simt::Kernel] = &[$(&$name),*];
    };
    ($($lines:tt)*) => {
        $crate::kernels! { @with (any(feature = "entry-1", feature = "entry-2")) () kernel_is_listed $($lines)* }
    };
}

/// Whoever builds gridsort's own kernels has [`kernels`] to go by.
#[doc(hidden)]
#[macro_export]
macro_rules! kernel_is_listed {
    ($($anything:tt)*) => {};
}

/// Modules of kernels that the PTX has with one feature.
macro_rules! part {
    ($feature:literal: $($module:ident)*) => {
        $(
            #[cfg(any(not(target_arch = "nvptx64"), feature = $feature))]
            pub mod $module;
        )*
    };
}
// Each takes half the time.
part! { "entry-1": merge_sort rows }
part! { "entry-2": bitonic cells chapter gather guard kway nulls sample search segments select sorted }
pub mod custom;
#[cfg(feature = "grid")]
pub mod grid;

/// Every kernel that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
pub fn kernels() -> impl Iterator<Item = &'static Kernel> {
    [
        chapter::CHAPTER,
        chapter::sample::CHAPTER_SAMPLE,
        chapter::sample::CHAPTER_BUCKETS,
        sorted::DISORDER,
        guard::GUARD,
        segments::SEGMENTS,
    ]
    .into_iter()
    .chain(merge_sort::lists())
    .chain(kway::lists())
    .chain(bitonic::lists())
    .chain(cells::lists())
    .chain(gather::lists())
    .chain(nulls::lists())
    .chain(rows::lists())
    .chain(sample::lists())
    .chain(search::lists())
    .chain(select::lists())
    .flatten()
    .copied()
}

/// The width of a key: kernels are made for widths, not for types.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KeyWidth {
    /// 8 bits.
    W8,
    /// 16 bits.
    W16,
    /// 32 bits.
    W32,
    /// 64 bits.
    W64,
    /// 128 bits.
    W128,
}
