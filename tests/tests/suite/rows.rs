//! Rows of a matrix, each sorted for itself.
use gridsort::{Direction, Error, Index, Key, Payload, Rows, Workspace};
use gridsort_tests::case::tied_keys;
use gridsort_tests::pattern::from_bits;
use gridsort_tests::{DIRECTIONS, Pattern, Target, f16, for_each_key, options, same, targets};

/// What lies between rows, and must stay.
const GAP: u128 = u128::from_ne_bytes([0xa5; 16]);

/// Keys of a matrix, with many ties within a row, and other bits between rows.
fn matrix<K: Key>(rows: Rows, seed: usize) -> Vec<K> {
    let values: Vec<K> = tied_keys(rows.elements() + seed, 3 + rows.columns() as u64 / 4).split_off(seed);
    let mut all = vec![from_bits::<K>(GAP); rows.span()];
    for row in 0..rows.rows() {
        let from = &values[row * rows.columns()..][..rows.columns()];
        all[row * rows.stride()..][..rows.columns()].copy_from_slice(from);
    }
    all
}

/// The stable order of a row.
fn order_of<K: Key>(row: &[K], direction: Direction) -> Vec<usize> {
    let mut order: Vec<_> = (0..row.len()).collect();
    order.sort_by(|&x, &y| match direction {
        Direction::Ascending => row[x].order(&row[y]),
        Direction::Descending => row[y].order(&row[x]),
    });
    order
}

/// A workspace of exactly so many bytes.
fn exactly(target: &Target, bytes: u64) -> Workspace {
    Workspace::from_buffer(target.device.allocate(bytes as usize).unwrap())
}

/// Every operation on the rows of one matrix.
fn check<K: Key>(target: &Target, keys: &[K], rows: Rows, direction: Direction) {
    let at = |what: &str| format!("{what} of {rows:?} of {} on {target}, {direction:?}", std::any::type_name::<K>());
    let (device, options) = (&target.device, options(direction));
    let orders: Vec<_> =
        (0..rows.rows()).map(|row| order_of(&keys[row * rows.stride()..][..rows.columns()], direction)).collect();
    let sorted_by = |row: usize, i: usize| keys[row * rows.stride() + orders[row][i]];
    let mut sorted = keys.to_vec();
    for row in 0..rows.rows() {
        for i in 0..rows.columns() {
            sorted[row * rows.stride() + i] = sorted_by(row, i);
        }
    }
    let dense: Vec<K> = (0..rows.rows())
        .flat_map(|row| (0..rows.columns()).map(move |i| (row, i)))
        .map(|(row, i)| sorted_by(row, i))
        .collect();

    let mut buffer = device.upload(keys).unwrap();
    let mut workspace = exactly(target, device.sort_rows_scratch_bytes::<K>(rows).unwrap());
    device
        .sort_rows_buffer(&mut buffer, rows, &mut workspace, options)
        .unwrap_or_else(|e| panic!("{}: {e}", at("sort")));
    same(&buffer.to_vec().unwrap(), &sorted, || at("sort"));

    let source = device.upload(keys).unwrap();
    let mut into = device.allocate(rows.elements()).unwrap();
    device.sort_rows_into(&source, &mut into, rows, &mut workspace, options).unwrap();
    same(&into.to_vec().unwrap(), &dense, || at("sort into another buffer"));
    same(&source.to_vec().unwrap(), keys, || at("source of the sort"));

    check_argsort::<K, u32>(target, keys, rows, direction, &orders);
    check_argsort::<K, i64>(target, keys, rows, direction, &orders);
    check_pairs(target, keys, &sorted, rows, direction, &orders, |i| i as u32);
    check_pairs(target, keys, &sorted, rows, direction, &orders, |i| i as u64 * 0x1_0000_0001);
}

fn check_argsort<K: Key, I: Index + TryFrom<usize>>(
    target: &Target,
    keys: &[K],
    rows: Rows,
    direction: Direction,
    orders: &[Vec<usize>],
) {
    let at = || format!("argsort of {rows:?} on {target}, {direction:?}");
    let device = &target.device;
    let expected: Vec<I> = orders.iter().flatten().map(|&i| I::try_from(i).ok().unwrap()).collect();
    let source = device.upload(keys).unwrap();
    let mut order = device.allocate::<I>(rows.elements()).unwrap();
    let mut workspace = exactly(target, device.argsort_rows_scratch_bytes::<K, I>(rows).unwrap());
    let done = device.argsort_rows_into(&source, &mut order, rows, &mut workspace, options(direction));
    done.unwrap_or_else(|e| panic!("{}: {e}", at()));
    same(&order.to_vec().unwrap(), &expected, at);
    same(&source.to_vec().unwrap(), keys, || format!("keys, {}", at()));
    same(&device.argsort_rows::<K, I>(keys, rows, options(direction)).unwrap(), &expected, || {
        format!("host, {}", at())
    });
}

fn check_pairs<K: Key, P: Payload + PartialEq>(
    target: &Target,
    keys: &[K],
    sorted: &[K],
    rows: Rows,
    direction: Direction,
    orders: &[Vec<usize>],
    payload: impl Fn(usize) -> P,
) {
    let at = || format!("pairs of {rows:?} with {} bytes on {target}, {direction:?}", size_of::<P>());
    let device = &target.device;
    let payloads: Vec<P> = (0..rows.span()).map(payload).collect();
    let mut expected = payloads.clone();
    for (row, order) in orders.iter().enumerate() {
        for (i, &from) in order.iter().enumerate() {
            expected[row * rows.stride() + i] = payloads[row * rows.stride() + from];
        }
    }
    let mut key_buffer = device.upload(keys).unwrap();
    let mut payload_buffer = device.upload(&payloads).unwrap();
    let mut workspace = exactly(target, device.sort_rows_pairs_scratch_bytes::<K, P>(rows).unwrap());
    let done =
        device.sort_rows_pairs_buffer(&mut key_buffer, &mut payload_buffer, rows, &mut workspace, options(direction));
    done.unwrap_or_else(|e| panic!("{}: {e}", at()));
    same(&key_buffer.to_vec().unwrap(), sorted, || format!("keys, {}", at()));
    same(&payload_buffer.to_vec().unwrap(), &expected, || format!("payloads, {}", at()));
}

/// Widths where a kernel, a tile or a pass ends, for tiny tiles, and those for the GPU's.
fn widths(target: &Target) -> &'static [usize] {
    if target.is_cuda() {
        &[
            1, 2, 3, 4, 5, 31, 32, 33, 127, 512, 513, 1000, 1024, 1025, 2000, 4096, 8192, 8193, 8449, 32_000, 32_768,
            32_769, 65_537, 128_256,
        ]
    } else if target.is_slow() {
        &[3, 33, 100, 1025]
    } else {
        &[1, 2, 3, 7, 8, 9, 31, 32, 33, 63, 64, 65, 96, 97, 128, 129, 191, 193, 450, 577, 1200, 2500]
    }
}

#[test]
fn rows_of_every_width_are_sorted() {
    for target in targets() {
        for &columns in widths(target) {
            let count = if target.is_cuda() { (1 << 20) / columns + 3 } else { 5 };
            let rows = Rows::new(count, columns);
            for direction in DIRECTIONS {
                check(target, &matrix::<f32>(rows, columns), rows, direction);
                check(target, &matrix::<i64>(rows, columns), rows, direction);
                if target.is_slow() {
                    break;
                }
            }
            let apart = rows.with_stride(columns + 3);
            check(target, &matrix::<u32>(apart, 7), apart, DIRECTIONS[columns % 2]);
        }
    }
}

#[test]
fn rows_of_every_key_type_are_sorted() {
    fn of_type<K: Key>(target: &Target) {
        for columns in if target.is_cuda() { [5, 900, 5000] } else { [5, 70, 700] } {
            let rows = Rows::new(3, columns).with_stride(columns + columns % 3);
            check(target, &matrix::<K>(rows, 1), rows, DIRECTIONS[columns % 2]);
        }
    }
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for_each_key!(of_type(target));
    }
}

/// Values that equal what pads a tile, NaN of both signs, zeros of both.
#[test]
fn extreme_values_stay_in_their_rows() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        for columns in if target.is_cuda() { [6, 200, 3000, 20_000] } else { [6, 20, 90, 700] } {
            let rows = Rows::new(4, columns);
            let of = [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 0.0, -0.0, f32::from_bits(u32::MAX), 1.5];
            let floats: Vec<f32> = (0..rows.elements()).map(|i| of[i * 7 % 8]).collect();
            let halves: Vec<f16> = floats.iter().map(|&x| f16::from_f32(x)).collect();
            let last: Vec<u64> =
                (0..rows.elements()).map(|i| if i % 3 == 0 { u64::MAX } else { i as u64 % 5 }).collect();
            for direction in DIRECTIONS {
                check(target, &floats, rows, direction);
                check(target, &halves, rows, direction);
                check(target, &last, rows, direction);
            }
        }
    }
}

/// Rows without elements, one row, many rows of four, a row as wide as everything.
#[test]
fn odd_shapes_are_sorted() {
    for target in targets() {
        let many = if target.is_cuda() { 65_536 } else { 300 };
        let wide = if target.is_cuda() { 3_000_000 } else { 1500 };
        for rows in [
            Rows::new(0, 5),
            Rows::new(5, 0),
            Rows::new(0, 0),
            Rows::new(1, wide),
            Rows::new(many, 4),
            if target.is_cuda() { Rows::new(8200, 2049) } else { Rows::new(3, 1201) },
            Rows::new(many, 1),
        ] {
            if target.is_slow() && rows.elements() > 300 {
                continue;
            }
            check(target, &matrix::<f32>(rows, 11), rows, DIRECTIONS[0]);
            check(target, &matrix::<u16>(rows, 12), rows, DIRECTIONS[1]);
        }
    }
}

#[test]
fn host_matrices_are_sorted_in_place() {
    for target in targets() {
        let rows = Rows::new(4, 9).with_stride(10);
        let keys = matrix::<i32>(rows, 5);
        let (mut sorted, mut with_more) = (keys.clone(), keys.clone());
        let options = options(DIRECTIONS[0]);
        target.device.sort_rows(&mut sorted, rows, options).unwrap();
        // What is behind the last row stays.
        with_more.extend([3, 2, 1]);
        target.device.sort_rows(&mut with_more, rows, options).unwrap();
        assert_eq!(with_more[rows.span()..], [3, 2, 1]);
        assert_eq!(with_more[..rows.span()], sorted[..]);
        let (mut pairs, mut payloads) = (keys.clone(), (0..keys.len() as u64).collect::<Vec<_>>());
        target.device.sort_rows_pairs(&mut pairs, &mut payloads, rows, options).unwrap();
        assert_eq!(pairs, sorted);
        for (at, &from) in payloads.iter().enumerate() {
            assert_eq!(pairs[at], keys[from as usize]);
        }
        for row in 0..4 {
            assert!(sorted[10 * row..][..9].is_sorted());
        }
    }
}

/// Nothing is touched where a shape, a length or an index type will not do.
#[test]
fn shapes_that_do_not_fit_are_refused() {
    for target in targets() {
        let device = &target.device;
        let options = options(DIRECTIONS[0]);
        let keys: Vec<u32> = (0..12).rev().collect();
        let mut buffer = device.upload(&keys).unwrap();
        let mut workspace = Workspace::new(device);
        let expanded = Rows::new(3, 4).with_stride(0);
        let refused = device.sort_rows_buffer(&mut buffer, expanded, &mut workspace, options);
        assert!(matches!(refused, Err(Error::StrideTooSmall { stride: 0, columns: 4 })), "{refused:?}");
        let refused = device.sort_rows_buffer(&mut buffer, Rows::new(4, 4), &mut workspace, options);
        assert!(matches!(refused, Err(Error::OutOfRange { end: 16, len: 12, .. })), "{refused:?}");
        let refused = device.sort_rows_buffer(&mut buffer, Rows::new(usize::MAX, 2), &mut workspace, options);
        assert!(matches!(refused, Err(Error::OutOfRange { .. })), "{refused:?}");
        let mut order = device.allocate::<u32>(11).unwrap();
        let refused = device.argsort_rows_into(&buffer, &mut order, Rows::new(3, 4), &mut workspace, options);
        assert!(matches!(refused, Err(Error::LengthMismatch { expected: 12, found: 11, .. })), "{refused:?}");
        let mut odd = device.upload(&[[0u8; 3]; 12]).unwrap();
        let refused = device.sort_rows_pairs_buffer(&mut buffer, &mut odd, Rows::new(3, 4), &mut workspace, options);
        assert!(matches!(refused, Err(Error::PayloadSize { bytes: 3, .. })), "{refused:?}");
        assert_eq!(buffer.to_vec().unwrap(), keys);
    }
}

/// A matrix is sorted the same ten times over.
#[test]
fn repeats_agree() {
    for target in targets().iter().filter(|target| !target.is_slow()) {
        let (count, columns) = if target.is_cuda() { (2000, 777) } else { (7, 130) };
        let keys = Pattern::Random.keys::<u32>(count * columns, 9).iter().map(|k| k % 16).collect::<Vec<_>>();
        let order = |_| {
            target.device.argsort_rows::<u32, u32>(&keys, Rows::new(count, columns), options(DIRECTIONS[0])).unwrap()
        };
        let first = order(0);
        assert!((1..10).map(order).all(|again| again == first));
    }
}
