//! Sorting rows by several columns.
use super::cpu;
use super::launch::Lexsort;
use super::{HostColumn, SortColumn};
use crate::device::{Device, DeviceBuffer, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::plan::{self, LexsortPlan, MAX_POSITIONS_32};
use crate::sort::Index;
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;
use rayon::prelude::*;

const WHAT: &str = "sort by columns";

/// Refuses more rows than there are positions.
fn check_count<I: Index>(rows: usize) -> Result<()> {
    if rows as u64 > I::MOST { Err(Error::TooLarge { what: WHAT, n: rows as u64, limit: I::MOST }) } else { Ok(()) }
}

fn plan_of<I: Index>(
    rows: usize,
    columns: impl Iterator<Item = (crate::KeyWidth, bool)>,
    tiles: Tiles,
) -> Result<LexsortPlan> {
    plan::lexsort(rows as u64, &columns.collect::<Vec<_>>(), I::PAYLOAD_WIDTH, tiles)
}

impl Device {
    /// The order of a table's rows by columns in host memory: by the first column, where that ties by the second, and so
    /// on. Rows that tie in all columns keep their order. Each column has its own direction and place for nulls; names and
    /// meanings are those of Arrow's `lexsort_to_indices`.
    ///
    /// By no columns, the order of nothing.
    ///
    /// ```
    /// use gridsort::{ColumnOptions, Device, HostColumn};
    ///
    /// let (city, population) = ([2u16, 1, 2, 1], [5.0f32, 0.0, 9.0, 3.0]);
    /// let by_city = HostColumn::new(&city, ColumnOptions::new());
    /// // The population of the second row is not known.
    /// let by_size = HostColumn::new(&population, ColumnOptions::new().descending().nulls_last());
    /// let order = Device::emulator().lexsort(&[by_city, by_size.with_validity(&[0b1101], 0)])?;
    /// assert_eq!(order, [3, 1, 2, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where columns differ in length or a bitmap is too short; [`Error::OutOfMemory`],
    /// [`Error::TooLarge`], and what goes wrong on the device.
    pub fn lexsort(&self, columns: &[HostColumn<'_>]) -> Result<Vec<u64>> {
        // Half the traffic wherever 32 bits are enough.
        if columns.first().is_some_and(|column| column.rows() as u64 > MAX_POSITIONS_32) {
            return self.lexsort_slices(columns);
        }
        let narrow = self.lexsort_slices::<u32>(columns)?;
        let mut order = host_vec(narrow.len())?;
        order.par_iter_mut().zip(&narrow).for_each(|(wide, &position)| *wide = u64::from(position));
        Ok(order)
    }

    /// As [`Device::lexsort`], with 32-bit positions: up to 2^32 rows.
    ///
    /// ```
    /// use gridsort::{ColumnOptions, Device, HostColumn};
    ///
    /// let column = HostColumn::new(&[0.5f64, -0.5], ColumnOptions::new());
    /// assert_eq!(Device::emulator().lexsort_u32(&[column])?, [1, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::lexsort`].
    pub fn lexsort_u32(&self, columns: &[HostColumn<'_>]) -> Result<Vec<u32>> {
        self.lexsort_slices(columns)
    }

    fn lexsort_slices<I: Index>(&self, columns: &[HostColumn<'_>]) -> Result<Vec<I>> {
        let rows = columns.first().map_or(0, HostColumn::rows);
        columns.iter().try_for_each(|column| column.check(rows))?;
        check_count::<I>(rows)?;
        let mut order = host_vec(rows)?;
        let Some(tiles) = self.tiles() else {
            cpu::lexsort(columns, &mut order);
            return Ok(order);
        };
        let scratch_bytes = plan_of::<I>(rows, columns.iter().map(HostColumn::planned), tiles)?.scratch_bytes;
        let data = columns.iter().map(HostColumn::bytes).fold(0, u64::saturating_add);
        let total =
            scratch_bytes.saturating_add(data).saturating_add((rows as u64).saturating_mul(size_of::<I>() as u64));
        let (mut workspace, mut positions, uploaded) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, scratch_bytes)?;
            let positions = self.allocate::<I>(rows)?;
            let upload = |column: &HostColumn<'_>| -> Result<(DeviceBuffer<u8>, Option<DeviceBuffer<u8>>)> {
                let bits = column.validity.map(|(bits, _)| self.upload(bits)).transpose()?;
                Ok((self.upload(column.values)?, bits))
            };
            Ok((workspace, positions, columns.iter().map(upload).collect::<Result<Vec<_>>>()?))
        })?;
        let on_device = columns.iter().zip(&uploaded).map(|(column, (values, bits))| SortColumn {
            kind: column.kind,
            options: column.options,
            rows,
            values: values.as_slice(),
            validity: column.validity.zip(bits.as_ref()).map(|((_, first), bits)| (bits.as_slice(), first)),
        });
        let on_device: Vec<SortColumn<'_>> = on_device.collect();
        self.lexsort_into(&on_device, &mut positions, &mut workspace)?;
        positions.copy_to_slice(&mut order)?;
        Ok(order)
    }

    /// Writes the order of a table's rows by columns in the device's memory to a buffer, as 32-bit positions of up to 2^32
    /// rows or as 64-bit ones. Otherwise as [`Device::lexsort`]; by no columns, rows stay as they are: 0, 1, 2 and so on.
    /// On a GPU the call returns when the work is queued. [`Device::gather_into`] then applies the order to any column.
    ///
    /// Takes scratch memory, [`Device::lexsort_scratch_bytes`]. Where the workspace has it, nothing is allocated and nothing
    /// waited for. To capture it in a graph, call it once before: that loads the kernels.
    ///
    /// ```
    /// use gridsort::{ColumnOptions, Device, SortColumn, Workspace};
    ///
    /// let device = Device::emulator();
    /// let (group, value) = (device.upload(&[1u8, 0, 1, 0])?, device.upload(&[10i32, 20, 30, 40])?);
    /// let columns = [
    ///     SortColumn::new(&group, ColumnOptions::new()),
    ///     SortColumn::new(&value, ColumnOptions::new().descending()),
    /// ];
    /// let mut order = device.allocate::<u32>(4)?;
    /// device.lexsort_into(&columns, &mut order, &mut Workspace::new(&device))?;
    /// assert_eq!(order.to_vec()?, [3, 1, 2, 0]);
    ///
    /// let mut sorted = device.allocate::<i32>(4)?;
    /// device.gather_into(&value, &order, &mut sorted)?;
    /// assert_eq!(sorted.to_vec()?, [40, 20, 30, 10]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where a column has not a row for each place of the order, or a bitmap is too short;
    /// [`Error::DeviceMismatch`], [`Error::Overlap`], [`Error::OutOfMemory`], [`Error::ScratchTooSmall`] and
    /// [`Error::TooLarge`], all found before anything is written; and what goes wrong on the device.
    pub fn lexsort_into<I: Index>(
        &self,
        columns: &[SortColumn<'_>],
        order: &mut DeviceSliceMut<'_, I>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        order.check_device(self, "the position buffer")?;
        workspace.check_device(self)?;
        check_count::<I>(order.len())?;
        for column in columns {
            column.check(self, order.len())?;
            order.check_apart("the position buffer", &column.values, "a column")?;
            if let Some((bits, _)) = &column.validity {
                order.check_apart("the position buffer", bits, "a validity bitmap")?;
            }
        }
        if order.is_empty() {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the order overlaps no column.
            let (columns, order) =
                unsafe { (columns.iter().map(|column| column.on_host()).collect::<Vec<_>>(), order.host_slice_mut()) };
            cpu::lexsort(&columns, order);
            return Ok(());
        };
        let plan = plan_of::<I>(order.len(), columns.iter().map(SortColumn::planned), tiles)?;
        workspace.reserve_for(self, plan.scratch_bytes)?;
        let bitmaps = columns.iter().filter_map(|column| column.validity.as_ref()).map(|(bits, _)| bits.allocation());
        let values = columns.iter().map(|column| column.values.allocation());
        let _claims = self.claim(bitmaps.chain(values).chain([order.allocation(), workspace.allocation()]))?;
        let sort = Lexsort { plan, columns, positions: I::PAYLOAD_WIDTH, tiles };
        // SAFETY: columns, order and workspace are on this device and hold what the plan asks for; columns are only read.
        unsafe { sort.launch(self, order.address(), workspace.address()) }
    }

    /// Bytes of scratch memory that sorting rows by these columns takes on this device: 0 on the CPU. Only their types, their
    /// length and which have a validity bitmap matter.
    ///
    /// ```
    /// use gridsort::{ColumnOptions, Device, SortColumn};
    ///
    /// let device = Device::emulator();
    /// let values = device.allocate::<u64>(1 << 20)?;
    /// let columns = [SortColumn::new(&values, ColumnOptions::new())];
    /// // A copy of the keys, and what sorting them with the positions takes.
    /// assert_eq!(device.lexsort_scratch_bytes::<u32>(&columns)?, (8 + 8 + 4) << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`].
    pub fn lexsort_scratch_bytes<I: Index>(&self, columns: &[SortColumn<'_>]) -> Result<u64> {
        let rows = columns.first().map_or(0, SortColumn::rows);
        check_count::<I>(rows)?;
        let Some(tiles) = self.tiles() else { return Ok(0) };
        Ok(plan_of::<I>(rows, columns.iter().map(SortColumn::planned), tiles)?.scratch_bytes)
    }
}
