//! Merging slices of host memory on a device that has memory of its own.
use super::check::Pairs;
use crate::device::{Device, DeviceBuffer, DeviceSlice, DeviceSliceMut};
use crate::error::Result;
use crate::workspace::Workspace;
use bytemuck::Pod;

/// Copies inputs to the device, has `merge` merge them there with so many bytes of scratch memory, and copies the
/// result to `merged`, which is as long as all of them.
pub(crate) fn merge_keys<K: Pod>(
    device: &Device,
    inputs: &[&[K]],
    mut merged: Vec<K>,
    scratch_bytes: u64,
    merge: impl FnOnce(&[&DeviceSlice<'_, K>], &mut DeviceSliceMut<'_, K>, &mut Workspace) -> Result<()>,
) -> Result<Vec<K>> {
    let total = (2 * size_of_val(&merged[..]) as u64).saturating_add(scratch_bytes);
    let (mut workspace, mut out, buffers) = device.allocate_all(total, || {
        let workspace = Workspace::reserved(device, scratch_bytes)?;
        let buffers = inputs.iter().map(|keys| device.upload(keys)).collect::<Result<Vec<DeviceBuffer<K>>>>()?;
        Ok((workspace, device.allocate(merged.len())?, buffers))
    })?;
    let views: Vec<&DeviceSlice<'_, K>> = buffers.iter().map(|buffer| &***buffer).collect();
    merge(&views, &mut out, &mut workspace)?;
    out.copy_to_slice(&mut merged)?;
    Ok(merged)
}

/// The same with a payload for each key.
pub(crate) fn merge_pairs<K: Pod, P: Pod>(
    device: &Device,
    inputs: &[(&[K], &[P])],
    mut merged: (Vec<K>, Vec<P>),
    scratch_bytes: u64,
    merge: impl FnOnce(
        &[Pairs<'_, '_, K, P>],
        (&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, P>),
        &mut Workspace,
    ) -> Result<()>,
) -> Result<(Vec<K>, Vec<P>)> {
    let len = merged.0.len();
    let data = (2 * len as u64).saturating_mul((size_of::<K>() + size_of::<P>()) as u64);
    let (mut workspace, mut out, buffers) = device.allocate_all(scratch_bytes.saturating_add(data), || {
        let workspace = Workspace::reserved(device, scratch_bytes)?;
        let upload = |input: &(&[K], &[P])| Ok((device.upload(input.0)?, device.upload(input.1)?));
        let buffers = inputs.iter().map(upload).collect::<Result<Vec<(DeviceBuffer<K>, DeviceBuffer<P>)>>>()?;
        Ok((workspace, (device.allocate(len)?, device.allocate(len)?), buffers))
    })?;
    let views: Vec<Pairs<'_, '_, K, P>> = buffers.iter().map(|(keys, payloads)| (&***keys, &***payloads)).collect();
    merge(&views, (&mut out.0, &mut out.1), &mut workspace)?;
    out.0.copy_to_slice(&mut merged.0)?;
    out.1.copy_to_slice(&mut merged.1)?;
    Ok(merged)
}
