//! Sorting on the CPU, by rayon.
use super::argsort::Position;
use crate::error::{Error, Result};
use crate::key::{Key, Payload, compare};
use crate::options::Direction;
use bytemuck::Pod;
use rayon::prelude::*;

/// Sorts keys. The order is total on their bits, so it does not matter that equal keys may change places.
pub(super) fn sort<K: Key>(keys: &mut [K], direction: Direction) {
    keys.par_sort_unstable_by(compare(direction));
}

/// Sorts keys with their payloads, stably. Fails only where there is no memory, and then before anything is moved.
pub(super) fn sort_pairs<K: Key, P: Payload>(keys: &mut [K], payloads: &mut [P], direction: Direction) -> Result<()> {
    let order = compare(direction);
    sort_pairs_with(keys, payloads, |pairs| {
        pairs.par_sort_by(|x, y| order(&x.0, &y.0));
        Ok(())
    })
}

/// [`sort_pairs`] by a stable sort of both together.
pub(crate) fn sort_pairs_with<K: Pod + Send + Sync, P: Payload>(
    keys: &mut [K],
    payloads: &mut [P],
    sort: impl FnOnce(&mut [(K, P)]) -> Result<()>,
) -> Result<()> {
    let mut pairs: Vec<(K, P)> = reserved(keys.len())?;
    keys.par_iter().copied().zip(payloads.par_iter().copied()).collect_into_vec(&mut pairs);
    sort(&mut pairs)?;
    let places = keys.par_iter_mut().zip(payloads.par_iter_mut());
    places.zip(&pairs).for_each(|((key, payload), pair)| (*key, *payload) = *pair);
    Ok(())
}

/// Writes the stable order of keys to `order`. Positions break ties, so a sort in place is stable.
pub(super) fn argsort<K: Key, P: Position>(keys: &[K], order: &mut [P], direction: Direction) -> Result<()> {
    let by_key = compare(direction);
    argsort_with(keys, order, |pairs| {
        pairs.par_sort_unstable_by(|x, y| by_key(&x.0, &y.0).then(x.1.cmp(&y.1)));
        Ok(())
    })
}

/// [`argsort`] by a stable sort of keys with their positions.
pub(crate) fn argsort_with<K: Pod + Send + Sync, P: Position>(
    keys: &[K],
    order: &mut [P],
    sort: impl FnOnce(&mut [(K, P)]) -> Result<()>,
) -> Result<()> {
    let mut pairs: Vec<(K, P)> = reserved(keys.len())?;
    keys.par_iter().copied().enumerate().map(|(i, key)| (key, P::from_index(i))).collect_into_vec(&mut pairs);
    sort(&mut pairs)?;
    order.par_iter_mut().zip(&pairs).for_each(|(place, pair)| *place = pair.1);
    Ok(())
}

/// An empty vector with room for `len` elements.
pub(crate) fn reserved<T>(len: usize) -> Result<Vec<T>> {
    let mut vec = Vec::new();
    vec.try_reserve_exact(len).map_err(|_| Error::OutOfMemory {
        device: "CPU".into(),
        needed: (len as u64).saturating_mul(size_of::<T>() as u64),
        free: None,
    })?;
    Ok(vec)
}
