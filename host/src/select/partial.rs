//! A sort of the first k alone.
use super::job::{self, SelectJob, Want};
use super::{KEYS, SelectOptions, WHAT, check_many};
use crate::device::{Device, DeviceSliceMut};
use crate::error::Result;
use crate::key::{Key, compare};
use crate::options::{Direction, SortOptions};
use crate::plan::{area_bytes, grid};
use crate::rows::Rows;
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::entry::select::{select_clear, select_find_holes, select_find_strays, select_kernels};
use gridsort_kernels::select::exchange::COUNTERS;
use gridsort_kernels::simt::Arg;
use gridsort_kernels::tuning::SELECT_EACH;
use rayon::prelude::*;

/// A selection of the first k, and where its results and what else is needed to bring them to the front lie in scratch memory.
struct PartialJob {
    select: SelectJob,
    values: u64,
    indices: u64,
    marks: u64,
    holes: u64,
    strays: u64,
    counters: u64,
    /// The selection's own scratch memory, behind all else.
    own: u64,
}

impl PartialJob {
    /// `None` where so many are to be sorted that all may be.
    fn new<K: Key>(n: usize, k: usize, options: SortOptions, tiles: Tiles) -> Result<Option<Self>> {
        let want = Want::of::<u64>(SelectOptions::new().seed(options.seed));
        let select = SelectJob::new(K::codec(options.direction), Rows::new(1, n), k, want, tiles)?;
        if select.is_sort() || k == n {
            return Ok(None);
        }
        let mut end = 0;
        let mut area = |count: u64, bytes: u64| {
            let at = end;
            end += area_bytes(WHAT, count, bytes)?;
            Ok::<u64, crate::Error>(at)
        };
        let k = k as u64;
        let (values, indices) = (area(k, size_of::<K>() as u64)?, area(k, 8)?);
        let (marks, holes, strays) = (area(k, 1)?, area(k, 8)?, area(k, 8)?);
        let counters = area(COUNTERS.into(), 8)?;
        Ok(Some(Self { select, values, indices, marks, holes, strays, counters, own: end }))
    }

    fn scratch_bytes(&self) -> u64 {
        self.own + self.select.scratch_bytes()
    }
}

impl Device {
    /// Sorts the first `k` of keys in host memory alone: the first `k` places hold what a sort would put there, and the others
    /// are behind them in no particular order.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let mut keys = [5, 1, 4, 2, 3];
    /// Device::emulator().partial_sort(&mut keys, 2, SortOptions::new())?;
    /// assert_eq!(keys[..2], [1, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::TooLarge`](crate::Error::TooLarge), and what goes wrong on the device.
    pub fn partial_sort<K: Key>(&self, keys: &mut [K], k: usize, options: SortOptions) -> Result<()> {
        check_many(k, keys.len())?;
        if self.tiles().is_none() {
            on_cpu(keys, k, options.direction);
            return Ok(());
        }
        let scratch = self.partial_sort_scratch_bytes::<K>(keys.len(), k, options)?;
        let total = scratch.saturating_add(size_of_val(keys) as u64);
        let (mut workspace, mut buffer) =
            self.allocate_all(total, || Ok((Workspace::reserved(self, scratch)?, self.upload(keys)?)))?;
        self.partial_sort_buffer(&mut buffer, k, &mut workspace, options)?;
        buffer.copy_to_slice(keys)
    }

    /// Sorts the first `k` of keys in the device's memory alone: the first `k` places hold what a sort would put there, and the
    /// others are behind them in no particular order. On a GPU the call returns when the work is queued.
    ///
    /// Takes what [`Device::top_k_into`] takes of scratch memory and about thirty bytes for each of the `k`; where `k` is a good
    /// part of all, what a sort takes: [`Device::partial_sort_scratch_bytes`].
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let mut keys = device.upload(&[5u8, 1, 4, 2, 3])?;
    /// let options = SortOptions::new().descending();
    /// device.partial_sort_buffer(&mut keys, 3, &mut Workspace::new(&device), options)?;
    /// assert_eq!(keys.to_vec()?[..3], [5, 4, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::DeviceMismatch`](crate::Error::DeviceMismatch),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::ScratchTooSmall`](crate::Error::ScratchTooSmall) and
    /// [`Error::TooLarge`](crate::Error::TooLarge), all found before anything is written, and what goes wrong on the device.
    pub fn partial_sort_buffer<K: Key>(
        &self,
        keys: &mut DeviceSliceMut<'_, K>,
        k: usize,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, KEYS)?;
        workspace.check_device(self)?;
        check_many(k, keys.len())?;
        if k == 0 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU.
            on_cpu(unsafe { keys.host_slice_mut() }, k, options.direction);
            return Ok(());
        };
        let Some(job) = PartialJob::new::<K>(keys.len(), k, options, tiles)? else {
            return self.sort_buffer(keys, workspace, options);
        };
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims = self.claim([keys.allocation(), workspace.allocation()])?;
        let scratch = workspace.address();
        let area = |offset: u64| Arg::Address(scratch + offset);
        let places = job::Places {
            keys: keys.address(),
            values: scratch + job.values,
            indices: scratch + job.indices,
            scratch: scratch + job.own,
        };
        let (marks, holes, strays, counters) = (area(job.marks), area(job.holes), area(job.strays), area(job.counters));
        let (count, each) = (Arg::U64(k as u64), grid(WHAT, k as u64, SELECT_EACH)?);
        // SAFETY: keys and workspace are on this device and hold what the job asks for; grids have a thread for each of k.
        unsafe {
            job.select.launch(self, places)?;
            self.run(&select_clear, each, &[marks, counters, count])?;
            self.run(&select_find_holes, each, &[area(job.indices), marks, holes, counters, count])?;
            self.run(&select_find_strays, each, &[marks, strays, counters, count])?;
            let fill = [Arg::Address(keys.address()), holes, strays, counters];
            self.run(select_kernels(K::WIDTH, tiles).fill, each, &fill)?;
            self.copy(places.values, keys.address(), k * size_of::<K>())
        }
    }

    /// Bytes of scratch memory that [`Device::partial_sort_buffer`] takes for the first `k` of `n` keys: 0 on the CPU.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let bytes = Device::emulator().partial_sort_scratch_bytes::<f32>(1 << 28, 100, SortOptions::new())?;
    /// assert!(bytes < 1 << 22);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooFewElements`](crate::Error::TooFewElements), [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn partial_sort_scratch_bytes<K: Key>(&self, n: usize, k: usize, options: SortOptions) -> Result<u64> {
        check_many(k, n)?;
        let Some(tiles) = self.tiles() else { return Ok(0) };
        if k == 0 {
            return Ok(0);
        }
        match PartialJob::new::<K>(n, k, options, tiles)? {
            Some(job) => Ok(job.scratch_bytes()),
            None => self.sort_scratch_bytes_by::<K>(n, options.algorithm),
        }
    }
}

fn on_cpu<K: Key>(keys: &mut [K], k: usize, direction: Direction) {
    let order = compare(direction);
    if k < keys.len() {
        keys.select_nth_unstable_by(k, order);
    }
    keys[..k].par_sort_unstable_by(order);
}
