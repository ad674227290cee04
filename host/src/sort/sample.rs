//! Sorting by sample sort, keys alone or with what they carry.
use super::Places;
use crate::device::Device;
use crate::error::Result;
use crate::key::{KeyCodec, KeyWidth, PayloadWidth, key_bytes, payload_bytes};
use crate::merge_many::{Order, TableMerge};
use crate::plan::{self, SamplePlan};
use gridsort_kernels::entry::sample::{Finish, SampleKernels};
use gridsort_kernels::rows::carried;
use gridsort_kernels::sample::tables::{CLASSES, COPIES_LIST, LARGE_LIST, RUNS, class as class_counter, rest};
use gridsort_kernels::simt::{Arg, Kernel};
use gridsort_kernels::tuning::SAMPLE_TURN;

/// A sample sort that is ready to be launched.
pub(crate) struct SampleJob {
    pub(super) kernels: SampleKernels,
    pub(crate) plan: SamplePlan,
    codec: KeyCodec,
    payload: PayloadWidth,
    seed: u64,
    /// Whether the sorted keys are wanted, or only what they carry.
    pub(super) keys_wanted: bool,
}

impl SampleJob {
    /// The sort of `n` keys with this payload.
    ///
    /// # Errors
    /// Where there are too many keys.
    pub(super) fn new(
        n: u64,
        kernels: SampleKernels,
        codec: KeyCodec,
        payload: PayloadWidth,
        seed: u64,
    ) -> Result<Self> {
        let plan = plan::sample_sort(n, key_bytes(codec.width()), payload_bytes(payload), &kernels.tuning)?;
        if let Some(merge) = &kernels.merge {
            let (_, cuts) = plan::merge_of_table(n, RUNS, merge.tile)?;
            debug_assert!(8 * cuts <= n, "the cuts of a merge of runs have room where places are");
        }
        Ok(Self { kernels, plan, codec, payload, seed, keys_wanted: true })
    }

    /// The sort of `n` keys alone of `key_bytes` bytes, by an order of the user's own.
    ///
    /// # Errors
    /// Where there are too many keys.
    pub(crate) fn of_order(n: u64, kernels: SampleKernels, key_bytes: u64) -> Result<Self> {
        let plan = plan::sample_sort(n, key_bytes, 0, &kernels.tuning)?;
        // Such keys are never encoded: any width will do.
        let codec = KeyCodec::identity(KeyWidth::W8);
        Ok(Self { kernels, plan, codec, payload: PayloadWidth::None, seed: 0, keys_wanted: true })
    }

    /// The kernel that turns keys around: where they stay in place.
    fn turn(&self, keys: Places) -> Option<&'static Kernel> {
        self.kernels.turn.filter(|_| keys.source == keys.data)
    }

    /// Launches what sets the tables up, and a look at whether the keys are sorted; and what turns them around where they fall.
    ///
    /// # Safety
    /// As [`SampleJob::launch`]; `data` is not accessed where it is not the source.
    pub(super) unsafe fn look(&self, device: &Device, keys: Places) -> Result<()> {
        let (kernels, plan) = (&self.kernels, &self.plan);
        let scratch = |offset: u64| Arg::Address(keys.scratch + offset);
        let (counters, chunk) = (scratch(plan.counters), Arg::U32(plan.chunk));
        let begin = [counters, scratch(plan.segments[0]), Arg::U64(plan.n), chunk];
        // Turning around would change the order of equal keys that differ, or of what they carry.
        let strict = Arg::U32(u32::from(kernels.bases.is_some()));
        let [source, n, codec] = [Arg::Address(keys.source), Arg::U64(plan.n), self.codec.arg()];
        let turn = self.turn(keys);
        let unit = Arg::U32(if turn.is_some() { SAMPLE_TURN.tile() } else { 0 });
        let look = [source, n, counters, scratch(plan.runs), strict, unit, codec];
        // SAFETY: the plan's grids and tables, and the areas that the caller vouches for.
        unsafe {
            device.run(kernels.begin, 1, &begin)?;
            device.run(kernels.look, plan.look_grid, &look)?;
            turn.map_or(Ok(()), |turn| device.run(turn, plan.turn_grid, &[source, n, counters, codec]))
        }
    }

    /// Launches the merge of the runs that the look has found, if it did: into scratch memory where they are to stay in place.
    ///
    /// # Safety
    /// As [`SampleJob::launch`], behind the look.
    unsafe fn merge_runs(&self, device: &Device, keys: Places, payloads: Places) -> Result<()> {
        let (kernels, plan) = (&self.kernels, &self.plan);
        let Some(kernel) = &kernels.merge else { return Ok(()) };
        let scratch = |offset: u64| Arg::Address(keys.scratch + offset);
        let table = plan.runs + u64::from(8 * RUNS);
        let mut runs = vec![scratch(plan.counters), scratch(plan.runs), scratch(table), Arg::U64(plan.n)];
        for (places, bytes) in [(keys, key_bytes(self.codec.width())), (payloads, payload_bytes(self.payload))] {
            runs.extend([Arg::Address(places.source), Arg::U32(bytes as u32)]);
        }
        let (merge, _) = plan::merge_of_table(plan.n, RUNS, kernel.tile)?;
        let target = |places: Places| if places.source == places.data { places.scratch } else { places.data };
        let payloads = kernels.payloads.map(|_| target(payloads));
        let table = TableMerge {
            kernels: kernel,
            n: plan.n,
            order: Order::Encoded(self.codec.arg()),
            index: 0,
            table: keys.scratch + table,
            // No key has a bucket then.
            cuts: keys.scratch + plan.places,
        };
        // SAFETY: the plan's tables, and the areas that the caller vouches for; the runs cover them.
        unsafe {
            device.run(kernels.runs, 1, &runs)?;
            table.launch(device, merge, target(keys), payloads)
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
        let found = [plan.splitters, plan.equal, plan.guides, plan.rows].map(scratch);
        let mut choose = vec![self.from(keys, index)];
        choose.extend(self.tables(keys, index));
        choose.extend(found);
        let mut count = choose.clone();
        choose.extend([Arg::U32(level.target), Arg::U64(self.seed), self.codec.arg()]);
        let bases = if kernels.bases.is_some() { scratch(plan.bases) } else { Arg::Address(0) };
        count.extend([
            scratch(plan.places),
            scratch(plan.highs),
            scratch(plan.table),
            Arg::U32(plan.chunk_tiles),
            bases,
        ]);
        count.push(self.codec.arg());
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
    fn tables(&self, keys: Places, index: usize) -> [Arg; 5] {
        let scratch = |offset: u64| Arg::Address(keys.scratch + offset);
        let (plan, number) = (&self.plan, Arg::U32(self.plan.levels[index].number));
        let chunk = Arg::U32(plan.chunk);
        [scratch(plan.counters), scratch(plan.segments[index]), scratch(plan.chunk_records), number, chunk]
    }

    /// Launches a look at the keys, the levels, the sorts of buckets, and what is left to do where none of that was needed.
    ///
    /// # Safety
    /// As [`Job::launch`](super::Job::launch); scratch memory has the plan's bytes.
    pub(crate) unsafe fn launch(&self, device: &Device, keys: Places, payloads: Option<Places>) -> Result<()> {
        // Where there are none, nobody looks.
        let none = Places { source: 0, data: 0, scratch: 0 };
        let payloads = payloads.unwrap_or(none);
        // SAFETY: the caller's promise is the one asked for.
        unsafe {
            self.look(device, keys)?;
            self.merge_runs(device, keys, payloads)?;
            for index in 0..self.plan.levels.len() {
                self.count(device, keys, index)?;
                self.scatter(device, keys, payloads, index)?;
            }
            self.sort_buckets(device, keys, payloads)?;
            let wanted = self.keys_wanted.then_some((self.kernels.keys, keys));
            for (finish, places) in wanted.into_iter().chain(self.kernels.payloads.map(|finish| (finish, payloads))) {
                self.finish(device, keys.scratch, finish, places)?;
            }
        }
        Ok(())
    }

    /// Launches what places a level's buckets, and moves keys and what they carry there.
    ///
    /// # Safety
    /// As [`SampleJob::launch`]; the level's counts are there.
    unsafe fn scatter(&self, device: &Device, keys: Places, payloads: Places, index: usize) -> Result<()> {
        let (kernels, plan) = (&self.kernels, &self.plan);
        let level = &plan.levels[index];
        let scratch = |offset: u64| Arg::Address(keys.scratch + offset);
        let launch = |kernel: &'static Kernel, grid: u32, args: &[Arg]| {
            // SAFETY: the plan's grids and tables, and the areas that the caller vouches for.
            unsafe { device.run(kernel, grid, args) }
        };
        let (equal, rows) = (scratch(plan.equal), scratch(plan.rows));
        let (places, highs) = (scratch(plan.places), scratch(plan.highs));
        let table = scratch(plan.table);
        let (tables, bits, tiles) =
            (self.tables(keys, index), Arg::U32(kernels.tuning.bits), Arg::U32(plan.chunk_tiles));
        let next = plan.segments.get(index + 1).map_or(Arg::Address(0), |&segments| scratch(segments));

        let mut args = tables.to_vec();
        args.extend([bits, next, Arg::U64(level.above), equal, rows, scratch(plan.lists[0])]);
        args.extend([Arg::U64(plan.n), Arg::U64(plan.buckets)]);
        args.extend(kernels.tuning.class_keys().words.map(Arg::U64));
        launch(kernels.offsets, level.offsets_grid, &args)?;

        let mut args = vec![self.from(keys, index), keys.at(level.from.other())];
        let Some(bases) = kernels.bases else {
            args.extend(tables);
            args.extend([rows, places, highs, table, tiles]);
            return launch(kernels.scatter, level.scatter_grid, &args);
        };
        let chunk_bases = scratch(plan.bases);
        let mut places_of_chunks = tables.to_vec();
        places_of_chunks.extend([bits, rows, chunk_bases]);
        launch(bases, level.bases_grid, &places_of_chunks)?;

        // Positions are made where keys are first moved, and are payloads from then on.
        let positions = index == 0 && payloads.source == 0;
        args.extend([self.from(payloads, index), payloads.at(level.from.other())]);
        args.push(Arg::U32(match (self.payload, positions) {
            (PayloadWidth::None, _) => carried::NOTHING,
            (PayloadWidth::W32, false) => carried::PAYLOAD_32,
            (PayloadWidth::W64, false) => carried::PAYLOAD_64,
            (PayloadWidth::W32, true) => carried::POSITION_32,
            (PayloadWidth::W64, true) => carried::POSITION_64,
        }));
        args.extend(tables);
        args.extend([table, chunk_bases, places, highs, tiles]);
        launch(kernels.scatter, level.scatter_grid, &args)
    }

    /// Launches the sorts of buckets.
    ///
    /// # Safety
    /// As [`SampleJob::launch`], behind all levels.
    unsafe fn sort_buckets(&self, device: &Device, keys: Places, payloads: Places) -> Result<()> {
        let (kernels, plan) = (&self.kernels, &self.plan);
        let scratch = |offset: u64| Arg::Address(keys.scratch + offset);
        let launch = |kernel: &'static Kernel, grid: u32, args: &[Arg]| {
            // SAFETY: the plan's grids and tables, and the areas that the caller vouches for.
            unsafe { device.run(kernel, grid, args) }
        };
        let [data, payload_data] = [keys.data, payloads.data].map(Arg::Address);
        let wanted = if self.keys_wanted { data } else { Arg::Address(0) };
        let kind = Arg::U32(match self.payload {
            PayloadWidth::None => carried::NOTHING,
            PayloadWidth::W32 => carried::PAYLOAD_32,
            PayloadWidth::W64 => carried::PAYLOAD_64,
        });
        for ((class, &sort), cells) in (0..CLASSES).zip(&kernels.classes).zip(kernels.cells) {
            let counter = |counter: u32| scratch(plan.counters + u64::from(4 * counter));
            let (list, mut listed) = (scratch(plan.lists[class as usize]), counter(class_counter(class)));
            let mut grid = plan.list_grids[class as usize];
            if let Some(cells) = cells {
                let rest = counter(rest(class));
                let payload_scratch = Arg::Address(payloads.scratch);
                let areas = [data, wanted, Arg::Address(keys.scratch), payload_data, payload_scratch];
                launch(cells, grid, &[&areas[..], &[list, listed, rest, self.codec.arg()]].concat())?;
                (listed, grid) = (rest, grid.min(plan.rest_grid));
            }
            let mut args = vec![data, wanted, payload_data, payload_data, kind, Arg::U64(0), Arg::U32(0)];
            // The other area: buckets of the levels that end there.
            args.extend([Arg::U64(keys.scratch), Arg::U64(payloads.scratch)]);
            args.extend([list, listed, self.codec.arg(), self.codec.arg()]);
            launch(sort, grid, &args)?;
        }
        let mut args = [keys.data, keys.scratch, payloads.data, payloads.scratch].map(Arg::Address).to_vec();
        let list = scratch(plan.lists[LARGE_LIST as usize]);
        args.extend([scratch(plan.counters), list, self.codec.arg()]);
        launch(kernels.large, plan.list_grids[LARGE_LIST as usize], &args)
    }

    /// Launches what brings elements of one kind to their place that need no sorting: those of buckets of equal keys, and
    /// all of them where the keys came sorted.
    ///
    /// # Safety
    /// As [`SampleJob::launch`], of the keys or what they carry, behind all else.
    unsafe fn finish(&self, device: &Device, tables: u64, finish: Finish, places: Places) -> Result<()> {
        let plan = &self.plan;
        let scratch = |offset: u64| Arg::Address(tables + offset);
        let counters = scratch(plan.counters);
        let [source, data, area] = [places.source, places.data, places.scratch].map(Arg::Address);
        // Where there is such a kernel there are keys alone.
        let turned = Arg::U32(u32::from(self.turn(places).is_some()));
        let settle = [source, data, area, Arg::U64(plan.n), counters, turned];
        let copy = [data, area, counters, scratch(plan.lists[COPIES_LIST as usize])];
        // SAFETY: the plan's grids and tables, and the areas that the caller vouches for.
        unsafe {
            device.run(finish.copy, plan.list_grids[COPIES_LIST as usize], &copy)?;
            device.run(finish.settle, plan.settle_grid, &settle)
        }
    }
}
