//! What the engines are given, and what they must make of it.
use super::*;

/// Streams of keys, cut into pieces: what one launch merges.
pub(super) struct Work {
    pub(super) name: String,
    /// Keys of all streams, one after the other, with gaps between that nobody may read.
    pub(super) keys: Vec<u64>,
    /// For each piece, where its part of each stream is.
    pub(super) pieces: Vec<Vec<(usize, usize)>>,
}

impl Work {
    /// One piece.
    pub(super) fn of(name: impl Into<String>, streams: Vec<Vec<u64>>) -> Self {
        let mut work = Work { name: name.into(), keys: vec![], pieces: vec![vec![]] };
        for stream in streams {
            work.keys.extend([5, 0]);
            let begin = work.keys.len();
            work.keys.extend(stream);
            work.pieces[0].push((begin, work.keys.len()));
        }
        work
    }

    /// The same in several pieces: of each stream what is below, and what is from, each of some keys on.
    pub(super) fn cut_at(mut self, keys: &[u64]) -> Self {
        for key in keys {
            let last = self.pieces.pop().unwrap();
            let cut = |&(b, e): &(usize, usize)| b + self.keys[b..e].partition_point(|k| k < key);
            self.pieces.push(last.iter().map(|s| (s.0, cut(s))).collect());
            self.pieces.push(last.iter().map(|s| (cut(s), s.1)).collect());
        }
        self
    }

    pub(super) fn streams(&self) -> usize {
        self.pieces[0].len()
    }

    /// Keys with their positions, as a stable merge of each piece has them, and where each piece's output begins.
    pub(super) fn expected(&self) -> (Vec<(u64, u32)>, Vec<u64>) {
        let (mut merged, mut outputs) = (vec![], vec![]);
        for piece in &self.pieces {
            outputs.push(merged.len() as u64);
            let at: Vec<_> = piece.iter().flat_map(|&(b, e)| b..e).map(|i| (self.keys[i], i as u32)).collect();
            let mut at = at;
            at.sort_by_key(|&(k, _)| k);
            merged.extend(at);
        }
        (merged, outputs)
    }
}

pub(super) fn halves(words: &[u64]) -> Vec<u32> {
    words.iter().flat_map(|&w| [w as u32, (w >> 32) as u32]).collect()
}

/// The arrays of a launch.
pub(super) struct Arrays {
    pub(super) src: Buffer,
    pub(super) dst: Buffer,
    pub(super) payload_src: Buffer,
    pub(super) payload_dst: Buffer,
    pub(super) begins: Buffer,
    pub(super) ends: Buffer,
    pub(super) outputs: Buffer,
    pub(super) outside: Vec<(u64, u32)>,
    wide: bool,
}

impl Arrays {
    pub(super) fn new(work: &Work, wide: bool) -> Self {
        let (expected, outputs) = work.expected();
        let keys = if wide { halves(&work.keys) } else { work.keys.iter().map(|&k| k as u32).collect() };
        let all: Vec<(usize, usize)> = work.pieces.iter().flatten().copied().collect();
        let n = expected.len();
        let of = |f: &dyn Fn(&(usize, usize)) -> usize| halves(&all.iter().map(|s| f(s) as u64).collect::<Vec<_>>());
        Arrays {
            src: Buffer::of(&keys),
            // One element more at the end, that nobody may write.
            dst: Buffer::of(&vec![7; (n + 1) * if wide { 2 } else { 1 }]),
            payload_src: Buffer::of(&(0..work.keys.len() as u32).collect::<Vec<_>>()),
            payload_dst: Buffer::of(&vec![7; n + 1]),
            begins: Buffer::of(&of(&|s| s.0)),
            ends: Buffer::of(&of(&|s| s.1)),
            outputs: Buffer::of(&halves(&outputs)),
            outside: expected,
            wide,
        }
    }

    /// Holds the result against a stable merge.
    pub(super) fn check(&self, payloads: bool, what: &str) {
        let words = self.dst.words();
        let keys: Vec<u64> = if self.wide {
            words.chunks_exact(2).map(|w| w[0] as u64 | (w[1] as u64) << 32).collect()
        } else {
            words.iter().map(|&w| w as u64).collect()
        };
        let n = self.outside.len();
        let expected: Vec<u64> = self.outside.iter().map(|e| e.0).collect();
        if let Some(i) = (0..n).find(|&i| keys[i] != expected[i]) {
            panic!("{what}: key {i} of {n} is {}, not {}", keys[i], expected[i]);
        }
        assert_eq!(*words.last().unwrap(), 7, "{what}: written behind the end");
        if payloads {
            let got = self.payload_dst.words();
            let expected: Vec<u32> = self.outside.iter().map(|e| e.1).collect();
            assert_eq!(got[..n], expected, "{what}: payloads");
            assert_eq!(got[n], 7, "{what}: written behind the end");
        }
    }
}

pub(super) fn random_stream(rng: &mut Xoshiro256PlusPlus, len: usize, values: u64) -> Vec<u64> {
    let mut v: Vec<u64> = (0..len).map(|_| rng.next_u64() % values).collect();
    v.sort();
    v
}

/// Streams that are long, short, dry at once, missing, lopsided, all alike, full of the greatest key.
pub(super) fn works(k: usize, wide: bool) -> Vec<Work> {
    let max = if wide { u64::MAX } else { u32::MAX as u64 };
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(k as u64);
    let mut all = vec![];
    let mut add = |name: &str, streams: Vec<Vec<u64>>| all.push(Work::of(format!("{name}, k = {k}"), streams));
    let n = 2 * k + 7;
    add("uniform", (0..k).map(|_| random_stream(&mut rng, n, max)).collect());
    add("nothing", vec![vec![]; k]);
    add("one key", (0..k).map(|j| if j == k - 1 { vec![3] } else { vec![] }).collect());
    add("short", (0..k).map(|j| random_stream(&mut rng, j % 4, 9)).collect());
    add("ties", (0..k).map(|j| random_stream(&mut rng, n - j, 4)).collect());
    add("all alike", (0..k).map(|_| vec![1; n]).collect());
    add("greatest", (0..k).map(|j| vec![max; n / 2 + j % 3]).collect());
    add("greatest at the end", (0..k).map(|j| [random_stream(&mut rng, j, 50), vec![max; j % 5]].concat()).collect());
    let growing = |rng: &mut Xoshiro256PlusPlus, j: usize| random_stream(rng, (j * j * 3) / k, 1000);
    add("unequal", (0..k).map(|j| growing(&mut rng, j)).collect());
    // One stream after the other, either way: all winners of a round are of one stream.
    add("in turn", (0..k as u64).map(|j| (0..n as u64).map(|i| j * 1000 + i).collect()).collect());
    add("in turn backwards", (0..k as u64).map(|j| (0..n as u64).map(|i| (40 - j) * 1000 + i).collect()).collect());
    add("interleaved", (0..k as u64).map(|j| (0..n as u64).map(|i| i * 40 + j).collect()).collect());
    add("one long stream", (0..k).map(|j| random_stream(&mut rng, if j == 1 { 300 } else { 2 }, 500)).collect());
    add("fewer streams", (0..k / 2 - 1).map(|_| random_stream(&mut rng, n, 99)).collect());
    add("one stream", vec![random_stream(&mut rng, n + 50, 99)]);
    let cuts = (0..k).map(|_| random_stream(&mut rng, n, 100)).collect();
    all.push(Work::of(format!("pieces, k = {k}"), cuts).cut_at(&[0, 10, 10, 37, 80, 100]));
    all
}

pub(super) fn launch(
    kernel: &'static Kernel,
    pieces_of_block: u32,
    work: &Work,
    config: &Config,
    wide: bool,
    payloads: bool,
) {
    let arrays = Arrays::new(work, wide);
    let mut args = vec![Arg::Address(arrays.src.address), Arg::Address(arrays.dst.address)];
    if payloads {
        args.extend([Arg::Address(arrays.payload_src.address), Arg::Address(arrays.payload_dst.address)]);
    }
    let pieces = work.pieces.len() as u32;
    args.extend([&arrays.begins, &arrays.ends, &arrays.outputs].map(|b| Arg::Address(b.address)));
    args.extend([Arg::U32(pieces), Arg::U32(work.streams() as u32), Arg::U32(0), Arg::U32(0)]);
    let shape =
        Launch { grid: pieces.div_ceil(pieces_of_block), block: kernel.threads, shared_bytes: kernel.shared_bytes };
    let what = format!("{}: {}", kernel.name, work.name);
    emulator::launch(kernel, shape, &args, config).unwrap_or_else(|e| panic!("{what}: {e}"));
    arrays.check(payloads, &what);
}
