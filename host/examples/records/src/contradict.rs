//! Sorts by orders that contradict themselves: whatever comes out must be a permutation of what went in.
use super::{WILD, scrambled};
use gridsort::plan::ALIGNMENT;
use gridsort::{Device, DeviceSliceMut, Workspace};
use records_order::{WILD_RULES, Wild};
use std::error::Error;

/// What became of the sorts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Seen {
    /// Operations that gave a permutation, which is all of them.
    pub(crate) operations: u32,
    /// Sorts of which a merge pass had no result, so that what it read was taken instead.
    pub(crate) restored: u32,
}

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
         raised, and what the pass had read restored",
        seen.operations,
        device.name(),
        seen.restored
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
    seen.operations += 4;
    Ok(())
}

/// The keys sorted, and whether the guard's flag was raised: the word with which scratch memory ends says by which pass.
fn sort(device: &Device, input: &[Wild]) -> Result<(Vec<Wild>, bool), Box<dyn Error>> {
    let mut keys = device.upload(input)?;
    let bytes = WILD.sort_scratch_bytes(device, input.len(), 0)? as usize;
    if bytes == 0 {
        WILD.sort_buffer(device, &mut keys, &mut Workspace::new(device))?;
        return Ok((keys.to_vec()?, false));
    }
    let scratch = device.allocate::<u8>(bytes)?;
    {
        // SAFETY: the buffer's own bytes; it outlives the work, and is read only once that is done.
        let view = unsafe { DeviceSliceMut::from_raw(device, scratch.address(), bytes)? };
        WILD.sort_buffer(device, &mut keys, &mut Workspace::from_buffer(view))?;
        device.synchronize()?;
    }
    let at = bytes - ALIGNMENT as usize;
    let flag = scratch.slice(at..at + size_of::<u32>())?.to_vec()?;
    Ok((keys.to_vec()?, flag.iter().any(|&byte| byte != 0)))
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
