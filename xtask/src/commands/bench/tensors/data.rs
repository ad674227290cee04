//! The keys of all jobs, on host and device.
use gridsort::{Device, DeviceBuffer, DeviceSlice};

use super::super::inputs::{self, Distribution};
use crate::Error;

/// Input sets, used in turns.
pub(in crate::commands::bench) const SETS: usize = 2;

/// Uniformly random keys, never changed. Every job takes as many as it needs from the beginning of each set: a key hangs on
/// its position alone, so that peers make the same.
pub(in crate::commands::bench) struct Data {
    pub(super) device: Device,
    pub(in crate::commands::bench) seed: u64,
    host: Vec<Vec<f32>>,
    pristine: Vec<DeviceBuffer<f32>>,
}

impl Data {
    /// Sets of so many keys.
    pub(super) fn new(device: &Device, most: usize, seed: u64) -> Result<Self, Error> {
        let mut data = Data { device: device.clone(), seed, host: Vec::new(), pristine: Vec::new() };
        for set in 0..SETS as u64 {
            let mut keys: Vec<f32> = bytemuck::allocation::try_zeroed_vec(most)
                .map_err(|()| Error::msg(format!("{most} f32 keys do not fit in memory")))?;
            inputs::fill(&mut keys, Distribution::Uniform, seed.wrapping_add(set), &[]);
            data.pristine.push(device.upload(&keys)?);
            data.host.push(keys);
        }
        Ok(data)
    }

    /// The first keys of the set whose turn it is.
    pub(super) fn host(&self, run: usize, elements: usize) -> &[f32] {
        &self.host[run % SETS][..elements]
    }

    /// The same on the device.
    pub(super) fn pristine(&self, run: usize, elements: usize) -> Result<DeviceSlice<'_, f32>, Error> {
        Ok(self.pristine[run % SETS].slice(..elements)?)
    }

    /// Of the keys of all sets, for peers to prove that theirs are the same.
    pub(in crate::commands::bench) fn digest(&self, elements: usize) -> u64 {
        (0..SETS).fold(0, |sum, set| sum.wrapping_add(inputs::digest(self.host(set, elements))))
    }
}
