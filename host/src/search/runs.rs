//! The launches that find runs of equal keys, and what `unique` and `run_lengths` share.
use super::wide;
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::plan::{self, RunsPlan};
use crate::sort::Index;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::entry::search::{SearchKernels, search_kernels};
use gridsort_kernels::simt::Arg;

/// A search for runs that is ready to be launched.
pub(super) struct Job {
    kernels: SearchKernels,
    pub(super) plan: RunsPlan,
}

impl Job {
    /// Runs among `n` keys, with their lengths or without.
    pub(super) fn new<K: Key>(n: usize, lengths: bool, tiles: Tiles) -> Result<Self> {
        let kernels = search_kernels(K::WIDTH, tiles);
        let plan = plan::runs(n as u64, kernels.tuning.runs.tile(), lengths)?;
        Ok(Self { kernels, plan })
    }

    /// Launches it: the first key of each run goes to `out`, its length to `lengths` where the plan has any, and how many
    /// runs there are to `count`.
    ///
    /// # Safety
    /// `keys` and `out` have as many keys as the plan is for, `lengths` as many integers, which hold that number, and `count`
    /// one. `scratch` has the plan's bytes. All are claimed memory of the device, and what is written overlaps nothing else.
    pub(super) unsafe fn launch<K: Key, I: Index>(
        &self,
        device: &Device,
        keys: &DeviceSlice<'_, K>,
        (out, lengths): (u64, u64),
        count: u64,
        scratch: u64,
    ) -> Result<()> {
        let Self { kernels, plan } = self;
        let n = Arg::U64(keys.len() as u64);
        let [keys, out, lengths, counts, notes, count] =
            [keys.address(), out, lengths, scratch, plan.notes.map_or(0, |notes| scratch + notes), count]
                .map(Arg::Address);
        // SAFETY: the grid has a block for each tile, of which there is one at least where it is not 0; the rest is the
        // caller's promise.
        unsafe {
            if plan.grid > 0 {
                device.run(kernels.count, plan.grid, &[keys, n, counts, notes])?;
            }
            device.run(kernels.scan, 1, &[counts, notes, Arg::U64(plan.grid.into()), count])?;
            if plan.grid > 0 {
                device.run(kernels.write, plan.grid, &[keys, n, counts, notes, out, lengths, wide::<I>()])?;
            }
        }
        Ok(())
    }
}

/// Refuses a buffer for the number of runs that does not have one element.
pub(super) fn check_count(count: &DeviceSlice<'_, u64>) -> Result<()> {
    match count.len() {
        1 => Ok(()),
        found => Err(Error::LengthMismatch { what: "the count", expected: 1, found }),
    }
}

/// The number of runs, once it is known.
pub(super) fn read_count(count: &DeviceSliceMut<'_, u64>) -> Result<usize> {
    let mut found = [0];
    count.copy_to_slice(&mut found)?;
    // At most as many as there are keys.
    Ok(found[0] as usize)
}
