//! Sorting keys with a payload each.
use super::gather::{Gather, Source};
use super::job::SortJob;
use super::{Places, cpu};
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::key::{Key, Payload};
use crate::options::SortOptions;
use crate::plan::{self, PairsPlan};
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;

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
    /// [`Error::LengthMismatch`], [`Error::PayloadSize`], [`Error::OutOfMemory`], [`Error::TooLarge`], and what goes
    /// wrong on the device. Both slices are then as they were, unless a GPU fails between the copies back of the two.
    pub fn sort_pairs<K: Key, P: Payload>(
        &self,
        keys: &mut [K],
        payloads: &mut [P],
        options: SortOptions,
    ) -> Result<()> {
        if payloads.len() != keys.len() {
            return Err(Error::LengthMismatch { what: "the payloads", expected: keys.len(), found: payloads.len() });
        }
        plan::carried(keys.len() as u64, size_of::<P>())?;
        if keys.len() < 2 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            return cpu::sort_pairs(keys, payloads, options.direction);
        };
        let job = PairsJob::new::<K, P>(keys.len(), true, tiles, options)?;
        let data = size_of_val(keys) as u64 + size_of_val(payloads) as u64;
        let total = job.scratch_bytes().saturating_add(data);
        let (mut workspace, mut key_buffer, mut payload_buffer) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, job.scratch_bytes())?;
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
    /// Takes scratch memory, [`Device::sort_pairs_scratch_bytes`]: for one more copy of keys and payloads, and about three bytes
    /// more a key where a sample sort does it; none where they fit one tile; for payloads of other sizes than 4 and 8 bytes also for positions. Where the workspace has it,
    /// nothing is allocated and nothing waited for.
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
    /// [`Error::LengthMismatch`], [`Error::PayloadSize`], [`Error::DeviceMismatch`], [`Error::Overlap`],
    /// [`Error::OutOfMemory`], [`Error::ScratchTooSmall`] and [`Error::TooLarge`], all found before a key is moved, and
    /// what goes wrong on the device.
    pub fn sort_pairs_buffer<K: Key, P: Payload>(
        &self,
        keys: &mut DeviceSliceMut<'_, K>,
        payloads: &mut DeviceSliceMut<'_, P>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        payloads.check_device(self, "the payload buffer")?;
        workspace.check_device(self)?;
        keys.check_len("the payload buffer", payloads.len())?;
        plan::carried(keys.len() as u64, size_of::<P>())?;
        payloads.check_apart("the payload buffer", keys, "the key buffer")?;
        if keys.len() < 2 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, payloads) = unsafe { (keys.host_slice_mut(), payloads.host_slice_mut()) };
            return cpu::sort_pairs(keys, payloads, options.direction);
        };
        let job = PairsJob::new::<K, P>(keys.len(), true, tiles, options)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims = self.claim([keys.allocation(), payloads.allocation(), workspace.allocation()])?;
        let (keys, payloads) = ((keys.address(), keys.address()), (payloads.address(), payloads.address()));
        // SAFETY: the buffers have the same length, do not overlap, and with the workspace are on this device and hold
        // what the plan asks for.
        unsafe { job.launch(self, keys, payloads, workspace.address()) }
    }

    /// Sorts keys and their payloads in the device's memory into another pair of buffers. The inputs stay as they are.
    /// Otherwise as [`Device::sort_pairs_buffer`].
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let (keys, payloads) = (device.upload(&[2u32, 1])?, device.upload(&[[2u8; 16], [1u8; 16]])?);
    /// let (mut sorted, mut moved) = (device.allocate(2)?, device.allocate(2)?);
    /// let mut workspace = Workspace::new(&device);
    /// device.sort_pairs_into((&keys, &payloads), (&mut sorted, &mut moved), &mut workspace, SortOptions::new())?;
    /// assert_eq!(sorted.to_vec()?, [1, 2]);
    /// assert_eq!(moved.to_vec()?, [[1; 16], [2; 16]]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_pairs_buffer`].
    pub fn sort_pairs_into<K: Key, P: Payload>(
        &self,
        (keys, payloads): (&DeviceSlice<'_, K>, &DeviceSlice<'_, P>),
        (sorted, moved): (&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, P>),
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        payloads.check_device(self, "the payload buffer")?;
        sorted.check_device(self, "the key output")?;
        moved.check_device(self, "the payload output")?;
        workspace.check_device(self)?;
        keys.check_len("the payload buffer", payloads.len())?;
        keys.check_len("the key output", sorted.len())?;
        keys.check_len("the payload output", moved.len())?;
        plan::carried(keys.len() as u64, size_of::<P>())?;
        sorted.check_apart("the key output", keys, "the key buffer")?;
        sorted.check_apart("the key output", payloads, "the payload buffer")?;
        moved.check_apart("the payload output", keys, "the key buffer")?;
        moved.check_apart("the payload output", payloads, "the payload buffer")?;
        moved.check_apart("the payload output", sorted, "the key output")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (sorted, moved) = unsafe {
                sorted.host_slice_mut().copy_from_slice(keys.host_slice());
                moved.host_slice_mut().copy_from_slice(payloads.host_slice());
                (sorted.host_slice_mut(), moved.host_slice_mut())
            };
            return cpu::sort_pairs(sorted, moved, options.direction);
        };
        if keys.len() < 2 {
            sorted.copy_on(self, keys)?;
            return moved.copy_on(self, payloads);
        }
        let job = PairsJob::new::<K, P>(keys.len(), false, tiles, options)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims =
            self.claim([keys.allocation(), payloads.allocation(), sorted.allocation(), moved.allocation()])?;
        let _claims = self.claim([workspace.allocation()])?;
        let (keys, payloads) = ((keys.address(), sorted.address()), (payloads.address(), moved.address()));
        // SAFETY: the buffers have the same length, do not overlap, and with the workspace are on this device and hold
        // what the plan asks for.
        unsafe { job.launch(self, keys, payloads, workspace.address()) }
    }
}

/// A sort of pairs that is ready to be launched.
pub(super) struct PairsJob {
    n: usize,
    /// Bytes of a payload.
    bytes: usize,
    sort: SortJob,
    plan: PairsPlan,
}

impl PairsJob {
    /// The sort of `n` keys with payloads of these types, which with `in_place` end where they were.
    ///
    /// # Errors
    /// Where there are too many keys, or no kernels for them.
    pub(super) fn new<K: Key, P: Payload>(
        n: usize,
        in_place: bool,
        tiles: Tiles,
        options: SortOptions,
    ) -> Result<Self> {
        let bytes = size_of::<P>();
        let carried = plan::carried(n as u64, bytes)?;
        let sort = SortJob::new(n, K::codec(options.direction), carried.width, tiles, options)?;
        let plan = plan::pairs(n as u64, bytes, in_place, carried, sort.scratch_bytes())?;
        Ok(Self { n, bytes, sort, plan })
    }

    pub(super) fn scratch_bytes(&self) -> u64 {
        self.plan.scratch_bytes
    }

    /// Whether a sample sort does it.
    pub(super) fn is_sample(&self) -> bool {
        matches!(self.sort, SortJob::Sample(_))
    }

    /// Launches the sort. Keys and payloads are named by where they are and where they must end, which may be the same.
    ///
    /// # Safety
    /// All places hold as many elements of claimed memory on the device, and `scratch` what is asked for. None overlap, except
    /// that elements may end where they are.
    unsafe fn launch(&self, device: &Device, keys: (u64, u64), payloads: (u64, u64), scratch: u64) -> Result<()> {
        let sort_scratch = scratch + self.plan.positions_bytes;
        let key_places = Places { source: keys.0, data: keys.1, scratch: sort_scratch };
        let payload_scratch = sort_scratch + self.sort.payload_scratch();
        if !self.plan.carried.positions {
            let payload_places = Places { source: payloads.0, data: payloads.1, scratch: payload_scratch };
            // SAFETY: as the caller promises.
            return unsafe { self.sort.launch(device, key_places, Some(payload_places)) };
        }
        let position_places = Places { source: 0, data: scratch, scratch: payload_scratch };
        // SAFETY: the positions' area is the first of the scratch memory, those of the sort lie behind it.
        unsafe { self.sort.launch(device, key_places, Some(position_places))? };
        let mut source = payloads.0;
        if payloads.0 == payloads.1 {
            // What the sort needed is free again, and large enough for what is to be fetched from.
            // SAFETY: the plan reserved room for a copy of the payloads there.
            unsafe { device.copy(source, sort_scratch, self.n * self.bytes)? };
            source = sort_scratch;
        }
        let gather = Gather {
            n: self.n as u64,
            bytes: self.bytes,
            positions: scratch,
            width: self.plan.carried.width,
            from: Source::One(source),
            target: payloads.1,
        };
        // SAFETY: the sort left the positions 0..n in some order, whatever the keys; areas are aligned for every element.
        unsafe { gather.launch(device) }
    }
}
