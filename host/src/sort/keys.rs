//! Sorting keys alone.
use super::{Job, Places, cpu};
use crate::device::{Device, DeviceBuffer};
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
        let Some(tiles) = self.backend().tiles() else {
            cpu::sort(keys, options.direction);
            return Ok(());
        };
        let job = Job::new(keys.len(), K::codec(options.direction), PayloadWidth::None, tiles, options)?;
        let total = job.plan.scratch_bytes.saturating_add(size_of_val(keys) as u64);
        let (workspace, buffer) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, job.plan.scratch_bytes)?;
            Ok((workspace, self.upload(keys)?))
        })?;
        // SAFETY: buffer and workspace hold what the plan asks for.
        unsafe { job.launch(self, Places::in_place(buffer.address(), workspace.address()), None)? };
        buffer.copy_to_slice(keys)
    }

    /// Sorts keys in the device's memory. On a GPU the call returns when the work is queued; copies from the buffer and
    /// [`Device::synchronize`] wait for it.
    ///
    /// Takes scratch memory for one more copy of the keys, or none where they fit one tile.
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
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::OutOfMemory`](crate::Error::OutOfMemory) and
    /// [`Error::TooLarge`](crate::Error::TooLarge), all found before a key is moved, and what goes wrong on the device.
    pub fn sort_buffer<K: Key>(
        &self,
        keys: &mut DeviceBuffer<K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        workspace.check_device(self)?;
        let Some(tiles) = self.backend().tiles() else {
            // SAFETY: the device that runs no kernels is the CPU.
            cpu::sort(unsafe { keys.host_slice_mut() }, options.direction);
            return Ok(());
        };
        if keys.len() < 2 {
            return Ok(());
        }
        let job = Job::new(keys.len(), K::codec(options.direction), PayloadWidth::None, tiles, options)?;
        workspace.reserve(job.plan.scratch_bytes)?;
        // SAFETY: buffer and workspace are on this device and hold what the plan asks for.
        unsafe { job.launch(self, Places::in_place(keys.address(), workspace.address()), None) }
    }
}
