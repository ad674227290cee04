//! Merging any number of sorted inputs into one.
mod cpu;
mod keys;
mod launch;
mod pairs;
#[cfg(test)]
mod tests;

pub(crate) use launch::TableMerge;

use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::key::{Key, Payload, PayloadWidth, compare};
use crate::options::Direction;
use crate::plan::{self, Shape};
use bytemuck::Pod;

const WHAT: &str = "merge of many";
const INPUT: &str = "an input";

/// The length of the merge of inputs of these lengths.
fn merged_len(lengths: impl IntoIterator<Item = usize>) -> Result<usize> {
    let limit = usize::MAX as u64;
    let add = |sum: usize, len: usize| sum.checked_add(len);
    lengths.into_iter().try_fold(0, add).ok_or(Error::TooLarge { what: WHAT, n: limit, limit: limit - 1 })
}

/// Refuses inputs that are not sorted.
fn check_sorted<'a, K: Key>(inputs: impl IntoIterator<Item = &'a [K]>, direction: Direction) -> Result<()> {
    let order = compare::<K>(direction);
    for keys in inputs {
        if let Some(before) = keys.windows(2).position(|pair| order(&pair[0], &pair[1]).is_gt()) {
            return Err(Error::NotSorted { input: INPUT, position: before + 1 });
        }
    }
    Ok(())
}

/// Refuses an output that is not as long as all inputs, or on another device than the operation.
fn check_out<T: Pod>(device: &Device, out: &DeviceSliceMut<'_, T>, len: usize, what: &'static str) -> Result<()> {
    out.check_device(device, what)?;
    if out.len() == len { Ok(()) } else { Err(Error::LengthMismatch { what, expected: len, found: out.len() }) }
}

/// The lengths of views.
fn lengths<'v, 'a: 'v, T: Pod>(views: impl IntoIterator<Item = &'v DeviceSlice<'a, T>>) -> Vec<u64> {
    views.into_iter().map(|view| view.len() as u64).collect()
}

impl Device {
    /// Bytes of scratch memory that merging inputs of these many keys takes on this device: 0 on the CPU, and on any device
    /// for up to two inputs that have keys.
    ///
    /// Up to sixteen inputs take a few hundredths of their own size, more at most another copy of the keys besides.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// let device = Device::emulator();
    /// assert_eq!(device.merge_many_scratch_bytes::<u32>(&[1 << 20, 1 << 20])?, 0);
    /// assert!(device.merge_many_scratch_bytes::<u32>(&[1 << 20; 16])? < 1 << 20);
    /// assert!(device.merge_many_scratch_bytes::<u32>(&[1 << 20; 40])? < 200 << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`].
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
    /// [`Error::TooLarge`], [`Error::PayloadSize`].
    pub fn merge_many_pairs_scratch_bytes<K: Key, P: Payload>(&self, lengths: &[usize]) -> Result<u64> {
        let n = merged_len(lengths.iter().copied())?;
        let Some(tiles) = self.tiles() else {
            return plan::carried(n as u64, size_of::<P>()).map(|_| 0);
        };
        let lengths: Vec<u64> = lengths.iter().map(|&len| len as u64).collect();
        Ok(plan::merge_many_pairs(&lengths, K::WIDTH, size_of::<P>(), tiles)?.scratch_bytes)
    }
}
