//! Selection: the first or last k of keys, flat or by row; the key of a rank; a sort of the first k alone.
mod cpu;
mod flat;
mod job;
mod nth;
mod options;
mod partial;
mod prepare;
mod rank;
mod rows;

pub use options::SelectOptions;

use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::key::Key;
use crate::options::Direction;
use crate::rows::Rows;
use crate::sort::Index;
use crate::workspace::Workspace;
use job::{SelectJob, Want};

const WHAT: &str = "selection";
const KEYS: &str = "the key buffer";
const VALUES: &str = "the value buffer";
const INDICES: &str = "the index buffer";

/// Where results go.
type Results<'a, 'b, 'c, K, I> = (&'a mut DeviceSliceMut<'b, K>, &'a mut DeviceSliceMut<'c, I>);

/// Refuses more elements than there are to choose from.
fn check_many(wanted: usize, found: usize) -> Result<()> {
    if wanted > found { Err(Error::TooFewElements { wanted, found }) } else { Ok(()) }
}

/// Refuses rows whose indices the index type has no room for.
fn check_index<I: Index>(columns: usize) -> Result<()> {
    let n = columns as u64;
    if n > I::MOST { Err(Error::TooLarge { what: "indices", n, limit: I::MOST }) } else { Ok(()) }
}

impl Device {
    /// The first `k` elements of each row in a direction, of keys in host memory.
    fn select_slice<K: Key>(
        &self,
        keys: &[K],
        rows: Rows,
        k: usize,
        direction: Direction,
        options: SelectOptions,
    ) -> Result<(Vec<K>, Vec<u64>)> {
        rows.check(keys.len())?;
        check_many(k, rows.columns())?;
        let count = rows.rows().saturating_mul(k);
        let (mut values, mut indices) = (host_vec::<K>(count)?, host_vec::<u64>(count)?);
        if count == 0 {
            return Ok((values, indices));
        }
        let keys = &keys[..rows.span()];
        let Some(tiles) = self.tiles() else {
            cpu::select(keys, &rows, k, direction, &mut values, &mut indices);
            return Ok((values, indices));
        };
        let job = SelectJob::new(K::codec(direction), rows, k, Want::of::<u64>(options), tiles)?;
        let data = [size_of_val(keys), size_of_val(&*values), size_of_val(&*indices)].map(|bytes| bytes as u64);
        let total = data.iter().fold(job.scratch_bytes(), |sum, &bytes| sum.saturating_add(bytes));
        let (workspace, value_buffer, index_buffer, key_buffer) = self.allocate_all(total, || {
            let workspace = Workspace::reserved(self, job.scratch_bytes())?;
            let results = (self.allocate::<K>(count)?, self.allocate::<u64>(count)?);
            Ok((workspace, results.0, results.1, self.upload(keys)?))
        })?;
        let claimed = [workspace.allocation(), value_buffer.allocation(), index_buffer.allocation()];
        let _claims = self.claim(claimed.into_iter().chain([key_buffer.allocation()]))?;
        let places = job::Places {
            keys: key_buffer.address(),
            values: value_buffer.address(),
            indices: index_buffer.address(),
            scratch: workspace.address(),
        };
        // SAFETY: buffers and workspace hold what the job asks for.
        unsafe { job.launch(self, places)? };
        value_buffer.copy_to_slice(&mut values)?;
        index_buffer.copy_to_slice(&mut indices)?;
        Ok((values, indices))
    }

    /// Writes the first elements of each row in a direction to buffers, as many of each row as they have room for.
    fn select_into<K: Key, I: Index>(
        &self,
        keys: &DeviceSlice<'_, K>,
        rows: Rows,
        direction: Direction,
        (values, indices): Results<'_, '_, '_, K, I>,
        workspace: &mut Workspace,
        options: SelectOptions,
    ) -> Result<()> {
        keys.check_device(self, KEYS)?;
        values.check_device(self, VALUES)?;
        indices.check_device(self, INDICES)?;
        workspace.check_device(self)?;
        rows.check(keys.len())?;
        let k = values.len() / rows.rows().max(1);
        let expected = k.saturating_mul(rows.rows());
        if values.len() != expected {
            return Err(Error::LengthMismatch { what: VALUES, expected, found: values.len() });
        }
        values.check_len(INDICES, indices.len())?;
        check_many(k, rows.columns())?;
        check_index::<I>(rows.columns())?;
        values.check_apart(VALUES, keys, KEYS)?;
        indices.check_apart(INDICES, keys, KEYS)?;
        indices.check_apart(INDICES, values, VALUES)?;
        if k == 0 {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, values, indices) =
                unsafe { (keys.host_slice(), values.host_slice_mut(), indices.host_slice_mut()) };
            cpu::select(keys, &rows, k, direction, values, indices);
            return Ok(());
        };
        let job = SelectJob::new(K::codec(direction), rows, k, Want::of::<I>(options), tiles)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let _claims =
            self.claim([keys.allocation(), values.allocation(), indices.allocation(), workspace.allocation()])?;
        let places = job::Places {
            keys: keys.address(),
            values: values.address(),
            indices: indices.address(),
            scratch: workspace.address(),
        };
        // SAFETY: buffers and workspace are on this device, do not overlap and hold what the job asks for.
        unsafe { job.launch(self, places) }
    }

    /// Bytes of scratch memory that a selection takes.
    fn select_scratch_bytes<K: Key, I: Index>(&self, rows: Rows, k: usize) -> Result<u64> {
        check_many(k, rows.columns())?;
        check_index::<I>(rows.columns())?;
        let Some(tiles) = self.tiles() else { return Ok(0) };
        let want = Want::of::<I>(SelectOptions::new());
        Ok(SelectJob::new(K::codec(Direction::Ascending), rows, k, want, tiles)?.scratch_bytes())
    }
}
