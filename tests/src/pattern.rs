//! Inputs, for tests and benches alike: pattern, key type, length and seed give the same keys everywhere.
//!
//! Patterns are made of codes, the unsigned integers that the library's codec maps keys to in their order: so each
//! pattern means the same for every key type, and random floats are random bits, NaNs and subnormals among them.
use bytemuck::Pod;
use gridsort::{Direction, Key};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// An arrangement of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pattern {
    /// Uniformly random bits.
    Random,
    /// Random, in ascending order.
    Sorted,
    /// Random, in descending order.
    Reversed,
    /// One random key throughout.
    AllEqual,
    /// Eight different keys.
    FewValues,
    /// About ten ascending ramps.
    Sawtooth,
    /// Up, then down again.
    OrganPipe,
    /// Sorted, but for one key in twenty, which is anywhere.
    NearlySorted,
    /// Keys with frequencies in proportion to 1/1, 1/2, 1/3, …
    Zipf,
    /// The key that sorts last: what kernels pad with.
    AllMax,
    /// The key that sorts first.
    AllMin,
    /// For floats NaNs of both signs with payloads, infinities, zeros and subnormals; for integers both ends and the
    /// middle of their range; each many times over, among random keys.
    Special,
}

impl Pattern {
    /// Each of them.
    pub const ALL: [Pattern; 12] = [
        Pattern::Random,
        Pattern::Sorted,
        Pattern::Reversed,
        Pattern::AllEqual,
        Pattern::FewValues,
        Pattern::Sawtooth,
        Pattern::OrganPipe,
        Pattern::NearlySorted,
        Pattern::Zipf,
        Pattern::AllMax,
        Pattern::AllMin,
        Pattern::Special,
    ];

    /// `n` keys.
    pub fn keys<K: Key>(self, n: usize, seed: u64) -> Vec<K> {
        let mut random = generator(seed);
        let last = last_code::<K>();
        let mut draw = move || {
            let low = u128::from(random.next_u64());
            let high = if last >> 64 > 0 { u128::from(random.next_u64()) } else { 0 };
            (high << 64 | low) & last
        };
        let codec = K::codec(Direction::Ascending);
        let encoded: Vec<u128> = match self {
            Pattern::Random => (0..n).map(|_| draw()).collect(),
            Pattern::Sorted | Pattern::Reversed | Pattern::NearlySorted => {
                let mut codes: Vec<u128> = (0..n).map(|_| draw()).collect();
                codes.sort_unstable();
                match self {
                    Pattern::Reversed => codes.reverse(),
                    // A swap moves two keys.
                    Pattern::NearlySorted => (0..n / 40).for_each(|_| {
                        codes.swap(draw() as usize % n, draw() as usize % n);
                    }),
                    _ => {}
                }
                codes
            }
            Pattern::AllEqual => vec![draw(); n],
            Pattern::FewValues => {
                let values: [u128; 8] = std::array::from_fn(|_| draw());
                (0..n).map(|_| values[(draw() % 8) as usize]).collect()
            }
            Pattern::Sawtooth => {
                // Odd, so that ramps and tiles do not fall together.
                let ramp = (n / 10) | 1;
                (0..n).map(|i| spread(i % ramp, ramp, last)).collect()
            }
            Pattern::OrganPipe => (0..n).map(|i| spread(i.min(n - 1 - i), n, last)).collect(),
            Pattern::Zipf => (0..n).map(|_| scramble(zipf(draw(), last, n as f64)) & last).collect(),
            Pattern::AllMax => vec![last; n],
            Pattern::AllMin => vec![0; n],
            Pattern::Special => {
                let special = special_bits::<K>();
                let code = |i: u128| codec.encode(special[i as usize % special.len()]);
                (0..n).map(|_| if draw() % 4 == 3 { draw() } else { code(draw() >> 2) }).collect()
            }
        };
        encoded.into_iter().map(|code| from_bits(codec.decode(code))).collect()
    }
}

/// The generator of all random inputs.
pub fn generator(seed: u64) -> Xoshiro256PlusPlus {
    Xoshiro256PlusPlus::seed_from_u64(seed)
}

/// The key, or payload, with these bits: the lowest ones of the number.
pub fn from_bits<T: Pod>(bits: u128) -> T {
    let size = size_of::<T>();
    if cfg!(target_endian = "little") {
        bytemuck::pod_read_unaligned(&bits.to_le_bytes()[..size])
    } else {
        bytemuck::pod_read_unaligned(&bits.to_be_bytes()[16 - size..])
    }
}

/// The bits of a key.
pub fn bits_of<K: Key>(key: K) -> u128 {
    let (size, mut bytes) = (size_of::<K>(), [0; 16]);
    if cfg!(target_endian = "little") {
        bytes[..size].copy_from_slice(bytemuck::bytes_of(&key));
        u128::from_le_bytes(bytes)
    } else {
        bytes[16 - size..].copy_from_slice(bytemuck::bytes_of(&key));
        u128::from_be_bytes(bytes)
    }
}

/// The largest code: the key that sorts last.
pub fn last_code<K: Key>() -> u128 {
    u128::MAX >> (128 - 8 * size_of::<K>())
}

/// Ranks below `ranks` as codes up to `last`, evenly spread.
fn spread(rank: usize, ranks: usize, last: u128) -> u128 {
    let (rank, ranks) = (rank as u128, ranks as u128);
    // The product of wide codes would overflow, the quotient of narrow ones be nothing.
    if last >> 64 > 0 { last / ranks * rank } else { last * rank / ranks }
}

/// A rank from 0 to `ranks`, rank r in proportion to 1/(r + 1): the inverse of the sum's continuous form.
fn zipf(draw: u128, last: u128, ranks: f64) -> u64 {
    let uniform = draw as f64 / (last as f64 + 1.0);
    ranks.powf(uniform) as u64
}

/// Spreads ranks over all bits: frequent keys shall not be the smallest ones.
fn scramble(rank: u64) -> u128 {
    let x = (rank ^ (rank >> 31)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let x = x ^ (x >> 29);
    u128::from(x.rotate_left(17)) << 64 | u128::from(x)
}

/// Bits of keys at which something may go wrong.
fn special_bits<K: Key>() -> Vec<u128> {
    let last = last_code::<K>();
    let sign = last ^ (last >> 1);
    let mantissa = match K::NAME {
        "bf16" => 7,
        "f16" => 10,
        "f32" => 23,
        "f64" => 52,
        _ => return vec![0, 1, 2, sign - 1, sign, sign + 1, last - 1, last],
    };
    let infinity = (sign - 1) >> mantissa << mantissa;
    let quiet = infinity | 1 << (mantissa - 1);
    let one = (infinity >> 1) >> mantissa << mantissa;
    let positive = [
        0,                   // zero
        1,                   // the least subnormal
        (1 << mantissa) - 1, // the greatest subnormal
        1 << mantissa,       // the least normal number
        one,                 // an ordinary number
        infinity - 1,        // the greatest number
        infinity,
        infinity | 1, // signalling NaNs
        infinity | 0x34,
        quiet, // quiet NaNs
        quiet | 0x34,
        sign - 1,
    ];
    positive.iter().flat_map(|&bits| [bits, bits | sign]).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_are_what_they_are_called() {
        let order = |k: &[f32]| k.is_sorted_by(|x, y| x.order(y).is_le());
        assert!(order(&Pattern::Sorted.keys(1000, 1)));
        let mut reversed = Pattern::Reversed.keys::<f32>(1000, 1);
        reversed.reverse();
        assert!(order(&reversed));
        let nearly = Pattern::NearlySorted.keys::<u64>(10_000, 3);
        let sorted = Pattern::Sorted.keys::<u64>(10_000, 3);
        let moved = nearly.iter().zip(&sorted).filter(|(x, y)| x != y).count();
        assert!((400..=500).contains(&moved), "{moved}");
        assert_eq!(Pattern::AllMax.keys::<i64>(2, 0), [i64::MAX; 2]);
        assert_eq!(Pattern::AllMin.keys::<i32>(2, 0), [i32::MIN; 2]);
        assert_eq!(Pattern::AllMax.keys::<f32>(1, 0)[0].to_bits(), 0x7fff_ffff);
        let mut few = Pattern::FewValues.keys::<u32>(1000, 5);
        few.sort_unstable();
        few.dedup();
        assert_eq!(few.len(), 8);
        for pattern in Pattern::ALL {
            for n in [0, 1, 2, 3] {
                assert_eq!(pattern.keys::<f64>(n, 7).len(), n);
            }
            assert_eq!(pattern.keys::<u32>(50, 9), pattern.keys::<u32>(50, 9));
        }
    }

    #[test]
    fn specials_of_floats() {
        let bits = special_bits::<f32>();
        let floats: Vec<f32> = bits.iter().map(|&bits| from_bits(bits)).collect();
        for expected in [0.0f32, f32::INFINITY, f32::MAX, f32::MIN_POSITIVE, 1e-45] {
            assert!(floats.contains(&expected) && floats.contains(&-expected), "{expected}");
        }
        assert_eq!(floats.iter().filter(|x| x.is_nan()).count(), 10);
        assert_eq!(floats.iter().filter(|x| x.is_subnormal()).count(), 4);
        let doubles: Vec<f64> = special_bits::<f64>().into_iter().map(from_bits).collect();
        assert!(doubles.contains(&f64::MAX) && doubles.contains(&-5e-324));
        assert_eq!(doubles.iter().filter(|x| x.is_nan()).count(), 10);
    }

    #[test]
    fn zipf_prefers_the_first_ranks() {
        let mut keys = Pattern::Zipf.keys::<u64>(10_000, 2);
        keys.sort_unstable();
        let most = keys.chunk_by(|x, y| x == y).map(<[u64]>::len).max();
        assert!(most.is_some_and(|most| most > 500), "{most:?}");
    }
}
