//! Sorting the rows of a matrix.
use super::job::{Carry, Ends, RowsJob};
use super::{Rows, cpu};
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::Result;
use crate::key::Key;
use crate::options::SortOptions;
use crate::workspace::Workspace;

impl Device {
    /// Sorts each row of a matrix in host memory: copies it to the device, sorts it there, copies it back. What lies between
    /// rows stays as it is.
    ///
    /// ```
    /// use gridsort::{Device, Rows, SortOptions};
    ///
    /// let mut matrix = [3.0f32, 1.0, 2.0, 0.5, -0.5, 0.0];
    /// Device::emulator().sort_rows(&mut matrix, Rows::new(2, 3), SortOptions::new())?;
    /// assert_eq!(matrix, [1.0, 2.0, 3.0, -0.5, 0.0, 0.5]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::StrideTooSmall`](crate::Error::StrideTooSmall) where rows overlap, [`Error::OutOfRange`](crate::Error::OutOfRange)
    /// where they are not within the slice, and as [`Device::sort`].
    pub fn sort_rows<K: Key>(&self, keys: &mut [K], rows: Rows, options: SortOptions) -> Result<()> {
        rows.check(keys.len())?;
        if rows.columns() < 2 || rows.rows() == 0 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            cpu::sort(keys, &rows, options.direction);
            return Ok(());
        };
        let keys = &mut keys[..rows.span()];
        let job = RowsJob::new(rows, rows.stride(), K::codec(options.direction), Carry::Nothing, tiles)?;
        let total = job.scratch_bytes().saturating_add(size_of_val(keys) as u64);
        let (mut workspace, mut buffer) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, job.scratch_bytes())?;
            Ok((workspace, self.upload(keys)?))
        })?;
        self.sort_rows_buffer(&mut buffer, rows, &mut workspace, options)?;
        buffer.copy_to_slice(keys)
    }

    /// Sorts each row of a matrix in the device's memory. On a GPU the call returns when the work is queued.
    ///
    /// Rows that fit a warp or a block, up to some thousand keys, are read and written once and need no scratch memory. Wider
    /// ones take a copy of the matrix, and a little more: [`Device::sort_rows_scratch_bytes`].
    ///
    /// ```
    /// use gridsort::{Device, Rows, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// // The first two columns of a matrix that has three.
    /// let mut matrix = device.upload(&[5u64, 4, 9, 2, 1, 9])?;
    /// let rows = Rows::new(2, 2).with_stride(3);
    /// device.sort_rows_buffer(&mut matrix, rows, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(matrix.to_vec()?, [4, 5, 9, 1, 2, 9]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_rows`], all found before a key is moved; [`Error::DeviceMismatch`](crate::Error::DeviceMismatch) and
    /// [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall).
    pub fn sort_rows_buffer<K: Key>(
        &self,
        keys: &mut DeviceSliceMut<'_, K>,
        rows: Rows,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        workspace.check_device(self)?;
        rows.check(keys.len())?;
        if rows.columns() < 2 || rows.rows() == 0 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the view is the only one in use.
            cpu::sort(unsafe { keys.host_slice_mut() }, &rows, options.direction);
            return Ok(());
        };
        let job = RowsJob::new(rows, rows.stride(), K::codec(options.direction), Carry::Nothing, tiles)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims = self.claim([keys.allocation(), workspace.allocation()])?;
        let ends = Ends { source: keys.address(), data: keys.address() };
        // SAFETY: buffer and workspace are on this device and hold what the plan asks for.
        unsafe { job.launch(self, ends, Ends::NONE, workspace.address()) }
    }

    /// Sorts each row of a matrix in the device's memory into another buffer, where rows lie directly one behind the other. The
    /// keys stay as they are. Otherwise as [`Device::sort_rows_buffer`].
    ///
    /// ```
    /// use gridsort::{Device, Rows, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let matrix = device.upload(&[5i16, 4, 9, 2, 1, 9])?;
    /// let mut sorted = device.allocate(4)?;
    /// let rows = Rows::new(2, 2).with_stride(3);
    /// device.sort_rows_into(&matrix, &mut sorted, rows, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(sorted.to_vec()?, [4, 5, 1, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_rows_buffer`]; [`Error::LengthMismatch`](crate::Error::LengthMismatch) where the output has another
    /// length than the rows together, and [`Error::Overlap`](crate::Error::Overlap).
    pub fn sort_rows_into<K: Key>(
        &self,
        keys: &DeviceSlice<'_, K>,
        sorted: &mut DeviceSliceMut<'_, K>,
        rows: Rows,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        sorted.check_device(self, "the output buffer")?;
        workspace.check_device(self)?;
        rows.check(keys.len())?;
        rows.check_elements("the output buffer", sorted.len())?;
        sorted.check_apart("the output buffer", keys, "the key buffer")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, sorted) = unsafe { (keys.host_slice(), sorted.host_slice_mut()) };
            cpu::sort_into(keys, sorted, &rows, options.direction);
            return Ok(());
        };
        let job = RowsJob::new(rows, rows.columns(), K::codec(options.direction), Carry::Nothing, tiles)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims = self.claim([keys.allocation(), sorted.allocation(), workspace.allocation()])?;
        let ends = Ends { source: keys.address(), data: sorted.address() };
        // SAFETY: buffers and workspace are on this device, do not overlap and hold what the plan asks for.
        unsafe { job.launch(self, ends, Ends::NONE, workspace.address()) }
    }
}
