//! Memory of a device, typed and owned.
use super::Device;
use crate::error::{Error, Result};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

/// Elements in a device's memory, given back when dropped.
///
/// ```
/// use gridsort::Device;
///
/// let device = Device::emulator();
/// let mut buffer = device.upload(&[1u32, 2, 3])?;
/// assert_eq!(buffer.to_vec()?, [1, 2, 3]);
/// buffer.copy_from_slice(&[4, 5, 6])?;
/// assert_eq!(buffer.to_vec()?, [4, 5, 6]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceBuffer<T: Pod> {
    device: Device,
    // 0 for a buffer of no bytes, which owns no allocation.
    address: u64,
    len: usize,
    element: PhantomData<T>,
}

impl<T: Pod> DeviceBuffer<T> {
    pub(super) fn allocate(device: &Device, len: usize) -> Result<Self> {
        let address = match len.checked_mul(size_of::<T>()) {
            Some(0) => 0,
            Some(bytes) => device.backend().allocate(bytes)?,
            None => {
                let limit = usize::MAX / size_of::<T>();
                return Err(Error::TooLarge { what: "buffer", n: len as u64, limit: limit as u64 });
            }
        };
        Ok(Self { device: device.clone(), address, len, element: PhantomData })
    }

    /// Number of elements.
    ///
    /// ```
    /// assert_eq!(gridsort::Device::cpu().allocate::<u64>(5)?.len(), 5);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    ///
    /// ```
    /// assert!(gridsort::Device::cpu().upload::<u32>(&[])?.is_empty());
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Bytes of all elements.
    ///
    /// ```
    /// assert_eq!(gridsort::Device::cpu().upload(&[1u64, 2])?.bytes(), 16);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn bytes(&self) -> usize {
        // Did not overflow when the buffer was allocated.
        self.len * size_of::<T>()
    }

    /// The device that holds the buffer.
    ///
    /// ```
    /// let device = gridsort::Device::cpu();
    /// assert_eq!(device.upload(&[1u32])?.device(), &device);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Where the buffer lies in the device's memory, as a kernel's argument; 0 for an empty one.
    ///
    /// ```
    /// assert_ne!(gridsort::Device::cpu().upload(&[1u32])?.address(), 0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Copies the elements to the host, once the device has done all work before.
    ///
    /// ```
    /// assert_eq!(gridsort::Device::emulator().upload(&[1.5f32])?.to_vec()?, [1.5]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// Where the host has no memory for them, and what went wrong on the device before.
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut elements = host_vec(self.len)?;
        self.copy_to_slice(&mut elements)?;
        Ok(elements)
    }

    /// Copies the elements into `elements`, once the device has done all work before.
    ///
    /// ```
    /// let buffer = gridsort::Device::emulator().upload(&[1u32, 2])?;
    /// let mut elements = [0; 2];
    /// buffer.copy_to_slice(&mut elements)?;
    /// assert_eq!(elements, [1, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], and what went wrong on the device before.
    pub fn copy_to_slice(&self, elements: &mut [T]) -> Result<()> {
        self.check_len("the slice to copy to", elements.len())?;
        // Work that failed shows here, before the slice is touched.
        self.device.synchronize()?;
        if self.bytes() == 0 {
            return Ok(());
        }
        // SAFETY: the slice is as long as the buffer, which lies within its allocation.
        unsafe { self.device.backend().download(self.address, bytemuck::cast_slice_mut(elements)) }
    }

    /// Overwrites the elements.
    ///
    /// ```
    /// let mut buffer = gridsort::Device::emulator().allocate(2)?;
    /// buffer.copy_from_slice(&[7i64, 8])?;
    /// assert_eq!(buffer.to_vec()?, [7, 8]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], and what went wrong on the device before.
    pub fn copy_from_slice(&mut self, elements: &[T]) -> Result<()> {
        self.check_len("the slice to copy from", elements.len())?;
        if self.bytes() == 0 {
            return Ok(());
        }
        // SAFETY: the slice is as long as the buffer, which lies within its allocation.
        unsafe { self.device.backend().upload(self.address, bytemuck::cast_slice(elements)) }
    }

    /// Overwrites the elements with those of another buffer on the same device.
    ///
    /// ```
    /// let device = gridsort::Device::emulator();
    /// let source = device.upload(&[1u32, 2])?;
    /// let mut copy = device.allocate(2)?;
    /// copy.copy_from_buffer(&source)?;
    /// assert_eq!(copy.to_vec()?, [1, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::DeviceMismatch`], and what went wrong on the device before.
    pub fn copy_from_buffer(&mut self, source: &DeviceBuffer<T>) -> Result<()> {
        self.check_len("the buffer to copy from", source.len)?;
        source.check_device(&self.device, "the buffer to copy from")?;
        if self.bytes() == 0 {
            return Ok(());
        }
        // SAFETY: two allocations of the same size; an exclusive and a shared borrow cannot be one buffer.
        unsafe { self.device.backend().copy(source.address, self.address, self.bytes()) }
    }

    pub(crate) fn check_len(&self, what: &'static str, found: usize) -> Result<()> {
        if found == self.len { Ok(()) } else { Err(Error::LengthMismatch { what, expected: self.len, found }) }
    }

    pub(crate) fn check_device(&self, device: &Device, what: &'static str) -> Result<()> {
        if &self.device == device { Ok(()) } else { Err(Error::DeviceMismatch { what }) }
    }

    /// The elements, on a device whose memory is the host's.
    ///
    /// # Safety
    /// The device is the CPU.
    pub(crate) unsafe fn host_slice(&self) -> &[T] {
        if self.address == 0 {
            return &[];
        }
        // SAFETY: the CPU's allocations are host memory, aligned for any element, initialized throughout and borrowed
        // as this buffer is.
        unsafe { std::slice::from_raw_parts(with_exposed_provenance(self.address as usize), self.len) }
    }

    /// The elements, on a device whose memory is the host's.
    ///
    /// # Safety
    /// The device is the CPU.
    pub(crate) unsafe fn host_slice_mut(&mut self) -> &mut [T] {
        if self.address == 0 {
            return &mut [];
        }
        // SAFETY: as in `host_slice`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(with_exposed_provenance_mut(self.address as usize), self.len) }
    }
}

impl<T: Pod> Drop for DeviceBuffer<T> {
    fn drop(&mut self) {
        if self.address != 0 {
            // SAFETY: allocated with this size and freed only here.
            unsafe { self.device.backend().free(self.address, self.bytes()) };
        }
    }
}

/// A vector of zeros, or an error where the host has no memory for it.
pub(crate) fn host_vec<T: Pod>(len: usize) -> Result<Vec<T>> {
    bytemuck::allocation::try_zeroed_vec(len).map_err(|()| Error::OutOfMemory {
        device: "the host".into(),
        needed: (len as u64).saturating_mul(size_of::<T>() as u64),
        free: super::host::memory().map(|memory| memory.free),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

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
