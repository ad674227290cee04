//! Sorted runs to merge.
use crate::runs::RUNS;

/// Steele, Lea and Flood's SplitMix64: random enough to merge.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

/// Runs of these lengths, one behind the other, each sorted; `key` gets the random numbers and a run's number.
pub(crate) fn runs(lengths: [usize; RUNS], seed: u64, key: impl Fn(u64, usize) -> u32) -> (Vec<u32>, [usize; RUNS]) {
    let mut random = Random(seed);
    let mut keys = Vec::new();
    for (run, &length) in lengths.iter().enumerate() {
        let start = keys.len();
        keys.extend((0..length).map(|_| key(random.next(), run)));
        keys[start..].sort_unstable();
    }
    (keys, lengths)
}

/// A named input: its keys and the lengths of its runs.
pub(crate) type Named = (&'static str, (Vec<u32>, [usize; RUNS]));

/// The inputs that are measured, `n` keys each.
pub(crate) fn benchmark(n: usize) -> Vec<Named> {
    let equal = [n / 8; RUNS];
    let mut halves = std::array::from_fn(|run| n >> (run + 1));
    halves[RUNS - 1] += n - halves.iter().sum::<usize>();
    vec![
        ("uniform", runs(equal, 1, |random, _| random as u32)),
        ("run after run", runs(equal, 2, |random, run| (random as u32 >> 3) | (run as u32) << 29)),
        ("4 keys", runs(equal, 3, |random, _| random as u32 & 3)),
        ("halving lengths", runs(halves, 4, |random, _| random as u32)),
    ]
}
