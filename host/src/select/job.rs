//! The launches of a planned selection.
use super::rank::{launch_begin, launch_digits};
use super::{SelectOptions, WHAT};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::key::{KeyCodec, PayloadWidth, key_bytes, payload_bytes};
use crate::options::{Algorithm, SortOptions};
use crate::plan::{ListsPlan, SelectPlan, Shape, StreamPlan, StreamWay, area_bytes, merge_sort, select};
use crate::rows::Rows;
use crate::sort::{self, Index};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::entry::select::lists::{ListKernels, list_kernels};
use gridsort_kernels::entry::select::{SelectKernels, select_judge, select_kernels};
use gridsort_kernels::simt::Arg;

/// What is wanted beside the keys.
#[derive(Clone, Copy)]
pub(super) struct Want {
    /// The width of an index.
    index: PayloadWidth,
    seed: u64,
}

impl Want {
    pub(super) fn of<I: Index>(options: SelectOptions) -> Self {
        Self { index: I::PAYLOAD_WIDTH, seed: options.seed }
    }
}

/// Addresses of keys, results and scratch memory.
#[derive(Clone, Copy)]
pub(super) struct Places {
    pub(super) keys: u64,
    pub(super) values: u64,
    pub(super) indices: u64,
    pub(super) scratch: u64,
}

/// A selection that is ready to be launched.
pub(super) struct SelectJob {
    kernels: SelectKernels,
    codec: KeyCodec,
    rows: Rows,
    k: u64,
    want: Want,
    way: Way,
}

/// How.
enum Way {
    Nothing,
    Stream(StreamPlan),
    Lists(ListsPlan, ListKernels, Sort),
    Sort(Sort),
}

/// A sort that is a part of it.
struct Sort {
    job: sort::Job,
    /// Bytes of the keys that it sorts, where they must be copied first.
    key_bytes: u64,
    /// Bytes of its own scratch memory.
    own_bytes: u64,
    /// Bytes of the positions that it makes.
    position_bytes: u64,
}

impl Sort {
    fn new(n: u64, codec: KeyCodec, payload: PayloadWidth, tiles: Tiles) -> Result<Self> {
        let options = SortOptions::new().algorithm(Algorithm::Merge);
        let len = usize::try_from(n).map_err(|_| Error::TooLarge { what: WHAT, n, limit: usize::MAX as u64 })?;
        Ok(Self {
            job: sort::Job::new(len, codec, payload, tiles, options)?,
            key_bytes: area_bytes(WHAT, n, key_bytes(codec.width()))?,
            own_bytes: merge_sort(n, &Shape::of(codec.width(), payload, tiles))?.scratch_bytes,
            position_bytes: area_bytes(WHAT, n, payload_bytes(payload))?,
        })
    }
}

impl SelectJob {
    pub(super) fn new(codec: KeyCodec, rows: Rows, k: usize, want: Want, tiles: Tiles) -> Result<Self> {
        let width = codec.width();
        let kernels = select_kernels(width, tiles);
        let (columns, k) = (rows.columns() as u64, k as u64);
        let way = match select(rows.rows() as u64, columns, k, key_bytes(width), &kernels.tuning)? {
            SelectPlan::Nothing => Way::Nothing,
            SelectPlan::Rows(plan) => Way::Stream(plan),
            SelectPlan::Lists(plan) => {
                let lists = list_kernels(width, plan.wide, tiles);
                let (Some(lists), Some(last)) = (lists, plan.lists.last().copied()) else {
                    return Err(Error::TooLarge { what: WHAT, n: columns, limit: 0 });
                };
                let sort = Sort::new(last.capacity, KeyCodec::identity(lists.width), PayloadWidth::None, tiles)?;
                Way::Lists(plan, lists, sort)
            }
            SelectPlan::Sort => Way::Sort(Sort::new(columns, codec, want.index, tiles)?),
        };
        Ok(Self { kernels, codec, rows, k, want, way })
    }

    /// Whether it sorts whole rows.
    pub(super) fn is_sort(&self) -> bool {
        matches!(self.way, Way::Sort(_))
    }

    pub(super) fn scratch_bytes(&self) -> u64 {
        match &self.way {
            Way::Nothing => 0,
            Way::Stream(plan) => plan.scratch_bytes,
            Way::Lists(plan, _, sort) => plan.sort + sort.own_bytes,
            Way::Sort(sort) => sort.key_bytes + sort.own_bytes + sort.position_bytes,
        }
    }

    /// Launches it.
    ///
    /// # Safety
    /// The places hold the rows, `k` results of each and the job's scratch memory, on this device, claimed for this work.
    /// No two overlap.
    pub(super) unsafe fn launch(&self, device: &Device, places: Places) -> Result<()> {
        if let Way::Stream(plan) = &self.way {
            // SAFETY: the caller's promise is the one asked for.
            return unsafe { self.launch_stream(device, plan, places) };
        }
        let bytes = key_bytes(self.codec.width());
        for row in 0..self.rows.rows() as u64 {
            let row_places = Places {
                keys: places.keys + row * self.rows.stride() as u64 * bytes,
                values: places.values + row * self.k * bytes,
                indices: places.indices + row * self.k * payload_bytes(self.want.index),
                ..places
            };
            // SAFETY: one row of what the caller promises.
            unsafe {
                match &self.way {
                    Way::Lists(plan, kernels, sort) => self.launch_lists(device, plan, kernels, sort, row_places)?,
                    Way::Sort(sort) => self.launch_sort(device, sort, row_places)?,
                    Way::Nothing | Way::Stream(_) => {}
                }
            }
        }
        Ok(())
    }

    /// Whether indices are 64-bit, as kernels take it.
    fn wide(&self) -> Arg {
        Arg::U32(u32::from(self.want.index == PayloadWidth::W64))
    }

    unsafe fn launch_stream(&self, device: &Device, plan: &StreamPlan, places: Places) -> Result<()> {
        let (mut keys, mut indices, mut stride) = (places.keys, 0, self.rows.stride() as u64);
        for (i, level) in plan.levels.iter().enumerate() {
            let last = i + 1 == plan.levels.len();
            let area = plan.areas[i % 2].map(|offset| places.scratch + offset);
            let [values, out] = if last { [places.values, places.indices] } else { area };
            let mut args = vec![Arg::Address(keys), Arg::Address(indices)];
            args.extend([plan.rows, level.columns, stride].map(Arg::U64));
            let kernel = match level.way {
                StreamWay::Narrow { segment } => {
                    // At most the columns, which fit shared memory.
                    args.extend([segment, plan.k as u32].map(Arg::U32));
                    self.kernels.narrow
                }
                StreamWay::Stream { slices, slice, room } => {
                    args.extend([Arg::U32(slices), Arg::U64(slice), Arg::U64(plan.k), Arg::U32(room)]);
                    self.kernels.stream
                }
            };
            args.extend([Arg::Address(values), Arg::Address(out), if last { self.wide() } else { Arg::U32(1) }]);
            args.extend([Arg::U64(level.results), self.codec.arg()]);
            // SAFETY: the plan's grids and areas, and the places that the caller vouches for.
            unsafe { device.run(kernel, level.grid, &args)? };
            (keys, indices, stride) = (values, out, level.results);
        }
        Ok(())
    }

    unsafe fn launch_lists(
        &self,
        device: &Device,
        plan: &ListsPlan,
        kernels: &ListKernels,
        sort: &Sort,
        places: Places,
    ) -> Result<()> {
        let (rank, lists) = (&plan.rank, &plan.lists);
        let scratch = |offset: u64| Arg::Address(places.scratch + offset);
        let (keys, n, k, state) = (Arg::Address(places.keys), Arg::U64(rank.n), Arg::U64(plan.k), scratch(rank.state));
        let seed = Arg::U64(self.want.seed);
        let last = lists.len() - 1;
        let target = |list: usize| {
            let level = &lists[list];
            [scratch(level.elements), Arg::U64(level.capacity), state, Arg::U32(list as u32)]
        };
        // SAFETY: the plan's grids and areas, and the places that the caller vouches for.
        unsafe {
            launch_begin(device, &self.kernels, rank, places.scratch, plan.k - 1, false)?;
            let filter = |list: usize, exact: bool| {
                let pivot = scratch(lists[list].pivot);
                let mut args = vec![keys, n, Arg::U64(rank.slice), pivot, Arg::U32(exact.into())];
                args.extend(target(list));
                args.push(self.codec.arg());
                device.run(kernels.filter, rank.grid, &args)
            };
            device.run(kernels.pivot, 1, &[keys, n, k, seed, scratch(lists[0].pivot), self.codec.arg()])?;
            filter(0, false)?;
            for (from, level) in lists.iter().enumerate().take(last) {
                let list = [scratch(level.elements), Arg::U32(from as u32), Arg::U64(level.capacity)];
                let pivot = scratch(lists[from + 1].pivot);
                device.run(kernels.repivot, 1, &[list[0], state, list[1], list[2], k, seed, pivot])?;
                let mut args = list.to_vec();
                args.extend([Arg::U64(level.slice), pivot]);
                args.extend(target(from + 1));
                device.run(kernels.refilter, level.grid, &args)?;
            }
            let capacity = |list: usize| Arg::U64(lists.get(list).map_or(0, |level| level.capacity));
            let judged = [state, k, Arg::U32(lists.len() as u32), capacity(0), capacity(1), capacity(2)];
            device.run(&select_judge, 1, &judged)?;
            launch_digits(device, &self.kernels, rank, places.keys, places.scratch, self.codec)?;
            filter(last, true)?;
            let elements = places.scratch + lists[last].elements;
            let pad = [Arg::Address(elements), state, Arg::U32(last as u32), Arg::U64(lists[last].capacity)];
            device.run(kernels.pad, plan.pad_grid, &pad)?;
            sort.job.launch(device, sort::Places::in_place(elements, places.scratch + plan.sort), None)?;
            let results = [Arg::Address(places.values), Arg::Address(places.indices), self.wide(), self.codec.arg()];
            let mut args = vec![Arg::Address(elements), k];
            args.extend(results);
            device.run(kernels.emit, plan.emit_grid, &args)
        }
    }

    unsafe fn launch_sort(&self, device: &Device, sort: &Sort, places: Places) -> Result<()> {
        let data = places.scratch;
        let own = data + sort.key_bytes;
        let positions = own + sort.own_bytes;
        let keys = sort::Places { source: places.keys, data, scratch: own };
        let order = sort::Places { source: 0, data: positions, scratch: own + sort.job.key_scratch_bytes() };
        let bytes = |each: u64| (self.k * each) as usize;
        // SAFETY: the areas of scratch memory are what the sort asks for, and hold k elements at least.
        unsafe {
            sort.job.launch(device, keys, Some(order))?;
            device.copy(data, places.values, bytes(key_bytes(self.codec.width())))?;
            device.copy(positions, places.indices, bytes(payload_bytes(self.want.index)))
        }
    }
}
