//! Sorting keys, alone and with a payload each.
use super::{CustomOrder, OrderedKey, cpu, width_of};
use crate::device::{Device, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::key::{Payload, PayloadWidth};
use crate::sort::{Job, Places};
use crate::workspace::Workspace;

impl<K: OrderedKey> CustomOrder<K> {
    /// Sorts keys in host memory: copies them to the device, sorts them there, copies them back. Stable.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let mut keys = [low, high];
    /// BY_PRICE.sort(&Device::emulator(), &mut keys)?;
    /// assert_eq!(keys, [high, low]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`], [`Error::TooLarge`], [`Error::Launch`] on a GPU that there are no compiled kernels for,
    /// and what goes wrong on the device. The keys are then as they were.
    pub fn sort(&self, device: &Device, keys: &mut [K]) -> Result<()> {
        if keys.len() < 2 {
            return Ok(());
        }
        if device.tiles().is_none() {
            return cpu::sort(keys);
        }
        let scratch_bytes = self.sort_scratch_bytes(device, keys.len(), 0)?;
        let total = scratch_bytes.saturating_add(size_of_val(keys) as u64);
        let (mut workspace, mut buffer) = device.allocate_all(total, || {
            let workspace = Workspace::reserved(device, scratch_bytes)?;
            Ok((workspace, device.upload(keys)?))
        })?;
        self.sort_buffer(device, &mut buffer, &mut workspace)?;
        buffer.copy_to_slice(keys)
    }

    /// Sorts keys in the device's memory. Stable. On a GPU the call returns when the work is queued.
    ///
    /// Takes [`CustomOrder::sort_scratch_bytes`] of scratch memory. Where the workspace has it, nothing is allocated and
    /// nothing waited for.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device, Workspace};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let device = Device::emulator();
    /// let mut keys = device.upload(&[low, high])?;
    /// BY_PRICE.sort_buffer(&device, &mut keys, &mut Workspace::new(&device))?;
    /// assert_eq!(keys.to_vec()?, [high, low]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DeviceMismatch`], [`Error::OutOfMemory`], [`Error::ScratchTooSmall`] and [`Error::TooLarge`], all found
    /// before a key is moved, and what goes wrong on the device.
    pub fn sort_buffer(
        &self,
        device: &Device,
        keys: &mut DeviceSliceMut<'_, K>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        keys.check_device(device, "the key buffer")?;
        workspace.check_device(device)?;
        if keys.len() < 2 {
            return Ok(());
        }
        let Some(tiles) = device.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the view is the only one in use.
            return cpu::sort(unsafe { keys.host_slice_mut() });
        };
        if let Some(job) = self.sample_job(keys.len(), PayloadWidth::None, tiles)? {
            workspace.reserve_for(device, job.plan.scratch_bytes)?;
            self.sample_set(device, PayloadWidth::None, tiles);
            let _claims = device.claim([keys.allocation(), workspace.allocation()])?;
            // SAFETY: buffer and workspace are on this device and hold what the plan asks for.
            return unsafe { job.launch(device, Places::in_place(keys.address(), workspace.address()), None) };
        }
        let (plan, scratch_bytes) = self.plan(keys.len(), PayloadWidth::None, tiles)?;
        workspace.reserve_for(device, scratch_bytes)?;
        let job = Job::guarded(plan, self.set(device, PayloadWidth::None, tiles), size_of::<K>(), PayloadWidth::None);
        let _claims = device.claim([keys.allocation(), workspace.allocation()])?;
        // SAFETY: buffer and workspace are on this device and hold what the plan asks for.
        unsafe { job.launch(device, Places::in_place(keys.address(), workspace.address()), None) }
    }

    /// Sorts keys in host memory and moves each one's payload of 4 or 8 bytes along. Stable.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let (mut keys, mut names) = ([low, high], [1.5f32, 2.5]);
    /// BY_PRICE.sort_pairs(&Device::emulator(), &mut keys, &mut names)?;
    /// assert_eq!(names, [2.5, 1.5]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::NotSupported`] for other payloads, and as [`CustomOrder::sort`].
    pub fn sort_pairs<P: Payload>(&self, device: &Device, keys: &mut [K], payloads: &mut [P]) -> Result<()> {
        if payloads.len() != keys.len() {
            return Err(Error::LengthMismatch { what: "the payloads", expected: keys.len(), found: payloads.len() });
        }
        width_of::<P>(device)?;
        if keys.len() < 2 {
            return Ok(());
        }
        if device.tiles().is_none() {
            return cpu::sort_pairs(keys, payloads);
        }
        let scratch_bytes = self.sort_scratch_bytes(device, keys.len(), size_of::<P>())?;
        let total = scratch_bytes.saturating_add(size_of_val(keys) as u64 + size_of_val(payloads) as u64);
        let (mut workspace, mut key_buffer, mut payload_buffer) = device.allocate_all(total, || {
            let workspace = Workspace::reserved(device, scratch_bytes)?;
            Ok((workspace, device.upload(keys)?, device.upload(payloads)?))
        })?;
        self.sort_pairs_buffer(device, &mut key_buffer, &mut payload_buffer, &mut workspace)?;
        key_buffer.copy_to_slice(keys)?;
        payload_buffer.copy_to_slice(payloads)
    }

    /// Sorts keys in the device's memory and moves each one's payload of 4 or 8 bytes along. Stable. On a GPU the call
    /// returns when the work is queued.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device, Workspace};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let device = Device::emulator();
    /// let (mut keys, mut names) = (device.upload(&[low, high])?, device.upload(&[1u64, 2])?);
    /// BY_PRICE.sort_pairs_buffer(&device, &mut keys, &mut names, &mut Workspace::new(&device))?;
    /// assert_eq!(names.to_vec()?, [2, 1]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::Overlap`], [`Error::NotSupported`] for other payloads, and as
    /// [`CustomOrder::sort_buffer`].
    pub fn sort_pairs_buffer<P: Payload>(
        &self,
        device: &Device,
        keys: &mut DeviceSliceMut<'_, K>,
        payloads: &mut DeviceSliceMut<'_, P>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        keys.check_device(device, "the key buffer")?;
        payloads.check_device(device, "the payload buffer")?;
        workspace.check_device(device)?;
        keys.check_len("the payload buffer", payloads.len())?;
        let width = width_of::<P>(device)?;
        payloads.check_apart("the payload buffer", keys, "the key buffer")?;
        if keys.len() < 2 {
            return Ok(());
        }
        let Some(tiles) = device.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, payloads) = unsafe { (keys.host_slice_mut(), payloads.host_slice_mut()) };
            return cpu::sort_pairs(keys, payloads);
        };
        let (plan, scratch_bytes) = self.plan(keys.len(), width, tiles)?;
        workspace.reserve_for(device, scratch_bytes)?;
        let job = Job::guarded(plan, self.set(device, width, tiles), size_of::<K>(), width);
        let _claims = device.claim([keys.allocation(), payloads.allocation(), workspace.allocation()])?;
        let scratch = workspace.address();
        let key_places = Places::in_place(keys.address(), scratch);
        let payload_places = Places::in_place(payloads.address(), scratch + job.key_scratch_bytes());
        // SAFETY: the buffers have the same length, do not overlap, and with the workspace are on this device and hold
        // what the plan asks for.
        unsafe { job.launch(device, key_places, Some(payload_places)) }
    }
}
