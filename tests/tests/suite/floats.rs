//! What comparison operators do not tell of floats: NaNs, zeros with a sign, and orders across signs. Every device gives
//! the total order of the standard library, bit for bit, whatever the length.
use gridsort::{Key, PayloadWidth};
use gridsort_tests::pattern::{from_bits, last_code};
use gridsort_tests::planned::{self, Carried, Route};
use gridsort_tests::{Case, DIRECTIONS, Pattern, bf16, f16, for_each_key, paths, targets};

/// The bits of a float type: its width and its mantissa's.
#[derive(Clone, Copy)]
struct Float {
    bits: u32,
    mantissa: u32,
}

impl Float {
    const fn infinity(self) -> u128 {
        ((1 << (self.bits - 1)) - 1) >> self.mantissa << self.mantissa
    }

    /// NaN number `i`: of both signs by turns, quiet and signalling, with few and with all bits of payload.
    fn nan(self, i: usize) -> u128 {
        let quiet = 1 << (self.mantissa - 1);
        let payload = [quiet, 1, quiet | 1, (1 << self.mantissa) - 1, quiet | 5][i / 2 % 5];
        self.infinity() | payload | ((i % 2) as u128) << (self.bits - 1)
    }
}

/// Where NaNs stand among random keys.
#[derive(Clone, Copy, Debug)]
enum Where {
    First,
    Last,
    Everywhere,
    EveryThird,
}

fn keys<K: Key>(float: Float, n: usize, nans: Where) -> Vec<K> {
    let mut keys = Pattern::Special.keys::<K>(n, n as u64);
    let is_nan = |i: usize| match nans {
        Where::First => i == 0,
        Where::Last => i + 1 == n,
        Where::Everywhere => true,
        Where::EveryThird => i % 3 == 1,
    };
    (0..n).filter(|&i| is_nan(i)).for_each(|i| keys[i] = from_bits(float.nan(i)));
    keys
}

/// Lengths at which other sorts change their algorithm, and the tiles' own.
fn check_nans<K: Key>(float: Float) {
    for target in targets() {
        let shape = target.shape(K::WIDTH, PayloadWidth::W32);
        let mut lengths = vec![31, 32, 33, 128, 129];
        lengths.extend([shape.tile, shape.kway_tile].into_iter().flat_map(|tile| [tile as usize, tile as usize + 1]));
        for n in lengths {
            let everywhere = [Where::EveryThird, Where::Everywhere, Where::First, Where::Last];
            for nans in everywhere.into_iter().take(if target.is_slow() && n > 129 { 1 } else { 4 }) {
                for direction in DIRECTIONS {
                    let case = Case::new(keys::<K>(float, n, nans), direction, format_args!("NaNs {nans:?}"));
                    case.check_sort(target);
                    case.check_pairs::<u32>(target);
                    if !target.is_slow() {
                        case.check_argsort(target);
                        planned::check::<K, u64>(target, &case, Route::Kway, Carried::Payloads);
                    }
                }
            }
        }
    }
}

#[test]
fn nans_of_f16() {
    check_nans::<f16>(Float { bits: 16, mantissa: 10 });
}

#[test]
fn nans_of_bf16() {
    check_nans::<bf16>(Float { bits: 16, mantissa: 7 });
}

#[test]
fn nans_of_f32() {
    check_nans::<f32>(Float { bits: 32, mantissa: 23 });
}

#[test]
fn nans_of_f64() {
    check_nans::<f64>(Float { bits: 64, mantissa: 52 });
}

/// The order by number: what the total order says of these, without it.
#[test]
fn nans_of_either_sign_stand_at_either_end() {
    let (quiet, signalling) = (f32::from_bits(0x7fc0_0000), f32::from_bits(0x7f80_0001));
    let sorted = [-quiet, -signalling, f32::NEG_INFINITY, -1.0, -0.0, 0.0, 1.0, f32::INFINITY, signalling, quiet];
    for target in targets() {
        for descending in [false, true] {
            let expected: Vec<u32> = match descending {
                false => sorted.iter().map(|key| key.to_bits()).collect(),
                true => sorted.iter().rev().map(|key| key.to_bits()).collect(),
            };
            let mut keys = [7, 2, 9, 0, 4, 8, 1, 5, 3, 6].map(|i| sorted[i]);
            target.device.sort(&mut keys, gridsort_tests::options(DIRECTIONS[usize::from(descending)])).unwrap();
            assert_eq!(keys.map(f32::to_bits).as_slice(), expected, "{target}");
        }
    }
}

/// Zeros of both signs and little else: all negative ones first, each kind in the order of the input.
fn check_zeros<K: Key>() {
    let sign = last_code::<K>() ^ (last_code::<K>() >> 1);
    let bits = |i: usize| [0, sign, sign, 0, 1, sign | 1, 0, sign][i * 5 % 8];
    paths::check::<K, u32>("zeros", &DIRECTIONS, |n| (0..n).map(|i| from_bits(bits(i))).collect());
}

#[test]
fn zeros_keep_sign_and_order() {
    check_zeros::<f16>();
    check_zeros::<bf16>();
    check_zeros::<f32>();
    check_zeros::<f64>();
    // The same without the reference order.
    for target in targets() {
        let keys: Vec<f64> = (0..300).map(|i| if i % 3 == 0 { -0.0 } else { 0.0 }).collect();
        for direction in DIRECTIONS {
            let order = target.device.argsort(&keys, gridsort_tests::options(direction)).unwrap();
            let [mut negative, mut positive] = [vec![], vec![]];
            (0..300).for_each(|i| if i % 3 == 0 { negative.push(i) } else { positive.push(i) });
            let expected = if direction == DIRECTIONS[0] { [negative, positive] } else { [positive, negative] };
            assert_eq!(order, expected.concat(), "{target}, {direction}");
        }
    }
}

/// Keys next to zero, next to both ends, and between, of both signs by turns.
fn check_signs<K: Key>() {
    let last = last_code::<K>();
    let sign = last ^ (last >> 1);
    let bits = |i: usize| {
        let magnitude = [0, 1, 2, sign >> 1, sign - 1, sign - 2, (i as u128 * 77) & (sign - 1)][i % 7];
        if i.is_multiple_of(2) { magnitude } else { last - magnitude }
    };
    paths::check::<K, u64>("signs", &DIRECTIONS[1..], |n| (0..n).map(|i| from_bits(bits(i * 11))).collect());
}

#[test]
fn descending_across_signs() {
    for_each_key!(check_signs());
    for target in targets() {
        let mut keys = [-1i8, 127, 0, -128, 1];
        target.device.sort(&mut keys, gridsort_tests::options(DIRECTIONS[1])).unwrap();
        assert_eq!(keys, [127, 1, 0, -1, -128], "{target}");
        let mut keys = [f16::NEG_ONE, f16::MAX, f16::NEG_ZERO, f16::NEG_INFINITY, f16::ZERO];
        target.device.sort(&mut keys, gridsort_tests::options(DIRECTIONS[1])).unwrap();
        let expected = [f16::MAX, f16::ZERO, f16::NEG_ZERO, f16::NEG_ONE, f16::NEG_INFINITY];
        assert_eq!(keys.map(f16::to_bits), expected.map(f16::to_bits), "{target}");
    }
}
