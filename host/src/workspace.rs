//! Scratch memory that outlives a call.
use crate::device::{Allocation, Device, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::plan::ALIGNMENT;
use std::sync::Arc;

/// Scratch memory of a device, reused from call to call and grown where one needs more.
///
/// What a call needs is known beforehand: see [`Device::sort_scratch_bytes`] and its neighbours. A workspace may serve
/// operations on several streams: each waits, on the device, for the one before.
///
/// ```
/// use gridsort::{Device, SortOptions, Workspace};
///
/// let device = Device::emulator();
/// let mut workspace = Workspace::new(&device);
/// let mut keys = device.upload(&(0..10_000).rev().collect::<Vec<u32>>())?;
/// device.sort_buffer(&mut keys, &mut workspace, SortOptions::new())?;
/// let bytes = workspace.bytes();
/// device.sort_buffer(&mut keys, &mut workspace, SortOptions::new())?;
/// assert_eq!(workspace.bytes(), bytes);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Debug)]
pub struct Workspace {
    device: Device,
    memory: Option<DeviceSliceMut<'static, u8>>,
    // Whether it may not grow.
    fixed: bool,
}

impl Workspace {
    /// An empty workspace; the first call that needs memory allocates it.
    ///
    /// ```
    /// use gridsort::{Device, Workspace};
    ///
    /// assert_eq!(Workspace::new(&Device::cpu()).bytes(), 0);
    /// ```
    pub fn new(device: &Device) -> Self {
        Self { device: device.clone(), memory: None, fixed: false }
    }

    /// A workspace of fixed size, in memory that the caller allocated: a buffer, or with [`DeviceSliceMut::from_raw`]
    /// another crate's. It never allocates: an operation that needs more fails with [`Error::ScratchTooSmall`]. Memory
    /// that does not begin at a multiple of 256 loses the bytes up to the next one.
    ///
    /// ```
    /// use gridsort::{Device, Error, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let bytes = device.sort_scratch_bytes::<u32>(10_000)?;
    /// let mut keys = device.upload(&(0..10_000).rev().collect::<Vec<u32>>())?;
    /// let mut small = Workspace::from_buffer(device.allocate(bytes as usize - 1)?);
    /// let error = device.sort_buffer(&mut keys, &mut small, SortOptions::new()).unwrap_err();
    /// assert!(matches!(error, Error::ScratchTooSmall { needed, .. } if needed == bytes));
    ///
    /// let mut workspace = Workspace::from_buffer(device.allocate(bytes as usize)?);
    /// device.sort_buffer(&mut keys, &mut workspace, SortOptions::new())?;
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn from_buffer(memory: impl Into<DeviceSliceMut<'static, u8>>) -> Self {
        let memory = memory.into();
        Self { device: memory.device().clone(), memory: Some(memory), fixed: true }
    }

    /// A workspace of `bytes` bytes.
    pub(crate) fn reserved(device: &Device, bytes: u64) -> Result<Self> {
        let mut workspace = Self::new(device);
        workspace.reserve(bytes)?;
        Ok(workspace)
    }

    /// Bytes it holds.
    ///
    /// ```
    /// use gridsort::{Device, Workspace};
    ///
    /// let mut workspace = Workspace::new(&Device::cpu());
    /// workspace.reserve(1000)?;
    /// assert_eq!(workspace.bytes(), 1000);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn bytes(&self) -> u64 {
        self.memory.as_ref().map_or(0, |memory| {
            let end = memory.address() + memory.bytes() as u64;
            end.saturating_sub(self.address())
        })
    }

    /// The device that holds it.
    ///
    /// ```
    /// use gridsort::{Device, Workspace};
    ///
    /// let device = Device::cpu();
    /// assert_eq!(Workspace::new(&device).device(), &device);
    /// ```
    pub fn device(&self) -> &Device {
        &self.device
    }

    /// Makes sure that it holds `bytes` bytes at least. Gives back what it held before it takes more, so it never
    /// holds both; where there is not enough, it is empty afterwards.
    ///
    /// ```
    /// use gridsort::{Device, Workspace};
    ///
    /// let mut workspace = Workspace::new(&Device::cpu());
    /// workspace.reserve(100)?;
    /// workspace.reserve(50)?;
    /// assert_eq!(workspace.bytes(), 100);
    /// assert!(workspace.reserve(u64::MAX).is_err());
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::ScratchTooSmall`] where its size is fixed.
    pub fn reserve(&mut self, bytes: u64) -> Result<()> {
        if bytes <= self.bytes() {
            return Ok(());
        }
        if self.fixed {
            return Err(Error::ScratchTooSmall { needed: bytes, found: self.bytes() });
        }
        self.clear();
        let len = usize::try_from(bytes).map_err(|_| Error::OutOfMemory {
            device: self.device.name().into(),
            needed: bytes,
            free: self.device.memory().ok().map(|memory| memory.free),
        })?;
        self.memory = Some(self.device.allocate(len)?.into());
        Ok(())
    }

    /// Gives its memory back, also where it was the caller's.
    ///
    /// ```
    /// use gridsort::{Device, Workspace};
    ///
    /// let mut workspace = Workspace::new(&Device::cpu());
    /// workspace.reserve(100)?;
    /// workspace.clear();
    /// assert_eq!(workspace.bytes(), 0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn clear(&mut self) {
        self.memory = None;
    }

    /// Makes sure that it holds `bytes` bytes at least for an operation on `device`, and does not allocate while the
    /// handle captures a graph.
    pub(crate) fn reserve_for(&mut self, device: &Device, bytes: u64) -> Result<()> {
        self.check_device(device)?;
        if device.is_capturing() && bytes > self.bytes() {
            return Err(Error::ScratchTooSmall { needed: bytes, found: self.bytes() });
        }
        self.reserve(bytes)
    }

    /// Where it lies in the device's memory; 0 while it is empty.
    pub(crate) fn address(&self) -> u64 {
        self.memory.as_ref().map_or(0, |memory| memory.address().next_multiple_of(ALIGNMENT))
    }

    /// Its memory, to be claimed by an operation.
    pub(crate) fn allocation(&self) -> Option<&Arc<Allocation>> {
        self.memory.as_ref().and_then(|memory| memory.allocation())
    }

    /// Its first bytes, which it holds.
    pub(crate) fn memory_mut(&mut self, bytes: usize) -> Option<DeviceSliceMut<'_, u8>> {
        let start = self.address();
        let memory = self.memory.as_mut()?;
        let start = (start - memory.address()) as usize;
        memory.slice_mut(start..start.saturating_add(bytes)).ok()
    }

    pub(crate) fn check_device(&self, device: &Device) -> Result<()> {
        if &self.device == device { Ok(()) } else { Err(Error::DeviceMismatch { what: "the workspace" }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_grows_and_never_shrinks() {
        for device in [Device::cpu(), Device::emulator()] {
            let mut workspace = Workspace::new(&device);
            assert_eq!((workspace.bytes(), workspace.address()), (0, 0));
            for (bytes, held) in [(0, 0), (10, 10), (5, 10), (20, 20)] {
                workspace.reserve(bytes).unwrap();
                assert_eq!(workspace.bytes(), held);
            }
        }
    }

    #[test]
    fn too_much_leaves_it_empty_and_usable() {
        let mut workspace = Workspace::new(&Device::emulator());
        workspace.reserve(10).unwrap();
        let error = workspace.reserve(1 << 62).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { needed, .. } if needed == 1 << 62));
        assert_eq!(workspace.bytes(), 0);
        workspace.reserve(10).unwrap();
    }

    #[test]
    fn a_fixed_one_never_grows() {
        let device = Device::emulator();
        let mut workspace = Workspace::from_buffer(device.allocate(100).unwrap());
        workspace.reserve(100).unwrap();
        assert!(matches!(workspace.reserve(101), Err(Error::ScratchTooSmall { needed: 101, found: 100 })));
        assert_eq!(workspace.bytes(), 100);
    }

    #[test]
    fn memory_of_others_is_aligned() {
        let device = Device::emulator();
        let memory = device.allocate::<u8>(1024).unwrap();
        // SAFETY: within the buffer, which nothing else uses.
        let view = unsafe { DeviceSliceMut::from_raw(&device, memory.address() + 1, 1000).unwrap() };
        let mut workspace = Workspace::from_buffer(view);
        assert_eq!((workspace.address(), workspace.bytes()), (memory.address() + 256, 745));
        assert!(workspace.reserve(746).is_err());
    }
}
