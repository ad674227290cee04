//! The textbook algorithms on the host: one thread, no tricks, for any order.
//!
//! They are what the kernels are held against, and what explains them. Each takes the order as a closure, so that
//! values can carry a tag that the order does not see, which is how stability is tested.
//!
//! ```
//! use gridsort::reference;
//!
//! let (a, b) = ([1, 3, 6, 8], [2, 4, 5, 7]);
//! assert_eq!(reference::co_rank(3, &a, &b, i32::cmp), (2, 1));
//! assert_eq!(reference::merge(&a, &b, i32::cmp), [1, 2, 3, 4, 5, 6, 7, 8]);
//! ```
use std::cmp::Ordering;

mod sample;

pub use sample::{SampleSortTrace, bucket_of, sample_sort};

/// Merges two sorted runs: the smaller front element first, `a`'s on a tie, so the merge is stable.
///
/// ```
/// let merged = gridsort::reference::merge(&[1, 4], &[2, 3, 9], i32::cmp);
/// assert_eq!(merged, [1, 2, 3, 4, 9]);
/// ```
pub fn merge<T: Clone>(a: &[T], b: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let mut out = Vec::with_capacity(a.len() + b.len());
    extend_merged(&mut out, a, b, &compare);
    out
}

fn extend_merged<T: Clone>(out: &mut Vec<T>, a: &[T], b: &[T], compare: &impl Fn(&T, &T) -> Ordering) {
    let (mut a, mut b) = (a, b);
    while let ([x, a_rest @ ..], [y, b_rest @ ..]) = (a, b) {
        if compare(x, y).is_le() {
            out.push(x.clone());
            a = a_rest;
        } else {
            out.push(y.clone());
            b = b_rest;
        }
    }
    out.extend_from_slice(a);
    out.extend_from_slice(b);
}

/// Where output position `k` cuts two sorted runs: `(i, j)` with `i + j = k`, such that the first `k` elements of the
/// stable merge are `a[..i]` and `b[..j]`.
///
/// The search is strict on one side: it asks for `a[i - 1] <= b[j]` and `b[j - 1] < a[i]`. Exactly one pair meets
/// both, ties or none, so neighbouring cuts always fit together. A `k` past the end counts as the end.
///
/// ```
/// use gridsort::reference::co_rank;
///
/// // Of the equal keys, the ones of the first run come first.
/// assert_eq!(co_rank(2, &[0, 1, 2, 2], &[1, 1], i32::cmp), (2, 0));
/// ```
pub fn co_rank<T>(k: usize, a: &[T], b: &[T], compare: impl Fn(&T, &T) -> Ordering) -> (usize, usize) {
    let k = k.min(a.len() + b.len());
    let (mut low, mut high) = (k.saturating_sub(b.len()), k.min(a.len()));
    while low < high {
        let i = low + (high - low) / 2;
        // Not past b's front: i < high <= k, and i >= k - b.len().
        if compare(&a[i], &b[k - 1 - i]).is_le() {
            low = i + 1;
        } else {
            high = i;
        }
    }
    (low, k - low)
}

/// The chapter's own co-rank search, which accepts the first pair that it meets with `a[i - 1] <= b[j]` and
/// `b[j - 1] <= a[i]`.
///
/// Under ties several pairs meet both, and the one found depends on where the search came from. Merged *values* are
/// right all the same, but cuts of neighbouring positions need not fit together: with payloads, one would be lost and
/// another doubled. Kept to show just that; use [`co_rank`].
///
/// ```
/// use gridsort::reference::loose_co_rank;
///
/// // One of each, though the stable answer takes both from the first run.
/// assert_eq!(loose_co_rank(2, &[0, 1, 2, 2], &[1, 1], i32::cmp), (1, 1));
/// ```
pub fn loose_co_rank<T>(k: usize, a: &[T], b: &[T], compare: impl Fn(&T, &T) -> Ordering) -> (usize, usize) {
    let k = k.min(a.len() + b.len());
    let (mut low, mut high) = (k.saturating_sub(b.len()), k.min(a.len()));
    while low < high {
        let i = low + (high - low).div_ceil(2);
        let j = k - i;
        if j > 0 && i < a.len() && compare(&a[i], &b[j - 1]).is_lt() {
            low = i;
        } else if j < b.len() && compare(&a[i - 1], &b[j]).is_gt() {
            // i > low >= 0, so a[i - 1] is there.
            high = i - 1;
        } else {
            low = i;
            break;
        }
    }
    (low, k - low)
}

/// Merges two sorted runs as one thread for each output position does: every position finds its own cut and takes the
/// smaller of the two elements behind it.
///
/// ```
/// use gridsort::reference::{merge, merge_by_co_rank};
///
/// let (a, b) = ([1, 3, 6, 8], [2, 4, 5, 7]);
/// assert_eq!(merge_by_co_rank(&a, &b, i32::cmp), merge(&a, &b, i32::cmp));
/// ```
pub fn merge_by_co_rank<T: Clone>(a: &[T], b: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    (0..a.len() + b.len()).map(|k| at_output(k, a, b, &compare).clone()).collect()
}

/// The element at output position `k < a.len() + b.len()` of the merge.
pub(crate) fn at_output<'a, T>(k: usize, a: &'a [T], b: &'a [T], compare: &impl Fn(&T, &T) -> Ordering) -> &'a T {
    let (i, j) = co_rank(k, a, b, compare);
    match (a.get(i), b.get(j)) {
        (Some(x), Some(y)) if compare(x, y).is_gt() => y,
        (Some(x), _) => x,
        // Only one run can be exhausted before the last position.
        (None, _) => &b[j],
    }
}

/// One pass of the bottom-up merge sort: neighbouring runs of `width` elements become runs of twice that. A width of
/// 0 counts as 1.
///
/// ```
/// let next = gridsort::reference::merge_pass(&[5, 2, 8, 1], 1, i32::cmp);
/// assert_eq!(next, [2, 5, 1, 8]);
/// ```
pub fn merge_pass<T: Clone>(data: &[T], width: usize, compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    let width = width.max(1);
    let mut out = Vec::with_capacity(data.len());
    for pair in data.chunks(width.saturating_mul(2)) {
        let (left, right) = pair.split_at(width.min(pair.len()));
        extend_merged(&mut out, left, right, &compare);
    }
    out
}

/// The pair of runs that an output position of a pass belongs to: the positions where the left run begins, where the
/// right one begins and where that ends.
///
/// ```
/// use gridsort::reference::pair_of;
///
/// assert_eq!(pair_of(5, 8, 2), (4, 6, 8));
/// assert_eq!(pair_of(4, 5, 2), (4, 5, 5)); // no right run is left
/// ```
pub fn pair_of(position: usize, n: usize, width: usize) -> (usize, usize, usize) {
    let width = width.max(1);
    let begin = match width.checked_mul(2) {
        Some(pair) => position / pair * pair,
        None => 0,
    };
    let middle = begin.saturating_add(width).min(n);
    (begin.min(n), middle, middle.saturating_add(width).min(n))
}

/// Sorts by bottom-up merge sort: runs of one element, merged in pairs until one run is left. Stable.
///
/// ```
/// let sorted = gridsort::reference::merge_sort(&[5, 2, 8, 1, 9, 3, 7, 4], i32::cmp);
/// assert_eq!(sorted, [1, 2, 3, 4, 5, 7, 8, 9]);
/// ```
pub fn merge_sort<T: Clone>(data: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Vec<T> {
    merge_sort_passes(data, compare).pop().map_or_else(|| data.to_vec(), |(_, sorted)| sorted)
}

/// The passes of the bottom-up merge sort: for each, the width of the runs it merged and the data after it. Fewer than
/// two elements need no pass.
///
/// ```
/// let passes = gridsort::reference::merge_sort_passes(&[3, 2, 1], i32::cmp);
/// assert_eq!(passes, [(1, vec![2, 3, 1]), (2, vec![1, 2, 3])]);
/// ```
pub fn merge_sort_passes<T: Clone>(data: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Vec<(usize, Vec<T>)> {
    let mut passes: Vec<(usize, Vec<T>)> = Vec::new();
    let mut width = 1;
    while width < data.len() {
        let before = passes.last().map_or(data, |(_, after)| after);
        let after = merge_pass(before, width, &compare);
        passes.push((width, after));
        width = width.saturating_mul(2);
    }
    passes
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: [i32; 4] = [1, 3, 6, 8];
    const B: [i32; 4] = [2, 4, 5, 7];

    #[test]
    fn the_chapters_merge() {
        assert_eq!(merge(&A, &B, i32::cmp), [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(merge_by_co_rank(&A, &B, i32::cmp), [1, 2, 3, 4, 5, 6, 7, 8]);
    }

    #[test]
    fn the_chapters_co_ranks() {
        let expected = [(0, 0), (1, 0), (1, 1), (2, 1), (2, 2), (2, 3), (3, 3), (3, 4)];
        for (k, cut) in expected.into_iter().enumerate() {
            assert_eq!(co_rank(k, &A, &B, i32::cmp), cut, "k = {k}");
            assert_eq!(loose_co_rank(k, &A, &B, i32::cmp), cut, "k = {k}, the chapter's search");
        }
        assert_eq!(co_rank(8, &A, &B, i32::cmp), (4, 4));
        assert_eq!(co_rank(99, &A, &B, i32::cmp), (4, 4));
    }

    #[test]
    fn the_chapters_three_passes() {
        let passes = merge_sort_passes(&[5, 2, 8, 1, 9, 3, 7, 4], i32::cmp);
        assert_eq!(
            passes,
            [(1, vec![2, 5, 1, 8, 3, 9, 4, 7]), (2, vec![1, 2, 5, 8, 3, 4, 7, 9]), (4, vec![1, 2, 3, 4, 5, 7, 8, 9]),]
        );
    }

    #[test]
    fn the_chapters_pair_of_position_five() {
        assert_eq!(pair_of(5, 8, 2), (4, 6, 8));
        assert_eq!(pair_of(0, 0, 2), (0, 0, 0));
        assert_eq!(pair_of(7, 8, usize::MAX), (0, 8, 8));
    }

    #[test]
    fn the_chapters_search_is_not_stable_under_ties() {
        let (a, b) = ([0, 1, 2, 2], [1, 1]);
        assert_eq!(loose_co_rank(2, &a, &b, i32::cmp), (1, 1));
        assert_eq!(co_rank(2, &a, &b, i32::cmp), (2, 0));
    }

    /// Every pair of short runs over three values: the cuts are those of the sequential stable merge, so each one
    /// is one element further than the one before and no payload is lost or doubled.
    #[test]
    fn the_strict_search_follows_the_stable_merge() {
        let by_key = |x: &(i32, usize), y: &(i32, usize)| x.0.cmp(&y.0);
        let runs: Vec<Vec<i32>> = (0..5usize)
            .flat_map(|len| (0..3i32.pow(len as u32)).map(move |code| (len, code)))
            .map(|(len, code)| (0..len).map(|digit| code / 3i32.pow(digit as u32) % 3).collect::<Vec<_>>())
            .filter(|run| run.is_sorted())
            .collect();
        for a in &runs {
            for b in &runs {
                let a: Vec<_> = a.iter().enumerate().map(|(i, &v)| (v, i)).collect();
                let b: Vec<_> = b.iter().enumerate().map(|(j, &v)| (v, 100 + j)).collect();
                let merged = merge(&a, &b, by_key);
                for k in 0..=merged.len() {
                    let (i, j) = co_rank(k, &a, &b, by_key);
                    let from_a = merged[..k].iter().filter(|&&(_, tag)| tag < 100).count();
                    assert_eq!((i, j), (from_a, k - from_a), "{a:?} {b:?} k = {k}");
                }
                assert_eq!(merge_by_co_rank(&a, &b, by_key), merged);
            }
        }
    }

    #[test]
    fn the_sort_is_stable() {
        let data: Vec<(u32, usize)> = (0..57).map(|i| ((i as u32 * 7) % 4, i)).collect();
        let mut expected = data.clone();
        expected.sort_by_key(|&(key, _)| key);
        assert_eq!(merge_sort(&data, |x, y| x.0.cmp(&y.0)), expected);
    }

    #[test]
    fn nothing_and_one() {
        assert_eq!(merge_sort(&[] as &[i32], i32::cmp), []);
        assert_eq!(merge_sort(&[7], i32::cmp), [7]);
        assert_eq!(merge_pass(&[2, 1], 0, i32::cmp), [1, 2]);
        assert_eq!(merge(&[], &[1], i32::cmp), [1]);
    }
}
