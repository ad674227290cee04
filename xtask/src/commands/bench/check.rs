//! Whether a result is right, found in one parallel walk over it. None of it sorts again.
use std::cmp::Ordering;

use rayon::prelude::*;

use gridsort::Key;

use super::keys::{mix, word};
use crate::Error;

/// A number that every order of the same keys has in common, and other keys hardly ever. Keys are mixed first: a plain
/// sum would not notice one key up by what another is down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    pub(super) fn of<K: Key>(keys: &[K]) -> Self {
        Fingerprint(keys.par_iter().map(|&key| mix(word(key))).reduce(|| 0, u64::wrapping_add))
    }
}

/// Sorted keys, and those of the input.
pub(super) fn keys<K: Key>(result: &[K], input: Fingerprint) -> Result<(), Error> {
    segments(result, usize::MAX, input)
}

/// Segments of so many keys, sorted each, and the keys of the input.
pub(super) fn segments<K: Key>(result: &[K], segment: usize, input: Fingerprint) -> Result<(), Error> {
    let falls = |i: usize| !i.is_multiple_of(segment) && result[i - 1].order(&result[i]).is_gt();
    let fault = (1..result.len()).into_par_iter().find_first(|&i| falls(i));
    if let Some(i) = fault {
        return Err(wrong(format!("position {i} holds {:?} after {:?}", result[i], result[i - 1])));
    }
    if Fingerprint::of(result) != input {
        return Err(wrong("its keys are not those of the input".into()));
    }
    Ok(())
}

/// The stable order of `input`: each index names a key that is not before the last one's, and of equal keys the later.
/// That also makes the indices different from each other, so that none is lost.
pub(super) fn order<K: Key, I: Copy + Into<u64> + Sync>(input: &[K], order: &[I]) -> Result<(), Error> {
    let at = |i: usize| usize::try_from(order[i].into()).unwrap_or(usize::MAX);
    if order.len() != input.len() {
        return Err(wrong(format!("{} indices for {} keys", order.len(), input.len())));
    }
    if let Some(i) = (0..order.len()).into_par_iter().find_first(|&i| at(i) >= input.len()) {
        return Err(wrong(format!("position {i} holds the index {} of {} keys", at(i), input.len())));
    }
    let in_order = |i: usize| match input[at(i - 1)].order(&input[at(i)]) {
        Ordering::Less => true,
        Ordering::Equal => at(i - 1) < at(i),
        Ordering::Greater => false,
    };
    match (1..order.len()).into_par_iter().find_first(|&i| !in_order(i)) {
        Some(i) => Err(wrong(format!("position {i} holds the index {} after {}", at(i), at(i - 1)))),
        None => Ok(()),
    }
}

/// Sorted keys, each with its index in `input` as payload, in stable order.
pub(super) fn pairs<K: Key>(input: &[K], keys: &[K], payloads: &[u32]) -> Result<(), Error> {
    order(input, payloads)?;
    let lost = |i: usize| word(input[payloads[i] as usize]) != word(keys[i]);
    match (0..keys.len()).into_par_iter().find_first(|&i| lost(i)) {
        Some(i) => Err(wrong(format!("position {i} holds {:?} with another key's payload", keys[i]))),
        None => Ok(()),
    }
}

fn wrong(what: String) -> Error {
    Error::msg(format!("the sort's result is wrong: {what}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_of_keys_are_found() {
        let input = Fingerprint::of(&[3_i32, 1, 2, -1]);
        assert!(keys(&[-1, 1, 2, 3], input).is_ok());
        assert!(keys(&[-1, 2, 1, 3], input).is_err());
        assert!(keys(&[-1, 1, 2, 2], input).is_err());
        assert!(keys(&[-2, 2, 2, 3], input).is_err(), "the same sum");
        assert!(keys::<f32>(&[], Fingerprint::of::<f32>(&[])).is_ok());
    }

    #[test]
    fn segments_are_in_order_each() {
        let input = Fingerprint::of(&[1_u8, 5, 2, 3, 0]);
        assert!(segments(&[1, 5, 2, 3, 0], 2, input).is_ok());
        assert!(segments(&[1, 5, 3, 2, 0], 2, input).is_err());
        assert!(segments(&[1, 5, 2, 3, 0], 4, input).is_err());
    }

    #[test]
    fn faults_of_orders_are_found() {
        let input = [2_u64, 1, 2, 0];
        assert!(order(&input, &[3_u32, 1, 0, 2]).is_ok());
        assert!(order(&input, &[3_u32, 1, 2, 0]).is_err(), "not stable");
        assert!(order(&input, &[3_u32, 1, 0, 0]).is_err(), "one twice");
        assert!(order(&input, &[3_u64, 1, 0, 4]).is_err(), "out of bounds");
        assert!(order(&input, &[3_u64, 1, 0]).is_err(), "too few");
    }

    #[test]
    fn faults_of_pairs_are_found() {
        let input = [2.0_f32, 1.0, -0.0];
        assert!(pairs(&input, &[-0.0, 1.0, 2.0], &[2, 1, 0]).is_ok());
        assert!(pairs(&input, &[0.0, 1.0, 2.0], &[2, 1, 0]).is_err(), "another zero");
    }
}
