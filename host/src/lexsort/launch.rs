//! The launches of a sort by columns.
use super::SortColumn;
use crate::device::Device;
use crate::error::Result;
use crate::gather::GatherBits;
use crate::key::{KeyCodec, KeyWidth, PayloadWidth, key_bytes};
use crate::options::SortOptions;
use crate::plan::LexsortPlan;
use crate::sort::{Gather, Job, Places, Source};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::entry::nulls::{NullKernels, null_kernels};
use gridsort_kernels::simt::Arg;

/// A column as launches see it.
#[derive(Clone, Copy)]
struct Column {
    values: u64,
    width: KeyWidth,
    codec: KeyCodec,
    nulls_first: bool,
    /// The bitmap's address and first bit.
    validity: Option<(u64, u64)>,
}

impl Column {
    fn of(column: &SortColumn<'_>) -> Self {
        Self {
            values: column.values.address(),
            width: column.kind.width,
            codec: column.kind.codec,
            nulls_first: column.options.nulls_first,
            validity: column.validity.as_ref().map(|(bits, first)| (bits.address(), *first as u64)),
        }
    }
}

/// A sort by columns that is ready to be launched.
pub(super) struct Lexsort<'a> {
    pub(super) plan: LexsortPlan,
    pub(super) columns: &'a [SortColumn<'a>],
    pub(super) positions: PayloadWidth,
    pub(super) tiles: Tiles,
}

impl Lexsort<'_> {
    /// Launches it.
    ///
    /// # Safety
    /// `order` has room for `plan.n` positions, at least one, `scratch` for what the plan asks for, and columns and bitmaps
    /// are of as many rows. All are claimed memory of this device, and none that is written overlaps another.
    pub(super) unsafe fn launch(&self, device: &Device, order: u64, scratch: u64) -> Result<()> {
        let kernels = null_kernels(self.positions == PayloadWidth::W64);
        if self.columns.is_empty() {
            let args = [Arg::Address(order), Arg::U64(self.plan.n)];
            // SAFETY: the grid covers n positions, for which there is room.
            return unsafe { device.run(kernels.write_positions, self.plan.positions_grid, &args) };
        }
        let mut so_far = None;
        for column in self.columns.iter().rev() {
            // SAFETY: as the caller promises; after the first column `order` holds the positions 0..n in some order.
            unsafe { self.launch_column(device, Column::of(column), so_far, order, scratch, &kernels)? };
            so_far = Some(order);
        }
        Ok(())
    }

    /// Sorts by one column what stands in the order so far, if there is one.
    ///
    /// # Safety
    /// As [`Lexsort::launch`]; the order so far are the positions `0..n`.
    unsafe fn launch_column(
        &self,
        device: &Device,
        column: Column,
        so_far: Option<u64>,
        order: u64,
        keys: u64,
        kernels: &NullKernels,
    ) -> Result<()> {
        let n = self.plan.n;
        let job = Job::new(n as usize, column.codec, self.positions, self.tiles, SortOptions::new())?;
        let sort_scratch = keys + self.plan.key_bytes;
        let position_scratch = sort_scratch + job.key_scratch_bytes();
        let (key_source, position_source) = match (column.validity, so_far) {
            (Some(validity), _) => {
                // What is scratch memory for positions is free until the sort has read them.
                let moved = position_scratch;
                // SAFETY: the areas behind what the sorts take are the marks', and nothing else uses any of it now.
                unsafe { self.set_nulls_apart(device, column, validity, so_far, keys, moved, kernels)? };
                (keys, moved)
            }
            (None, Some(so_far)) => {
                let bytes = key_bytes(column.width) as usize;
                let from = Source::One(column.values);
                let gather = Gather { n, bytes, positions: so_far, width: self.positions, from, target: keys };
                // SAFETY: the positions are 0..n, as many as the column has keys.
                unsafe { gather.launch(device)? };
                (keys, so_far)
            }
            (None, None) => (column.values, 0),
        };
        let key_places = Places { source: key_source, data: keys, scratch: sort_scratch };
        let position_places = Places { source: position_source, data: order, scratch: position_scratch };
        // SAFETY: places hold what the plan asks for. The first kernel is the only one that reads the sources, each block of
        // it its own tile before it writes that: sources may be where the tile goes.
        unsafe { job.launch(device, key_places, Some(position_places)) }
    }

    /// Writes a column's keys and the positions, nulls before or behind all others.
    ///
    /// # Safety
    /// As [`Lexsort::launch_column`]; `keys` and `moved` have room for `n`.
    #[allow(clippy::too_many_arguments)] // each is an address of its own
    unsafe fn set_nulls_apart(
        &self,
        device: &Device,
        column: Column,
        (bits, first): (u64, u64),
        so_far: Option<u64>,
        keys: u64,
        moved: u64,
        kernels: &NullKernels,
    ) -> Result<()> {
        let plan = &self.plan;
        let marks = keys + plan.key_bytes + plan.sort_bytes;
        let counts = marks + plan.marks_bytes;
        let starts = counts + plan.counts_bytes;
        let bits = GatherBits {
            n: plan.n,
            positions: so_far.unwrap_or(0),
            wide: self.positions == PayloadWidth::W64,
            from: (bits, first, plan.n),
            // In whole words, which the fetch reads.
            target: (marks, plan.n.div_ceil(32) * 4),
            counts,
        };
        let [so_far, values, keys, moved, marks, counts, starts] =
            [so_far.unwrap_or(0), column.values, keys, moved, marks, counts, starts].map(Arg::Address);
        let nulls_first = Arg::U32(column.nulls_first.into());
        let fetched =
            [so_far, values, marks, counts, starts, keys, moved, Arg::U64(plan.n), nulls_first, column.codec.arg()];
        // SAFETY: the grids cover n rows, the areas are as large as the plan made them, and each kernel reads what the one
        // before has written.
        unsafe {
            bits.launch(device)?;
            device.run(kernels.sum_counts, 1, &[counts, starts, Arg::U64(plan.tiles)])?;
            device.run(kernels.fetch_valid(column.width), plan.nulls_grid, &fetched)
        }
    }
}
