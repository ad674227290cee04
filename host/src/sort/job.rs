//! A sort that is ready to be launched, by whichever algorithm.
use super::sample::SampleJob;
use super::{Job, Places};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::key::{KeyCodec, KeyWidth, PayloadWidth, key_bytes, payload_bytes};
use crate::options::{Algorithm, SortOptions};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::entry::sample::{SampleKernels, sample_kernels};

/// A sort of keys, alone or with what they carry.
pub(super) enum SortJob {
    Merge(Box<Job>),
    Sample(Box<SampleJob>),
}

impl SortJob {
    /// The sort of `n` keys with a payload that the options ask for.
    ///
    /// # Errors
    /// Where there are too many keys, or no kernels for them.
    pub(super) fn new(
        n: usize,
        codec: KeyCodec,
        payload: PayloadWidth,
        tiles: Tiles,
        options: SortOptions,
    ) -> Result<Self> {
        match kernels(n as u64, codec.width(), payload, tiles, options.algorithm) {
            Some(kernels) => {
                Ok(Self::Sample(Box::new(SampleJob::new(n as u64, kernels, codec, payload, options.seed)?)))
            }
            None => Ok(Self::Merge(Box::new(Job::new(n, codec, payload, tiles, options)?))),
        }
    }

    /// The same, of which only what the keys carry is wanted.
    pub(super) fn without_keys(mut self) -> Self {
        if let Self::Sample(job) = &mut self {
            job.keys_wanted = false;
        }
        self
    }

    pub(super) fn scratch_bytes(&self) -> u64 {
        match self {
            Self::Merge(job) => job.plan.scratch_bytes,
            Self::Sample(job) => job.plan.scratch_bytes,
        }
    }

    /// Where in scratch memory payloads go back and forth.
    pub(super) fn payload_scratch(&self) -> u64 {
        match self {
            Self::Merge(job) => job.plan.key_scratch_bytes,
            Self::Sample(job) => job.plan.payloads,
        }
    }

    /// Launches the sort.
    ///
    /// # Safety
    /// As [`Job::launch`]; payloads' scratch memory lies at [`SortJob::payload_scratch`] in that of the keys.
    pub(super) unsafe fn launch(&self, device: &Device, keys: Places, payloads: Option<Places>) -> Result<()> {
        // SAFETY: the caller's promise is the one asked for.
        unsafe {
            match self {
                Self::Merge(job) => job.launch(device, keys, payloads),
                Self::Sample(job) => job.launch(device, keys, payloads),
            }
        }
    }
}

/// The kernels of a sample sort, where it is what `algorithm` means for `n` keys of this width. What fits one block is no
/// more than a tile sort by any name.
fn kernels(
    n: u64,
    width: KeyWidth,
    payload: PayloadWidth,
    tiles: Tiles,
    algorithm: Algorithm,
) -> Option<SampleKernels> {
    let kernels = sample_kernels(width, payload, tiles)?;
    let tuning = &kernels.tuning;
    let chosen = match algorithm {
        Algorithm::Auto => (tuning.from..=tuning.to).contains(&n),
        Algorithm::Sample => n > u64::from(tuning.class_keys().most()),
        _ => false,
    };
    chosen.then_some(kernels)
}

/// Says where a sample sort has no kernels.
///
/// # Errors
/// [`Error::NoSampleSort`].
pub(super) fn check(key: KeyWidth, payload: PayloadWidth, tiles: Tiles) -> Result<()> {
    match sample_kernels(key, payload, tiles) {
        Some(_) => Ok(()),
        None => Err(Error::NoSampleSort { key_bits: 8 * key_bytes(key), payload_bits: 8 * payload_bytes(payload) }),
    }
}
