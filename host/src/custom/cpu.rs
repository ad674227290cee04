//! Sorting on the CPU by an order of the user's own: rayon's stable sorts, which take any order there is.
use super::{OrderedKey, compare};
use crate::error::Result;
use crate::key::Payload;
use crate::sort::Position;
use crate::sort::cpu::{argsort_by, sort_pairs_by};
use rayon::prelude::*;

/// Sorts keys, stably: keys that are equal in this order may differ.
pub(super) fn sort<K: OrderedKey>(keys: &mut [K]) {
    keys.par_sort_by(compare);
}

/// Sorts keys with their payloads, stably.
pub(super) fn sort_pairs<K: OrderedKey, P: Payload>(keys: &mut [K], payloads: &mut [P]) -> Result<()> {
    sort_pairs_by(keys, payloads, compare)
}

/// Writes the stable order of keys to `order`.
pub(super) fn argsort<K: OrderedKey, P: Position>(keys: &[K], order: &mut [P]) -> Result<()> {
    argsort_by(keys, order, compare)
}
