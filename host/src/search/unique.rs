//! The different keys of sorted data.
use super::cpu;
use super::runs::{Job, check_count, read_count};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::Result;
use crate::key::Key;
use crate::options::SortOptions;
use crate::workspace::Workspace;

impl Device {
    /// The keys of host memory without those that equal the one before them, as [`Vec::dedup`] leaves them: of sorted keys
    /// each different one, once.
    ///
    /// Keys are equal where neither comes before the other in the library's order, which is where their bits are: NaNs of
    /// different bits differ, and so do −0 and +0. The options are those by which the keys were sorted; neighbours are equal
    /// in every direction, so no option changes the result.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.unique(&[1, 1, 2, 5, 5, 5], SortOptions::new())?, [1, 2, 5]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::TooLarge`](crate::Error::TooLarge), and what goes wrong on
    /// the device.
    pub fn unique<K: Key>(&self, sorted: &[K], options: SortOptions) -> Result<Vec<K>> {
        let Some(tiles) = self.tiles() else {
            let runs = cpu::Runs::of(sorted);
            let mut out = host_vec(runs.count())?;
            runs.write_keys(&mut out);
            return Ok(out);
        };
        let scratch_bytes = Job::new::<K>(sorted.len(), false, tiles)?.plan.scratch_bytes;
        let total = (2 * size_of_val(sorted) as u64).saturating_add(scratch_bytes + size_of::<u64>() as u64);
        let (mut workspace, mut keys, mut out, mut count) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, scratch_bytes)?;
            Ok((workspace, self.allocate(sorted.len())?, self.allocate(sorted.len())?, self.allocate(1)?))
        })?;
        keys.copy_from_slice(sorted)?;
        self.unique_into(&keys, &mut out, &mut count, &mut workspace, options)?;
        out.slice(..read_count(&count)?)?.to_vec()
    }

    /// Writes the keys of the device's memory to another buffer, as long as theirs, without those that equal the one before
    /// them, and how many are left to a buffer of one element. What is behind those in the output stays as it was. On a GPU
    /// the call returns when the work is queued.
    ///
    /// Takes scratch memory of a few bytes in a thousand keys: [`Device::unique_scratch_bytes`]. Where the workspace has it,
    /// nothing is allocated and nothing waited for. What is equal, and the options, are as in [`Device::unique`].
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[1u16, 1, 2, 5, 5, 5])?;
    /// let (mut out, mut count) = (device.allocate(6)?, device.allocate(1)?);
    /// device.unique_into(&keys, &mut out, &mut count, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(count.to_vec()?, [3]);
    /// assert_eq!(out.slice(..3)?.to_vec()?, [1, 2, 5]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch), [`Error::DeviceMismatch`](crate::Error::DeviceMismatch),
    /// [`Error::Overlap`](crate::Error::Overlap), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall) and [`Error::TooLarge`](crate::Error::TooLarge), all found
    /// before anything is written, and what goes wrong on the device.
    pub fn unique_into<K: Key>(
        &self,
        sorted: &DeviceSlice<'_, K>,
        out: &mut DeviceSliceMut<'_, K>,
        count: &mut DeviceSliceMut<'_, u64>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        // Equal keys are equal in any direction, and there is one algorithm.
        let SortOptions { .. } = options;
        sorted.check_device(self, "the key buffer")?;
        out.check_device(self, "the output buffer")?;
        count.check_device(self, "the count")?;
        workspace.check_device(self)?;
        sorted.check_len("the output buffer", out.len())?;
        check_count(count)?;
        out.check_apart("the output buffer", sorted, "the key buffer")?;
        count.check_apart("the count", sorted, "the key buffer")?;
        count.check_apart("the count", out, "the output buffer")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (sorted, out, count) = unsafe { (sorted.host_slice(), out.host_slice_mut(), count.host_slice_mut()) };
            let runs = cpu::Runs::of(sorted);
            runs.write_keys(&mut out[..runs.count()]);
            count[0] = runs.count() as u64;
            return Ok(());
        };
        let job = Job::new::<K>(sorted.len(), false, tiles)?;
        workspace.reserve_for(self, job.plan.scratch_bytes)?;
        let _claims =
            self.claim([sorted.allocation(), out.allocation(), count.allocation(), workspace.allocation()])?;
        // SAFETY: buffers and workspace are on this device, hold what the plan asks for, and do not overlap.
        unsafe { job.launch::<K, u32>(self, sorted, (out.address(), 0), count.address(), workspace.address()) }
    }

    /// Bytes of scratch memory that [`Device::unique_into`] takes for `n` keys on this device: 0 on the CPU.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// assert!(Device::emulator().unique_scratch_bytes::<u32>(1 << 30)? <= 4 << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn unique_scratch_bytes<K: Key>(&self, n: usize) -> Result<u64> {
        let Some(tiles) = self.tiles() else { return Ok(0) };
        Ok(Job::new::<K>(n, false, tiles)?.plan.scratch_bytes)
    }
}
