//! Rows on the CPU, by rayon: a row is a task.
use super::Rows;
use crate::error::Result;
use crate::key::{Key, Payload, compare};
use crate::options::Direction;
use crate::sort::Position;
use crate::sort::cpu::reserved;
use rayon::prelude::*;

/// The rows of a matrix.
pub(super) fn rows_mut<'a, T: Send>(
    data: &'a mut [T],
    rows: &Rows,
) -> impl IndexedParallelIterator<Item = &'a mut [T]> + 'a {
    let columns = rows.columns();
    data[..rows.span()].par_chunks_mut(rows.stride().max(columns).max(1)).map(move |row| &mut row[..columns])
}

/// Sorts each row.
pub(super) fn sort<K: Key>(keys: &mut [K], rows: &Rows, direction: Direction) {
    rows_mut(keys, rows).for_each(|row| row.sort_unstable_by(compare(direction)));
}

/// Sorts each row into a dense matrix.
pub(super) fn sort_into<K: Key>(keys: &[K], sorted: &mut [K], rows: &Rows, direction: Direction) {
    sorted.par_chunks_mut(rows.columns().max(1)).enumerate().for_each(|(row, sorted)| {
        sorted.copy_from_slice(&keys[row * rows.stride()..][..sorted.len()]);
        sorted.sort_unstable_by(compare(direction));
    });
}

/// Sorts each row with its payloads, stably. Fails only where there is no memory; rows are then as they were, or sorted.
pub(super) fn sort_pairs<K: Key, P: Payload>(
    keys: &mut [K],
    payloads: &mut [P],
    rows: &Rows,
    direction: Direction,
) -> Result<()> {
    let by_key = compare(direction);
    rows_mut(keys, rows).zip(rows_mut(payloads, rows)).try_for_each(|(keys, payloads)| {
        let mut pairs: Vec<(K, P)> = reserved(keys.len())?;
        pairs.extend(keys.iter().copied().zip(payloads.iter().copied()));
        pairs.sort_by(|x, y| by_key(&x.0, &y.0));
        for ((key, payload), pair) in keys.iter_mut().zip(payloads.iter_mut()).zip(pairs) {
            (*key, *payload) = pair;
        }
        Ok(())
    })
}

/// Writes the stable order of each row to a dense matrix.
pub(super) fn argsort<K: Key, P: Position>(keys: &[K], order: &mut [P], rows: &Rows, direction: Direction) {
    let (columns, by_key) = (rows.columns(), compare(direction));
    order.par_chunks_mut(columns.max(1)).enumerate().for_each(|(row, order)| {
        let keys = &keys[row * rows.stride()..][..columns];
        for (place, position) in order.iter_mut().zip(0..) {
            *place = P::from_index(position);
        }
        order.sort_unstable_by(|x, y| by_key(&keys[x.index()], &keys[y.index()]).then(x.cmp(y)));
    });
}
