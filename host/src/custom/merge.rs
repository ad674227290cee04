//! Merging two inputs that are sorted by an order of the user's own.
use super::sorted::first_disorder;
use super::{CustomOrder, OrderedKey, compare, width_of};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::key::{Payload, PayloadWidth};
use crate::merge::{cpu, merged_len};
use crate::plan;
use crate::sort::restore;
use crate::workspace::Workspace;
use gridsort_kernels::entry::guard::lower_flag;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::simt::Arg;

const WHAT: &str = "merge";

/// Keys and their payloads, to read.
type Pairs<'a, 'b, K, P> = (&'a DeviceSlice<'b, K>, &'a DeviceSlice<'b, P>);

impl<K: OrderedKey> CustomOrder<K> {
    /// Merges two sorted slices. Of equal keys, those of `a` come first.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// assert_eq!(BY_PRICE.merge(&Device::emulator(), &[low], &[high, low])?, [high, low, low]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotSorted`], [`Error::TooLarge`], [`Error::OutOfMemory`], and what goes wrong on the device.
    pub fn merge(&self, device: &Device, a: &[K], b: &[K]) -> Result<Vec<K>> {
        for (input, keys) in [("the first input", a), ("the second input", b)] {
            if let Some(position) = first_disorder(keys) {
                return Err(Error::NotSorted { input, position });
            }
        }
        let len = merged_len(a.len(), b.len())?;
        let mut merged = host_vec(len)?;
        if device.tiles().is_none() {
            cpu::merge_keys(a, b, &mut merged, &compare);
            return Ok(merged);
        }
        let total = (len as u64).saturating_mul(2 * size_of::<K>() as u64).saturating_add(self.merge_scratch_bytes());
        let (mut workspace, mut out, a, b) = device.allocate_all(total, || {
            let workspace = Workspace::reserved(device, self.merge_scratch_bytes())?;
            Ok((workspace, device.allocate(len)?, device.upload(a)?, device.upload(b)?))
        })?;
        self.merge_buffers(device, &a, &b, &mut out, &mut workspace)?;
        out.copy_to_slice(&mut merged)?;
        Ok(merged)
    }

    /// Merges two sorted buffers into a third. Of equal keys, those of `a` come first. On a GPU the call returns when the
    /// work is queued. Takes [`CustomOrder::merge_scratch_bytes`] of scratch memory.
    ///
    /// Where an input is not sorted, the output holds the keys of both in some order.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device, Workspace};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let device = Device::emulator();
    /// let (a, b, mut out) = (device.upload(&[low])?, device.upload(&[high])?, device.allocate(2)?);
    /// BY_PRICE.merge_buffers(&device, &a, &b, &mut out, &mut Workspace::new(&device))?;
    /// assert_eq!(out.to_vec()?, [high, low]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where `out` is not as long as both inputs together, [`Error::DeviceMismatch`],
    /// [`Error::Overlap`], [`Error::TooLarge`], and what goes wrong on the device.
    pub fn merge_buffers(
        &self,
        device: &Device,
        a: &DeviceSlice<'_, K>,
        b: &DeviceSlice<'_, K>,
        out: &mut DeviceSliceMut<'_, K>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        check(device, a, b, out, workspace)?;
        let Some(tiles) = device.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the output overlaps no input.
            let (a, b, out) = unsafe { (a.host_slice(), b.host_slice(), out.host_slice_mut()) };
            cpu::merge_keys(a, b, out, &compare);
            return Ok(());
        };
        if a.is_empty() || b.is_empty() {
            return out.copy_on(device, if a.is_empty() { b } else { a });
        }
        workspace.reserve_for(device, self.merge_scratch_bytes())?;
        let _claims = device.claim([a.allocation(), b.allocation(), out.allocation(), workspace.allocation()])?;
        let (keys, none) = ([a.address(), b.address(), out.address()], [0; 3]);
        let lens = [a.len() as u64, b.len() as u64];
        // SAFETY: three views on this device, the output as long as the inputs together and apart from them.
        unsafe { self.launch_merge(device, keys, none, lens, PayloadWidth::None, workspace.address(), tiles) }
    }

    /// As [`CustomOrder::merge_buffers`], with a payload of 4 or 8 bytes for each key.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device, Workspace};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// let [low, high] = [5, 9].map(|price| Offer { price, ..Default::default() });
    /// let device = Device::emulator();
    /// let (a, b) = (device.upload(&[low])?, device.upload(&[high])?);
    /// let (names_a, names_b) = (device.upload(&[1u32])?, device.upload(&[2u32])?);
    /// let (mut out, mut names) = (device.allocate(2)?, device.allocate(2)?);
    /// let workspace = &mut Workspace::new(&device);
    /// BY_PRICE.merge_pairs_buffers(&device, (&a, &names_a), (&b, &names_b), (&mut out, &mut names), workspace)?;
    /// assert_eq!(names.to_vec()?, [2, 1]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As there; [`Error::NotSupported`] for other payloads.
    pub fn merge_pairs_buffers<P: Payload>(
        &self,
        device: &Device,
        a: Pairs<'_, '_, K, P>,
        b: Pairs<'_, '_, K, P>,
        out: (&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, P>),
        workspace: &mut Workspace,
    ) -> Result<()> {
        let width = width_of::<P>(device)?;
        check(device, a.0, b.0, out.0, workspace)?;
        check(device, a.1, b.1, out.1, workspace)?;
        a.0.check_len("the first input", a.1.len())?;
        b.0.check_len("the second input", b.1.len())?;
        for ((keys, payloads), what) in [(a, "the first input"), (b, "the second input")] {
            out.0.check_apart("the key output", payloads, what)?;
            out.1.check_apart("the payload output", keys, what)?;
        }
        out.0.check_apart("the key output", out.1, "the payload output")?;
        let Some(tiles) = device.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the outputs overlap nothing.
            unsafe {
                let (a, b) = ((a.0.host_slice(), a.1.host_slice()), (b.0.host_slice(), b.1.host_slice()));
                cpu::merge_pairs(a, b, (out.0.host_slice_mut(), out.1.host_slice_mut()), &compare);
            }
            return Ok(());
        };
        if a.0.is_empty() || b.0.is_empty() {
            let (keys, payloads) = if a.0.is_empty() { b } else { a };
            out.0.copy_on(device, keys)?;
            return out.1.copy_on(device, payloads);
        }
        workspace.reserve_for(device, self.merge_scratch_bytes())?;
        let _claims = device.claim([
            a.0.allocation(),
            a.1.allocation(),
            b.0.allocation(),
            b.1.allocation(),
            out.0.allocation(),
            out.1.allocation(),
            workspace.allocation(),
        ])?;
        let keys = [a.0.address(), b.0.address(), out.0.address()];
        let payloads = [a.1.address(), b.1.address(), out.1.address()];
        let lens = [a.0.len() as u64, b.0.len() as u64];
        // SAFETY: as in `merge_buffers`, for keys and payloads.
        unsafe { self.launch_merge(device, keys, payloads, lens, width, workspace.address(), tiles) }
    }

    /// Launches the merge of two inputs that have elements: where the two inputs and the output lie, of keys and of
    /// payloads.
    ///
    /// # Safety
    /// All places are claimed memory of the device and hold as many elements as `lens` says; outputs overlap nothing.
    /// `flag` is one word.
    #[allow(clippy::too_many_arguments)] // two inputs and an output, of keys and payloads, and how
    unsafe fn launch_merge(
        &self,
        device: &Device,
        keys: [u64; 3],
        payloads: [u64; 3],
        lens: [u64; 2],
        width: PayloadWidth,
        flag: u64,
        tiles: Tiles,
    ) -> Result<()> {
        let kernels = &self.set(device, width, tiles).two_way;
        let grid = plan::grid(WHAT, lens[0].saturating_add(lens[1]), kernels.runs_tile)?;
        let mut args = Vec::with_capacity(9);
        args.extend(keys.map(Arg::Address));
        if width != PayloadWidth::None {
            args.extend(payloads.map(Arg::Address));
        }
        args.extend(lens.map(Arg::U64));
        args.push(Arg::Address(flag));
        // SAFETY: a word, and a grid that covers the output; the rest is the caller's promise.
        unsafe {
            device.run(&lower_flag, 1, &[Arg::Address(flag)])?;
            device.run(kernels.merge_runs, grid, &args)?;
        }
        // Where the order contradicts itself, the inputs are laid one behind the other. There is one pass, and it reads
        // what is restored from.
        for (places, bytes) in [(keys, size_of::<K>() as u64), (payloads, crate::key::payload_bytes(width))] {
            if bytes > 0 {
                let first = (places[0], places[2], lens[0] * bytes);
                let second = (places[1], places[2] + first.2, lens[1] * bytes);
                // SAFETY: as above.
                unsafe { restore(device, flag, 1, first, second)? };
            }
        }
        Ok(())
    }
}

/// Refuses views that do not fit together.
fn check<T: bytemuck::Pod>(
    device: &Device,
    a: &DeviceSlice<'_, T>,
    b: &DeviceSlice<'_, T>,
    out: &DeviceSlice<'_, T>,
    workspace: &Workspace,
) -> Result<()> {
    a.check_device(device, "the first input")?;
    b.check_device(device, "the second input")?;
    out.check_device(device, "the output buffer")?;
    workspace.check_device(device)?;
    let len = merged_len(a.len(), b.len())?;
    if out.len() != len {
        return Err(Error::LengthMismatch { what: "the output buffer", expected: len, found: out.len() });
    }
    out.check_apart("the output buffer", a, "the first input")?;
    out.check_apart("the output buffer", b, "the second input")
}
