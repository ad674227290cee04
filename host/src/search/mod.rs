//! Looking things up in sorted data: bounds of queries, and runs of equal keys.
mod bounds;
mod cpu;
mod run_lengths;
mod runs;
mod unique;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::key::Key;
use crate::sort::Index;
use gridsort_kernels::entry::search::search_kernels;
use gridsort_kernels::simt::Arg;

/// Refuses integers that do not hold every number from 0 to `n`.
fn check_index<I: Index>(what: &'static str, n: usize) -> Result<()> {
    // The largest position of as many keys as it has positions for.
    let limit = I::MOST - 1;
    if n as u64 > limit { Err(Error::TooLarge { what, n: n as u64, limit }) } else { Ok(()) }
}

/// Whether integers have 64 bits and not 32, as a kernel is told.
fn wide<I: Index>() -> Arg {
    Arg::U32((size_of::<I>() == size_of::<u64>()).into())
}

impl Device {
    /// Loads the kernels that look things up in sorted keys of a type: those of [`Device::lower_bound_into`],
    /// [`Device::unique_into`] and their neighbours. What [`Device::prepare`] is for sorts.
    ///
    /// ```
    /// use gridsort::{Device, Graph, SortOptions};
    ///
    /// let device = Device::emulator();
    /// device.prepare_search::<u32>()?;
    /// let (data, queries) = (device.upload(&[1u32, 3])?, device.upload(&[2u32])?);
    /// let mut positions = device.allocate::<u32>(1)?;
    /// let graph = Graph::capture(&device, |device| {
    ///     device.lower_bound_into(&data, &queries, &mut positions, SortOptions::new())
    /// })?;
    /// graph.launch(&device)?;
    /// assert_eq!(positions.to_vec()?, [1]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the driver says.
    pub fn prepare_search<K: Key>(&self) -> Result<()> {
        let Some(tiles) = self.tiles() else { return Ok(()) };
        let kernels = search_kernels(K::WIDTH, tiles);
        self.backend().prepare(&[kernels.find, kernels.count, kernels.scan, kernels.write])
    }
}
