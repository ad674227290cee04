//! Merges on the CPU and on the emulator against the standard library's stable sort.
use crate::device::{Device, EmulatorOptions};
use crate::error::Error;
use crate::key::{Key, compare};
use crate::options::{Direction, SortOptions};
use gridsort_kernels::entry::merge_sort::Tiles;

fn small() -> Device {
    Device::emulator_with(EmulatorOptions { tiles: Tiles::Small, ..Default::default() })
}

/// A sorted run with many ties.
fn run<K: Key + From<u8>>(n: usize, seed: usize, direction: Direction) -> Vec<K> {
    let mut run: Vec<K> = (0..n).map(|i| K::from(((i + seed) * 37 % 23) as u8)).collect();
    run.sort_by(compare(direction));
    run
}

fn check<K: Key + From<u8>>(device: &Device) {
    for (a_len, b_len) in [(0, 0), (0, 5), (5, 0), (1, 1), (48, 48), (96, 97), (95, 0), (10, 300), (500, 333)] {
        for direction in [Direction::Ascending, Direction::Descending] {
            let at = format!("{a_len} and {b_len} keys of type {}, {direction}, on {device:?}", K::NAME);
            let options = SortOptions::new().direction(direction);
            let order = compare::<K>(direction);
            let (a, b) = (run::<K>(a_len, 1, direction), run::<K>(b_len, 5, direction));
            let mut expected: Vec<(K, u64)> = a.iter().chain(&b).copied().zip(0..).collect();
            expected.sort_by(|x, y| order(&x.0, &y.0));
            let (keys, tags): (Vec<K>, Vec<u64>) = expected.into_iter().unzip();

            assert_eq!(device.merge(&a, &b, options).unwrap(), keys, "merge: {at}");

            let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
            let mut out = device.allocate(a_len + b_len).unwrap();
            device.merge_buffers(&a, &b, &mut out, options).unwrap();
            assert_eq!(out.to_vec().unwrap(), keys, "merge_buffers: {at}");

            let split = a_len as u64;
            let a_tags = device.upload(&(0..split).collect::<Vec<_>>()).unwrap();
            let b_tags = device.upload(&(split..split + b_len as u64).collect::<Vec<_>>()).unwrap();
            let mut out_tags = device.allocate(a_len + b_len).unwrap();
            device.merge_pairs_buffers((&a, &a_tags), (&b, &b_tags), (&mut out, &mut out_tags), options).unwrap();
            assert_eq!(out.to_vec().unwrap(), keys, "merge_pairs_buffers: {at}");
            assert_eq!(out_tags.to_vec().unwrap(), tags, "merge_pairs_buffers: {at}");

            // Payloads that are fetched by position.
            let tag = |tag: &u64| [*tag as u8, (*tag >> 8) as u8, 7];
            let wide: Vec<[u8; 3]> = (0..(a_len + b_len) as u64).map(|i| tag(&i)).collect();
            let (a_tags, b_tags) = (device.upload(&wide[..a_len]).unwrap(), device.upload(&wide[a_len..]).unwrap());
            let mut out_tags = device.allocate(a_len + b_len).unwrap();
            device.merge_pairs_buffers((&a, &a_tags), (&b, &b_tags), (&mut out, &mut out_tags), options).unwrap();
            let expected: Vec<[u8; 3]> = tags.iter().map(tag).collect();
            assert_eq!(out_tags.to_vec().unwrap(), expected, "merge_pairs_buffers by position: {at}");
            let (a, b) = (a.to_vec().unwrap(), b.to_vec().unwrap());
            let merged = device.merge_pairs((&a, &wide[..a_len]), (&b, &wide[a_len..]), options).unwrap();
            assert_eq!(merged, (keys, expected), "merge_pairs: {at}");
        }
    }
}

#[test]
fn merges_are_stable_on_the_emulator() {
    check::<u32>(&small());
    check::<f64>(&small());
    check::<i64>(&Device::emulator());
}

#[test]
fn merges_are_stable_on_the_cpu() {
    check::<u32>(&Device::cpu());
    check::<f64>(&Device::cpu());
}

#[test]
fn unsorted_slices_are_refused() {
    for device in [small(), Device::cpu()] {
        let error = device.merge(&[1, 2, 4, 3], &[1], SortOptions::new()).unwrap_err();
        assert!(matches!(error, Error::NotSorted { input: "the first input", position: 3 }));
        let error = device.merge(&[2, 1], &[1, 2], SortOptions::new().descending()).unwrap_err();
        assert!(matches!(error, Error::NotSorted { input: "the second input", position: 1 }));
    }
}

#[test]
fn mixed_up_arguments_are_refused() {
    for device in [small(), Device::cpu()] {
        let options = SortOptions::new();
        let (a, b) = (device.upload(&[1u32, 2]).unwrap(), device.upload(&[3u32]).unwrap());
        let (mut short, mut out) = (device.allocate(2).unwrap(), device.allocate(3).unwrap());
        let error = device.merge_buffers(&a, &b, &mut short, options).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 3, found: 2, .. }));
        let error = device.merge_pairs_buffers((&a, &a), (&b, &a), (&mut out, &mut short), options).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { what: "the second input", .. }));
        let elsewhere = small().upload(&[3u32]).unwrap();
        let error = device.merge_buffers(&a, &elsewhere, &mut out, options).unwrap_err();
        assert!(matches!(error, Error::DeviceMismatch { .. }));
    }
}
