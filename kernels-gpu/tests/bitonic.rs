//! The bitonic sorts with a key type and orders that the library's kernels are not made for, in small blocks, under
//! several schedules, every access checked.
#![allow(clippy::undocumented_unsafe_blocks)]
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::bitonic::{block_sort, block_sort_shared_bytes, warp_sort, warp_sort_shared_bytes};
use gridsort_kernels::order::Order;
use gridsort_kernels::simt::emulator::{self, Config};
use gridsort_kernels::simt::{Global, Plain};
use gridsort_kernels::tile::payload::{Keys, Pairs};

/// Two fields, the second one descending; or, for one value of the first, no order at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
struct Record(u32);
const LYING: u32 = 0xbad;
impl Record {
    fn fields(self) -> (u32, u32) {
        (self.0 >> 16, self.0 & 3)
    }
}
// SAFETY: a transparent word.
unsafe impl Plain for Record {}
impl Order for Record {
    fn before(self, other: Self) -> bool {
        let ((a, b), (c, d)) = (self.fields(), other.fields());
        if a == LYING || c == LYING {
            return (self.0 ^ other.0.rotate_left(9)).wrapping_mul(0x9E37_79B9) >> 30 != 0;
        }
        (a, std::cmp::Reverse(b)) < (c, std::cmp::Reverse(d))
    }
}
gridsort_kernels::custom_key!(Record);

/// Keys of few values, or of liars here and there.
fn keys(n: usize, lying: bool) -> Vec<u32> {
    let scrambled = |i: usize| (i as u32 + 1).wrapping_mul(0x9E37_79B9).rotate_left(13);
    let first = |i: usize| if lying && i.is_multiple_of(3) { LYING } else { scrambled(i) % 5 };
    (0..n).map(|i| (first(i) << 16) | (scrambled(i + 7) % 4096)).collect()
}

const THREADS: u32 = 64;
const V: usize = 2;
const TILE: u32 = THREADS * V as u32;

/// Sorts with a payload of positions, in place or not, by warps or by blocks; gives keys and payloads.
fn pairs(config: &Config, input: &[u32], by_block: bool, in_place: bool) -> (Vec<u32>, Vec<u32>) {
    let n = input.len() as u64;
    let (src, payload_src) = (Buffer::of(input), Buffer::of(&(0..n as u32).collect::<Vec<_>>()));
    let (dst, payload_dst) = (Buffer::of(&vec![!0; input.len()]), Buffer::of(&vec![!0; input.len()]));
    let (to, payload_to) = if in_place { (&src, &payload_src) } else { (&dst, &payload_dst) };
    let bytes = match by_block {
        true => block_sort_shared_bytes::<Record, Pairs<u32>>(TILE),
        false => warp_sort_shared_bytes::<Record, Pairs<u32>>(TILE),
    };
    let launch = shape(n.div_ceil(TILE as u64) as u32, THREADS, bytes);
    emulator::run("pairs", launch, config, || unsafe {
        let (s, d) = (src.global::<Record>(), to.global::<Record>());
        let (ps, pd) = (payload_src.global::<u32>(), payload_to.global::<u32>());
        if by_block {
            block_sort::<Record, Pairs<u32>, THREADS, V>(s, d, ps, pd, n, (), ());
        } else {
            warp_sort::<Record, Pairs<u32>, THREADS, V>(s, d, ps, pd, n, (), ());
        }
    })
    .unwrap();
    (to.words(), payload_to.words())
}

#[test]
fn records_with_payloads_are_sorted_stably() {
    for (by_block, segment) in [(false, 64), (true, TILE as usize)] {
        for n in [1, 63, 64, 65, 127, 128, 129, 300] {
            let input = keys(n, false);
            let mut expected: Vec<(u32, u32)> = input.iter().copied().zip(0..).collect();
            for segment in expected.chunks_mut(segment) {
                segment.sort_by_key(|&(k, _)| (Record(k).fields().0, std::cmp::Reverse(Record(k).fields().1)));
            }
            let expected: (Vec<u32>, Vec<u32>) = expected.into_iter().unzip();
            for (i, config) in configs().iter().enumerate() {
                assert_eq!(pairs(config, &input, by_block, i % 2 == 0), expected, "{n} keys, {by_block}");
            }
        }
    }
}

#[test]
fn no_order_loses_a_record() {
    for by_block in [false, true] {
        for n in [65, 100, 300] {
            let input = keys(n, true);
            let (sorted, payloads) = pairs(&plain(), &input, by_block, true);
            assert!(payloads.iter().zip(&sorted).all(|(&p, &k)| input[p as usize] == k));
            let mut payloads = payloads;
            payloads.sort();
            assert!(payloads.into_iter().eq(0..n as u32), "{n} keys, {by_block}");
        }
    }
}

#[test]
fn keys_whose_equals_differ_stay_in_order() {
    // Without a payload too: these equal keys differ in bits that the order does not see.
    let input = keys(200, false);
    let (src, dst) = (Buffer::of(&input), Buffer::of(&vec![!0; input.len()]));
    let launch = shape(2, THREADS, block_sort_shared_bytes::<Record, Keys>(TILE));
    emulator::run("keys", launch, &plain(), || unsafe {
        let (s, d) = (src.global::<Record>(), dst.global::<Record>());
        block_sort::<Record, Keys, THREADS, V>(s, d, Global::null(), Global::null(), 200, (), ());
    })
    .unwrap();
    let mut expected = input;
    for segment in expected.chunks_mut(TILE as usize) {
        segment.sort_by_key(|&k| (Record(k).fields().0, std::cmp::Reverse(Record(k).fields().1)));
    }
    assert_eq!(dst.words(), expected);
}

/// Each of the block's barriers, taken out, is reported.
#[cfg(feature = "mutate")]
#[test]
fn every_barrier_is_missed() {
    use emulator::mutate::skip_barrier_at;
    let source = include_str!("../src/bitonic/block.rs");
    let lines = source.lines().zip(1..).filter(|(line, _)| line.contains("sync_threads()"));
    let barriers: Vec<u32> = lines.map(|(_, number)| number).collect();
    assert_eq!(barriers.len(), 3);
    for line in barriers {
        let _removed = skip_barrier_at("src/bitonic/block.rs", line);
        let sorted = std::panic::catch_unwind(|| pairs(&plain(), &keys(300, false), true, true));
        assert!(sorted.is_err(), "nobody misses the barrier of line {line}");
    }
}
