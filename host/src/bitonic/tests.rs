//! Both sorts on the CPU and on the emulator against the standard library's stable sort of each segment.
use super::*;
use crate::device::Device;

fn devices() -> [Device; 2] {
    [Device::cpu(), Device::emulator()]
}

/// Scrambled bits as keys, spread over all bits so that signs and NaNs are among them; few `values` make ties. Every
/// fifth key has all bits set or none, as pads have in one of the two directions.
fn keys<K: Key>(n: usize, values: u64) -> Vec<K> {
    let key = |i: usize| {
        let bits = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29) % values;
        let bits = match i % 5 {
            0 => u64::MAX * (i as u64 / 5 % 2),
            _ => bits.wrapping_mul(0xd134_2543_de82_ef95),
        };
        let mut key = K::zeroed();
        bytemuck::bytes_of_mut(&mut key).copy_from_slice(&bits.to_ne_bytes()[8 - size_of::<K>()..]);
        key
    };
    (0..n).map(key).collect()
}

/// Keys compared bit for bit: NaNs equal none by value.
fn bits<T: bytemuck::Pod>(elements: &[T]) -> &[u8] {
    bytemuck::cast_slice(elements)
}

type SortKeys<K> = fn(&mut DeviceSliceMut<'_, K>, SortOptions) -> Result<()>;
type SortPairs<K> = fn(&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, u32>, SortOptions) -> Result<()>;

fn check<K: Key>(
    device: &Device,
    n: usize,
    segment: usize,
    (sort, sort_pairs): (SortKeys<K>, SortPairs<K>),
    direction: Direction,
) {
    for values in [u64::MAX, 3] {
        let at = format!("{n} keys of type {}, {direction}, {values} values, on {device:?}", K::NAME);
        let options = SortOptions::new().direction(direction);
        let order = compare::<K>(direction);
        let input = keys::<K>(n, values);
        let mut expected: Vec<(K, u32)> = input.iter().copied().zip(0..).collect();
        expected.chunks_mut(segment).for_each(|segment| segment.sort_by(|x, y| order(&x.0, &y.0)));
        let (sorted, positions): (Vec<K>, Vec<u32>) = expected.into_iter().unzip();

        let mut buffer = device.upload(&input).unwrap();
        sort(&mut buffer, options).unwrap();
        assert_eq!(bits(&buffer.to_vec().unwrap()), bits(&sorted), "keys: {at}");

        let mut buffer = device.upload(&input).unwrap();
        let mut payloads = device.upload(&(0..n as u32).collect::<Vec<_>>()).unwrap();
        sort_pairs(&mut buffer, &mut payloads, options).unwrap();
        assert_eq!(bits(&buffer.to_vec().unwrap()), bits(&sorted), "pairs: {at}");
        assert_eq!(payloads.to_vec().unwrap(), positions, "payloads: {at}");
    }
}

fn check_all<K: Key>(directions: &[Direction]) {
    let Segments { warp, block } = Segments::of(K::WIDTH).unwrap();
    for device in devices() {
        for &direction in directions {
            for n in [0, 1, 2, 31, 32, 33, warp - 1, warp, warp + 1, 9 * warp + 5] {
                check::<K>(&device, n, warp, (warp_sort_buffer, warp_sort_pairs_buffer), direction);
            }
            for n in [1, 33, warp + 1, block - 1, block, block + 1, 2 * block + 77] {
                check::<K>(&device, n, block, (block_sort_buffer, block_sort_pairs_buffer), direction);
            }
        }
    }
}

const BOTH: [Direction; 2] = [Direction::Ascending, Direction::Descending];

#[test]
fn keys_of_four_bytes() {
    check_all::<u32>(&BOTH);
    check_all::<i32>(&[Direction::Descending]);
    check_all::<f32>(&BOTH);
}

#[test]
fn keys_of_eight_bytes() {
    check_all::<u64>(&BOTH);
    check_all::<i64>(&[Direction::Descending]);
    check_all::<f64>(&BOTH);
}

#[test]
fn segments_of_many_blocks() {
    for device in devices() {
        let Segments { warp, block } = Segments::of(KeyWidth::W32).unwrap();
        let n = 5 * block + block / 2 + 3;
        check::<u32>(&device, n, warp, (warp_sort_buffer, warp_sort_pairs_buffer), Direction::Ascending);
        check::<u32>(&device, n, block, (block_sort_buffer, block_sort_pairs_buffer), Direction::Ascending);
    }
}

#[test]
fn what_has_no_kernel_is_refused() {
    for device in devices() {
        let options = SortOptions::new();
        let mut bytes = device.upload(&[2u8, 1]).unwrap();
        assert!(matches!(warp_sort_buffer(&mut bytes, options), Err(Error::NotSupported { .. })));
        let mut wide = device.upload(&[2u128, 1]).unwrap();
        assert!(matches!(block_sort_buffer(&mut wide, options), Err(Error::NotSupported { .. })));
        let (mut keys, mut payloads) = (device.upload(&[2u32, 1]).unwrap(), device.upload(&[0u64, 1]).unwrap());
        let result = warp_sort_pairs_buffer(&mut keys, &mut payloads, options);
        assert!(matches!(result, Err(Error::NotSupported { .. })));
        assert_eq!((bytes.to_vec().unwrap(), keys.to_vec().unwrap()), (vec![2, 1], vec![2, 1]));
    }
}

#[test]
fn what_does_not_fit_together_is_refused() {
    for device in devices() {
        let options = SortOptions::new();
        let mut keys = device.upload(&[2u32, 1]).unwrap();
        let mut short = device.upload(&[0u32]).unwrap();
        let result = block_sort_pairs_buffer(&mut keys, &mut short, options);
        assert!(matches!(result, Err(Error::LengthMismatch { expected: 2, found: 1, .. })));
        let mut elsewhere = Device::emulator().upload(&[0u32, 1]).unwrap();
        let result = warp_sort_pairs_buffer(&mut keys, &mut elsewhere, options);
        assert!(matches!(result, Err(Error::DeviceMismatch { .. })));
    }
}
