//! Merging many inputs on the CPU: split at keys of theirs until a piece is small, then by a heap of the inputs' first keys.
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;

/// Outputs below which a piece is not split any further: a few hundred microseconds of work.
const PIECE: usize = 1 << 14;

/// Sorted keys and as many payloads.
pub(super) type Run<'a, K, P> = (&'a [K], &'a [P]);

/// Merges keys alone. The output is as long as all inputs.
pub(super) fn merge_keys<K: Copy + Send + Sync>(
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

/// Merges keys with their payloads. Payloads are as many as their keys, the output is as long as all inputs. Inputs that
/// are not sorted give some arrangement.
pub(super) fn merge_pairs<K: Copy + Send + Sync, P: Copy + Send + Sync>(
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
    // Halves of what does not fall into two parts would be split for ever.
    match (out.0.len() > PIECE).then(|| split(&inputs, compare)) {
        Some((first, second)) if !first.is_empty() && !second.is_empty() => {
            let middle = first.iter().map(|run| run.0.len()).sum();
            let (keys, payloads) = (out.0.split_at_mut(middle), out.1.split_at_mut(middle));
            rayon::join(
                || merge_pairs(first, (keys.0, payloads.0), compare),
                || merge_pairs(second, (keys.1, payloads.1), compare),
            );
        }
        _ => merge_piece(&inputs, out, compare),
    }
}

/// What comes before the middle of the longest input, and the rest.
#[allow(clippy::type_complexity)] // two lists of runs
fn split<'a, K, P>(
    inputs: &[Run<'a, K, P>],
    compare: &impl Fn(&K, &K) -> Ordering,
) -> (Vec<Run<'a, K, P>>, Vec<Run<'a, K, P>>) {
    let longest = (0..inputs.len()).max_by_key(|&input| inputs[input].0.len()).unwrap_or(0);
    let middle = inputs[longest].0.len() / 2;
    let pivot = &inputs[longest].0[middle];
    let parts = inputs.iter().enumerate().map(|(input, (keys, payloads))| {
        // Of equal keys, those of inputs before come first.
        let cut = match input.cmp(&longest) {
            Ordering::Less => keys.partition_point(|key| compare(key, pivot).is_le()),
            Ordering::Equal => middle,
            Ordering::Greater => keys.partition_point(|key| compare(key, pivot).is_lt()),
        };
        ((&keys[..cut], &payloads[..cut]), (&keys[cut..], &payloads[cut..]))
    });
    let (mut first, mut second): (Vec<_>, Vec<_>) = parts.unzip();
    first.retain(|run| !run.0.is_empty());
    second.retain(|run| !run.0.is_empty());
    (first, second)
}

/// The next element of an input. The one to take first is the greatest, as a heap has it.
struct Front<'c, K, C> {
    key: K,
    input: usize,
    position: usize,
    compare: &'c C,
}

impl<K, C: Fn(&K, &K) -> Ordering> Ord for Front<'_, K, C> {
    fn cmp(&self, other: &Self) -> Ordering {
        (self.compare)(&other.key, &self.key).then(other.input.cmp(&self.input))
    }
}
impl<K, C: Fn(&K, &K) -> Ordering> PartialOrd for Front<'_, K, C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<K, C: Fn(&K, &K) -> Ordering> PartialEq for Front<'_, K, C> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}
impl<K, C: Fn(&K, &K) -> Ordering> Eq for Front<'_, K, C> {}

fn merge_piece<K: Copy, P: Copy>(
    inputs: &[Run<'_, K, P>],
    out: (&mut [K], &mut [P]),
    compare: &impl Fn(&K, &K) -> Ordering,
) {
    let front = |(input, run): (usize, &Run<'_, K, P>)| Front { key: run.0[0], input, position: 0, compare };
    let mut fronts: BinaryHeap<_> = inputs.iter().enumerate().map(front).collect();
    for (key, payload) in out.0.iter_mut().zip(out.1) {
        let Some(mut front) = fronts.peek_mut() else { return };
        let run = inputs[front.input];
        (*key, *payload) = (front.key, run.1[front.position]);
        front.position += 1;
        match run.0.get(front.position) {
            Some(&next) => front.key = next,
            None => _ = PeekMut::pop(front),
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
