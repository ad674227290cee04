//! Lookups in sorted data: in a graph, by arguments that are refused, and among more keys than 32 bits count.
use gridsort::{Device, DeviceSliceMut, Error, Graph, SortOptions, Workspace};
use gridsort_tests::{Case, DIRECTIONS, Pattern, target, targets};

/// Captured once, launched twice, on other keys the second time: fewer runs, and other bounds.
#[test]
fn small_searches_in_a_graph() {
    for target in targets().iter().filter(|target| !target.is_slow() && target.tiles.is_some()) {
        let device = &target.device;
        device.prepare_search::<u32>().unwrap();
        let n = 1000;
        let mut keys = device.allocate::<u32>(n).unwrap();
        let queries = Pattern::FewValues.keys::<u32>(100, 3);
        let asked = device.upload(&queries).unwrap();
        let mut positions = device.allocate::<u32>(100).unwrap();
        let (mut out, mut lengths) = (device.allocate::<u32>(n).unwrap(), device.allocate::<u64>(n).unwrap());
        let mut count = device.allocate::<u64>(1).unwrap();
        let bytes = device.run_lengths_scratch_bytes::<u32>(n).unwrap();
        let mut workspace = Workspace::new(device);
        let o = SortOptions::new();
        // A workspace may not grow while a graph is captured.
        let refused = Graph::capture(device, |device| {
            device.run_lengths_into(&keys, (&mut out, &mut lengths), &mut count, &mut workspace, o)
        });
        assert!(matches!(refused, Err(Error::ScratchTooSmall { needed, found: 0 }) if needed == bytes), "{target}");
        workspace.reserve(bytes).unwrap();
        let graph = Graph::capture(device, |device| {
            device.upper_bound_into(&keys, &asked, &mut positions, o)?;
            device.run_lengths_into(&keys, (&mut out, &mut lengths), &mut count, &mut workspace, o)
        });
        let graph = graph.unwrap();
        for pattern in [Pattern::Random, Pattern::FewValues] {
            let data = Case::new(pattern.keys::<u32>(n, 5), DIRECTIONS[0], "data").sorted;
            keys.copy_from_slice(&data).unwrap();
            graph.launch(device).unwrap();
            let bound = |query: &u32| data.partition_point(|key| key <= query) as u32;
            let expected: Vec<u32> = queries.iter().map(bound).collect();
            assert_eq!(positions.to_vec().unwrap(), expected, "{target}");
            let expected: Vec<u64> = data.chunk_by(|x, y| x == y).map(|run| run.len() as u64).collect();
            assert_eq!(count.to_vec().unwrap(), [expected.len() as u64], "{target}");
            assert_eq!(lengths.slice(..expected.len()).unwrap().to_vec().unwrap(), expected, "{target}");
        }
    }
}

/// What is refused, with which error, and that nothing was changed.
#[test]
fn small_searches_that_are_refused() {
    for target in targets() {
        let device = &target.device;
        let (mut workspace, o) = (Workspace::new(device), SortOptions::new());
        let data = device.upload(&[1u32, 3, 5, 7]).unwrap();
        let queries = device.upload(&[2u32, 4]).unwrap();
        let (mut short, mut right) = (device.upload(&[9u32]).unwrap(), device.upload(&[9u64, 9]).unwrap());
        let lengths = |result: Result<(), Error>, expected: usize, found: usize| {
            let matches = matches!(result, Err(Error::LengthMismatch { expected: e, found: f, .. }) if (e, f) == (expected, found));
            assert!(matches, "{target}: {result:?}");
        };
        lengths(device.lower_bound_into(&data, &queries, &mut short, o), 2, 1);
        lengths(device.upper_bound_into(&data, &queries, &mut short, o), 2, 1);
        let (mut out, mut one) = (device.upload(&[9u32; 4]).unwrap(), device.upload(&[9u64]).unwrap());
        let mut long = device.upload(&[9u64; 5]).unwrap();
        lengths(device.unique_into(&data, &mut short, &mut one, &mut workspace, o), 4, 1);
        lengths(device.unique_into(&data, &mut out, &mut right, &mut workspace, o), 1, 2);
        lengths(device.run_lengths_into(&data, (&mut out, &mut long), &mut one, &mut workspace, o), 4, 5);
        lengths(device.run_lengths_into(&data, (&mut short, &mut long), &mut one, &mut workspace, o), 4, 1);

        let overlap = |result: Result<(), Error>| {
            assert!(matches!(result, Err(Error::Overlap { .. })), "{target}: {result:?}");
        };
        let buffer = device.upload(&[1u64, 2, 3, 4, 5, 6]).unwrap();
        // SAFETY: within the buffer, and every use is refused.
        let view = |from: u64, len: usize| unsafe {
            DeviceSliceMut::<u64>::from_raw(device, buffer.address() + 8 * from, len).unwrap()
        };
        let (a, mut fresh) = (view(0, 2), device.upload(&[9u64; 2]).unwrap());
        overlap(device.lower_bound_into(&a, &view(2, 2), &mut view(1, 2), o));
        overlap(device.upper_bound_into(&a, &view(2, 2), &mut view(3, 2), o));
        overlap(device.unique_into(&a, &mut view(1, 2), &mut one, &mut workspace, o));
        overlap(device.unique_into(&a, &mut fresh, &mut view(1, 1), &mut workspace, o));
        overlap(device.unique_into(&a, &mut view(2, 2), &mut view(3, 1), &mut workspace, o));
        overlap(device.run_lengths_into(&a, (&mut view(0, 2), &mut fresh), &mut one, &mut workspace, o));
        overlap(device.run_lengths_into(&a, (&mut fresh, &mut view(1, 2)), &mut one, &mut workspace, o));
        overlap(device.run_lengths_into(&a, (&mut view(2, 2), &mut view(3, 2)), &mut one, &mut workspace, o));
        overlap(device.run_lengths_into(&a, (&mut view(2, 2), &mut fresh), &mut view(3, 1), &mut workspace, o));
        overlap(device.run_lengths_into(&a, (&mut fresh, &mut view(2, 2)), &mut view(3, 1), &mut workspace, o));
        overlap(device.run_lengths_into(&a, (&mut fresh, &mut view(2, 2)), &mut view(1, 1), &mut workspace, o));

        // More keys than an integer can count.
        let n = 1 << 32;
        // SAFETY: every use is refused before anything is accessed.
        let many = unsafe { DeviceSliceMut::<u8>::from_raw(device, buffer.address(), n).unwrap() };
        let (query, mut narrow) = (device.upload(&[1u8]).unwrap(), device.upload(&[9u32]).unwrap());
        let large = |result: Result<(), Error>| {
            let matches = matches!(result, Err(Error::TooLarge { n: 0x1_0000_0000, limit: 0xffff_ffff, .. }));
            assert!(matches, "{target}: {result:?}");
        };
        large(device.lower_bound_into(&many, &query, &mut narrow, o));
        large(device.upper_bound_into(&many, &query, &mut narrow, o));
        // SAFETY: as above.
        let (mut of_many, mut narrow_of_many) = unsafe {
            let address = buffer.address();
            (
                DeviceSliceMut::from_raw(device, address, n).unwrap(),
                DeviceSliceMut::<u32>::from_raw(device, address, n).unwrap(),
            )
        };
        let outputs = (&mut of_many, &mut narrow_of_many);
        large(device.run_lengths_into(&many, outputs, &mut one, &mut workspace, o));

        let other = Device::emulator();
        let mismatch = |result: Result<(), Error>| {
            assert!(matches!(result, Err(Error::DeviceMismatch { .. })), "{target}: {result:?}");
        };
        let (there, mut out_there) = (other.upload(&[1u32, 2]).unwrap(), other.upload(&[9u32; 4]).unwrap());
        let (mut one_there, mut elsewhere) = (other.upload(&[9u64]).unwrap(), Workspace::new(&other));
        mismatch(device.lower_bound_into(&there, &queries, &mut right, o));
        mismatch(device.lower_bound_into(&data, &there, &mut right, o));
        mismatch(device.upper_bound_into(&data, &data, &mut out_there, o));
        mismatch(device.unique_into(&there, &mut out, &mut one, &mut workspace, o));
        mismatch(device.unique_into(&data, &mut out_there, &mut one, &mut workspace, o));
        mismatch(device.unique_into(&data, &mut out, &mut one_there, &mut workspace, o));
        mismatch(device.unique_into(&data, &mut out, &mut one, &mut elsewhere, o));
        let mut count = device.upload(&[9u32; 4]).unwrap();
        mismatch(device.run_lengths_into(&there, (&mut out, &mut count), &mut one, &mut workspace, o));
        mismatch(device.run_lengths_into(&data, (&mut out_there, &mut count), &mut one, &mut workspace, o));
        mismatch(device.run_lengths_into(&data, (&mut out, &mut out_there), &mut one, &mut workspace, o));
        mismatch(device.run_lengths_into(&data, (&mut out, &mut count), &mut one_there, &mut workspace, o));
        mismatch(device.run_lengths_into(&data, (&mut out, &mut count), &mut one, &mut elsewhere, o));

        if target.tiles.is_some() {
            let mut small = Workspace::from_buffer(device.allocate(255).unwrap());
            let result = device.unique_into(&data, &mut out, &mut one, &mut small, o);
            assert!(matches!(result, Err(Error::ScratchTooSmall { needed: 256, found: 255 })), "{target}: {result:?}");
            let result = device.run_lengths_into(&data, (&mut out, &mut count), &mut one, &mut small, o);
            assert!(matches!(result, Err(Error::ScratchTooSmall { needed: 512, found: 255 })), "{target}: {result:?}");
        }
        assert_eq!(buffer.to_vec().unwrap(), [1, 2, 3, 4, 5, 6], "{target}");
        assert_eq!((out.to_vec().unwrap(), count.to_vec().unwrap()), (vec![9; 4], vec![9; 4]), "{target}");
        assert_eq!(
            (right.to_vec().unwrap(), one.to_vec().unwrap(), fresh.to_vec().unwrap()),
            (vec![9; 2], vec![9], vec![9; 2])
        );
        assert_eq!(workspace.bytes(), 0, "{target}");
    }
}

/// More keys than 32 bits count: bounds, runs and their lengths are counted out beforehand.
#[test]
fn searches_in_more_than_2_to_the_32_keys() {
    let Some(target) = target::gpu("searches_in_more_than_2_to_the_32_keys") else { return };
    let n = (1usize << 32) + 12_345;
    let free = target.device.memory().unwrap().free;
    if free < 16 << 30 {
        println!("searches_in_more_than_2_to_the_32_keys: skipped, {free} bytes are free");
        return;
    }
    // Value v begins where v · n / 200 is first reached; from 200 on there are none.
    let start = |v: usize| (v.min(200) * n).div_ceil(200);
    let mut bytes = vec![0u8; n];
    for v in 0..200 {
        bytes[start(v)..start(v + 1)].fill(v as u8);
    }
    let (device, o) = (&target.device, SortOptions::new());
    let queries: Vec<u8> = (0..=255).rev().collect();
    let lower: Vec<u64> = queries.iter().map(|&v| start(v.into()) as u64).collect();
    let upper: Vec<u64> = queries.iter().map(|&v| start(usize::from(v) + 1) as u64).collect();
    assert_eq!(device.lower_bound(&bytes, &queries, o).unwrap(), lower);
    assert_eq!(device.upper_bound(&bytes, &queries, o).unwrap(), upper);
    let buffer = device.upload(&bytes).unwrap();
    bytes.clear();
    bytes.shrink_to_fit();
    let (mut out, mut count) = (device.allocate::<u8>(n).unwrap(), device.allocate::<u64>(1).unwrap());
    let mut workspace = Workspace::new(device);
    device.unique_into(&buffer, &mut out, &mut count, &mut workspace, o).unwrap();
    assert_eq!(count.to_vec().unwrap(), [200]);
    assert_eq!(out.slice(..200).unwrap().to_vec().unwrap(), (0..200).collect::<Vec<u8>>());
    if free < 48 << 30 {
        println!("searches_in_more_than_2_to_the_32_keys: no lengths, {free} bytes are free");
        return;
    }
    let mut lengths = device.allocate::<u64>(n).unwrap();
    device.run_lengths_into(&buffer, (&mut out, &mut lengths), &mut count, &mut workspace, o).unwrap();
    let expected: Vec<u64> = (0..200).map(|v| (start(v + 1) - start(v)) as u64).collect();
    assert_eq!(lengths.slice(..200).unwrap().to_vec().unwrap(), expected);
}
