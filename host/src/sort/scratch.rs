//! How much scratch memory an operation takes on a device: pure functions of the number of keys.
use super::Index;
use super::argsort::job_of;
use super::job::SortJob;
use super::pairs::PairsJob;
use crate::device::Device;
use crate::error::Result;
use crate::key::{Key, Payload, PayloadWidth};
use crate::options::{Algorithm, SortOptions};
use crate::plan;

impl Device {
    /// Bytes of scratch memory that sorting `n` keys takes on this device, by the algorithm that
    /// [`Algorithm::Auto`](crate::Algorithm::Auto) means for them: 0 on the CPU.
    ///
    /// Fewer keys may take more: from some number on a sample sort does it, which takes two bytes a key beside the copy, and from
    /// some number on it is the merge sort again. A workspace of fixed size for sorts of up to `n` keys that is to do with the
    /// copy alone is asked for with [`Algorithm::Merge`](crate::Algorithm::Merge), and so are the sorts.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// assert_eq!(Device::emulator().sort_scratch_bytes::<u64>(1 << 20)?, 8 << 20);
    /// assert_eq!(Device::cpu().sort_scratch_bytes::<u64>(1 << 20)?, 0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn sort_scratch_bytes<K: Key>(&self, n: usize) -> Result<u64> {
        self.sort_scratch_bytes_by::<K>(n, Algorithm::Auto)
    }

    /// Bytes of scratch memory that sorting `n` keys by an algorithm takes on this device: 0 on the CPU.
    ///
    /// ```
    /// use gridsort::{Algorithm, Device};
    ///
    /// let bytes = |algorithm| Device::emulator().sort_scratch_bytes_by::<u64>(1 << 28, algorithm);
    /// assert!(bytes(Algorithm::Merge)? < (8 << 28) * 21 / 20);
    /// // Each key's bucket, and tables.
    /// assert!(bytes(Algorithm::Sample)? < (8 << 28) * 13 / 10);
    /// let bytes = Device::emulator().sort_scratch_bytes_by::<u128>(1 << 27, Algorithm::Sample)?;
    /// assert!(bytes < (16 << 27) * 6 / 5);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_buffer`], of what can be known beforehand.
    pub fn sort_scratch_bytes_by<K: Key>(&self, n: usize, algorithm: Algorithm) -> Result<u64> {
        let Some(tiles) = self.tiles() else { return Ok(0) };
        let options = SortOptions::new().algorithm(algorithm);
        Ok(SortJob::new(n, K::codec(options.direction), PayloadWidth::None, tiles, options)?.scratch_bytes())
    }

    /// Bytes of scratch memory that sorting `n` keys with their payloads takes on this device, in place or not. As with
    /// [`Device::sort_scratch_bytes`], fewer keys may take more.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.sort_pairs_scratch_bytes::<u32, u32>(1 << 20)?, 8 << 20);
    /// assert_eq!(device.sort_pairs_scratch_bytes::<u32, [f32; 3]>(1 << 20)?, (4 + 12) << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::PayloadSize`](crate::Error::PayloadSize).
    pub fn sort_pairs_scratch_bytes<K: Key, P: Payload>(&self, n: usize) -> Result<u64> {
        self.sort_pairs_scratch_bytes_by::<K, P>(n, Algorithm::Auto)
    }

    /// Bytes of scratch memory that sorting `n` keys with their payloads by an algorithm takes on this device, in place or not.
    ///
    /// ```
    /// use gridsort::{Algorithm, Device};
    ///
    /// let bytes = |algorithm| Device::emulator().sort_pairs_scratch_bytes_by::<u64, u32>(1 << 28, algorithm);
    /// assert!(bytes(Algorithm::Merge)? < (12 << 28) * 21 / 20);
    /// assert!(bytes(Algorithm::Sample)? < (12 << 28) * 13 / 10);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_pairs_buffer`], of what can be known beforehand.
    pub fn sort_pairs_scratch_bytes_by<K: Key, P: Payload>(&self, n: usize, algorithm: Algorithm) -> Result<u64> {
        let Some(tiles) = self.tiles() else { return plan::carried(n as u64, size_of::<P>()).map(|_| 0) };
        Ok(PairsJob::new::<K, P>(n, true, tiles, SortOptions::new().algorithm(algorithm))?.scratch_bytes())
    }

    /// Bytes of scratch memory that an argsort of `n` keys takes on this device.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// assert_eq!(Device::emulator().argsort_scratch_bytes::<f32, u32>(1 << 20)?, 12 << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn argsort_scratch_bytes<K: Key, I: Index>(&self, n: usize) -> Result<u64> {
        self.argsort_scratch_bytes_by::<K, I>(n, Algorithm::Auto)
    }

    /// Bytes of scratch memory that an argsort of `n` keys by an algorithm takes on this device.
    ///
    /// ```
    /// use gridsort::{Algorithm, Device};
    ///
    /// let bytes = |algorithm| Device::emulator().argsort_scratch_bytes_by::<u64, u32>(1 << 28, algorithm);
    /// assert!(bytes(Algorithm::Merge)? < bytes(Algorithm::Sample)?);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::argsort_into`], of what can be known beforehand.
    pub fn argsort_scratch_bytes_by<K: Key, I: Index>(&self, n: usize, algorithm: Algorithm) -> Result<u64> {
        let Some(tiles) = self.tiles() else { return Ok(0) };
        let keys = plan::area_bytes("argsort", n as u64, size_of::<K>() as u64)?;
        Ok(keys + job_of::<K, I>(n, tiles, SortOptions::new().algorithm(algorithm))?.scratch_bytes())
    }

    /// Bytes of scratch memory that merging inputs of `n` keys in all with their payloads takes on this device: none for
    /// payloads of 4 and 8 bytes.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.merge_pairs_scratch_bytes::<u64>(1 << 20)?, 0);
    /// assert_eq!(device.merge_pairs_scratch_bytes::<u16>(1 << 20)?, 4 << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::PayloadSize`](crate::Error::PayloadSize).
    pub fn merge_pairs_scratch_bytes<P: Payload>(&self, n: usize) -> Result<u64> {
        let carried = plan::carried(n as u64, size_of::<P>())?;
        if self.tiles().is_none() || !carried.positions {
            return Ok(0);
        }
        plan::area_bytes("merge of pairs", n as u64, crate::key::payload_bytes(carried.width))
    }
}
