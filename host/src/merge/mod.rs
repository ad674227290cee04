//! Merging two sorted inputs into one.
mod cpu;
mod keys;
mod pairs;
#[cfg(test)]
mod tests;

use crate::device::{Device, DeviceBuffer};
use crate::error::{Error, Result};
use bytemuck::Pod;

const WHAT: &str = "merge";

/// The length of the merge of two inputs.
fn merged_len(a: usize, b: usize) -> Result<usize> {
    let limit = usize::MAX as u64;
    a.checked_add(b).ok_or(Error::TooLarge { what: WHAT, n: limit, limit: limit - a as u64 })
}

/// Copies the one input that has elements over the output: there is nothing to merge it with.
fn copy<T: Pod>(device: &Device, source: &DeviceBuffer<T>, target: &mut DeviceBuffer<T>) -> Result<()> {
    if source.bytes() == 0 {
        return Ok(());
    }
    source.check_len("the output buffer", target.len())?;
    // SAFETY: two buffers of one length on one device, and an exclusive and a shared borrow cannot be the same buffer.
    unsafe { device.backend().copy(source.address(), target.address(), source.bytes()) }
}
