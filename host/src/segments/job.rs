//! The launches that sort segments.
use super::offsets::within;
use super::{Offset, Segments};
use crate::device::Device;
use crate::error::Result;
use crate::key::KeyCodec;
use crate::plan::{self, Class, ClassSort, LongSegments, SegmentsPlan, Shape};
use crate::rows::Carry;
use gridsort_kernels::entry::kway::{KwayKernels, kway_kernels};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::entry::rows::{RowKernels, row_kernels};
use gridsort_kernels::entry::segments::segment_kernels;
use gridsort_kernels::simt::{Arg, Kernel};

/// Where elements lie: read first, and written at last. Where the keys of an argsort would be written is 0.
pub(super) use crate::rows::Ends;

/// A sort of segments that is ready to be launched.
pub(super) struct SegmentsJob {
    plan: SegmentsPlan,
    rows: Option<RowKernels>,
    kway: KwayKernels,
    codec: KeyCodec,
    carry: Carry,
    n: u64,
}

impl SegmentsJob {
    /// The sort of `count` segments of `n` keys.
    ///
    /// # Errors
    /// Where there are too many.
    pub(super) fn new<O: Offset>(n: usize, count: usize, codec: KeyCodec, carry: Carry, tiles: Tiles) -> Result<Self> {
        let width = codec.width();
        let rows = row_kernels(width, carry != Carry::Nothing, tiles);
        let shape = Shape::of(width, carry.width(), tiles);
        let tuning = rows.as_ref().map(|rows| &rows.tuning);
        let argsort = matches!(carry, Carry::Positions(_));
        // No offset reaches further: a negative one is beyond every array.
        let n = within::<O>(n);
        let plan = plan::sort_segments(n, count as u64, &shape, tuning, argsort)?;
        Ok(Self { plan, rows, kway: kway_kernels(width, carry.width(), tiles), codec, carry, n })
    }

    pub(super) fn scratch_bytes(&self) -> u64 {
        self.plan.scratch_bytes
    }

    /// Launches a look at the segments, the sorts of each class, and those of longer ones.
    ///
    /// # Safety
    /// The ends hold `n` elements, on this device and claimed for this work as the segments are, which are as many as was said;
    /// scratch memory has [`SegmentsJob::scratch_bytes`]. Payloads are there where keys carry some; positions have no source.
    pub(super) unsafe fn launch<O: Offset>(
        &self,
        device: &Device,
        segments: &Segments<'_, O>,
        keys: Ends,
        payloads: Ends,
        scratch: u64,
    ) -> Result<()> {
        let plan = &self.plan;
        if plan.classify_grid == 0 || self.n == 0 {
            return Ok(());
        }
        let kernels = segment_kernels(O::WIDE);
        let at = |offset: u64| Arg::Address(scratch + offset);
        let (counters, lists, table) = (at(0), at(plan.lists), at(plan.table));
        let begin = [counters, table, Arg::U64(scratch + plan.other_keys), Arg::U64(scratch + plan.other_payloads)];
        let mut classify = [segments.begins.address(), segments.ends.address()].map(Arg::Address).to_vec();
        classify.extend([segments.len() as u64, self.n].map(Arg::U64));
        classify.extend(plan.bounds.words.map(Arg::U64));
        let units = plan.long.as_ref().map_or(0, |long| u64::from(long.units));
        classify.extend([counters, lists, table, Arg::U32(plan.tile), Arg::U64(units)]);
        // SAFETY: the plan's grids and tables, and what the caller vouches for.
        unsafe {
            device.run(kernels.begin, 1, &begin)?;
            device.run(kernels.classify, plan.classify_grid, &classify)?;
            device.run(kernels.judge, 1, &[counters, table])?;
            for (c, class) in (0..).zip(&plan.classes) {
                self.launch_class(device, c, class, keys, payloads, scratch)?;
            }
            plan.long.iter().try_for_each(|long| self.launch_long(device, long, keys, payloads, scratch))
        }
    }

    /// Launches the sort of a class.
    ///
    /// # Safety
    /// As [`SegmentsJob::launch`], which launched the look at the segments.
    unsafe fn launch_class(
        &self,
        device: &Device,
        c: u64,
        class: &Class,
        keys: Ends,
        payloads: Ends,
        scratch: u64,
    ) -> Result<()> {
        let Some(rows) = &self.rows else { return Ok(()) };
        if class.grid == 0 {
            return Ok(());
        }
        let (kernel, lanes): (&'static Kernel, _) = match class.sort {
            ClassSort::Warps { kernel, lanes } => (rows.warps[kernel], Some(lanes)),
            ClassSort::Blocks(block) => (rows.blocks[block], None),
        };
        let mut args = [keys.source, keys.data, payloads.source, payloads.data].map(Arg::Address).to_vec();
        // No matrix: its shape is not looked at.
        args.extend([self.carry.kind(), Arg::U64(0), Arg::U32(0), Arg::U64(0), Arg::U64(0)]);
        args.push(Arg::Address(scratch + self.plan.lists + class.list * size_of::<u64>() as u64));
        args.push(Arg::Address(scratch + c * size_of::<u32>() as u64));
        args.extend(lanes.map(Arg::U32));
        args.extend([self.codec.arg(), self.codec.arg()]);
        // SAFETY: the caller's promise.
        unsafe { device.run(kernel, class.grid, &args) }
    }

    /// Launches the merge sort of the segments in the table.
    ///
    /// # Safety
    /// As [`SegmentsJob::launch_class`].
    unsafe fn launch_long(
        &self,
        device: &Device,
        long: &LongSegments,
        keys: Ends,
        payloads: Ends,
        scratch: u64,
    ) -> Result<()> {
        let plan = &self.plan;
        let at = |offset: u64| Arg::Address(scratch + offset);
        let (table, cuts, identity) = (at(plan.table), at(plan.cuts), KeyCodec::identity(self.codec.width()).arg());
        // No matrix, but the table's segments.
        let (units, stride) = (Arg::U32(long.units), Arg::U64(0));
        let (n, units_in_all) = (Arg::U64(self.n), Arg::U64(long.units.into()));
        let data = if keys.data == 0 { at(plan.keys) } else { Arg::Address(keys.data) };
        let carries = self.carry != Carry::Nothing;
        let with_payloads = |keys: [Arg; 2], payloads: [Arg; 2]| {
            let mut args = keys.to_vec();
            args.extend(payloads.into_iter().filter(|_| carries));
            args
        };
        let ends = [payloads.source, payloads.data].map(Arg::Address);
        let mut args = with_payloads([Arg::Address(keys.source), data], ends);
        args.extend([n, self.codec.arg(), self.codec.arg(), units, stride, stride, table]);
        let kway = self.kway.by(gridsort_kernels::batch::SEGMENT_RUNS);
        // SAFETY: the plan's grids and tables, and what the caller vouches for.
        unsafe {
            device.run(self.kway.tile_sort, long.units, &args)?;
            for pass in &long.passes {
                let (run, tiles) = (Arg::U64(pass.run), Arg::U32(pass.tiles));
                let mut search = vec![data, cuts, n, run, tiles, units_in_all, Arg::U32(kway.tile)];
                // One step finds all: the segments' units have no room for the boundaries that a second one starts from.
                search.extend([Arg::U32(1), Arg::U32(0), Arg::Address(0), identity, units, stride, table]);
                device.run(kway.partition, long.partition_grid, &search)?;

                let areas = [Arg::Address(payloads.data), at(plan.other_payloads)];
                let mut args = with_payloads([data, at(plan.other_keys)], areas);
                args.extend([cuts, n, run, tiles, self.codec.arg(), Arg::Address(0), identity]);
                args.extend([units, stride, stride, table]);
                device.run(kway.pass, long.units, &args)?;
            }
        }
        Ok(())
    }
}
