//! Merges of many inputs by orders of the user's own.
use super::*;
use crate::device::{DeviceBuffer, DeviceSlice, DeviceSliceMut, Graph};
use crate::key::Payload;
use crate::plan::ALIGNMENT;

/// Numbers of inputs: none, one and two, which are no merges of many; as many as a pass takes, and one more.
const INPUTS: [usize; 7] = [0, 1, 2, 3, 16, 17, 40];

/// Inputs of about `len` keys, one of them empty and one of them a single key, where there are enough.
fn about(k: usize, len: usize) -> Vec<usize> {
    let mut lengths: Vec<usize> = (0..k).map(|input| len + input * 7 % 11).collect();
    if k > 2 {
        lengths[k / 2] = 0;
        lengths[k - 1] = 1;
    }
    lengths
}

/// As many views as there are lengths of what is one behind the other in a buffer.
fn views<'a, T: bytemuck::Pod>(buffer: &'a DeviceBuffer<T>, lengths: &[usize]) -> Vec<DeviceSlice<'a, T>> {
    let mut start = 0;
    let view = |len: &usize| {
        start += len;
        buffer.slice(start - len..start).unwrap()
    };
    lengths.iter().map(view).collect()
}

/// Merges buffers of keys with payloads, which may be sorted or not.
fn merged_pairs<K: OrderedKey, P: Payload>(
    device: &Device,
    order: &CustomOrder<K>,
    (keys, payloads): (&[K], &[P]),
    lengths: &[usize],
) -> (Vec<K>, Vec<P>) {
    let (key_buffer, payload_buffer) = (device.upload(keys).unwrap(), device.upload(payloads).unwrap());
    let (key_views, payload_views) = (views(&key_buffer, lengths), views(&payload_buffer, lengths));
    let inputs: Vec<_> = key_views.iter().zip(&payload_views).collect();
    let (mut out, mut moved) = (device.allocate(keys.len()).unwrap(), device.allocate(keys.len()).unwrap());
    let mut workspace = Workspace::new(device);
    order.merge_many_pairs_buffers(device, &inputs, (&mut out, &mut moved), &mut workspace).unwrap();
    assert!(workspace.bytes() <= order.merge_many_scratch_bytes(device, lengths, size_of::<P>()).unwrap());
    assert_eq!(bytemuck::cast_slice::<K, u8>(&key_buffer.to_vec().unwrap()), bytemuck::cast_slice::<K, u8>(keys));
    (out.to_vec().unwrap(), moved.to_vec().unwrap())
}

/// Sorts inputs of these lengths and merges them in every way, against the standard library's stable sort.
fn check_merge<K: OrderedKey + PartialEq>(device: &Device, order: &CustomOrder<K>, keys: &[K], lengths: &[usize]) {
    let few = lengths.iter().take(20).collect::<Vec<_>>();
    let at = format!("{} inputs, {few:?}, of keys of {} bytes on {device:?}", lengths.len(), size_of::<K>());
    let mut keys = keys.to_vec();
    let mut rest = &mut keys[..];
    for &len in lengths {
        let (run, others) = rest.split_at_mut(len);
        run.sort_by(compare);
        rest = others;
    }
    let mut tagged: Vec<(K, u64)> = keys.iter().copied().zip(0..).collect();
    tagged.sort_by(|x, y| compare(&x.0, &y.0));
    let (sorted, positions): (Vec<K>, Vec<u64>) = tagged.into_iter().unzip();

    let buffer = device.upload(&keys).unwrap();
    let inputs = views(&buffer, lengths);
    let inputs: Vec<&DeviceSlice<'_, K>> = inputs.iter().collect();
    let mut out = device.allocate(keys.len()).unwrap();
    let mut workspace = Workspace::new(device);
    order.merge_many_buffers(device, &inputs, &mut out, &mut workspace).unwrap();
    assert_eq!(out.to_vec().unwrap(), sorted, "keys of {at}");
    assert!(workspace.bytes() <= order.merge_many_scratch_bytes(device, lengths, 0).unwrap());

    let wide: Vec<u64> = (0..keys.len() as u64).collect();
    let found = merged_pairs(device, order, (&keys, &wide), lengths);
    assert_eq!(found, (sorted.clone(), positions.clone()), "payloads of 8 bytes of {at}");

    let narrow: Vec<u32> = (0..keys.len() as u32).collect();
    let (mut inputs, mut start) = (Vec::new(), 0);
    for &len in lengths {
        inputs.push((&keys[start..start + len], &narrow[start..start + len]));
        start += len;
    }
    let found = order.merge_many_pairs(device, &inputs).unwrap();
    assert_eq!(found.0, sorted, "payloads of 4 bytes of {at}");
    assert!(found.1.iter().map(|&p| u64::from(p)).eq(positions), "payloads of 4 bytes of {at}");
    let inputs: Vec<&[K]> = inputs.iter().map(|input| input.0).collect();
    assert_eq!(order.merge_many(device, &inputs).unwrap(), sorted, "slices of {at}");
}

#[test]
fn any_number_of_inputs_is_merged_stably() {
    for device in [small(), Device::cpu()] {
        for k in INPUTS {
            for values in [1, 4, u32::MAX] {
                let lengths = about(k, 60);
                let keys: Vec<Record> = (0..lengths.iter().sum()).map(|i| record(i, values)).collect();
                check_merge(&device, &RECORDS, &keys, &lengths);
            }
        }
        // Three passes, and runs that one of them only moves.
        let lengths = about(300, 4);
        let keys: Vec<Record> = (0..lengths.iter().sum()).map(|i| record(i, 40)).collect();
        check_merge(&device, &RECORDS, &keys, &lengths);
    }
}

#[test]
fn lengths_that_have_nothing_to_do_with_each_other() {
    let mut among_short = vec![3; 30];
    among_short[20] = 3000;
    let mut one_filled = vec![0; 40];
    let only_empty = one_filled.clone();
    one_filled[33] = 100;
    let mut two_filled = one_filled.clone();
    two_filled[5] = 60;
    let growing: Vec<usize> = (0..12).map(|input| 1 << input).collect();
    let shrinking: Vec<usize> = growing.iter().rev().copied().collect();
    let all = [among_short, only_empty, one_filled, two_filled, growing, shrinking, vec![3000, 1, 1], vec![1; 200]];
    for device in [small(), Device::cpu()] {
        for lengths in &all {
            for values in [1, 50] {
                let keys: Vec<Record> = (0..lengths.iter().sum()).map(|i| record(i, values)).collect();
                check_merge(&device, &RECORDS, &keys, lengths);
            }
        }
        // Each input a range of its own, the last one first; so many tiles that cuts are searched for in two steps.
        let lengths = [4000, 3000, 1500, 2500, 5];
        let key = |i: usize| Record { first: i as u32 / 2, second: 0, rest: i as u32 };
        check_merge(&device, &RECORDS, &(0..11_005).map(key).collect::<Vec<_>>(), &lengths);
    }
}

#[test]
fn keys_of_every_kind_of_size_in_merges_of_many() {
    fn check_size<K: OrderedKey + PartialEq>(order: CustomOrder<K>) {
        let key = |i: usize| {
            let mut key = K::zeroed();
            let bytes = bytemuck::bytes_of_mut(&mut key);
            bytes.iter_mut().enumerate().for_each(|(at, byte)| *byte = (scrambled(i, at as u32) % 7) as u8);
            key
        };
        for k in [3, 7, 12, 20] {
            let lengths = about(k, 40);
            check_merge(&small(), &order, &(0..lengths.iter().sum()).map(key).collect::<Vec<_>>(), &lengths);
        }
    }
    check_size(CustomOrder::new(&bytes_1::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_3::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_8::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_16::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_20::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_32::KERNELS, &[]));
}

#[test]
fn full_tiles_in_merges_of_many() {
    for k in [3, 6, 18] {
        let lengths = about(k, 3500 / k);
        let keys: Vec<Record> = (0..lengths.iter().sum()).map(|i| record(i, 50)).collect();
        check_merge(&Device::emulator(), &RECORDS, &keys, &lengths);
    }
}

/// The merge of keys alone, and whether a pass had no result: the word with which scratch memory ends tells.
fn merged_wilds(keys: &[Wild], lengths: &[usize]) -> (Vec<Wild>, bool) {
    let device = small();
    let buffer = device.upload(keys).unwrap();
    let inputs = views(&buffer, lengths);
    let inputs: Vec<&DeviceSlice<'_, Wild>> = inputs.iter().collect();
    let mut out = device.allocate(keys.len()).unwrap();
    let bytes = WILDS.merge_many_scratch_bytes(&device, lengths, 0).unwrap() as usize;
    let scratch = device.allocate::<u8>(bytes).unwrap();
    // SAFETY: the buffer's own bytes; it outlives the work, which is done when the call returns.
    let view = unsafe { DeviceSliceMut::from_raw(&device, scratch.address(), bytes).unwrap() };
    WILDS.merge_many_buffers(&device, &inputs, &mut out, &mut Workspace::from_buffer(view)).unwrap();
    let flag = bytes - ALIGNMENT as usize;
    let raised = scratch.slice(flag..flag + size_of::<u32>()).unwrap().to_vec().unwrap() != [0; 4];
    (out.to_vec().unwrap(), raised)
}

#[test]
fn no_order_makes_a_merge_of_many_lose_or_double_a_key() {
    // By the number of passes.
    let (mut restored, mut merged) = ([0; 3], [0; 3]);
    for (k, len, pass) in [(3, 70, 0), (5, 300, 0), (16, 40, 0), (17, 30, 1), (40, 30, 1), (300, 4, 2)] {
        let lengths = about(k, len);
        let n: usize = lengths.iter().sum();
        for rule in 0..=RULES {
            // The last round mixes all rules.
            let rule_of = |i: usize| if rule < RULES { rule } else { scrambled(i, 5) % RULES };
            for (seed, values) in [(3, u32::MAX), (77, 30)] {
                let key = |i| Wild { value: scrambled(i, seed) % values, rule: rule_of(i) };
                let keys: Vec<Wild> = (0..n).map(key).collect();
                let at = format!("{k} inputs by rule {rule}");
                let (mut found, raised) = merged_wilds(&keys, &lengths);
                [&mut merged, &mut restored][usize::from(raised)][pass] += 1;
                assert!(!raised || found == keys, "{at}: what is restored are the inputs");
                let mut expected = keys.clone();
                expected.sort();
                found.sort();
                assert_eq!(found, expected, "{at}");
                for device in [small(), Device::cpu()] {
                    check_wild_pairs::<u32>(&device, &keys, &lengths, |tag| *tag as usize, &at);
                    check_wild_pairs::<u64>(&device, &keys, &lengths, |tag| *tag as usize, &at);
                }
            }
        }
    }
    // Else neither the guard between blocks nor that within them was put to the test.
    assert!(restored.iter().chain(&merged).all(|&merges| merges > 0), "{restored:?} {merged:?}");
}

/// Every key with its own payload, once.
fn check_wild_pairs<P: Payload + TryFrom<usize>>(
    device: &Device,
    keys: &[Wild],
    lengths: &[usize],
    position: impl Fn(&P) -> usize,
    at: &str,
) {
    let tags: Vec<P> = (0..keys.len()).filter_map(|i| P::try_from(i).ok()).collect();
    let (found, tags) = merged_pairs(device, &WILDS, (keys, &tags), lengths);
    let mut seen = vec![false; keys.len()];
    for (key, tag) in found.iter().zip(&tags) {
        assert_eq!(*key, keys[position(tag)], "{at} on {device:?}");
        assert!(!std::mem::replace(&mut seen[position(tag)], true), "{at} on {device:?}");
    }
    assert!(seen.iter().all(|&seen| seen), "{at} on {device:?}");
}

#[test]
fn inputs_that_are_not_sorted_lose_nothing() {
    for device in [small(), Device::cpu()] {
        for k in [3, 16, 40] {
            let lengths = about(k, 100);
            let keys: Vec<Record> = (0..lengths.iter().sum()).map(|i| record(i, u32::MAX)).collect();
            let tags: Vec<u32> = (0..keys.len() as u32).collect();
            let (found, tags) = merged_pairs(&device, &RECORDS, (&keys, &tags), &lengths);
            let mut order = tags.clone();
            order.sort_unstable();
            assert!(order.into_iter().eq(0..keys.len() as u32), "{k} inputs on {device:?}");
            assert!(found.iter().zip(&tags).all(|(key, &tag)| *key == keys[tag as usize]), "{k} inputs on {device:?}");
        }
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    for device in [small(), Device::cpu()] {
        let (low, high) = (record(0, u32::MAX), Record { first: u32::MAX, second: 0, rest: 0 });
        let error = RECORDS.merge_many(&device, &[&[high], &[], &[high, low, high]]).unwrap_err();
        assert!(matches!(error, Error::NotSorted { input: "an input", position: 2 }));
        let inputs: [(&[Record], &[u32]); 1] = [(&[high], &[1, 2])];
        let error = RECORDS.merge_many_pairs(&device, &inputs).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 1, found: 2, .. }));
        let inputs: [(&[Record], &[u8]); 1] = [(&[high], &[1])];
        assert!(matches!(RECORDS.merge_many_pairs(&device, &inputs), Err(Error::NotSupported { .. })));
        let error = RECORDS.merge_many_scratch_bytes(&device, &[5, 6, 7], 3).unwrap_err();
        assert!(matches!(error, Error::NotSupported { .. }));
        let error = RECORDS.merge_many_scratch_bytes(&device, &[usize::MAX, 1], 0).unwrap_err();
        assert!(matches!(error, Error::TooLarge { .. }));

        let keys = device.upload(&[high, high, high]).unwrap();
        let inputs = views(&keys, &[1, 1, 1]);
        let inputs: Vec<&DeviceSlice<'_, Record>> = inputs.iter().collect();
        let workspace = &mut Workspace::new(&device);
        let error = RECORDS.merge_many_buffers(&device, &inputs, &mut device.allocate(2).unwrap(), workspace);
        assert!(matches!(error, Err(Error::LengthMismatch { expected: 3, found: 2, .. })));
        // SAFETY: the buffer's own elements; the operation refuses to write them.
        let mut same = unsafe { DeviceSliceMut::from_raw(&device, keys.address(), 3).unwrap() };
        let error = RECORDS.merge_many_buffers(&device, &inputs, &mut same, workspace);
        assert!(matches!(error, Err(Error::Overlap { .. })));
        let elsewhere = &mut Workspace::new(&small());
        let mut out = device.allocate(3).unwrap();
        let error = RECORDS.merge_many_buffers(&device, &inputs, &mut out, elsewhere);
        assert!(matches!(error, Err(Error::DeviceMismatch { .. })));
        assert_eq!(workspace.bytes(), 0);
        RECORDS.prepare(&device, 0).unwrap();
        RECORDS.merge_many_buffers(&device, &inputs, &mut out, workspace).unwrap();
    }
}

#[test]
fn scratch_memory_of_merges_of_many_is_what_was_asked_for() {
    let device = small();
    for k in [2, 3, 17, 300] {
        let lengths = vec![20; k];
        let keys = device.upload(&vec![record(7, 9); 20 * k]).unwrap();
        let inputs = views(&keys, &lengths);
        let inputs: Vec<&DeviceSlice<'_, Record>> = inputs.iter().collect();
        let mut out = device.allocate(20 * k).unwrap();
        let bytes = RECORDS.merge_many_scratch_bytes(&device, &lengths, 0).unwrap();
        let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize - 1).unwrap());
        let error = RECORDS.merge_many_buffers(&device, &inputs, &mut out, &mut workspace).unwrap_err();
        assert!(matches!(error, Error::ScratchTooSmall { needed, .. } if needed == bytes), "{k}");
        let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
        RECORDS.merge_many_buffers(&device, &inputs, &mut out, &mut workspace).unwrap();
        assert_eq!(out.to_vec().unwrap(), keys.to_vec().unwrap());
    }
    assert_eq!(RECORDS.merge_many_scratch_bytes(&device, &[0, 1000, 0], 4).unwrap(), 0);
}

/// Captured once, launched twice: with an order that holds, and with one that has to be restored from.
#[test]
fn a_graph_of_a_merge_of_many() {
    let device = small();
    WILDS.prepare(&device, 0).unwrap();
    let lengths = about(20, 50);
    let n = lengths.iter().sum();
    let mut keys = device.upload(&vec![Wild { value: 0, rule: 1 }; n]).unwrap();
    let mut out = device.allocate::<Wild>(n).unwrap();
    let mut workspace = Workspace::new(&device);
    workspace.reserve(WILDS.merge_many_scratch_bytes(&device, &lengths, 0).unwrap()).unwrap();
    let graph = Graph::capture(&device, |device| {
        let inputs = views(&keys, &lengths);
        let inputs: Vec<&DeviceSlice<'_, Wild>> = inputs.iter().collect();
        WILDS.merge_many_buffers(device, &inputs, &mut out, &mut workspace)
    });
    let graph = graph.unwrap();
    for rule in [5, 3, 0, 5] {
        let input: Vec<Wild> = (0..n).map(|i| Wild { value: scrambled(i, rule), rule }).collect();
        keys.copy_from_slice(&input).unwrap();
        graph.launch(&device).unwrap();
        let (mut found, mut expected) = (out.to_vec().unwrap(), input);
        found.sort();
        expected.sort();
        assert_eq!(found, expected, "rule {rule}");
    }
}
