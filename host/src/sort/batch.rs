//! Sorts of many arrays by the same launches: what kernels are told of them.
use crate::plan::Area;
use gridsort_kernels::simt::Arg;

/// The arrays that a sort's launches sort, see `gridsort_kernels::batch`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Arrays.
    pub(crate) rows: u64,
    /// Elements from one to the next where they are read from first.
    pub(crate) source_stride: u64,
    /// The same where they must end.
    pub(crate) data_stride: u64,
    /// The same in scratch memory.
    pub(crate) scratch_stride: u64,
}

impl Batch {
    /// One array.
    pub(crate) const ONE: Self = Self { rows: 1, source_stride: 0, data_stride: 0, scratch_stride: 0 };

    fn stride(&self, area: Area) -> Arg {
        Arg::U64(match area {
            Area::Data => self.data_stride,
            Area::Scratch => self.scratch_stride,
        })
    }

    /// Units of a row, of `units` in all: the kernels' name for one array is that it has as many as can be named.
    fn units(&self, units: u64) -> Arg {
        Arg::U32(if self.rows <= 1 { u32::MAX } else { (units / self.rows) as u32 })
    }

    /// The last arguments of a tile sort of `grid` blocks.
    pub(crate) fn of_tile_sort(&self, to: Area, grid: u32) -> [Arg; 4] {
        [self.units(grid.into()), Arg::U64(self.source_stride), self.stride(to), Arg::Address(0)]
    }

    /// The last arguments of a search for `boundaries` cuts.
    pub(crate) fn of_partition(&self, from: Area, boundaries: u64) -> [Arg; 3] {
        [self.units(boundaries), self.stride(from), Arg::Address(0)]
    }

    /// The last arguments of a pass of `grid` blocks.
    pub(crate) fn of_pass(&self, from: Area, grid: u32) -> [Arg; 4] {
        [self.units(grid.into()), self.stride(from), self.stride(from.other()), Arg::Address(0)]
    }
}
