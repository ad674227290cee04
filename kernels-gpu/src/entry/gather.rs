//! The kernels that fetch elements by position: for each word size and each width of positions.
use crate::gather::gather;
use crate::kway::inputs::Table;
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::GATHER_THREADS;

/// [`gather`] of words of one size.
macro_rules! gathers {
    ($list:ident, $t:ty, $($name:ident $i:ty),*) => {
        crate::kernels! {
            /// Kernels that fetch elements by position, by 32-bit and by 64-bit positions.
            $list:
            $(
                /// [`gather`] by positions of one width.
                fn $name(positions: Global<$i>, a: Global<$t>, b: Global<$t>, out: Global<$t>, n: u64, a_len: u64, b_len: u64, units: u32, inputs: Global<u64>, count: u32, stray: Global<u64>)
                    [module: "gather", threads: GATHER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
                    = gather(positions, a, b, out, n, (a_len, b_len), units, Table::new(inputs), count, stray);
            )*
        }
    };
}
gathers!(GATHER_8, u8, gather_8_by_32 u32, gather_8_by_64 u64);
gathers!(GATHER_16, u16, gather_16_by_32 u32, gather_16_by_64 u64);
gathers!(GATHER_32, u32, gather_32_by_32 u32, gather_32_by_64 u64);
gathers!(GATHER_64, u64, gather_64_by_32 u32, gather_64_by_64 u64);
gathers!(GATHER_128, u128, gather_128_by_32 u32, gather_128_by_64 u64);

/// All lists of this module.
#[cfg(not(target_arch = "nvptx64"))]
pub(super) fn lists() -> [&'static [&'static Kernel]; 5] {
    [GATHER_8, GATHER_16, GATHER_32, GATHER_64, GATHER_128]
}

/// How elements of one size are fetched.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct GatherKernel {
    /// [`gather`].
    pub kernel: &'static Kernel,
    /// Words of an element: one of the kernel's parameters.
    pub units: u32,
}

/// How to fetch elements of `bytes` bytes, 1 to 16, by 32-bit positions or `wide` 64-bit ones. Both arrays and the output
/// are aligned to the largest power of two that divides `bytes`. None for other sizes.
#[cfg(not(target_arch = "nvptx64"))]
pub fn gather_kernel(bytes: usize, wide: bool) -> Option<GatherKernel> {
    if !(1..=16).contains(&bytes) {
        return None;
    }
    let word = 1 << bytes.trailing_zeros();
    let list = lists()[bytes.trailing_zeros() as usize];
    Some(GatherKernel { kernel: list[usize::from(wide)], units: (bytes / word) as u32 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_whole_words() {
        for (bytes, name, units) in [
            (1, "gather_8_by_32", 1),
            (6, "gather_16_by_32", 3),
            (12, "gather_32_by_32", 3),
            (16, "gather_128_by_32", 1),
        ] {
            let found = gather_kernel(bytes, false).unwrap();
            assert_eq!((found.kernel.name, found.units), (name, units));
        }
        assert_eq!(gather_kernel(15, true).unwrap().kernel.name, "gather_8_by_64");
        assert!(gather_kernel(0, false).is_none() && gather_kernel(17, false).is_none());
    }
}
