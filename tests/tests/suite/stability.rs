//! Ties: no payload is lost or doubled, equal keys keep their order in both directions, and pads never carry a payload
//! out.
use gridsort::{Key, Payload, PayloadWidth};
use gridsort_tests::case::tied_keys;
use gridsort_tests::pattern::{from_bits, last_code};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, f16, for_each_key, paths, payload_of, targets};

/// Sorts with payloads, and looks at these first: a lost payload is a clearer message than a wrong position.
fn check_payloads<K: Key, P: Payload>(target: &Target, case: &Case<K>) {
    let mut keys = case.keys.clone();
    let mut payloads: Vec<P> = (0..keys.len() as u64).map(payload_of).collect();
    target.device.sort_pairs(&mut keys, &mut payloads, case.options()).unwrap();
    let sorted = |payloads: &[P]| {
        let mut bytes: Vec<&[u8]> = payloads.iter().map(bytemuck::bytes_of).collect();
        bytes.sort_unstable();
        bytes.concat()
    };
    let all: Vec<P> = (0..keys.len() as u64).map(payload_of).collect();
    assert!(sorted(&payloads) == sorted(&all), "payloads were lost or doubled on {target}, {}", case.name);
    case.check_pairs::<P>(target);
    case.check_argsort(target);
}

/// Lengths with incomplete and complete tiles.
fn lengths<K: Key>(target: &Target) -> Vec<usize> {
    let shape = target.shape(K::WIDTH, PayloadWidth::W32);
    let (tile, kway) = (shape.tile as usize, shape.kway_from as usize);
    match (target.is_slow(), target.is_cuda()) {
        (true, _) => vec![tile + 1],
        (_, true) => vec![tile - 1, tile + 1, 9 * tile + 7],
        _ => vec![tile - 1, tile, tile + 1, 2 * tile - 1, kway + 1, 1700],
    }
}

fn check_ties<K: Key>() {
    for target in targets() {
        for n in lengths::<K>(target) {
            for (direction, values) in DIRECTIONS.into_iter().flat_map(|d| [(d, 1), (d, 2), (d, 5)]) {
                let case = Case::new(tied_keys::<K>(n, values), direction, format_args!("{values} values"));
                check_payloads::<K, u32>(target, &case);
                if !target.is_slow() {
                    check_payloads::<K, u64>(target, &case);
                }
            }
        }
    }
}

#[test]
fn ties_keep_their_order() {
    check_ties::<u32>();
    check_ties::<i64>();
    check_ties::<f64>();
}

/// Kernels pad with the key that sorts last: all keys are that one, or all but a few.
fn check_pads<K: Key>() {
    for target in targets() {
        for direction in DIRECTIONS {
            // What sorts last in this direction is what the codec maps to all ones.
            let last: K = from_bits(K::codec(direction).decode(last_code::<K>()));
            for n in lengths::<K>(target) {
                let case = Case::new(vec![last; n], direction, "all pads");
                check_payloads::<K, u32>(target, &case);
                let mut keys = tied_keys::<K>(n, 7);
                keys.iter_mut().skip(1).step_by(2).for_each(|key| *key = last);
                let case = Case::new(keys, direction, "every second a pad");
                check_payloads::<K, u64>(target, &case);
            }
        }
    }
}

#[test]
fn pads_that_equal_real_keys() {
    for_each_key!(check_pads());
}

/// Every path: all keys are the pad, all are one of two of which one is, and all but one are.
fn check_pads_on_paths<K: Key>() {
    for direction in DIRECTIONS {
        let codec = K::codec(direction);
        let [last, first]: [K; 2] = [last_code::<K>(), 0].map(|code| from_bits(codec.decode(code)));
        paths::check::<K, u32>("all pads", &[direction], |n| vec![last; n]);
        // Booleans, as a mask in a wider type.
        let mask = |n: usize| (0..n).map(|i| if i * i % 7 < 3 { last } else { first }).collect();
        paths::check::<K, u64>("a mask", &[direction], mask);
    }
}

#[test]
fn pads_on_every_path() {
    check_pads_on_paths::<u8>();
    check_pads_on_paths::<f16>();
    check_pads_on_paths::<i32>();
    check_pads_on_paths::<u64>();
    check_pads_on_paths::<f64>();
    check_pads_on_paths::<i128>();
}

/// Floats that are equal to comparison operators, or to nothing: only their bits order them.
fn check_floats<K: Key>(bits: &[u128]) {
    for target in targets() {
        for n in lengths::<K>(target) {
            let keys: Vec<K> = (0..n).map(|i| from_bits(bits[i * 7 % bits.len()])).collect();
            for direction in DIRECTIONS {
                check_payloads::<K, u64>(target, &Case::new(keys.clone(), direction, "zeros and NaNs"));
            }
        }
    }
}

#[test]
fn zeros_and_nans_of_f32() {
    // ±0, quiet and signalling NaNs of both signs, with and without payload bits.
    check_floats::<f32>(&[
        0,
        0x8000_0000,
        0x7fc0_0000,
        0xffc0_0000,
        0x7f80_0001,
        0xff80_0001,
        0x7fff_ffff,
        0xffff_ffff,
    ]);
}

#[test]
fn zeros_and_nans_of_f64() {
    let positive = [0, 0x7ff8 << 48, 0x7ff0 << 48 | 1, (1 << 63) - 1, 0x7ff8 << 48 | 0x1234];
    check_floats::<f64>(&positive.map(|bits| [bits, bits | 1 << 63]).concat());
}

/// Descending is not ascending reversed: equal keys keep the order of the input.
#[test]
fn descending_is_stable() {
    for target in targets() {
        let keys = [2u32, 1, 2, 1, 2];
        let order = target.device.argsort(&keys, gridsort_tests::options(DIRECTIONS[1])).unwrap();
        assert_eq!(order, [0, 2, 4, 1, 3], "{target}");
        let case =
            Case::new(Pattern::Zipf.keys::<u32>(if target.is_slow() { 500 } else { 3000 }, 3), DIRECTIONS[1], "zipf");
        check_payloads::<u32, u32>(target, &case);
    }
}
