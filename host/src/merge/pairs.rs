//! Merging keys with a payload each.
use super::{WHAT, copy, cpu, merged_len};
use crate::device::{Device, DeviceBuffer};
use crate::error::{Error, Result};
use crate::key::{Key, Payload, compare};
use crate::options::SortOptions;
use crate::plan;
use gridsort_kernels::entry::merge_sort::merge_sort_kernels;
use gridsort_kernels::simt::Arg;

impl Device {
    /// Merges two sorted buffers of keys, each with a buffer of payloads, into a third pair of buffers. Of equal keys,
    /// those of `a` come first. On a GPU the call returns when the work is queued.
    ///
    /// Both inputs must be in the order that the options ask for. Where one is not, the output holds some arrangement
    /// of keys and payloads.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// let a = (device.upload(&[1u32, 5])?, device.upload(&[10u64, 11])?);
    /// let b = (device.upload(&[1u32, 2])?, device.upload(&[20u64, 21])?);
    /// let mut out = (device.allocate(4)?, device.allocate(4)?);
    /// device.merge_pairs_buffers(
    ///     (&a.0, &a.1),
    ///     (&b.0, &b.1),
    ///     (&mut out.0, &mut out.1),
    ///     SortOptions::new(),
    /// )?;
    /// assert_eq!(out.0.to_vec()?, [1, 1, 2, 5]);
    /// assert_eq!(out.1.to_vec()?, [10, 20, 21, 11]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where payloads are not as many as their keys or the output is not as long as both
    /// inputs together, [`Error::DeviceMismatch`], [`Error::TooLarge`], and what goes wrong on the device.
    pub fn merge_pairs_buffers<K: Key, P: Payload>(
        &self,
        a: (&DeviceBuffer<K>, &DeviceBuffer<P>),
        b: (&DeviceBuffer<K>, &DeviceBuffer<P>),
        out: (&mut DeviceBuffer<K>, &mut DeviceBuffer<P>),
        options: SortOptions,
    ) -> Result<()> {
        let len = merged_len(a.0.len(), b.0.len())?;
        if out.0.len() != len {
            return Err(Error::LengthMismatch { what: "the output buffer", expected: len, found: out.0.len() });
        }
        for ((keys, payloads), what) in
            [(a, "the first input"), (b, "the second input"), ((&*out.0, &*out.1), "the output buffer")]
        {
            keys.check_device(self, what)?;
            payloads.check_device(self, what)?;
            keys.check_len(what, payloads.len())?;
        }
        let Some(tiles) = self.backend().tiles() else {
            // SAFETY: the device that runs no kernels is the CPU.
            unsafe {
                let (a, b) = ((a.0.host_slice(), a.1.host_slice()), (b.0.host_slice(), b.1.host_slice()));
                let out = (out.0.host_slice_mut(), out.1.host_slice_mut());
                cpu::merge_pairs(a, b, out, &compare(options.direction));
            }
            return Ok(());
        };
        if a.0.is_empty() || b.0.is_empty() {
            let (keys, payloads) = if a.0.is_empty() { b } else { a };
            copy(self, keys, out.0)?;
            return copy(self, payloads, out.1);
        }
        let kernels = merge_sort_kernels(K::WIDTH, P::PAYLOAD_WIDTH, tiles);
        let grid = plan::grid(WHAT, len as u64, kernels.merge_tile)?;
        let codec = K::codec(options.direction).arg();
        let mut args = vec![
            Arg::Address(a.0.address()),
            Arg::Address(b.0.address()),
            Arg::Address(out.0.address()),
            Arg::Address(a.1.address()),
            Arg::Address(b.1.address()),
            Arg::Address(out.1.address()),
            Arg::U64(a.0.len() as u64),
            Arg::U64(b.0.len() as u64),
        ];
        args.extend([codec, codec]);
        // SAFETY: six buffers on this device, payloads as many as their keys, the output as long as the inputs together
        // and borrowed exclusively; the grid covers it.
        unsafe { self.backend().launch(kernels.merge_runs, grid, &args) }
    }
}
