//! Merging any number of sorted inputs into one.
pub(crate) mod check;
pub(crate) mod cpu;
mod keys;
pub(crate) mod launch;
mod pairs;
pub(crate) mod slices;
#[cfg(test)]
mod tests;

pub(crate) use launch::{Order, TableMerge};

use crate::device::{Device, DeviceSlice};
use crate::error::Result;
use crate::key::{Key, Payload, PayloadWidth, compare};
use crate::options::Direction;
use crate::plan::{self, Shape};
use bytemuck::Pod;
use check::merged_len;

const WHAT: &str = "merge of many";
const INPUT: &str = "an input";

/// The position of the first key that must stand before the one ahead of it.
fn first_disorder<K: Key>(keys: &[K], direction: Direction) -> Option<usize> {
    let order = compare::<K>(direction);
    keys.windows(2).position(|pair| order(&pair[0], &pair[1]).is_gt()).map(|at| at + 1)
}

/// The lengths of views.
pub(crate) fn lengths<'v, 'a: 'v, T: Pod>(views: impl IntoIterator<Item = &'v DeviceSlice<'a, T>>) -> Vec<u64> {
    views.into_iter().map(|view| view.len() as u64).collect()
}

impl Device {
    /// Bytes of scratch memory that merging inputs of these many keys takes on this device: 0 on the CPU, and on any
    /// device for up to two inputs that have keys.
    ///
    /// Up to sixteen inputs, or 32 of keys of 32 and 64 bits, take a few hundredths of their own size, more at most another
    /// copy of the keys besides.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.merge_many_scratch_bytes::<u32>(&[1 << 20, 1 << 20])?, 0);
    /// assert!(device.merge_many_scratch_bytes::<u32>(&[1 << 20; 32])? < 1 << 20);
    /// assert!(device.merge_many_scratch_bytes::<u32>(&[1 << 20; 40])? < 200 << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn merge_many_scratch_bytes<K: Key>(&self, lengths: &[usize]) -> Result<u64> {
        merged_len(lengths.iter().copied())?;
        let Some(tiles) = self.tiles() else { return Ok(0) };
        let lengths: Vec<u64> = lengths.iter().map(|&len| len as u64).collect();
        Ok(plan::merge_many(&lengths, &Shape::of(K::WIDTH, PayloadWidth::None, tiles))?.scratch_bytes)
    }

    /// Bytes of scratch memory that merging inputs of these many keys with their payloads takes on this device.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.merge_many_pairs_scratch_bytes::<u32, u32>(&[1 << 20, 1 << 20])?, 0);
    /// // Payloads of other sizes than 4 and 8 bytes are fetched by positions.
    /// assert_eq!(device.merge_many_pairs_scratch_bytes::<u32, u8>(&[1 << 20, 1 << 20])?, 8 << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`](crate::Error::TooLarge), [`Error::PayloadSize`](crate::Error::PayloadSize).
    pub fn merge_many_pairs_scratch_bytes<K: Key, P: Payload>(&self, lengths: &[usize]) -> Result<u64> {
        let n = merged_len(lengths.iter().copied())?;
        let Some(tiles) = self.tiles() else {
            return plan::carried(n as u64, size_of::<P>()).map(|_| 0);
        };
        let lengths: Vec<u64> = lengths.iter().map(|&len| len as u64).collect();
        Ok(plan::merge_many_pairs(&lengths, K::WIDTH, size_of::<P>(), tiles)?.scratch_bytes)
    }
}
