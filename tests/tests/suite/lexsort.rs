//! Sorts of rows by several columns, against the standard library's stable sort of the same rows.
use gridsort::{
    ColumnOptions, Device, DeviceBuffer, DeviceSliceMut, Direction, Error, Graph, HostColumn, Index, Key, SortColumn,
    Workspace,
};
use gridsort_tests::case::tied_keys;
use gridsort_tests::pattern::{from_bits, generator, last_code};
use gridsort_tests::{Pattern, Target, bf16, f16, for_each_key, same, target, targets};
use proptest::prelude::*;
use proptest::test_runner::{Config, FileFailurePersistence};
use rand_xoshiro::rand_core::Rng;
use std::cmp::Ordering;

/// A column of any type: what Rust's own sort and the library need of it.
trait Column {
    fn compare(&self, i: usize, j: usize) -> Ordering;
    fn host(&self) -> HostColumn<'_>;
    fn upload(&self, device: &Device) -> Box<dyn Uploaded + '_>;
}

/// A column on a device.
trait Uploaded {
    fn column(&self) -> SortColumn<'_>;
    /// Demands that nothing was written to it.
    fn is_whole(&self, at: &dyn Fn() -> String);
}

/// Keys, and where there are nulls whether each is one.
struct Keys<K> {
    values: Vec<K>,
    valid: Option<Vec<bool>>,
    options: ColumnOptions,
    /// The bitmap of `valid`, from this bit on; all bits around it are set.
    bits: Vec<u8>,
    first: usize,
}

impl<K: Key> Keys<K> {
    fn new(values: Vec<K>, valid: Option<Vec<bool>>, options: ColumnOptions, first: usize) -> Self {
        let mut bits = vec![0xff; (first + values.len()).div_ceil(8)];
        for (i, valid) in valid.iter().flatten().enumerate() {
            if !valid {
                bits[(first + i) / 8] &= !(1 << ((first + i) % 8));
            }
        }
        Self { values, valid, options, bits, first }
    }

    fn value(&self, i: usize) -> Option<K> {
        self.valid.as_ref().is_none_or(|valid| valid[i]).then(|| self.values[i])
    }
}

impl<K: Key> Column for Keys<K> {
    fn compare(&self, i: usize, j: usize) -> Ordering {
        match (self.value(i), self.value(j)) {
            (None, None) => Ordering::Equal,
            (None, Some(_)) if self.options.nulls_first => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(_), None) if self.options.nulls_first => Ordering::Greater,
            (Some(_), None) => Ordering::Less,
            (Some(x), Some(y)) if self.options.descending => y.order(&x),
            (Some(x), Some(y)) => x.order(&y),
        }
    }

    fn host(&self) -> HostColumn<'_> {
        let column = HostColumn::new(&self.values, self.options);
        if self.valid.is_some() { column.with_validity(&self.bits, self.first) } else { column }
    }

    fn upload(&self, device: &Device) -> Box<dyn Uploaded + '_> {
        let (values, bits) = (device.upload(&self.values).unwrap(), device.upload(&self.bits).unwrap());
        Box::new(Buffers { values, bits, of: self })
    }
}

struct Buffers<'a, K: Key> {
    values: DeviceBuffer<K>,
    bits: DeviceBuffer<u8>,
    of: &'a Keys<K>,
}

impl<K: Key> Uploaded for Buffers<'_, K> {
    fn column(&self) -> SortColumn<'_> {
        let column = SortColumn::new(&self.values, self.of.options);
        if self.of.valid.is_some() { column.with_validity(&self.bits, self.of.first) } else { column }
    }

    fn is_whole(&self, at: &dyn Fn() -> String) {
        same(&self.values.to_vec().unwrap(), &self.of.values, || format!("a column after {}", at()));
        same(&self.bits.to_vec().unwrap(), &self.of.bits, || format!("a bitmap after {}", at()));
    }
}

type Table = Vec<Box<dyn Column>>;

/// The four options.
const OPTIONS: [ColumnOptions; 4] = [
    ColumnOptions { descending: false, nulls_first: true },
    ColumnOptions { descending: true, nulls_first: false },
    ColumnOptions { descending: false, nulls_first: false },
    ColumnOptions { descending: true, nulls_first: true },
];

/// Whether each of `n` rows has a value: all but one in `nulls` or so.
fn some_valid(n: usize, nulls: u64, seed: u64) -> Vec<bool> {
    let mut random = generator(seed);
    (0..n).map(|_| !random.next_u64().is_multiple_of(nulls)).collect()
}

/// The stable order of the rows.
fn expected(table: &Table, n: usize) -> Vec<u64> {
    let mut order: Vec<u64> = (0..n as u64).collect();
    order.sort_by(|&i, &j| {
        let by = table.iter().map(|column| column.compare(i as usize, j as usize));
        by.fold(Ordering::Equal, Ordering::then)
    });
    order
}

fn check_buffers<I: Index + TryInto<u64>>(target: &Target, table: &Table, order: &[u64], name: &str) {
    let device = &target.device;
    let at = || format!("lexsort_into with {} bytes, {name}, {} rows on {target}", size_of::<I>(), order.len());
    let uploaded: Vec<_> = table.iter().map(|column| column.upload(device)).collect();
    let columns: Vec<_> = uploaded.iter().map(|column| column.column()).collect();
    let mut found = device.allocate::<I>(order.len()).unwrap();
    // Exactly what is asked for.
    let bytes = device.lexsort_scratch_bytes::<I>(&columns).unwrap();
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
    let done = device.lexsort_into(&columns, &mut found, &mut workspace);
    done.unwrap_or_else(|error| panic!("{}: {error}", at()));
    let wide: Vec<u64> =
        found.to_vec().unwrap().into_iter().map(|position| position.try_into().ok().unwrap()).collect();
    same(&wide, order, at);
    uploaded.iter().for_each(|column| column.is_whole(&at));
}

fn check(target: &Target, table: &Table, n: usize, name: &str) {
    let order = expected(table, n);
    check_buffers::<u32>(target, table, &order, name);
    check_buffers::<u64>(target, table, &order, name);
    let columns: Vec<_> = table.iter().map(|column| column.host()).collect();
    let found = target.device.lexsort(&columns);
    let found = found.unwrap_or_else(|error| panic!("lexsort, {name}, on {target}: {error}"));
    same(&found, &order, || format!("lexsort, {name}, {n} rows on {target}"));
}

/// Rows within a tile of the sort and of the count of nulls, a tile of each and one more, several tiles, and passes of more
/// than two runs.
fn lengths(target: &Target) -> &'static [usize] {
    match (target.is_slow(), target.is_cuda()) {
        (true, _) => &[0, 33, 1025],
        (_, true) => &[0, 1, 33, 1023, 1024, 1025, 8193, 40_000, 1 << 20, 1_200_007],
        _ => &[0, 1, 2, 31, 190, 1023, 1024, 1025, 2102],
    }
}

/// One column with nulls in front of one that has none, and behind it.
fn check_key<K: Key>() {
    for target in targets() {
        for &n in lengths(target) {
            for (i, options) in OPTIONS.into_iter().enumerate() {
                // Each length and each option, but not all of both: so many rows of each type take their time.
                if n > 500 && i != n % 4 {
                    continue;
                }
                let nulls = Keys::new(tied_keys::<K>(n, 60), Some(some_valid(n, 4, 1)), options, 5 * i + 1);
                let plain = Keys::new(Pattern::FewValues.keys::<K>(n, 2), None, OPTIONS[3 - i], 0);
                let table: Table = if i % 2 == 0 {
                    vec![Box::new(nulls), Box::new(plain)]
                } else {
                    vec![Box::new(plain), Box::new(nulls)]
                };
                check(target, &table, n, &format!("{} {options:?}", K::NAME));
            }
        }
    }
}

#[test]
fn small_of_every_key_type() {
    for_each_key!(check_key());
}

/// Columns of all widths, each with few values and nulls of its own: rows tie in most of them.
#[test]
fn small_of_many_columns() {
    for target in targets() {
        for &n in lengths(target) {
            let valid = |seed| Some(some_valid(n, 3, seed));
            let table: Table = vec![
                Box::new(Keys::new(tied_keys::<u8>(n, 2), valid(1), OPTIONS[0], 3)),
                Box::new(Keys::new(tied_keys::<f16>(n, 3), None, OPTIONS[1], 0)),
                Box::new(Keys::new(Pattern::FewValues.keys::<f64>(n, 4), valid(3), OPTIONS[1], 8)),
                Box::new(Keys::new(Pattern::Special.keys::<f32>(n, 5), valid(4), OPTIONS[2], 15)),
                Box::new(Keys::new(Pattern::FewValues.keys::<i128>(n, 6), valid(5), OPTIONS[3], 64)),
                Box::new(Keys::new(Pattern::FewValues.keys::<bf16>(n, 7), None, OPTIONS[2], 0)),
                Box::new(Keys::new(tied_keys::<i64>(n, 5), valid(6), OPTIONS[0], 1)),
            ];
            check(target, &table, n, "seven columns");
            let order = expected(&table, n);
            check_buffers::<i32>(target, &table, &order, "seven columns");
            check_buffers::<i64>(target, &table, &order, "seven columns");
        }
    }
}

/// Values that are the very key that nulls are given, at both ends, and no others.
fn check_ends<K: Key>() {
    let codec = K::codec(Direction::Ascending);
    let ends: [K; 2] = [0, last_code::<K>()].map(|code| from_bits(codec.decode(code)));
    for target in targets() {
        let n = if target.is_slow() { 70 } else { 1500 };
        for options in OPTIONS {
            for one in [false, true] {
                let values = (0..n).map(|i| ends[if one { 1 } else { i * i % 7 % 2 }]).collect();
                let column = Keys::new(values, Some(some_valid(n, 2, 9)), options, 7);
                check(target, &vec![Box::new(column)], n, &format!("ends of {} {options:?}", K::NAME));
            }
        }
    }
}

#[test]
fn small_values_that_equal_what_nulls_are_sorted_by() {
    check_ends::<u8>();
    check_ends::<i16>();
    check_ends::<f32>();
    check_ends::<u64>();
    check_ends::<i128>();
}

/// No nulls, only nulls, one null, one value; whatever lies in their slots.
#[test]
fn small_nulls_that_are_all_or_none() {
    for target in targets() {
        for n in [1, 32, 33, if target.is_slow() { 100 } else { 1100 }] {
            let one = |is: bool| (0..n).map(|i| (i == n / 2) == is).collect();
            for (valid, options) in [vec![true; n], vec![false; n], one(true), one(false)].into_iter().zip(OPTIONS) {
                let table: Table = vec![
                    Box::new(Keys::new(Pattern::Random.keys::<u32>(n, 3), Some(valid), options, 2)),
                    Box::new(Keys::new(tied_keys::<i8>(n, 4), None, OPTIONS[1], 0)),
                ];
                check(target, &table, n, "all or none");
            }
        }
    }
}

#[test]
fn small_by_no_columns() {
    for target in targets() {
        for n in [0usize, 1, 255, 256, 1000] {
            let mut order = target.device.upload(&vec![7u64; n]).unwrap();
            target.device.lexsort_into(&[], &mut order, &mut Workspace::new(&target.device)).unwrap();
            assert_eq!(order.to_vec().unwrap(), (0..n as u64).collect::<Vec<_>>(), "{target}");
        }
        assert_eq!(target.device.lexsort(&[]).unwrap(), [0u64; 0], "{target}");
    }
}

/// Captured once, run twice on other values and other nulls.
#[test]
fn small_in_a_graph() {
    for target in target::kernel_targets() {
        let (device, n) = (&target.device, 700);
        let tables = [1, 2].map(|seed| {
            let keys = Keys::new(Pattern::FewValues.keys::<u32>(n, seed), Some(some_valid(n, 3, seed)), OPTIONS[1], 3);
            (keys, Keys::new(Pattern::FewValues.keys::<i64>(n, seed), None, OPTIONS[0], 0))
        });
        let mut group = device.upload(&tables[0].0.values).unwrap();
        let mut bits = device.upload(&tables[0].0.bits).unwrap();
        let mut value = device.upload(&tables[0].1.values).unwrap();
        let mut order = device.allocate::<u32>(n).unwrap();
        let graph = {
            let columns =
                [SortColumn::new(&group, OPTIONS[1]).with_validity(&bits, 3), SortColumn::new(&value, OPTIONS[0])];
            let mut workspace = Workspace::new(device);
            // Once before: it loads the kernels and reserves the scratch memory.
            device.lexsort_into(&columns, &mut order, &mut workspace).unwrap();
            Graph::capture(device, |device| device.lexsort_into(&columns, &mut order, &mut workspace)).unwrap()
        };
        for (keys, values) in tables {
            group.copy_from_slice(&keys.values).unwrap();
            bits.copy_from_slice(&keys.bits).unwrap();
            value.copy_from_slice(&values.values).unwrap();
            graph.launch(device).unwrap();
            let found: Vec<u64> = order.to_vec().unwrap().into_iter().map(u64::from).collect();
            same(&found, &expected(&vec![Box::new(keys), Box::new(values)], n), || format!("graph on {target}"));
        }
    }
}

#[test]
fn small_what_is_refused() {
    for target in targets() {
        let device = &target.device;
        let mut workspace = Workspace::new(device);
        let (values, other, bits) = (
            device.upload(&[1u32; 10]).unwrap(),
            device.upload(&[1u8; 9]).unwrap(),
            device.upload(&[0xffu8; 2]).unwrap(),
        );
        let column = || SortColumn::new(&values, ColumnOptions::new());
        let mut order = device.upload(&[9u32; 10]).unwrap();
        let mut refused =
            |columns: &[SortColumn<'_>]| device.lexsort_into(columns, &mut order, &mut workspace).unwrap_err();

        let error = refused(&[column(), SortColumn::new(&other, ColumnOptions::new())]);
        assert!(
            matches!(error, Error::LengthMismatch { what: "a column", expected: 10, found: 9 }),
            "{target}: {error}"
        );
        // Six bits ahead leave ten, seven do not; an offset beyond all reason is no overflow.
        for (first, needed) in [(7, 3), (usize::MAX, (usize::MAX as u128 + 10).div_ceil(8) as usize)] {
            let error = refused(&[column().with_validity(&bits, first)]);
            let Error::LengthMismatch { what, expected, found: 2 } = error else { panic!("{target}: {error}") };
            assert_eq!((what, expected), ("the bytes of a validity bitmap", needed));
        }
        let elsewhere = Device::emulator();
        let there = elsewhere.upload(&[1u32; 10]).unwrap();
        let error = refused(&[column(), SortColumn::new(&there, ColumnOptions::new())]);
        assert!(matches!(error, Error::DeviceMismatch { .. }), "{target}: {error}");
        let there = elsewhere.upload(&[1u8; 2]).unwrap();
        assert!(matches!(refused(&[column().with_validity(&there, 0)]), Error::DeviceMismatch { .. }), "{target}");
        assert_eq!((order.to_vec().unwrap(), workspace.bytes()), (vec![9; 10], 0), "{target}");
        device.lexsort_into(&[column().with_validity(&bits, 6)], &mut order, &mut workspace).unwrap();
        assert_eq!(order.to_vec().unwrap(), (0..10).collect::<Vec<_>>(), "{target}");

        // An order that is its own column.
        // SAFETY: within the buffer, which nothing else uses meanwhile.
        let mut view = unsafe { DeviceSliceMut::<u32>::from_raw(device, values.address(), 10).unwrap() };
        let error = device.lexsort_into(&[column()], &mut view, &mut workspace).unwrap_err();
        assert!(matches!(error, Error::Overlap { .. }), "{target}: {error}");

        // In host memory.
        let error = device.lexsort(&[
            HostColumn::new(&[1u8, 2], ColumnOptions::new()),
            HostColumn::new(&[1u8], ColumnOptions::new()),
        ]);
        assert!(matches!(error, Err(Error::LengthMismatch { expected: 2, found: 1, .. })), "{target}: {error:?}");
        let error = device.lexsort(&[HostColumn::new(&[1u8, 2], ColumnOptions::new()).with_validity(&[], 0)]);
        assert!(matches!(error, Err(Error::LengthMismatch { expected: 1, found: 0, .. })), "{target}: {error:?}");
    }
}

/// More rows than 32 bits can tell apart: refused before any of them is looked at.
#[test]
fn small_too_narrow_an_index() {
    let device = Device::emulator();
    let rows = (1 << 32) + 1;
    // SAFETY: never accessed: the call is refused.
    let (values, mut order) = unsafe {
        (
            DeviceSliceMut::<u8>::from_raw(&device, 1 << 40, rows).unwrap(),
            DeviceSliceMut::<u32>::from_raw(&device, 1 << 50, rows).unwrap(),
        )
    };
    let columns = [SortColumn::new(&values, ColumnOptions::new())];
    let error = device.lexsort_into(&columns, &mut order, &mut Workspace::new(&device)).unwrap_err();
    assert!(matches!(error, Error::TooLarge { n, limit, .. } if (n, limit) == (rows as u64, 1 << 32)), "{error}");
    assert!(device.lexsort_scratch_bytes::<u32>(&columns).is_err());
    // With 64 bits they can be told apart.
    assert!(device.lexsort_scratch_bytes::<u64>(&columns).unwrap() > rows as u64 * 9);
}

/// A column from numbers: small ones tie, and the last is the key that sorts last.
fn any_column<K: Key>(numbers: &[(u8, bool)], nulls: bool, options: ColumnOptions, first: usize) -> Box<dyn Column> {
    let codec = K::codec(Direction::Ascending);
    let key = |x: u8| from_bits(codec.decode(last_code::<K>() - last_code::<K>() / 7 * u128::from(x % 8).min(7)));
    let values = numbers.iter().map(|&(x, _)| key(x)).collect();
    let valid = nulls.then(|| numbers.iter().map(|&(_, valid)| valid).collect());
    Box::new(Keys::<K>::new(values, valid, options, first))
}

/// What a column is made of: its type, its numbers, whether it has nulls, options, the bitmap's first bit.
type Recipe = (usize, Vec<(u8, bool)>, bool, usize, usize);

fn tables() -> impl Strategy<Value = (usize, Vec<Recipe>)> {
    (prop_oneof![0..5usize, 0..70usize, 0..400usize, 1000..1100usize], 1..5usize).prop_flat_map(|(n, columns)| {
        let numbers = prop::collection::vec((0..8u8, any::<bool>()), n);
        let column = (0..5usize, numbers, any::<bool>(), 0..4usize, 0..20usize);
        (Just(n), prop::collection::vec(column, columns))
    })
}

proptest! {
    #![proptest_config(Config {
        cases: 60,
        failure_persistence: Some(Box::new(FileFailurePersistence::WithSource("regressions"))),
        ..Config::default()
    })]

    #[test]
    fn of_any_table((n, recipes) in tables()) {
        let column = |(kind, numbers, nulls, options, first): &Recipe| {
            let make = [any_column::<u8>, any_column::<f16>, any_column::<i32>, any_column::<f64>, any_column::<u128>][*kind];
            make(numbers, *nulls, OPTIONS[*options], *first)
        };
        let table: Table = recipes.iter().map(column).collect();
        for target in targets().iter().filter(|target| !target.is_slow()) {
            check(target, &table, n, "any table");
        }
    }
}
