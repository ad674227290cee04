//! Merging many inputs of keys with a payload each.
use super::check::{Pairs, check_pairs, check_payloads, check_sorted, merged_len};
use super::launch::{Job, Order, entries, write_table};
use super::{cpu, first_disorder, lengths, slices};
use crate::device::{Device, DeviceSliceMut, host_vec};
use crate::error::Result;
use crate::key::{Key, Payload, compare, payload_bytes};
use crate::options::SortOptions;
use crate::plan::{self, MergeManyPairsPlan};
use crate::sort::{Gather, Source};
use crate::workspace::Workspace;
use gridsort_kernels::entry::kway::kway_kernels;
use gridsort_kernels::entry::merge_sort::Tiles;

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
    /// [`Error::NotSorted`](crate::Error::NotSorted) where an input is not in the order that the options ask for,
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch), [`Error::PayloadSize`](crate::Error::PayloadSize),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::TooLarge`](crate::Error::TooLarge), and what goes
    /// wrong on the device.
    pub fn merge_many_pairs<K: Key, P: Payload>(
        &self,
        inputs: &[(&[K], &[P])],
        options: SortOptions,
    ) -> Result<(Vec<K>, Vec<P>)> {
        check_payloads(inputs)?;
        check_sorted(inputs.iter().map(|input| input.0), |keys| first_disorder(keys, options.direction))?;
        let sizes: Vec<usize> = inputs.iter().map(|input| input.0.len()).collect();
        let len = merged_len(sizes.iter().copied())?;
        let scratch_bytes = self.merge_many_pairs_scratch_bytes::<K, P>(&sizes)?;
        let mut merged = (host_vec(len)?, host_vec(len)?);
        if self.tiles().is_none() {
            cpu::merge_pairs(inputs.to_vec(), (&mut merged.0, &mut merged.1), &compare(options.direction));
            return Ok(merged);
        }
        slices::merge_pairs(self, inputs, merged, scratch_bytes, |inputs, out, workspace| {
            self.merge_many_pairs_buffers(inputs, out, workspace, options)
        })
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
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) where payloads are not as many as their keys or the
    /// output is not as long as all inputs together, [`Error::DeviceMismatch`](crate::Error::DeviceMismatch),
    /// [`Error::PayloadSize`](crate::Error::PayloadSize), [`Error::Overlap`](crate::Error::Overlap),
    /// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::OutOfMemory`](crate::Error::OutOfMemory) and
    /// [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall), all found before anything is written, and what goes
    /// wrong on the device.
    pub fn merge_many_pairs_buffers<K: Key, P: Payload>(
        &self,
        inputs: &[Pairs<'_, '_, K, P>],
        out: (&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, P>),
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        check_pairs(self, inputs, (&*out.0, &*out.1), workspace)?;
        plan::carried(out.0.len() as u64, size_of::<P>())?;
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
/// Inputs, outputs and scratch memory are claimed memory of the device, as large as the plan says, and no output
/// overlaps anything else.
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
    let mut entries = entries(inputs.iter().map(|(keys, payloads)| (keys.address(), payloads.address(), keys.len())));
    if carried.positions {
        // SAFETY: the plan has room for the table.
        unsafe { write_table(device, table, &entries)? };
        // Payloads of no address are positions.
        entries.iter_mut().for_each(|entry| entry.payloads = 0);
    }
    let payload_out = if carried.positions { positions } else { out.1 };
    let keys = (out.0, size_of::<K>() as u64);
    let payloads = (payload_out, payload_bytes(carried.width));
    let kernels = kway_kernels(K::WIDTH, carried.width, tiles);
    let order = Order::Encoded(K::codec(options.direction).arg());
    let job = Job::new(&plan.merge, kernels, order, merge_scratch, keys, Some(payloads));
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
