//! The kernels that look whether keys are sorted, for each key width.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
use crate::order::Key;
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::sorted::find_disorder;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::SORTED;

/// One kernel for each key width. All in one module, which is small.
macro_rules! disorders {
    ($($name:ident $k:ty),*) => {
        crate::kernels! {
            /// Kernels that look for a key that comes before the one ahead of it.
            DISORDER:
            $(
                /// [`find_disorder`] among keys of one width.
                fn $name(keys: Global<$k>, n: u64, found: Global<u32>, codec: u32)
                    [module: "sorted", threads: SORTED.threads, min_blocks: 0, barriers: 0, shared_bytes: 0]
                    = find_disorder::<$k>(keys, n, found, <$k as Key>::codec(codec));
            )*
        }
    };
}
disorders!(find_disorder_8 u8, find_disorder_16 u16, find_disorder_32 u32, find_disorder_64 u64, find_disorder_128 u128);

/// The kernel that looks for disorder among keys of a width.
#[cfg(not(target_arch = "nvptx64"))]
pub fn disorder_kernel(width: KeyWidth) -> &'static Kernel {
    match width {
        KeyWidth::W8 => &find_disorder_8,
        KeyWidth::W16 => &find_disorder_16,
        KeyWidth::W32 => &find_disorder_32,
        KeyWidth::W64 => &find_disorder_64,
        KeyWidth::W128 => &find_disorder_128,
    }
}
