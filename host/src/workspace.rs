//! Scratch memory that outlives a call.
use crate::device::{Device, DeviceBuffer};
use crate::error::{Error, Result};

/// Scratch memory of a device, reused from call to call and grown where one needs more.
///
/// What a call needs is known beforehand: see [`plan::scratch_bytes`](crate::plan::scratch_bytes).
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
    memory: Option<DeviceBuffer<u8>>,
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
        Self { device: device.clone(), memory: None }
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
        self.memory.as_ref().map_or(0, |memory| memory.bytes() as u64)
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
    /// [`Error::OutOfMemory`].
    pub fn reserve(&mut self, bytes: u64) -> Result<()> {
        if bytes <= self.bytes() {
            return Ok(());
        }
        self.clear();
        let len = usize::try_from(bytes).map_err(|_| Error::OutOfMemory {
            device: self.device.name().into(),
            needed: bytes,
            free: self.device.memory().ok().map(|memory| memory.free),
        })?;
        self.memory = Some(self.device.allocate(len)?);
        Ok(())
    }

    /// Gives its memory back.
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

    /// Where it lies in the device's memory; 0 while it is empty.
    pub(crate) fn address(&self) -> u64 {
        self.memory.as_ref().map_or(0, DeviceBuffer::address)
    }

    /// Its memory, once reserved.
    pub(crate) fn memory_mut(&mut self) -> Option<&mut DeviceBuffer<u8>> {
        self.memory.as_mut()
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
}
