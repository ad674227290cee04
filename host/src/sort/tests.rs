//! Every operation on the CPU and on the emulator, full and tiny tiles, against the standard library's sorts.
use crate::device::{Device, DeviceSliceMut, EmulatorOptions, Failures};
use crate::error::Error;
use crate::key::{Key, Payload, compare};
use crate::options::{Direction, SortOptions};
use crate::plan;
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;

/// Tiny tiles hold 192 keys, and from 600 on 96: up to two two-way passes, and up to two wider ones.
const LENGTHS: [usize; 12] = [0, 1, 2, 31, 191, 192, 193, 384, 599, 600, 1000, 3000];

fn small() -> Device {
    Device::emulator_with(EmulatorOptions { tiles: Tiles::Small, ..Default::default() })
}

/// Scrambled bits as keys; `spread` is small for many ties.
fn keys<K: Key>(n: usize, spread: u64) -> Vec<K> {
    let key = |i: usize| {
        let bits = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) % spread;
        // Spread over all bits, so that signs and NaNs are among them.
        let bytes = bits.wrapping_mul(0xd134_2543_de82_ef95).to_ne_bytes();
        let mut key = K::zeroed();
        bytemuck::bytes_of_mut(&mut key).copy_from_slice(&bytes[8 - size_of::<K>()..]);
        key
    };
    (0..n).map(key).collect()
}

/// Keys compared bit for bit: NaNs equal none by value.
fn bits<T: bytemuck::Pod>(elements: &[T]) -> &[u8] {
    bytemuck::cast_slice(elements)
}

fn check<K: Key>(device: &Device, lengths: &[usize]) {
    let mut workspace = Workspace::new(device);
    for &n in lengths {
        for (spread, direction) in
            [(u64::MAX, Direction::Ascending), (5, Direction::Ascending), (7, Direction::Descending)]
        {
            let at = format!("{} keys of type {}, {direction}, on {device:?}", n, K::NAME);
            let options = SortOptions::new().direction(direction);
            let order = compare::<K>(direction);
            let input = keys::<K>(n, spread);
            let mut expected: Vec<(K, u64)> = input.iter().copied().zip(0..).collect();
            expected.sort_by(|x, y| order(&x.0, &y.0));
            let (sorted, positions): (Vec<K>, Vec<u64>) = expected.into_iter().unzip();

            let mut slice = input.clone();
            device.sort(&mut slice, options).unwrap();
            assert_eq!(bits(&slice), bits(&sorted), "sort: {at}");

            let mut slice = input.clone();
            let mut payloads: Vec<u32> = (0..n as u32).collect();
            device.sort_pairs(&mut slice, &mut payloads, options).unwrap();
            assert_eq!(bits(&slice), bits(&sorted), "sort_pairs: {at}");
            assert!(payloads.iter().map(|&p| u64::from(p)).eq(positions.iter().copied()), "sort_pairs: {at}");

            assert_eq!(device.argsort(&input, options).unwrap(), positions, "argsort: {at}");

            let mut buffer = device.upload(&input).unwrap();
            let order = device.argsort_buffer(&buffer, &mut workspace, options).unwrap();
            assert_eq!(order.to_vec().unwrap(), positions, "argsort_buffer: {at}");
            let order = device.argsort_buffer_u32(&buffer, &mut workspace, options).unwrap().to_vec().unwrap();
            assert!(order.into_iter().map(u64::from).eq(positions.iter().copied()), "argsort_buffer_u32: {at}");
            assert_eq!(bits(&buffer.to_vec().unwrap()), bits(&input), "argsort changed its keys: {at}");

            let mut payloads = device.upload(&(0..n as i64).collect::<Vec<_>>()).unwrap();
            device.sort_pairs_buffer(&mut buffer, &mut payloads, &mut workspace, options).unwrap();
            assert_eq!(bits(&buffer.to_vec().unwrap()), bits(&sorted), "sort_pairs_buffer: {at}");
            let payloads = payloads.to_vec().unwrap();
            assert!(payloads.into_iter().map(|p| p as u64).eq(positions), "sort_pairs_buffer: {at}");

            buffer.copy_from_slice(&input).unwrap();
            device.sort_buffer(&mut buffer, &mut workspace, options).unwrap();
            assert_eq!(bits(&buffer.to_vec().unwrap()), bits(&sorted), "sort_buffer: {at}");
        }
    }
}

#[test]
fn every_key_type_with_tiny_tiles() {
    let device = small();
    check::<u32>(&device, &LENGTHS);
    check::<i32>(&device, &LENGTHS);
    check::<u64>(&device, &LENGTHS);
    check::<i64>(&device, &LENGTHS);
    check::<f32>(&device, &LENGTHS);
    check::<f64>(&device, &LENGTHS);
}

#[test]
fn every_key_type_on_the_cpu() {
    let device = Device::cpu();
    check::<u32>(&device, &LENGTHS);
    check::<i32>(&device, &LENGTHS);
    check::<u64>(&device, &LENGTHS);
    check::<i64>(&device, &LENGTHS);
    check::<f32>(&device, &LENGTHS);
    check::<f64>(&device, &LENGTHS);
}

#[test]
fn both_widths_with_full_tiles() {
    let device = Device::emulator();
    check::<f32>(&device, &[3, 9000]);
    check::<i64>(&device, &[4353]);
}

/// What an operation must leave behind where it fails: its input as it was, and no memory held.
fn fails<K: Key, P: Payload + PartialEq>(failures: &Failures, device: &Device) -> Vec<Error> {
    let input = keys::<K>(1000, u64::MAX);
    let tags = vec![P::zeroed(); 1000];
    let options = SortOptions::new();
    let mut errors = Vec::new();

    let mut slice = input.clone();
    errors.extend(device.sort(&mut slice, options).err());
    assert_eq!(bits(&slice), bits(&input));

    let mut payloads = tags.clone();
    errors.extend(device.sort_pairs(&mut slice, &mut payloads, options).err());
    assert_eq!(bits(&slice), bits(&input));
    assert_eq!(payloads, tags);

    errors.extend(device.argsort(&input, options).err());
    assert_eq!(failures.held(), 0);
    errors
}

#[test]
fn a_failed_launch_leaves_the_input_and_no_memory() {
    let (device, failures) = Failures::device();
    // A tile sort and two passes; a tile sort, a search for cuts and one pass: each of the three fails once.
    for n in [500, 1000] {
        for after in 0..3 {
            failures.fail_launch(after);
            let mut slice = keys::<u32>(n, u64::MAX);
            let input = slice.clone();
            assert!(matches!(device.sort(&mut slice, SortOptions::new()), Err(Error::Launch { .. })), "{n} {after}");
            assert_eq!((slice, failures.held()), (input, 0));
        }
    }
    failures.fail_launch(0);
    assert_eq!(fails::<f64, u32>(&failures, &device).len(), 3);
}

#[test]
fn out_of_memory_is_found_first_and_names_the_total() {
    let (device, failures) = Failures::device();
    for capacity in [0, 100, 4000, 7999] {
        failures.set_capacity(capacity);
        failures.fail_launch(0); // nothing may be launched before memory is there
        let errors = fails::<u32, u64>(&failures, &device);
        assert_eq!(errors.len(), 3, "{capacity}");
        for error in &errors {
            // With all given back, what is free is all there is.
            let Error::OutOfMemory { needed, free: Some(free), .. } = error else { panic!("{error}") };
            assert!(*needed > capacity && *free == capacity, "{error}");
        }
        let Error::OutOfMemory { needed, .. } = errors[0] else { unreachable!() };
        let shape = plan::Shape::of(u32::WIDTH, crate::PayloadWidth::None, Tiles::Small);
        assert_eq!(needed, 4000 + plan::scratch_bytes(1000, &shape).unwrap());
    }
}

#[test]
fn out_of_memory_leaves_buffers_as_they_were() {
    let (device, failures) = Failures::device();
    let input = keys::<u32>(1000, u64::MAX);
    let mut buffer = device.upload(&input).unwrap();
    let mut workspace = Workspace::new(&device);
    failures.set_capacity(failures.held() + 1000);
    let options = SortOptions::new();
    assert!(matches!(device.sort_buffer(&mut buffer, &mut workspace, options), Err(Error::OutOfMemory { .. })));
    assert!(matches!(device.argsort_buffer(&buffer, &mut workspace, options), Err(Error::OutOfMemory { .. })));
    assert_eq!(buffer.to_vec().unwrap(), input);
    failures.set_capacity(u64::MAX);
    device.sort_buffer(&mut buffer, &mut workspace, options).unwrap();
    drop((buffer, workspace));
    assert_eq!(failures.held(), 0);
}

#[test]
fn memory_is_what_the_plan_says() {
    let (device, failures) = Failures::device();
    let shape = |payload| plan::Shape::of(u32::WIDTH, payload, Tiles::Small);
    let mut workspace = Workspace::new(&device);
    let mut buffer = device.upload(&keys::<u32>(1000, 9)).unwrap();
    device.sort_buffer(&mut buffer, &mut workspace, SortOptions::new()).unwrap();
    let bytes = plan::scratch_bytes(1000, &shape(crate::PayloadWidth::None)).unwrap();
    assert_eq!((workspace.bytes(), failures.held()), (bytes, bytes + 4000));
    device.argsort_buffer(&buffer, &mut workspace, SortOptions::new()).unwrap();
    // And a copy of the keys, to sort along.
    let bytes = plan::scratch_bytes(1000, &shape(u64::PAYLOAD_WIDTH)).unwrap();
    assert_eq!(workspace.bytes(), bytes + 4096);
}

#[test]
fn mixed_up_arguments_are_refused() {
    let (a, b) = (small(), small());
    let options = SortOptions::new();
    let mut keys = a.upload(&[2u32, 1]).unwrap();
    let mut payloads = a.upload(&[0u32]).unwrap();
    let mut workspace = Workspace::new(&a);
    let mismatch = a.sort_buffer(&mut keys, &mut Workspace::new(&b), options);
    assert!(matches!(mismatch, Err(Error::DeviceMismatch { .. })));
    assert!(matches!(b.sort_buffer(&mut keys, &mut workspace, options), Err(Error::DeviceMismatch { .. })));
    let mismatch = a.sort_pairs_buffer(&mut keys, &mut payloads, &mut workspace, options);
    assert!(matches!(mismatch, Err(Error::LengthMismatch { expected: 2, found: 1, .. })));
    assert!(b.argsort_buffer(&keys, &mut workspace, options).is_err());
    assert_eq!(keys.to_vec().unwrap(), [2, 1]);
}

/// Bytes that tell positions apart as far as they can.
fn tag<const B: usize>(position: usize) -> [u8; B] {
    std::array::from_fn(|byte| (position >> (8 * (byte % 2))) as u8 ^ byte as u8)
}

/// Payloads of `B` bytes by every way that moves them.
fn check_size<const B: usize>(device: &Device, n: usize)
where
    [u8; B]: Payload,
{
    let at = format!("{n} payloads of {B} bytes on {device:?}");
    let options = SortOptions::new().descending();
    let order = compare::<i16>(options.direction);
    let input: Vec<i16> = keys(n, 50);
    let tags: Vec<[u8; B]> = (0..n).map(tag).collect();
    let mut expected: Vec<(i16, [u8; B])> = input.iter().copied().zip(tags.iter().copied()).collect();
    expected.sort_by(|x, y| order(&x.0, &y.0));
    let (sorted, moved): (Vec<i16>, Vec<[u8; B]>) = expected.into_iter().unzip();

    let (mut slice, mut payloads) = (input.clone(), tags.clone());
    device.sort_pairs(&mut slice, &mut payloads, options).unwrap();
    assert_eq!((&slice, &payloads), (&sorted, &moved), "sort_pairs: {at}");

    let (mut key_buffer, mut payload_buffer) = (device.upload(&input).unwrap(), device.upload(&tags).unwrap());
    let bytes = device.sort_pairs_scratch_bytes::<i16, [u8; B]>(n).unwrap();
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
    let (mut key_out, mut payload_out) = (device.allocate(n).unwrap(), device.allocate(n).unwrap());
    let out = (&mut *key_out, &mut *payload_out);
    device.sort_pairs_into((&key_buffer, &payload_buffer), out, &mut workspace, options).unwrap();
    assert_eq!(key_out.to_vec().unwrap(), sorted, "sort_pairs_into: {at}");
    assert_eq!(payload_out.to_vec().unwrap(), moved, "sort_pairs_into: {at}");
    assert_eq!(payload_buffer.to_vec().unwrap(), tags, "sort_pairs_into changed its input: {at}");

    device.sort_pairs_buffer(&mut key_buffer, &mut payload_buffer, &mut workspace, options).unwrap();
    assert_eq!(key_buffer.to_vec().unwrap(), sorted, "sort_pairs_buffer: {at}");
    assert_eq!(payload_buffer.to_vec().unwrap(), moved, "sort_pairs_buffer: {at}");
}

#[test]
fn payloads_of_every_size() {
    for device in [small(), Device::cpu()] {
        macro_rules! check_sizes {
            ($($bytes:literal)*) => { $( for n in [0, 1, 2, 193, 700] { check_size::<$bytes>(&device, n); } )* };
        }
        check_sizes!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16);
    }
}

#[test]
fn payloads_of_other_sizes_are_refused() {
    for device in [small(), Device::cpu()] {
        let (mut keys, mut payloads) = ([2u32, 1], [[0u8; 17]; 2]);
        let error = device.sort_pairs(&mut keys, &mut payloads, SortOptions::new()).unwrap_err();
        assert!(matches!(error, Error::PayloadSize { bytes: 17, limit: 16 }));
        assert!(device.sort_pairs(&mut keys, &mut [(), ()], SortOptions::new()).is_err());
        assert!(device.prepare::<u32>(17).is_err() && device.prepare::<u32>(3).is_ok());
        assert_eq!(keys, [2, 1]);
    }
}

#[test]
fn parts_of_buffers_are_sorted_alone() {
    for device in [small(), Device::cpu()] {
        let mut workspace = Workspace::new(&device);
        let input = keys::<u32>(1000, u64::MAX);
        let mut buffer = device.upload(&input).unwrap();
        let mut expected = input.clone();
        for range in [3..700, 0..1, 999..1000, 701..998] {
            device
                .sort_buffer(&mut buffer.slice_mut(range.clone()).unwrap(), &mut workspace, SortOptions::new())
                .unwrap();
            expected[range].sort();
        }
        assert_eq!(buffer.to_vec().unwrap(), expected);
        let order = device.argsort_buffer(&buffer.slice(5..400).unwrap(), &mut workspace, SortOptions::new()).unwrap();
        assert_eq!(order.to_vec().unwrap(), (0..395).collect::<Vec<_>>());

        let (source, mut target) = buffer.split_at_mut(500).unwrap();
        device.sort_into(&source, &mut target, &mut workspace, SortOptions::new().descending()).unwrap();
        expected.copy_within(..500, 500);
        expected[500..].sort_by(|x, y| y.cmp(x));
        assert_eq!(buffer.to_vec().unwrap(), expected);
    }
}

#[test]
fn overlapping_arguments_are_refused() {
    for device in [small(), Device::cpu()] {
        let options = SortOptions::new();
        let mut workspace = Workspace::new(&device);
        let input = [4u32, 3, 2, 1];
        let mut buffer = device.upload(&input).unwrap();
        let (address, len) = (buffer.address(), 2);
        // SAFETY: within the buffer; every use below is refused.
        let view = |offset| unsafe { DeviceSliceMut::<u32>::from_raw(&device, address + offset, len).unwrap() };
        let overlap = |result: Result<(), Error>| assert!(matches!(result, Err(Error::Overlap { .. })), "{result:?}");
        let other = device.upload(&[0u32; 2]).unwrap();
        overlap(device.sort_into(&view(0), &mut view(4), &mut workspace, options));
        overlap(device.sort_pairs_buffer(&mut view(0), &mut view(0), &mut workspace, options));
        overlap(device.argsort_into(&view(4), &mut view(8), &mut workspace, options));
        let out = (&mut view(0), &mut view(4));
        overlap(device.sort_pairs_into((&other, &other), out, &mut workspace, options));
        overlap(device.merge_buffers(&view(0), &other, &mut buffer, options));
        assert_eq!(buffer.to_vec().unwrap(), input);
        assert_eq!(workspace.bytes(), 0);
    }
}

#[test]
fn a_fixed_workspace_must_hold_what_the_plan_says() {
    let device = small();
    let options = SortOptions::new();
    let input = keys::<u64>(1000, u64::MAX);
    let mut buffer = device.upload(&input).unwrap();
    let mut payloads = device.upload(&vec![[0u8; 3]; 1000]).unwrap();
    let mut order = device.allocate::<u32>(1000).unwrap();
    let small = |bytes: u64| Workspace::from_buffer(device.allocate(bytes as usize - 1).unwrap());
    let refused = |result: Result<(), Error>, bytes: u64| {
        assert!(
            matches!(result, Err(Error::ScratchTooSmall { needed, found }) if needed == bytes && found == bytes - 1)
        );
    };
    let bytes = device.sort_scratch_bytes::<u64>(1000).unwrap();
    refused(device.sort_buffer(&mut buffer, &mut small(bytes), options), bytes);
    let bytes = device.sort_pairs_scratch_bytes::<u64, [u8; 3]>(1000).unwrap();
    refused(device.sort_pairs_buffer(&mut buffer, &mut payloads, &mut small(bytes), options), bytes);
    let bytes = device.argsort_scratch_bytes::<u64, u32>(1000).unwrap();
    refused(device.argsort_into(&buffer, &mut order, &mut small(bytes), options), bytes);
    assert_eq!(buffer.to_vec().unwrap(), input);
}

#[test]
fn a_graph_sorts_what_its_buffers_hold_then() {
    let device = small();
    let options = SortOptions::new();
    let mut workspace = Workspace::new(&device);
    workspace.reserve(device.sort_pairs_scratch_bytes::<u32, [u8; 16]>(1000).unwrap()).unwrap();
    let mut buffer = device.upload(&keys::<u32>(1000, 9)).unwrap();
    let mut payloads = device.upload(&(0..1000).map(tag::<16>).collect::<Vec<_>>()).unwrap();
    let graph = crate::Graph::capture(&device, |device| {
        device.sort_pairs_buffer(&mut buffer, &mut payloads, &mut workspace, options)
    })
    .unwrap();
    for spread in [9, u64::MAX] {
        let input = keys::<u32>(1000, spread);
        let tags: Vec<_> = (0..1000).map(tag::<16>).collect();
        buffer.copy_from_slice(&input).unwrap();
        payloads.copy_from_slice(&tags).unwrap();
        graph.launch(&device).unwrap();
        let mut expected: Vec<_> = input.into_iter().zip(tags).collect();
        expected.sort_by_key(|pair| pair.0);
        assert!(buffer.to_vec().unwrap().into_iter().zip(payloads.to_vec().unwrap()).eq(expected));
    }
}
