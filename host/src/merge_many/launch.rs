//! The launches of a planned merge of many inputs.
use crate::device::Device;
use crate::error::Result;
use crate::plan::{Area, ManyGroup, Merge, MergeManyPlan, RunPlace};
use crate::sort::batch::Batch;
use gridsort_kernels::entry::kway::{KwayKernels, KwayPass, kway_write_inputs};
use gridsort_kernels::kway::inputs::{AT_ONCE, WORDS};
use gridsort_kernels::simt::Arg;

/// An entry of a table of inputs.
#[derive(Clone, Copy, Default)]
pub(crate) struct Entry {
    /// Where its keys lie.
    pub(crate) keys: u64,
    /// Where its payloads lie; 0 where positions are carried and it is the user's.
    pub(crate) payloads: u64,
    /// Its length.
    pub(crate) len: u64,
    /// The position of its first element.
    pub(crate) first: u64,
}

/// The inputs of a merge, by where keys and payloads lie and how many there are, with the positions that their first
/// elements have when they are laid one behind the other.
pub(crate) fn entries(inputs: impl IntoIterator<Item = (u64, u64, usize)>) -> Vec<Entry> {
    let mut first = 0;
    let entry = |(keys, payloads, len)| {
        let entry = Entry { keys, payloads, len: len as u64, first };
        first += entry.len;
        entry
    };
    inputs.into_iter().map(entry).collect()
}

/// Writes a table of inputs at `table`.
///
/// # Safety
/// There is room for it, in claimed memory of the device.
pub(crate) unsafe fn write_table(device: &Device, table: u64, entries: &[Entry]) -> Result<()> {
    for (at, entries) in (0..).step_by(AT_ONCE as usize).zip(entries.chunks(AT_ONCE as usize)) {
        let mut args = vec![Arg::Address(table), Arg::U32(at), Arg::U32(entries.len() as u32)];
        args.extend(entries.iter().flat_map(|e| [e.keys, e.payloads, e.len, e.first]).map(Arg::U64));
        args.resize(3 + (AT_ONCE * WORDS) as usize, Arg::U64(0));
        // SAFETY: the caller's promise.
        unsafe { device.run(&kway_write_inputs, 1, &args)? };
    }
    Ok(())
}

/// Where the keys lie, or what moves with them.
#[derive(Clone, Copy)]
pub(crate) struct Places {
    /// Where the result must be.
    pub(crate) data: u64,
    /// Scratch memory.
    pub(crate) scratch: u64,
    /// Bytes of an element.
    pub(crate) bytes: u64,
}

impl Places {
    fn at(&self, area: Area, element: u64) -> u64 {
        let start = match area {
            Area::Data => self.data,
            Area::Scratch => self.scratch,
        };
        start + element * self.bytes
    }
}

/// What kernels are told of the order of the keys.
#[derive(Clone, Copy)]
pub(crate) enum Order {
    /// One of gridsort's own: the codec that keys are encoded by.
    Encoded(Arg),
    /// The user's own, under a guard: where its flag is, which must be lowered before.
    Guarded(u64),
}

impl Order {
    /// What the kernels of merge `index` are told behind the table; gridsort's own are made for many arrays too.
    fn told(self, index: u32, batch: &[Arg]) -> Vec<Arg> {
        match self {
            Order::Encoded(codec) => [&[codec], batch].concat(),
            // To the guard each merge is a pass: one without a result ends it all for those that follow.
            Order::Guarded(flag) => vec![Arg::Address(flag), Arg::U32(index)],
        }
    }
}

/// A planned merge.
pub(crate) struct Job<'a> {
    plan: &'a MergeManyPlan,
    kernels: KwayKernels,
    order: Order,
    keys: Places,
    payloads: Option<Places>,
    table: u64,
    cuts: u64,
}

impl<'a> Job<'a> {
    /// The merge of a plan by the kernels that it was made for, with the scratch memory that it asks for at `scratch`.
    /// `keys` and `payloads` say where the result goes, and how large an element is.
    pub(crate) fn new(
        plan: &'a MergeManyPlan,
        kernels: KwayKernels,
        order: Order,
        scratch: u64,
        keys: (u64, u64),
        payloads: Option<(u64, u64)>,
    ) -> Self {
        let cuts = scratch + plan.table_bytes;
        let key_scratch = cuts + plan.cuts_bytes;
        let payload_scratch = key_scratch + plan.key_bytes;
        let places = |(data, bytes), scratch| Places { data, scratch, bytes };
        Self {
            plan,
            kernels,
            order,
            keys: places(keys, key_scratch),
            payloads: payloads.map(|payloads| places(payloads, payload_scratch)),
            table: scratch,
            cuts,
        }
    }

    /// Where the table of the first group is: that of all inputs where there is one pass.
    pub(crate) fn table(&self) -> u64 {
        self.table
    }

    /// Launches all passes.
    ///
    /// # Safety
    /// The inputs, the outputs and the scratch memory are claimed memory of the device, as large as the plan says, and
    /// no output overlaps an input. With a guard, the result is one only where its flag stays low.
    pub(crate) unsafe fn launch(&self, device: &Device, inputs: &[Entry]) -> Result<()> {
        let groups = || self.plan.passes.iter().flat_map(|pass| pass.groups.iter().map(|group| (pass.to, group)));
        let mut table = Vec::with_capacity(self.plan.table_runs);
        for (_, group) in groups() {
            if let Some(Merge::Kway { runs, .. }) = group.merge {
                let end = table.len() + runs as usize;
                table.extend(group.runs.iter().map(|&run| self.entry(run, inputs)));
                table.resize(end, Entry::default());
            }
        }
        // SAFETY: the table has as many entries as the plan says.
        unsafe { write_table(device, self.table, &table)? };
        let mut table = self.table;
        for (index, (to, group)) in (0..).zip(groups()) {
            // SAFETY: the caller's promise; a pass reads inputs and what the one before has written.
            table += unsafe { self.launch_group(device, (to, group), inputs, table, index)? };
        }
        Ok(())
    }

    fn entry(&self, (place, len): (RunPlace, u64), inputs: &[Entry]) -> Entry {
        match place {
            RunPlace::Input(input) => inputs[input],
            RunPlace::Merged(area, at) => {
                let payloads = self.payloads.map_or(0, |payloads| payloads.at(area, at));
                Entry { keys: self.keys.at(area, at), payloads, len, first: 0 }
            }
        }
    }

    /// Launches the merge of one group, the `index`-th, whose runs are in the table at `table`. The bytes that they
    /// take there.
    ///
    /// # Safety
    /// As [`Job::launch`].
    unsafe fn launch_group(
        &self,
        device: &Device,
        (to, group): (Area, &ManyGroup),
        inputs: &[Entry],
        table: u64,
        index: u32,
    ) -> Result<u64> {
        let Some(merge @ Merge::Kway { runs, .. }) = group.merge else {
            for &run in &group.runs {
                let from = self.entry(run, inputs);
                let copy = |from, places: &Places| {
                    // SAFETY: the caller's promise.
                    unsafe { device.copy(from, places.at(to, group.at), (group.len * places.bytes) as usize) }
                };
                copy(from.keys, &self.keys)?;
                self.payloads.iter().try_for_each(|payloads| copy(from.payloads, payloads))?;
            }
            return Ok(0);
        };
        let kernels = self.kernels.by(runs);
        let table_merge = TableMerge { kernels, n: group.len, order: self.order, index, table, cuts: self.cuts };
        let payloads = self.payloads.map(|payloads| payloads.at(to, group.at));
        // SAFETY: the caller's promise; there is room for the cuts of any group.
        unsafe { table_merge.launch(device, merge, self.keys.at(to, group.at), payloads)? };
        Ok(u64::from(runs * WORDS) * size_of::<u64>() as u64)
    }
}

/// A merge of the runs that a table in device memory names.
pub(crate) struct TableMerge<'a> {
    /// The kernels for so many runs.
    pub(crate) kernels: &'a KwayPass,
    /// Elements of all runs.
    pub(crate) n: u64,
    /// The order of the keys.
    pub(crate) order: Order,
    /// Which merge it is of all, to the guard.
    pub(crate) index: u32,
    /// The table.
    pub(crate) table: u64,
    /// Room for the cuts.
    pub(crate) cuts: u64,
}

impl TableMerge<'_> {
    /// Launches the planned `merge` of them all, with keys and payloads to these addresses.
    ///
    /// # Safety
    /// The table is there by then, its inputs, the outputs and the room for the cuts are claimed memory of the device, and no
    /// output overlaps an input.
    pub(crate) unsafe fn launch(&self, device: &Device, merge: Merge, keys: u64, payloads: Option<u64>) -> Result<()> {
        let Merge::Kway { tiles, boundaries, stride, partition_grid, grid, .. } = merge else { return Ok(()) };
        let (kernels, order) = (self.kernels, self.order);
        // The runs are those of the table: the kernels' own source is not looked at.
        let (nowhere, cuts, n) = (Arg::Address(0), Arg::Address(self.cuts), Arg::U64(self.n));
        let (tiles, inputs) = (Arg::U32(tiles), Arg::Address(self.table));
        // With a stride of 1 the first level finds every boundary.
        for level in 0..if stride > 1 { 2 } else { 1 } {
            let [tile, stride, level] = [kernels.tile, stride, level].map(Arg::U32);
            let boundaries = Arg::U64(boundaries);
            let mut search = vec![nowhere, cuts, n, n, tiles, boundaries, tile, stride, level, inputs];
            search.extend(order.told(self.index, &Batch::ONE.of_partition(Area::Data, 0)));
            // SAFETY: the caller's promise.
            unsafe { device.run(kernels.partition, partition_grid, &search)? };
        }
        let mut args = vec![nowhere, Arg::Address(keys)];
        args.extend(payloads.into_iter().flat_map(|payloads| [nowhere, Arg::Address(payloads)]));
        // Keys of the user's own are stored as they are.
        let store = if let Order::Encoded(codec) = order { codec } else { Arg::U32(0) };
        args.extend([cuts, n, n, tiles, store, inputs]);
        args.extend(order.told(self.index, &Batch::ONE.of_pass(Area::Data, grid)));
        // SAFETY: as above.
        unsafe { device.run(kernels.pass, grid, &args) }
    }
}
