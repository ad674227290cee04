//! The textbook's sample sort: what reads or moves keys for each key width, the rest once.
#[cfg(not(target_arch = "nvptx64"))]
use crate::entry::KeyWidth;
use crate::order::Key;
use crate::sample::chapter::{
    bucket_histogram, bucket_of, bucket_rank, bucket_scatter, scan_exclusive, scan_step, tile_histogram,
};
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning::CHAPTER_THREADS;

/// Two kernels for each key width. All in one module, which is small.
macro_rules! by_width {
    ($($of:ident $scatter:ident $k:ty),*) => {
        crate::kernels! {
            /// Kernels of the textbook's sample sort that read or move keys.
            CHAPTER_SAMPLE:
            $(
                /// [`bucket_of`] for keys of one width.
                fn $of(keys: Global<$k>, splitters: Global<$k>, buckets: Global<u32>, n: u64, splitter_count: u64, codec: u32)
                    [module: "chapter_sample", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
                    = bucket_of::<$k>(keys, splitters, buckets, n, splitter_count, <$k as Key>::codec(codec));
                /// [`bucket_scatter`] of elements of one width.
                fn $scatter(src: Global<$k>, buckets: Global<u32>, offsets: Global<u64>, ranks: Global<u64>, dst: Global<$k>, n: u64)
                    [module: "chapter_sample", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
                    = bucket_scatter::<$k>(src, buckets, offsets, ranks, dst, n);
            )*
        }
    };
}
by_width!(
    chapter_bucket_of_8 chapter_scatter_8 u8,
    chapter_bucket_of_16 chapter_scatter_16 u16,
    chapter_bucket_of_32 chapter_scatter_32 u32,
    chapter_bucket_of_64 chapter_scatter_64 u64,
    chapter_bucket_of_128 chapter_scatter_128 u128
);

crate::kernels! {
    /// Kernels of the textbook's sample sort that see bucket numbers and counts only.
    CHAPTER_BUCKETS:
    /// [`bucket_histogram`].
    fn chapter_bucket_histogram(buckets: Global<u32>, counts: Global<u64>, n: u64)
        [module: "chapter_sample", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = bucket_histogram(buckets, counts, n);
    /// [`tile_histogram`].
    fn chapter_tile_histogram(buckets: Global<u32>, table: Global<u64>, n: u64, tiles: u64)
        [module: "chapter_sample", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = tile_histogram(buckets, table, n, tiles);
    /// [`scan_step`].
    fn chapter_scan_step(src: Global<u64>, dst: Global<u64>, n: u64, distance: u64)
        [module: "chapter_sample", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = scan_step(src, dst, n, distance);
    /// [`scan_exclusive`].
    fn chapter_scan_exclusive(counts: Global<u64>, inclusive: Global<u64>, exclusive: Global<u64>, n: u64)
        [module: "chapter_sample", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = scan_exclusive(counts, inclusive, exclusive, n);
    /// [`bucket_rank`].
    fn chapter_bucket_rank(buckets: Global<u32>, scanned: Global<u64>, ranks: Global<u64>, n: u64, tiles: u64)
        [module: "chapter_sample", threads: CHAPTER_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = bucket_rank(buckets, scanned, ranks, n, tiles);
}

/// The kernel that finds the buckets of keys of a width.
#[cfg(not(target_arch = "nvptx64"))]
pub fn bucket_of_kernel(width: KeyWidth) -> &'static Kernel {
    match width {
        KeyWidth::W8 => &chapter_bucket_of_8,
        KeyWidth::W16 => &chapter_bucket_of_16,
        KeyWidth::W32 => &chapter_bucket_of_32,
        KeyWidth::W64 => &chapter_bucket_of_64,
        KeyWidth::W128 => &chapter_bucket_of_128,
    }
}

/// The kernel that moves elements of a width to their buckets.
#[cfg(not(target_arch = "nvptx64"))]
pub fn scatter_kernel(width: KeyWidth) -> &'static Kernel {
    match width {
        KeyWidth::W8 => &chapter_scatter_8,
        KeyWidth::W16 => &chapter_scatter_16,
        KeyWidth::W32 => &chapter_scatter_32,
        KeyWidth::W64 => &chapter_scatter_64,
        KeyWidth::W128 => &chapter_scatter_128,
    }
}
