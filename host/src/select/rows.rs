//! The first or last k of each row of a matrix.
use super::SelectOptions;
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::Result;
use crate::key::Key;
use crate::options::Direction;
use crate::rows::Rows;
use crate::sort::Index;
use crate::workspace::Workspace;

impl Device {
    /// The `k` largest of each row of a matrix in host memory, largest first, and their positions in the row: `k` results a row,
    /// rows one behind the other. Of equal keys those with the lowest positions are taken, and stand in that order.
    ///
    /// ```
    /// use gridsort::{Device, Rows, SelectOptions};
    ///
    /// let matrix = [20, 30, 10, 5, 7, 5];
    /// let (values, indices) = Device::emulator().top_k_rows(&matrix, Rows::new(2, 3), 2, SelectOptions::new())?;
    /// assert_eq!((values, indices), (vec![30, 20, 7, 5], vec![1, 0, 1, 0]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::top_k`]; and what [`Rows::check`] says.
    pub fn top_k_rows<K: Key>(
        &self,
        keys: &[K],
        rows: Rows,
        k: usize,
        options: SelectOptions,
    ) -> Result<(Vec<K>, Vec<u64>)> {
        self.select_slice(keys, rows, k, Direction::Descending, options)
    }

    /// Writes the largest of each row of a matrix in the device's memory, largest first, and their positions in the row to buffers:
    /// as many of each row as both have room for, rows one behind the other. The keys stay as they are. On a GPU the call
    /// returns when the work is queued.
    ///
    /// Of equal keys those with the lowest positions are taken, and stand in that order. Scratch memory:
    /// [`Device::top_k_rows_scratch_bytes`]. Where the workspace has it, nothing is allocated and nothing waited for.
    ///
    /// ```
    /// use gridsort::{Device, Rows, SelectOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// // Rows of three, of a matrix that has four columns.
    /// let keys = device.upload(&[20, 30, 10, 99, 5, 7, 5])?;
    /// let rows = Rows::new(2, 3).with_stride(4);
    /// let (mut values, mut indices) = (device.allocate::<i32>(4)?, device.allocate::<i64>(4)?);
    /// let mut workspace = Workspace::new(&device);
    /// device.top_k_rows_into(&keys, &mut values, &mut indices, rows, &mut workspace, SelectOptions::new())?;
    /// assert_eq!((values.to_vec()?, indices.to_vec()?), (vec![30, 20, 7, 5], vec![1, 0, 1, 0]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::top_k_into`]; [`Error::LengthMismatch`](crate::Error::LengthMismatch) also where the results do not
    /// divide into rows; and what [`Rows::check`] says.
    pub fn top_k_rows_into<K: Key, I: Index>(
        &self,
        keys: &DeviceSlice<'_, K>,
        values: &mut DeviceSliceMut<'_, K>,
        indices: &mut DeviceSliceMut<'_, I>,
        rows: Rows,
        workspace: &mut Workspace,
        options: SelectOptions,
    ) -> Result<()> {
        self.select_into(keys, rows, Direction::Descending, (values, indices), workspace, options)
    }

    /// The `k` smallest of each row of a matrix in host memory, smallest first, and their positions in the row: `k` results a row,
    /// rows one behind the other. Of equal keys those with the lowest positions are taken, and stand in that order.
    ///
    /// ```
    /// use gridsort::{Device, Rows, SelectOptions};
    ///
    /// let matrix = [20, 30, 10, 5, 7, 5];
    /// let (values, indices) = Device::emulator().bottom_k_rows(&matrix, Rows::new(2, 3), 2, SelectOptions::new())?;
    /// assert_eq!((values, indices), (vec![10, 20, 5, 5], vec![2, 0, 0, 2]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::bottom_k`]; and what [`Rows::check`] says.
    pub fn bottom_k_rows<K: Key>(
        &self,
        keys: &[K],
        rows: Rows,
        k: usize,
        options: SelectOptions,
    ) -> Result<(Vec<K>, Vec<u64>)> {
        self.select_slice(keys, rows, k, Direction::Ascending, options)
    }

    /// Writes the smallest of each row of a matrix in the device's memory, smallest first, and their positions in the row to buffers:
    /// as many of each row as both have room for, rows one behind the other. The keys stay as they are. On a GPU the call
    /// returns when the work is queued.
    ///
    /// Of equal keys those with the lowest positions are taken, and stand in that order. Scratch memory:
    /// [`Device::top_k_rows_scratch_bytes`]. Where the workspace has it, nothing is allocated and nothing waited for.
    ///
    /// ```
    /// use gridsort::{Device, Rows, SelectOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// // Rows of three, of a matrix that has four columns.
    /// let keys = device.upload(&[20, 30, 10, 99, 5, 7, 5])?;
    /// let rows = Rows::new(2, 3).with_stride(4);
    /// let (mut values, mut indices) = (device.allocate::<i32>(4)?, device.allocate::<i64>(4)?);
    /// let mut workspace = Workspace::new(&device);
    /// device.bottom_k_rows_into(&keys, &mut values, &mut indices, rows, &mut workspace, SelectOptions::new())?;
    /// assert_eq!((values.to_vec()?, indices.to_vec()?), (vec![10, 20, 5, 5], vec![2, 0, 0, 2]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::bottom_k_into`]; [`Error::LengthMismatch`](crate::Error::LengthMismatch) also where the results do not
    /// divide into rows; and what [`Rows::check`] says.
    pub fn bottom_k_rows_into<K: Key, I: Index>(
        &self,
        keys: &DeviceSlice<'_, K>,
        values: &mut DeviceSliceMut<'_, K>,
        indices: &mut DeviceSliceMut<'_, I>,
        rows: Rows,
        workspace: &mut Workspace,
        options: SelectOptions,
    ) -> Result<()> {
        self.select_into(keys, rows, Direction::Ascending, (values, indices), workspace, options)
    }

    /// Bytes of scratch memory that [`Device::top_k_rows_into`] and [`Device::bottom_k_rows_into`] take for `k` of each row on
    /// this device: 0 on the CPU, and where there are many rows and `k` is not large.
    ///
    /// ```
    /// use gridsort::{Device, Rows};
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.top_k_rows_scratch_bytes::<f32, u32>(Rows::new(4096, 128_256), 50)?, 0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn top_k_rows_scratch_bytes<K: Key, I: Index>(&self, rows: Rows, k: usize) -> Result<u64> {
        self.select_scratch_bytes::<K, I>(rows, k)
    }
}
