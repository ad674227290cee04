//! Sorting: one file an operation, and what they share: the launches of a planned merge sort.
mod argsort;
pub(crate) mod batch;
mod buckets;
pub(crate) mod cpu;
mod gather;
mod grid;
mod guard;
mod is_sorted;
mod job;
mod keys;
mod pairs;
mod prepare;
mod sample;
mod scratch;
#[cfg(test)]
mod tests;

pub use argsort::Index;
pub(crate) use argsort::{Position, check_count};
pub(crate) use gather::{Gather, Source};
pub(crate) use guard::{restore, restore_many};
pub(crate) use sample::SampleJob;

use crate::device::Device;
use crate::error::{Error, Result};
use crate::key::{KeyCodec, KeyWidth, PayloadWidth, payload_bytes};
use crate::options::{Algorithm, SortOptions};
use crate::plan::{self, Area, Merge, MergePass, MergeSortPlan, Shape, TileSort};
use batch::Batch;
use grid::{GridKernels, Layout, grid_kernels};
use gridsort_kernels::entry::custom::OrderSet;
use gridsort_kernels::entry::kway::{KwayKernels, kway_kernels};
use gridsort_kernels::entry::merge_sort::{MergeSortKernels, Tiles, merge_sort_kernels};
use gridsort_kernels::simt::{Arg, Kernel};

/// A sort that is ready to be launched: the kernels and what to launch of them.
pub(crate) struct Job {
    two_way: MergeSortKernels,
    kway: KwayKernels,
    grid: Option<GridKernels>,
    plan: MergeSortPlan,
    codec: KeyCodec,
    batch: Batch,
    // Bytes of a key and of a payload, where merges are guarded: see `gridsort_kernels::guard`.
    guarded: Option<[u64; 2]>,
}

/// The plan of a sort of `n` keys by the algorithm asked for.
///
/// # Errors
/// Where there are too many keys, or no kernels for them.
fn plan_sort(
    n: usize,
    key: KeyWidth,
    payload: PayloadWidth,
    tiles: Tiles,
    algorithm: Algorithm,
) -> Result<MergeSortPlan> {
    let shape = Shape::of(key, payload, tiles);
    match algorithm {
        Algorithm::Auto | Algorithm::Merge => plan::merge_sort(n as u64, &shape),
        Algorithm::Sample => {
            job::check(key, payload, tiles)?;
            plan::merge_sort(n as u64, &shape)
        }
        Algorithm::Grid(engine) => {
            grid_kernels(engine, key, payload)?;
            plan::grid_sort(n as u64, engine, &shape)
        }
    }
}

/// Where keys, or payloads, lie during a sort.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    /// Where they are read from first; 0 for payloads that are to be positions.
    pub(crate) source: u64,
    /// Where they must end.
    pub(crate) data: u64,
    /// Scratch memory of the same size.
    pub(crate) scratch: u64,
}

impl Places {
    /// In place, with scratch memory at the given address.
    pub(crate) fn in_place(data: u64, scratch: u64) -> Self {
        Self { source: data, data, scratch }
    }

    fn at(&self, area: Area) -> Arg {
        Arg::Address(match area {
            Area::Data => self.data,
            Area::Scratch => self.scratch,
        })
    }
}

impl Job {
    pub(crate) fn new(
        n: usize,
        codec: KeyCodec,
        payload: PayloadWidth,
        tiles: Tiles,
        options: SortOptions,
    ) -> Result<Self> {
        let plan = plan_sort(n, codec.width(), payload, tiles, options.algorithm)?;
        Self::planned(plan, codec, payload, tiles, options)
    }

    /// A sort whose plan was made by [`plan_sort`] for these widths.
    fn planned(
        plan: MergeSortPlan,
        codec: KeyCodec,
        payload: PayloadWidth,
        tiles: Tiles,
        options: SortOptions,
    ) -> Result<Self> {
        let width: KeyWidth = codec.width();
        let (two_way, kway) = (merge_sort_kernels(width, payload, tiles), kway_kernels(width, payload, tiles));
        let grid = match options.algorithm {
            Algorithm::Auto | Algorithm::Merge | Algorithm::Sample => None,
            Algorithm::Grid(engine) => grid_kernels(engine, width, payload)?,
        };
        Ok(Self { two_way, kway, grid, plan, codec, batch: Batch::ONE, guarded: None })
    }

    /// A sort by an order of the user's own, of keys of `key_bytes` bytes. Behind the scratch memory that the plan asks
    /// for it has a word more.
    pub(crate) fn guarded(plan: MergeSortPlan, set: &OrderSet, key_bytes: usize, payload: PayloadWidth) -> Self {
        // Such keys are never encoded: any width will do.
        let codec = KeyCodec::identity(KeyWidth::W8);
        Self {
            two_way: set.two_way,
            kway: set.kway,
            grid: None,
            plan,
            codec,
            batch: Batch::ONE,
            guarded: Some([key_bytes as u64, payload_bytes(payload)]),
        }
    }

    /// A sort of many arrays, by a plan that [`plan::RowsPlan::merge`] made.
    pub(crate) fn of_batch(
        plan: MergeSortPlan,
        codec: KeyCodec,
        payload: PayloadWidth,
        tiles: Tiles,
        batch: Batch,
    ) -> Self {
        let width = codec.width();
        let (two_way, kway) = (merge_sort_kernels(width, payload, tiles), kway_kernels(width, payload, tiles));
        Self { two_way, kway, grid: None, plan, codec, batch, guarded: None }
    }

    /// Bytes of scratch memory before the payloads'.
    pub(crate) fn key_scratch_bytes(&self) -> u64 {
        self.plan.key_scratch_bytes
    }

    /// Launches the tile sort and the merge passes.
    ///
    /// # Safety
    /// The places hold `plan.n` elements each, of the kernels' widths and on this device, claimed for this work. Those of scratch memory are
    /// needed only where the plan asks for scratch bytes. No two overlap, except that a source may be its data or scratch memory.
    pub(crate) unsafe fn launch(&self, device: &Device, keys: Places, payloads: Option<Places>) -> Result<()> {
        let (plan, codec) = (&self.plan, &self.codec);
        if plan.tile_grid == 0 {
            return Ok(());
        }
        let mut args = Vec::with_capacity(11);
        args.extend([Arg::Address(keys.source), keys.at(plan.tiles_to)]);
        args.extend(payloads.iter().flat_map(|places| [Arg::Address(places.source), places.at(plan.tiles_to)]));
        args.push(Arg::U64(plan.n));
        args.push(codec.arg());
        args.push(self.store(plan.passes.is_empty()));
        // Behind all else in scratch memory, which there is only where there are passes.
        let flag = if plan.passes.is_empty() { 0 } else { keys.scratch + plan.scratch_bytes };
        match self.guarded {
            Some(_) => args.push(Arg::Address(flag)),
            None => args.extend(self.batch.of_tile_sort(plan.tiles_to, plan.tile_grid)),
        }
        let tile_sort = match plan.tiles {
            TileSort::Kway => self.kway.tile_sort,
            TileSort::TwoWay => self.two_way.tile_sort,
            TileSort::Small => self.two_way.small_sort,
        };
        // SAFETY: the grid covers n keys, and the places are as promised.
        unsafe { device.run(tile_sort, plan.tile_grid, &args)? };

        // The cuts lie behind the scratch copies of keys and payloads.
        let cuts = keys.scratch + plan.key_scratch_bytes + plan.payload_scratch_bytes;
        for (index, pass) in (0..).zip(&plan.passes) {
            let areas = |places: &Places| [places.at(pass.from), places.at(pass.from.other())];
            args.clear();
            args.extend(areas(&keys));
            args.extend(payloads.iter().flat_map(areas));
            // SAFETY: as above; a pass reads one area and writes the other, and its runs are sorted by the one before.
            unsafe { self.launch_pass(device, pass, cuts, self.guarded.map(|_| (flag, index)), &mut args)? };
        }
        let (Some(first), Some([key_bytes, payload_bytes])) = (plan.passes.first(), self.guarded) else {
            return Ok(());
        };
        let first = u32::from(first.from == Area::Scratch);
        let moved = |places: Places, bytes: u64| (places.scratch, places.data, plan.n * bytes);
        let payloads = payloads.map_or((0, 0, 0), |places| moved(places, payload_bytes));
        // SAFETY: as above.
        unsafe { restore(device, flag, first, moved(keys, key_bytes), payloads) }
    }

    /// Launches one pass, of which `args` names the areas so far.
    ///
    /// # Safety
    /// As [`Job::launch`].
    unsafe fn launch_pass(
        &self,
        device: &Device,
        pass: &MergePass,
        cuts: u64,
        guard: Option<(u64, u32)>,
        args: &mut Vec<Arg>,
    ) -> Result<()> {
        // Kernels for keys with an order of their own are guarded. A k-way merge of any keys may have a table of inputs, here
        // none; that of gridsort's own is told how they are encoded.
        let guard = guard.map(|(flag, index)| [Arg::Address(flag), Arg::U32(index)]);
        let no_table = Arg::Address(0);
        let last = match guard {
            Some([flag, index]) => vec![no_table, flag, index],
            None => vec![no_table, KeyCodec::identity(self.codec.width()).arg()],
        };
        let n = self.plan.n;
        let launch = |kernel: &'static Kernel, grid: u32, args: &[Arg]| {
            // SAFETY: the plan's grids, and the arguments that the caller vouches for.
            unsafe { device.run(kernel, grid, args) }
        };
        let find_cuts = |kernel, grid, src, [tiles, tile, stride]: [u32; 3], boundaries| {
            // With a stride of 1 the first level finds every boundary.
            for level in 0..if stride > 1 { 2 } else { 1 } {
                let mut search = vec![src, Arg::Address(cuts), Arg::U64(n), Arg::U64(pass.run), Arg::U32(tiles)];
                search.push(Arg::U64(boundaries));
                search.extend([tile, stride, level].map(Arg::U32));
                search.extend(&last);
                if guard.is_none() {
                    search.extend(self.batch.of_partition(pass.from, boundaries));
                }
                launch(kernel, grid, &search)?;
            }
            Ok(())
        };
        match pass.merge {
            Merge::TwoWay { grid } => {
                args.extend([Arg::U64(n), Arg::U64(pass.run), self.store(pass.last)]);
                args.extend(guard.into_iter().flatten());
                launch(self.two_way.merge_pass, grid, args)
            }
            Merge::Kway { runs, tiles, boundaries, stride, partition_grid, grid } => {
                let kernels = self.kway.by(runs);
                find_cuts(kernels.partition, partition_grid, args[0], [tiles, kernels.tile, stride], boundaries)?;
                args.extend([Arg::Address(cuts), Arg::U64(n), Arg::U64(pass.run), Arg::U32(tiles)]);
                args.push(self.store(pass.last));
                args.extend(&last);
                if guard.is_none() {
                    args.extend(self.batch.of_pass(pass.from, grid));
                }
                launch(kernels.pass, grid, args)
            }
            Merge::Engine { runs, piece, tiles, boundaries, stride, partition_grid, pieces, pieces_grid, grid } => {
                let off = || Error::FeatureOff { what: "an engine", feature: "grid" };
                let kernels = self.grid.ok_or_else(off)?;
                find_cuts(self.kway.by(runs).partition, partition_grid, args[0], [tiles, piece, stride], boundaries)?;
                let Layout { begins, ends, outputs } = Layout::new(cuts, boundaries, pieces, runs);
                let mut layout = vec![Arg::Address(cuts), begins, ends, outputs, Arg::U64(n), Arg::U64(pass.run)];
                layout.extend([tiles, pieces, runs, piece].map(Arg::U32));
                launch(kernels.pieces, pieces_grid, &layout)?;
                args.extend([begins, ends, outputs, Arg::U32(pieces), Arg::U32(runs)]);
                args.extend([KeyCodec::identity(self.codec.width()).arg(), self.store(pass.last)]);
                launch(kernels.merge, grid, args)
            }
        }
    }

    /// Between the passes keys stay encoded: only the last one decodes them.
    fn store(&self, last: bool) -> Arg {
        if last { self.codec.arg() } else { KeyCodec::identity(self.codec.width()).arg() }
    }
}
