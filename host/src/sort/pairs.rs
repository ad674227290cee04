//! Sorting keys with a payload each.
use super::{Job, Places, cpu};
use crate::device::{Device, DeviceBuffer};
use crate::error::{Error, Result};
use crate::key::{Key, Payload};
use crate::options::SortOptions;
use crate::workspace::Workspace;

impl Device {
    /// Sorts keys in host memory and moves each one's payload along. Stable: payloads of equal keys keep their order.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let mut keys = [3u32, 1, 3, 2];
    /// let mut payloads = [10u64, 11, 12, 13];
    /// Device::emulator().sort_pairs(&mut keys, &mut payloads, SortOptions::new())?;
    /// assert_eq!(keys, [1, 2, 3, 3]);
    /// assert_eq!(payloads, [11, 13, 10, 12]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::OutOfMemory`], [`Error::TooLarge`], and what goes wrong on the device. Both
    /// slices are then as they were, unless a GPU fails between the copies back of the two.
    pub fn sort_pairs<K: Key, P: Payload>(
        &self,
        keys: &mut [K],
        payloads: &mut [P],
        options: SortOptions,
    ) -> Result<()> {
        if payloads.len() != keys.len() {
            return Err(Error::LengthMismatch { what: "the payloads", expected: keys.len(), found: payloads.len() });
        }
        if keys.len() < 2 {
            return Ok(());
        }
        let Some(tiles) = self.backend().tiles() else {
            return cpu::sort_pairs(keys, payloads, options.direction);
        };
        let job = Job::new(keys.len(), K::codec(options.direction), P::PAYLOAD_WIDTH, tiles, options)?;
        let data = size_of_val(keys) as u64 + size_of_val(payloads) as u64;
        let total = job.plan.scratch_bytes.saturating_add(data);
        let (mut workspace, mut key_buffer, mut payload_buffer) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, job.plan.scratch_bytes)?;
            Ok((workspace, self.allocate(keys.len())?, self.allocate(payloads.len())?))
        })?;
        key_buffer.copy_from_slice(keys)?;
        payload_buffer.copy_from_slice(payloads)?;
        self.sort_pairs_buffer(&mut key_buffer, &mut payload_buffer, &mut workspace, options)?;
        key_buffer.copy_to_slice(keys)?;
        payload_buffer.copy_to_slice(payloads)
    }

    /// Sorts keys in the device's memory and moves each one's payload along. Stable. On a GPU the call returns when the
    /// work is queued.
    ///
    /// Takes scratch memory for one more copy of keys and payloads, or none where they fit one tile.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let mut keys = device.upload(&[2u64, 1])?;
    /// let mut payloads = device.upload(&[20.0f32, 10.0])?;
    /// let mut workspace = Workspace::new(&device);
    /// device.sort_pairs_buffer(&mut keys, &mut payloads, &mut workspace, SortOptions::new())?;
    /// assert_eq!(payloads.to_vec()?, [10.0, 20.0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::DeviceMismatch`], [`Error::OutOfMemory`] and [`Error::TooLarge`], all found
    /// before a key is moved, and what goes wrong on the device.
    pub fn sort_pairs_buffer<K: Key, P: Payload>(
        &self,
        keys: &mut DeviceBuffer<K>,
        payloads: &mut DeviceBuffer<P>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        payloads.check_device(self, "the payload buffer")?;
        workspace.check_device(self)?;
        keys.check_len("the payload buffer", payloads.len())?;
        if keys.len() < 2 {
            return Ok(());
        }
        let Some(tiles) = self.backend().tiles() else {
            // SAFETY: the device that runs no kernels is the CPU.
            let (keys, payloads) = unsafe { (keys.host_slice_mut(), payloads.host_slice_mut()) };
            return cpu::sort_pairs(keys, payloads, options.direction);
        };
        let job = Job::new(keys.len(), K::codec(options.direction), P::PAYLOAD_WIDTH, tiles, options)?;
        workspace.reserve(job.plan.scratch_bytes)?;
        let scratch = workspace.address();
        let key_places = Places::in_place(keys.address(), scratch);
        let payload_places = Places::in_place(payloads.address(), scratch + job.plan.key_scratch_bytes);
        // SAFETY: the buffers have the same length, and with the workspace are on this device and hold what the plan
        // asks for.
        unsafe { job.launch(self, key_places, Some(payload_places)) }
    }
}
