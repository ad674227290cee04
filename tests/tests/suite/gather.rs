//! Fetching elements and bits by position.
use gridsort::{Device, DeviceSliceMut, Error, Graph, Index, Payload, Workspace};
use gridsort_tests::pattern::{from_bits, generator};
use gridsort_tests::{Target, payload_of, same, target, targets};
use rand_xoshiro::rand_core::Rng;

/// `n` positions below `len`, and beside them one in `stray` that is not, from just behind the end to the last there is.
fn positions<I: Index>(n: usize, len: usize, stray: u64, seed: u64) -> Vec<I> {
    let mut random = generator(seed);
    (0..n)
        .map(|i| match random.next_u64() {
            x if len == 0 || x.is_multiple_of(stray) => {
                from_bits(if i % 2 == 0 { len as u128 } else { u128::MAX - i as u128 })
            }
            x => from_bits(u128::from((x >> 8) % len as u64)),
        })
        .collect()
}

fn at<I: Index + Into<u64>>(position: I) -> usize {
    usize::try_from(position.into()).unwrap_or(usize::MAX)
}

fn sizes(target: &Target) -> &'static [(usize, usize)] {
    match (target.is_slow(), target.is_cuda()) {
        (true, _) => &[(70, 1100), (300, 5)],
        (_, true) => &[(1, 1), (1, 300), (1000, 257), (3_000_000, 2_000_001)],
        _ => &[(0, 0), (5, 0), (0, 5), (1, 1), (1, 300), (300, 7), (100, 1024), (700, 2100)],
    }
}

fn check<T: Payload, I: Index + Into<u64>>() {
    for target in targets() {
        let device = &target.device;
        for &(len, n) in sizes(target) {
            for stray in [u64::MAX, 5] {
                let name = || format!("{n} of {len} elements of {} bytes on {target}", size_of::<T>());
                let values: Vec<T> = (0..len as u64).map(payload_of).collect();
                let order = positions::<I>(n, len, stray, 1);
                let expected: Vec<T> =
                    order.iter().map(|&p| values.get(at(p)).copied().unwrap_or(T::zeroed())).collect();
                let first = order.iter().position(|&p| at(p) >= len);

                let (there, positions) = (device.upload(&values).unwrap(), device.upload(&order).unwrap());
                let mut out = device.upload(&vec![from_bits::<T>(u128::MAX); n]).unwrap();
                device.gather_into(&there, &positions, &mut out).unwrap();
                same(&out.to_vec().unwrap(), &expected, name);

                out.copy_from_slice(&vec![from_bits::<T>(u128::MAX); n]).unwrap();
                let result = device.gather_checked(&there, &positions, &mut out, &mut Workspace::new(device));
                same(&out.to_vec().unwrap(), &expected, name);
                for result in [result, device.gather(&values, &order).map(|found| same(&found, &expected, name))] {
                    match (result, first) {
                        (Ok(()), None) => {}
                        (Err(Error::PositionOutOfRange { at: i, position, len: l }), Some(first)) => {
                            assert_eq!((i as usize, l as usize), (first, len), "{}", name());
                            assert_eq!(position as usize, at(order[first]), "{}", name());
                        }
                        (result, first) => panic!("{}: {result:?}, the first stray position is {first:?}", name()),
                    }
                }
                same(&there.to_vec().unwrap(), &values, name);
            }
        }
    }
}

#[test]
fn small_of_every_size() {
    check::<u8, u32>();
    check::<u16, u64>();
    check::<[u8; 3], u32>();
    check::<f32, u32>();
    check::<f32, u64>();
    check::<[u16; 5], u64>();
    check::<u64, u32>();
    check::<[u32; 3], u32>();
    check::<u128, u64>();
}

fn check_bits<I: Index + Into<u64>>() {
    for target in targets() {
        let device = &target.device;
        for &(len, n) in sizes(target) {
            for (first, stray) in [(0, u64::MAX), (5, 7), (13, u64::MAX)] {
                let name = || format!("{n} of {len} bits from {first} on {target}");
                let mut random = generator(len as u64);
                let bytes: Vec<u8> = (0..(first + len).div_ceil(8)).map(|_| random.next_u64() as u8).collect();
                let bit = |i: usize| i < bytes.len() * 8 && bytes[i / 8] >> (i % 8) & 1 != 0;
                // All that the bytes have.
                let len = bytes.len() * 8 - first;
                let order = positions::<I>(n, len, stray, 2);
                let mut expected = vec![0u8; n.div_ceil(8)];
                for (i, &p) in order.iter().enumerate() {
                    let set = at(p).checked_add(first).is_some_and(|i| at(p) < len && bit(i));
                    expected[i / 8] |= u8::from(set) << (i % 8);
                }

                let (there, positions) = (device.upload(&bytes).unwrap(), device.upload(&order).unwrap());
                // A byte more on each side, which stays as it is.
                let mut out = device.upload(&vec![0xa5u8; n.div_ceil(8) + 2]).unwrap();
                let mut view = out.slice_mut(1..n.div_ceil(8) + 1).unwrap();
                device.gather_bits_into(&there, first, &positions, &mut view).unwrap();
                let out = out.to_vec().unwrap();
                same(&out[1..out.len() - 1], &expected, name);
                assert_eq!((out[0], out[out.len() - 1]), (0xa5, 0xa5), "{}", name());

                let host = device.gather_bits(&bytes, first, &order);
                match order.iter().position(|&p| at(p) >= len) {
                    None => same(&host.unwrap(), &expected, name),
                    Some(first) => assert!(
                        matches!(host, Err(Error::PositionOutOfRange { at, .. }) if at as usize == first),
                        "{}: {host:?}",
                        name()
                    ),
                }
            }
        }
    }
}

#[test]
fn small_of_bits() {
    check_bits::<u32>();
    check_bits::<u64>();
}

#[test]
fn small_in_a_graph() {
    for target in target::kernel_targets() {
        let device = &target.device;
        let (mut values, order) = (device.upload(&[1u64, 2, 3]).unwrap(), device.upload(&[2u32, 2, 0]).unwrap());
        let mut out = device.allocate(3).unwrap();
        device.gather_into(&values, &order, &mut out).unwrap();
        let graph = Graph::capture(device, |device| device.gather_into(&values, &order, &mut out)).unwrap();
        values.copy_from_slice(&[7, 8, 9]).unwrap();
        graph.launch(device).unwrap();
        assert_eq!(out.to_vec().unwrap(), [9, 9, 7], "{target}");
        // An answer cannot be waited for.
        let mut workspace = Workspace::from_buffer(device.allocate(256).unwrap());
        let captured =
            Graph::capture(device, |device| device.gather_checked(&values, &order, &mut out, &mut workspace));
        assert!(matches!(captured, Err(Error::NotSupported { .. })), "{target}");
    }
}

#[test]
fn small_what_is_refused() {
    for target in targets() {
        let device = &target.device;
        let (values, order) = (device.upload(&[1u32, 2, 3, 4]).unwrap(), device.upload(&[0u32, 1]).unwrap());
        let mut out = device.upload(&[9u32; 3]).unwrap();
        let error = device.gather_into(&values, &order, &mut out).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 2, found: 3, .. }), "{target}: {error}");
        let other = Device::emulator().upload(&[0u32, 1, 2]).unwrap();
        assert!(matches!(device.gather_into(&values, &other, &mut out), Err(Error::DeviceMismatch { .. })), "{target}");
        assert!(matches!(device.gather_into(&other, &order, &mut out), Err(Error::DeviceMismatch { .. })), "{target}");
        for address in [values.address() + 8, order.address()] {
            // SAFETY: within a buffer, which nothing else uses meanwhile.
            let mut view = unsafe { DeviceSliceMut::<u32>::from_raw(device, address, 2).unwrap() };
            let error = device.gather_into(&values, &order, &mut view).unwrap_err();
            assert!(matches!(error, Error::Overlap { .. }), "{target}: {error}");
        }
        let (wide, mut none) = (device.allocate::<[u64; 3]>(4).unwrap(), device.allocate::<[u64; 3]>(2).unwrap());
        let error = device.gather_into(&wide, &order, &mut none).unwrap_err();
        assert!(matches!(error, Error::PayloadSize { bytes: 24, limit: 16 }), "{target}: {error}");
        assert!(matches!(device.gather(&[[0u64; 3]], &[0u32]), Err(Error::PayloadSize { .. })), "{target}");

        let (bits, mut bytes) = (device.upload(&[1u8]).unwrap(), device.upload(&[9u8; 2]).unwrap());
        let error = device.gather_bits_into(&bits, 0, &order, &mut bytes).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 1, found: 2, .. }), "{target}: {error}");
        assert_eq!((out.to_vec().unwrap(), bytes.to_vec().unwrap()), (vec![9; 3], vec![9; 2]), "{target}");
    }
}
