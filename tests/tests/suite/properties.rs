//! Any keys of any length: sort, argsort, pairs and merge are the standard library's. What fails is shrunk to a small
//! example.
use gridsort::{Direction, Key};
use gridsort_tests::pattern::{from_bits, last_code};
use gridsort_tests::{Case, Target, options, payload_of, same, target};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};

/// Few cases: each runs a few hundred keys through the emulator, in an unoptimised build.
fn config(cases: u32) -> Config {
    let persistence = FileFailurePersistence::WithSource("regressions");
    Config { cases, failure_persistence: Some(Box::new(persistence)), ..Config::default() }
}

/// What keys are made of: numbers below a limit, from one value throughout to hardly any tie.
fn numbers(most: usize) -> impl Strategy<Value = (u64, Vec<u64>)> {
    // Lengths up to a warp, a tile, the two-way sort's last, and beyond.
    let length = prop_oneof![0..33usize, 0..200usize, 0..600usize, 590..most];
    (prop_oneof![1..6u64, Just(40), Just(u64::MAX)], length)
        .prop_flat_map(|(values, length)| (Just(values), prop::collection::vec(0..values, length)))
}

/// Numbers as keys: spread over the whole order, so that signs, NaNs and both ends are among them.
fn keys<K: Key>((values, numbers): &(u64, Vec<u64>)) -> Vec<K> {
    let codec = K::codec(Direction::Ascending);
    let last = last_code::<K>();
    // The largest number is the last key there is, which kernels pad with.
    let code = |x: u64| match *values {
        u64::MAX => (u128::from(x) << 64 | u128::from(x.rotate_left(7))) >> (128 - 8 * size_of::<K>()),
        values => last - u128::from(values - 1 - x) * (last / u128::from(values)),
    };
    numbers.iter().map(|&x| from_bits(codec.decode(code(x)))).collect()
}

fn directions() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Ascending), Just(Direction::Descending)]
}

/// The devices that sort a few hundred keys quickly.
fn devices() -> impl Iterator<Item = &'static Target> {
    target::targets().iter().filter(|target| !target.is_slow())
}

fn check_sorts<K: Key>(numbers: &(u64, Vec<u64>), direction: Direction) {
    let case = Case::new(keys::<K>(numbers), direction, "any");
    for target in devices() {
        case.check_slice(target);
        case.check_argsort(target);
    }
}

fn check_pairs<K: Key>(numbers: &(u64, Vec<u64>), direction: Direction) {
    let case = Case::new(keys::<K>(numbers), direction, "any");
    for target in devices() {
        case.check_pairs::<u32>(target);
        case.check_pairs::<u64>(target);
    }
}

/// Merges the sorted halves of a case, keys alone and with payloads.
fn check_merge<K: Key>(a: &(u64, Vec<u64>), b: &(u64, Vec<u64>), direction: Direction) {
    let run = |numbers| Case::new(keys::<K>(numbers), direction, "run").sorted;
    let (a, b) = (run(a), run(b));
    let case = Case::new([a.as_slice(), &b].concat(), direction, format_args!("merge of {} and {}", a.len(), b.len()));
    let options = options(direction);
    for target in devices() {
        let device = &target.device;
        let at = || format!("{target}, {}", case.name);
        same(&device.merge(&a, &b, options).unwrap(), &case.sorted, at);

        let payloads: Vec<u64> = (0..case.keys.len() as u64).map(payload_of).collect();
        let (payloads_a, payloads_b) = payloads.split_at(a.len());
        let a = (device.upload(&a).unwrap(), device.upload(payloads_a).unwrap());
        let b = (device.upload(&b).unwrap(), device.upload(payloads_b).unwrap());
        let mut out = (device.allocate(payloads.len()).unwrap(), device.allocate(payloads.len()).unwrap());
        device.merge_pairs_buffers((&a.0, &a.1), (&b.0, &b.1), (&mut out.0, &mut out.1), options).unwrap();
        same(&out.0.to_vec().unwrap(), &case.sorted, at);
        same(&out.1.to_vec().unwrap(), &case.sorted_payloads::<u64>(), at);
    }
}

proptest! {
    #![proptest_config(config(150))]

    #[test]
    fn sorts_of_u32(numbers in numbers(1300), direction in directions()) {
        check_sorts::<u32>(&numbers, direction);
    }

    #[test]
    fn sorts_of_i64(numbers in numbers(1300), direction in directions()) {
        check_sorts::<i64>(&numbers, direction);
    }

    #[test]
    fn sorts_of_f32(numbers in numbers(1300), direction in directions()) {
        check_sorts::<f32>(&numbers, direction);
    }

    #[test]
    fn pairs_of_i32(numbers in numbers(1300), direction in directions()) {
        check_pairs::<i32>(&numbers, direction);
    }

    #[test]
    fn pairs_of_f64(numbers in numbers(1300), direction in directions()) {
        check_pairs::<f64>(&numbers, direction);
    }

    #[test]
    fn merges_of_u32(a in numbers(700), b in numbers(700), direction in directions()) {
        check_merge::<u32>(&a, &b, direction);
    }

    #[test]
    fn merges_of_f64(a in numbers(700), b in numbers(700), direction in directions()) {
        check_merge::<f64>(&a, &b, direction);
    }
}

/// One input empty; all of one before all of the other; all equal.
#[test]
fn lopsided_merges() {
    let one = |x: u64, n: usize| (5, vec![x; n]);
    for direction in [Direction::Ascending, Direction::Descending] {
        for (a, b) in [(0, 0), (0, 300), (300, 0), (1, 500), (500, 1), (96, 96), (192, 97), (1000, 3)] {
            for (x, y) in [(0, 4), (4, 0), (2, 2), (4, 4), (0, 0)] {
                check_merge::<u64>(&one(x, a), &one(y, b), direction);
                check_merge::<f32>(&one(x, a), &one(y, b), direction);
            }
        }
    }
}
