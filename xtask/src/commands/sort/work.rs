//! The sort itself, with its transfers timed apart.
use std::time::{Duration, Instant};

use gridsort::sample::BucketSizes;
use gridsort::{Device, DeviceKind, SortOptions, Workspace};
use rayon::prelude::*;

use crate::Error;
use crate::format::FileKey;
use crate::progress::Progress;

/// What a sort took.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub(super) transfer: Duration,
    pub(super) sort: Duration,
}

/// Keys of the sort that loads a GPU's kernels: enough that every kernel of a sort is launched.
const WARM_UP: usize = 1 << 16;

/// Has a GPU's driver load the kernels, which it does when they are first launched.
pub(crate) fn warm_up<K: FileKey>(device: &Device, options: SortOptions, by_index: bool) -> Result<(), Error> {
    if device.kind() != DeviceKind::Cuda {
        return Ok(());
    }
    let keys = vec![K::zeroed(); WARM_UP];
    let mut buffer = device.upload(&keys)?;
    let mut workspace = Workspace::new(device);
    if by_index {
        device.argsort_buffer_u32(&buffer, &mut workspace, options)?;
    } else {
        device.sort_buffer(&mut buffer, &mut workspace, options)?;
    }
    Ok(device.synchronize()?)
}

/// Sorts keys in place. With `report` it first finds out, outside the times, how even a sample sort's buckets are.
pub(super) fn sort<K: FileKey>(
    device: &Device,
    keys: &mut [K],
    options: SortOptions,
    report: bool,
) -> Result<(Times, Option<BucketSizes>), Error> {
    let _progress = Progress::spinner("sorting");
    let mut clock = Clock::start();
    if device.kind() == DeviceKind::Cpu {
        device.sort(keys, options)?;
        return Ok((Times { transfer: Duration::ZERO, sort: clock.lap() }, None));
    }
    let mut buffer = device.upload(keys)?;
    device.synchronize()?;
    let upload = clock.lap();
    let buckets = if report { device.sample_buckets(&buffer, &mut Workspace::new(device), options)? } else { None };
    clock.lap();
    device.sort_buffer(&mut buffer, &mut Workspace::new(device), options)?;
    device.synchronize()?;
    let sort = clock.lap();
    buffer.copy_to_slice(keys)?;
    Ok((Times { transfer: upload + clock.lap(), sort }, buckets))
}

/// The stable order of keys. Takes the keys, so that they are gone from memory before the order is fetched.
pub(super) fn argsort<K: FileKey>(
    device: &Device,
    keys: Vec<K>,
    options: SortOptions,
) -> Result<(Vec<u64>, Times), Error> {
    let _progress = Progress::spinner("sorting");
    let mut clock = Clock::start();
    if device.kind() == DeviceKind::Cpu {
        let order = device.argsort(&keys, options)?;
        return Ok((order, Times { transfer: Duration::ZERO, sort: clock.lap() }));
    }
    let buffer = device.upload(&keys)?;
    device.synchronize()?;
    drop(keys);
    let upload = clock.lap();
    let mut workspace = Workspace::new(device);
    // Narrow indices halve what the sort moves and what comes back.
    let narrow = u32::try_from(buffer.len()).is_ok();
    let (order, sort) = if narrow {
        let order = device.argsort_buffer_u32(&buffer, &mut workspace, options)?;
        device.synchronize()?;
        let sort = clock.lap();
        (order.to_vec()?.into_par_iter().map(u64::from).collect(), sort)
    } else {
        let order = device.argsort_buffer(&buffer, &mut workspace, options)?;
        device.synchronize()?;
        let sort = clock.lap();
        (order.to_vec()?, sort)
    };
    Ok((order, Times { transfer: upload + clock.lap(), sort }))
}

/// Time since the last look.
pub(super) struct Clock(Instant);

impl Clock {
    pub(super) fn start() -> Self {
        Clock(Instant::now())
    }

    pub(super) fn lap(&mut self) -> Duration {
        let now = Instant::now();
        now - std::mem::replace(&mut self.0, now)
    }
}
