//! Merging any number of inputs that are sorted by an order of the user's own.
use super::sorted::first_disorder;
use super::{CustomOrder, OrderedKey, compare, payload_width, width_of};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::Result;
use crate::key::{Payload, PayloadWidth, payload_bytes};
use crate::merge_many::check::{Pairs, check_keys, check_pairs, check_payloads, check_sorted, merged_len};
use crate::merge_many::launch::{Entry, Job, Order, entries, write_table};
use crate::merge_many::{cpu, lengths, slices};
use crate::plan::{self, MergeManyGuardedPlan};
use crate::sort::restore_many;
use crate::workspace::Workspace;
use gridsort_kernels::entry::guard::lower_flag;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::simt::Arg;

impl<K: OrderedKey> CustomOrder<K> {
    /// Bytes of scratch memory that merging inputs of these many keys takes on a device, with payloads of
    /// `payload_bytes` bytes each (0, 4 or 8).
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// // Some hundredths of sixteen inputs' own size; nothing on the CPU.
    /// assert!(BY_PRICE.merge_many_scratch_bytes(&Device::emulator(), &[1 << 20; 16], 0)? < 12 << 20);
    /// assert_eq!(BY_PRICE.merge_many_scratch_bytes(&Device::cpu(), &[1 << 20; 16], 0)?, 0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::NotSupported`](crate::Error::NotSupported) for other
    /// payloads.
    pub fn merge_many_scratch_bytes(&self, device: &Device, lengths: &[usize], payload_bytes: usize) -> Result<u64> {
        let width = payload_width(device, payload_bytes)?;
        merged_len(lengths.iter().copied())?;
        let Some(tiles) = device.tiles() else { return Ok(0) };
        let lengths: Vec<u64> = lengths.iter().map(|&len| len as u64).collect();
        Ok(plan::merge_many_guarded(&lengths, &self.shape(width, tiles))?.scratch_bytes)
    }

    /// Merges any number of sorted slices. Equal keys come in the order of their inputs.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let merged = BY_PRICE.merge_many(&Device::emulator(), &[&[low], &[], &[high, low], &[high]])?;
    /// assert_eq!(merged, [high, high, low, low]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotSorted`](crate::Error::NotSorted), [`Error::TooLarge`](crate::Error::TooLarge),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and what goes wrong on the device.
    pub fn merge_many(&self, device: &Device, inputs: &[&[K]]) -> Result<Vec<K>> {
        check_sorted(inputs.iter().copied(), first_disorder)?;
        let sizes: Vec<usize> = inputs.iter().map(|keys| keys.len()).collect();
        let mut merged = host_vec(merged_len(sizes.iter().copied())?)?;
        if device.tiles().is_none() {
            cpu::merge_keys(inputs, &mut merged, &compare);
            return Ok(merged);
        }
        let scratch_bytes = self.merge_many_scratch_bytes(device, &sizes, 0)?;
        slices::merge_keys(device, inputs, merged, scratch_bytes, |inputs, out, workspace| {
            self.merge_many_buffers(device, inputs, out, workspace)
        })
    }

    /// Merges any number of sorted buffers into another. Equal keys come in the order of their inputs. On a GPU the
    /// call returns when the work is queued. Takes [`CustomOrder::merge_many_scratch_bytes`] of scratch memory.
    ///
    /// Up to sixteen inputs that have keys are read and written once, see [`Device::merge_many_buffers`]. Where an
    /// input is not sorted, the output holds the keys of all in some order.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device, Workspace};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let device = Device::emulator();
    /// let (a, b, c) = (device.upload(&[low])?, device.upload(&[high])?, device.upload(&[high, low])?);
    /// let mut out = device.allocate(4)?;
    /// BY_PRICE.merge_many_buffers(&device, &[&a, &b, &c], &mut out, &mut Workspace::new(&device))?;
    /// assert_eq!(out.to_vec()?, [high, high, low, low]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) where `out` is not as long as all inputs together,
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::Overlap`](crate::Error::Overlap),
    /// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::OutOfMemory`](crate::Error::OutOfMemory) and
    /// [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall), all found before anything is written, and what goes
    /// wrong on the device.
    pub fn merge_many_buffers(
        &self,
        device: &Device,
        inputs: &[&DeviceSlice<'_, K>],
        out: &mut DeviceSliceMut<'_, K>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        check_keys(device, inputs, out, workspace)?;
        let Some(tiles) = device.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the output overlaps no input.
            unsafe {
                let inputs: Vec<&[K]> = inputs.iter().map(|keys| keys.host_slice()).collect();
                cpu::merge_keys(&inputs, out.host_slice_mut(), &compare);
            }
            return Ok(());
        };
        let filled: Vec<&DeviceSlice<'_, K>> = inputs.iter().copied().filter(|keys| !keys.is_empty()).collect();
        match filled[..] {
            [] => return Ok(()),
            [keys] => return out.copy_on(device, keys),
            [a, b] => return self.merge_buffers(device, a, b, out, workspace),
            _ => {}
        }
        let shape = self.shape(PayloadWidth::None, tiles);
        let plan = plan::merge_many_guarded(&lengths(filled.iter().copied()), &shape)?;
        workspace.reserve_for(device, plan.scratch_bytes)?;
        let _input_claims = device.claim(filled.iter().map(|keys| keys.allocation()))?;
        let _output_claims = device.claim([out.allocation(), workspace.allocation()])?;
        let inputs = entries(filled.iter().map(|keys| (keys.address(), 0, keys.len())));
        let out = (out.address(), 0);
        // SAFETY: all of it is on this device, the output as long as the inputs together and apart from them; the
        // workspace holds what the plan asks for.
        unsafe { self.launch_merge_many(device, &inputs, out, PayloadWidth::None, &plan, workspace.address(), tiles) }
    }

    /// As [`CustomOrder::merge_many`], with a payload of 4 or 8 bytes for each key.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let inputs: [(&[Offer], &[u32]); 3] = [(&[low], &[1]), (&[high, low], &[2, 3]), (&[high], &[4])];
    /// let (_, names) = BY_PRICE.merge_many_pairs(&Device::emulator(), &inputs)?;
    /// assert_eq!(names, [2, 4, 1, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there; [`Error::LengthMismatch`](crate::Error::LengthMismatch), and
    /// [`Error::NotSupported`](crate::Error::NotSupported) for other payloads.
    pub fn merge_many_pairs<P: Payload>(&self, device: &Device, inputs: &[(&[K], &[P])]) -> Result<(Vec<K>, Vec<P>)> {
        width_of::<P>(device)?;
        check_payloads(inputs)?;
        check_sorted(inputs.iter().map(|input| input.0), first_disorder)?;
        let sizes: Vec<usize> = inputs.iter().map(|input| input.0.len()).collect();
        let len = merged_len(sizes.iter().copied())?;
        let mut merged = (host_vec(len)?, host_vec(len)?);
        if device.tiles().is_none() {
            cpu::merge_pairs(inputs.to_vec(), (&mut merged.0, &mut merged.1), &compare);
            return Ok(merged);
        }
        let scratch_bytes = self.merge_many_scratch_bytes(device, &sizes, size_of::<P>())?;
        slices::merge_pairs(device, inputs, merged, scratch_bytes, |inputs, out, workspace| {
            self.merge_many_pairs_buffers(device, inputs, out, workspace)
        })
    }

    /// As [`CustomOrder::merge_many_buffers`], with a payload of 4 or 8 bytes for each key.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device, Workspace};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let device = Device::emulator();
    /// let a = (device.upload(&[low])?, device.upload(&[1u64])?);
    /// let b = (device.upload(&[high, low])?, device.upload(&[2u64, 3])?);
    /// let c = (device.upload(&[high])?, device.upload(&[4u64])?);
    /// let (mut out, mut names) = (device.allocate(4)?, device.allocate(4)?);
    /// BY_PRICE.merge_many_pairs_buffers(
    ///     &device,
    ///     &[(&a.0, &a.1), (&b.0, &b.1), (&c.0, &c.1)],
    ///     (&mut out, &mut names),
    ///     &mut Workspace::new(&device),
    /// )?;
    /// assert_eq!(names.to_vec()?, [2, 4, 1, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there; [`Error::NotSupported`](crate::Error::NotSupported) for other payloads.
    pub fn merge_many_pairs_buffers<P: Payload>(
        &self,
        device: &Device,
        inputs: &[Pairs<'_, '_, K, P>],
        out: (&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, P>),
        workspace: &mut Workspace,
    ) -> Result<()> {
        let width = width_of::<P>(device)?;
        check_pairs(device, inputs, (&*out.0, &*out.1), workspace)?;
        let Some(tiles) = device.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the outputs overlap nothing.
            unsafe {
                let inputs = inputs.iter().map(|input| (input.0.host_slice(), input.1.host_slice())).collect();
                cpu::merge_pairs(inputs, (out.0.host_slice_mut(), out.1.host_slice_mut()), &compare);
            }
            return Ok(());
        };
        let filled: Vec<Pairs<'_, '_, K, P>> = inputs.iter().copied().filter(|input| !input.0.is_empty()).collect();
        match filled[..] {
            [] => return Ok(()),
            [(keys, payloads)] => {
                out.0.copy_on(device, keys)?;
                return out.1.copy_on(device, payloads);
            }
            [a, b] => return self.merge_pairs_buffers(device, a, b, out, workspace),
            _ => {}
        }
        let sizes = lengths(filled.iter().map(|input| input.0));
        let plan = plan::merge_many_guarded(&sizes, &self.shape(width, tiles))?;
        workspace.reserve_for(device, plan.scratch_bytes)?;
        let _input_claims =
            device.claim(filled.iter().flat_map(|input| [input.0.allocation(), input.1.allocation()]))?;
        let _output_claims = device.claim([out.0.allocation(), out.1.allocation(), workspace.allocation()])?;
        let inputs = entries(filled.iter().map(|(keys, payloads)| (keys.address(), payloads.address(), keys.len())));
        let out = (out.0.address(), out.1.address());
        // SAFETY: as in `merge_many_buffers`, for keys and payloads.
        unsafe { self.launch_merge_many(device, &inputs, out, width, &plan, workspace.address(), tiles) }
    }

    /// Launches a planned merge of three inputs or more that have elements, to the places in `out`, of keys and of
    /// payloads.
    ///
    /// # Safety
    /// Inputs, outputs and scratch memory are claimed memory of the device, as large as the plan says, and no output
    /// overlaps anything else.
    #[allow(clippy::too_many_arguments)] // inputs, an output, and how
    unsafe fn launch_merge_many(
        &self,
        device: &Device,
        inputs: &[Entry],
        out: (u64, u64),
        width: PayloadWidth,
        plan: &MergeManyGuardedPlan,
        scratch: u64,
        tiles: Tiles,
    ) -> Result<()> {
        let (keys, payloads) = ((out.0, size_of::<K>() as u64), (out.1, payload_bytes(width)));
        let inputs_table = scratch + plan.merge.scratch_bytes;
        let flag = inputs_table + plan.inputs_bytes;
        let carried = (width != PayloadWidth::None).then_some(payloads);
        let kernels = self.set(device, width, tiles).kway;
        let job = Job::new(&plan.merge, kernels, Order::Guarded(flag), scratch, keys, carried);
        let table = if plan.inputs_bytes > 0 { inputs_table } else { job.table() };
        // SAFETY: a word behind the tables, which have as many entries as the plan says; the rest is the caller's
        // promise.
        unsafe {
            device.run(&lower_flag, 1, &[Arg::Address(flag)])?;
            job.launch(device, inputs)?;
            if plan.inputs_bytes > 0 {
                write_table(device, table, inputs)?;
            }
            restore_many(device, flag, (table, inputs.len() as u32), plan.merge.n, keys, payloads)
        }
    }
}
