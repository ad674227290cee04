//! The first or last k of an array.
use super::SelectOptions;
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::Result;
use crate::key::Key;
use crate::options::Direction;
use crate::rows::Rows;
use crate::sort::Index;
use crate::workspace::Workspace;

impl Device {
    /// The `k` largest of keys in host memory, largest first, and their positions. Of equal keys those with the lowest positions are
    /// taken, and stand in that order.
    ///
    /// ```
    /// use gridsort::{Device, SelectOptions};
    ///
    /// let (values, indices) = Device::emulator().top_k(&[20, 30, 10, 30], 2, SelectOptions::new())?;
    /// assert_eq!((values, indices), (vec![30, 30], vec![1, 3]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::TooLarge`](crate::Error::TooLarge), and what goes wrong on the device.
    pub fn top_k<K: Key>(&self, keys: &[K], k: usize, options: SelectOptions) -> Result<(Vec<K>, Vec<u64>)> {
        self.select_slice(keys, Rows::new(1, keys.len()), k, Direction::Descending, options)
    }

    /// Writes the largest of keys in the device's memory, largest first, and their positions to buffers, as many as both have room
    /// for. The keys stay as they are. On a GPU the call returns when the work is queued.
    ///
    /// Of equal keys those with the lowest positions are taken, and stand in that order. Scratch memory:
    /// [`Device::top_k_scratch_bytes`]. Where the workspace has it, nothing is allocated and nothing waited for.
    ///
    /// ```
    /// use gridsort::{Device, SelectOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[20, 30, 10, 30])?;
    /// let (mut values, mut indices) = (device.allocate::<i32>(2)?, device.allocate::<u32>(2)?);
    /// let mut workspace = Workspace::new(&device);
    /// device.top_k_into(&keys, &mut values, &mut indices, &mut workspace, SelectOptions::new())?;
    /// assert_eq!((values.to_vec()?, indices.to_vec()?), (vec![30, 30], vec![1, 3]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::LengthMismatch`](crate::Error::LengthMismatch),
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::Overlap`](crate::Error::Overlap),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall) and
    /// [`Error::TooLarge`](crate::Error::TooLarge), also for an index type that is too narrow; all found before anything is
    /// written. And what goes wrong on the device.
    pub fn top_k_into<K: Key, I: Index>(
        &self,
        keys: &DeviceSlice<'_, K>,
        values: &mut DeviceSliceMut<'_, K>,
        indices: &mut DeviceSliceMut<'_, I>,
        workspace: &mut Workspace,
        options: SelectOptions,
    ) -> Result<()> {
        let rows = Rows::new(1, keys.len());
        self.select_into(keys, rows, Direction::Descending, (values, indices), workspace, options)
    }

    /// The `k` smallest of keys in host memory, smallest first, and their positions. Of equal keys those with the lowest positions are
    /// taken, and stand in that order.
    ///
    /// ```
    /// use gridsort::{Device, SelectOptions};
    ///
    /// let (values, indices) = Device::emulator().bottom_k(&[20, 30, 10, 30], 2, SelectOptions::new())?;
    /// assert_eq!((values, indices), (vec![10, 20], vec![2, 0]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::TooLarge`](crate::Error::TooLarge), and what goes wrong on the device.
    pub fn bottom_k<K: Key>(&self, keys: &[K], k: usize, options: SelectOptions) -> Result<(Vec<K>, Vec<u64>)> {
        self.select_slice(keys, Rows::new(1, keys.len()), k, Direction::Ascending, options)
    }

    /// Writes the smallest of keys in the device's memory, smallest first, and their positions to buffers, as many as both have room
    /// for. The keys stay as they are. On a GPU the call returns when the work is queued.
    ///
    /// Of equal keys those with the lowest positions are taken, and stand in that order. Scratch memory:
    /// [`Device::top_k_scratch_bytes`]. Where the workspace has it, nothing is allocated and nothing waited for.
    ///
    /// ```
    /// use gridsort::{Device, SelectOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[20, 30, 10, 30])?;
    /// let (mut values, mut indices) = (device.allocate::<i32>(2)?, device.allocate::<u32>(2)?);
    /// let mut workspace = Workspace::new(&device);
    /// device.bottom_k_into(&keys, &mut values, &mut indices, &mut workspace, SelectOptions::new())?;
    /// assert_eq!((values.to_vec()?, indices.to_vec()?), (vec![10, 20], vec![2, 0]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::LengthMismatch`](crate::Error::LengthMismatch),
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::Overlap`](crate::Error::Overlap),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall) and
    /// [`Error::TooLarge`](crate::Error::TooLarge), also for an index type that is too narrow; all found before anything is
    /// written. And what goes wrong on the device.
    pub fn bottom_k_into<K: Key, I: Index>(
        &self,
        keys: &DeviceSlice<'_, K>,
        values: &mut DeviceSliceMut<'_, K>,
        indices: &mut DeviceSliceMut<'_, I>,
        workspace: &mut Workspace,
        options: SelectOptions,
    ) -> Result<()> {
        let rows = Rows::new(1, keys.len());
        self.select_into(keys, rows, Direction::Ascending, (values, indices), workspace, options)
    }

    /// Bytes of scratch memory that [`Device::top_k_into`] and [`Device::bottom_k_into`] take for `k` of `n` keys on this
    /// device: 0 on the CPU.
    ///
    /// It depends on how they are found. A few hundred of any number take next to nothing; more take lists of candidates, some
    /// times `k` or `n / 100`; and from a good part of all on, what an argsort takes and a copy of its result.
    ///
    /// ```
    /// let device = gridsort::Device::emulator();
    /// assert!(device.top_k_scratch_bytes::<f32, u32>(1 << 28, 16)? < 1 << 20);
    /// assert!(device.top_k_scratch_bytes::<f32, u32>(1 << 28, 4096)? < 1 << 25);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn top_k_scratch_bytes<K: Key, I: Index>(&self, n: usize, k: usize) -> Result<u64> {
        self.select_scratch_bytes::<K, I>(Rows::new(1, n), k)
    }
}
