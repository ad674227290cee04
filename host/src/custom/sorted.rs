//! Whether keys are in an order of the user's own.
use super::{CustomOrder, OrderedKey};
use crate::device::{Device, DeviceSlice};
use crate::error::Result;
use crate::plan::{ALIGNMENT, grid};
use crate::workspace::Workspace;
use gridsort_kernels::simt::Arg;
use gridsort_kernels::tuning::SORTED;

impl<K: OrderedKey> CustomOrder<K> {
    /// Whether keys in host memory are in order: whether none must stand before the one ahead of it.
    ///
    /// ```
    /// use gridsort::CustomOrder;
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// assert!(BY_PRICE.is_sorted(&[high, low, low]) && !BY_PRICE.is_sorted(&[low, high]));
    /// ```
    pub fn is_sorted(&self, keys: &[K]) -> bool {
        first_disorder(keys).is_none()
    }

    /// Whether keys in the device's memory are in order. Waits for the answer. Takes
    /// [`CustomOrder::merge_scratch_bytes`] of scratch memory.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device, Workspace};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let device = Device::emulator();
    /// let keys = device.upload(&[high, low])?;
    /// assert!(BY_PRICE.is_sorted_buffer(&device, &keys, &mut Workspace::new(&device))?);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::is_sorted_buffer`].
    pub fn is_sorted_buffer(
        &self,
        device: &Device,
        keys: &DeviceSlice<'_, K>,
        workspace: &mut Workspace,
    ) -> Result<bool> {
        keys.check_device(device, "the key buffer")?;
        workspace.check_device(device)?;
        if keys.len() < 2 {
            return Ok(true);
        }
        let Some(tiles) = device.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU.
            return Ok(self.is_sorted(unsafe { keys.host_slice() }));
        };
        let grid = grid("look for disorder", keys.len() as u64, SORTED.tile())?;
        workspace.reserve_for(device, ALIGNMENT)?;
        self.set(device, crate::PayloadWidth::None, tiles);
        let _claims = device.claim([keys.allocation(), workspace.allocation()])?;
        let found = workspace.address();
        let args = [Arg::Address(keys.address()), Arg::U64(keys.len() as u64), Arg::Address(found), Arg::U32(0)];
        let mut word = [0; size_of::<u32>()];
        // SAFETY: one word within the workspace, and as many keys as the kernel is told; the grid covers them.
        unsafe {
            device.write(found, &word)?;
            device.run(self.kernels.disorder(), grid, &args)?;
            device.read(found, &mut word)?;
        }
        Ok(word == [0; size_of::<u32>()])
    }
}

/// The position of the first key that must stand before the one ahead of it.
pub(super) fn first_disorder<K: OrderedKey>(keys: &[K]) -> Option<usize> {
    keys.windows(2).position(|pair| pair[1].before(pair[0])).map(|at| at + 1)
}
