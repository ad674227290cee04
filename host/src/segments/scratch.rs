//! How much scratch memory sorts of segments take on a device.
use super::job::SegmentsJob;
use super::pairs::width_of;
use crate::device::Device;
use crate::error::Result;
use crate::key::{Key, Payload};
use crate::options::SortOptions;
use crate::rows::Carry;
use crate::sort::Index;

impl Device {
    /// Bytes of scratch memory that sorting `count` segments of `n` keys takes on this device: for lists of the segments and, where
    /// a segment may be too long for a block, for a copy of the keys.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// let bytes = Device::emulator().sort_segments_scratch_bytes::<f32>(1 << 28, 1 << 20)?;
    /// assert!(bytes < (4 << 28) * 12 / 10);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn sort_segments_scratch_bytes<K: Key>(&self, n: usize, count: usize) -> Result<u64> {
        self.segments_scratch_bytes::<K>(n, count, Carry::Nothing)
    }

    /// Bytes of scratch memory that an argsort of `count` segments of `n` keys takes on this device.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn argsort_segments_scratch_bytes<K: Key, I: Index>(&self, n: usize, count: usize) -> Result<u64> {
        self.segments_scratch_bytes::<K>(n, count, Carry::Positions(I::PAYLOAD_WIDTH))
    }

    /// Bytes of scratch memory that sorting `count` segments of `n` keys with payloads takes on this device.
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::PayloadSize`](crate::Error::PayloadSize).
    pub fn sort_segments_pairs_scratch_bytes<K: Key, P: Payload>(&self, n: usize, count: usize) -> Result<u64> {
        self.segments_scratch_bytes::<K>(n, count, Carry::Payloads(width_of::<P>()?))
    }

    fn segments_scratch_bytes<K: Key>(&self, n: usize, count: usize, carry: Carry) -> Result<u64> {
        let Some(tiles) = self.tiles() else { return Ok(0) };
        Ok(SegmentsJob::new::<u64>(n, count, K::codec(SortOptions::new().direction), carry, tiles)?.scratch_bytes())
    }
}
