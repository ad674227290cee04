//! Sorting keys alone by sample sort.
use super::{Job, Places};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::key::{KeyCodec, KeyWidth, PayloadWidth, key_bytes};
use crate::options::{Algorithm, SortOptions};
use crate::plan::{self, SamplePlan};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::entry::sample::{SampleKernels, sample_kernels};
use gridsort_kernels::sample::tables::{CLASSES, COPIES_LIST, LARGE_LIST};
use gridsort_kernels::simt::{Arg, Kernel};

/// A sort of keys that is ready to be launched.
pub(super) enum KeyJob {
    Merge(Box<Job>),
    Sample(Box<SampleJob>),
}

impl KeyJob {
    /// The sort of `n` keys that the options ask for.
    ///
    /// # Errors
    /// Where there are too many keys, or no kernels for them.
    pub(super) fn new(n: usize, codec: KeyCodec, tiles: Tiles, options: SortOptions) -> Result<Self> {
        match kernels(n as u64, codec.width(), tiles, options.algorithm) {
            Some(kernels) => {
                let plan = plan::sample_sort(n as u64, key_bytes(codec.width()), &kernels.tuning)?;
                Ok(Self::Sample(Box::new(SampleJob { kernels, plan, codec, seed: options.seed })))
            }
            None => Ok(Self::Merge(Box::new(Job::new(n, codec, PayloadWidth::None, tiles, options)?))),
        }
    }

    pub(super) fn scratch_bytes(&self) -> u64 {
        match self {
            Self::Merge(job) => job.plan.scratch_bytes,
            Self::Sample(job) => job.plan.scratch_bytes,
        }
    }

    /// Launches the sort.
    ///
    /// # Safety
    /// As [`Job::launch`].
    pub(super) unsafe fn launch(&self, device: &Device, keys: Places) -> Result<()> {
        // SAFETY: the caller's promise is the one asked for.
        unsafe {
            match self {
                Self::Merge(job) => job.launch(device, keys, None),
                Self::Sample(job) => job.launch(device, keys),
            }
        }
    }
}

/// The kernels of a sample sort, where it is what `algorithm` means for `n` keys of this width. What fits one block is no
/// more than a tile sort by any name.
fn kernels(n: u64, width: KeyWidth, tiles: Tiles, algorithm: Algorithm) -> Option<SampleKernels> {
    let kernels = sample_kernels(width, tiles)?;
    let tuning = &kernels.tuning;
    let chosen = match algorithm {
        Algorithm::Auto => (tuning.from..=tuning.to).contains(&n),
        Algorithm::Sample => n > u64::from(tuning.classes[tuning.classes.len() - 1].tile()),
        _ => false,
    };
    chosen.then_some(kernels)
}

/// Says where a sample sort has no kernels.
///
/// # Errors
/// [`Error::NoSampleSort`].
pub(super) fn check(key: KeyWidth, payload: PayloadWidth, tiles: Tiles) -> Result<()> {
    match (sample_kernels(key, tiles), payload) {
        (Some(_), PayloadWidth::None) => Ok(()),
        _ => Err(Error::NoSampleSort {
            key_bits: 8 * key_bytes(key),
            payload_bits: 8 * crate::key::payload_bytes(payload),
        }),
    }
}

/// A sample sort that is ready to be launched.
pub(super) struct SampleJob {
    pub(super) kernels: SampleKernels,
    pub(super) plan: SamplePlan,
    codec: KeyCodec,
    seed: u64,
}

impl SampleJob {
    /// Launches what sets the tables up, and a look at whether the keys are sorted.
    ///
    /// # Safety
    /// As [`SampleJob::launch`]; `data` is not accessed.
    pub(super) unsafe fn look(&self, device: &Device, keys: Places) -> Result<()> {
        let (kernels, plan) = (&self.kernels, &self.plan);
        let scratch = |offset: u64| Arg::Address(keys.scratch + offset);
        let (counters, chunk) = (scratch(plan.counters), Arg::U32(kernels.tuning.chunk()));
        let begin = [counters, scratch(plan.segments[0]), Arg::U64(plan.n), chunk];
        let look = [Arg::Address(keys.source), Arg::U64(plan.n), counters, self.codec.arg()];
        // SAFETY: the plan's grids and tables, and the areas that the caller vouches for.
        unsafe {
            device.run(kernels.begin, 1, &begin)?;
            device.run(kernels.look, plan.look_grid, &look)
        }
    }

    /// Launches the choice of a level's splitters, and the count of its buckets.
    ///
    /// # Safety
    /// As [`SampleJob::launch`]; the level's segments are there. `data` is not accessed in the first level.
    pub(super) unsafe fn count(&self, device: &Device, keys: Places, index: usize) -> Result<()> {
        let (kernels, plan) = (&self.kernels, &self.plan);
        let level = &plan.levels[index];
        let scratch = |offset: u64| Arg::Address(keys.scratch + offset);
        let found = [scratch(plan.splitters), scratch(plan.equal), scratch(plan.rows)];
        let mut choose = vec![self.from(keys, index)];
        choose.extend(self.tables(keys, index));
        choose.extend(found);
        let mut count = choose.clone();
        choose.extend([Arg::U32(level.target), Arg::U64(self.seed), self.codec.arg()]);
        count.extend([scratch(plan.places), self.codec.arg()]);
        // SAFETY: the plan's grids and tables, and the areas that the caller vouches for.
        unsafe {
            device.run(kernels.choose, level.choose_grid, &choose)?;
            device.run(kernels.count, level.chunk_grid, &count)
        }
    }

    /// Where a level reads keys.
    fn from(&self, keys: Places, index: usize) -> Arg {
        if index == 0 { Arg::Address(keys.source) } else { keys.at(self.plan.levels[index].from) }
    }

    /// A level's tables, as its kernels take them.
    fn tables(&self, keys: Places, index: usize) -> [Arg; 4] {
        let scratch = |offset: u64| Arg::Address(keys.scratch + offset);
        let (plan, number) = (&self.plan, Arg::U32(self.plan.levels[index].number));
        [scratch(plan.counters), scratch(plan.segments[index]), number, Arg::U32(self.kernels.tuning.chunk())]
    }

    /// Launches a look at the keys, the levels, the sorts of buckets, and what is left to do where none of that was needed.
    ///
    /// # Safety
    /// As [`Job::launch`]; scratch memory has the plan's bytes.
    unsafe fn launch(&self, device: &Device, keys: Places) -> Result<()> {
        let (kernels, plan) = (&self.kernels, &self.plan);
        let scratch = |offset: u64| Arg::Address(keys.scratch + offset);
        let counters = scratch(plan.counters);
        let launch = |kernel: &'static Kernel, grid: u32, args: &[Arg]| {
            // SAFETY: the plan's grids and tables, and the areas that the caller vouches for.
            unsafe { device.run(kernel, grid, args) }
        };
        // SAFETY: the caller's promise is the one asked for.
        unsafe { self.look(device, keys)? };
        let (equal, rows, places) = (scratch(plan.equal), scratch(plan.rows), scratch(plan.places));
        for (index, level) in plan.levels.iter().enumerate() {
            // SAFETY: as above.
            unsafe { self.count(device, keys, index)? };
            let (from, to) = (self.from(keys, index), keys.at(level.from.other()));
            let tables = self.tables(keys, index);
            let next = plan.segments.get(index + 1).map_or(Arg::Address(0), |&segments| scratch(segments));

            let mut args = tables.to_vec();
            args.extend([next, Arg::U64(level.above), equal, rows, scratch(plan.lists[0])]);
            args.extend([Arg::U64(plan.n), Arg::U64(plan.buckets)]);
            launch(kernels.offsets, level.offsets_grid, &args)?;

            let mut args = vec![from, to];
            args.extend(tables);
            args.extend([rows, places, Arg::U32(kernels.tuning.chunk_tiles)]);
            launch(kernels.scatter, level.scatter_grid, &args)?;
        }
        let areas = [Arg::Address(keys.data), Arg::Address(keys.scratch), counters];
        let grid = |list: u32| plan.list_grids[list as usize];
        let on_list = |list: u32| {
            let mut args = areas.to_vec();
            args.push(scratch(plan.lists[list as usize]));
            args
        };
        for (class, &sort) in (0..CLASSES).zip(kernels.classes) {
            let mut args = on_list(class);
            args.push(self.codec.arg());
            launch(sort, grid(class), &args)?;
        }
        let mut args = on_list(LARGE_LIST);
        args.push(self.codec.arg());
        launch(kernels.large, grid(LARGE_LIST), &args)?;
        launch(kernels.copy, grid(COPIES_LIST), &on_list(COPIES_LIST))?;
        let settle = [Arg::Address(keys.source), Arg::Address(keys.data), Arg::U64(plan.n), counters];
        launch(kernels.settle, plan.settle_grid, &settle)
    }
}
