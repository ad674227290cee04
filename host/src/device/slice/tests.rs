//! Views and their limits, on devices in host memory.
use super::*;
use crate::device::DeviceSliceMut;

fn devices() -> [Device; 2] {
    [Device::cpu(), Device::emulator()]
}

#[test]
fn ranges_are_checked() {
    for device in devices() {
        let mut buffer = device.upload(&[1u32, 2, 3, 4]).unwrap();
        assert_eq!(buffer.slice(..).unwrap().to_vec().unwrap(), [1, 2, 3, 4]);
        assert_eq!(buffer.slice(1..=2).unwrap().to_vec().unwrap(), [2, 3]);
        assert_eq!(buffer.slice(1..).unwrap().slice(1..2).unwrap().to_vec().unwrap(), [3]);
        let empty = buffer.slice(4..).unwrap();
        assert_eq!((empty.len(), empty.address()), (0, 0));
        for (start, end) in [(0, 5), (3, 2), (usize::MAX, usize::MAX)] {
            assert!(matches!(buffer.slice(start..end), Err(Error::OutOfRange { len: 4, .. })), "{start}..{end}");
            assert!(buffer.slice_mut(start..end).is_err());
        }
        assert!(buffer.slice(..=usize::MAX).is_err());
        let (mut front, back) = buffer.split_at_mut(2).unwrap();
        front.copy_from_buffer(&back).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), [3, 4, 3, 4]);
        assert!(buffer.split_at_mut(5).is_err());
    }
}

#[test]
fn raw_views_that_overlap_are_refused() {
    for device in devices() {
        let buffer = device.upload(&[1u32, 2, 3, 4]).unwrap();
        // SAFETY: both lie within the buffer, which nothing else uses.
        let views = unsafe {
            [0, 4, 8].map(|offset| DeviceSliceMut::<u32>::from_raw(&device, buffer.address() + offset, 2).unwrap())
        };
        let [mut a, b, c] = views;
        assert!(matches!(a.copy_from_buffer(&b), Err(Error::Overlap { .. })));
        a.copy_from_buffer(&c).unwrap();
        assert_eq!(buffer.to_vec().unwrap(), [3, 4, 3, 4]);
    }
}

#[test]
fn raw_addresses_are_checked() {
    let device = Device::emulator();
    let buffer = device.upload(&[0u64; 4]).unwrap();
    // SAFETY: refused, or within the buffer.
    unsafe {
        let odd = DeviceSliceMut::<[u8; 8]>::from_raw(&device, buffer.address() + 4, 1);
        assert!(matches!(odd, Err(Error::Misaligned { alignment: 8, .. })));
        assert!(DeviceSliceMut::<[u8; 3]>::from_raw(&device, buffer.address() + 1, 1).is_ok());
        assert!(matches!(DeviceSliceMut::<u64>::from_raw(&device, 0, 1), Err(Error::OutOfRange { .. })));
        assert!(matches!(DeviceSliceMut::<u64>::from_raw(&device, 8, usize::MAX), Err(Error::TooLarge { .. })));
        assert!(DeviceSliceMut::<u64>::from_raw(&device, u64::MAX - 7, 2).is_err());
        assert!(DeviceSliceMut::<u64>::from_raw(&device, 0, 0).unwrap().is_empty());
    }
}
