//! Sorting keys alone.
use super::job::SortJob;
use super::{Places, cpu};
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::Result;
use crate::key::{Key, PayloadWidth};
use crate::options::SortOptions;
use crate::workspace::Workspace;

impl Device {
    /// Sorts keys in host memory: copies them to the device, sorts them there, copies them back.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let mut keys = [5i64, -2, 8, 1];
    /// Device::emulator().sort(&mut keys, SortOptions::new().descending())?;
    /// assert_eq!(keys, [8, 5, 1, -2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::TooLarge`](crate::Error::TooLarge), and what goes
    /// wrong on the device. The keys are then as they were: nothing is copied back before all work has succeeded.
    pub fn sort<K: Key>(&self, keys: &mut [K], options: SortOptions) -> Result<()> {
        if keys.len() < 2 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            cpu::sort(keys, options.direction);
            return Ok(());
        };
        let job = SortJob::new(keys.len(), K::codec(options.direction), PayloadWidth::None, tiles, options)?;
        let total = job.scratch_bytes().saturating_add(size_of_val(keys) as u64);
        let (mut workspace, mut buffer) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, job.scratch_bytes())?;
            Ok((workspace, self.upload(keys)?))
        })?;
        self.sort_buffer(&mut buffer, &mut workspace, options)?;
        buffer.copy_to_slice(keys)
    }

    /// Sorts keys in the device's memory. On a GPU the call returns when the work is queued; copies from the buffer wait
    /// for it.
    ///
    /// Takes scratch memory for one more copy of the keys, for two bytes more a key where a sample sort does it, and none where
    /// the keys fit one tile: [`Device::sort_scratch_bytes`]. Where the workspace has it, nothing is allocated and nothing
    /// waited for.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let mut keys = device.upload(&[2.0f32, f32::NAN, -1.0])?;
    /// device.sort_buffer(&mut keys, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(keys.to_vec()?[..2], [-1.0, 2.0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall) and [`Error::TooLarge`](crate::Error::TooLarge), all
    /// found before a key is moved, and what goes wrong on the device.
    pub fn sort_buffer<K: Key>(
        &self,
        keys: &mut DeviceSliceMut<'_, K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        workspace.check_device(self)?;
        if keys.len() < 2 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the view is the only one in use.
            cpu::sort(unsafe { keys.host_slice_mut() }, options.direction);
            return Ok(());
        };
        let job = SortJob::new(keys.len(), K::codec(options.direction), PayloadWidth::None, tiles, options)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims = self.claim([keys.allocation(), workspace.allocation()])?;
        // SAFETY: buffer and workspace are on this device and hold what the plan asks for.
        unsafe { job.launch(self, Places::in_place(keys.address(), workspace.address()), None) }
    }

    /// Sorts keys in the device's memory into another buffer. The keys stay as they are. Otherwise as
    /// [`Device::sort_buffer`].
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[3u16, 1, 2])?;
    /// let mut sorted = device.allocate(3)?;
    /// device.sort_into(&keys, &mut sorted, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(sorted.to_vec()?, [1, 2, 3]);
    /// assert_eq!(keys.to_vec()?, [3, 1, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_buffer`]; [`Error::LengthMismatch`](crate::Error::LengthMismatch) and
    /// [`Error::Overlap`](crate::Error::Overlap).
    pub fn sort_into<K: Key>(
        &self,
        keys: &DeviceSlice<'_, K>,
        sorted: &mut DeviceSliceMut<'_, K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        sorted.check_device(self, "the output buffer")?;
        workspace.check_device(self)?;
        keys.check_len("the output buffer", sorted.len())?;
        sorted.check_apart("the output buffer", keys, "the key buffer")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, sorted) = unsafe { (keys.host_slice(), sorted.host_slice_mut()) };
            sorted.copy_from_slice(keys);
            cpu::sort(sorted, options.direction);
            return Ok(());
        };
        if keys.len() < 2 {
            return sorted.copy_on(self, keys);
        }
        let job = SortJob::new(keys.len(), K::codec(options.direction), PayloadWidth::None, tiles, options)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims = self.claim([keys.allocation(), sorted.allocation(), workspace.allocation()])?;
        let places = Places { source: keys.address(), data: sorted.address(), scratch: workspace.address() };
        // SAFETY: buffers and workspace are on this device, do not overlap and hold what the plan asks for.
        unsafe { job.launch(self, places, None) }
    }
}
