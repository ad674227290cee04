//! Runs of equal keys in sorted data, with their lengths.
use super::runs::{Job, check_count, read_count};
use super::{check_index, cpu};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::Result;
use crate::key::Key;
use crate::options::SortOptions;
use crate::sort::Index;
use crate::workspace::Workspace;
use rayon::prelude::*;

const WHAT: &str = "run lengths";

impl Device {
    /// The runs of neighbouring equal keys in host memory: the key of each, and how many keys it has. Of sorted keys, each
    /// different one with its number.
    ///
    /// What is equal, and the options, are as in [`Device::unique`].
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let (keys, lengths) = Device::emulator().run_lengths(&[1, 1, 2, 5, 5, 5], SortOptions::new())?;
    /// assert_eq!((keys, lengths), (vec![1, 2, 5], vec![2, 1, 3]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::TooLarge`](crate::Error::TooLarge), and what goes wrong on
    /// the device.
    pub fn run_lengths<K: Key>(&self, sorted: &[K], options: SortOptions) -> Result<(Vec<K>, Vec<u64>)> {
        // Half the traffic wherever 32 bits are enough.
        if self.tiles().is_none() || check_index::<u32>(WHAT, sorted.len()).is_err() {
            return self.run_lengths_slice(sorted, options);
        }
        let (keys, narrow) = self.run_lengths_slice::<K, u32>(sorted, options)?;
        let mut lengths = host_vec(narrow.len())?;
        lengths.par_iter_mut().zip(&narrow).for_each(|(wide, &length)| *wide = u64::from(length));
        Ok((keys, lengths))
    }

    fn run_lengths_slice<K: Key, I: Index>(&self, sorted: &[K], options: SortOptions) -> Result<(Vec<K>, Vec<I>)> {
        let n = sorted.len();
        let Some(tiles) = self.tiles() else {
            let runs = cpu::Runs::of(sorted);
            let (mut keys, mut lengths) = (host_vec(runs.count())?, host_vec(runs.count())?);
            runs.write_keys(&mut keys);
            runs.write_lengths(&mut lengths);
            return Ok((keys, lengths));
        };
        let scratch_bytes = Job::new::<K>(n, true, tiles)?.plan.scratch_bytes;
        let of_keys = (n as u64).saturating_mul((2 * size_of::<K>() + size_of::<I>()) as u64);
        let total = of_keys.saturating_add(scratch_bytes + size_of::<u64>() as u64);
        let (mut workspace, mut keys, mut out, mut lengths, mut count) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, scratch_bytes)?;
            Ok((workspace, self.allocate(n)?, self.allocate(n)?, self.allocate::<I>(n)?, self.allocate(1)?))
        })?;
        keys.copy_from_slice(sorted)?;
        self.run_lengths_into(&keys, (&mut out, &mut lengths), &mut count, &mut workspace, options)?;
        let count = read_count(&count)?;
        Ok((out.slice(..count)?.to_vec()?, lengths.slice(..count)?.to_vec()?))
    }

    /// Writes the runs of neighbouring equal keys in the device's memory to two buffers, as long as that of the keys: the key
    /// of each, and how many keys it has, in 32-bit or 64-bit integers. The number of runs goes to a buffer of one element.
    /// What is behind those in the outputs stays as it was. On a GPU the call returns when the work is queued.
    ///
    /// Takes scratch memory of a few bytes in a thousand keys: [`Device::run_lengths_scratch_bytes`]. Where the workspace has
    /// it, nothing is allocated and nothing waited for. What is equal, and the options, are as in [`Device::unique`].
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[1i64, 1, 2, 5, 5, 5])?;
    /// let (mut out, mut lengths, mut count) = (device.allocate(6)?, device.allocate::<u32>(6)?, device.allocate(1)?);
    /// let mut workspace = Workspace::new(&device);
    /// device.run_lengths_into(&keys, (&mut out, &mut lengths), &mut count, &mut workspace, SortOptions::new())?;
    /// assert_eq!(count.to_vec()?, [3]);
    /// assert_eq!(out.slice(..3)?.to_vec()?, [1, 2, 5]);
    /// assert_eq!(lengths.slice(..3)?.to_vec()?, [2, 1, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::unique_into`]; [`Error::TooLarge`](crate::Error::TooLarge) also where the number of keys is none of the
    /// lengths' type.
    pub fn run_lengths_into<K: Key, I: Index>(
        &self,
        sorted: &DeviceSlice<'_, K>,
        (out, lengths): (&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, I>),
        count: &mut DeviceSliceMut<'_, u64>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        // Equal keys are equal in any direction, and there is one algorithm.
        let SortOptions { .. } = options;
        sorted.check_device(self, "the key buffer")?;
        out.check_device(self, "the output buffer")?;
        lengths.check_device(self, "the length buffer")?;
        count.check_device(self, "the count")?;
        workspace.check_device(self)?;
        sorted.check_len("the output buffer", out.len())?;
        sorted.check_len("the length buffer", lengths.len())?;
        check_count(count)?;
        check_index::<I>(WHAT, sorted.len())?;
        out.check_apart("the output buffer", sorted, "the key buffer")?;
        lengths.check_apart("the length buffer", sorted, "the key buffer")?;
        lengths.check_apart("the length buffer", out, "the output buffer")?;
        count.check_apart("the count", sorted, "the key buffer")?;
        count.check_apart("the count", out, "the output buffer")?;
        count.check_apart("the count", lengths, "the length buffer")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (sorted, out, lengths, count) = unsafe {
                (sorted.host_slice(), out.host_slice_mut(), lengths.host_slice_mut(), count.host_slice_mut())
            };
            let runs = cpu::Runs::of(sorted);
            runs.write_keys(&mut out[..runs.count()]);
            runs.write_lengths(&mut lengths[..runs.count()]);
            count[0] = runs.count() as u64;
            return Ok(());
        };
        let job = Job::new::<K>(sorted.len(), true, tiles)?;
        workspace.reserve_for(self, job.plan.scratch_bytes)?;
        let (keys, outputs) = (sorted.allocation(), [out.allocation(), lengths.allocation(), count.allocation()]);
        let _claims = self.claim([keys, workspace.allocation()].into_iter().chain(outputs))?;
        let addresses = (out.address(), lengths.address());
        // SAFETY: buffers and workspace are on this device, hold what the plan asks for, and do not overlap; a length holds
        // the number of keys.
        unsafe { job.launch::<K, I>(self, sorted, addresses, count.address(), workspace.address()) }
    }

    /// Bytes of scratch memory that [`Device::run_lengths_into`] takes for `n` keys on this device: 0 on the CPU.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// assert!(Device::emulator().run_lengths_scratch_bytes::<u32>(1 << 30)? <= 8 << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn run_lengths_scratch_bytes<K: Key>(&self, n: usize) -> Result<u64> {
        let Some(tiles) = self.tiles() else { return Ok(0) };
        Ok(Job::new::<K>(n, true, tiles)?.plan.scratch_bytes)
    }
}
