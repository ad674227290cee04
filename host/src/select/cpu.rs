//! Selection on the CPU, by rayon.
use crate::key::{Key, compare};
use crate::options::Direction;
use crate::rows::Rows;
use crate::sort::Index;
use rayon::prelude::*;

/// Keys of a row that one task looks at.
const PIECE: usize = 1 << 16;

/// Writes the first `k` elements of each row, `k` at least 1.
pub(super) fn select<K: Key, I: Index>(
    keys: &[K],
    rows: &Rows,
    k: usize,
    direction: Direction,
    values: &mut [K],
    indices: &mut [I],
) {
    let results = values.par_chunks_mut(k).zip(indices.par_chunks_mut(k)).enumerate();
    results.for_each(|(row, (values, indices))| {
        let first = first_of(&keys[row * rows.stride()..][..rows.columns()], k, direction);
        for ((value, index), (key, at)) in values.iter_mut().zip(indices).zip(first) {
            (*value, *index) = (key, I::from_index(at));
        }
    });
}

/// The first `k` keys of a row, in order, with their positions.
fn first_of<K: Key>(row: &[K], k: usize, direction: Direction) -> Vec<(K, usize)> {
    let by_key = compare(direction);
    let order = |x: &(K, usize), y: &(K, usize)| by_key(&x.0, &y.0).then(x.1.cmp(&y.1));
    // Of each piece only its first k can be among the row's.
    let keep = |mut elements: Vec<(K, usize)>| {
        if k < elements.len() {
            elements.select_nth_unstable_by(k, order);
            elements.truncate(k);
        }
        elements
    };
    let pieces = row.par_chunks(PIECE.max(k)).enumerate();
    let best = pieces.map(|(i, piece)| keep(piece.iter().copied().zip(i * PIECE.max(k)..).collect()));
    let mut first = best.reduce(Vec::new, |mut a, b| {
        a.extend(b);
        keep(a)
    });
    first.par_sort_unstable_by(order);
    first
}
