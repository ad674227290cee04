//! What is refused before anything is written.
use super::{INPUT, WHAT};
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::workspace::Workspace;
use bytemuck::Pod;

/// Keys on the device and their payloads, to read.
pub(crate) type Pairs<'v, 'a, K, P> = (&'v DeviceSlice<'a, K>, &'v DeviceSlice<'a, P>);

/// The length of the merge of inputs of these lengths.
pub(crate) fn merged_len(lengths: impl IntoIterator<Item = usize>) -> Result<usize> {
    let limit = usize::MAX as u64;
    let add = |sum: usize, len: usize| sum.checked_add(len);
    lengths.into_iter().try_fold(0, add).ok_or(Error::TooLarge { what: WHAT, n: limit, limit: limit - 1 })
}

/// Refuses slices of keys whose payloads are not as many.
pub(crate) fn check_payloads<K, P>(inputs: &[(&[K], &[P])]) -> Result<()> {
    match inputs.iter().find(|(keys, payloads)| payloads.len() != keys.len()) {
        Some((keys, payloads)) => {
            Err(Error::LengthMismatch { what: INPUT, expected: keys.len(), found: payloads.len() })
        }
        None => Ok(()),
    }
}

/// Refuses inputs that are not in order: `disorder` tells the position of the first key that must stand before the one
/// ahead of it.
pub(crate) fn check_sorted<'a, K: 'a>(
    inputs: impl IntoIterator<Item = &'a [K]>,
    disorder: impl Fn(&[K]) -> Option<usize>,
) -> Result<()> {
    match inputs.into_iter().find_map(disorder) {
        Some(position) => Err(Error::NotSorted { input: INPUT, position }),
        None => Ok(()),
    }
}

/// Refuses buffers of keys that do not fit together.
pub(crate) fn check_keys<K: Pod>(
    device: &Device,
    inputs: &[&DeviceSlice<'_, K>],
    out: &DeviceSliceMut<'_, K>,
    workspace: &Workspace,
) -> Result<()> {
    inputs.iter().try_for_each(|keys| keys.check_device(device, INPUT))?;
    workspace.check_device(device)?;
    let len = merged_len(inputs.iter().map(|keys| keys.len()))?;
    check_out(device, out, len, "the output buffer")?;
    inputs.iter().try_for_each(|keys| out.check_apart("the output buffer", keys, INPUT))
}

/// Refuses buffers of keys and payloads that do not fit together.
pub(crate) fn check_pairs<K: Pod, P: Pod>(
    device: &Device,
    inputs: &[Pairs<'_, '_, K, P>],
    out: (&DeviceSliceMut<'_, K>, &DeviceSliceMut<'_, P>),
    workspace: &Workspace,
) -> Result<()> {
    for (keys, payloads) in inputs {
        keys.check_device(device, INPUT)?;
        payloads.check_device(device, INPUT)?;
        keys.check_len(INPUT, payloads.len())?;
    }
    workspace.check_device(device)?;
    let len = merged_len(inputs.iter().map(|input| input.0.len()))?;
    check_out(device, out.0, len, "the key output")?;
    check_out(device, out.1, len, "the payload output")?;
    for (keys, payloads) in inputs {
        out.0.check_apart("the key output", keys, INPUT)?;
        out.0.check_apart("the key output", payloads, INPUT)?;
        out.1.check_apart("the payload output", keys, INPUT)?;
        out.1.check_apart("the payload output", payloads, INPUT)?;
    }
    out.0.check_apart("the key output", out.1, "the payload output")
}

/// Refuses an output that is not as long as all inputs, or on another device than the operation.
fn check_out<T: Pod>(device: &Device, out: &DeviceSliceMut<'_, T>, len: usize, what: &'static str) -> Result<()> {
    out.check_device(device, what)?;
    if out.len() == len { Ok(()) } else { Err(Error::LengthMismatch { what, expected: len, found: out.len() }) }
}
