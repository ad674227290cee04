//! Bounds and runs on the CPU, by rayon.
use super::bounds::Side;
use crate::key::Key;
use crate::sort::Index;
use rayon::prelude::*;
use std::cmp::Ordering;
use std::ops::Range;

/// Queries that one task looks up: some hundred microseconds of work.
const QUERIES: usize = 1 << 10;
/// Keys that one task looks at: a few tens of microseconds of work.
const PIECE: usize = 1 << 14;

/// Sets a position for each query. Data that is not sorted gives some positions up to its length.
pub(super) fn bounds<K: Key, I: Index>(
    data: &[K],
    queries: &[K],
    positions: &mut [I],
    side: Side,
    order: impl Fn(&K, &K) -> Ordering + Sync,
) {
    let each = positions.par_iter_mut().zip(queries).with_min_len(QUERIES);
    each.for_each(|(position, query)| {
        let bound = data.partition_point(|key| match side {
            Side::Lower => order(key, query).is_lt(),
            Side::Upper => order(key, query).is_le(),
        });
        *position = I::from_index(bound);
    });
}

/// The runs of equal keys, found piece by piece: those that begin in each.
pub(super) struct Runs<'a, K> {
    keys: &'a [K],
    pieces: Vec<Piece>,
}

/// What begins in a piece of the keys.
#[derive(Clone, Copy)]
struct Piece {
    /// Runs.
    count: usize,
    /// Where the first of them begins; the number of keys where none does.
    first: usize,
}

impl<'a, K: Key> Runs<'a, K> {
    /// Looks for them.
    pub(super) fn of(keys: &'a [K]) -> Self {
        let piece = |index| {
            let mut heads = heads(keys, index);
            let first = heads.next();
            Piece { count: usize::from(first.is_some()) + heads.count(), first: first.unwrap_or(keys.len()) }
        };
        let pieces = (0..keys.len().div_ceil(PIECE)).into_par_iter().map(piece).collect();
        Self { keys, pieces }
    }

    /// How many there are.
    pub(super) fn count(&self) -> usize {
        self.pieces.iter().map(|piece| piece.count).sum()
    }

    /// Writes the first key of each to `out`, which is as long as there are runs.
    pub(super) fn write_keys(&self, out: &mut [K]) {
        let parts = self.split(out).into_par_iter().enumerate();
        parts.for_each(|(index, part)| {
            part.iter_mut().zip(heads(self.keys, index)).for_each(|(out, head)| *out = self.keys[head]);
        });
    }

    /// Writes the length of each to `lengths`, which is as long as there are runs.
    pub(super) fn write_lengths<I: Index>(&self, lengths: &mut [I]) {
        // Where the last run of each piece ends: at the next one that begins in a later piece.
        let mut ends = vec![self.keys.len(); self.pieces.len()];
        for index in (1..ends.len()).rev() {
            let piece = self.pieces[index];
            ends[index - 1] = if piece.count > 0 { piece.first } else { ends[index] };
        }
        let parts = self.split(lengths).into_par_iter().zip(ends).enumerate();
        parts.for_each(|(index, (part, end))| {
            let mut heads = heads(self.keys, index).peekable();
            for length in part {
                let Some(head) = heads.next() else { return };
                *length = I::from_index(heads.peek().copied().unwrap_or(end) - head);
            }
        });
    }

    /// The part of an output that each piece's runs take.
    fn split<'o, T>(&self, mut out: &'o mut [T]) -> Vec<&'o mut [T]> {
        let mut parts = Vec::with_capacity(self.pieces.len());
        for piece in &self.pieces {
            let (part, rest) = out.split_at_mut(piece.count);
            parts.push(part);
            out = rest;
        }
        parts
    }
}

/// The positions in a piece at which runs begin.
fn heads<K: Key>(keys: &[K], index: usize) -> impl Iterator<Item = usize> {
    let piece: Range<usize> = index * PIECE..((index + 1) * PIECE).min(keys.len());
    piece.filter(|&at| at == 0 || keys[at - 1].order(&keys[at]).is_ne())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_may_span_pieces() {
        let n = 4 * PIECE + 7;
        let lengths = [1, 2, PIECE - 1, PIECE, PIECE + 1, 3 * PIECE, n];
        for length in lengths {
            let keys: Vec<u32> = (0..n).map(|i| (i / length) as u32).collect();
            let runs = Runs::of(&keys);
            assert_eq!(runs.count(), n.div_ceil(length));
            let (mut out, mut found) = (vec![9; runs.count()], vec![0u32; runs.count()]);
            runs.write_keys(&mut out);
            runs.write_lengths(&mut found);
            assert!(out.iter().copied().eq(0..runs.count() as u32));
            let expected: Vec<u32> = keys.chunk_by(|x, y| x == y).map(|run| run.len() as u32).collect();
            assert_eq!(found, expected, "{length}");
        }
        assert_eq!(Runs::<u8>::of(&[]).count(), 0);
    }

    #[test]
    fn many_queries_are_shared_out() {
        let data: Vec<u64> = (0..1000).map(|i| i / 3 * 2).collect();
        let queries: Vec<u64> = (0..5 * QUERIES as u64).map(|i| i * 7919 % 700).collect();
        for side in [Side::Lower, Side::Upper] {
            let mut positions = vec![0u32; queries.len()];
            bounds(&data, &queries, &mut positions, side, u64::cmp);
            for (query, &position) in queries.iter().zip(&positions) {
                let before = data.iter().filter(|&key| if side == Side::Lower { key < query } else { key <= query });
                assert_eq!(position as usize, before.count());
            }
        }
    }
}
