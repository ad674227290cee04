//! Argsort: the stable order of keys, as positions.
use super::{Job, Places, cpu};
use crate::device::{Device, DeviceBuffer, host_vec};
use crate::error::{Error, Result};
use crate::key::{Key, Payload};
use crate::options::SortOptions;
use crate::plan::area_bytes;
use crate::workspace::Workspace;
use rayon::prelude::*;

const WHAT: &str = "argsort";
/// Keys whose positions 32 bits can tell apart.
const MOST_32: u64 = 1 << 32;

/// An unsigned integer as a position.
pub(super) trait Position: Payload + Ord {
    /// The position, which fits.
    fn from_index(index: usize) -> Self;
    fn widen(self) -> u64;
}

impl Position for u32 {
    fn from_index(index: usize) -> Self {
        index as u32
    }

    fn widen(self) -> u64 {
        u64::from(self)
    }
}

impl Position for u64 {
    fn from_index(index: usize) -> Self {
        index as u64
    }

    fn widen(self) -> u64 {
        self
    }
}

impl Device {
    /// The stable order of keys in host memory: the position of the key that comes first, of the one that comes second,
    /// and so on. Positions of equal keys ascend.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let keys = [30, 10, 20, 10];
    /// assert_eq!(Device::emulator().argsort(&keys, SortOptions::new())?, [1, 3, 2, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::TooLarge`], and what goes wrong on the device.
    pub fn argsort<K: Key>(&self, keys: &[K], options: SortOptions) -> Result<Vec<u64>> {
        // Half the traffic wherever 32 bits are enough.
        if keys.len() as u64 <= MOST_32 {
            self.argsort_slice::<K, u32>(keys, options)
        } else {
            self.argsort_slice::<K, u64>(keys, options)
        }
    }

    fn argsort_slice<K: Key, P: Position>(&self, keys: &[K], options: SortOptions) -> Result<Vec<u64>> {
        let mut order = host_vec(keys.len())?;
        let Some(tiles) = self.backend().tiles() else {
            cpu::argsort::<K, P, u64>(keys, &mut order, options.direction, P::widen)?;
            return Ok(order);
        };
        let job = Job::new(keys.len(), K::codec(options.direction), P::PAYLOAD_WIDTH, tiles, options)?;
        let data = (keys.len() as u64).saturating_mul((size_of::<K>() + size_of::<P>()) as u64);
        let total = job.plan.scratch_bytes.saturating_add(data);
        let (workspace, positions, key_buffer) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, job.plan.scratch_bytes)?;
            Ok((workspace, self.allocate::<P>(keys.len())?, self.upload(keys)?))
        })?;
        let scratch = workspace.address();
        let key_places = Places::in_place(key_buffer.address(), scratch);
        let position_places =
            Places { source: 0, data: positions.address(), scratch: scratch + job.plan.key_scratch_bytes };
        // SAFETY: buffers and workspace hold what the plan asks for.
        unsafe { job.launch(self, key_places, Some(position_places))? };
        let positions = positions.to_vec()?;
        order.par_iter_mut().zip(&positions).for_each(|(wide, position)| *wide = position.widen());
        Ok(order)
    }

    /// The stable order of keys in the device's memory, as 64-bit positions. The keys stay as they are. On a GPU the
    /// call returns when the work is queued.
    ///
    /// Takes scratch memory for two copies of the keys and one of the positions:
    /// [`plan::argsort_scratch_bytes`](crate::plan::argsort_scratch_bytes).
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[0.5f64, -0.5])?;
    /// let order = device.argsort_buffer(&keys, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(order.to_vec()?, [1, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DeviceMismatch`], [`Error::OutOfMemory`], [`Error::TooLarge`], and what goes wrong on the device.
    pub fn argsort_buffer<K: Key>(
        &self,
        keys: &DeviceBuffer<K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<DeviceBuffer<u64>> {
        self.argsort_to(keys, workspace, options)
    }

    /// As [`Device::argsort_buffer`], with 32-bit positions: up to 2^32 keys.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[7u32, 9, 8])?;
    /// let options = SortOptions::new().descending();
    /// let order = device.argsort_buffer_u32(&keys, &mut Workspace::new(&device), options)?;
    /// assert_eq!(order.to_vec()?, [1, 2, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::argsort_buffer`].
    pub fn argsort_buffer_u32<K: Key>(
        &self,
        keys: &DeviceBuffer<K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<DeviceBuffer<u32>> {
        if keys.len() as u64 > MOST_32 {
            return Err(Error::TooLarge { what: WHAT, n: keys.len() as u64, limit: MOST_32 });
        }
        self.argsort_to(keys, workspace, options)
    }

    fn argsort_to<K: Key, P: Position>(
        &self,
        keys: &DeviceBuffer<K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<DeviceBuffer<P>> {
        keys.check_device(self, "the key buffer")?;
        workspace.check_device(self)?;
        let Some(tiles) = self.backend().tiles() else {
            let mut order = self.allocate::<P>(keys.len())?;
            // SAFETY: the device that runs no kernels is the CPU.
            let (keys, positions) = unsafe { (keys.host_slice(), order.host_slice_mut()) };
            cpu::argsort::<K, P, P>(keys, positions, options.direction, |position| position)?;
            return Ok(order);
        };
        let job = Job::new(keys.len(), K::codec(options.direction), P::PAYLOAD_WIDTH, tiles, options)?;
        let key_bytes = area_bytes(WHAT, keys.len() as u64, size_of::<K>() as u64)?;
        let scratch_bytes = key_bytes + job.plan.scratch_bytes;
        let total = scratch_bytes.saturating_add((keys.len() as u64).saturating_mul(size_of::<P>() as u64));
        let order = self.allocate_all(total, || {
            let order = self.allocate::<P>(keys.len())?;
            workspace.reserve(scratch_bytes)?;
            Ok(order)
        })?;
        let scratch = workspace.address();
        let key_places = Places { source: keys.address(), data: scratch, scratch: scratch + key_bytes };
        let position_places =
            Places { source: 0, data: order.address(), scratch: scratch + key_bytes + job.plan.key_scratch_bytes };
        // SAFETY: buffers and workspace are on this device and hold what the plan asks for; keys are only read.
        unsafe { job.launch(self, key_places, Some(position_places))? };
        Ok(order)
    }
}
