//! Merging keys alone.
use super::{WHAT, copy, cpu, merged_len};
use crate::device::{Device, DeviceBuffer, host_vec};
use crate::error::{Error, Result};
use crate::key::{Key, PayloadWidth, compare};
use crate::options::SortOptions;
use crate::plan;
use gridsort_kernels::entry::merge_sort::merge_sort_kernels;
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
        let order = compare::<K>(options.direction);
        for (input, keys) in [("the first input", a), ("the second input", b)] {
            if let Some(before) = keys.windows(2).position(|pair| order(&pair[0], &pair[1]).is_gt()) {
                return Err(Error::NotSorted { input, position: before + 1 });
            }
        }
        let len = merged_len(a.len(), b.len())?;
        let mut merged = host_vec(len)?;
        if self.backend().tiles().is_none() {
            cpu::merge_keys(a, b, &mut merged, &order);
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
    /// Both inputs must be in the order that the options ask for. Where one is not, the output holds some arrangement
    /// of keys.
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
    /// [`Error::TooLarge`], and what goes wrong on the device.
    pub fn merge_buffers<K: Key>(
        &self,
        a: &DeviceBuffer<K>,
        b: &DeviceBuffer<K>,
        out: &mut DeviceBuffer<K>,
        options: SortOptions,
    ) -> Result<()> {
        a.check_device(self, "the first input")?;
        b.check_device(self, "the second input")?;
        out.check_device(self, "the output buffer")?;
        let len = merged_len(a.len(), b.len())?;
        if out.len() != len {
            return Err(Error::LengthMismatch { what: "the output buffer", expected: len, found: out.len() });
        }
        let Some(tiles) = self.backend().tiles() else {
            // SAFETY: the device that runs no kernels is the CPU.
            let (a, b, out) = unsafe { (a.host_slice(), b.host_slice(), out.host_slice_mut()) };
            cpu::merge_keys(a, b, out, &compare(options.direction));
            return Ok(());
        };
        if a.is_empty() || b.is_empty() {
            return copy(self, if a.is_empty() { b } else { a }, out);
        }
        let kernels = merge_sort_kernels(K::WIDTH, PayloadWidth::None, tiles);
        let grid = plan::grid(WHAT, len as u64, kernels.merge_tile)?;
        let codec = K::codec(options.direction).arg();
        let mut args = vec![
            Arg::Address(a.address()),
            Arg::Address(b.address()),
            Arg::Address(out.address()),
            Arg::U64(a.len() as u64),
            Arg::U64(b.len() as u64),
        ];
        args.extend([codec, codec]);
        // SAFETY: three buffers on this device, the output as long as the inputs together and borrowed exclusively; the
        // grid covers it.
        unsafe { self.backend().launch(kernels.merge_runs, grid, &args) }
    }
}
