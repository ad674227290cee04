//! Segments on the CPU, by rayon: a segment is a task.
use super::offsets::first_bad;
use crate::error::Result;
use crate::key::{Key, Payload, compare};
use crate::options::Direction;
use crate::sort::Position;
use crate::sort::cpu::reserved;
use rayon::prelude::*;

/// Cuts segments out of an array: none where one is not what it should be.
fn cut<'a, T>(mut data: &'a mut [T], segments: &[(u64, u64)]) -> Vec<&'a mut [T]> {
    if first_bad(segments.iter().copied(), data.len() as u64).is_some() {
        return Vec::new();
    }
    let mut at = 0;
    let mut found = Vec::with_capacity(segments.len());
    for &(begin, end) in segments {
        let (segment, rest) = data.split_at_mut((end - at) as usize);
        found.push(&mut segment[(begin - at) as usize..]);
        (data, at) = (rest, end);
    }
    found
}

/// Sorts each segment.
pub(super) fn sort<K: Key>(keys: &mut [K], segments: &[(u64, u64)], direction: Direction) {
    cut(keys, segments).into_par_iter().for_each(|segment| segment.sort_unstable_by(compare(direction)));
}

/// Sorts each segment with its payloads, stably.
pub(super) fn sort_pairs<K: Key, P: Payload>(
    keys: &mut [K],
    payloads: &mut [P],
    segments: &[(u64, u64)],
    direction: Direction,
) -> Result<()> {
    let by_key = compare(direction);
    let both = cut(keys, segments).into_par_iter().zip(cut(payloads, segments));
    both.try_for_each(|(keys, payloads)| {
        let mut pairs: Vec<(K, P)> = reserved(keys.len())?;
        pairs.extend(keys.iter().copied().zip(payloads.iter().copied()));
        pairs.sort_by(|x, y| by_key(&x.0, &y.0));
        for ((key, payload), pair) in keys.iter_mut().zip(payloads.iter_mut()).zip(pairs) {
            (*key, *payload) = pair;
        }
        Ok(())
    })
}

/// Writes the stable order of each segment to the segment's place in `order`.
pub(super) fn argsort<K: Key, P: Position>(keys: &[K], order: &mut [P], segments: &[(u64, u64)], direction: Direction) {
    let by_key = compare(direction);
    cut(order, segments).into_par_iter().zip(segments).for_each(|(order, &(begin, _))| {
        if order.is_empty() {
            return;
        }
        let keys = &keys[begin as usize..][..order.len()];
        for (place, position) in order.iter_mut().zip(0..) {
            *place = P::from_index(position);
        }
        order.sort_unstable_by(|x, y| by_key(&keys[x.index()], &keys[y.index()]).then(x.cmp(y)));
    });
}
