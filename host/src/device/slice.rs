//! Views of a device's memory, to read.
use super::{Allocation, Device};
use crate::error::{Error, Result};
use bytemuck::Pod;
use std::marker::PhantomData;
use std::ops::{Bound, RangeBounds};
use std::ptr::with_exposed_provenance;
use std::sync::Arc;

/// A view of elements in a device's memory, to read them. All operations that read buffers take it: a
/// [`DeviceBuffer`](crate::DeviceBuffer) is one of all its elements, as a `Vec` is a slice.
///
/// ```
/// use gridsort::{Device, SortOptions, Workspace};
///
/// let device = Device::emulator();
/// let keys = device.upload(&[9u32, 3, 1, 2, 0])?;
/// let middle = keys.slice(1..4)?;
/// assert_eq!(middle.to_vec()?, [3, 1, 2]);
/// let order = device.argsort_buffer(&middle, &mut Workspace::new(&device), SortOptions::new())?;
/// assert_eq!(order.to_vec()?, [1, 2, 0]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceSlice<'a, T: Pod> {
    device: Device,
    // None for a view of no bytes; its address is 0.
    allocation: Option<Arc<Allocation>>,
    address: u64,
    len: usize,
    borrow: PhantomData<&'a T>,
}

impl<T: Pod> DeviceSlice<'_, T> {
    /// A view of elements within an allocation.
    pub(super) fn of(device: &Device, allocation: Option<Arc<Allocation>>, address: u64, len: usize) -> Self {
        Self { device: device.clone(), allocation, address, len, borrow: PhantomData }
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
        // Did not overflow when the view was made.
        self.len * size_of::<T>()
    }

    /// The device that holds the elements.
    ///
    /// ```
    /// let device = gridsort::Device::cpu();
    /// assert_eq!(device.upload(&[1u32])?.device(), &device);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Where the elements lie in the device's memory, as a kernel's argument; 0 where there are none.
    ///
    /// ```
    /// assert_ne!(gridsort::Device::cpu().upload(&[1u32])?.address(), 0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn address(&self) -> u64 {
        self.address
    }

    /// The same view for a shorter time, as a value.
    ///
    /// ```
    /// assert_eq!(gridsort::Device::cpu().upload(&[1u32, 2])?.as_slice().len(), 2);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn as_slice(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::of(&self.device, self.allocation.clone(), self.address, self.len)
    }

    /// A view of a range of the elements.
    ///
    /// ```
    /// use gridsort::{Device, Error};
    ///
    /// let buffer = Device::emulator().upload(&[1u32, 2, 3])?;
    /// assert_eq!(buffer.slice(1..)?.to_vec()?, [2, 3]);
    /// assert!(matches!(buffer.slice(2..4), Err(Error::OutOfRange { start: 2, end: 4, len: 3 })));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>> {
        let start = match range.start_bound() {
            Bound::Included(&start) => start,
            Bound::Excluded(&before) => before.saturating_add(1),
            Bound::Unbounded => 0,
        };
        let end = match range.end_bound() {
            Bound::Included(&last) => last.saturating_add(1),
            Bound::Excluded(&end) => end,
            Bound::Unbounded => self.len,
        };
        if start > end || end > self.len {
            return Err(Error::OutOfRange { start: start as u64, end: end as u64, len: self.len as u64 });
        }
        let mut view = self.as_slice();
        view.len = end - start;
        view.address += (start * size_of::<T>()) as u64;
        if view.bytes() == 0 {
            (view.address, view.allocation) = (0, None);
        }
        Ok(view)
    }

    /// Copies the elements to the host, once all work on them before is done.
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

    /// Copies the elements into `elements`, once all work on them before is done.
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
        if self.bytes() == 0 {
            return Ok(());
        }
        let _claims = self.device.claim([self.allocation()])?;
        // SAFETY: the slice is as long as the view, which lies within its allocation.
        unsafe { self.device.read(self.address, bytemuck::cast_slice_mut(elements)) }
    }

    /// The same memory as bytes.
    pub(crate) fn as_bytes(&self) -> DeviceSlice<'_, u8> {
        DeviceSlice::of(&self.device, self.allocation.clone(), self.address, self.bytes())
    }

    /// The memory, to be claimed by an operation.
    pub(crate) fn allocation(&self) -> Option<&Arc<Allocation>> {
        self.allocation.as_ref()
    }

    pub(crate) fn check_len(&self, what: &'static str, found: usize) -> Result<()> {
        if found == self.len { Ok(()) } else { Err(Error::LengthMismatch { what, expected: self.len, found }) }
    }

    pub(crate) fn check_device(&self, device: &Device, what: &'static str) -> Result<()> {
        if &self.device == device { Ok(()) } else { Err(Error::DeviceMismatch { what }) }
    }

    /// Refuses views that share bytes. Borrows keep views of one buffer apart already, but not those of raw addresses.
    pub(crate) fn check_apart<U: Pod>(
        &self,
        what: &'static str,
        other: &DeviceSlice<'_, U>,
        other_what: &'static str,
    ) -> Result<()> {
        let (start, other_start) = (self.address, other.address);
        let (end, other_end) = (start + self.bytes() as u64, other_start + other.bytes() as u64);
        if self.bytes() > 0 && other.bytes() > 0 && start < other_end && other_start < end {
            return Err(Error::Overlap { first: what, second: other_what });
        }
        Ok(())
    }

    /// The elements, on a device whose memory is the host's.
    ///
    /// # Safety
    /// The device is the CPU, and no view that overlaps this one is written at the same time.
    pub(crate) unsafe fn host_slice(&self) -> &[T] {
        if self.address == 0 {
            return &[];
        }
        // SAFETY: the CPU's memory is the host's, aligned for the elements, initialized throughout and borrowed as this
        // view is.
        unsafe { std::slice::from_raw_parts(with_exposed_provenance(self.address as usize), self.len) }
    }
}

/// Bytes of `len` elements, where they fit an allocation.
pub(super) fn bytes_of<T>(len: usize) -> Result<usize> {
    let limit = (usize::MAX / size_of::<T>().max(1)) as u64;
    len.checked_mul(size_of::<T>()).ok_or(Error::TooLarge { what: "buffer", n: len as u64, limit })
}

/// What elements are aligned to, for kernels move them by words as large as this.
pub(super) fn element_alignment<T>() -> u64 {
    let by_size = 1 << size_of::<T>().trailing_zeros().min(4);
    by_size.max(align_of::<T>() as u64)
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
mod tests;
