//! How much scratch memory sorts of rows take on a device.
use super::job::{Carry, RowsJob};
use super::{Rows, argsort, pairs};
use crate::device::Device;
use crate::error::Result;
use crate::key::{Key, Payload};
use crate::options::SortOptions;
use crate::sort::Index;

impl Device {
    /// Bytes of scratch memory that sorting the rows of a matrix takes on this device, in place or not.
    ///
    /// ```
    /// use gridsort::{Device, Rows};
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.sort_rows_scratch_bytes::<f32>(Rows::new(1_000_000, 256))?, 0);
    /// assert!(device.sort_rows_scratch_bytes::<f32>(Rows::new(16, 1 << 20))? > 4 << 24);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn sort_rows_scratch_bytes<K: Key>(&self, rows: Rows) -> Result<u64> {
        let Some(tiles) = self.tiles() else { return Ok(0) };
        let codec = K::codec(SortOptions::new().direction);
        Ok(RowsJob::new(rows, rows.stride(), codec, Carry::Nothing, tiles)?.scratch_bytes())
    }

    /// Bytes of scratch memory that an argsort of the rows of a matrix takes on this device.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn argsort_rows_scratch_bytes<K: Key, I: Index>(&self, rows: Rows) -> Result<u64> {
        let Some(tiles) = self.tiles() else { return Ok(0) };
        Ok(argsort::job::<K, I>(rows, SortOptions::new(), tiles)?.scratch_bytes())
    }

    /// Bytes of scratch memory that sorting the rows of a matrix with payloads takes on this device.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::PayloadSize`](crate::Error::PayloadSize).
    pub fn sort_rows_pairs_scratch_bytes<K: Key, P: Payload>(&self, rows: Rows) -> Result<u64> {
        let Some(tiles) = self.tiles() else { return Ok(0) };
        Ok(pairs::job::<K, P>(rows, SortOptions::new(), tiles)?.scratch_bytes())
    }
}
