//! Merging the keys of many inputs.
use super::check::{check_keys, check_sorted, merged_len};
use super::launch::{Job, Order, entries};
use super::{cpu, first_disorder, lengths, slices};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::Result;
use crate::key::{Key, PayloadWidth, compare};
use crate::options::SortOptions;
use crate::plan::{self, Shape};
use crate::workspace::Workspace;
use gridsort_kernels::entry::kway::kway_kernels;

impl Device {
    /// Merges any number of sorted slices of host memory into a new vector.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let merged = Device::emulator().merge_many(&[&[1, 6], &[2, 4, 7], &[], &[3, 5]], SortOptions::new())?;
    /// assert_eq!(merged, [1, 2, 3, 4, 5, 6, 7]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotSorted`](crate::Error::NotSorted) where an input is not in the order that the options ask for,
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::TooLarge`](crate::Error::TooLarge), and what goes wrong
    /// on the device.
    pub fn merge_many<K: Key>(&self, inputs: &[&[K]], options: SortOptions) -> Result<Vec<K>> {
        check_sorted(inputs.iter().copied(), |keys| first_disorder(keys, options.direction))?;
        let sizes: Vec<usize> = inputs.iter().map(|keys| keys.len()).collect();
        let len = merged_len(sizes.iter().copied())?;
        let scratch_bytes = self.merge_many_scratch_bytes::<K>(&sizes)?;
        let mut merged = host_vec(len)?;
        if self.tiles().is_none() {
            cpu::merge_keys(inputs, &mut merged, &compare(options.direction));
            return Ok(merged);
        }
        slices::merge_keys(self, inputs, merged, scratch_bytes, |inputs, out, workspace| {
            self.merge_many_buffers(inputs, out, workspace, options)
        })
    }

    /// Merges any number of sorted buffers into another. Equal keys come in the order of their inputs. On a GPU the call
    /// returns when the work is queued.
    ///
    /// Up to sixteen inputs that have keys are read and written once, or 32 of keys of 32 and 64 bits. Of up to 256, or 1024, a
    /// first pass merges as few keys as will do to leave as many runs for a second; beyond, it takes three passes, and so on.
    /// The work takes scratch memory, [`Device::merge_many_scratch_bytes`]. Where the workspace has it, nothing is allocated and nothing waited for.
    ///
    /// All inputs must be in the order that the options ask for. Where one is not, the output holds keys of the inputs in some
    /// order, of which some may be there twice and others not at all.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let (a, b, c) = (device.upload(&[9u32, 4])?, device.upload(&[7u32])?, device.upload(&[8u32, 7, 1])?);
    /// let mut out = device.allocate(6)?;
    /// let mut workspace = Workspace::new(&device);
    /// device.merge_many_buffers(&[&a, &b, &c], &mut out, &mut workspace, SortOptions::new().descending())?;
    /// assert_eq!(out.to_vec()?, [9, 8, 7, 7, 4, 1]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) where `out` is not as long as all inputs together,
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::Overlap`](crate::Error::Overlap),
    /// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::OutOfMemory`](crate::Error::OutOfMemory) and
    /// [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall), all found before anything is written, and what goes wrong
    /// on the device.
    pub fn merge_many_buffers<K: Key>(
        &self,
        inputs: &[&DeviceSlice<'_, K>],
        out: &mut DeviceSliceMut<'_, K>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        check_keys(self, inputs, out, workspace)?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the output overlaps no input.
            unsafe {
                let inputs: Vec<&[K]> = inputs.iter().map(|keys| keys.host_slice()).collect();
                cpu::merge_keys(&inputs, out.host_slice_mut(), &compare(options.direction));
            }
            return Ok(());
        };
        let filled: Vec<&DeviceSlice<'_, K>> = inputs.iter().copied().filter(|keys| !keys.is_empty()).collect();
        match filled[..] {
            [] => return Ok(()),
            [keys] => return out.copy_on(self, keys),
            [a, b] => return self.merge_buffers(a, b, out, options),
            _ => {}
        }
        let plan = plan::merge_many(&lengths(filled.iter().copied()), &Shape::of(K::WIDTH, PayloadWidth::None, tiles))?;
        workspace.reserve_for(self, plan.scratch_bytes)?;
        let _input_claims = self.claim(filled.iter().map(|keys| keys.allocation()))?;
        let _output_claims = self.claim([out.allocation(), workspace.allocation()])?;
        let entries = entries(filled.iter().map(|keys| (keys.address(), 0, keys.len())));
        let kernels = kway_kernels(K::WIDTH, PayloadWidth::None, tiles);
        let order = Order::Encoded(K::codec(options.direction).arg());
        let out = (out.address(), size_of::<K>() as u64);
        let job = Job::new(&plan, kernels, order, workspace.address(), out, None);
        // SAFETY: all of it is on this device, the output as long as the inputs together and apart from them; the
        // workspace holds what the plan asks for.
        unsafe { job.launch(self, &entries) }
    }
}
