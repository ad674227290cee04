//! Merges of two and of many sorted parts of an input, alone and with payloads.
use gridsort::{Device, DeviceBuffer, DeviceSlice, Key, SortOptions};
use rayon::prelude::*;

use super::check::{self, Fingerprint};
use super::parts::{Parts, arrange};
use super::sets::{Set, Sets};
use super::timing::Times;
use crate::Error;
use gridsort::Workspace;

/// Two sorted halves of a set.
struct Halves<K: Key> {
    host: Vec<K>,
    device: [DeviceBuffer<K>; 2],
    payloads: Option<[DeviceBuffer<u32>; 2]>,
}

impl<K: Key> Halves<K> {
    /// Inputs of a merge, one for each set.
    fn of(sets: &Sets<K>, payloads: bool) -> Result<Vec<Self>, Error> {
        sets.sets.iter().map(|set| Self::new(&sets.device, set, payloads)).collect()
    }

    fn new(device: &Device, set: &Set<K>, payloads: bool) -> Result<Self, Error> {
        let mut host = set.keys.clone();
        let middle = host.len() / 2;
        let (a, b) = host.split_at_mut(middle);
        a.par_sort_unstable_by(K::order);
        b.par_sort_unstable_by(K::order);
        let buffers = [device.upload(a)?, device.upload(b)?];
        let payloads = if payloads {
            let indices = indices(host.len());
            Some([device.upload(&indices[..middle])?, device.upload(&indices[middle..])?])
        } else {
            None
        };
        Ok(Halves { host, device: buffers, payloads })
    }
}

/// A merge reads its input and leaves it, so only the sets are rotated.
pub(super) fn two<K: Key>(sets: &Sets<K>, options: SortOptions) -> Result<Times, Error> {
    let halves = Halves::of(sets, false)?;
    let of = |set: &Set<K>| &halves[index_of(sets, set)].device;
    let mut work = sets.work(|| Ok(sets.device.allocate::<K>(sets.point.n())?))?;
    sets.repeat(
        &mut work,
        |_, _| Ok(()),
        |set, out| {
            let [a, b] = of(set);
            Ok(sets.device.merge_buffers(a, b, out, options)?)
        },
        |set, out| check::keys(&out.to_vec()?, set.fingerprint),
    )
}

/// The same with each key's index among both halves as its payload.
pub(super) fn two_of_pairs<K: Key>(sets: &Sets<K>, options: SortOptions) -> Result<Times, Error> {
    let (device, n) = (&sets.device, sets.point.n());
    let halves = Halves::of(sets, true)?;
    let of = |set: &Set<K>| &halves[index_of(sets, set)];
    let mut work = sets.work(|| Ok((device.allocate::<K>(n)?, device.allocate::<u32>(n)?)))?;
    sets.repeat(
        &mut work,
        |_, _| Ok(()),
        |set, (keys, payloads)| {
            let Halves { device: [a, b], payloads: Some([pa, pb]), .. } = of(set) else { return Ok(()) };
            Ok(device.merge_pairs_buffers((a, pa), (b, pb), (keys, payloads), options)?)
        },
        |set, (keys, payloads)| check::pairs(&of(set).host, &keys.to_vec()?, &payloads.to_vec()?),
    )
}

/// The parts of a set on the device, each in memory of its own.
struct Many<K: Key> {
    keys: Vec<DeviceBuffer<K>>,
    fingerprint: Fingerprint,
}

/// A merge of `k` sorted parts of each set, which are apart from each other in memory.
pub(super) fn many<K: Key>(
    sets: &Sets<K>,
    k: usize,
    parts: Option<Parts>,
    options: SortOptions,
) -> Result<Times, Error> {
    let (device, n) = (&sets.device, sets.point.n());
    let of = |set: &Set<K>| -> Result<Many<K>, Error> {
        let (keys, ranges) = arrange(&set.keys, parts, k);
        let fingerprint = Fingerprint::of(&keys);
        let keys = ranges.into_iter().map(|range| device.upload(&keys[range])).collect::<gridsort::Result<Vec<_>>>()?;
        Ok(Many { keys, fingerprint })
    };
    let inputs = sets.sets.iter().map(of).collect::<Result<Vec<_>, Error>>()?;
    let views: Vec<Vec<&DeviceSlice<'_, K>>> =
        inputs.iter().map(|input| input.keys.iter().map(|part| &***part).collect()).collect();
    let mut workspace = Workspace::new(device);
    let mut work = sets.work(|| Ok(device.allocate::<K>(n)?))?;
    sets.repeat(
        &mut work,
        |_, _| Ok(()),
        |set, out| Ok(device.merge_many_buffers(&views[index_of(sets, set)], out, &mut workspace, options)?),
        |set, out| check::keys(&out.to_vec()?, inputs[index_of(sets, set)].fingerprint),
    )
}

/// The same with each key's index among all parts as its payload.
pub(super) fn many_of_pairs<K: Key>(
    sets: &Sets<K>,
    k: usize,
    parts: Option<Parts>,
    options: SortOptions,
) -> Result<Times, Error> {
    let (device, n) = (&sets.device, sets.point.n());
    let indices = indices(n);
    let of = |set: &Set<K>| {
        let (keys, ranges) = arrange(&set.keys, parts, k);
        let upload =
            |range: std::ops::Range<usize>| Ok((device.upload(&keys[range.clone()])?, device.upload(&indices[range])?));
        let buffers = ranges.into_iter().map(upload).collect::<gridsort::Result<Vec<_>>>()?;
        Ok((keys, buffers))
    };
    let inputs = sets.sets.iter().map(of).collect::<Result<Vec<_>, Error>>()?;
    let views: Vec<Vec<(&DeviceSlice<'_, K>, &DeviceSlice<'_, u32>)>> = inputs
        .iter()
        .map(|(_, buffers)| buffers.iter().map(|(keys, indices)| (&***keys, &***indices)).collect())
        .collect();
    let mut workspace = Workspace::new(device);
    let mut work = sets.work(|| Ok((device.allocate::<K>(n)?, device.allocate::<u32>(n)?)))?;
    sets.repeat(
        &mut work,
        |_, _| Ok(()),
        |set, (keys, payloads)| {
            let inputs = &views[index_of(sets, set)];
            Ok(device.merge_many_pairs_buffers(inputs, (keys, payloads), &mut workspace, options)?)
        },
        |set, (keys, payloads)| check::pairs(&inputs[index_of(sets, set)].0, &keys.to_vec()?, &payloads.to_vec()?),
    )
}

/// Which of the sets it is.
fn index_of<K: Key>(sets: &Sets<K>, set: &Set<K>) -> usize {
    sets.sets.iter().position(|other| std::ptr::eq(other, set)).unwrap_or(0)
}

/// Payloads that number the keys.
pub(super) fn indices(n: usize) -> Vec<u32> {
    // Fits: `Case::is_apt`.
    (0..n as u32).collect()
}
