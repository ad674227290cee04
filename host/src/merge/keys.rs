//! Merging keys alone.
use super::{WHAT, cpu, merged_len};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::key::{Key, PayloadWidth, compare};
use crate::options::SortOptions;
use crate::plan;
use gridsort_kernels::entry::merge_sort::{MergeSortKernels, Tiles, merge_sort_kernels};
use gridsort_kernels::simt::Arg;

impl Device {
    /// Merges two sorted slices of host memory into a new vector.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let merged = Device::emulator().merge(&[1, 3, 6, 8], &[2, 4, 5, 7], SortOptions::new())?;
    /// assert_eq!(merged, [1, 2, 3, 4, 5, 6, 7, 8]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotSorted`] where an input is not in the order that the options ask for, [`Error::OutOfMemory`],
    /// [`Error::TooLarge`], and what goes wrong on the device.
    pub fn merge<K: Key>(&self, a: &[K], b: &[K], options: SortOptions) -> Result<Vec<K>> {
        super::check_sorted(a, b, options.direction)?;
        let len = merged_len(a.len(), b.len())?;
        let mut merged = host_vec(len)?;
        if self.tiles().is_none() {
            cpu::merge_keys(a, b, &mut merged, &compare(options.direction));
            return Ok(merged);
        }
        let total = 2 * (size_of_val(a) as u64 + size_of_val(b) as u64);
        let (mut out, mut a_buffer, mut b_buffer) =
            self.allocate_all(total, || Ok((self.allocate(len)?, self.allocate(a.len())?, self.allocate(b.len())?)))?;
        a_buffer.copy_from_slice(a)?;
        b_buffer.copy_from_slice(b)?;
        self.merge_buffers(&a_buffer, &b_buffer, &mut out, options)?;
        out.copy_to_slice(&mut merged)?;
        Ok(merged)
    }

    /// Merges two sorted buffers into a third. Of equal keys, those of `a` come first. On a GPU the call returns when
    /// the work is queued.
    ///
    /// Both inputs must be in the order that the options ask for. Where one is not, the output holds keys
    /// of both, of which some may be missing and others there twice.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// let (a, b) = (device.upload(&[9u32, 4])?, device.upload(&[7u32])?);
    /// let mut out = device.allocate(3)?;
    /// device.merge_buffers(&a, &b, &mut out, SortOptions::new().descending())?;
    /// assert_eq!(out.to_vec()?, [9, 7, 4]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where `out` is not as long as both inputs together, [`Error::DeviceMismatch`],
    /// [`Error::Overlap`], [`Error::TooLarge`], and what goes wrong on the device.
    pub fn merge_buffers<K: Key>(
        &self,
        a: &DeviceSlice<'_, K>,
        b: &DeviceSlice<'_, K>,
        out: &mut DeviceSliceMut<'_, K>,
        options: SortOptions,
    ) -> Result<()> {
        a.check_device(self, "the first input")?;
        b.check_device(self, "the second input")?;
        out.check_device(self, "the output buffer")?;
        let len = merged_len(a.len(), b.len())?;
        if out.len() != len {
            return Err(Error::LengthMismatch { what: "the output buffer", expected: len, found: out.len() });
        }
        out.check_apart("the output buffer", a, "the first input")?;
        out.check_apart("the output buffer", b, "the second input")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the output overlaps no input.
            let (a, b, out) = unsafe { (a.host_slice(), b.host_slice(), out.host_slice_mut()) };
            cpu::merge_keys(a, b, out, &compare(options.direction));
            return Ok(());
        };
        if a.is_empty() || b.is_empty() {
            return out.copy_on(self, if a.is_empty() { b } else { a });
        }
        let _claims = self.claim([a.allocation(), b.allocation(), out.allocation()])?;
        // SAFETY: three views on this device, the output as long as the inputs together and apart from them.
        unsafe { self.launch_merge(a, b, out, tiles, options) }
    }

    /// Launches the merge of two inputs that have elements.
    ///
    /// # Safety
    /// The views are claimed and on this device; `out` is as long as both inputs together and overlaps neither.
    unsafe fn launch_merge<K: Key>(
        &self,
        a: &DeviceSlice<'_, K>,
        b: &DeviceSlice<'_, K>,
        out: &DeviceSlice<'_, K>,
        tiles: Tiles,
        options: SortOptions,
    ) -> Result<()> {
        let kernels = merge_sort_kernels(K::WIDTH, PayloadWidth::None, tiles);
        let grid = plan::grid(WHAT, out.len() as u64, kernels.runs_tile)?;
        let codec = K::codec(options.direction).arg();
        // SAFETY: the caller's promise.
        let cut = unsafe { self.launch_cuts(&kernels, a, b, out, codec)? };
        let args = [
            Arg::Address(a.address()),
            Arg::Address(b.address()),
            Arg::Address(out.address()),
            Arg::U64(a.len() as u64),
            Arg::U64(b.len() as u64),
            Arg::U32(cut.into()),
            codec,
            codec,
        ];
        // SAFETY: the grid covers the output; the rest is the caller's promise.
        unsafe { self.run(kernels.merge_runs, grid, &args) }
    }

    /// Launches the search for the cuts of a large merge, into the output. Whether it did.
    ///
    /// # Safety
    /// As [`Device::launch_merge`].
    pub(super) unsafe fn launch_cuts<K: Key>(
        &self,
        kernels: &MergeSortKernels,
        a: &DeviceSlice<'_, K>,
        b: &DeviceSlice<'_, K>,
        out: &DeviceSlice<'_, K>,
        codec: Arg,
    ) -> Result<bool> {
        let tiles = out.len() as u64 / u64::from(kernels.runs_tile);
        // A view into other data may begin anywhere; its blocks then search for themselves.
        if tiles < kernels.merge_cuts_from || !out.address().is_multiple_of(8) {
            return Ok(false);
        }
        let grid = plan::grid(WHAT, tiles + 1, kernels.merge_cuts.threads)?;
        let args = [
            Arg::Address(a.address()),
            Arg::Address(b.address()),
            Arg::Address(out.address()),
            Arg::U64(a.len() as u64),
            Arg::U64(b.len() as u64),
            Arg::U32(kernels.runs_tile),
            codec,
        ];
        // SAFETY: a thread for each tile and one for a last, shorter one; a tile takes at least 96 bytes of the output, which
        // is aligned. The rest is the caller's promise.
        unsafe { self.run(kernels.merge_cuts, grid, &args)? };
        Ok(true)
    }
}
