//! Argsort: the stable order of keys, as positions.
use super::job::SortJob;
use super::{Places, cpu};
use crate::device::{Device, DeviceBuffer, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::options::SortOptions;
use crate::plan::{MAX_POSITIONS_32, area_bytes};
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;
use rayon::prelude::*;

const WHAT: &str = "argsort";

mod sealed {
    /// An integer as a position.
    pub trait Position: crate::key::Payload + Ord {
        /// The most keys whose positions it can tell apart.
        const MOST: u64;
        /// The position, which fits.
        fn from_index(index: usize) -> Self;
        /// The position.
        fn index(self) -> usize;
    }

    macro_rules! position {
        ($($t:ty, $most:expr);*) => { $(
            impl Position for $t {
                const MOST: u64 = $most;

                fn from_index(index: usize) -> Self {
                    index as $t
                }
                fn index(self) -> usize {
                    self as usize
                }
            }
        )* };
    }
    position!(u32, crate::plan::MAX_POSITIONS_32; u64, u64::MAX; i32, 1 << 31; i64, 1 << 63);
}
pub(crate) use sealed::Position;

/// What positions are written as: `u32`, for up to 2^32 keys, or `u64`; or, as tensor libraries want them, `i32`, for up to
/// 2^31 keys, or `i64`.
///
/// ```
/// use gridsort::{Device, SortOptions, Workspace};
///
/// let device = Device::emulator();
/// let keys = device.upload(&[3u8, 1, 2])?;
/// let mut positions = device.allocate::<u32>(3)?;
/// device.argsort_into(&keys, &mut positions, &mut Workspace::new(&device), SortOptions::new())?;
/// assert_eq!(positions.to_vec()?, [1, 2, 0]);
/// # Ok::<(), gridsort::Error>(())
/// ```
pub trait Index: Position {}

impl Index for u32 {}
impl Index for u64 {}
impl Index for i32 {}
impl Index for i64 {}

/// Refuses more keys than there are positions.
pub(crate) fn check_count<I: Index>(n: usize) -> Result<()> {
    if n as u64 > I::MOST { Err(Error::TooLarge { what: WHAT, n: n as u64, limit: I::MOST }) } else { Ok(()) }
}

/// The sort of `n` keys that leaves their positions.
pub(super) fn job_of<K: Key, I: Index>(n: usize, tiles: Tiles, options: SortOptions) -> Result<SortJob> {
    let job = SortJob::new(n, K::codec(options.direction), I::PAYLOAD_WIDTH, tiles, options)?;
    Ok(job.without_keys())
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
        if keys.len() as u64 > MAX_POSITIONS_32 {
            return self.argsort_slice(keys, options);
        }
        let narrow = self.argsort_slice::<K, u32>(keys, options)?;
        let mut order = host_vec(keys.len())?;
        order.par_iter_mut().zip(&narrow).for_each(|(wide, &position)| *wide = u64::from(position));
        Ok(order)
    }

    /// As [`Device::argsort`], with 32-bit positions: up to 2^32 keys.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// assert_eq!(Device::emulator().argsort_u32(&[0.5f32, -0.5], SortOptions::new())?, [1, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::argsort`].
    pub fn argsort_u32<K: Key>(&self, keys: &[K], options: SortOptions) -> Result<Vec<u32>> {
        self.argsort_slice(keys, options)
    }

    fn argsort_slice<K: Key, I: Index>(&self, keys: &[K], options: SortOptions) -> Result<Vec<I>> {
        check_count::<I>(keys.len())?;
        let mut order = host_vec(keys.len())?;
        let Some(tiles) = self.tiles() else {
            cpu::argsort::<K, I>(keys, &mut order, options.direction)?;
            return Ok(order);
        };
        let job = job_of::<K, I>(keys.len(), tiles, options)?;
        let data = (keys.len() as u64).saturating_mul((size_of::<K>() + size_of::<I>()) as u64);
        let total = job.scratch_bytes().saturating_add(data);
        let (workspace, positions, key_buffer) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, job.scratch_bytes())?;
            Ok((workspace, self.allocate::<I>(keys.len())?, self.upload(keys)?))
        })?;
        let _claims = self.claim([workspace.allocation(), positions.allocation(), key_buffer.allocation()])?;
        let scratch = workspace.address();
        let key_places = Places::in_place(key_buffer.address(), scratch);
        let position_places = Places { source: 0, data: positions.address(), scratch: scratch + job.payload_scratch() };
        // SAFETY: buffers and workspace hold what the plan asks for.
        unsafe { job.launch(self, key_places, Some(position_places))? };
        positions.copy_to_slice(&mut order)?;
        Ok(order)
    }

    /// The stable order of keys in the device's memory, as 64-bit positions. The keys stay as they are. On a GPU the
    /// call returns when the work is queued.
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
    /// As [`Device::argsort_into`].
    pub fn argsort_buffer<K: Key>(
        &self,
        keys: &DeviceSlice<'_, K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<DeviceBuffer<u64>> {
        self.argsort_new(keys, workspace, options)
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
    /// As [`Device::argsort_into`].
    pub fn argsort_buffer_u32<K: Key>(
        &self,
        keys: &DeviceSlice<'_, K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<DeviceBuffer<u32>> {
        self.argsort_new(keys, workspace, options)
    }

    /// Writes the stable order of keys in the device's memory to a buffer, as 32-bit positions of up to 2^32 keys or as
    /// 64-bit ones. The keys stay as they are. On a GPU the call returns when the work is queued.
    ///
    /// Takes scratch memory for two copies of the keys, one of the positions, and about three bytes more a
    /// key where a sample sort does it: [`Device::argsort_scratch_bytes`]. Where
    /// the workspace has it, nothing is allocated and nothing waited for.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[7i128, 9, -8])?;
    /// let mut order = device.allocate::<u64>(3)?;
    /// device.argsort_into(&keys, &mut order, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(order.to_vec()?, [2, 0, 1]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::DeviceMismatch`], [`Error::Overlap`], [`Error::OutOfMemory`],
    /// [`Error::ScratchTooSmall`] and [`Error::TooLarge`], all found before anything is written, and what goes wrong on
    /// the device.
    pub fn argsort_into<K: Key, I: Index>(
        &self,
        keys: &DeviceSlice<'_, K>,
        order: &mut DeviceSliceMut<'_, I>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        order.check_device(self, "the position buffer")?;
        workspace.check_device(self)?;
        keys.check_len("the position buffer", order.len())?;
        check_count::<I>(keys.len())?;
        order.check_apart("the position buffer", keys, "the key buffer")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, positions) = unsafe { (keys.host_slice(), order.host_slice_mut()) };
            return cpu::argsort::<K, I>(keys, positions, options.direction);
        };
        let job = job_of::<K, I>(keys.len(), tiles, options)?;
        let key_bytes = area_bytes(WHAT, keys.len() as u64, size_of::<K>() as u64)?;
        workspace.reserve_for(self, key_bytes + job.scratch_bytes())?;
        let _claims = self.claim([keys.allocation(), order.allocation(), workspace.allocation()])?;
        let scratch = workspace.address();
        let key_places = Places { source: keys.address(), data: scratch, scratch: scratch + key_bytes };
        let position_places =
            Places { source: 0, data: order.address(), scratch: scratch + key_bytes + job.payload_scratch() };
        // SAFETY: buffers and workspace are on this device and hold what the plan asks for; keys are only read.
        unsafe { job.launch(self, key_places, Some(position_places)) }
    }

    fn argsort_new<K: Key, I: Index>(
        &self,
        keys: &DeviceSlice<'_, K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<DeviceBuffer<I>> {
        keys.check_device(self, "the key buffer")?;
        workspace.check_device(self)?;
        check_count::<I>(keys.len())?;
        let scratch_bytes = self.argsort_scratch_bytes::<K, I>(keys.len())?;
        let total = scratch_bytes.saturating_add((keys.len() as u64).saturating_mul(size_of::<I>() as u64));
        let mut order = self.allocate_all(total, || {
            let order = self.allocate::<I>(keys.len())?;
            workspace.reserve_for(self, scratch_bytes)?;
            Ok(order)
        })?;
        self.argsort_into(keys, &mut order, workspace, options)?;
        Ok(order)
    }
}
