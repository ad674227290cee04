//! Lower and upper bounds of queries in sorted data.
use super::{check_index, cpu, wide};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::Result;
use crate::key::{Key, compare};
use crate::options::SortOptions;
use crate::plan;
use crate::sort::Index;
use gridsort_kernels::entry::search::search_kernels;
use gridsort_kernels::simt::Arg;
use rayon::prelude::*;

const WHAT: &str = "bounds in sorted data";

/// Which bound of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Side {
    /// Before the keys that equal it.
    Lower,
    /// Behind them.
    Upper,
}

impl Device {
    /// For each query the number of keys that come before it, in keys of host memory that are sorted as the options say: the
    /// first position at which it could be inserted, as [`slice::partition_point`] has it.
    ///
    /// The queries may be in any order; neighbours that are close to each other are found faster. Keys and queries compare
    /// as in a sort ([`Key`]). Where the data is not sorted, the positions are some numbers from 0 to its length.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.lower_bound(&[10, 20, 20, 30], &[20, 5, 31], SortOptions::new())?, [1, 0, 4]);
    /// let descending = SortOptions::new().descending();
    /// assert_eq!(device.lower_bound(&[30, 20, 20, 10], &[20, 5, 31], descending)?, [1, 4, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::TooLarge`](crate::Error::TooLarge), and what goes wrong on
    /// the device.
    pub fn lower_bound<K: Key>(&self, data: &[K], queries: &[K], options: SortOptions) -> Result<Vec<u64>> {
        self.bounds(data, queries, Side::Lower, options)
    }

    /// For each query the number of keys that do not come behind it, in keys of host memory that are sorted as the options
    /// say: the last position at which it could be inserted. Otherwise as [`Device::lower_bound`].
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.upper_bound(&[10, 20, 20, 30], &[20, 5, 31], SortOptions::new())?, [3, 0, 4]);
    /// // −0 comes before +0.
    /// assert_eq!(device.upper_bound(&[-0.0f32, 0.0], &[-0.0], SortOptions::new())?, [1]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lower_bound`].
    pub fn upper_bound<K: Key>(&self, data: &[K], queries: &[K], options: SortOptions) -> Result<Vec<u64>> {
        self.bounds(data, queries, Side::Upper, options)
    }

    /// Writes for each query the number of keys that come before it, in keys of the device's memory that are sorted as the
    /// options say, as 32-bit or 64-bit integers. On a GPU the call returns when the work is queued.
    ///
    /// The queries may be in any order; neighbours that are close to each other are found faster. They may be the data
    /// itself. Takes no scratch memory. Where the data is not sorted, the positions are some numbers from 0 to its length, and
    /// nothing is read out of bounds.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// let (data, queries) = (device.upload(&[10u64, 20, 20, 30])?, device.upload(&[20u64, 5, 31])?);
    /// let mut positions = device.allocate::<u32>(3)?;
    /// device.lower_bound_into(&data, &queries, &mut positions, SortOptions::new())?;
    /// assert_eq!(positions.to_vec()?, [1, 0, 4]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`](crate::Error::LengthMismatch) where positions are not as many as queries,
    /// [`Error::DeviceMismatch`](crate::Error::DeviceMismatch), [`Error::Overlap`](crate::Error::Overlap),
    /// [`Error::TooLarge`](crate::Error::TooLarge) where the data's length is no number of the positions' type, all found
    /// before anything is written, and what goes wrong on the device.
    pub fn lower_bound_into<K: Key, I: Index>(
        &self,
        data: &DeviceSlice<'_, K>,
        queries: &DeviceSlice<'_, K>,
        positions: &mut DeviceSliceMut<'_, I>,
        options: SortOptions,
    ) -> Result<()> {
        self.bounds_into(data, queries, positions, Side::Lower, options)
    }

    /// Writes for each query the number of keys that do not come behind it. Otherwise as [`Device::lower_bound_into`].
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// let (data, queries) = (device.upload(&[30i8, 20, 20, 10])?, device.upload(&[20i8, 5, 31])?);
    /// let mut positions = device.allocate::<u64>(3)?;
    /// device.upper_bound_into(&data, &queries, &mut positions, SortOptions::new().descending())?;
    /// assert_eq!(positions.to_vec()?, [3, 4, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lower_bound_into`].
    pub fn upper_bound_into<K: Key, I: Index>(
        &self,
        data: &DeviceSlice<'_, K>,
        queries: &DeviceSlice<'_, K>,
        positions: &mut DeviceSliceMut<'_, I>,
        options: SortOptions,
    ) -> Result<()> {
        self.bounds_into(data, queries, positions, Side::Upper, options)
    }

    fn bounds<K: Key>(&self, data: &[K], queries: &[K], side: Side, options: SortOptions) -> Result<Vec<u64>> {
        // Half the traffic wherever 32 bits are enough.
        if self.tiles().is_none() || check_index::<u32>(WHAT, data.len()).is_err() {
            return self.bounds_slice(data, queries, side, options);
        }
        let narrow = self.bounds_slice::<K, u32>(data, queries, side, options)?;
        let mut positions = host_vec(queries.len())?;
        positions.par_iter_mut().zip(&narrow).for_each(|(wide, &position)| *wide = u64::from(position));
        Ok(positions)
    }

    fn bounds_slice<K: Key, I: Index>(
        &self,
        data: &[K],
        queries: &[K],
        side: Side,
        options: SortOptions,
    ) -> Result<Vec<I>> {
        let mut positions = host_vec(queries.len())?;
        if self.tiles().is_none() {
            cpu::bounds(data, queries, &mut positions, side, compare(options.direction));
            return Ok(positions);
        }
        let total = [size_of_val(data), size_of_val(queries), size_of_val(&positions[..])];
        let total = total.iter().fold(0, |sum: u64, &bytes| sum.saturating_add(bytes as u64));
        let (mut data_buffer, mut query_buffer, mut out) = self.allocate_all(total, || {
            Ok((self.allocate(data.len())?, self.allocate(queries.len())?, self.allocate(queries.len())?))
        })?;
        data_buffer.copy_from_slice(data)?;
        query_buffer.copy_from_slice(queries)?;
        self.bounds_into(&data_buffer, &query_buffer, &mut out, side, options)?;
        out.copy_to_slice(&mut positions)?;
        Ok(positions)
    }

    fn bounds_into<K: Key, I: Index>(
        &self,
        data: &DeviceSlice<'_, K>,
        queries: &DeviceSlice<'_, K>,
        positions: &mut DeviceSliceMut<'_, I>,
        side: Side,
        options: SortOptions,
    ) -> Result<()> {
        data.check_device(self, "the data buffer")?;
        queries.check_device(self, "the query buffer")?;
        positions.check_device(self, "the position buffer")?;
        queries.check_len("the position buffer", positions.len())?;
        check_index::<I>(WHAT, data.len())?;
        positions.check_apart("the position buffer", data, "the data buffer")?;
        positions.check_apart("the position buffer", queries, "the query buffer")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the positions overlap neither of the others.
            let (data, queries, positions) =
                unsafe { (data.host_slice(), queries.host_slice(), positions.host_slice_mut()) };
            cpu::bounds(data, queries, positions, side, compare(options.direction));
            return Ok(());
        };
        if queries.is_empty() {
            return Ok(());
        }
        let kernels = search_kernels(K::WIDTH, tiles);
        let shape = kernels.tuning;
        let grid = plan::bounds_grid(queries.len() as u64, shape.bounds.tile(), shape.bounds_grid);
        let _claims = self.claim([data.allocation(), queries.allocation(), positions.allocation()])?;
        let args = [
            Arg::Address(data.address()),
            Arg::U64(data.len() as u64),
            Arg::Address(queries.address()),
            Arg::U64(queries.len() as u64),
            Arg::Address(positions.address()),
            wide::<I>(),
            Arg::U32((side == Side::Upper).into()),
            K::codec(options.direction).arg(),
        ];
        // SAFETY: three views on this device, as many positions as queries, in integers that the data's length fits, and apart
        // from what is read.
        unsafe { self.run(kernels.find, grid, &args) }
    }
}
