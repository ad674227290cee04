//! The kernels for columns with nulls: for each key width and each width of positions.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
use crate::nulls::{Bits, Marks, fetch_valid, gather_bits, sum_counts, write_positions};
use crate::order::Key;
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::{Kernel, WARP};
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::NULLS_THREADS;

crate::kernels! {
    /// Kernels that go by counts alone.
    COUNTS:
    /// [`sum_counts`].
    fn sum_null_counts(counts: Global<u32>, starts: Global<u64>, tiles: u64)
        [module: "nulls", threads: WARP, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = sum_counts(counts, starts, tiles);
}

/// The kernels for positions of one width.
macro_rules! nulls {
    ($list:ident, $i:ty, $bits:ident, $write:ident, $($fetch:ident $k:ty),*) => {
        crate::kernels! {
            /// Kernels for columns with nulls, by positions of one width.
            $list:
            /// [`gather_bits`].
            fn $bits(positions: Global<$i>, bytes: Global<u8>, first: u64, len: u64, out: Global<u8>, out_bytes: u64, counts: Global<u32>, n: u64)
                [module: "nulls", threads: NULLS_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = gather_bits(positions, Bits { bytes, first, len }, out, out_bytes, counts, n);
            /// [`write_positions`].
            fn $write(positions: Global<$i>, n: u64)
                [module: "nulls", threads: NULLS_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
                = write_positions(positions, n);
            $(
                /// [`fetch_valid`] of keys of one width.
                fn $fetch(positions: Global<$i>, values: Global<$k>, words: Global<u32>, counts: Global<u32>, starts: Global<u64>, keys: Global<$k>, moved: Global<$i>, n: u64, nulls_first: u32, codec: u32)
                    [module: "nulls", threads: NULLS_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
                    = fetch_valid::<$k, $i>(positions, values, Marks { words, counts, starts }, keys, moved, n, nulls_first != 0, <$k as Key>::codec(codec));
            )*
        }
    };
}
nulls!(NULLS_BY_32, u32, gather_bits_by_32, write_positions_32, fetch_valid_8_by_32 u8, fetch_valid_16_by_32 u16, fetch_valid_32_by_32 u32, fetch_valid_64_by_32 u64, fetch_valid_128_by_32 u128);
nulls!(NULLS_BY_64, u64, gather_bits_by_64, write_positions_64, fetch_valid_8_by_64 u8, fetch_valid_16_by_64 u16, fetch_valid_32_by_64 u32, fetch_valid_64_by_64 u64, fetch_valid_128_by_64 u128);

/// All lists of this module.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 3] {
    [COUNTS, NULLS_BY_32, NULLS_BY_64]
}

/// The kernels for positions of one width.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct NullKernels {
    /// [`gather_bits`].
    pub gather_bits: &'static Kernel,
    /// [`sum_counts`].
    pub sum_counts: &'static Kernel,
    /// [`write_positions`].
    pub write_positions: &'static Kernel,
    fetch_valid: &'static [&'static Kernel],
}

#[cfg(not(target_arch = "nvptx64"))]
impl NullKernels {
    /// [`fetch_valid`] of keys of a width.
    pub fn fetch_valid(&self, width: KeyWidth) -> &'static Kernel {
        self.fetch_valid[match width {
            KeyWidth::W8 => 0,
            KeyWidth::W16 => 1,
            KeyWidth::W32 => 2,
            KeyWidth::W64 => 3,
            KeyWidth::W128 => 4,
        }]
    }
}

/// The kernels for 32-bit positions, or `wide` 64-bit ones.
#[cfg(not(target_arch = "nvptx64"))]
pub fn null_kernels(wide: bool) -> NullKernels {
    let list = if wide { NULLS_BY_64 } else { NULLS_BY_32 };
    NullKernels {
        gather_bits: list[0],
        sum_counts: &sum_null_counts,
        write_positions: list[1],
        fetch_valid: &list[2..],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_width_has_its_kernel() {
        for (width, bits) in
            [(KeyWidth::W8, 8), (KeyWidth::W16, 16), (KeyWidth::W32, 32), (KeyWidth::W64, 64), (KeyWidth::W128, 128)]
        {
            for wide in [false, true] {
                let by = if wide { 64 } else { 32 };
                let kernels = null_kernels(wide);
                assert_eq!(kernels.fetch_valid(width).name, format!("fetch_valid_{bits}_by_{by}"));
                assert_eq!(kernels.gather_bits.name, format!("gather_bits_by_{by}"));
            }
        }
    }
}
