//! Sorting on the CPU by an order of the user's own, which need be none.
use super::OrderedKey;
use super::stable::stable_sort;
use crate::error::Result;
use crate::key::Payload;
use crate::sort::Position;
use crate::sort::cpu::{argsort_with, sort_pairs_with};

/// Sorts keys, stably: keys that are equal in this order may differ.
pub(super) fn sort<K: OrderedKey>(keys: &mut [K]) -> Result<()> {
    stable_sort(keys, |x, y| x.before(*y))
}

/// Sorts keys with their payloads, stably.
pub(super) fn sort_pairs<K: OrderedKey, P: Payload>(keys: &mut [K], payloads: &mut [P]) -> Result<()> {
    sort_pairs_with(keys, payloads, |pairs| stable_sort(pairs, |x, y| x.0.before(y.0)))
}

/// Writes the stable order of keys to `order`.
pub(super) fn argsort<K: OrderedKey, P: Position>(keys: &[K], order: &mut [P]) -> Result<()> {
    argsort_with(keys, order, |pairs| stable_sort(pairs, |x, y| x.0.before(y.0)))
}
