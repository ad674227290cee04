//! The textbook's kernels, launched one at a time on the emulator.
use gridsort::{Device, Direction, Key};
use gridsort_kernels::entry::chapter::{ChapterKernels, chapter_kernels};
use gridsort_kernels::simt::Arg;

use crate::Error;

/// A device for the textbook's kernels.
pub(super) struct Textbook {
    device: Device,
    kernels: ChapterKernels,
}

impl Textbook {
    pub(super) fn new() -> Self {
        Textbook { device: Device::emulator(), kernels: chapter_kernels(i64::WIDTH) }
    }

    /// Merges two sorted runs, not both empty, with one thread for each output position.
    pub(super) fn merge(&self, a: &[i64], b: &[i64]) -> Result<Vec<i64>, Error> {
        let total = a.len() + b.len();
        let out = self.device.allocate::<i64>(total)?;
        let (a_buffer, b_buffer) = (self.device.upload(a)?, self.device.upload(b)?);
        let args = [
            Arg::Address(a_buffer.address()),
            Arg::Address(b_buffer.address()),
            Arg::Address(out.address()),
            Arg::U64(a.len() as u64),
            Arg::U64(b.len() as u64),
            codec(),
        ];
        let kernel = self.kernels.corank_merge;
        let grid = gridsort::plan::grid("merge", total as u64, kernel.threads)?;
        // SAFETY: the buffers are this device's and hold as many numbers as said, `out` as many as both; the grid has a
        // thread for each.
        unsafe { self.device.launch(kernel, grid, &args)? };
        Ok(out.to_vec()?)
    }

    /// One pass over numbers, not none: merges neighbouring sorted runs of `width` numbers.
    pub(super) fn pass(&self, numbers: &[i64], width: usize) -> Result<Vec<i64>, Error> {
        let out = self.device.allocate::<i64>(numbers.len())?;
        let source = self.device.upload(numbers)?;
        let args = [
            Arg::Address(source.address()),
            Arg::Address(out.address()),
            Arg::U64(numbers.len() as u64),
            Arg::U64(width as u64),
            codec(),
        ];
        let kernel = self.kernels.corank_pass;
        let grid = gridsort::plan::grid("pass", numbers.len() as u64, kernel.threads)?;
        // SAFETY: both buffers are this device's and hold as many numbers as said; the width is no 0, runs of it are
        // sorted, and the grid has a thread for each number.
        unsafe { self.device.launch(kernel, grid, &args)? };
        Ok(out.to_vec()?)
    }
}

/// How kernels compare the numbers.
fn codec() -> Arg {
    i64::codec(Direction::Ascending).arg()
}
