//! Views that may be written: ranges of buffers, and memory of other crates'.
use super::slice::{bytes_of, element_alignment};
use super::{Allocation, Device, DeviceSlice};
use crate::error::{Error, Result};
use bytemuck::Pod;
use std::ops::{Deref, RangeBounds};
use std::ptr::with_exposed_provenance_mut;
use std::sync::Arc;

/// A view of elements in a device's memory, to read and write them: what a [`DeviceBuffer`](crate::DeviceBuffer) is for
/// operations that write.
///
/// ```
/// use gridsort::{Device, SortOptions, Workspace};
///
/// let device = Device::emulator();
/// let mut keys = device.upload(&[9u32, 3, 1, 2, 0])?;
/// device.sort_buffer(&mut keys.slice_mut(1..4)?, &mut Workspace::new(&device), SortOptions::new())?;
/// assert_eq!(keys.to_vec()?, [9, 1, 2, 3, 0]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Debug)]
pub struct DeviceSliceMut<'a, T: Pod> {
    view: DeviceSlice<'a, T>,
}

impl<'a, T: Pod> DeviceSliceMut<'a, T> {
    /// A view of all of an allocation.
    pub(super) fn of(device: &Device, allocation: Option<Arc<Allocation>>, address: u64, len: usize) -> Self {
        Self { view: DeviceSlice::of(device, allocation, address, len) }
    }

    /// A view of memory that someone else allocated, such as another crate: `len` elements at `address`.
    ///
    /// ```
    /// use gridsort::{Device, DeviceSliceMut, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let elsewhere = device.upload(&[3u32, 1, 2])?;
    /// // SAFETY: three elements that live on, and that nobody else touches while the view does.
    /// let mut keys = unsafe { DeviceSliceMut::<u32>::from_raw(&device, elsewhere.address(), 3)? };
    /// device.sort_buffer(&mut keys, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(elsewhere.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Safety
    /// - `len` elements at `address` lie in memory of the device: on a GPU, memory that its CUDA context can access; on
    ///   the CPU, initialized host memory.
    /// - The memory stays allocated until the view is dropped, all work that uses it is done, and all graphs that were
    ///   captured with it are dropped.
    /// - Until then nobody else accesses it, except in work that the device's stream orders before or after all that this
    ///   crate does with the view. Work that others queued on the memory before is done, or ordered before the stream
    ///   that the view is used on.
    ///
    /// # Errors
    /// [`Error::Misaligned`] where the address is no multiple of the largest power of two, up to 16, that divides the
    /// size of an element; [`Error::TooLarge`] where the elements would not fit any memory.
    pub unsafe fn from_raw(device: &Device, address: u64, len: usize) -> Result<Self> {
        let alignment = element_alignment::<T>();
        if !address.is_multiple_of(alignment) {
            return Err(Error::Misaligned { address, alignment });
        }
        let bytes = bytes_of::<T>(len)?;
        if bytes == 0 {
            return Ok(Self::of(device, None, 0, len));
        }
        if address == 0 || address.checked_add(bytes as u64).is_none() {
            return Err(Error::OutOfRange { start: address, end: address.wrapping_add(bytes as u64), len: u64::MAX });
        }
        let allocation = Allocation::new(device.backend.clone(), address, bytes, false);
        Ok(Self::of(device, Some(allocation), address, len))
    }

    /// The same view for a shorter time, as a value.
    ///
    /// ```
    /// let mut buffer = gridsort::Device::emulator().upload(&[1u32, 2])?;
    /// let mut all = buffer.as_slice_mut();
    /// all.copy_from_slice(&[3, 4])?;
    /// assert_eq!(buffer.to_vec()?, [3, 4]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn as_slice_mut(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut { view: self.view.as_slice() }
    }

    /// A view of a range of the elements.
    ///
    /// ```
    /// let mut buffer = gridsort::Device::emulator().upload(&[1u32, 2, 3])?;
    /// buffer.slice_mut(1..)?.copy_from_slice(&[8, 9])?;
    /// assert_eq!(buffer.to_vec()?, [1, 8, 9]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> Result<DeviceSliceMut<'_, T>> {
        Ok(DeviceSliceMut { view: self.view.slice(range)? })
    }

    /// Two views: of the first `middle` elements, and of the others.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let mut buffer = device.upload(&[3u32, 1, 2, 0, 0, 0])?;
    /// let (source, mut target) = buffer.split_at_mut(3)?;
    /// device.sort_into(&source, &mut target, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(buffer.to_vec()?, [3, 1, 2, 1, 2, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfRange`].
    pub fn split_at_mut(&mut self, middle: usize) -> Result<(DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>)> {
        let (front, back) = (self.view.slice(..middle)?, self.view.slice(middle..)?);
        Ok((DeviceSliceMut { view: front }, DeviceSliceMut { view: back }))
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
        let _claims = self.device().claim([self.allocation()])?;
        // SAFETY: the slice is as long as the view, which lies within its allocation.
        unsafe { self.device().write(self.address(), bytemuck::cast_slice(elements)) }
    }

    /// Overwrites the elements with others on the same device.
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
    /// [`Error::LengthMismatch`], [`Error::DeviceMismatch`], [`Error::Overlap`], and what went wrong on the device
    /// before.
    pub fn copy_from_buffer(&mut self, source: &DeviceSlice<'_, T>) -> Result<()> {
        let device = self.device().clone();
        self.copy_on(&device, source)
    }

    /// As [`DeviceSliceMut::copy_from_buffer`], on another handle's stream.
    pub(crate) fn copy_on(&mut self, device: &Device, source: &DeviceSlice<'_, T>) -> Result<()> {
        self.check_len("the buffer to copy from", source.len())?;
        source.check_device(self.device(), "the buffer to copy from")?;
        self.check_apart("the copy", source, "its source")?;
        if self.bytes() == 0 {
            return Ok(());
        }
        let _claims = device.claim([self.allocation(), source.allocation()])?;
        // SAFETY: two views of the same size, each within its allocation, that do not overlap.
        unsafe { device.copy(source.address(), self.address(), self.bytes()) }
    }

    /// The elements, on a device whose memory is the host's.
    ///
    /// # Safety
    /// The device is the CPU, and no view that overlaps this one is read at the same time.
    pub(crate) unsafe fn host_slice_mut(&mut self) -> &mut [T] {
        if self.address() == 0 {
            return &mut [];
        }
        // SAFETY: as in `host_slice`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(with_exposed_provenance_mut(self.address() as usize), self.len()) }
    }
}

impl<'a, T: Pod> Deref for DeviceSliceMut<'a, T> {
    type Target = DeviceSlice<'a, T>;

    fn deref(&self) -> &Self::Target {
        &self.view
    }
}
