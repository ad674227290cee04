//! Sorts and merges by orders that contradict themselves: whatever comes out must be a permutation of what went in.
use super::{WILD, scrambled};
use gridsort::plan::ALIGNMENT;
use gridsort::{Device, DeviceSliceMut, Workspace};
use records_order::{WILD_RULES, Wild};
use std::error::Error;

/// What became of the sorts and merges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Operations that gave a permutation, which is all of them.
    pub(crate) operations: u32,
    /// Sorts of which a merge pass had no result, so that what it read was taken instead.
    pub(crate) restored: u32,
    /// Merges of many inputs of which a pass had no result, so that the inputs themselves were taken.
    pub(crate) restored_merges: u32,
}

/// Numbers of inputs that are merged: by the narrowest kernel, by the widest, and in two passes.
const INPUTS: [usize; 3] = [4, 13, 30];

/// Every operation on so many keys, by every rule and by all mixed.
///
/// # Errors
/// Where an operation fails or loses or doubles a key.
pub(crate) fn run(device: &Device, count: usize) -> Result<Seen, Box<dyn Error>> {
    let mut seen = Seen::default();
    for rule in 0..=WILD_RULES {
        // Some values among which many are equal, and some among which few are.
        for values in [1 << 32, 30] {
            let keys: Vec<Wild> = (0..count).map(|i| wild(i, rule, values)).collect();
            operations(device, &keys, &mut seen).map_err(|error| format!("{count} keys by rule {rule}: {error}"))?;
        }
    }
    println!(
        "{} operations on {count} keys by orders that contradict themselves on {}: all permutations; in {} sorts the guard's flag was \
         raised, and what the pass had read restored; in {} merges of many, the inputs",
        seen.operations,
        device.name(),
        seen.restored,
        seen.restored_merges
    );
    Ok(seen)
}

/// A key of a rule; past the last one, of any.
fn wild(i: usize, rule: u32, values: u64) -> Wild {
    let bits = scrambled(i);
    let rule = if rule < WILD_RULES { rule } else { (bits >> 40) as u32 % WILD_RULES };
    Wild { value: (u64::from(bits as u32) % values) as u32, rule, id: i as u32 }
}

fn operations(device: &Device, input: &[Wild], seen: &mut Seen) -> Result<(), Box<dyn Error>> {
    let n = input.len();
    let (sorted, restored) = sort(device, input)?;
    same(input, sorted, "sort")?;
    seen.restored += u32::from(restored);

    let (mut keys, mut positions) = (input.to_vec(), (0..n as u32).collect::<Vec<_>>());
    WILD.sort_pairs(device, &mut keys, &mut positions)?;
    let positions: Vec<u64> = positions.into_iter().map(u64::from).collect();
    same_pairs(input, &keys, &positions, "sort_pairs")?;

    let positions = WILD.argsort(device, input)?;
    let keys: Option<Vec<Wild>> = positions.iter().map(|&position| input.get(position as usize).copied()).collect();
    same_pairs(input, &keys.ok_or("argsort: no such position")?, &positions, "argsort")?;

    // Inputs that nobody sorted, as no order could.
    let (a, b) = (device.upload(&input[..n / 3])?, device.upload(&input[n / 3..])?);
    let mut merged = device.allocate(n)?;
    WILD.merge_buffers(device, &a, &b, &mut merged, &mut Workspace::new(device))?;
    same(input, merged.to_vec()?, "merge")?;
    for k in INPUTS {
        seen.restored_merges += u32::from(merge_many(device, input, k)?);
    }
    seen.operations += 4 + INPUTS.len() as u32;
    Ok(())
}

/// The keys sorted, and whether the guard's flag was raised.
fn sort(device: &Device, input: &[Wild]) -> Result<(Vec<Wild>, bool), Box<dyn Error>> {
    let mut keys = device.upload(input)?;
    let bytes = WILD.sort_scratch_bytes(device, input.len(), 0)?;
    let raised = flag_of(device, bytes, |workspace| WILD.sort_buffer(device, &mut keys, workspace))?;
    Ok((keys.to_vec()?, raised))
}

/// Merges `k` inputs that nobody sorted, with and without payloads. Whether the guard's flag was raised.
fn merge_many(device: &Device, input: &[Wild], k: usize) -> Result<bool, Box<dyn Error>> {
    let len = input.len().div_ceil(k).max(1);
    let all = device.upload(input)?;
    let part = |from: usize| all.slice(from..(from + len).min(input.len()));
    let parts = (0..input.len()).step_by(len).map(part).collect::<gridsort::Result<Vec<_>>>()?;
    let views: Vec<_> = parts.iter().collect();
    let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
    let mut merged = device.allocate(input.len())?;
    let bytes = WILD.merge_many_scratch_bytes(device, &lengths, 0)?;
    let raised = flag_of(device, bytes, |workspace| WILD.merge_many_buffers(device, &views, &mut merged, workspace))?;
    same(input, merged.to_vec()?, "merge_many")?;

    let tags = device.upload(&(0..input.len() as u64).collect::<Vec<_>>())?;
    let tag_part = |from: usize| tags.slice(from..(from + len).min(input.len()));
    let tag_parts = (0..input.len()).step_by(len).map(tag_part).collect::<gridsort::Result<Vec<_>>>()?;
    let pairs: Vec<_> = parts.iter().zip(&tag_parts).collect();
    let mut positions = device.allocate(input.len())?;
    let workspace = &mut Workspace::new(device);
    WILD.merge_many_pairs_buffers(device, &pairs, (&mut merged, &mut positions), workspace)?;
    same_pairs(input, &merged.to_vec()?, &positions.to_vec()?, "merge_many_pairs")?;
    Ok(raised)
}

/// Whether an operation with so many bytes of scratch memory raised the guard's flag: the word with which they end says
/// by which pass. Without scratch memory there is none.
fn flag_of(
    device: &Device,
    bytes: u64,
    operation: impl FnOnce(&mut Workspace) -> gridsort::Result<()>,
) -> Result<bool, Box<dyn Error>> {
    if bytes == 0 {
        operation(&mut Workspace::new(device))?;
        return Ok(false);
    }
    let bytes = bytes as usize;
    let scratch = device.allocate::<u8>(bytes)?;
    {
        // SAFETY: the buffer's own bytes; it outlives the work, and is read only once that is done.
        let view = unsafe { DeviceSliceMut::from_raw(device, scratch.address(), bytes)? };
        operation(&mut Workspace::from_buffer(view))?;
        device.synchronize()?;
    }
    let at = bytes - ALIGNMENT as usize;
    let flag = scratch.slice(at..at + size_of::<u32>())?.to_vec()?;
    Ok(flag.iter().any(|&byte| byte != 0))
}

fn same(input: &[Wild], mut found: Vec<Wild>, what: &str) -> Result<(), Box<dyn Error>> {
    let mut expected = input.to_vec();
    expected.sort_unstable();
    found.sort_unstable();
    if found == expected { Ok(()) } else { Err(format!("{what} lost or doubled a key").into()) }
}

/// Every position once, each with the key that was there.
fn same_pairs(input: &[Wild], keys: &[Wild], positions: &[u64], what: &str) -> Result<(), Box<dyn Error>> {
    let mut seen = vec![false; input.len()];
    for (key, &position) in keys.iter().zip(positions) {
        let at = position as usize;
        if input.get(at) != Some(key) || std::mem::replace(&mut seen[at], true) {
            return Err(format!("{what} lost or doubled a key, or parted it from its payload").into());
        }
    }
    if keys.len() == input.len() && positions.len() == input.len() {
        Ok(())
    } else {
        Err(format!("{what} gave {} keys of {}", keys.len(), input.len()).into())
    }
}
