//! Splitters from a random sample, and a report of the buckets that they make.
use crate::key::{Key, compare};
use crate::options::Direction;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// How splitters are drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SampleOptions {
    /// Buckets to make. There are never more than keys.
    pub buckets: usize,
    /// Keys of the sample for each bucket: the more, the more even the buckets. 0 counts as 1.
    pub oversampling: usize,
    /// The same seed draws the same sample.
    pub seed: u64,
}

impl SampleOptions {
    /// So many buckets, 16 keys of the sample for each, seed 0.
    pub fn new(buckets: usize) -> Self {
        Self { buckets, oversampling: 16, seed: 0 }
    }
}

/// Draws keys at random, with replacement, sorts them, and takes evenly spaced ones: one splitter less than buckets, none
/// where there are no keys. A sample is never larger than the input.
///
/// ```
/// use gridsort::Direction;
/// use gridsort::sample::{SampleOptions, draw_splitters};
///
/// let keys: Vec<u32> = (0..1000).collect();
/// let splitters = draw_splitters(&keys, Direction::Ascending, SampleOptions::new(4));
/// assert_eq!(splitters.len(), 3);
/// assert!(splitters.is_sorted());
/// assert_eq!(splitters, draw_splitters(&keys, Direction::Ascending, SampleOptions::new(4)));
/// ```
pub fn draw_splitters<K: Key>(keys: &[K], direction: Direction, options: SampleOptions) -> Vec<K> {
    let buckets = options.buckets.min(keys.len());
    if buckets < 2 {
        return Vec::new();
    }
    let size = buckets.saturating_mul(options.oversampling.max(1)).min(keys.len());
    let mut random = Xoshiro256PlusPlus::seed_from_u64(options.seed);
    // The high half of a product with a 64-bit number is below the factor.
    let mut draw = || keys[((random.next_u64() as u128 * keys.len() as u128) >> 64) as usize];
    let mut sample: Vec<K> = (0..size).map(|_| draw()).collect();
    sample.sort_by(compare(direction));
    (1..buckets).map(|bucket| sample[(bucket as u128 * size as u128 / buckets as u128) as usize]).collect()
}

/// How even buckets are.
///
/// ```
/// let sizes = gridsort::sample::BucketSizes::of(&[3, 2, 3, 4]);
/// assert_eq!((sizes.largest, sizes.mean), (4, 3.0));
/// assert_eq!(sizes.ratio(), 4.0 / 3.0);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BucketSizes {
    /// Elements of the largest bucket.
    pub largest: u64,
    /// Elements over buckets.
    pub mean: f64,
}

impl BucketSizes {
    /// Of the counts of elements in each bucket.
    pub fn of(counts: &[u64]) -> Self {
        let total: u64 = counts.iter().sum();
        Self { largest: counts.iter().copied().max().unwrap_or(0), mean: total as f64 / counts.len().max(1) as f64 }
    }

    /// The largest over the mean: 1 where all are alike, the number of buckets where one has everything. 1 where there
    /// are no elements.
    pub fn ratio(&self) -> f64 {
        if self.largest == 0 { 1.0 } else { self.largest as f64 / self.mean }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draw(keys: &[u32], buckets: usize, oversampling: usize, seed: u64) -> Vec<u32> {
        draw_splitters(keys, Direction::Ascending, SampleOptions { buckets, oversampling, seed })
    }

    #[test]
    fn a_seed_fixes_the_splitters_and_another_changes_them() {
        let keys: Vec<u32> = (0..100_000).map(|i: u32| i.wrapping_mul(0x9E37_79B9)).collect();
        assert_eq!(draw(&keys, 16, 8, 7), draw(&keys, 16, 8, 7));
        assert_ne!(draw(&keys, 16, 8, 7), draw(&keys, 16, 8, 8));
        assert_ne!(draw(&keys, 16, 8, 7), draw(&keys, 16, 9, 7));
    }

    #[test]
    fn oversampling_evens_the_buckets_out() {
        let keys: Vec<u32> = (0..100_000).collect();
        let ratio = |oversampling| {
            let splitters = draw(&keys, 32, oversampling, 3);
            BucketSizes::of(&crate::reference::sample_sort(&keys, &splitters, u32::cmp).counts).ratio()
        };
        let (few, many) = (ratio(1), ratio(256));
        assert!(many < 1.3 && many < few, "1 a bucket: {few}, 256 a bucket: {many}");
    }

    #[test]
    fn few_keys_and_odd_numbers() {
        assert!(draw(&[], 8, 4, 0).is_empty());
        assert!(draw(&[1, 2, 3], 0, 4, 0).is_empty());
        assert!(draw(&[1, 2, 3], 1, 4, 0).is_empty());
        assert_eq!(draw(&[1, 2, 3], usize::MAX, usize::MAX, 0).len(), 2);
        assert_eq!(draw(&[1, 2, 3], 2, 0, 0).len(), 1);
        assert_eq!(draw(&[5; 100], 4, 4, 0), [5; 3]);
        let falling = draw_splitters(&[1u32, 2, 3, 4, 5], Direction::Descending, SampleOptions::new(5));
        assert!(falling.is_sorted_by(|a, b| a >= b), "{falling:?}");
        assert_eq!(BucketSizes::of(&[]).ratio(), 1.0);
        assert_eq!(BucketSizes::of(&[0, 8, 0, 0]).ratio(), 4.0);
    }
}
