//! The textbook's parallel merge and merge sort as they are told: one thread for each output position, which finds by
//! co-rank which element stands there. For comparison and for learning;
//! [`Device::sort_buffer`](crate::Device::sort_buffer) and [`Device::merge_buffers`](crate::Device::merge_buffers) are
//! far faster.
//!
//! Every thread of every pass searches all its pair of runs anew: n log n searches of up to log n steps, each step a
//! read of device memory, and log2 n passes over it from runs of a single key on.
//!
//! ```
//! use gridsort::{Device, SortOptions, Workspace, chapter};
//!
//! let device = Device::emulator();
//! let mut keys = device.upload(&[5u32, 2, 8, 1, 9, 3, 7, 4])?;
//! chapter::corank_sort_buffer(&mut keys, &mut Workspace::new(&device), SortOptions::new())?;
//! assert_eq!(keys.to_vec()?, [1, 2, 3, 4, 5, 7, 8, 9]);
//! # Ok::<(), gridsort::Error>(())
//! ```
use crate::device::{DeviceSlice, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::key::{Key, compare, key_bytes};
use crate::options::SortOptions;
use crate::plan::{self, Area, CorankPlan};
use crate::reference::{at_output, pair_of};
use crate::workspace::Workspace;
use gridsort_kernels::entry::chapter::chapter_kernels;
use gridsort_kernels::simt::Arg;
use rayon::prelude::*;

mod sample;

pub use sample::{sample_sort, sample_sort_pairs};

/// Merges two sorted buffers into a third, one thread for each output position. Of equal keys, those of `a` come first.
///
/// ```
/// use gridsort::{Device, SortOptions, chapter};
///
/// let device = Device::emulator();
/// let (a, b) = (device.upload(&[1, 3, 6, 8])?, device.upload(&[2, 4, 5, 7])?);
/// let mut out = device.allocate(8)?;
/// chapter::corank_merge_buffers(&a, &b, &mut out, SortOptions::new())?;
/// assert_eq!(out.to_vec()?, [1, 2, 3, 4, 5, 6, 7, 8]);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::LengthMismatch`] where `out` is not as long as both inputs together, [`Error::DeviceMismatch`],
/// [`Error::Overlap`], [`Error::TooLarge`], and what goes wrong on the device.
pub fn corank_merge_buffers<K: Key>(
    a: &DeviceSlice<'_, K>,
    b: &DeviceSlice<'_, K>,
    out: &mut DeviceSliceMut<'_, K>,
    options: SortOptions,
) -> Result<()> {
    let device = out.device().clone();
    a.check_device(&device, "the first input")?;
    b.check_device(&device, "the second input")?;
    let len = a.len().saturating_add(b.len());
    if out.len() != len {
        return Err(Error::LengthMismatch { what: "the output buffer", expected: len, found: out.len() });
    }
    out.check_apart("the output buffer", a, "the first input")?;
    out.check_apart("the output buffer", b, "the second input")?;
    if device.tiles().is_none() {
        // SAFETY: the device that runs no kernels is the CPU.
        let (a, b, out) = unsafe { (a.host_slice(), b.host_slice(), out.host_slice_mut()) };
        let order = compare::<K>(options.direction);
        out.par_iter_mut().enumerate().for_each(|(k, key)| *key = *at_output(k, a, b, &order));
        return Ok(());
    }
    if len == 0 {
        return Ok(());
    }
    let kernel = chapter_kernels(K::WIDTH).corank_merge;
    let grid = plan::grid("co-rank merge", len as u64, kernel.threads)?;
    let codec = K::codec(options.direction).arg();
    let args = [
        Arg::Address(a.address()),
        Arg::Address(b.address()),
        Arg::Address(out.address()),
        Arg::U64(a.len() as u64),
        Arg::U64(b.len() as u64),
        codec,
    ];
    let _claims = device.claim([a.allocation(), b.allocation(), out.allocation()])?;
    // SAFETY: three buffers on this device, the output as long as the inputs together and borrowed exclusively; the
    // grid covers it.
    unsafe { device.run(kernel, grid, &args) }
}

/// Sorts a buffer by bottom-up merge sort, one thread for each output position of each pass. Takes scratch memory for
/// one more copy of the keys.
///
/// ```
/// use gridsort::{Device, SortOptions, Workspace, chapter};
///
/// let device = Device::cpu();
/// let mut keys = device.upload(&[0.5f32, 2.5, -1.0])?;
/// let mut workspace = Workspace::new(&device);
/// chapter::corank_sort_buffer(&mut keys, &mut workspace, SortOptions::new().descending())?;
/// assert_eq!(keys.to_vec()?, [2.5, 0.5, -1.0]);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::DeviceMismatch`], [`Error::OutOfMemory`] and [`Error::TooLarge`], all found before a key is moved, and what
/// goes wrong on the device.
pub fn corank_sort_buffer<K: Key>(
    keys: &mut DeviceSliceMut<'_, K>,
    workspace: &mut Workspace,
    options: SortOptions,
) -> Result<()> {
    let device = keys.device().clone();
    workspace.check_device(&device)?;
    let kernel = chapter_kernels(K::WIDTH).corank_pass;
    let plan = plan::corank_sort(keys.len() as u64, key_bytes(K::WIDTH), kernel.threads)?;
    if plan.passes.is_empty() {
        return Ok(());
    }
    workspace.reserve_for(&device, plan.scratch_bytes)?;
    let _claims = device.claim([keys.allocation(), workspace.allocation()])?;
    if plan.start == Area::Scratch {
        // SAFETY: the workspace holds the plan's scratch bytes, at least those of the keys, and is no one else's.
        unsafe { device.copy(keys.address(), workspace.address(), keys.bytes())? };
    }
    if device.tiles().is_none() {
        return sort_on_cpu(keys, workspace, &plan, options);
    }
    let place = |area| match area {
        Area::Data => Arg::Address(keys.address()),
        Area::Scratch => Arg::Address(workspace.address()),
    };
    let codec = K::codec(options.direction).arg();
    for pass in &plan.passes {
        let (n, width) = (Arg::U64(keys.len() as u64), Arg::U64(pass.width));
        let args = [place(pass.from), place(pass.from.other()), n, width, codec];
        // SAFETY: both areas hold n keys; a pass reads one and writes the other, and the grid covers it.
        unsafe { device.run(kernel, plan.grid, &args)? };
    }
    Ok(())
}

fn sort_on_cpu<K: Key>(
    keys: &mut DeviceSliceMut<'_, K>,
    workspace: &mut Workspace,
    plan: &CorankPlan,
    options: SortOptions,
) -> Result<()> {
    let n = keys.len();
    let Some(mut memory) = workspace.memory_mut(keys.bytes()) else {
        return Ok(());
    };
    // SAFETY: the device that runs no kernels is the CPU, and a workspace is nobody else's.
    let (data, scratch) = unsafe { (keys.host_slice_mut(), memory.host_slice_mut()) };
    // A workspace is aligned for every key.
    let scratch: &mut [K] = bytemuck::cast_slice_mut(scratch);
    let order = compare::<K>(options.direction);
    for pass in &plan.passes {
        let (from, to): (&[K], &mut [K]) = match pass.from {
            Area::Data => (data, scratch),
            Area::Scratch => (scratch, data),
        };
        let width = pass.width as usize;
        to.par_iter_mut().enumerate().for_each(|(position, key)| {
            let (begin, middle, end) = pair_of(position, n, width);
            *key = *at_output(position - begin, &from[begin..middle], &from[middle..end], &order);
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::Device;
    use crate::options::Direction;

    fn devices() -> [Device; 2] {
        [Device::cpu(), Device::emulator()]
    }

    #[test]
    fn the_chapters_values_on_every_device() {
        for device in devices() {
            let mut keys = device.upload(&[5i32, 2, 8, 1, 9, 3, 7, 4]).unwrap();
            let mut workspace = Workspace::new(&device);
            corank_sort_buffer(&mut keys, &mut workspace, SortOptions::new()).unwrap();
            assert_eq!(keys.to_vec().unwrap(), [1, 2, 3, 4, 5, 7, 8, 9]);

            let (a, b) = (device.upload(&[1i32, 3, 6, 8]).unwrap(), device.upload(&[2i32, 4, 5, 7]).unwrap());
            let mut out = device.allocate(8).unwrap();
            corank_merge_buffers(&a, &b, &mut out, SortOptions::new()).unwrap();
            assert_eq!(out.to_vec().unwrap(), [1, 2, 3, 4, 5, 6, 7, 8]);
        }
    }

    #[test]
    fn every_small_length_in_both_directions() {
        for device in devices() {
            let mut workspace = Workspace::new(&device);
            for n in 0..40usize {
                let keys: Vec<i64> = (0..n as i64).map(|i| (i * 7) % 5 - 2).collect();
                for direction in [Direction::Ascending, Direction::Descending] {
                    let mut buffer = device.upload(&keys).unwrap();
                    let options = SortOptions::new().direction(direction);
                    corank_sort_buffer(&mut buffer, &mut workspace, options).unwrap();
                    let mut expected = keys.clone();
                    expected.sort_by(compare(direction));
                    assert_eq!(buffer.to_vec().unwrap(), expected, "n = {n} {direction} on {}", device.name());
                }
            }
        }
    }

    #[test]
    fn empty_inputs_merge() {
        for device in devices() {
            let (a, b) = (device.upload::<u32>(&[]).unwrap(), device.upload(&[1u32, 2]).unwrap());
            let mut out = device.allocate(2).unwrap();
            corank_merge_buffers(&a, &b, &mut out, SortOptions::new()).unwrap();
            assert_eq!(out.to_vec().unwrap(), [1, 2]);
            let mut nothing = device.allocate(0).unwrap();
            corank_merge_buffers(&a, &a, &mut nothing, SortOptions::new()).unwrap();
            let wrong = corank_merge_buffers(&a, &b, &mut nothing, SortOptions::new());
            assert!(matches!(wrong, Err(Error::LengthMismatch { expected: 2, found: 0, .. })));
        }
    }
}
