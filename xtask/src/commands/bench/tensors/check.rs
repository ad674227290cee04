//! Whether the results are right: proofs in one parallel walk over input and result. None of it sorts.
use std::cmp::Ordering;
use std::ops::Range;

use gridsort::Key;
use rayon::prelude::*;

use super::super::keys::{mix, word};
use crate::Error;

/// Keys of a row that one task looks at: rows may be few and long.
const PIECE: usize = 1 << 16;

/// Parts of an array that are sorted each for itself.
#[derive(Clone, Copy, Debug)]
pub(super) enum Parts<'a> {
    /// So many, of so many elements each.
    Rows(usize, usize),
    /// From each offset to the next.
    Offsets(&'a [u64]),
}

impl Parts<'_> {
    fn count(self) -> usize {
        match self {
            Parts::Rows(rows, _) => rows,
            Parts::Offsets(offsets) => offsets.len().saturating_sub(1),
        }
    }

    fn range(self, part: usize) -> Range<usize> {
        match self {
            Parts::Rows(_, columns) => part * columns..(part + 1) * columns,
            Parts::Offsets(offsets) => offsets[part] as usize..offsets[part + 1] as usize,
        }
    }

    /// The first fault that any part has.
    fn each(self, fault: impl Fn(usize) -> Option<String> + Sync) -> Result<(), Error> {
        match (0..self.count()).into_par_iter().find_map_first(|part| Some((part, fault(part)?))) {
            Some((part, fault)) => Err(Error::msg(format!("the result is wrong: part {part}: {fault}"))),
            None => Ok(()),
        }
    }
}

/// A number that every order of the same keys has in common, and other keys hardly ever.
fn fingerprint(keys: &[f32]) -> u64 {
    let sum = |keys: &[f32]| keys.iter().fold(0_u64, |sum, &key| sum.wrapping_add(mix(word(key))));
    keys.par_chunks(PIECE).map(sum).reduce(|| 0, u64::wrapping_add)
}

/// Each part in order, with the keys that it had.
pub(super) fn sorted(input: &[f32], result: &[f32], parts: Parts) -> Result<(), Error> {
    parts.each(|part| {
        let (input, result) = (&input[parts.range(part)], &result[parts.range(part)]);
        let falls = |i: usize| result[i - 1].order(&result[i]).is_gt();
        if let Some(i) = (1..result.len()).into_par_iter().with_min_len(PIECE).find_first(|&i| falls(i)) {
            return Some(format!("position {i} holds {:?} after {:?}", result[i], result[i - 1]));
        }
        (fingerprint(input) != fingerprint(result)).then(|| "its keys are not those of the input".to_string())
    })
}

/// The stable order of each row: each index names a key that is not before the last one's, and of equal keys the later.
/// That also makes the indices different from each other, so that none is lost.
pub(super) fn order(input: &[f32], order: &[u32], rows: usize, columns: usize) -> Result<(), Error> {
    let parts = Parts::Rows(rows, columns);
    parts.each(|row| {
        let (input, order) = (&input[parts.range(row)], &order[parts.range(row)]);
        let fits = |i: usize| (order[i] as usize) < input.len();
        let fault = |i: usize| !fits(i) || (i > 0 && !before(input, order[i - 1] as usize, order[i] as usize, false));
        let fault = (0..order.len()).into_par_iter().with_min_len(PIECE).find_first(|&i| fault(i));
        fault.map(|i| format!("position {i} holds the index {}", order[i]))
    })
}

/// Whether a position comes before another in the stable order. False where one is out of range.
fn before(keys: &[f32], a: usize, b: usize, descending: bool) -> bool {
    let (Some(x), Some(y)) = (keys.get(a), keys.get(b)) else { return false };
    let order = if descending { y.order(x) } else { x.order(y) };
    match order {
        Ordering::Less => true,
        Ordering::Equal => a < b,
        Ordering::Greater => false,
    }
}

/// The `k` largest of each row, largest first, of equal ones the first: they are in that order, and as many keys come no
/// later than the last of them as there are.
pub(super) fn top_k(
    input: &[f32],
    values: &[f32],
    indices: &[u32],
    rows: usize,
    columns: usize,
    k: usize,
) -> Result<(), Error> {
    Parts::Rows(rows, columns).each(|row| {
        let input = &input[row * columns..][..columns];
        let (values, indices) = (&values[row * k..][..k], &indices[row * k..][..k]);
        let at = |i: usize| indices[i] as usize;
        let fault = |i: usize| {
            let taken = input.get(at(i)).is_some_and(|&key| word(key) == word(values[i]));
            !taken || (i > 0 && !before(input, at(i - 1), at(i), true))
        };
        if let Some(i) = (0..k).find(|&i| fault(i)) {
            return Some(format!("result {i} is {:?} with the index {}", values[i], at(i)));
        }
        let last = at(k.checked_sub(1)?);
        let no_later = |i: usize| i == last || before(input, i, last, true);
        let found = (0..columns).into_par_iter().with_min_len(PIECE).filter(|&i| no_later(i)).count();
        (found != k).then(|| format!("{found} keys are as large as the least of {k}"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_rows_and_segments_are_found() {
        let input = [3.0, 1.0, 2.0, 5.0, 4.0, 0.0];
        let rows = Parts::Rows(2, 3);
        assert!(sorted(&input, &[1.0, 2.0, 3.0, 0.0, 4.0, 5.0], rows).is_ok());
        assert!(sorted(&input, &[1.0, 3.0, 2.0, 0.0, 4.0, 5.0], rows).is_err());
        assert!(sorted(&input, &[0.0, 1.0, 2.0, 3.0, 4.0, 5.0], rows).is_err(), "keys of another row");
        let parts = Parts::Offsets(&[0, 2, 2, 6]);
        assert!(sorted(&input, &[1.0, 3.0, 0.0, 2.0, 4.0, 5.0], parts).is_ok());
        assert!(sorted(&input, &[1.0, 3.0, 0.0, 2.0, 5.0, 4.0], parts).is_err());
        assert!(sorted(&[0.0, -0.0], &[0.0, -0.0], Parts::Rows(1, 2)).is_err(), "zeros have an order");
    }

    #[test]
    fn faults_of_orders_are_found() {
        let input = [2.0, 1.0, 2.0, 7.0, 7.0, 6.0];
        assert!(order(&input, &[1, 0, 2, 2, 0, 1], 2, 3).is_ok());
        for wrong in [[1, 2, 0, 2, 0, 1], [1, 0, 0, 2, 0, 1], [1, 0, 2, 2, 0, 3], [4, 0, 2, 2, 0, 1]] {
            assert!(order(&input, &wrong, 2, 3).is_err(), "{wrong:?}");
        }
        assert!(order(&[1.0], &[9], 1, 1).is_err());
    }

    #[test]
    fn faults_of_selections_are_found() {
        let input = [2.0, 9.0, 9.0, 1.0, 9.0, 5.0];
        let right = |values: &[f32], indices: &[u32]| top_k(&input, values, indices, 1, 6, values.len()).is_ok();
        assert!(right(&[9.0, 9.0], &[1, 2]));
        assert!(right(&[9.0, 9.0, 9.0, 5.0], &[1, 2, 4, 5]));
        assert!(right(&[], &[]));
        assert!(!right(&[9.0, 9.0], &[2, 1]), "out of order");
        assert!(!right(&[9.0, 9.0], &[1, 4]), "not the first of equal ones");
        assert!(!right(&[9.0, 5.0], &[1, 5]), "some are missing");
        assert!(!right(&[9.0, 8.0], &[1, 2]), "another value");
        assert!(!right(&[9.0], &[7]), "out of range");
    }
}
