//! The sample sort by orders of the user's own, good and bad, on the emulator.
use crate::custom::{CustomOrder, OrderedKey, compare, tests};
use crate::device::{Device, EmulatorOptions};
use crate::error::Error;
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::order::Order;
use gridsort_kernels::sample::splitters::drawn;
use gridsort_kernels::tuning::{SAMPLE_SMALL_CUSTOM, SampleTuning};
use gridsort_kernels::{export_order, export_sample_sort, export_small_order, export_small_sample_sort};

/// Keys of some sizes: the first bytes are compared, the last ones tell a key from another that equals it.
macro_rules! keys {
    ($($name:ident $value:ty, $rest:ty, $export:ident $module:ident, $export_sample:ident $sample:ident;)*) => { $(
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(C)]
        struct $name {
            value: $value,
            rest: $rest,
        }
        const _: () = assert!(size_of::<$name>() == size_of::<$value>() + size_of::<$rest>());
        // SAFETY: the fields are plain numbers and fill the struct.
        unsafe impl bytemuck::Zeroable for $name {}
        // SAFETY: as above.
        unsafe impl bytemuck::Pod for $name {}
        impl Order for $name {
            fn before(self, other: Self) -> bool {
                self.value < other.value
            }
        }
        impl Numbered for $name {
            fn new(value: u64, i: usize) -> Self {
                let mut rest = <$rest as bytemuck::Zeroable>::zeroed();
                let bytes = bytemuck::bytes_of_mut(&mut rest);
                bytes.iter_mut().zip((i as u64).to_le_bytes()).for_each(|(byte, of)| *byte = of);
                $name { value: value as $value, rest }
            }
        }
        $export!(mod $module: $name);
        $export_sample!(mod $sample: $name);
    )* };
}
keys! {
    Key2 u8, u8, export_small_order order_2, export_small_sample_sort sample_2;
    Key8 u32, u32, export_small_order order_8, export_small_sample_sort sample_8;
    Key12 u32, [u32; 2], export_small_order order_12, export_small_sample_sort sample_12;
    Key16 u64, u64, export_order order_16, export_sample_sort sample_16;
    Key32 u64, [u64; 3], export_small_order order_32, export_small_sample_sort sample_32;
}

trait Numbered: OrderedKey + PartialEq {
    /// A key of this value, the i-th.
    fn new(value: u64, i: usize) -> Self;
}

const TUNING: SampleTuning = SAMPLE_SMALL_CUSTOM;

fn small() -> Device {
    Device::emulator_with(EmulatorOptions { tiles: Tiles::Small, ..Default::default() })
}

fn scrambled(i: usize) -> u64 {
    let x = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ (x >> 29)).wrapping_mul(0xbf58_476d_1ce4_e5b9)
}

/// Sorts in exactly the scratch memory that was asked for, and holds the result against the standard library's stable sort.
fn check<K: Numbered>(device: &Device, order: &CustomOrder<K>, what: &str, values: impl Iterator<Item = u64>) {
    let input: Vec<K> = values.enumerate().map(|(i, value)| K::new(value, i)).collect();
    let mut expected = input.clone();
    expected.sort_by(compare);
    let bytes = order.sort_scratch_bytes(device, input.len(), 0).unwrap();
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize).unwrap());
    let mut keys = device.upload(&input).unwrap();
    order.sort_buffer(device, &mut keys, &mut workspace).unwrap();
    assert!(keys.to_vec().unwrap() == expected, "{what}: {} keys of {} bytes", input.len(), size_of::<K>());
}

/// What goes to each of the kernels: random keys, few values (equal keys that differ), sorted and reversed ones with and without equal
/// neighbours, and keys of which those that are drawn mislead.
fn check_patterns<K: Numbered>(order: CustomOrder<K>, most: u64) {
    let device = small();
    let class = TUNING.class_keys().most() as usize;
    let one_level = (TUNING.target as usize) << TUNING.bits;
    let chunk = TUNING.chunk() as usize;
    let spread = |i: usize, n: usize| (i as u128 * u128::from(most) / n as u128) as u64;
    for n in [class + 1, one_level + 1, 3 * chunk - 1, 3 * one_level] {
        check(&device, &order, "random", (0..n).map(|i| scrambled(i) % most));
        check(&device, &order, "few values", (0..n).map(|i| scrambled(i) % 5));
        check(&device, &order, "sorted", (0..n).map(|i| spread(i, n)));
        check(&device, &order, "reversed", (0..n).rev().map(|i| spread(i, n)));
        check(&device, &order, "reversed, all different if they can be", (0..n as u64).rev());
        check(&device, &order, "three sorted runs", (0..n).map(|i| spread(i % n.div_ceil(3), n)));
        check(&device, &order, "alike", (0..n).map(|_| 3));
        let mut values: Vec<u64> = (0..n).map(|i| 1 + scrambled(i) % (most - 1)).collect();
        (0..TUNING.sample.tile()).for_each(|i| values[drawn(0, 0, 0, i, n as u64) as usize] = 0);
        check(&device, &order, "misled", values.into_iter());
    }
}

/// Both kinds of kernels of a type, as one order.
macro_rules! sampling {
    ($order:ident, $sample:ident) => {
        CustomOrder::new(&$order::KERNELS, &[]).with_sample_sort(&$sample::KERNELS)
    };
}

#[test]
fn keys_of_every_kind_of_size_keep_the_order_of_equal_ones() {
    check_patterns::<Key2>(sampling!(order_2, sample_2), 256);
    check_patterns::<Key8>(sampling!(order_8, sample_8), 1 << 32);
    check_patterns::<Key12>(sampling!(order_12, sample_12), 1000);
    check_patterns::<Key16>(sampling!(order_16, sample_16), u64::MAX);
    check_patterns::<Key32>(sampling!(order_32, sample_32), 300);
}

#[test]
fn full_tiles_sort_too() {
    let device = Device::emulator();
    let order: CustomOrder<Key16> = sampling!(order_16, sample_16);
    check(&device, &order, "random", (0..7000).map(scrambled));
    check(&device, &order, "few values", (0..5000).map(|i| scrambled(i) % 9));
}

#[test]
fn what_carries_something_and_few_keys_are_sorted_as_before() {
    let device = small();
    let merging: CustomOrder<Key16> = CustomOrder::new(&order_16::KERNELS, &[]);
    let sampling = merging.with_sample_sort(&sample_16::KERNELS);
    let class = TUNING.class_keys().most() as usize;
    let bytes = |order: &CustomOrder<Key16>, n, payload| order.sort_scratch_bytes(&device, n, payload).unwrap();
    assert_eq!(bytes(&sampling, class, 0), bytes(&merging, class, 0));
    assert!(bytes(&sampling, class + 1, 0) > bytes(&merging, class + 1, 0));
    for payload in [4, 8] {
        assert_eq!(bytes(&sampling, 5000, payload), bytes(&merging, 5000, payload));
        let of = |order: &CustomOrder<Key16>| order.argsort_scratch_bytes(&device, 5000, payload).unwrap();
        assert_eq!(of(&sampling), of(&merging));
    }
    let input: Vec<Key16> = (0..3000).map(|i| Key16::new(scrambled(i) % 70, i)).collect();
    let mut expected: Vec<(Key16, u32)> = input.iter().copied().zip(0..).collect();
    expected.sort_by(|x, y| compare(&x.0, &y.0));
    let (mut keys, mut payloads) = (input.clone(), (0..3000).collect::<Vec<u32>>());
    sampling.sort_pairs(&device, &mut keys, &mut payloads).unwrap();
    assert!(keys.into_iter().zip(payloads).eq(expected.iter().copied()));
    let order = sampling.argsort(&device, &input).unwrap();
    assert!(order.into_iter().eq(expected.iter().map(|&(_, at)| u64::from(at))));
    let mut keys = input.clone();
    sampling.sort(&Device::cpu(), &mut keys).unwrap();
    assert!(keys.into_iter().eq(expected.iter().map(|&(key, _)| key)));
    sampling.prepare(&device, 0).unwrap();
}

#[test]
fn too_little_scratch_memory_is_an_error_and_the_keys_stay_as_they_were() {
    let device = small();
    let order: CustomOrder<Key16> = sampling!(order_16, sample_16);
    let input: Vec<Key16> = (0..4000).map(|i| Key16::new(scrambled(i), i)).collect();
    let bytes = order.sort_scratch_bytes(&device, input.len(), 0).unwrap();
    let mut keys = device.upload(&input).unwrap();
    let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize - 1).unwrap());
    let error = order.sort_buffer(&device, &mut keys, &mut workspace).unwrap_err();
    assert!(matches!(error, Error::ScratchTooSmall { needed, .. } if needed == bytes), "{error}");
    assert!(keys.to_vec().unwrap() == input);
}

/// A key that says itself how it contradicts itself, and which one it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(C)]
struct Wild {
    value: u32,
    rule: u32,
    id: u32,
}
// SAFETY: three numbers, which fill the struct.
unsafe impl bytemuck::Zeroable for Wild {}
// SAFETY: as above.
unsafe impl bytemuck::Pod for Wild {}
/// Those that others are tested by, and one more.
const RULES: u32 = tests::RULES + 1;
impl Order for Wild {
    fn before(self, other: Self) -> bool {
        if self.rule < tests::RULES {
            return tests::by_rule(self.rule, self.value, other.value);
        }
        // By chance, and before whatever misleads: one bucket takes nearly all.
        other.value == 0 || tests::by_rule(3, self.value, other.value)
    }
}
export_small_order!(mod wilds: Wild);
export_small_sample_sort!(mod wild_samples: Wild);

#[test]
fn no_order_loses_or_doubles_a_key() {
    let order: CustomOrder<Wild> = sampling!(wilds, wild_samples);
    let device = small();
    for n in [961usize, 1150, 1700, 5000] {
        for rule in 0..=RULES {
            // The last round mixes all rules.
            let rule_of = |i: usize| if rule < RULES { rule } else { scrambled(i) as u32 % RULES };
            for (values, misleads) in [(u32::MAX, false), (30, false), (u32::MAX, true)] {
                let value = |i| 1 + scrambled(i) as u32 % (values - 1);
                let mut input: Vec<Wild> =
                    (0..n).map(|i| Wild { value: value(i), rule: rule_of(i), id: i as u32 }).collect();
                if misleads {
                    for i in 0..TUNING.sample.tile() {
                        input[drawn(0, 0, 0, i, n as u64) as usize].value = 0;
                    }
                }
                let mut keys = input.clone();
                order.sort(&device, &mut keys).unwrap();
                keys.sort();
                input.sort();
                assert!(keys == input, "{n} keys of {values} values by rule {rule}, misled: {misleads}");
            }
        }
    }
}
