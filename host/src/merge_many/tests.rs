//! Merges of many inputs on the CPU and on the emulator: what goes wrong, and what the whole-library tests do not reach.
use crate::device::{Device, DeviceBuffer, DeviceSlice, DeviceSliceMut, EmulatorOptions};
use crate::error::Error;
use crate::options::SortOptions;
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;
use std::collections::HashSet;

fn small() -> Device {
    Device::emulator_with(EmulatorOptions { tiles: Tiles::Small, ..Default::default() })
}

fn views<T: bytemuck::Pod>(buffers: &[DeviceBuffer<T>]) -> Vec<&DeviceSlice<'static, T>> {
    buffers.iter().map(|buffer| &***buffer).collect()
}

/// `k` runs of 100 keys.
fn runs(device: &Device, k: u32) -> Vec<DeviceBuffer<u32>> {
    (0..k).map(|run| device.upload(&(0..100).map(|i| i * 7 + run).collect::<Vec<_>>()).unwrap()).collect()
}

#[test]
fn unsorted_slices_are_refused() {
    for device in [small(), Device::cpu()] {
        let error = device.merge_many(&[&[1, 2], &[1, 2, 4, 3], &[]], SortOptions::new()).unwrap_err();
        assert!(matches!(error, Error::NotSorted { input: "an input", position: 3 }));
        let inputs: [(&[i32], &[u8]); 2] = [(&[2, 1], &[0; 2]), (&[1, 2], &[0; 2])];
        let error = device.merge_many_pairs(&inputs, SortOptions::new().descending()).unwrap_err();
        assert!(matches!(error, Error::NotSorted { position: 1, .. }));
    }
}

#[test]
fn mixed_up_arguments_are_refused() {
    for device in [small(), Device::cpu()] {
        let options = SortOptions::new();
        let mut workspace = Workspace::new(&device);
        let inputs = runs(&device, 5);
        let (mut short, mut out) = (device.allocate(499).unwrap(), device.allocate(500).unwrap());
        let error = device.merge_many_buffers(&views(&inputs), &mut short, &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 500, found: 499, .. }));

        let pairs: Vec<_> = inputs.iter().map(|keys| (&***keys, &***keys)).collect();
        let error =
            device.merge_many_pairs_buffers(&pairs, (&mut out, &mut short), &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { what: "the payload output", .. }));
        let unlike = [(&**inputs[0], &**short)];
        let mut payloads = device.allocate(100).unwrap();
        let mut keys = device.allocate(100).unwrap();
        let error =
            device.merge_many_pairs_buffers(&unlike, (&mut keys, &mut payloads), &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { what: "an input", expected: 100, found: 499 }));

        let elsewhere = small();
        let others = runs(&elsewhere, 1);
        let mut mixed = views(&inputs[..4]);
        mixed.push(views(&others)[0]);
        let error = device.merge_many_buffers(&mixed, &mut out, &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::DeviceMismatch { what: "an input" }));
        let error =
            device.merge_many_buffers(&views(&inputs), &mut out, &mut Workspace::new(&elsewhere), options).unwrap_err();
        assert!(matches!(error, Error::DeviceMismatch { what: "the workspace" }));
        let mut there = elsewhere.allocate(500).unwrap();
        let error = device.merge_many_buffers(&views(&inputs), &mut there, &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::DeviceMismatch { what: "the output buffer" }));

        let wide: Vec<_> = inputs.iter().map(|_| device.allocate::<[u64; 3]>(100).unwrap()).collect();
        let pairs: Vec<_> = inputs.iter().zip(&wide).map(|(keys, wide)| (&***keys, &***wide)).collect();
        let mut wide_out = device.allocate(500).unwrap();
        let error =
            device.merge_many_pairs_buffers(&pairs, (&mut out, &mut wide_out), &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::PayloadSize { bytes: 24, limit: 16 }));
    }
}

#[test]
fn an_output_over_an_input_is_refused_and_nothing_written() {
    for device in [small(), Device::cpu()] {
        let options = SortOptions::new();
        let memory = device.upload(&(0..500u32).collect::<Vec<_>>()).unwrap();
        let apart = runs(&device, 3);
        // The last input is the output's first element.
        let last = memory.slice(..1).unwrap();
        // SAFETY: within the buffer; the operations refuse to write it while it is read.
        let mut out = unsafe { DeviceSliceMut::<u32>::from_raw(&device, memory.address(), 301).unwrap() };
        let mut inputs = views(&apart);
        inputs.push(&last);
        let mut workspace = Workspace::new(&device);
        let error = device.merge_many_buffers(&inputs, &mut out, &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::Overlap { first: "the output buffer", second: "an input" }));

        // Payloads of an input in the key output, and one output in the other.
        let mut free = device.allocate(301).unwrap();
        let pairs = views(&apart).into_iter().map(|keys| (keys, keys));
        let pairs: Vec<_> = pairs.chain([(&last, &last)]).collect();
        let error =
            device.merge_many_pairs_buffers(&pairs, (&mut out, &mut free), &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::Overlap { first: "the key output", .. }));
        let error =
            device.merge_many_pairs_buffers(&pairs, (&mut free, &mut out), &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::Overlap { first: "the payload output", .. }));
        // SAFETY: as above.
        let mut same = unsafe { DeviceSliceMut::<u32>::from_raw(&device, free.address() + 4, 300).unwrap() };
        let mut front = free.slice_mut(..300).unwrap();
        let error =
            device.merge_many_pairs_buffers(&pairs[..3], (&mut front, &mut same), &mut workspace, options).unwrap_err();
        assert!(matches!(error, Error::Overlap { first: "the key output", second: "the payload output" }));
        assert_eq!(workspace.bytes(), 0);
        assert_eq!(memory.to_vec().unwrap(), (0..500).collect::<Vec<_>>());
    }
}

/// As much scratch memory as is asked for is enough, and less is refused before anything is written.
#[test]
fn scratch_memory_is_as_told() {
    let device = small();
    for k in [3, 16, 17, 40, 300] {
        let inputs = runs(&device, k);
        let n = 100 * k as usize;
        let payloads: Vec<DeviceBuffer<u8>> = inputs.iter().map(|_| device.upload(&[3; 100]).unwrap()).collect();
        let pairs: Vec<_> = inputs.iter().zip(&payloads).map(|(keys, payload)| (&***keys, &***payload)).collect();
        let (mut out, mut moved) = (device.upload(&vec![u32::MAX; n]).unwrap(), device.upload(&vec![9u8; n]).unwrap());
        let lengths = vec![100; k as usize];
        let keys_need = device.merge_many_scratch_bytes::<u32>(&lengths).unwrap();
        let pairs_need = device.merge_many_pairs_scratch_bytes::<u32, u8>(&lengths).unwrap();
        assert!(0 < keys_need && keys_need < pairs_need);
        for (need, with_payloads) in [(keys_need, false), (pairs_need, true)] {
            for missing in [1, 0] {
                let memory = device.allocate::<u8>((need - missing) as usize).unwrap();
                let mut workspace = Workspace::from_buffer(memory);
                let done = if with_payloads {
                    let out = (&mut *out, &mut *moved);
                    device.merge_many_pairs_buffers(&pairs, out, &mut workspace, SortOptions::new())
                } else {
                    device.merge_many_buffers(&views(&inputs), &mut out, &mut workspace, SortOptions::new())
                };
                if missing == 0 {
                    done.unwrap();
                    assert!(out.to_vec().unwrap().is_sorted());
                    out.copy_from_slice(&vec![u32::MAX; n]).unwrap();
                } else {
                    let error = done.unwrap_err();
                    assert!(matches!(error, Error::ScratchTooSmall { needed, .. } if needed == need), "{error}");
                    assert!(out.to_vec().unwrap().iter().all(|&key| key == u32::MAX));
                    assert!(moved.to_vec().unwrap().iter().all(|&byte| byte == 9));
                }
            }
        }
        assert_eq!(moved.to_vec().unwrap(), vec![3; n]);
    }
}

/// Inputs that are not sorted: no fault, and nothing that was not in them, but for the last key there is, which ends runs.
#[test]
fn unsorted_buffers_do_no_harm() {
    for device in [small(), Device::cpu()] {
        let mut workspace = Workspace::new(&device);
        for (step, len) in [(40503, 300), (65536 - 7, 1900), (1, 40), (30000, 3000)] {
            let keys: Vec<u32> = (0..6000u32).map(|i| i * step % 65537).collect();
            let payloads: Vec<[u8; 3]> = (0..6000u32).map(|i| [i as u8, (i >> 8) as u8, 0xa5]).collect();
            let inputs: Vec<_> = keys.chunks(len).map(|run| device.upload(run).unwrap()).collect();
            let moved: Vec<_> = payloads.chunks(len).map(|run| device.upload(run).unwrap()).collect();
            let pairs: Vec<_> = views(&inputs).into_iter().zip(views(&moved)).collect();
            let mut out = (device.allocate(keys.len()).unwrap(), device.allocate(keys.len()).unwrap());
            let options = SortOptions::new();
            device.merge_many_buffers(&views(&inputs), &mut out.0, &mut workspace, options).unwrap();
            let known: HashSet<u32> = keys.iter().copied().chain([u32::MAX]).collect();
            assert!(out.0.to_vec().unwrap().iter().all(|key| known.contains(key)));
            let buffers = (&mut *out.0, &mut *out.1);
            device.merge_many_pairs_buffers(&pairs, buffers, &mut workspace, options).unwrap();
            assert!(out.0.to_vec().unwrap().iter().all(|key| known.contains(key)));
            let known: HashSet<[u8; 3]> = payloads.into_iter().collect();
            assert!(out.1.to_vec().unwrap().iter().all(|payload| known.contains(payload)));
        }
    }
}
