//! Whether a result is right, found in one parallel walk over it. None of it sorts again.
use std::cmp::Ordering;

use rayon::prelude::*;

use crate::Error;
use crate::format::FileKey;

/// A number that every order of the same keys has in common, and other keys hardly ever.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Fingerprint(u64);

impl Fingerprint {
    pub(super) fn of<K: FileKey>(keys: &[K]) -> Self {
        Fingerprint(keys.par_iter().map(|&key| mix(bits(key))).reduce(|| 0, u64::wrapping_add))
    }
}

/// A key's bits, widened.
fn bits<K: FileKey>(key: K) -> u64 {
    let mut word = [0; 8];
    let bytes = bytemuck::bytes_of(&key);
    word[..bytes.len()].copy_from_slice(bytes);
    u64::from_le_bytes(word)
}

/// The last step of the SplitMix64 generator, a bijection of well mixed bits: a plain sum of keys would not notice one
/// key up by what another is down.
fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Sorted keys, and those of the input.
pub(super) fn keys<K: FileKey>(result: &[K], input: Fingerprint) -> Result<(), Error> {
    let fault = (1..result.len()).into_par_iter().find_first(|&i| result[i - 1].order(&result[i]).is_gt());
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
pub(super) fn order<K: FileKey, I: Copy + Into<u64> + Sync>(input: &[K], order: &[I]) -> Result<(), Error> {
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
pub(super) fn pairs<K: FileKey>(input: &[K], keys: &[K], payloads: &[u32]) -> Result<(), Error> {
    order(input, payloads)?;
    let lost = |i: usize| bits(input[payloads[i] as usize]) != bits(keys[i]);
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
