//! The key of a rank.
use super::rank::{launch_begin, launch_digits};
use super::{KEYS, VALUES, check_many};
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::Result;
use crate::key::{Key, compare, key_bytes};
use crate::options::Direction;
use crate::plan::{RankPlan, select_rank};
use crate::sort::cpu::reserved;
use crate::workspace::Workspace;
use gridsort_kernels::entry::select::{SelectKernels, select_kernels};
use gridsort_kernels::simt::Arg;

/// The rank of the lower median.
fn middle(n: usize) -> usize {
    n.saturating_sub(1) / 2
}

/// Kernels and plan, where there are kernels.
fn planned<K: Key>(device: &Device, n: usize) -> Result<Option<(SelectKernels, RankPlan)>> {
    let Some(tiles) = device.tiles() else { return Ok(None) };
    let kernels = select_kernels(K::WIDTH, tiles);
    let plan = select_rank(n as u64, key_bytes(K::WIDTH), &kernels.tuning)?;
    Ok(Some((kernels, plan)))
}

fn nth_on_cpu<K: Key>(keys: &[K], nth: usize) -> Result<K> {
    let mut copy = reserved(keys.len())?;
    copy.extend_from_slice(keys);
    Ok(*copy.select_nth_unstable_by(nth, compare(Direction::Ascending)).1)
}

impl Device {
    /// The key that a sort in ascending order would put at position `nth`, counted from 0, of keys in host memory.
    ///
    /// ```
    /// assert_eq!(gridsort::Device::emulator().select_nth(&[40, 10, 30, 20], 1)?, 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::TooLarge`](crate::Error::TooLarge), and what goes wrong on the device.
    pub fn select_nth<K: Key>(&self, keys: &[K], nth: usize) -> Result<K> {
        check_many(nth.saturating_add(1), keys.len())?;
        let Some((_, plan)) = planned::<K>(self, keys.len())? else {
            return nth_on_cpu(keys, nth);
        };
        let total = plan.scratch_bytes.saturating_add(size_of_val(keys) as u64);
        let (mut workspace, mut value, keys) = self.allocate_all(total, || {
            Ok((Workspace::reserved(self, plan.scratch_bytes)?, self.allocate::<K>(1)?, self.upload(keys)?))
        })?;
        self.select_nth_into(&keys, nth, &mut value, &mut workspace)?;
        let mut found = [K::zeroed()];
        value.copy_to_slice(&mut found)?;
        Ok(found[0])
    }

    /// Writes the key that a sort in ascending order would put at position `nth`, counted from 0, to a buffer of one element.
    /// The keys stay as they are. On a GPU the call returns when the work is queued.
    ///
    /// Reads the keys once for every 11 bits that they have. Takes some kilobytes of scratch memory:
    /// [`Device::select_nth_scratch_bytes`].
    ///
    /// ```
    /// use gridsort::{Device, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[0.5f32, f32::NAN, -0.0, 0.0])?;
    /// let mut value = device.allocate::<f32>(1)?;
    /// device.select_nth_into(&keys, 2, &mut value, &mut Workspace::new(&device))?;
    /// assert_eq!(value.to_vec()?, [0.5]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::LengthMismatch`](crate::Error::LengthMismatch),
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::Overlap`](crate::Error::Overlap),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall) and
    /// [`Error::TooLarge`](crate::Error::TooLarge), all found before anything is written, and what goes wrong on the device.
    pub fn select_nth_into<K: Key>(
        &self,
        keys: &DeviceSlice<'_, K>,
        nth: usize,
        value: &mut DeviceSliceMut<'_, K>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        keys.check_device(self, KEYS)?;
        value.check_device(self, VALUES)?;
        workspace.check_device(self)?;
        check_many(nth.saturating_add(1), keys.len())?;
        if value.len() != 1 {
            return Err(crate::Error::LengthMismatch { what: VALUES, expected: 1, found: value.len() });
        }
        value.check_apart(VALUES, keys, KEYS)?;
        let Some((kernels, plan)) = planned::<K>(self, keys.len())? else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, value) = unsafe { (keys.host_slice(), value.host_slice_mut()) };
            value[0] = nth_on_cpu(keys, nth)?;
            return Ok(());
        };
        workspace.reserve_for(self, plan.scratch_bytes)?;
        let _claims = self.claim([keys.allocation(), value.allocation(), workspace.allocation()])?;
        let (scratch, codec) = (workspace.address(), K::codec(Direction::Ascending));
        let tell = [Arg::Address(scratch + plan.state), Arg::Address(value.address()), codec.arg()];
        // SAFETY: buffers and workspace are on this device, do not overlap and hold what the plan asks for.
        unsafe {
            launch_begin(self, &kernels, &plan, scratch, nth as u64, true)?;
            launch_digits(self, &kernels, &plan, keys.address(), scratch, codec)?;
            self.run(kernels.tell, 1, &tell)
        }
    }

    /// The lower median of keys in host memory: the middle one in order, of an even number the first of the two in the middle.
    ///
    /// ```
    /// assert_eq!(gridsort::Device::emulator().median(&[5.0f64, 1.0, 4.0, 2.0])?, 2.0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::select_nth`]; of no keys there is no median.
    pub fn median<K: Key>(&self, keys: &[K]) -> Result<K> {
        self.select_nth(keys, middle(keys.len()))
    }

    /// Writes the lower median of keys in the device's memory to a buffer of one element, as [`Device::select_nth_into`] does.
    ///
    /// ```
    /// use gridsort::{Device, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[3i8, -9, 7])?;
    /// let mut value = device.allocate::<i8>(1)?;
    /// device.median_into(&keys, &mut value, &mut Workspace::new(&device))?;
    /// assert_eq!(value.to_vec()?, [3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::select_nth_into`]; of no keys there is no median.
    pub fn median_into<K: Key>(
        &self,
        keys: &DeviceSlice<'_, K>,
        value: &mut DeviceSliceMut<'_, K>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        self.select_nth_into(keys, middle(keys.len()), value, workspace)
    }

    /// Bytes of scratch memory that [`Device::select_nth_into`] takes for `n` keys: 0 on the CPU.
    ///
    /// ```
    /// assert!(gridsort::Device::emulator().select_nth_scratch_bytes::<u32>(1 << 30)? < 1 << 16);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn select_nth_scratch_bytes<K: Key>(&self, n: usize) -> Result<u64> {
        Ok(planned::<K>(self, n)?.map_or(0, |(_, plan)| plan.scratch_bytes))
    }
}
