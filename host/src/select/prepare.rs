//! Loading kernels before they are needed.
use crate::device::Device;
use crate::error::Result;
use crate::key::{Key, KeyWidth, PayloadWidth};
use crate::sort::Index;
use gridsort_kernels::entry::kway::kway_kernels;
use gridsort_kernels::entry::merge_sort::{Tiles, merge_sort_kernels};
use gridsort_kernels::entry::select::lists::list_kernels;
use gridsort_kernels::entry::select::{ONCE, select_kernels};
use gridsort_kernels::simt::Kernel;

/// The kernels of a sort.
fn sort_kernels(width: KeyWidth, payload: PayloadWidth, tiles: Tiles) -> Vec<&'static Kernel> {
    let (two_way, kway) = (merge_sort_kernels(width, payload, tiles), kway_kernels(width, payload, tiles));
    let mut kernels = vec![two_way.tile_sort, two_way.small_sort, two_way.merge_pass, kway.tile_sort];
    kernels.extend(kway.passes.iter().flat_map(|pass| [pass.partition, pass.pass]));
    kernels
}

impl Device {
    /// Loads the kernels that select keys of a type, with indices of another, as [`Device::prepare`] does for sorts: then the
    /// first selection takes as long as the second, and a graph can be captured ([`Graph`](crate::Graph)).
    ///
    /// ```
    /// gridsort::Device::best().prepare_selection::<f32, u32>()?;
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the driver says.
    pub fn prepare_selection<K: Key, I: Index>(&self) -> Result<()> {
        let Some(tiles) = self.tiles() else {
            return Ok(());
        };
        let select = select_kernels(K::WIDTH, tiles);
        let mut kernels = vec![select.begin, select.choose_digit, select.narrow, select.stream];
        kernels.extend([select.count, select.tell, select.fill]);
        kernels.extend(ONCE);
        kernels.extend(sort_kernels(K::WIDTH, I::PAYLOAD_WIDTH, tiles));
        for wide in [false, true] {
            if let Some(lists) = list_kernels(K::WIDTH, wide, tiles) {
                kernels.extend([lists.pivot, lists.filter, lists.emit, lists.repivot, lists.refilter, lists.pad]);
                kernels.extend(sort_kernels(lists.width, PayloadWidth::None, tiles));
            }
        }
        self.backend().prepare(&kernels)
    }
}
