//! Every operation on the CPU and on the emulator, full and tiny tiles, against the standard library's sorts.
use crate::device::{Device, EmulatorOptions, Failures};
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
    let bytes = plan::argsort_scratch_bytes(1000, &shape(u64::PAYLOAD_WIDTH)).unwrap();
    assert_eq!(workspace.bytes(), bytes);
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
