//! The textbook's sample sort.
use std::cmp::Ordering;

/// What each step of a sample sort makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SampleSortTrace<T> {
    /// The bucket of each element.
    pub buckets: Vec<u32>,
    /// The rank of each element among those of its bucket, in the order of the input.
    pub ranks: Vec<u64>,
    /// The elements of each bucket.
    pub counts: Vec<u64>,
    /// Where each bucket begins.
    pub offsets: Vec<u64>,
    /// The elements by bucket, each bucket in the order of the input.
    pub scattered: Vec<T>,
    /// The elements, each bucket sorted.
    pub sorted: Vec<T>,
}

/// The bucket of a value among sorted splitters, by binary search: how many of them are not after it. A value that
/// equals a splitter goes to the bucket which that splitter begins.
///
/// ```
/// use gridsort::reference::bucket_of;
///
/// assert_eq!([14, 15, 30].map(|value| bucket_of(&value, &[15, 30], i32::cmp)), [0, 1, 2]);
/// ```
pub fn bucket_of<T>(value: &T, splitters: &[T], compare: impl Fn(&T, &T) -> Ordering) -> usize {
    splitters.partition_point(|splitter| compare(splitter, value).is_le())
}

/// Sorts by sample sort, with sorted splitters that part one bucket more than there are of them. Stable. No merge
/// follows: no element of a bucket comes after one of the next.
///
/// ```
/// let trace = gridsort::reference::sample_sort(&[19, 3, 42, 7, 55, 12, 38, 25], &[15, 30], i32::cmp);
/// assert_eq!(trace.scattered, [3, 7, 12, 19, 25, 42, 55, 38]);
/// assert_eq!(trace.sorted, [3, 7, 12, 19, 25, 38, 42, 55]);
/// ```
pub fn sample_sort<T: Clone>(data: &[T], splitters: &[T], compare: impl Fn(&T, &T) -> Ordering) -> SampleSortTrace<T> {
    let buckets: Vec<usize> = data.iter().map(|value| bucket_of(value, splitters, &compare)).collect();
    let mut counts = vec![0u64; splitters.len() + 1];
    let mut ranks = Vec::with_capacity(data.len());
    for &bucket in &buckets {
        ranks.push(counts[bucket]);
        counts[bucket] += 1;
    }
    let mut total = 0;
    let offsets: Vec<u64> = counts
        .iter()
        .map(|count| {
            total += count;
            total - count
        })
        .collect();
    let mut scattered = data.to_vec();
    for ((value, &bucket), rank) in data.iter().zip(&buckets).zip(&ranks) {
        scattered[(offsets[bucket] + rank) as usize] = value.clone();
    }
    let mut sorted = scattered.clone();
    for (&begin, &count) in offsets.iter().zip(&counts) {
        sorted[begin as usize..(begin + count) as usize].sort_by(&compare);
    }
    SampleSortTrace {
        buckets: buckets.into_iter().map(|bucket| bucket as u32).collect(),
        ranks,
        counts,
        offsets,
        scattered,
        sorted,
    }
}
