//! Lengths of segments that go by a power law.
use super::super::keys::mix;

/// Where each of so many segments begins, and where the last one ends: `elements`. The segment of rank r has a length that
/// goes as 1/r (Zipf's law), and ranks come in random order. So few segments are long, and half of them shorter than a
/// tenth of the mean.
pub(super) fn offsets(segments: usize, elements: usize, seed: u64) -> Vec<u64> {
    let harmonic: f64 = (1..=segments).map(|rank| 1.0 / rank as f64).sum();
    let mut lengths: Vec<u64> =
        (1..=segments).map(|rank| (elements as f64 / (harmonic * rank as f64)) as u64).collect();
    // What rounding down left over: less than one for each segment, and never more than was there.
    let mut left = elements as u64 - lengths.iter().sum::<u64>().min(elements as u64);
    for length in lengths.iter_mut().rev() {
        let more = left.min(1);
        *length += more;
        left -= more;
    }
    if let Some(first) = lengths.first_mut() {
        *first += left;
    }
    // Fisher and Yates: each order with the same chance.
    for i in (1..segments).rev() {
        let draw = mix(mix(seed).wrapping_add(i as u64));
        lengths.swap(i, (draw % (i as u64 + 1)) as usize);
    }
    let mut at = 0;
    let ends = lengths.into_iter().map(|length| {
        at += length;
        at
    });
    std::iter::once(0).chain(ends).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_go_as_one_over_the_rank() {
        let (segments, elements) = (1 << 12, 1 << 20);
        let offsets = offsets(segments, elements, 3);
        assert_eq!((offsets.len(), offsets[0], offsets[segments]), (segments + 1, 0, elements as u64));
        let mut lengths: Vec<u64> = offsets.windows(2).map(|ends| ends[1] - ends[0]).collect();
        assert!(!lengths.is_sorted_by(|a, b| a >= b), "in random order");
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        for rank in [2_usize, 10, 100, 1000] {
            let part = lengths[0] as f64 / lengths[rank - 1] as f64;
            assert!((part / rank as f64 - 1.0).abs() < 0.05, "rank {rank}: {part}");
        }
    }

    #[test]
    fn few_elements_and_few_segments() {
        for (segments, elements) in [(1, 0), (1, 7), (5, 0), (5, 3), (3, 100), (100, 7)] {
            let offsets = offsets(segments, elements, 1);
            assert!(offsets.is_sorted() && offsets.len() == segments + 1);
            assert_eq!(offsets[segments], elements as u64, "{segments} {elements}");
        }
    }
}
