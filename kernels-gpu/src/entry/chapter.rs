//! The textbook's kernels, for each key width.
use crate::merge::chapter::{corank_merge, corank_pass};
use crate::order::Key;
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::CHAPTER_THREADS;

pub mod sample;

crate::kernels! {
    /// The textbook's kernels.
    CHAPTER:
    /// [`corank_merge`] of 8-bit keys.
    fn corank_merge_8(a: Global<u8>, b: Global<u8>, out: Global<u8>, a_len: u64, b_len: u64, codec: u32)
        [module: "chapter_8", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_merge(a, b, out, a_len, b_len, <u8 as Key>::codec(codec));
    /// [`corank_pass`] over 8-bit keys.
    fn corank_pass_8(src: Global<u8>, dst: Global<u8>, n: u64, width: u64, codec: u32)
        [module: "chapter_8", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_pass(src, dst, n, width, <u8 as Key>::codec(codec));
    /// [`corank_merge`] of 16-bit keys.
    fn corank_merge_16(a: Global<u16>, b: Global<u16>, out: Global<u16>, a_len: u64, b_len: u64, codec: u32)
        [module: "chapter_16", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_merge(a, b, out, a_len, b_len, <u16 as Key>::codec(codec));
    /// [`corank_pass`] over 16-bit keys.
    fn corank_pass_16(src: Global<u16>, dst: Global<u16>, n: u64, width: u64, codec: u32)
        [module: "chapter_16", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_pass(src, dst, n, width, <u16 as Key>::codec(codec));
    /// [`corank_merge`] of 32-bit keys.
    fn corank_merge_32(a: Global<u32>, b: Global<u32>, out: Global<u32>, a_len: u64, b_len: u64, codec: u32)
        [module: "chapter_32", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_merge(a, b, out, a_len, b_len, <u32 as Key>::codec(codec));
    /// [`corank_pass`] over 32-bit keys.
    fn corank_pass_32(src: Global<u32>, dst: Global<u32>, n: u64, width: u64, codec: u32)
        [module: "chapter_32", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_pass(src, dst, n, width, <u32 as Key>::codec(codec));
    /// [`corank_merge`] of 64-bit keys.
    fn corank_merge_64(a: Global<u64>, b: Global<u64>, out: Global<u64>, a_len: u64, b_len: u64, codec: u32)
        [module: "chapter_64", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_merge(a, b, out, a_len, b_len, <u64 as Key>::codec(codec));
    /// [`corank_pass`] over 64-bit keys.
    fn corank_pass_64(src: Global<u64>, dst: Global<u64>, n: u64, width: u64, codec: u32)
        [module: "chapter_64", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_pass(src, dst, n, width, <u64 as Key>::codec(codec));
    /// [`corank_merge`] of 128-bit keys.
    fn corank_merge_128(a: Global<u128>, b: Global<u128>, out: Global<u128>, a_len: u64, b_len: u64, codec: u32)
        [module: "chapter_128", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_merge(a, b, out, a_len, b_len, <u128 as Key>::codec(codec));
    /// [`corank_pass`] over 128-bit keys.
    fn corank_pass_128(src: Global<u128>, dst: Global<u128>, n: u64, width: u64, codec: u32)
        [module: "chapter_128", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = corank_pass(src, dst, n, width, <u128 as Key>::codec(codec));
}

/// The textbook's kernels for one key width.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct ChapterKernels {
    /// [`corank_merge`].
    pub corank_merge: &'static crate::simt::Kernel,
    /// [`corank_pass`].
    pub corank_pass: &'static crate::simt::Kernel,
}

/// The textbook's kernels for keys of a width.
#[cfg(not(target_arch = "nvptx64"))]
pub fn chapter_kernels(width: super::KeyWidth) -> ChapterKernels {
    match width {
        super::KeyWidth::W8 => ChapterKernels { corank_merge: &corank_merge_8, corank_pass: &corank_pass_8 },
        super::KeyWidth::W16 => ChapterKernels { corank_merge: &corank_merge_16, corank_pass: &corank_pass_16 },
        super::KeyWidth::W32 => ChapterKernels { corank_merge: &corank_merge_32, corank_pass: &corank_pass_32 },
        super::KeyWidth::W64 => ChapterKernels { corank_merge: &corank_merge_64, corank_pass: &corank_pass_64 },
        super::KeyWidth::W128 => ChapterKernels { corank_merge: &corank_merge_128, corank_pass: &corank_pass_128 },
    }
}
