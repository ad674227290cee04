//! Segments of an array, each sorted for itself.
use gridsort::{Device, Direction, Error, Graph, Index, Key, Offset, Payload, Segments, SortOptions, Workspace};
use gridsort_tests::case::tied_keys;
use gridsort_tests::{DIRECTIONS, Target, f16, for_each_key, options, same, targets};

/// Lengths of segments and of the gaps in front of them, as begins and ends.
fn laid_out(lengths: &[usize], gap: impl Fn(usize) -> usize) -> Vec<(usize, usize)> {
    let mut at = 0;
    let place = |(i, &len): (usize, &usize)| {
        let begin = at + gap(i);
        at = begin + len;
        (begin, at)
    };
    lengths.iter().enumerate().map(place).collect()
}

fn offsets<O: Offset + TryFrom<usize>>(device: &Device, segments: &[(usize, usize)]) -> [gridsort::DeviceBuffer<O>; 2] {
    let upload = |all: Vec<usize>| {
        let all: Vec<O> = all.into_iter().map(|at| O::try_from(at).ok().unwrap()).collect();
        device.upload(&all).unwrap()
    };
    [upload(segments.iter().map(|s| s.0).collect()), upload(segments.iter().map(|s| s.1).collect())]
}

/// The stable order of a segment.
fn order_of<K: Key>(keys: &[K], direction: Direction) -> Vec<usize> {
    let mut order: Vec<_> = (0..keys.len()).collect();
    order.sort_by(|&x, &y| match direction {
        Direction::Ascending => keys[x].order(&keys[y]),
        Direction::Descending => keys[y].order(&keys[x]),
    });
    order
}

fn exactly(target: &Target, bytes: u64) -> Workspace {
    Workspace::from_buffer(target.device.allocate(bytes as usize).unwrap())
}

/// What sorts each segment, of an array of anything: the elements that the orders name.
fn moved<T: Copy>(all: &[T], segments: &[(usize, usize)], orders: &[Vec<usize>]) -> Vec<T> {
    let mut moved = all.to_vec();
    for (&(begin, end), order) in segments.iter().zip(orders) {
        for (place, &from) in moved[begin..end].iter_mut().zip(order) {
            *place = all[begin + from];
        }
    }
    moved
}

/// Every operation on the segments of one array.
fn check<K: Key, O: Offset + TryFrom<usize>>(
    target: &Target,
    keys: &[K],
    segments: &[(usize, usize)],
    direction: Direction,
) {
    let at = |what: &str| {
        format!("{what} of {} segments of {} {} on {target}", segments.len(), keys.len(), std::any::type_name::<K>())
    };
    let device = &target.device;
    let options = options(direction);
    let orders: Vec<_> = segments.iter().map(|&(begin, end)| order_of(&keys[begin..end], direction)).collect();
    let sorted = moved(keys, segments, &orders);
    let [begins, ends] = offsets::<O>(device, segments);
    let on_device = Segments::new(&begins, &ends).unwrap();
    device.check_segments(&on_device, keys.len(), &mut Workspace::new(device)).unwrap();

    let mut buffer = device.upload(keys).unwrap();
    let bytes = device.sort_segments_scratch_bytes::<K>(keys.len(), segments.len()).unwrap();
    device.sort_segments_buffer(&mut buffer, &on_device, &mut exactly(target, bytes), options).unwrap();
    same(&buffer.to_vec().unwrap(), &sorted, || at("sort"));

    check_argsort::<K, O, u32>(target, keys, segments, direction, &orders);
    check_argsort::<K, O, i64>(target, keys, segments, direction, &orders);
    check_pairs::<K, O, u32>(target, keys, segments, direction, &orders, |i| i as u32 ^ 0xf000_0000);
    check_pairs::<K, O, [u16; 4]>(target, keys, segments, direction, &orders, |i| [i as u16, (i >> 16) as u16, 7, 9]);
}

fn check_argsort<K: Key, O: Offset + TryFrom<usize>, I: Index + TryFrom<usize>>(
    target: &Target,
    keys: &[K],
    segments: &[(usize, usize)],
    direction: Direction,
    orders: &[Vec<usize>],
) {
    let device = &target.device;
    let at = || format!("argsort of {} segments of {} keys on {target}", segments.len(), keys.len());
    let number = |i: usize| I::try_from(i).ok().unwrap();
    // What is between segments stays.
    let before: Vec<I> = vec![number(0x5a5a); keys.len()];
    let mut expected = before.clone();
    for (&(begin, end), order) in segments.iter().zip(orders) {
        for (place, &position) in expected[begin..end].iter_mut().zip(order) {
            *place = number(position);
        }
    }
    let [begins, ends] = offsets::<O>(device, segments);
    let (source, mut order) = (device.upload(keys).unwrap(), device.upload(&before).unwrap());
    let bytes = device.argsort_segments_scratch_bytes::<K, I>(keys.len(), segments.len()).unwrap();
    let on_device = Segments::new(&begins, &ends).unwrap();
    device
        .argsort_segments_into(&source, &mut order, &on_device, &mut exactly(target, bytes), options(direction))
        .unwrap();
    same(&order.to_vec().unwrap(), &expected, at);
    let on_host: Vec<(u64, u64)> = segments.iter().map(|&(begin, end)| (begin as u64, end as u64)).collect();
    let dense: Vec<I> = orders.iter().flatten().map(|&position| number(position)).collect();
    let found: Vec<I> = device.argsort_segments(keys, &on_host, options(direction)).unwrap();
    same(&found, &dense, || format!("on the host, {}", at()));
    same(&source.to_vec().unwrap(), keys, || format!("keys, {}", at()));
}

fn check_pairs<K: Key, O: Offset + TryFrom<usize>, P: Payload + PartialEq>(
    target: &Target,
    keys: &[K],
    segments: &[(usize, usize)],
    direction: Direction,
    orders: &[Vec<usize>],
    payload: impl Fn(usize) -> P,
) {
    let device = &target.device;
    let at = || format!("pairs of {} segments of {} keys on {target}", segments.len(), keys.len());
    let payloads: Vec<P> = (0..keys.len()).map(payload).collect();
    let [begins, ends] = offsets::<O>(device, segments);
    let (mut key_buffer, mut payload_buffer) = (device.upload(keys).unwrap(), device.upload(&payloads).unwrap());
    let bytes = device.sort_segments_pairs_scratch_bytes::<K, P>(keys.len(), segments.len()).unwrap();
    let on_device = Segments::new(&begins, &ends).unwrap();
    let mut workspace = exactly(target, bytes);
    device
        .sort_segments_pairs_buffer(
            &mut key_buffer,
            &mut payload_buffer,
            &on_device,
            &mut workspace,
            options(direction),
        )
        .unwrap();
    same(&key_buffer.to_vec().unwrap(), &moved(keys, segments, orders), || format!("keys, {}", at()));
    same(&payload_buffer.to_vec().unwrap(), &moved(&payloads, segments, orders), at);
    let on_host: Vec<(u32, u32)> = segments.iter().map(|&(begin, end)| (begin as u32, end as u32)).collect();
    let (mut host_keys, mut host_payloads) = (keys.to_vec(), payloads.clone());
    device.sort_segments_pairs(&mut host_keys, &mut host_payloads, &on_host, options(direction)).unwrap();
    same(&host_keys, &moved(keys, segments, orders), || format!("keys on the host, {}", at()));
    same(&host_payloads, &moved(&payloads, segments, orders), || format!("payloads on the host, {}", at()));
}

/// Lengths where a class, a tile or a pass ends.
fn lengths(target: &Target) -> Vec<usize> {
    if target.is_cuda() {
        let mut all = vec![0, 1, 2, 4, 5, 32, 33, 256, 257, 511, 512, 513, 1024, 1025, 2112, 2113, 4096, 8448, 8449];
        all.extend([65_537, 3, 120_000, 0, 0, 1, 70_000]);
        all
    } else {
        vec![0, 1, 2, 3, 8, 9, 17, 33, 64, 65, 97, 129, 193, 0, 450, 577, 640, 2, 1, 1200, 3, 2600, 0]
    }
}

#[test]
fn segments_of_very_different_lengths_are_sorted() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let segments = laid_out(&lengths(target), |i| [0, 3, 0, 1][i % 4]);
        let n = segments.last().unwrap().1 + 5;
        for direction in DIRECTIONS {
            check::<f32, u32>(target, &tied_keys(n, 90), &segments, direction);
            check::<i64, u64>(target, &tied_keys(n, 90), &segments, direction);
        }
        check::<u32, i32>(target, &tied_keys(n, u64::from(u32::MAX)), &segments, DIRECTIONS[0]);
    }
}

#[test]
fn segments_of_every_key_type_are_sorted() {
    fn of_type<K: Key>(target: &Target) {
        let lengths = if target.is_cuda() { vec![3, 5000, 0, 600, 70_001, 1] } else { vec![3, 50, 0, 600, 1001, 1] };
        let segments = laid_out(&lengths, |i| i % 2);
        let n = segments.last().unwrap().1;
        check::<K, i64>(target, &tied_keys(n, 60), &segments, DIRECTIONS[n % 2]);
    }
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for_each_key!(of_type(target));
    }
}

/// One long segment among tiny ones, none at all, only empty ones, one for everything, many of one length.
#[test]
fn odd_segments_are_sorted() {
    for target in targets() {
        let long = if target.is_cuda() { 120_000 } else { 3000 };
        let tiny = if target.is_cuda() { 5000 } else { 60 };
        let mut lengths: Vec<usize> = (0..tiny).map(|i| i % 5).collect();
        lengths[tiny / 2] = long;
        let all = [lengths, vec![], vec![0; 9], vec![long], vec![if target.is_cuda() { 300 } else { 7 }; tiny]];
        for lengths in &all {
            let segments = laid_out(lengths, |_| 0);
            let n = segments.last().map_or(7, |segment| segment.1);
            if target.is_slow() && n > 500 {
                continue;
            }
            check::<u32, u32>(target, &tied_keys(n, 400), &segments, DIRECTIONS[0]);
        }
        check::<f32, u64>(target, &[], &[(0, 0), (0, 0)], DIRECTIONS[1]);
    }
}

#[test]
fn booleans_with_payloads_keep_their_order() {
    for target in targets() {
        let keys: Vec<u8> = (0..40).map(|i| u8::from(i * 7 % 3 == 0)).collect();
        let segments = laid_out(&[5; 8], |_| 0);
        check::<u8, u32>(target, &keys, &segments, DIRECTIONS[0]);
        check::<u8, u32>(target, &keys, &segments, DIRECTIONS[1]);
    }
}

#[test]
fn floats_of_every_kind_are_in_total_order() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let of = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::from_bits(u32::MAX), 1.5];
        let segments = laid_out(&[9, 40, 150, 700, 1300], |_| 1);
        let floats: Vec<f32> = (0..segments.last().unwrap().1).map(|i| of[i * 7 % 8]).collect();
        let halves: Vec<f16> = floats.iter().map(|&x| f16::from_f32(x)).collect();
        for direction in DIRECTIONS {
            check::<f32, u32>(target, &floats, &segments, direction);
            check::<f16, u32>(target, &halves, &segments, direction);
        }
    }
}

/// A captured sort sorts what is there when it is replayed, by the offsets that are there then.
#[test]
fn a_captured_sort_is_replayed_on_other_segments() {
    for target in targets().iter().filter(|target| !target.is_slow() && target.tiles.is_some()) {
        for count in [500, 501] {
            let device = &target.device;
            let n = if target.is_cuda() { 200_000 } else { 3000 };
            let bytes = device.sort_segments_scratch_bytes::<f32>(n, count).unwrap();
            let mut workspace = exactly(target, bytes);
            let mut keys = device.upload(&vec![0f32; n]).unwrap();
            let [mut begins, mut ends] = offsets::<u32>(device, &vec![(0, 0); count]);
            // Kernels are loaded before a capture.
            device
                .sort_segments_buffer(
                    &mut keys,
                    &Segments::new(&begins, &ends).unwrap(),
                    &mut workspace,
                    SortOptions::new(),
                )
                .unwrap();
            let graph = Graph::capture(device, |device| {
                let segments = Segments::new(&begins, &ends).unwrap();
                device.sort_segments_buffer(&mut keys, &segments, &mut workspace, SortOptions::new())
            });
            let graph = match graph {
                Err(Error::NotSupported { .. }) => continue,
                graph => graph.unwrap(),
            };
            for round in 1..3usize {
                let lengths: Vec<usize> =
                    (0..count).map(|i| if i == 7 * round { n / 2 } else { i * round % 5 }).collect();
                let segments = laid_out(&lengths, |_| 0);
                let input: Vec<f32> = tied_keys(n, 1000 * round as u64);
                keys.copy_from_slice(&input).unwrap();
                begins.copy_from_slice(&segments.iter().map(|s| s.0 as u32).collect::<Vec<_>>()).unwrap();
                ends.copy_from_slice(&segments.iter().map(|s| s.1 as u32).collect::<Vec<_>>()).unwrap();
                graph.launch(device).unwrap();
                let orders: Vec<_> =
                    segments.iter().map(|&(b, e)| order_of(&input[b..e], Direction::Ascending)).collect();
                same(&keys.to_vec().unwrap(), &moved(&input, &segments, &orders), || {
                    format!("round {round} on {target}")
                });
            }
        }
    }
}

/// The lists of segments are filled in any order; the answer is the same ten times over.
#[test]
fn repeats_agree() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let segments = laid_out(&[40, 3, 0, 130, 41, 3, 700, 12], |_| 1);
        let keys: Vec<u16> = tied_keys(segments.last().unwrap().1, 6);
        let on_host: Vec<(u32, u32)> = segments.iter().map(|&(begin, end)| (begin as u32, end as u32)).collect();
        let order =
            |_| target.device.argsort_segments::<u16, u32, u32>(&keys, &on_host, options(DIRECTIONS[1])).unwrap();
        let first = order(0);
        assert!((1..10).map(order).all(|again| again == first));
    }
}

#[test]
fn segments_that_are_none_are_found() {
    for target in targets() {
        let device = &target.device;
        let first_bad = |segments: &[(usize, usize)], n: usize| {
            let [begins, ends] = offsets::<u32>(device, segments);
            let checked =
                device.check_segments(&Segments::new(&begins, &ends).unwrap(), n, &mut Workspace::new(device));
            let on_host: Vec<(u64, u64)> = segments.iter().map(|&(b, e)| (b as u64, e as u64)).collect();
            let mut keys: Vec<u32> = (0..n as u32).rev().collect();
            let sorted = device.sort_segments(&mut keys, &on_host, SortOptions::new());
            match (checked, sorted) {
                (Ok(()), Ok(())) => None,
                (Err(Error::Segment { segment, .. }), Err(Error::Segment { segment: again, .. })) => {
                    assert_eq!(segment, again);
                    assert!(keys.is_sorted_by(|x, y| x > y), "touched");
                    Some(segment)
                }
                other => panic!("{other:?}"),
            }
        };
        assert_eq!(first_bad(&[(0, 6), (3, 9)], 9), Some(0));
        assert_eq!(first_bad(&[(0, 3), (3, 9)], 9), None);
        assert_eq!(first_bad(&[(0, 3), (3, 10)], 9), Some(1));
        assert_eq!(first_bad(&[(0, 3), (5, 4), (7, 8)], 9), Some(1));
        assert_eq!(first_bad(&[(2, 2), (2, 2)], 2), None);
        assert_eq!(first_bad(&[], 0), None);
        let begins = device.upload(&[0u32, 1]).unwrap();
        let ends = device.upload(&[1u32]).unwrap();
        assert!(matches!(Segments::new(&begins, &ends), Err(Error::LengthMismatch { expected: 2, found: 1, .. })));
        assert!(matches!(
            Segments::from_offsets(&device.upload::<u32>(&[]).unwrap()),
            Err(Error::LengthMismatch { .. })
        ));
        assert!(Segments::from_offsets(&ends).unwrap().is_empty());
    }
}

/// Where one of the segments is none, which nobody checked, nothing is sorted.
#[test]
fn bad_segments_touch_nothing() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let device = &target.device;
        let n = if target.is_cuda() { 60_000 } else { 3100 };
        let keys: Vec<u32> = (0..n as u32).rev().collect();
        let long = n / 2;
        let all: [Vec<(i32, i32)>; 5] = [
            vec![(5, 2)],
            vec![(0, 10), (90, n as i32 + 1)],
            vec![(0, 20), (-1, 30)],
            vec![(0, long as i32), (10, long as i32 + 10)],
            vec![(0, long as i32); 5000],
        ];
        for segments in all {
            let begins = device.upload(&segments.iter().map(|s| s.0).collect::<Vec<_>>()).unwrap();
            let ends = device.upload(&segments.iter().map(|s| s.1).collect::<Vec<_>>()).unwrap();
            let on_device = Segments::new(&begins, &ends).unwrap();
            let at = || format!("{} bad segments on {target}", segments.len());

            let mut buffer = device.upload(&keys).unwrap();
            let bytes = device.sort_segments_scratch_bytes::<u32>(n, segments.len()).unwrap();
            let options = SortOptions::new();
            device.sort_segments_buffer(&mut buffer, &on_device, &mut exactly(target, bytes), options).unwrap();
            same(&buffer.to_vec().unwrap(), &keys, at);

            let mut order = device.upload(&vec![7u32; n]).unwrap();
            let bytes = device.argsort_segments_scratch_bytes::<u32, u32>(n, segments.len()).unwrap();
            let mut workspace = exactly(target, bytes);
            device.argsort_segments_into(&buffer, &mut order, &on_device, &mut workspace, options).unwrap();
            same(&order.to_vec().unwrap(), &vec![7; n], at);

            let narrow: Vec<u8> = keys.iter().map(|&key| key as u8).collect();
            let mut buffer = device.upload(&narrow).unwrap();
            let bytes = device.sort_segments_scratch_bytes::<u8>(n, segments.len()).unwrap();
            device.sort_segments_buffer(&mut buffer, &on_device, &mut exactly(target, bytes), options).unwrap();
            same(&buffer.to_vec().unwrap(), &narrow, at);
        }
    }
}
