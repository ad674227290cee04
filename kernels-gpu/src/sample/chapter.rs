//! The textbook's sample sort, one small kernel a step and one thread an element.
//!
//! No kernel has a barrier: where the textbook's one block waits between the steps of its scan, here a launch ends, so
//! that neither the elements nor the buckets have to fit one block. Ranks are counted by tiles of a block's elements:
//! elements of the same bucket in tiles before come from a scanned table, those in the same tile are counted one by one.
use crate::merge::chapter::position;
use crate::order::Key;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Plain, thread};

/// The bucket of each key: the number of splitters that are not after it, so that a key that equals a splitter goes to
/// the bucket which that splitter begins.
///
/// # Safety
/// The grid has at least `n` threads; `keys` and `buckets` hold `n` elements, and `splitters` as many as said, sorted.
#[inline(always)]
pub unsafe fn bucket_of<K: Key>(
    keys: Global<K>,
    splitters: Global<K>,
    buckets: Global<u32>,
    n: u64,
    splitter_count: u64,
    codec: K::Codec,
) {
    let i = position();
    if i < n {
        let key = keys.get(i).encode(codec);
        let (mut low, mut high) = (0, splitter_count);
        while low < high {
            let middle = low + (high - low) / 2;
            if key.before(splitters.get(middle).encode(codec)) {
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        buckets.set(i, low as u32);
    }
}

/// Counts the elements of each bucket.
///
/// # Safety
/// The grid has at least `n` threads; `buckets` holds `n` numbers, each the position of a word of `counts`.
#[inline(always)]
pub unsafe fn bucket_histogram(buckets: Global<u32>, counts: Global<u64>, n: u64) {
    let i = position();
    if i < n {
        counts.fetch_add(buckets.get(i) as u64, 1, Ordering::Relaxed);
    }
}

/// Counts the elements of each bucket in each tile, a block's elements: `table[bucket * tiles + tile]`.
///
/// # Safety
/// As [`bucket_histogram`], with a grid of `tiles` blocks and `tiles` words of `table` for each bucket.
#[inline(always)]
pub unsafe fn tile_histogram(buckets: Global<u32>, table: Global<u64>, n: u64, tiles: u64) {
    let i = position();
    if i < n {
        let row = buckets.get(i) as u64 * tiles;
        table.fetch_add(row + thread::block_idx_x() as u64, 1, Ordering::Relaxed);
    }
}

/// One step of a scan: each word plus the one `distance` before it. Steps of distance 1, 2, 4 and so on up to `n` make
/// the inclusive scan.
///
/// # Safety
/// The grid has at least `n` threads; both arrays hold `n` words and are apart.
#[inline(always)]
pub unsafe fn scan_step(src: Global<u64>, dst: Global<u64>, n: u64, distance: u64) {
    let i = position();
    if i < n {
        let before = if i >= distance { src.get(i - distance) } else { 0 };
        dst.set(i, src.get(i) + before);
    }
}

/// Makes the exclusive scan of the inclusive one, by taking from each word what was counted there.
///
/// # Safety
/// The grid has at least `n` threads; all three arrays hold `n` words.
#[inline(always)]
pub unsafe fn scan_exclusive(counts: Global<u64>, inclusive: Global<u64>, exclusive: Global<u64>, n: u64) {
    let i = position();
    if i < n {
        exclusive.set(i, inclusive.get(i) - counts.get(i));
    }
}

/// The rank of each element among those of its bucket, in the order they stand in: those in tiles before, from the
/// exclusive scan of [`tile_histogram`]'s table, and those ahead of it in its own tile.
///
/// # Safety
/// As [`tile_histogram`], with the same blocks; `ranks` holds `n` words.
#[inline(always)]
pub unsafe fn bucket_rank(buckets: Global<u32>, scanned: Global<u64>, ranks: Global<u64>, n: u64, tiles: u64) {
    let i = position();
    if i < n {
        let bucket = buckets.get(i);
        let tile = thread::block_idx_x() as u64;
        let row = bucket as u64 * tiles;
        let mut rank = scanned.get(row + tile) - scanned.get(row);
        // At most a block's threads less one.
        let mut j = i - thread::thread_idx_x() as u64;
        while j < i {
            rank += (buckets.get(j) == bucket) as u64;
            j += 1;
        }
        ranks.set(i, rank);
    }
}

/// Moves each element to its rank behind the beginning of its bucket.
///
/// # Safety
/// The grid has at least `n` threads; the arrays of elements, buckets and ranks hold `n`, `offsets` a word for each
/// bucket, and no two elements have the same place, which is less than `n`.
#[inline(always)]
pub unsafe fn bucket_scatter<T: Plain>(
    src: Global<T>,
    buckets: Global<u32>,
    offsets: Global<u64>,
    ranks: Global<u64>,
    dst: Global<T>,
    n: u64,
) {
    let i = position();
    if i < n {
        dst.set(offsets.get(buckets.get(i) as u64) + ranks.get(i), src.get(i));
    }
}
