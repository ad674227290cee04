//! Merging two sorted inputs into one.
pub(crate) mod cpu;
mod keys;
mod pairs;
#[cfg(test)]
mod tests;

use crate::error::{Error, Result};
use crate::key::{Key, compare};
use crate::options::Direction;

const WHAT: &str = "merge";

/// The length of the merge of two inputs.
pub(crate) fn merged_len(a: usize, b: usize) -> Result<usize> {
    let limit = usize::MAX as u64;
    a.checked_add(b).ok_or(Error::TooLarge { what: WHAT, n: limit, limit: limit - a as u64 })
}

/// Refuses inputs that are not sorted.
fn check_sorted<K: Key>(a: &[K], b: &[K], direction: Direction) -> Result<()> {
    let order = compare::<K>(direction);
    for (input, keys) in [("the first input", a), ("the second input", b)] {
        if let Some(before) = keys.windows(2).position(|pair| order(&pair[0], &pair[1]).is_gt()) {
            return Err(Error::NotSorted { input, position: before + 1 });
        }
    }
    Ok(())
}
