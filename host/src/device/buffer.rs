//! Memory of a device, typed and owned.
use super::slice::bytes_of;
use super::{Allocation, Device, DeviceSliceMut};
use crate::error::Result;
use bytemuck::Pod;
use std::ops::{Deref, DerefMut};

/// Elements in a device's memory, given back when dropped. What can be done with them are the methods of its views,
/// [`DeviceSlice`](crate::DeviceSlice) and [`DeviceSliceMut`], and the operations of [`Device`].
///
/// Dropping waits until work that uses the memory is done.
///
/// ```
/// use gridsort::Device;
///
/// let device = Device::emulator();
/// let mut buffer = device.upload(&[1u32, 2, 3])?;
/// assert_eq!(buffer.to_vec()?, [1, 2, 3]);
/// buffer.copy_from_slice(&[4, 5, 6])?;
/// assert_eq!(buffer.slice(..2)?.to_vec()?, [4, 5]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceBuffer<T: Pod> {
    // All of an allocation that nothing else refers to but views of this one, and graphs.
    view: DeviceSliceMut<'static, T>,
}

impl<T: Pod> DeviceBuffer<T> {
    pub(super) fn allocate(device: &Device, len: usize) -> Result<Self> {
        device.not_while_capturing("allocate while it captures a graph")?;
        let (address, allocation) = match bytes_of::<T>(len)? {
            0 => (0, None),
            bytes => {
                let address = device.backend().allocate(bytes)?;
                (address, Some(Allocation::new(device.backend.clone(), address, bytes, true)))
            }
        };
        Ok(Self { view: DeviceSliceMut::of(device, allocation, address, len) })
    }
}

impl<T: Pod> From<DeviceBuffer<T>> for DeviceSliceMut<'static, T> {
    /// A view that keeps the memory as long as it lives.
    fn from(buffer: DeviceBuffer<T>) -> Self {
        buffer.view
    }
}

impl<T: Pod> Deref for DeviceBuffer<T> {
    type Target = DeviceSliceMut<'static, T>;

    fn deref(&self) -> &Self::Target {
        &self.view
    }
}

impl<T: Pod> DerefMut for DeviceBuffer<T> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.view
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::slice::host_vec;
    use crate::error::Error;

    fn devices() -> [Device; 2] {
        [Device::cpu(), Device::emulator()]
    }

    #[test]
    fn lengths_must_agree() {
        for device in devices() {
            let mut buffer = device.upload(&[1u32, 2, 3]).unwrap();
            let short = buffer.copy_to_slice(&mut [0; 2]);
            assert!(matches!(short, Err(Error::LengthMismatch { expected: 3, found: 2, .. })));
            assert!(buffer.copy_from_slice(&[0; 4]).is_err());
            let other = device.upload(&[0u32; 2]).unwrap();
            assert!(buffer.copy_from_buffer(&other).is_err());
            assert_eq!(buffer.to_vec().unwrap(), [1, 2, 3]);
        }
    }

    #[test]
    fn devices_must_agree() {
        let [a, b] = devices();
        let source = b.upload(&[0u32; 2]).unwrap();
        let result = a.upload(&[1u32; 2]).unwrap().copy_from_buffer(&source);
        assert!(matches!(result, Err(Error::DeviceMismatch { .. })));
    }

    #[test]
    fn empty_buffers_own_nothing() {
        for device in devices() {
            let mut buffer = device.upload::<u64>(&[]).unwrap();
            assert_eq!((buffer.len(), buffer.address(), buffer.bytes()), (0, 0, 0));
            buffer.copy_from_slice(&[]).unwrap();
            assert_eq!(buffer.to_vec().unwrap(), []);
        }
    }

    #[test]
    fn impossible_lengths_are_refused() {
        for device in devices() {
            assert!(matches!(device.allocate::<u64>(usize::MAX), Err(Error::TooLarge { .. })));
            assert!(matches!(device.allocate::<u8>(isize::MAX as usize - 4096), Err(Error::OutOfMemory { .. })));
        }
        assert!(matches!(host_vec::<u64>(1 << 60), Err(Error::OutOfMemory { .. })));
    }
}
