//! Argsort of the rows of a matrix: the stable order of each, as positions in the row.
use super::job::{Carry, Ends, RowsJob};
use super::{Rows, cpu};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::options::SortOptions;
use crate::sort::{Index, check_count};
use crate::workspace::Workspace;

impl Device {
    /// The stable order of each row of a matrix in host memory, as positions in the row, rows one behind the other: `u32`, `i32`,
    /// `u64` or `i64`, as the caller likes. Positions of equal keys ascend.
    ///
    /// ```
    /// use gridsort::{Device, Rows, SortOptions};
    ///
    /// let matrix = [30, 10, 20, 7, 7, 6];
    /// let order: Vec<u32> = Device::emulator().argsort_rows(&matrix, Rows::new(2, 3), SortOptions::new())?;
    /// assert_eq!(order, [1, 2, 0, 2, 0, 1]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_rows`]; [`Error::TooLarge`] where rows are too wide for the index type.
    pub fn argsort_rows<K: Key, I: Index>(&self, keys: &[K], rows: Rows, options: SortOptions) -> Result<Vec<I>> {
        rows.check(keys.len())?;
        check_count::<I>(rows.columns())?;
        let mut order = host_vec(rows.elements())?;
        if order.is_empty() {
            return Ok(order);
        }
        let Some(tiles) = self.tiles() else {
            cpu::argsort(keys, &mut order, &rows, options.direction);
            return Ok(order);
        };
        let keys = &keys[..rows.span()];
        let job = job::<K, I>(rows, options, tiles)?;
        let data = (size_of_val(keys) as u64).saturating_add(size_of_val(&*order) as u64);
        let (mut workspace, mut positions, key_buffer) =
            self.allocate_all(job.scratch_bytes().saturating_add(data), || {
                let workspace = Workspace::reserved(self, job.scratch_bytes())?;
                Ok((workspace, self.allocate::<I>(order.len())?, self.upload(keys)?))
            })?;
        self.argsort_rows_into(&key_buffer, &mut positions, rows, &mut workspace, options)?;
        positions.copy_to_slice(&mut order)?;
        Ok(order)
    }

    /// Writes the stable order of each row of a matrix in the device's memory to a buffer, as positions in the row, rows one
    /// behind the other. The keys stay as they are. On a GPU the call returns when the work is queued.
    ///
    /// Rows of 32- and 64-bit keys that fit a warp or a block need no scratch memory. Others take up to two copies of the keys and
    /// one of the positions:
    /// [`Device::argsort_rows_scratch_bytes`].
    ///
    /// ```
    /// use gridsort::{Device, Rows, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let logits = device.upload(&[0.5f32, 2.5, 1.5, 0.0, -1.0, 4.0])?;
    /// let mut order = device.allocate::<i64>(6)?;
    /// let options = SortOptions::new().descending();
    /// device.argsort_rows_into(&logits, &mut order, Rows::new(2, 3), &mut Workspace::new(&device), options)?;
    /// assert_eq!(order.to_vec()?, [1, 2, 0, 2, 0, 1]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_rows_into`]; [`Error::TooLarge`] where rows are too wide for the index type.
    pub fn argsort_rows_into<K: Key, I: Index>(
        &self,
        keys: &DeviceSlice<'_, K>,
        order: &mut DeviceSliceMut<'_, I>,
        rows: Rows,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        order.check_device(self, "the position buffer")?;
        workspace.check_device(self)?;
        rows.check(keys.len())?;
        rows.check_elements("the position buffer", order.len())?;
        check_count::<I>(rows.columns())?;
        order.check_apart("the position buffer", keys, "the key buffer")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, order) = unsafe { (keys.host_slice(), order.host_slice_mut()) };
            cpu::argsort(keys, order, &rows, options.direction);
            return Ok(());
        };
        let job = job::<K, I>(rows, options, tiles)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims = self.claim([keys.allocation(), order.allocation(), workspace.allocation()])?;
        let keys = Ends { source: keys.address(), data: 0 };
        let positions = Ends { source: 0, data: order.address() };
        // SAFETY: buffers and workspace are on this device, do not overlap and hold what the plan asks for.
        unsafe { job.launch(self, keys, positions, workspace.address()) }
    }
}

/// The argsort of rows.
pub(super) fn job<K: Key, I: Index>(
    rows: Rows,
    options: SortOptions,
    tiles: gridsort_kernels::entry::merge_sort::Tiles,
) -> Result<RowsJob, Error> {
    RowsJob::new(rows, rows.columns(), K::codec(options.direction), Carry::Positions(I::PAYLOAD_WIDTH), tiles)
}
