//! What is measured.
use std::fmt;
use std::time::Instant;

use gridsort::chapter::corank_sort_buffer;
use gridsort::{Device, DeviceBuffer, DeviceKind, SortOptions, Workspace};
use rayon::prelude::*;

use super::check::{self, Fingerprint};
use super::timing::{Times, host_runs, runs};
use crate::Error;
use crate::format::FileKey;
use crate::keys::random;

/// One way to sort.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Case {
    /// Keys alone
    Keys,
    /// Keys with a 32-bit payload each
    Pairs,
    /// The stable order as 32-bit indices
    Argsort,
    /// The textbook's merge sort, one thread for each output position
    Chapter,
    /// The CPU, by rayon's unstable sort
    Host,
}

/// The textbook's sort takes a pass for each power of two: past this it only takes time to see that it is slow.
const CHAPTER_MOST: u8 = 24;
/// The same on the emulator.
const CHAPTER_MOST_EMULATED: u8 = 16;

/// Up to this many keys, each result is checked; above, the first and the last.
const CHECK_ALL: usize = 1 << 22;

impl Case {
    /// All of them.
    pub const ALL: [Case; 5] = [Case::Keys, Case::Pairs, Case::Argsort, Case::Chapter, Case::Host];

    /// Whether the device can do it in bearable time.
    pub(super) fn is_apt(self, device: &Device, log2: u8) -> bool {
        match (self, device.kind()) {
            (Case::Chapter, DeviceKind::Cpu) => false,
            (Case::Chapter, DeviceKind::Emulator) => log2 <= CHAPTER_MOST_EMULATED,
            (Case::Chapter, DeviceKind::Cuda) => log2 <= CHAPTER_MOST,
            // Payloads and narrow indices number the keys.
            (Case::Pairs | Case::Argsort, _) => log2 < 32,
            _ => true,
        }
    }

    /// Times it.
    pub(super) fn measure<K: FileKey>(self, input: &Input<K>, log2: u8) -> Result<Times, Error> {
        match self {
            Case::Keys => {
                input.in_place(log2, |keys, work, options| keys.device().clone().sort_buffer(keys, work, options))
            }
            Case::Chapter => input.in_place(log2, corank_sort_buffer),
            Case::Pairs => input.pairs(log2),
            Case::Argsort => input.argsort(log2),
            Case::Host => input.host(log2),
        }
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Case::Keys => "keys",
            Case::Pairs => "pairs",
            Case::Argsort => "argsort",
            Case::Chapter => "chapter",
            Case::Host => "host",
        })
    }
}

/// Keys to sort, on the host and, never changed, on the device.
pub(super) struct Input<K: FileKey> {
    device: Device,
    keys: Vec<K>,
    pristine: DeviceBuffer<K>,
    fingerprint: Fingerprint,
}

impl<K: FileKey> Input<K> {
    pub(super) fn new(device: &Device, count: usize, seed: u64) -> Result<Self, Error> {
        let keys = random::<K>(count, seed)?;
        let pristine = device.upload(&keys)?;
        let fingerprint = Fingerprint::of(&keys);
        Ok(Input { device: device.clone(), keys, pristine, fingerprint })
    }

    /// A sort of keys where they are.
    fn in_place(
        &self,
        log2: u8,
        sort: impl Fn(&mut DeviceBuffer<K>, &mut Workspace, SortOptions) -> gridsort::Result<()>,
    ) -> Result<Times, Error> {
        let mut work = (self.device.allocate::<K>(self.keys.len())?, Workspace::new(&self.device));
        self.repeat(
            log2,
            &mut work,
            |(keys, _)| keys.copy_from_buffer(&self.pristine),
            |(keys, workspace)| sort(keys, workspace, SortOptions::new()),
            |(keys, _)| check::keys(&keys.to_vec()?, self.fingerprint),
        )
    }

    /// A sort of keys with their indices as payloads.
    fn pairs(&self, log2: u8) -> Result<Times, Error> {
        // Fits: `is_apt`.
        let indices = self.device.upload(&(0..self.keys.len() as u32).collect::<Vec<u32>>())?;
        let keys = self.device.allocate::<K>(self.keys.len())?;
        let payloads = self.device.allocate::<u32>(self.keys.len())?;
        let mut work = (keys, payloads, Workspace::new(&self.device));
        self.repeat(
            log2,
            &mut work,
            |(keys, payloads, _)| {
                keys.copy_from_buffer(&self.pristine)?;
                payloads.copy_from_buffer(&indices)
            },
            |(keys, payloads, workspace)| self.device.sort_pairs_buffer(keys, payloads, workspace, SortOptions::new()),
            |(keys, payloads, _)| check::pairs(&self.keys, &keys.to_vec()?, &payloads.to_vec()?),
        )
    }

    /// The order of keys, which stay as they are.
    fn argsort(&self, log2: u8) -> Result<Times, Error> {
        let mut work = (None, Workspace::new(&self.device));
        self.repeat(
            log2,
            &mut work,
            |(order, _)| {
                *order = None;
                Ok(())
            },
            |(order, workspace)| {
                *order = Some(self.device.argsort_buffer_u32(&self.pristine, workspace, SortOptions::new())?);
                Ok(())
            },
            |(order, _)| match order {
                Some(order) => check::order(&self.keys, &order.to_vec()?),
                None => Ok(()),
            },
        )
    }

    /// Runs once to warm up, then as often as the size wants: fresh input, the timed sort, a look at the result.
    fn repeat<W>(
        &self,
        log2: u8,
        work: &mut W,
        restore: impl Fn(&mut W) -> gridsort::Result<()>,
        sort: impl Fn(&mut W) -> gridsort::Result<()>,
        check: impl Fn(&W) -> Result<(), Error>,
    ) -> Result<Times, Error> {
        let runs = runs(log2);
        let mut times = Vec::with_capacity(runs);
        for run in 0..=runs {
            restore(work)?;
            let start = self.device.record()?;
            sort(work)?;
            let end = self.device.record()?;
            let time = end.elapsed_ms_since(&start)?;
            if run > 0 {
                times.push(time);
            }
            if run == 0 || run == runs || self.keys.len() <= CHECK_ALL {
                check(work)?;
            }
        }
        Ok(Times(times))
    }

    /// The same keys on the CPU, timed by its own clock.
    fn host(&self, log2: u8) -> Result<Times, Error> {
        let runs = host_runs(log2);
        let mut times = Vec::with_capacity(runs);
        for run in 0..=runs {
            let mut keys = self.keys.clone();
            let start = Instant::now();
            keys.par_sort_unstable_by(K::order);
            let time = start.elapsed().as_secs_f64() * 1e3;
            if run > 0 {
                times.push(time);
            } else {
                check::keys(&keys, self.fingerprint)?;
            }
        }
        Ok(Times(times))
    }
}
