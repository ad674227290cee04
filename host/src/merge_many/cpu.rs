//! Merging many inputs on the CPU: split at keys of theirs until a piece is small, then by a tournament of the inputs'
//! first keys.
//!
//! By any order, one that contradicts itself included, what comes out is a permutation of what goes in: a split cuts
//! every input in two, whatever comparisons say, and a tournament always has an input's next element for a winner,
//! while there is one.
use std::cmp::Ordering;

/// Outputs below which a piece is not split any further: a few hundred microseconds of work.
const PIECE: usize = 1 << 14;

/// Sorted keys and as many payloads.
pub(crate) type Run<'a, K, P> = (&'a [K], &'a [P]);

/// Merges keys alone. The output is as long as all inputs.
pub(crate) fn merge_keys<K: Copy + Send + Sync>(
    inputs: &[&[K]],
    out: &mut [K],
    compare: &(impl Fn(&K, &K) -> Ordering + Sync),
) {
    // Payloads of no size: the vectors allocate nothing and the copies vanish.
    let longest = inputs.iter().map(|keys| keys.len()).max().unwrap_or(0);
    let (none, mut none_out) = (vec![(); longest], vec![(); out.len()]);
    let inputs = inputs.iter().map(|keys| (*keys, &none[..keys.len()])).collect();
    merge_pairs(inputs, (out, &mut none_out), compare);
}

/// Merges keys with their payloads. Payloads are as many as their keys, the output is as long as all inputs. Inputs
/// that are not sorted give some arrangement.
pub(crate) fn merge_pairs<K: Copy + Send + Sync, P: Copy + Send + Sync>(
    mut inputs: Vec<Run<'_, K, P>>,
    out: (&mut [K], &mut [P]),
    compare: &(impl Fn(&K, &K) -> Ordering + Sync),
) {
    inputs.retain(|run| !run.0.is_empty());
    if let [(keys, payloads)] = inputs[..] {
        out.0.copy_from_slice(keys);
        out.1.copy_from_slice(payloads);
        return;
    }
    let parts = if out.0.len() > PIECE { split(&inputs, out.0.len(), compare) } else { None };
    let Some((first, second)) = parts else { return merge_piece(&inputs, out, compare) };
    let middle = first.iter().map(|run| run.0.len()).sum();
    let (keys, payloads) = (out.0.split_at_mut(middle), out.1.split_at_mut(middle));
    rayon::join(
        || merge_pairs(first, (keys.0, payloads.0), compare),
        || merge_pairs(second, (keys.1, payloads.1), compare),
    );
}

/// What comes before the median of all inputs' middles, each of them as heavy as its input is long, and the rest. `n`
/// is the number of all elements; no input is empty.
///
/// Inputs up to the median have half of the elements, and half of those stand before it, so of sorted inputs each part
/// has about a quarter of all, however the inputs lie to each other. `None` where one has much less: of inputs that are
/// not sorted, or by an order that is none. Splitting these on could go as deep as there are elements.
#[allow(clippy::type_complexity)] // two lists of runs
fn split<'a, K, P>(
    inputs: &[Run<'a, K, P>],
    n: usize,
    compare: &impl Fn(&K, &K) -> Ordering,
) -> Option<(Vec<Run<'a, K, P>>, Vec<Run<'a, K, P>>)> {
    let median = median_of_middles(inputs, n, compare);
    let middle = inputs[median].0.len() / 2;
    let pivot = &inputs[median].0[middle];
    let parts = inputs.iter().enumerate().map(|(input, (keys, payloads))| {
        // Of equal keys, those of inputs before come first.
        let cut = match input.cmp(&median) {
            Ordering::Less => keys.partition_point(|key| compare(key, pivot).is_le()),
            Ordering::Equal => middle,
            Ordering::Greater => keys.partition_point(|key| compare(key, pivot).is_lt()),
        };
        ((&keys[..cut], &payloads[..cut]), (&keys[cut..], &payloads[cut..]))
    });
    let (mut first, mut second): (Vec<_>, Vec<_>) = parts.unzip();
    first.retain(|run| !run.0.is_empty());
    second.retain(|run| !run.0.is_empty());
    let before = first.iter().map(|run| run.0.len()).sum::<usize>();
    (before.min(n - before) >= n / 8).then_some((first, second))
}

/// The input whose middle is the median of all, by quickselect: a candidate less in each round, whatever comparisons
/// say.
fn median_of_middles<K, P>(inputs: &[Run<'_, K, P>], n: usize, compare: &impl Fn(&K, &K) -> Ordering) -> usize {
    let (middle, len) =
        (|input: usize| &inputs[input].0[inputs[input].0.len() / 2], |input: usize| inputs[input].0.len());
    let mut candidates: Vec<usize> = (0..inputs.len()).collect();
    let mut before = n / 2;
    loop {
        let pivot = candidates[candidates.len() / 2];
        let others = candidates.into_iter().filter(|&input| input != pivot);
        let is_lower = |&input: &usize| goes_first(compare, (middle(input), input), (middle(pivot), pivot));
        let (lower, higher): (Vec<usize>, Vec<usize>) = others.partition(is_lower);
        let weight = lower.iter().map(|&input| len(input)).sum::<usize>();
        if before < weight {
            candidates = lower;
        } else if before < weight + len(pivot) || higher.is_empty() {
            return pivot;
        } else {
            before -= weight + len(pivot);
            candidates = higher;
        }
    }
}

/// Whether the one key, of the input with this number, comes before the other. Not of the same input.
fn goes_first<K>(compare: &impl Fn(&K, &K) -> Ordering, x: (&K, usize), y: (&K, usize)) -> bool {
    let order = compare(x.0, y.0);
    if x.1 < y.1 { order.is_le() } else { order.is_lt() }
}

/// Merges by a tournament: a tree in which each inner node holds the input that lost there, so that the next winner is
/// found by one comparison on each level (Knuth, *The Art of Computer Programming*, volume 3, 5.4.1).
///
/// An input that has ended loses to all others. So the winner of any part of the tree has an element where one of the
/// part's inputs does, whatever the comparisons are.
fn merge_piece<K: Copy, P: Copy>(
    inputs: &[Run<'_, K, P>],
    out: (&mut [K], &mut [P]),
    compare: &impl Fn(&K, &K) -> Ordering,
) {
    let k = inputs.len();
    let mut positions = vec![0; k];
    let mut fronts: Vec<Option<K>> = inputs.iter().map(|run| run.0.first().copied()).collect();
    let wins = |fronts: &[Option<K>], x: usize, y: usize| match (&fronts[x], &fronts[y]) {
        (Some(key), Some(other)) => goes_first(compare, (key, x), (other, y)),
        (key, _) => key.is_some(),
    };
    // Node i has the children 2i and 2i + 1; the inputs are nodes k to 2k - 1.
    let mut losers = vec![0; k];
    let mut winners: Vec<usize> = (0..k).chain(0..k).collect();
    for node in (1..k).rev() {
        let (x, y) = (winners[2 * node], winners[2 * node + 1]);
        (winners[node], losers[node]) = if wins(&fronts, x, y) { (x, y) } else { (y, x) };
    }
    let mut winner = if k > 1 { winners[1] } else { 0 };
    for (key, payload) in out.0.iter_mut().zip(out.1) {
        let Some(front) = fronts.get(winner).copied().flatten() else { return };
        let (keys, payloads) = inputs[winner];
        (*key, *payload) = (front, payloads[positions[winner]]);
        positions[winner] += 1;
        fronts[winner] = keys.get(positions[winner]).copied();
        let mut node = (k + winner) / 2;
        while node > 0 {
            if wins(&fronts, losers[node], winner) {
                std::mem::swap(&mut losers[node], &mut winner);
            }
            node /= 2;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(inputs: &[Vec<u32>]) {
        let n = inputs.iter().map(Vec::len).sum::<usize>();
        let mut expected: Vec<(u32, usize)> = inputs.concat().into_iter().zip(0..).collect();
        expected.sort();
        let positions: Vec<usize> = (0..n).collect();
        let mut rest = &positions[..];
        let runs = inputs.iter().map(|keys| {
            let (payloads, others) = rest.split_at(keys.len());
            rest = others;
            (keys.as_slice(), payloads)
        });
        let runs = runs.collect();
        let (mut keys, mut payloads) = (vec![0; n], vec![0; n]);
        merge_pairs(runs, (&mut keys, &mut payloads), &u32::cmp);
        assert!(keys.iter().copied().zip(payloads).eq(expected));
        let mut alone = vec![0; n];
        merge_keys(&inputs.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut alone, &u32::cmp);
        assert_eq!(alone, keys);
    }

    #[test]
    fn large_merges_are_split_stably() {
        let run = |step: usize, n: usize| (0..n).map(|i| (i * step / 7) as u32).collect::<Vec<_>>();
        check(&[run(1, 3 * PIECE), run(2, 10), run(0, PIECE), Vec::new(), run(3, 2 * PIECE), run(0, PIECE)]);
        check(&vec![vec![7; 300]; 100]);
        // More inputs than a piece has elements.
        check(&vec![vec![7]; PIECE + 100]);
    }

    /// Every split once took half of one input, and the stack did not do for so many of them.
    #[test]
    fn many_inputs_of_a_range_each_are_split_in_the_middle() {
        let ranges: Vec<Vec<u32>> = (0..100_000).map(|run| (0..10).map(|i| run * 10 + i).collect()).collect();
        let runs: Vec<Run<'_, u32, u32>> = ranges.iter().map(|run| (&run[..], &run[..])).collect();
        let (first, second) = split(&runs, 1_000_000, &u32::cmp).unwrap();
        let len = |runs: &[Run<'_, u32, u32>]| runs.iter().map(|run| run.0.len()).sum::<usize>();
        assert!(len(&first).abs_diff(500_000) < 20 && len(&first) + len(&second) == 1_000_000);
        let inputs: Vec<&[u32]> = ranges.iter().rev().map(|run| &run[..]).collect();
        let mut out = vec![0; 1_000_000];
        merge_keys(&inputs, &mut out, &u32::cmp);
        assert!(out.iter().copied().eq(0..1_000_000));
    }

    /// An order of any kind.
    type AnyOrder<'a> = &'a (dyn Fn(&u32, &u32) -> Ordering + Sync);

    #[test]
    fn no_order_loses_an_element_or_goes_on_forever() {
        let chance = |x: u32| x.wrapping_mul(0x9e37_79b9).rotate_left(15).wrapping_mul(0x85eb_ca6b) >> 31 == 0;
        let orders: [AnyOrder<'_>; 5] = [
            &|_, _| Ordering::Less,
            &|_, _| Ordering::Greater,
            &|x, y| if x.wrapping_sub(*y) % 3 == 1 { Ordering::Less } else { Ordering::Greater },
            &|x, y| if chance(x ^ y.rotate_left(16)) { Ordering::Less } else { Ordering::Equal },
            &|x, y| if chance(x.wrapping_add(y.wrapping_mul(7))) { y.cmp(x) } else { x.cmp(y) },
        ];
        for order in orders {
            for (k, len) in [(3, 20_000), (40, 3000), (5000, 20)] {
                let run = |run: u32| (0..len).map(|i| (run * len + i).wrapping_mul(0x9e37_79b9)).collect::<Vec<u32>>();
                let inputs: Vec<Vec<u32>> = (0..k).map(run).collect();
                let mut out = vec![0; (k * len) as usize];
                merge_keys(&inputs.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut out, &|x, y| order(x, y));
                let mut expected = inputs.concat();
                expected.sort_unstable();
                out.sort_unstable();
                assert!(out == expected, "{k} inputs of {len}");
            }
        }
    }

    #[test]
    fn unsorted_inputs_lose_nothing() {
        let scrambled = |seed: usize| (0..PIECE).map(|i| ((i + seed) * 40503 % 65537) as u32).collect::<Vec<_>>();
        let inputs: Vec<_> = (0..5).map(scrambled).collect();
        let mut out = vec![0; 5 * PIECE];
        merge_keys(&inputs.iter().map(Vec::as_slice).collect::<Vec<_>>(), &mut out, &u32::cmp);
        let mut expected = inputs.concat();
        expected.sort();
        out.sort();
        assert_eq!(out, expected);
    }
}
