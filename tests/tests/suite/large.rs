//! Tens of millions of keys, on a GPU only. Results are held against order, fingerprint and, in an optimised build,
//! another sort.
use gridsort::{Direction, EmulatorConfig, Key, SortOptions, Workspace};
use gridsort_tests::evidence::{fingerprint, out_of_order, wrong_order};
use gridsort_tests::{DIRECTIONS, Pattern, Target, options, payload_of, same, target, targets};
use rayon::prelude::*;

const N: usize = (1 << 26) + 17;

fn check_keys<K: Key>(name: &str, seed: u64) {
    let Some(gpu) = target::gpu(name) else {
        return;
    };
    let keys = Pattern::Random.keys::<K>(N, seed);
    let expected = fingerprint(&keys);
    let mut workspace = Workspace::new(&gpu.device);
    let mut buffer = gpu.device.upload(&keys).unwrap();
    for direction in DIRECTIONS {
        buffer.copy_from_slice(&keys).unwrap();
        gpu.device.sort_buffer(&mut buffer, &mut workspace, options(direction)).unwrap();
        let sorted = buffer.to_vec().unwrap();
        assert_eq!(out_of_order(&sorted, direction), None, "{direction}");
        assert_eq!(fingerprint(&sorted), expected, "{direction}");
        // Takes minutes without optimisation.
        if direction == Direction::Ascending && !cfg!(debug_assertions) {
            let mut keys = keys.clone();
            keys.par_sort_unstable_by(K::order);
            same(&sorted, &keys, || "rayon's sort".into());
        }
    }
}

#[test]
fn keys_of_32_bits() {
    check_keys::<u32>("keys_of_32_bits", 1);
}

#[test]
fn keys_of_64_bits() {
    check_keys::<u64>("keys_of_64_bits", 2);
}

/// Payloads are positions: so they tell what became of each key. Few values: long runs of ties.
#[test]
fn pairs() {
    let Some(gpu) = target::gpu("pairs") else {
        return;
    };
    for pattern in [Pattern::Random, Pattern::FewValues] {
        let keys = pattern.keys::<u32>(N, 3);
        let (mut sorted, mut payloads) = (keys.clone(), (0..N as u32).collect::<Vec<_>>());
        gpu.device.sort_pairs(&mut sorted, &mut payloads, SortOptions::new()).unwrap();
        let order: Vec<u64> = payloads.into_iter().map(u64::from).collect();
        assert_eq!(wrong_order(&keys, &sorted, &order, Direction::Ascending), None, "{pattern:?}");

        let keys = pattern.keys::<f64>(N, 4);
        let (mut sorted, mut payloads) = (keys.clone(), (0..N as u64).collect::<Vec<_>>());
        gpu.device.sort_pairs(&mut sorted, &mut payloads, SortOptions::new().descending()).unwrap();
        assert_eq!(wrong_order(&keys, &sorted, &payloads, Direction::Descending), None, "{pattern:?}");
    }
}

#[test]
fn argsorts() {
    let Some(gpu) = target::gpu("argsorts") else {
        return;
    };
    let gather = |keys: &[u64], order: &[u64]| order.iter().map(|&i| keys[i as usize]).collect::<Vec<_>>();
    let mut workspace = Workspace::new(&gpu.device);
    let keys = Pattern::Zipf.keys::<u64>(N, 5);
    let buffer = gpu.device.upload(&keys).unwrap();
    for direction in DIRECTIONS {
        let order = gpu.device.argsort_buffer(&buffer, &mut workspace, options(direction)).unwrap().to_vec().unwrap();
        assert_eq!(wrong_order(&keys, &gather(&keys, &order), &order, direction), None);
        let narrow = gpu.device.argsort_buffer_u32(&buffer, &mut workspace, options(direction)).unwrap();
        assert!(narrow.to_vec().unwrap().into_iter().map(u64::from).eq(order), "32-bit positions, {direction}");
        assert!(buffer.to_vec().unwrap() == keys, "the keys were changed");
    }
}

/// The same keys, sorted again and again with the same scratch memory, whatever it holds: alone, and with payloads under
/// long ties. On the emulator, fewer keys and another schedule each time.
#[test]
fn repeats_are_equal() {
    let config = |seed| EmulatorConfig { workers: 2, resident: 3, seed, ..Default::default() };
    for target in targets() {
        let n = if target.is_cuda() { N } else { 2500 };
        let (keys, ties) = (Pattern::Zipf.keys::<i64>(n, 6), Pattern::FewValues.keys::<f32>(n, 7));
        let payloads: Vec<u64> = (0..n as u64).map(payload_of).collect();
        let mut first = None;
        let mut workspace = Workspace::new(&target.device);
        for repeat in 0..10 {
            let scheduled;
            let device = match target.tiles {
                Some(tiles) if !target.is_cuda() => {
                    scheduled = Target::emulator_with(tiles, config(repeat)).device;
                    workspace = Workspace::new(&scheduled);
                    &scheduled
                }
                _ => &target.device,
            };
            let mut keys = device.upload(&keys).unwrap();
            device.sort_buffer(&mut keys, &mut workspace, SortOptions::new()).unwrap();
            let (mut ties, mut moved) = (device.upload(&ties).unwrap(), device.upload(&payloads).unwrap());
            device.sort_pairs_buffer(&mut ties, &mut moved, &mut workspace, SortOptions::new()).unwrap();
            let ties: Vec<u32> = bytemuck::cast_vec(ties.to_vec().unwrap());
            let sorted = (keys.to_vec().unwrap(), ties, moved.to_vec().unwrap());
            let first = first.get_or_insert_with(|| sorted.clone());
            assert!(*first == sorted, "repeat {repeat} differs on {target}");
        }
    }
}
