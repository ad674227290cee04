//! Orders of the user's own, good and bad, on the emulator and on the CPU.
mod merge_many;

use super::{CustomOrder, OrderedKey, compare};
use crate::device::{Device, EmulatorOptions};
use crate::error::Error;
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::order::Order;
use gridsort_kernels::{export_order, export_small_order};

macro_rules! key {
    ($(#[$doc:meta])* $name:ident { $($field:ident: $t:ty),* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        #[repr(C)]
        struct $name { $($field: $t),* }
        // SAFETY: the fields are plain numbers and fill the struct: a test below holds its size against theirs.
        unsafe impl bytemuck::Zeroable for $name {}
        // SAFETY: as above.
        unsafe impl bytemuck::Pod for $name {}
        const _: () = assert!(size_of::<$name>() == 0 $(+ size_of::<$t>())*);
    };
}

key!(
    /// 12 bytes: by `first` descending, then by `second`; `rest` has no part in the order.
    Record { first: u32, second: u32, rest: u32 }
);
impl Order for Record {
    fn before(self, other: Self) -> bool {
        if self.first != other.first { self.first > other.first } else { self.second < other.second }
    }
}
export_order!(mod records: Record);
static RECORDS: CustomOrder<Record> = CustomOrder::new(&records::KERNELS, &[]);

/// Keys of other sizes, ordered by their first byte alone. All are sorted with tiny tiles; of each class of shapes in
/// `tuning` the full ones are compiled for one size.
macro_rules! sized {
    ($($name:ident $export:ident $module:ident $t:ty;)*) => { $(
        key!($name { value: $t });
        impl Order for $name {
            fn before(self, other: Self) -> bool {
                bytemuck::bytes_of(&self)[0] < bytemuck::bytes_of(&other)[0]
            }
        }
        $export!(mod $module: $name);
    )* };
}
sized! {
    Bytes1 export_order bytes_1 u8;
    Bytes3 export_small_order bytes_3 [u8; 3];
    Bytes8 export_order bytes_8 [u32; 2];
    Bytes16 export_small_order bytes_16 [u64; 2];
    Bytes20 export_order bytes_20 [u32; 5];
    Bytes32 export_small_order bytes_32 [u64; 4];
}

key!(
    /// A key that says itself how it contradicts itself.
    Wild { value: u32, rule: u32 }
);
pub(super) const RULES: u32 = 6;
impl Order for Wild {
    fn before(self, other: Self) -> bool {
        by_rule(self.rule, self.value, other.value)
    }
}
/// Whether `a` is before `b` by one of the [`RULES`], each of which contradicts itself in its own way.
pub(super) fn by_rule(rule: u32, a: u32, b: u32) -> bool {
    let chance = |x: u32| x.wrapping_mul(0x9e37_79b9).rotate_left(15).wrapping_mul(0x85eb_ca6b) >> 31 == 0;
    match rule {
        0 => true,
        1 => false,
        2 => a <= b,
        3 => chance(a ^ b.rotate_left(16)),
        // Around in a circle.
        4 => a.wrapping_sub(b) % 3 == 1,
        // Right but for a few.
        _ => (a < b) ^ (a % 16 == 3 && chance(a.wrapping_add(b.wrapping_mul(7)))),
    }
}
export_small_order!(mod wilds: Wild);
static WILDS: CustomOrder<Wild> = CustomOrder::new(&wilds::KERNELS, &[]);

fn small() -> Device {
    Device::emulator_with(EmulatorOptions { tiles: Tiles::Small, ..Default::default() })
}

fn scrambled(i: usize, seed: u32) -> u32 {
    (i as u32).wrapping_add(seed).wrapping_mul(0x9e37_79b9).rotate_left(13).wrapping_mul(0x85eb_ca6b)
}

fn record(i: usize, values: u32) -> Record {
    Record { first: scrambled(i, 1) % values, second: scrambled(i, 9) % values, rest: i as u32 }
}

/// Lengths around tiles and on every path: one tile, two-way passes, k-way passes of 4, 8 and 16 runs and of two levels.
const LENGTHS: [usize; 13] = [0, 1, 2, 31, 95, 96, 97, 191, 192, 193, 599, 600, 1537];

/// All operations against the standard library's stable sort.
fn check<K: OrderedKey + PartialEq>(device: &Device, order: &CustomOrder<K>, input: &[K]) {
    let n = input.len();
    let at = format!("{n} keys of {} bytes on {device:?}", size_of::<K>());
    let mut tagged: Vec<(K, u64)> = input.iter().copied().zip(0..).collect();
    tagged.sort_by(|x, y| compare(&x.0, &y.0));
    let (sorted, positions): (Vec<K>, Vec<u64>) = tagged.into_iter().unzip();

    let mut keys = input.to_vec();
    order.sort(device, &mut keys).unwrap();
    assert_eq!(keys, sorted, "sort: {at}");
    assert!(order.is_sorted(&keys));

    let mut keys = input.to_vec();
    let mut payloads: Vec<u32> = (0..n as u32).collect();
    order.sort_pairs(device, &mut keys, &mut payloads).unwrap();
    assert_eq!(keys, sorted, "sort_pairs: {at}");
    assert!(payloads.iter().map(|&p| u64::from(p)).eq(positions.iter().copied()), "sort_pairs: {at}");
    let mut keys = input.to_vec();
    let mut payloads: Vec<u64> = (0..n as u64).collect();
    order.sort_pairs(device, &mut keys, &mut payloads).unwrap();
    assert_eq!((&keys, &payloads), (&sorted, &positions), "sort_pairs of 8 bytes: {at}");

    assert_eq!(order.argsort(device, input).unwrap(), positions, "argsort: {at}");

    let mut workspace = Workspace::new(device);
    let buffer = device.upload(input).unwrap();
    let in_order = order.is_sorted_buffer(device, &buffer, &mut workspace).unwrap();
    assert_eq!(in_order, order.is_sorted(input), "is_sorted_buffer: {at}");
    let mut wide = device.allocate::<u64>(n).unwrap();
    order.argsort_into(device, &buffer, &mut wide, &mut workspace).unwrap();
    assert_eq!(wide.to_vec().unwrap(), positions, "argsort_into: {at}");
    assert_eq!(buffer.to_vec().unwrap(), input, "argsort_into changed its keys: {at}");

    let (mut a, mut b) = (input[..n / 3].to_vec(), input[n / 3..].to_vec());
    a.sort_by(compare);
    b.sort_by(compare);
    let mut tagged: Vec<(K, u32)> = a.iter().chain(&b).copied().zip(0..).collect();
    tagged.sort_by(|x, y| compare(&x.0, &y.0));
    let (merged, tags): (Vec<K>, Vec<u32>) = tagged.into_iter().unzip();
    assert_eq!(order.merge(device, &a, &b).unwrap(), merged, "merge: {at}");
    let (a, b) = (device.upload(&a).unwrap(), device.upload(&b).unwrap());
    let split = a.len() as u32;
    let a_tags = device.upload(&(0..split).collect::<Vec<u32>>()).unwrap();
    let b_tags = device.upload(&(split..n as u32).collect::<Vec<u32>>()).unwrap();
    let (mut out, mut out_tags) = (device.allocate(n).unwrap(), device.allocate(n).unwrap());
    let outs = (&mut *out, &mut *out_tags);
    order.merge_pairs_buffers(device, (&a, &a_tags), (&b, &b_tags), outs, &mut workspace).unwrap();
    assert_eq!(out.to_vec().unwrap(), merged, "merge_pairs_buffers: {at}");
    assert_eq!(out_tags.to_vec().unwrap(), tags, "merge_pairs_buffers: {at}");
}

#[test]
fn records_are_sorted_and_equal_ones_keep_their_order() {
    for device in [small(), Device::cpu()] {
        for n in LENGTHS {
            for values in [1, 4, u32::MAX] {
                let input: Vec<Record> = (0..n).map(|i| record(i, values)).collect();
                check(&device, &RECORDS, &input);
            }
        }
    }
}

#[test]
fn records_with_full_tiles() {
    let input: Vec<Record> = (0..5000).map(|i| record(i, 50)).collect();
    let mut keys = input.clone();
    RECORDS.sort(&Device::emulator(), &mut keys).unwrap();
    let mut expected = input;
    expected.sort_by(compare);
    assert_eq!(keys, expected);
}

#[test]
fn keys_of_every_kind_of_size() {
    fn check_size<K: OrderedKey + PartialEq>(order: CustomOrder<K>) {
        let key = |i: usize| {
            let mut key = K::zeroed();
            let bytes = bytemuck::bytes_of_mut(&mut key);
            for (at, byte) in bytes.iter_mut().enumerate() {
                *byte = (scrambled(i, at as u32) % 7) as u8;
            }
            key
        };
        for n in [5, 193, 800] {
            let input: Vec<K> = (0..n).map(key).collect();
            check(&small(), &order, &input);
        }
    }
    check_size(CustomOrder::new(&bytes_1::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_3::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_8::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_16::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_20::KERNELS, &[]));
    check_size(CustomOrder::new(&bytes_32::KERNELS, &[]));
}

/// What an order that contradicts itself must leave: every key with its own payload, once.
fn check_wild(device: &Device, input: &[Wild]) {
    let n = input.len();
    let at = |what: &str| format!("{what} of {n} keys by rule {:?} on {device:?}", input.first().map(|key| key.rule));
    let same = |mut keys: Vec<Wild>, what: &str| {
        let mut expected = input.to_vec();
        keys.sort();
        expected.sort();
        assert_eq!(keys, expected, "{}", at(what));
    };
    let same_pairs = |keys: &[Wild], positions: &[u64], what: &str| {
        let mut seen = vec![false; n];
        for (key, &position) in keys.iter().zip(positions) {
            assert_eq!(*key, input[position as usize], "{}", at(what));
            assert!(!std::mem::replace(&mut seen[position as usize], true), "{}", at(what));
        }
    };
    let mut keys = input.to_vec();
    WILDS.sort(device, &mut keys).unwrap();
    same(keys, "sort");

    let (mut keys, mut payloads) = (input.to_vec(), (0..n as u64).collect::<Vec<_>>());
    WILDS.sort_pairs(device, &mut keys, &mut payloads).unwrap();
    same_pairs(&keys, &payloads, "sort_pairs");

    let order = WILDS.argsort(device, input).unwrap();
    let keys: Vec<Wild> = order.iter().map(|&position| input[position as usize]).collect();
    same_pairs(&keys, &order, "argsort");

    // Inputs that nobody sorted, as no order could.
    let (a, b) = (device.upload(&input[..n / 3]).unwrap(), device.upload(&input[n / 3..]).unwrap());
    let positions: Vec<u64> = (0..n as u64).collect();
    let (a_tags, b_tags) = (device.upload(&positions[..n / 3]).unwrap(), device.upload(&positions[n / 3..]).unwrap());
    let (mut out, mut tags) = (device.allocate(n).unwrap(), device.allocate(n).unwrap());
    let mut workspace = Workspace::new(device);
    WILDS.merge_buffers(device, &a, &b, &mut out, &mut workspace).unwrap();
    same(out.to_vec().unwrap(), "merge_buffers");
    let outs = (&mut *out, &mut *tags);
    WILDS.merge_pairs_buffers(device, (&a, &a_tags), (&b, &b_tags), outs, &mut workspace).unwrap();
    same_pairs(&out.to_vec().unwrap(), &tags.to_vec().unwrap(), "merge_pairs_buffers");
}

#[test]
fn no_order_loses_or_doubles_a_key() {
    for device in [small(), Device::cpu()] {
        for n in [2, 33, 97, 193, 400, 599, 600, 1000, 1537] {
            for rule in 0..=RULES {
                // The last round mixes all rules.
                let rule_of = |i: usize| if rule < RULES { rule } else { scrambled(i, 5) % RULES };
                for (seed, values) in [(3, u32::MAX), (77, 30)] {
                    let key = |i| Wild { value: scrambled(i, seed) % values, rule: rule_of(i) };
                    check_wild(&device, &(0..n).map(key).collect::<Vec<_>>());
                }
            }
        }
    }
}

#[test]
fn unsorted_inputs_and_mixed_up_arguments_are_refused() {
    for device in [small(), Device::cpu()] {
        let (low, high) = (record(0, u32::MAX), Record { first: u32::MAX, second: 0, rest: 0 });
        let error = RECORDS.merge(&device, &[high], &[low, high]).unwrap_err();
        assert!(matches!(error, Error::NotSorted { input: "the second input", position: 1 }));
        let error = RECORDS.sort_pairs(&device, &mut [low, high], &mut [0u32]).unwrap_err();
        assert!(matches!(error, Error::LengthMismatch { expected: 2, found: 1, .. }));
        let error = RECORDS.sort_pairs(&device, &mut [low, high], &mut [0u8; 2]).unwrap_err();
        assert!(matches!(error, Error::NotSupported { .. }));
        assert!(matches!(
            RECORDS.sort_pairs(&device, &mut [low, high], &mut [(); 2]),
            Err(Error::PayloadSize { bytes: 0, .. })
        ));
        let mut keys = device.upload(&[low, high]).unwrap();
        let elsewhere = &mut Workspace::new(&small());
        assert!(matches!(RECORDS.sort_buffer(&device, &mut keys, elsewhere), Err(Error::DeviceMismatch { .. })));
        assert_eq!(keys.to_vec().unwrap(), [low, high]);
        RECORDS.prepare(&device, 8).unwrap();
    }
}

#[test]
fn scratch_memory_is_what_was_asked_for() {
    let device = small();
    let input: Vec<Record> = (0..1000).map(|i| record(i, 9)).collect();
    let mut keys = device.upload(&input).unwrap();
    let bytes = RECORDS.sort_scratch_bytes(&device, 1000, 0).unwrap();
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize - 1).unwrap());
    let error = RECORDS.sort_buffer(&device, &mut keys, &mut workspace).unwrap_err();
    assert!(matches!(error, Error::ScratchTooSmall { needed, .. } if needed == bytes));
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
    RECORDS.sort_buffer(&device, &mut keys, &mut workspace).unwrap();
    assert!(RECORDS.is_sorted(&keys.to_vec().unwrap()));
    assert_eq!(RECORDS.sort_scratch_bytes(&device, 100, 8).unwrap(), 0);
}
