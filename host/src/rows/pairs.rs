//! Sorting the rows of a matrix, with a payload for each key.
use super::job::{Carry, Ends, RowsJob};
use super::{Rows, cpu};
use crate::device::{Device, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::key::{Key, Payload, PayloadWidth};
use crate::options::SortOptions;
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::Tiles;

/// Bytes of the payloads that rows can carry, at most. Of smaller ones only those of four bytes.
const WIDEST: usize = 8;

/// The width of a payload that moves with the keys of a row.
pub(crate) fn width_of<P: Payload>() -> Result<PayloadWidth> {
    match size_of::<P>() {
        4 => Ok(PayloadWidth::W32),
        8 => Ok(PayloadWidth::W64),
        bytes => Err(Error::PayloadSize { bytes, limit: WIDEST }),
    }
}

/// The sort of rows with payloads.
pub(super) fn job<K: Key, P: Payload>(rows: Rows, options: SortOptions, tiles: Tiles) -> Result<RowsJob> {
    RowsJob::new(rows, rows.stride(), K::codec(options.direction), Carry::Payloads(width_of::<P>()?), tiles)
}

impl Device {
    /// Sorts each row of a matrix in host memory and moves each key's payload of 4 or 8 bytes along, in a matrix of the same
    /// shape. Stable.
    ///
    /// ```
    /// use gridsort::{Device, Rows, SortOptions};
    ///
    /// let mut matrix = [3u32, 1, 2, 4];
    /// let mut names = [0u64, 1, 2, 3];
    /// let options = SortOptions::new().descending();
    /// Device::emulator().sort_rows_pairs(&mut matrix, &mut names, Rows::new(2, 2), options)?;
    /// assert_eq!((matrix, names), ([3, 1, 4, 2], [0, 1, 3, 2]));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_rows`]; [`Error::LengthMismatch`], and [`Error::PayloadSize`] for payloads of other sizes: an argsort
    /// tells where to fetch them.
    pub fn sort_rows_pairs<K: Key, P: Payload>(
        &self,
        keys: &mut [K],
        payloads: &mut [P],
        rows: Rows,
        options: SortOptions,
    ) -> Result<()> {
        rows.check(keys.len())?;
        if payloads.len() != keys.len() {
            return Err(Error::LengthMismatch { what: "the payloads", expected: keys.len(), found: payloads.len() });
        }
        width_of::<P>()?;
        if rows.columns() < 2 || rows.rows() == 0 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            return cpu::sort_pairs(keys, payloads, &rows, options.direction);
        };
        let (keys, payloads) = (&mut keys[..rows.span()], &mut payloads[..rows.span()]);
        let job = job::<K, P>(rows, options, tiles)?;
        let data = (size_of_val(keys) as u64).saturating_add(size_of_val(payloads) as u64);
        let (mut workspace, mut key_buffer, mut payload_buffer) =
            self.allocate_all(job.scratch_bytes().saturating_add(data), || {
                let workspace = Workspace::reserved(self, job.scratch_bytes())?;
                Ok((workspace, self.upload(keys)?, self.upload(payloads)?))
            })?;
        self.sort_rows_pairs_buffer(&mut key_buffer, &mut payload_buffer, rows, &mut workspace, options)?;
        key_buffer.copy_to_slice(keys)?;
        payload_buffer.copy_to_slice(payloads)
    }

    /// Sorts each row of a matrix in the device's memory and moves each key's payload of 4 or 8 bytes along, in a matrix of
    /// the same shape. Stable. On a GPU the call returns when the work is queued.
    ///
    /// ```
    /// use gridsort::{Device, Rows, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let (mut keys, mut names) = (device.upload(&[3u32, 1, 2, 4])?, device.upload(&[0u32, 1, 2, 3])?);
    /// let mut workspace = Workspace::new(&device);
    /// device.sort_rows_pairs_buffer(&mut keys, &mut names, Rows::new(2, 2), &mut workspace, SortOptions::new())?;
    /// assert_eq!(names.to_vec()?, [1, 0, 2, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_rows_buffer`]; [`Error::LengthMismatch`], [`Error::Overlap`] and [`Error::PayloadSize`].
    pub fn sort_rows_pairs_buffer<K: Key, P: Payload>(
        &self,
        keys: &mut DeviceSliceMut<'_, K>,
        payloads: &mut DeviceSliceMut<'_, P>,
        rows: Rows,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        payloads.check_device(self, "the payload buffer")?;
        workspace.check_device(self)?;
        rows.check(keys.len())?;
        keys.check_len("the payload buffer", payloads.len())?;
        width_of::<P>()?;
        payloads.check_apart("the payload buffer", keys, "the key buffer")?;
        if rows.columns() < 2 || rows.rows() == 0 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, payloads) = unsafe { (keys.host_slice_mut(), payloads.host_slice_mut()) };
            return cpu::sort_pairs(keys, payloads, &rows, options.direction);
        };
        let job = job::<K, P>(rows, options, tiles)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims = self.claim([keys.allocation(), payloads.allocation(), workspace.allocation()])?;
        let key_ends = Ends { source: keys.address(), data: keys.address() };
        let payload_ends = Ends { source: payloads.address(), data: payloads.address() };
        // SAFETY: buffers and workspace are on this device, do not overlap and hold what the plan asks for.
        unsafe { job.launch(self, key_ends, payload_ends, workspace.address()) }
    }
}
