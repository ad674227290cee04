//! What ends a guarded merge: the result of a pass that had none is what it read, or in a merge of many the inputs.
use crate::device::Device;
use crate::error::Result;
use gridsort_kernels::entry::guard::{restore_inputs, restore_source};
use gridsort_kernels::simt::Arg;

/// Bytes that a thread copies where something is restored. Where nothing is, which is as good as always, the launch is
/// to be small.
const BYTES_A_THREAD: u64 = 4096;
/// The most blocks that it has.
const MOST_BLOCKS: u64 = 1024;

/// Launches the copy of what the pass that raised the flag read, if one did: two arrays, each by where the copy is,
/// where it must go, and its bytes. `first` tells which passes read the copies: 1 if the first one does, 0 if the
/// second.
///
/// # Safety
/// As the kernel says; all of it is claimed memory of the device.
pub(crate) unsafe fn restore(
    device: &Device,
    flag: u64,
    first: u32,
    one: (u64, u64, u64),
    other: (u64, u64, u64),
) -> Result<()> {
    let grid = blocks(one.2.max(other.2));
    let places = |(scratch, data, bytes)| [Arg::Address(scratch), Arg::Address(data), Arg::U64(bytes)];
    let mut args = vec![Arg::Address(flag), Arg::U32(first)];
    args.extend(places(one));
    args.extend(places(other));
    // SAFETY: as the caller promises.
    unsafe { device.run(&restore_source, grid, &args) }
}

/// Launches the copy of all inputs of a merge, one behind the other, if a pass of it raised the flag: `count` inputs in
/// the table at `table`, of `n` elements in all. Keys and payloads each by where they must go and the bytes of one.
///
/// # Safety
/// As the kernel says; all of it is claimed memory of the device.
pub(crate) unsafe fn restore_many(
    device: &Device,
    flag: u64,
    (table, count): (u64, u32),
    n: u64,
    keys: (u64, u64),
    payloads: (u64, u64),
) -> Result<()> {
    let mut args = vec![Arg::Address(flag), Arg::Address(table), Arg::U32(count), Arg::U64(n)];
    // An element has a few dozen bytes at most.
    args.extend([keys, payloads].iter().flat_map(|&(at, bytes)| [Arg::Address(at), Arg::U32(bytes as u32)]));
    // SAFETY: as the caller promises.
    unsafe { device.run(&restore_inputs, blocks(n.saturating_mul(keys.1 + payloads.1)), &args) }
}

/// Blocks that copy so many bytes.
fn blocks(bytes: u64) -> u32 {
    let blocks = bytes.div_ceil(BYTES_A_THREAD * u64::from(restore_source.threads));
    blocks.clamp(1, MOST_BLOCKS) as u32
}
