//! Loading kernels before they are needed.
use crate::device::Device;
use crate::error::Result;
use crate::key::{Key, PayloadWidth};
use crate::plan;
use gridsort_kernels::entry::gather::gather_kernel;
use gridsort_kernels::entry::kway::{kway_kernels, kway_write_inputs};
use gridsort_kernels::entry::merge_sort::merge_sort_kernels;
use gridsort_kernels::entry::sample::sample_kernels;
use gridsort_kernels::simt::Kernel;

impl Device {
    /// Loads the kernels that sort and merge keys of a type with payloads of `payload_bytes` bytes, 0 for keys alone;
    /// for an argsort 4 or 8, the size of a position.
    ///
    /// Kernels are loaded when they are first needed, which on a GPU may take a good part of a second where the driver
    /// has to compile them. This does it beforehand, so that the first sort takes as long as the second, and so that a
    /// graph can be captured ([`Graph`](crate::Graph)). Those of [`Algorithm::Grid`](crate::Algorithm::Grid) are not among
    /// them: a first sort loads them.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// Device::best().prepare::<f32>(8)?;
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::PayloadSize`](crate::Error::PayloadSize), and what the driver says.
    pub fn prepare<K: Key>(&self, payload_bytes: usize) -> Result<()> {
        let carried = match payload_bytes {
            0 => None,
            bytes => Some(plan::carried(0, bytes)?),
        };
        let Some(tiles) = self.tiles() else {
            return Ok(());
        };
        let width = carried.map_or(PayloadWidth::None, |carried| carried.width);
        let (two_way, kway) = (merge_sort_kernels(K::WIDTH, width, tiles), kway_kernels(K::WIDTH, width, tiles));
        let mut kernels: Vec<&'static Kernel> =
            vec![two_way.tile_sort, two_way.small_sort, two_way.merge_pass, two_way.merge_runs, two_way.merge_cuts];
        kernels.extend(sample_kernels(K::WIDTH, width, tiles).iter().flat_map(|sample| sample.all()));
        kernels.extend([kway.tile_sort, &kway_write_inputs]);
        kernels.extend(kway.passes.iter().flat_map(|pass| [pass.partition, pass.pass]));
        if carried.is_some_and(|carried| carried.positions) {
            kernels.extend(gather_kernel(payload_bytes, false).map(|gather| gather.kernel));
        }
        self.backend().prepare(&kernels)
    }
}
