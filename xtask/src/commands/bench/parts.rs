//! What the parts are like that a merge of many merges.
use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use clap::ValueEnum;
use gridsort::Key;
use rayon::prelude::*;

use super::keys::{mix, word};

/// What parts are like, beside those of a length each whose keys are the input's as they come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Parts {
    /// One has half of all keys, each of the others two thirds of the one before it
    Lopsided,
    /// Every second one has no keys
    HalfEmpty,
    /// All keys are equal
    AllEqual,
    /// The keys have five values
    FiveValues,
    /// Each has a range of its own, that of the last one first
    Ranges,
}

/// Different keys among five.
const FIVE: usize = 5;

impl Parts {
    /// All of them.
    pub const ALL: [Parts; 5] = [Parts::Lopsided, Parts::HalfEmpty, Parts::AllEqual, Parts::FiveValues, Parts::Ranges];
}

impl fmt::Display for Parts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Parts::Lopsided => "lopsided",
            Parts::HalfEmpty => "half-empty",
            Parts::AllEqual => "all-equal",
            Parts::FiveValues => "five-values",
            Parts::Ranges => "ranges",
        })
    }
}

/// A kind of parts, or `all` of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AskedParts(pub(super) Vec<Parts>);

impl FromStr for AskedParts {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if text == "all" {
            return Ok(AskedParts(Parts::ALL.to_vec()));
        }
        let named = <Parts as ValueEnum>::from_str(text, false);
        let names = || Parts::ALL.map(|parts| parts.to_string()).join(", ");
        named.map(|one| AskedParts(vec![one])).map_err(|_| format!("expected all, or some of {}", names()))
    }
}

/// The input's keys as `k` sorted parts, one behind the other, and where each of them is. Fewer parts where there are
/// fewer keys.
pub(super) fn arrange<K: Key>(input: &[K], parts: Option<Parts>, k: usize) -> (Vec<K>, Vec<Range<usize>>) {
    let mut keys = input.to_vec();
    let lengths = lengths(keys.len(), parts, k);
    match parts {
        Some(Parts::AllEqual) => {
            let first = keys.first().copied();
            keys.iter_mut().zip(first.into_iter().cycle()).for_each(|(key, first)| *key = first);
        }
        Some(Parts::FiveValues) => {
            // The value that a key becomes hangs on its bits, and each is the input's.
            let value = |key: K| input[mix(word(key)) as usize % FIVE * input.len() / FIVE];
            keys.par_iter_mut().for_each(|key| *key = value(*key));
        }
        Some(Parts::Ranges) => {
            keys.par_sort_unstable_by(K::order);
            // The order of parts is turned around, of the keys in them it is not.
            keys.reverse();
        }
        Some(Parts::Lopsided | Parts::HalfEmpty) | None => {}
    }
    let mut rest = &mut keys[..];
    let mut slices = Vec::with_capacity(lengths.len());
    for &len in &lengths {
        let (part, others) = rest.split_at_mut(len);
        slices.push(part);
        rest = others;
    }
    slices.into_par_iter().for_each(|part| part.sort_unstable_by(K::order));
    let mut end = 0;
    let range = |len: usize| {
        end += len;
        end - len..end
    };
    (keys, lengths.into_iter().map(range).collect())
}

/// Lengths of `k` parts, `n` in all.
fn lengths(n: usize, parts: Option<Parts>, k: usize) -> Vec<usize> {
    match parts {
        Some(Parts::Lopsided) => lopsided(n, k),
        Some(Parts::HalfEmpty) => even(n, k / 2).into_iter().flat_map(|len| [len, 0]).collect(),
        _ => even(n, k),
    }
}

/// Of equal lengths, but for the last one.
fn even(n: usize, k: usize) -> Vec<usize> {
    let part = n.div_ceil(k.max(1)).max(1);
    (0..n).step_by(part).map(|start| part.min(n - start)).collect()
}

/// One of half of all, the others falling; the longest in the middle of them, so that it has short neighbours.
fn lopsided(n: usize, k: usize) -> Vec<usize> {
    let mut lengths = vec![n / 2];
    let mut left = n - n / 2;
    // The weights of those that are left, (2/3)^i, sum up to 3 - 3 (2/3)^count; the first has 1.
    for count in (1..k).rev() {
        let share = 1.0 / (3.0 - 3.0 * (2.0_f64 / 3.0).powi(count as i32));
        let len = if count == 1 { left } else { ((left as f64 * share) as usize).min(left) };
        lengths.push(len);
        left -= len;
    }
    lengths.rotate_right(k / 2);
    lengths
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 1 << 12;

    fn arranged(parts: Option<Parts>, k: usize) -> (Vec<u64>, Vec<Range<usize>>) {
        let input: Vec<u64> = (1..=N as u64).map(mix).collect();
        let (keys, ranges) = arrange(&input, parts, k);
        assert_eq!(ranges.iter().map(ExactSizeIterator::len).sum::<usize>(), N, "{parts:?}");
        assert!(ranges.windows(2).all(|pair| pair[0].end == pair[1].start), "{parts:?}");
        assert!(ranges.iter().all(|range| keys[range.clone()].is_sorted()), "{parts:?}");
        (keys, ranges)
    }

    fn distinct(mut keys: Vec<u64>) -> usize {
        keys.sort_unstable();
        keys.dedup();
        keys.len()
    }

    #[test]
    fn each_is_what_its_name_says() {
        for k in [8, 16, 32] {
            let mut lopsided = lengths(1 << 20, Some(Parts::Lopsided), k);
            assert_eq!((lopsided.len(), lopsided[k / 2]), (k, 1 << 19));
            lopsided.sort_unstable_by(|a, b| b.cmp(a));
            assert!(lopsided[k - 1] > 0, "{lopsided:?}");
            // Of the last few, whole numbers are no longer two thirds of each other.
            let falls = |pair: &[usize]| (pair[1] as f64 / pair[0] as f64 - 2.0 / 3.0).abs() < 0.01;
            assert!(lopsided[1..k - 8.min(k / 2)].windows(2).all(falls), "{lopsided:?}");

            let lengths = |parts| arranged(parts, k).1.iter().map(ExactSizeIterator::len).collect::<Vec<usize>>();
            assert_eq!(lengths(None), vec![N / k; k]);
            let empty = lengths(Some(Parts::HalfEmpty));
            assert_eq!((empty.len(), empty.iter().filter(|&&len| len == 0).count()), (k, k / 2));
            assert_eq!(lengths(Some(Parts::Ranges)), vec![N / k; k]);

            assert_eq!(distinct(arranged(None, k).0), N);
            assert_eq!(distinct(arranged(Some(Parts::AllEqual), k).0), 1);
            assert_eq!(distinct(arranged(Some(Parts::FiveValues), k).0), FIVE);
            arranged(Some(Parts::Lopsided), k);
            let (keys, ranges) = arranged(Some(Parts::Ranges), k);
            assert!(ranges.windows(2).all(|pair| keys[pair[0].start] > keys[pair[1].end - 1]));
            assert_eq!(distinct(keys), N);
        }
    }

    #[test]
    fn small_inputs_have_fewer_parts() {
        for parts in Parts::ALL.map(Some).into_iter().chain([None]) {
            for n in [0, 1, 2, 7, 40] {
                let input: Vec<u32> = (0..n).collect();
                let (keys, ranges) = arrange(&input, parts, 16);
                assert_eq!(keys.len(), n as usize);
                assert_eq!(ranges.iter().map(ExactSizeIterator::len).sum::<usize>(), n as usize, "{parts:?} {n}");
                assert!(ranges.len() <= 16);
            }
        }
    }

    #[test]
    fn all_kinds_or_one() {
        assert_eq!("all".parse::<AskedParts>().unwrap().0, Parts::ALL);
        assert_eq!("half-empty".parse::<AskedParts>().unwrap().0, [Parts::HalfEmpty]);
        assert!("even".parse::<AskedParts>().unwrap_err().contains("lopsided"));
    }
}
