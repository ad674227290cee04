//! Merging on the CPU: halved by co-rank until a piece is small, then element by element.
use crate::reference::co_rank;
use std::cmp::Ordering;

/// Outputs below which a piece is not split any further: a few tens of microseconds of work.
const PIECE: usize = 1 << 14;

/// Merges keys alone. The output is as long as both inputs.
pub(crate) fn merge_keys<K: Copy + Send + Sync>(
    a: &[K],
    b: &[K],
    out: &mut [K],
    compare: &(impl Fn(&K, &K) -> Ordering + Sync),
) {
    // Payloads of no size: the vectors allocate nothing and the copies vanish.
    let (none_a, none_b, mut none_out) = (vec![(); a.len()], vec![(); b.len()], vec![(); out.len()]);
    merge_pairs((a, &none_a), (b, &none_b), (out, &mut none_out), compare);
}

/// Merges keys with their payloads. Payloads are as many as their keys, the output is as long as both inputs. Inputs
/// that are not sorted give some arrangement.
pub(crate) fn merge_pairs<K: Copy + Send + Sync, P: Copy + Send + Sync>(
    a: (&[K], &[P]),
    b: (&[K], &[P]),
    out: (&mut [K], &mut [P]),
    compare: &(impl Fn(&K, &K) -> Ordering + Sync),
) {
    if out.0.len() <= PIECE {
        return merge_piece(a, b, out, compare);
    }
    let k = out.0.len() / 2;
    let (i, j) = co_rank(k, a.0, b.0, compare);
    let (a_front, a_back) = (a.0.split_at(i), a.1.split_at(i));
    let (b_front, b_back) = (b.0.split_at(j), b.1.split_at(j));
    let (keys, payloads) = (out.0.split_at_mut(k), out.1.split_at_mut(k));
    rayon::join(
        || merge_pairs((a_front.0, a_back.0), (b_front.0, b_back.0), (keys.0, payloads.0), compare),
        || merge_pairs((a_front.1, a_back.1), (b_front.1, b_back.1), (keys.1, payloads.1), compare),
    );
}

fn merge_piece<K: Copy, P: Copy>(
    a: (&[K], &[P]),
    b: (&[K], &[P]),
    out: (&mut [K], &mut [P]),
    compare: &impl Fn(&K, &K) -> Ordering,
) {
    let (mut i, mut j) = (0, 0);
    for (key, payload) in out.0.iter_mut().zip(out.1) {
        let from_a = match (a.0.get(i), b.0.get(j)) {
            (Some(x), Some(y)) => compare(x, y).is_le(),
            (x, _) => x.is_some(),
        };
        if from_a {
            (*key, *payload) = (a.0[i], a.1[i]);
            i += 1;
        } else {
            (*key, *payload) = (b.0[j], b.1[j]);
            j += 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_merges_are_split_stably() {
        let n = 3 * PIECE;
        let run = |step: usize| (0..n).map(|i| (i * step / 7) as u32).collect::<Vec<_>>();
        let (a, b) = (run(1), run(2));
        let tags = |base: usize| (base..base + n).collect::<Vec<_>>();
        let (a_tags, b_tags) = (tags(0), tags(n));
        let (mut keys, mut payloads) = (vec![0; 2 * n], vec![0; 2 * n]);
        merge_pairs((&a, &a_tags), (&b, &b_tags), (&mut keys, &mut payloads), &u32::cmp);

        let mut expected: Vec<(u32, usize)> = a.iter().chain(&b).copied().zip(0..).collect();
        expected.sort();
        assert!(keys.iter().copied().zip(payloads).eq(expected));

        let mut alone = vec![0; 2 * n];
        merge_keys(&a, &b, &mut alone, &u32::cmp);
        assert_eq!(alone, keys);
    }

    #[test]
    fn unsorted_inputs_lose_nothing() {
        let n = 2 * PIECE;
        let scrambled = |seed: usize| (0..n).map(|i| ((i + seed) * 40503 % 65537) as u32).collect::<Vec<_>>();
        let (a, b) = (scrambled(1), scrambled(2));
        let mut out = vec![0; 2 * n];
        merge_keys(&a, &b, &mut out, &u32::cmp);
        let mut expected = [a, b].concat();
        expected.sort();
        out.sort();
        assert_eq!(out, expected);
    }
}
