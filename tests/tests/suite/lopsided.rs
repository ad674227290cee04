//! Merges of which one side is empty, or comes before all of the other: no cut may leave a run, and ties go to the first.
use gridsort::{Direction, Key, Payload, PayloadWidth, Workspace};
use gridsort_tests::case::tied_keys;
use gridsort_tests::{Case, DIRECTIONS, Target, bf16, options, payload_of, same, targets};

/// How the second run's keys lie to the first's.
#[derive(Clone, Copy, Debug)]
enum Side {
    Before,
    Behind,
    Equal,
    /// Behind, but for one tie where they meet.
    Touching,
}

/// Two sorted runs.
fn runs<K: Key>(a_len: usize, b_len: usize, side: Side, direction: Direction) -> [Vec<K>; 2] {
    let all = Case::new(tied_keys::<K>(a_len + b_len, 90), direction, "all").sorted;
    match side {
        Side::Behind => [all[..a_len].to_vec(), all[a_len..].to_vec()],
        Side::Before => [all[b_len..].to_vec(), all[..b_len].to_vec()],
        Side::Equal => [a_len, b_len].map(|len| tied_keys(len, 1)),
        Side::Touching => {
            let (a, mut b) = (all[..a_len].to_vec(), all[a_len..].to_vec());
            if let (Some(last), Some(first)) = (a.last(), b.first_mut()) {
                *first = *last;
            }
            [a, b]
        }
    }
}

fn check_merge<K: Key, P: Payload>(target: &Target, (a_len, b_len): (usize, usize), direction: Direction) {
    let (device, n) = (&target.device, a_len + b_len);
    for side in [Side::Before, Side::Behind, Side::Equal, Side::Touching] {
        let [a, b] = runs::<K>(a_len, b_len, side, direction);
        let case = Case::new([&a[..], &b].concat(), direction, format_args!("{a_len} and {b_len}, {side:?}"));
        let at = || format!("merge on {target}, {}", case.name);
        let payloads: Vec<P> = (0..n as u64).map(payload_of).collect();
        let (a_payloads, b_payloads) = payloads.split_at(a_len);
        let a = (device.upload(&a).unwrap(), device.upload(a_payloads).unwrap());
        let b = (device.upload(&b).unwrap(), device.upload(b_payloads).unwrap());
        let mut out = (device.allocate(n).unwrap(), device.allocate(n).unwrap());
        device.merge_buffers(&a.0, &b.0, &mut out.0, options(direction)).unwrap();
        same(&out.0.to_vec().unwrap(), &case.sorted, at);
        let mut out = (device.allocate(n).unwrap(), out.1);
        let workspace = &mut Workspace::new(device);
        device
            .merge_pairs_with((&a.0, &a.1), (&b.0, &b.1), (&mut out.0, &mut out.1), workspace, options(direction))
            .unwrap();
        same(&out.0.to_vec().unwrap(), &case.sorted, at);
        same(&out.1.to_vec().unwrap(), &case.sorted_payloads::<P>(), || format!("payloads of {}", at()));
    }
}

fn check<K: Key, P: Payload>() {
    for target in targets() {
        let tile = target.shape(K::WIDTH, PayloadWidth::W32).merge_tile as usize;
        let mut lengths = vec![(0, 0), (0, 1), (1, 0), (0, tile + 1), (tile, 1), (1, tile)];
        if !target.is_slow() {
            lengths.extend([(0, 5 * tile), (5 * tile + 1, 0), (tile, tile), (3 * tile, 40 * tile + 7)]);
            lengths.extend([(40 * tile, 1), (2, 40 * tile - 1)]);
        }
        if target.is_cuda() {
            // So many tiles that their cuts are searched for beforehand; with tiny tiles a few do.
            lengths.extend([(300 * tile, 300 * tile + 5), (1, 600 * tile), (600 * tile + 3, 2), (0, 600 * tile)]);
        }
        for lengths in lengths {
            DIRECTIONS.into_iter().for_each(|direction| check_merge::<K, P>(target, lengths, direction));
        }
    }
}

#[test]
fn of_narrow_keys() {
    check::<u8, u32>();
    check::<bf16, u64>();
}

#[test]
fn of_four_bytes() {
    check::<f32, u32>();
}

#[test]
fn of_eight_bytes() {
    check::<i64, u64>();
}

/// Payloads that are fetched by position.
#[test]
fn of_wide_keys() {
    check::<u128, [u16; 3]>();
}
