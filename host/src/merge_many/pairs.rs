//! Merging many inputs of keys with a payload each.
use super::launch::{Entry, Job, write_table};
use super::{INPUT, check_out, check_sorted, cpu, lengths, merged_len};
use crate::device::{Device, DeviceBuffer, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::key::{Key, Payload, compare, payload_bytes};
use crate::options::SortOptions;
use crate::plan::{self, MergeManyPairsPlan};
use crate::sort::{Gather, Source};
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;

/// Keys on the device and their payloads, to read.
type Pairs<'v, 'a, K, P> = (&'v DeviceSlice<'a, K>, &'v DeviceSlice<'a, P>);

impl Device {
    /// Merges any number of sorted slices of keys in host memory, each with a slice of payloads, into two new vectors.
    /// Equal keys come in the order of their inputs.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// let (keys, names) = device.merge_many_pairs(
    ///     &[(&[1, 5], &[*b"ann", *b"bob"]), (&[1], &[*b"cat"]), (&[0, 5], &[*b"dan", *b"eve"])],
    ///     SortOptions::new(),
    /// )?;
    /// assert_eq!(keys, [0, 1, 1, 5, 5]);
    /// assert_eq!(names, [*b"dan", *b"ann", *b"cat", *b"bob", *b"eve"]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotSorted`] where an input is not in the order that the options ask for, [`Error::LengthMismatch`],
    /// [`Error::PayloadSize`], [`Error::OutOfMemory`], [`Error::TooLarge`], and what goes wrong on the device.
    pub fn merge_many_pairs<K: Key, P: Payload>(
        &self,
        inputs: &[(&[K], &[P])],
        options: SortOptions,
    ) -> Result<(Vec<K>, Vec<P>)> {
        for (keys, payloads) in inputs {
            if payloads.len() != keys.len() {
                return Err(Error::LengthMismatch { what: INPUT, expected: keys.len(), found: payloads.len() });
            }
        }
        check_sorted(inputs.iter().map(|input| input.0), options.direction)?;
        let sizes: Vec<usize> = inputs.iter().map(|input| input.0.len()).collect();
        let len = merged_len(sizes.iter().copied())?;
        let scratch_bytes = self.merge_many_pairs_scratch_bytes::<K, P>(&sizes)?;
        let mut merged = (host_vec(len)?, host_vec(len)?);
        if self.tiles().is_none() {
            cpu::merge_pairs(inputs.to_vec(), (&mut merged.0, &mut merged.1), &compare(options.direction));
            return Ok(merged);
        }
        let data = (2 * len as u64).saturating_mul((size_of::<K>() + size_of::<P>()) as u64);
        let (mut workspace, mut out, buffers) = self.allocate_all(scratch_bytes.saturating_add(data), || {
            let workspace = Workspace::reserved(self, scratch_bytes)?;
            let upload = |input: &(&[K], &[P])| Ok((self.upload(input.0)?, self.upload(input.1)?));
            let buffers = inputs.iter().map(upload).collect::<Result<Vec<(DeviceBuffer<K>, DeviceBuffer<P>)>>>()?;
            Ok((workspace, (self.allocate(len)?, self.allocate(len)?), buffers))
        })?;
        let views: Vec<Pairs<'_, '_, K, P>> = buffers.iter().map(|(keys, payloads)| (&***keys, &***payloads)).collect();
        self.merge_many_pairs_buffers(&views, (&mut out.0, &mut out.1), &mut workspace, options)?;
        out.0.copy_to_slice(&mut merged.0)?;
        out.1.copy_to_slice(&mut merged.1)?;
        Ok(merged)
    }

    /// Merges any number of sorted buffers of keys, each with a buffer of payloads, into another pair of buffers. Equal
    /// keys come in the order of their inputs. Otherwise as [`Device::merge_many_buffers`]; it takes
    /// [`Device::merge_many_pairs_scratch_bytes`] of scratch memory.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let a = (device.upload(&[1u32, 5])?, device.upload(&[10u64, 11])?);
    /// let b = (device.upload(&[1u32, 2])?, device.upload(&[20u64, 21])?);
    /// let c = (device.upload(&[1u32])?, device.upload(&[30u64])?);
    /// let mut out = (device.allocate(5)?, device.allocate(5)?);
    /// let mut workspace = Workspace::new(&device);
    /// device.merge_many_pairs_buffers(
    ///     &[(&a.0, &a.1), (&b.0, &b.1), (&c.0, &c.1)],
    ///     (&mut out.0, &mut out.1),
    ///     &mut workspace,
    ///     SortOptions::new(),
    /// )?;
    /// assert_eq!(out.0.to_vec()?, [1, 1, 1, 2, 5]);
    /// assert_eq!(out.1.to_vec()?, [10, 20, 30, 21, 11]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where payloads are not as many as their keys or the output is not as long as all inputs
    /// together, [`Error::DeviceMismatch`], [`Error::PayloadSize`], [`Error::Overlap`], [`Error::TooLarge`],
    /// [`Error::OutOfMemory`] and [`Error::ScratchTooSmall`], all found before anything is written, and what goes wrong on
    /// the device.
    pub fn merge_many_pairs_buffers<K: Key, P: Payload>(
        &self,
        inputs: &[(&DeviceSlice<'_, K>, &DeviceSlice<'_, P>)],
        out: (&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, P>),
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        for (keys, payloads) in inputs {
            keys.check_device(self, INPUT)?;
            payloads.check_device(self, INPUT)?;
            keys.check_len(INPUT, payloads.len())?;
        }
        workspace.check_device(self)?;
        let len = merged_len(inputs.iter().map(|input| input.0.len()))?;
        check_out(self, out.0, len, "the key output")?;
        check_out(self, out.1, len, "the payload output")?;
        plan::carried(len as u64, size_of::<P>())?;
        for (keys, payloads) in inputs {
            out.0.check_apart("the key output", keys, INPUT)?;
            out.0.check_apart("the key output", payloads, INPUT)?;
            out.1.check_apart("the payload output", keys, INPUT)?;
            out.1.check_apart("the payload output", payloads, INPUT)?;
        }
        out.0.check_apart("the key output", out.1, "the payload output")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the outputs overlap nothing.
            unsafe {
                let inputs = inputs.iter().map(|input| (input.0.host_slice(), input.1.host_slice())).collect();
                let out = (out.0.host_slice_mut(), out.1.host_slice_mut());
                cpu::merge_pairs(inputs, out, &compare(options.direction));
            }
            return Ok(());
        };
        let filled: Vec<Pairs<'_, '_, K, P>> = inputs.iter().copied().filter(|input| !input.0.is_empty()).collect();
        match filled[..] {
            [] => return Ok(()),
            [(keys, payloads)] => {
                out.0.copy_on(self, keys)?;
                return out.1.copy_on(self, payloads);
            }
            [a, b] => return self.merge_pairs_with(a, b, out, workspace, options),
            _ => {}
        }
        let sizes = lengths(filled.iter().map(|input| input.0));
        let plan = plan::merge_many_pairs(&sizes, K::WIDTH, size_of::<P>(), tiles)?;
        workspace.reserve_for(self, plan.scratch_bytes)?;
        let _input_claims = self.claim(filled.iter().flat_map(|input| [input.0.allocation(), input.1.allocation()]))?;
        let _output_claims = self.claim([out.0.allocation(), out.1.allocation(), workspace.allocation()])?;
        let out = (out.0.address(), out.1.address());
        // SAFETY: all of it is on this device, the output as long as the inputs together and apart from them; the
        // workspace holds what the plan asks for.
        unsafe { launch(self, &filled, out, workspace.address(), &plan, tiles, options) }
    }
}

/// Launches a planned merge of inputs that have elements.
///
/// # Safety
/// Inputs, outputs and scratch memory are claimed memory of the device, as large as the plan says, and no output overlaps
/// anything else.
unsafe fn launch<K: Key, P: Payload>(
    device: &Device,
    inputs: &[Pairs<'_, '_, K, P>],
    out: (u64, u64),
    scratch: u64,
    plan: &MergeManyPairsPlan,
    tiles: Tiles,
    options: SortOptions,
) -> Result<()> {
    let carried = plan.carried;
    let (positions, table) = (scratch, scratch + plan.positions_bytes);
    let merge_scratch = table + plan.inputs_bytes;
    let mut first = 0;
    let mut entries = Vec::with_capacity(inputs.len());
    for (keys, payloads) in inputs {
        let len = keys.len() as u64;
        entries.push(Entry { keys: keys.address(), payloads: payloads.address(), len, first });
        first += len;
    }
    if carried.positions {
        // SAFETY: the plan has room for the table.
        unsafe { write_table(device, table, &entries)? };
        // Payloads of no address are positions.
        entries.iter_mut().for_each(|entry| entry.payloads = 0);
    }
    let payload_out = if carried.positions { positions } else { out.1 };
    let keys = (out.0, size_of::<K>() as u64);
    let payloads = (payload_out, payload_bytes(carried.width));
    let codec = K::codec(options.direction);
    let job = Job::new(&plan.merge, codec, carried.width, tiles, merge_scratch, keys, Some(payloads));
    // SAFETY: the caller's promise.
    unsafe { job.launch(device, &entries)? };
    if !carried.positions {
        return Ok(());
    }
    let gather = Gather {
        n: plan.merge.n,
        bytes: size_of::<P>(),
        positions,
        width: carried.width,
        from: Source::Many(table, inputs.len() as u32),
        target: out.1,
    };
    // SAFETY: the merge left one position of an input's element at each place, whether or not inputs were sorted.
    unsafe { gather.launch(device) }
}
