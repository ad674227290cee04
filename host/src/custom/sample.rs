//! Sorting keys alone by samples.
use super::CustomOrder;
use crate::device::Device;
use crate::error::Result;
use crate::key::PayloadWidth;
use crate::sort::SampleJob;
use gridsort_kernels::entry::custom::OrderSampleKernels;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::entry::sample::SampleKernels;

#[cfg(test)]
mod tests;

impl<K> CustomOrder<K> {
    /// The same order, by which keys alone are sorted by sample sort ([`Algorithm::Sample`](crate::Algorithm::Sample)), stably as
    /// well, where they are more than a block sorts; all else is done as before. On a GPU that is faster for many keys: of
    /// gridsort's own of 64 bits from about 2^24 on; 2^27 records of 16 bytes took 13.6 ms on an H200, 20.6 by merging.
    ///
    /// It takes some scratch memory more: two bytes a key, and tables; in all less than 1.3 times the keys' bytes where they have 16.
    /// The kernels are exported by a line of their own in the device crate,
    /// [`export_sample_sort!`](gridsort_kernels::export_sample_sort).
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Sample, samples, samples_by_sample};
    ///
    /// const MERGING: CustomOrder<Sample> = CustomOrder::new(&samples::KERNELS, &[]);
    /// const SAMPLING: CustomOrder<Sample> = MERGING.with_sample_sort(&samples_by_sample::KERNELS);
    ///
    /// let device = Device::emulator();
    /// let mut keys: Vec<Sample> = (0..5000).map(|i| Sample { sensor: i * 7919 % 100, time: i }).collect();
    /// let mut merged = keys.clone();
    /// SAMPLING.sort(&device, &mut keys)?;
    /// MERGING.sort(&device, &mut merged)?;
    /// assert_eq!(keys, merged);
    ///
    /// let n = 1 << 27;
    /// assert!(SAMPLING.sort_scratch_bytes(&device, n, 0)? < 16 * n as u64 * 13 / 10);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub const fn with_sample_sort(self, kernels: &'static OrderSampleKernels<K>) -> Self {
        Self { kernels: self.kernels, modules: self.modules, sample: Some(kernels) }
    }

    /// The sample sort of `n` keys, where it is what sorts them.
    ///
    /// # Errors
    /// Where there are too many keys.
    pub(super) fn sample_job(&self, n: usize, payload: PayloadWidth, tiles: Tiles) -> Result<Option<SampleJob>> {
        let Some(sample) = self.sample.filter(|_| payload == PayloadWidth::None) else { return Ok(None) };
        let kernels = sample.set(tiles);
        let n = n as u64;
        if n <= u64::from(kernels.tuning.class_keys().most()) {
            return Ok(None);
        }
        SampleJob::of_order(n, kernels, size_of::<K>() as u64).map(Some)
    }

    /// The kernels of the sample sort where there may be one with such a payload, which the device knows from here on.
    pub(super) fn sample_set(&self, device: &Device, payload: PayloadWidth, tiles: Tiles) -> Option<SampleKernels> {
        let sample = self.sample.filter(|_| payload == PayloadWidth::None)?;
        device.backend().register(&mut sample.all(), self.modules);
        Some(sample.set(tiles))
    }
}
