//! The launches that sort rows.
use super::Rows;
use crate::device::Device;
use crate::error::Result;
use crate::key::{KeyCodec, PayloadWidth, key_bytes};
use crate::plan::{self, RowSort, RowsPlan, Shape, matrix_bytes};
use crate::sort::batch::Batch;
use crate::sort::{Job, Places};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::entry::rows::{RowKernels, row_kernels};
use gridsort_kernels::rows::carried;
use gridsort_kernels::simt::{Arg, Kernel};

/// What the keys of a row carry along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Carry {
    Nothing,
    /// Payloads of 4 or 8 bytes.
    Payloads(PayloadWidth),
    /// Their positions in the row; where keys go is of no interest.
    Positions(PayloadWidth),
}

impl Carry {
    pub(crate) fn width(self) -> PayloadWidth {
        match self {
            Carry::Nothing => PayloadWidth::None,
            Carry::Payloads(width) | Carry::Positions(width) => width,
        }
    }

    /// What the kernels for rows are told.
    pub(crate) fn kind(self) -> Arg {
        Arg::U32(match self {
            Carry::Nothing => carried::NOTHING,
            Carry::Payloads(PayloadWidth::W64) => carried::PAYLOAD_64,
            Carry::Payloads(_) => carried::PAYLOAD_32,
            Carry::Positions(PayloadWidth::W64) => carried::POSITION_64,
            Carry::Positions(_) => carried::POSITION_32,
        })
    }
}

/// Where a matrix's elements lie: read first, and written at last. Where the keys of an argsort would be written is 0.
#[derive(Clone, Copy)]
pub(crate) struct Ends {
    pub(crate) source: u64,
    pub(crate) data: u64,
}

impl Ends {
    /// Nowhere: of what is not there.
    pub(crate) const NONE: Self = Self { source: 0, data: 0 };

    /// The ends `source` and `data` bytes further on.
    fn offset(self, source: u64, data: u64) -> Self {
        let offset = |end, by| if end == 0 { 0 } else { end + by };
        Self { source: offset(self.source, source), data: offset(self.data, data) }
    }
}

/// A sort of rows that is ready to be launched.
pub(super) struct RowsJob {
    plan: RowsPlan,
    kernels: Option<RowKernels>,
    shape: Shape,
    codec: KeyCodec,
    carry: Carry,
    tiles: Tiles,
    rows: Rows,
    data_stride: u64,
    /// Bytes of scratch memory for the keys of an argsort, in front of the rest.
    keys_bytes: u64,
}

impl RowsJob {
    /// The sort of rows that end `data_stride` elements apart.
    ///
    /// # Errors
    /// Where there are too many keys.
    pub(super) fn new(rows: Rows, data_stride: usize, codec: KeyCodec, carry: Carry, tiles: Tiles) -> Result<Self> {
        let width = codec.width();
        let kernels = row_kernels(width, carry != Carry::Nothing, tiles);
        let shape = Shape::of(width, carry.width(), tiles);
        let tuning = kernels.as_ref().map(|kernels| &kernels.tuning);
        let plan = plan::sort_rows(rows.rows() as u64, rows.columns() as u64, &shape, tuning)?;
        let keys_bytes = match (&plan.sort, carry) {
            (RowSort::Merge(_), Carry::Positions(_)) => {
                matrix_bytes(plan.rows_at_once, rows.columns() as u64, key_bytes(width))?
            }
            _ => 0,
        };
        Ok(Self { plan, kernels, shape, codec, carry, tiles, rows, data_stride: data_stride as u64, keys_bytes })
    }

    pub(super) fn scratch_bytes(&self) -> u64 {
        self.keys_bytes + self.plan.scratch_bytes
    }

    /// Launches the sort, of as many rows at once as a launch takes.
    ///
    /// # Safety
    /// The ends hold the rows, on this device and claimed for this work, and overlap only as the same memory with the same
    /// stride; scratch memory has [`RowsJob::scratch_bytes`]. Payloads are there where keys carry some; positions have no source.
    pub(super) unsafe fn launch(&self, device: &Device, keys: Ends, payloads: Ends, scratch: u64) -> Result<()> {
        let (key_bytes, payload_bytes) = (self.shape.key_bytes, self.shape.payload_bytes);
        let mut first = 0;
        while first < self.rows.rows() as u64 && self.plan.sort != RowSort::Nothing {
            let count = self.plan.rows_at_once.min(self.rows.rows() as u64 - first);
            let (source, data) = (first * self.rows.stride() as u64, first * self.data_stride);
            let (keys, payloads) = (
                keys.offset(source * key_bytes, data * key_bytes),
                payloads.offset(source * payload_bytes, data * payload_bytes),
            );
            // SAFETY: the rows from `first` on, of the memory that the caller vouches for.
            unsafe {
                match (&self.plan.sort, &self.kernels) {
                    (RowSort::Warps { kernel, lanes }, Some(kernels)) => {
                        let rows_of_block = kernels.tuning.warps[*kernel].threads / lanes;
                        let grid = count.div_ceil(rows_of_block.into()) as u32;
                        self.launch_rows(device, kernels.warps[*kernel], grid, count, Some(*lanes), keys, payloads)?;
                    }
                    (RowSort::Blocks(block), Some(kernels)) => {
                        self.launch_rows(device, kernels.blocks[*block], count as u32, count, None, keys, payloads)?;
                    }
                    _ => self.launch_merge(device, count, keys, payloads, scratch)?,
                }
            }
            first += count;
        }
        Ok(())
    }

    /// Launches a kernel for rows.
    ///
    /// # Safety
    /// As [`RowsJob::launch`] of `count` rows, for which the grid is large enough.
    #[allow(clippy::too_many_arguments)] // a launch's
    unsafe fn launch_rows(
        &self,
        device: &Device,
        kernel: &'static Kernel,
        grid: u32,
        count: u64,
        lanes: Option<u32>,
        keys: Ends,
        payloads: Ends,
    ) -> Result<()> {
        let mut args = [keys.source, keys.data, payloads.source, payloads.data].map(Arg::Address).to_vec();
        args.extend([self.carry.kind(), Arg::U64(count), Arg::U32(self.rows.columns() as u32)]);
        args.extend([Arg::U64(self.rows.stride() as u64), Arg::U64(self.data_stride)]);
        // No list: the rows of a matrix.
        args.extend([Arg::Address(0), Arg::Address(0)]);
        args.extend(lanes.map(Arg::U32));
        args.extend([self.codec.arg(), self.codec.arg()]);
        // SAFETY: the caller's promise.
        unsafe { device.run(kernel, grid, &args) }
    }

    /// Launches the merge sort of `count` rows.
    ///
    /// # Safety
    /// As [`RowsJob::launch`].
    unsafe fn launch_merge(&self, device: &Device, count: u64, keys: Ends, payloads: Ends, scratch: u64) -> Result<()> {
        let Some(plan) = self.plan.merge(count, &self.shape)? else { return Ok(()) };
        let columns = self.rows.columns() as u64;
        // Keys of an argsort are sorted in scratch memory, where rows are dense, and so are the positions.
        let argsort = matches!(self.carry, Carry::Positions(_));
        let batch = Batch {
            rows: count,
            source_stride: self.rows.stride() as u64,
            data_stride: if argsort { columns } else { self.data_stride },
            scratch_stride: columns,
        };
        let key_data = if argsort { scratch } else { keys.data };
        let scratch = scratch + self.keys_bytes;
        let key_places = Places { source: keys.source, data: key_data, scratch };
        let payload_scratch = scratch + plan.key_scratch_bytes;
        let payload_places = Places { source: payloads.source, data: payloads.data, scratch: payload_scratch };
        let job = Job::of_batch(plan, self.codec, self.carry.width(), self.tiles, batch);
        // SAFETY: the caller's promise; scratch memory has room for as many rows.
        unsafe { job.launch(device, key_places, (self.carry != Carry::Nothing).then_some(payload_places)) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::EmulatorOptions;
    use crate::key::Key;
    use crate::options::Direction;

    /// More rows than a launch takes are sorted by several.
    #[test]
    fn launches_are_repeated_for_more_rows() {
        let device = Device::emulator_with(EmulatorOptions { tiles: Tiles::Small, ..Default::default() });
        for columns in [7, 90, 1300] {
            let rows = Rows::new(5, columns).with_stride(columns + 3);
            let keys: Vec<u32> = (0..rows.span() as u32).map(|i| i.wrapping_mul(0x9e37_79b9) >> 8).collect();
            let source = device.upload(&keys).unwrap();
            let sorted = device.allocate::<u32>(rows.elements()).unwrap();
            let order = device.allocate::<u64>(rows.elements()).unwrap();
            let codec = u32::codec(Direction::Ascending);
            for carry in [Carry::Nothing, Carry::Positions(PayloadWidth::W64)] {
                let mut job = RowsJob::new(rows, columns, codec, carry, Tiles::Small).unwrap();
                let scratch = device.allocate::<u8>(job.scratch_bytes() as usize).unwrap();
                job.plan.rows_at_once = 2;
                let (keys, positions) = match carry {
                    Carry::Nothing => (Ends { source: source.address(), data: sorted.address() }, Ends::NONE),
                    _ => (Ends { source: source.address(), data: 0 }, Ends { source: 0, data: order.address() }),
                };
                // SAFETY: buffers of the rows, and scratch memory for all of them at once.
                unsafe { job.launch(&device, keys, positions, scratch.address()).unwrap() };
            }
            let (sorted, order) = (sorted.to_vec().unwrap(), order.to_vec().unwrap());
            for row in 0..rows.rows() {
                let here = &keys[row * rows.stride()..][..columns];
                let mut expected = here.to_vec();
                expected.sort_unstable();
                assert_eq!(sorted[row * columns..][..columns], expected, "{columns} columns, row {row}");
                let by_order = order[row * columns..][..columns].iter().map(|&at| here[at as usize]);
                assert!(by_order.eq(expected), "{columns} columns, order of row {row}");
            }
        }
    }
}
