//! Input sets on host and device, and the loop that times a sort on them.
use gridsort::{Device, DeviceBuffer, Key};

use super::check::Fingerprint;
use super::inputs::{self, Distribution};
use super::timing::{self, Step, Times};
use crate::Error;

/// Bytes of all input sets together, where they are small: several are rotated among, so that caches and branch
/// predictors do not see the same keys again and again.
const ROTATED_BYTES: usize = 32 << 20;
/// The fewest and the most sets.
const SETS: (usize, usize) = (2, 8);
/// Work buffers, used in turns.
pub(super) const WORK: usize = 2;
/// Up to this many keys, each result is checked; above, the first and the last.
pub(super) const CHECK_ALL: usize = 1 << 20;

/// Which keys, how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Point {
    pub(super) log2: u8,
    pub(super) distribution: Distribution,
    pub(super) seed: u64,
    pub(super) runs: usize,
}

impl Point {
    /// Number of keys.
    pub(super) fn n(&self) -> usize {
        1 << self.log2
    }

    /// Input sets of keys of so many bytes.
    pub(super) fn sets(&self, key_bytes: usize) -> usize {
        (ROTATED_BYTES / (self.n() * key_bytes)).clamp(SETS.0, SETS.1)
    }
}

/// One input, never changed.
pub(super) struct Set<K: Key> {
    pub(super) keys: Vec<K>,
    pub(super) pristine: DeviceBuffer<K>,
    pub(super) fingerprint: Fingerprint,
}

/// The inputs of one point on one device.
pub(super) struct Sets<K: Key> {
    pub(super) device: Device,
    pub(super) point: Point,
    pub(super) sets: Vec<Set<K>>,
    /// Of all sets, for peers to prove that they sorted the same.
    pub(super) digest: u64,
}

impl<K: Key> Sets<K> {
    pub(super) fn new(device: &Device, point: Point, tile: &[u32]) -> Result<Self, Error> {
        let mut sets = Vec::new();
        let mut digest = 0_u64;
        for i in 0..point.sets(size_of::<K>()) {
            let mut keys: Vec<K> = bytemuck::allocation::try_zeroed_vec(point.n())
                .map_err(|()| Error::msg(format!("2^{} {} keys do not fit in memory", point.log2, K::NAME)))?;
            inputs::fill(&mut keys, point.distribution, point.seed.wrapping_add(i as u64), tile);
            digest = digest.wrapping_add(inputs::digest(&keys));
            let pristine = device.upload(&keys)?;
            sets.push(Set { fingerprint: Fingerprint::of(&keys), keys, pristine });
        }
        Ok(Sets { device: device.clone(), point, sets, digest })
    }

    /// A work buffer for each turn.
    pub(super) fn work<W>(&self, make: impl Fn() -> Result<W, Error>) -> Result<Vec<W>, Error> {
        (0..WORK).map(|_| make()).collect()
    }

    /// Runs to warm up, then takes times: fresh input, the timed sort between two events, a look at the result.
    pub(super) fn repeat<W>(
        &self,
        work: &mut [W],
        restore: impl Fn(&Set<K>, &mut W) -> Result<(), Error>,
        mut sort: impl FnMut(&Set<K>, &mut W) -> Result<(), Error>,
        check: impl Fn(&Set<K>, &W) -> Result<(), Error>,
    ) -> Result<Times, Error> {
        timing::repeat(&self.device, self.point.runs, self.point.n() <= CHECK_ALL, |run, step| {
            let (set, work) = (&self.sets[run % self.sets.len()], &mut work[run % WORK]);
            match step {
                Step::Restore => restore(set, work),
                Step::Sort => sort(set, work),
                Step::Check => check(set, work),
            }
        })
    }
}
