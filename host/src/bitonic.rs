//! Bitonic sorts of short segments, as the textbook's companion has them: by each warp in its registers, or by each block.
//! To be measured against the merge tile that [`Device::sort_buffer`](crate::Device::sort_buffer) begins with, and for
//! arrays that consist of short segments anyway.
//!
//! A call cuts the buffer into segments of [`Segments::warp`] or [`Segments::block`] keys, the last one maybe shorter, and
//! sorts each in place; keys never leave their segment. There are kernels for 4- and 8-byte keys, alone and with a 4-byte
//! payload. On a GPU calls return when the work is queued. None takes scratch memory.
//!
//! ```
//! use gridsort::{Device, KeyWidth, SortOptions, bitonic};
//!
//! let device = Device::emulator();
//! let segment = bitonic::Segments::of(KeyWidth::W32).unwrap().warp;
//! let mut keys = device.upload(&(0..1000).rev().collect::<Vec<u32>>())?;
//! bitonic::warp_sort_buffer(&mut keys, SortOptions::new())?;
//! assert!(keys.to_vec()?.chunks(segment).all(|keys| keys.is_sorted()));
//! # Ok::<(), gridsort::Error>(())
//! ```
use crate::device::{DeviceSlice, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::key::{Key, KeyWidth, Payload, PayloadWidth, compare};
use crate::options::{Direction, SortOptions};
use crate::plan;
use gridsort_kernels::entry::bitonic::bitonic_kernels;
use gridsort_kernels::simt::Arg;
use rayon::prelude::*;

/// Keys of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Segments {
    /// Where each warp sorts one.
    pub warp: usize,
    /// Where each block does.
    pub block: usize,
}

impl Segments {
    /// The segments for keys of a width, with a payload or without; `None` where there are no kernels.
    ///
    /// ```
    /// use gridsort::{KeyWidth, bitonic::Segments};
    ///
    /// let segments = Segments::of(KeyWidth::W64).unwrap();
    /// assert!(segments.warp.is_multiple_of(32) && segments.block.is_multiple_of(segments.warp));
    /// assert_eq!(Segments::of(KeyWidth::W128), None);
    /// ```
    pub fn of(width: KeyWidth) -> Option<Self> {
        let tuning = bitonic_kernels(width, PayloadWidth::None)?.tuning;
        Some(Self { warp: tuning.warp.warp() as usize, block: tuning.block.tile() as usize })
    }
}

/// Which of the two sorts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Group {
    Warp,
    Block,
}

/// Sorts each segment of [`Segments::warp`] keys. Of the options only the direction counts.
///
/// ```
/// use gridsort::{Device, SortOptions, bitonic};
///
/// let mut keys = Device::emulator().upload(&[2.5f32, -1.0, f32::INFINITY])?;
/// bitonic::warp_sort_buffer(&mut keys, SortOptions::new().descending())?;
/// assert_eq!(keys.to_vec()?, [f32::INFINITY, 2.5, -1.0]);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::NotSupported`] for keys of other widths than 4 and 8 bytes, [`Error::TooLarge`], and what goes wrong on the
/// device.
pub fn warp_sort_buffer<K: Key>(keys: &mut DeviceSliceMut<'_, K>, options: SortOptions) -> Result<()> {
    sort_keys(keys, options, Group::Warp)
}

/// Sorts each segment of [`Segments::block`] keys. Of the options only the direction counts.
///
/// ```
/// use gridsort::{Device, SortOptions, bitonic};
///
/// let mut keys = Device::emulator().upload(&(0..1500).map(|i| i * 7 % 1500).collect::<Vec<i64>>())?;
/// bitonic::block_sort_buffer(&mut keys, SortOptions::new())?;
/// assert!(keys.to_vec()?.into_iter().eq(0..1500));
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// As [`warp_sort_buffer`].
pub fn block_sort_buffer<K: Key>(keys: &mut DeviceSliceMut<'_, K>, options: SortOptions) -> Result<()> {
    sort_keys(keys, options, Group::Block)
}

/// Sorts each segment of [`Segments::warp`] keys and moves payloads along, stably. Of the options only the direction
/// counts.
///
/// ```
/// use gridsort::{Device, SortOptions, bitonic};
///
/// let device = Device::emulator();
/// let (mut keys, mut payloads) = (device.upload(&[3u64, 1, 3, 2])?, device.upload(&[10u32, 11, 12, 13])?);
/// bitonic::warp_sort_pairs_buffer(&mut keys, &mut payloads, SortOptions::new())?;
/// assert_eq!(payloads.to_vec()?, [11, 13, 10, 12]);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// As [`warp_sort_buffer`], [`Error::NotSupported`] also for payloads of other widths than 4 bytes;
/// [`Error::DeviceMismatch`] and [`Error::LengthMismatch`].
pub fn warp_sort_pairs_buffer<K: Key, P: Payload>(
    keys: &mut DeviceSliceMut<'_, K>,
    payloads: &mut DeviceSliceMut<'_, P>,
    options: SortOptions,
) -> Result<()> {
    sort_pairs(keys, payloads, options, Group::Warp)
}

/// Sorts each segment of [`Segments::block`] keys and moves payloads along, stably. Of the options only the direction
/// counts.
///
/// ```
/// use gridsort::{Device, SortOptions, bitonic};
///
/// let device = Device::cpu();
/// let (mut keys, mut payloads) = (device.upload(&[1i32, -1, 1])?, device.upload(&[0.5f32, 1.5, 2.5])?);
/// bitonic::block_sort_pairs_buffer(&mut keys, &mut payloads, SortOptions::new())?;
/// assert_eq!(payloads.to_vec()?, [1.5, 0.5, 2.5]);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// As [`warp_sort_pairs_buffer`].
pub fn block_sort_pairs_buffer<K: Key, P: Payload>(
    keys: &mut DeviceSliceMut<'_, K>,
    payloads: &mut DeviceSliceMut<'_, P>,
    options: SortOptions,
) -> Result<()> {
    sort_pairs(keys, payloads, options, Group::Block)
}

fn sort_keys<K: Key>(keys: &mut DeviceSliceMut<'_, K>, options: SortOptions, group: Group) -> Result<()> {
    let segment = segment(keys, PayloadWidth::None, group)?;
    if keys.device().tiles().is_none() {
        let order = compare::<K>(options.direction);
        // SAFETY: the device that runs no kernels is the CPU.
        let keys = unsafe { keys.host_slice_mut() };
        keys.par_chunks_mut(segment).for_each(|keys| keys.sort_unstable_by(order));
        return Ok(());
    }
    let _claims = keys.device().claim([keys.allocation()])?;
    let address = Arg::Address(keys.address());
    // SAFETY: source and target are the same buffer, borrowed exclusively.
    unsafe { launch(keys, &[address, address], PayloadWidth::None, options.direction, group) }
}

fn sort_pairs<K: Key, P: Payload>(
    keys: &mut DeviceSliceMut<'_, K>,
    payloads: &mut DeviceSliceMut<'_, P>,
    options: SortOptions,
    group: Group,
) -> Result<()> {
    payloads.check_device(keys.device(), "the payload buffer")?;
    keys.check_len("the payload buffer", payloads.len())?;
    payloads.check_apart("the payload buffer", keys, "the key buffer")?;
    // Payloads of other sizes have the width of a position.
    let width = if size_of::<P>() == 4 { P::PAYLOAD_WIDTH } else { PayloadWidth::W64 };
    let segment = segment(keys, width, group)?;
    if keys.device().tiles().is_none() {
        // SAFETY: the device that runs no kernels is the CPU.
        let (keys, payloads) = unsafe { (keys.host_slice_mut(), payloads.host_slice_mut()) };
        keys.par_chunks_mut(segment)
            .zip(payloads.par_chunks_mut(segment))
            .for_each_init(Vec::new, |pairs, (keys, payloads)| sort_segment(pairs, keys, payloads, options.direction));
        return Ok(());
    }
    let _claims = keys.device().claim([keys.allocation(), payloads.allocation()])?;
    let (key, payload) = (Arg::Address(keys.address()), Arg::Address(payloads.address()));
    // SAFETY: sources and targets are the same two buffers, as long as each other and borrowed exclusively.
    unsafe { launch(keys, &[key, key, payload, payload], P::PAYLOAD_WIDTH, options.direction, group) }
}

/// Sorts one segment on the CPU, through memory that is used again for the next one.
fn sort_segment<K: Key, P: Payload>(pairs: &mut Vec<(K, P)>, keys: &mut [K], payloads: &mut [P], direction: Direction) {
    let order = compare::<K>(direction);
    pairs.clear();
    pairs.extend(keys.iter().copied().zip(payloads.iter().copied()));
    pairs.sort_by(|x, y| order(&x.0, &y.0));
    for ((key, payload), pair) in keys.iter_mut().zip(payloads).zip(pairs) {
        (*key, *payload) = *pair;
    }
}

/// Keys of a segment. Widths without kernels are refused on every device alike.
fn segment<K: Key>(keys: &DeviceSlice<'_, K>, payload: PayloadWidth, group: Group) -> Result<usize> {
    let kernels = bitonic_kernels(K::WIDTH, payload);
    let segments = kernels.and_then(|_| Segments::of(K::WIDTH)).ok_or_else(|| Error::NotSupported {
        device: keys.device().name().into(),
        what: "sort by bitonic networks: kernels are for keys of 4 and 8 bytes, with payloads of 4 bytes",
    })?;
    Ok(match group {
        Group::Warp => segments.warp,
        Group::Block => segments.block,
    })
}

/// # Safety
/// The places hold as many elements as `keys`, on its device, for keys and payloads in the order of the kernels'
/// parameters.
unsafe fn launch<K: Key>(
    keys: &DeviceSlice<'_, K>,
    places: &[Arg],
    payload: PayloadWidth,
    direction: Direction,
    group: Group,
) -> Result<()> {
    // `segment` has refused the widths without kernels.
    let Some(kernels) = bitonic_kernels(K::WIDTH, payload).filter(|_| !keys.is_empty()) else {
        return Ok(());
    };
    let (kernel, tile) = match group {
        Group::Warp => (kernels.warp_sort, kernels.tuning.warp.tile()),
        Group::Block => (kernels.block_sort, kernels.tuning.block.tile()),
    };
    let n = keys.len() as u64;
    let grid = plan::grid("bitonic sort", n, tile)?;
    let codec = K::codec(direction).arg();
    let args = [places, &[Arg::U64(n), codec, codec]].concat();
    // SAFETY: the caller's promise; the grid covers all keys.
    unsafe { keys.device().run(kernel, grid, &args) }
}

#[cfg(test)]
mod tests;
