//! Argsort by an order of the user's own.
use super::{CustomOrder, OrderedKey, cpu};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::Result;
use crate::plan::{MAX_POSITIONS_32, area_bytes};
use crate::sort::{Index, Job, Places, check_count};
use crate::workspace::Workspace;

const WHAT: &str = "argsort";

impl<K: OrderedKey> CustomOrder<K> {
    /// The stable order of keys in host memory: the position of the key that comes first, of the one that comes second,
    /// and so on.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// assert_eq!(BY_PRICE.argsort(&Device::emulator(), &[low, high, low])?, [1, 0, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CustomOrder::sort`].
    pub fn argsort(&self, device: &Device, keys: &[K]) -> Result<Vec<u64>> {
        if keys.len() as u64 > MAX_POSITIONS_32 {
            return self.argsort_slice(device, keys);
        }
        // Half the traffic wherever 32 bits are enough.
        let narrow = self.argsort_slice::<u32>(device, keys)?;
        let mut order = host_vec(keys.len())?;
        order.iter_mut().zip(&narrow).for_each(|(wide, &position)| *wide = u64::from(position));
        Ok(order)
    }

    fn argsort_slice<I: Index>(&self, device: &Device, keys: &[K]) -> Result<Vec<I>> {
        check_count::<I>(keys.len())?;
        let mut order = host_vec(keys.len())?;
        if device.tiles().is_none() {
            cpu::argsort::<K, I>(keys, &mut order)?;
            return Ok(order);
        }
        let scratch_bytes = self.argsort_scratch_bytes(device, keys.len(), size_of::<I>())?;
        let data = (keys.len() as u64).saturating_mul((size_of::<K>() + size_of::<I>()) as u64);
        let (mut workspace, mut positions, buffer) = device.allocate_all(scratch_bytes.saturating_add(data), || {
            let workspace = Workspace::reserved(device, scratch_bytes)?;
            Ok((workspace, device.allocate::<I>(keys.len())?, device.upload(keys)?))
        })?;
        self.argsort_into(device, &buffer, &mut positions, &mut workspace)?;
        positions.copy_to_slice(&mut order)?;
        Ok(order)
    }

    /// Writes the stable order of keys in the device's memory to a buffer, as 32-bit positions of up to 2^32 keys or as
    /// 64-bit ones. The keys stay as they are. On a GPU the call returns when the work is queued.
    ///
    /// Takes [`CustomOrder::argsort_scratch_bytes`] of scratch memory.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device, Workspace};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let device = Device::emulator();
    /// let (keys, mut order) = (device.upload(&[low, high])?, device.allocate::<u32>(2)?);
    /// BY_PRICE.argsort_into(&device, &keys, &mut order, &mut Workspace::new(&device))?;
    /// assert_eq!(order.to_vec()?, [1, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::argsort_into`].
    pub fn argsort_into<I: Index>(
        &self,
        device: &Device,
        keys: &DeviceSlice<'_, K>,
        order: &mut DeviceSliceMut<'_, I>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        keys.check_device(device, "the key buffer")?;
        order.check_device(device, "the position buffer")?;
        workspace.check_device(device)?;
        keys.check_len("the position buffer", order.len())?;
        check_count::<I>(keys.len())?;
        order.check_apart("the position buffer", keys, "the key buffer")?;
        let Some(tiles) = device.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, positions) = unsafe { (keys.host_slice(), order.host_slice_mut()) };
            return cpu::argsort::<K, I>(keys, positions);
        };
        let (plan, scratch_bytes) = self.plan(keys.len(), I::PAYLOAD_WIDTH, tiles)?;
        let key_bytes = area_bytes(WHAT, keys.len() as u64, size_of::<K>() as u64)?;
        workspace.reserve_for(device, key_bytes + scratch_bytes)?;
        let width = I::PAYLOAD_WIDTH;
        let job = Job::guarded(plan, self.set(device, width, tiles), size_of::<K>(), width);
        let _claims = device.claim([keys.allocation(), order.allocation(), workspace.allocation()])?;
        let scratch = workspace.address() + key_bytes;
        let key_places = Places { source: keys.address(), data: workspace.address(), scratch };
        let position_places = Places { source: 0, data: order.address(), scratch: scratch + job.key_scratch_bytes() };
        // SAFETY: buffers and workspace are on this device and hold what the plan asks for; keys are only read.
        unsafe { job.launch(device, key_places, Some(position_places)) }
    }
}
