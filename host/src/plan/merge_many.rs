//! The merge of many sorted inputs: passes that merge up to sixteen runs at once, or 32 where there are kernels for them.
use super::merge_sort::{Merge, kway_merge};
use super::shape::{KWAY_RUNS, MANY_RUNS};
use super::{ALIGNMENT, Area, Carried, Shape, area_bytes, carried};
use crate::error::{Error, Result};
use crate::key::{KeyWidth, payload_bytes};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::kway::inputs;

const WHAT: &str = "merge of many";
/// What merging a group costs beside its keys, in units of [`key_cost`], of which one is about a picosecond on an H200: three
/// launches, most of which the group before hides. Measured when no kernel merged 32 runs: by eight times as much 32 inputs of
/// 2^23 u64 keys would be merged in three groups first, 8, 7 and 4 of them, which takes longer than 8, 4, 4 and 4
/// (docs/performance.md).
const GROUP: u64 = 1 << 22;
/// The same of a run that is copied: one launch.
const COPY: u64 = 1 << 21;

/// Runs that the narrowest kernel for a group of this size merges at once; there is one.
fn width_of(size: usize) -> u32 {
    KWAY_RUNS.into_iter().find(|&width| width as usize >= size).unwrap_or(MANY_RUNS)
}

/// What a key costs in a group of this size: it is read and written, and moved in shared memory in each round. Merges
/// of sixteen runs take 1.22 times as long as those of eight, of u32 and of u64.
fn key_cost(size: usize) -> u64 {
    2 + if size > 1 { u64::from(width_of(size).trailing_zeros()) } else { 0 }
}

/// Where a run lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunPlace {
    /// It is this one of the inputs, where it is.
    Input(usize),
    /// A pass before left it in an area, from this key on.
    Merged(Area, u64),
}

/// Neighbouring runs that become one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManyGroup {
    /// The runs and their lengths; a single one is copied.
    pub runs: Vec<(RunPlace, u64)>,
    /// Where the result goes in the area that the pass writes, keys.
    pub at: u64,
    /// Keys of all runs.
    pub len: u64,
    /// How they are merged: always [`Merge::Kway`]; `None` for a single one.
    pub merge: Option<Merge>,
}

/// One pass. What it does not mention stays where it is: inputs that a later pass takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManyPass {
    /// The area that it writes.
    pub to: Area,
    /// Runs that it merges.
    pub groups: Vec<ManyGroup>,
}

/// The launches of a merge of many inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeManyPlan {
    /// Keys of all inputs.
    pub n: u64,
    /// Inputs that have keys. One is copied, two are merged as two arrays are: there are no passes then.
    pub filled: usize,
    /// The passes, in order; the last one writes [`Area::Data`], from the first key on.
    pub passes: Vec<ManyPass>,
    /// Runs in the tables that kernels find their inputs in, those included that make up full numbers.
    pub table_runs: usize,
    /// Scratch memory for the tables, bytes. That for cuts lies behind it, then keys, then payloads.
    pub table_bytes: u64,
    /// Scratch memory for the cuts of one group, bytes.
    pub cuts_bytes: u64,
    /// Scratch memory for keys, bytes.
    pub key_bytes: u64,
    /// Scratch memory for payloads, bytes.
    pub payload_bytes: u64,
    /// Scratch memory in all, bytes.
    pub scratch_bytes: u64,
}

/// Plans the merge of inputs of these lengths.
///
/// Up to sixteen inputs take one pass, which reads them where they are, and up to 32 of keys of 32 and 64 bits. More take
/// passes before, which do as little as they can: inputs that need not be merged yet stay where they are, so that a long
/// one among short ones is read once. Only neighbours are merged, which keeps ties in the order of inputs.
///
/// ```
/// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::{self, Shape}};
///
/// let shape = Shape::of(KeyWidth::W32, PayloadWidth::None, Tiles::Full);
/// assert_eq!(plan::merge_many(&[1 << 20; 32], &shape)?.passes.len(), 1);
/// // Of 33, two are merged first: those that are shortest together.
/// let mut lengths = [1 << 20; 33];
/// (lengths[4], lengths[5]) = (1000, 2000);
/// let plan = plan::merge_many(&lengths, &shape)?;
/// assert_eq!(plan.passes.len(), 2);
/// assert_eq!(plan.passes[0].groups[0].len, 3000);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`].
pub fn merge_many(lengths: &[u64], shape: &Shape) -> Result<MergeManyPlan> {
    let n = total(lengths)?;
    let mut runs: Vec<(RunPlace, u64)> = (0..).map(RunPlace::Input).zip(lengths.iter().copied()).collect();
    runs.retain(|run| run.1 > 0);
    let filled = runs.len();

    let mut passes = Vec::new();
    let most = shape.most_runs() as usize;
    let mut left = if filled > 2 { passes_for(filled, most) } else { 0 };
    while left > 0 {
        // The last pass writes the caller's memory, and those before it the two areas in turn.
        let to = if left % 2 == 1 { Area::Data } else { Area::Scratch };
        let sizes = group(&runs, most.saturating_pow(left - 1), most);
        let pass;
        (pass, runs) = pass_of(&runs, &sizes, to, shape)?;
        passes.push(pass);
        left -= 1;
    }

    let groups = || passes.iter().flat_map(|pass| &pass.groups);
    let cuts = groups().map(|group| cuts_of(group.merge)).max().unwrap_or(0);
    let table_runs = groups().map(|group| group.merge.map_or(0, runs_of)).sum();
    let moved = |pass: &ManyPass| pass.groups.iter().map(|group| group.len).sum();
    let scratch = passes.iter().filter(|pass| pass.to == Area::Scratch).map(moved).max().unwrap_or(0);
    let table_bytes = table_bytes(table_runs)?;
    let cuts_bytes = area_bytes(WHAT, cuts, size_of::<u64>() as u64)?;
    let key_bytes = area_bytes(WHAT, scratch, shape.key_bytes)?;
    let payload_bytes = area_bytes(WHAT, scratch, shape.payload_bytes)?;
    let scratch_bytes = table_bytes + cuts_bytes + key_bytes + payload_bytes;
    Ok(MergeManyPlan {
        n,
        filled,
        passes,
        table_runs,
        table_bytes,
        cuts_bytes,
        key_bytes,
        payload_bytes,
        scratch_bytes,
    })
}

/// The memory that a merge of many inputs with payloads takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeManyPairsPlan {
    /// What moves with the keys.
    pub carried: Carried,
    /// The merge of the keys with it. Its scratch memory lies behind that of the two below.
    pub merge: MergeManyPlan,
    /// Scratch memory for the merged positions, bytes; 0 where payloads move.
    pub positions_bytes: u64,
    /// Scratch memory for the table of the inputs that payloads are fetched from, bytes.
    pub inputs_bytes: u64,
    /// Scratch memory in all, bytes.
    pub scratch_bytes: u64,
}

/// Plans the merge of inputs of these lengths, with payloads of `bytes` bytes.
///
/// ```
/// use gridsort::{KeyWidth, Tiles, plan::merge_many_pairs};
///
/// let moved = merge_many_pairs(&[1 << 20; 8], KeyWidth::W32, 4, Tiles::Full)?;
/// let fetched = merge_many_pairs(&[1 << 20; 8], KeyWidth::W32, 16, Tiles::Full)?;
/// // Positions, and a table of eight inputs.
/// assert_eq!(fetched.scratch_bytes - moved.scratch_bytes, (4 << 23) + 256);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::PayloadSize`], [`Error::TooLarge`].
pub fn merge_many_pairs(lengths: &[u64], key: KeyWidth, bytes: usize, tiles: Tiles) -> Result<MergeManyPairsPlan> {
    let n = total(lengths)?;
    let carried = carried(n, bytes)?;
    let merge = merge_many(lengths, &Shape::of(key, carried.width, tiles))?;
    // A single input is copied, payloads and all.
    let positions = if carried.positions && merge.filled > 1 { n } else { 0 };
    let positions_bytes = area_bytes(WHAT, positions, payload_bytes(carried.width))?;
    let inputs_bytes = table_bytes(if positions > 0 && merge.filled > 2 { merge.filled } else { 0 })?;
    let scratch_bytes = positions_bytes + inputs_bytes + merge.scratch_bytes;
    Ok(MergeManyPairsPlan { carried, merge, positions_bytes, inputs_bytes, scratch_bytes })
}

/// The memory that a merge of many inputs takes by an order of the user's own, which may contradict itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MergeManyGuardedPlan {
    /// The merge.
    pub merge: MergeManyPlan,
    /// Scratch memory for a table of all inputs, bytes: what the result is taken from where the order contradicts
    /// itself. Where there is one pass, its own table is that, and this is 0. It lies behind the merge's scratch
    /// memory.
    pub inputs_bytes: u64,
    /// Scratch memory for the guard's flag, bytes; behind all else.
    pub flag_bytes: u64,
    /// Scratch memory in all, bytes.
    pub scratch_bytes: u64,
}

/// Plans the merge of inputs of these lengths by an order of the user's own.
///
/// ```
/// use gridsort::{KeyWidth, PayloadWidth, Tiles, plan::{self, Shape}};
///
/// let shape = Shape::of(KeyWidth::W128, PayloadWidth::None, Tiles::Full);
/// let one_pass = plan::merge_many_guarded(&[1 << 20; 16], &shape)?;
/// assert_eq!(one_pass.scratch_bytes, one_pass.merge.scratch_bytes + 256);
/// // A table of seventeen inputs, four words each, besides.
/// let two_passes = plan::merge_many_guarded(&[1 << 20; 17], &shape)?;
/// assert_eq!(two_passes.scratch_bytes, two_passes.merge.scratch_bytes + 768 + 256);
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`].
pub fn merge_many_guarded(lengths: &[u64], shape: &Shape) -> Result<MergeManyGuardedPlan> {
    let merge = merge_many(lengths, shape)?;
    let inputs_bytes = table_bytes(if merge.passes.len() > 1 { merge.filled } else { 0 })?;
    let flag_bytes = if merge.filled > 1 { ALIGNMENT } else { 0 };
    let scratch_bytes = merge.scratch_bytes + inputs_bytes + flag_bytes;
    Ok(MergeManyGuardedPlan { merge, inputs_bytes, flag_bytes, scratch_bytes })
}

fn total(lengths: &[u64]) -> Result<u64> {
    let add = |sum: u64, &len: &u64| sum.checked_add(len);
    lengths.iter().try_fold(0, add).ok_or(Error::TooLarge { what: WHAT, n: u64::MAX, limit: u64::MAX - 1 })
}

fn table_bytes(runs: usize) -> Result<u64> {
    area_bytes(WHAT, runs as u64, u64::from(inputs::WORDS) * size_of::<u64>() as u64)
}

/// Passes that `runs` runs take, where one merges up to `width` at once.
fn passes_for(runs: usize, width: usize) -> u32 {
    let mut passes = 1;
    while width.saturating_pow(passes) < runs {
        passes += 1;
    }
    passes
}

fn runs_of(merge: Merge) -> usize {
    match merge {
        Merge::Kway { runs, .. } | Merge::Engine { runs, .. } => runs as usize,
        Merge::TwoWay { .. } => 2,
    }
}

fn cuts_of(merge: Option<Merge>) -> u64 {
    match merge {
        Some(Merge::Kway { runs, boundaries, .. }) => boundaries.saturating_mul(u64::from(runs)),
        _ => 0,
    }
}

/// The pass that merges neighbours in groups of these sizes, and the runs that there are then.
fn pass_of(
    runs: &[(RunPlace, u64)],
    sizes: &[usize],
    to: Area,
    shape: &Shape,
) -> Result<(ManyPass, Vec<(RunPlace, u64)>)> {
    let (mut groups, mut after, mut at, mut rest) = (Vec::new(), Vec::new(), 0, runs);
    for &size in sizes {
        let (runs, others) = rest.split_at(size);
        rest = others;
        if let [(RunPlace::Input(_), _)] = runs {
            after.push(runs[0]);
            continue;
        }
        let len = runs.iter().map(|run| run.1).sum();
        let merge = match size {
            1 => None,
            _ => Some(kway_merge(len, len, width_of(size), shape)?.0),
        };
        groups.push(ManyGroup { runs: runs.to_vec(), at, len, merge });
        after.push((RunPlace::Merged(to, at), len));
        at += len;
    }
    Ok((ManyPass { to, groups }, after))
}

/// Sizes of groups of neighbours, in order: at most `most` groups of at most `width`.
fn group(runs: &[(RunPlace, u64)], most: usize, width: usize) -> Vec<usize> {
    if most == 1 {
        return vec![runs.len()];
    }
    if most > width || runs.len() > width * width {
        // So many that the best choice would take long to find: full groups, as many as are needed.
        let mut sizes = Vec::new();
        let mut left = runs.len();
        while left > 0 {
            let size = (sizes.len() + left).saturating_sub(most).min(width - 1) + 1;
            sizes.push(size.min(left));
            left -= size.min(left);
        }
        return sizes;
    }
    best_groups(runs, most, width)
}

/// Those groups that cost least, by dynamic programming over prefixes and numbers of groups.
fn best_groups(runs: &[(RunPlace, u64)], most: usize, width: usize) -> Vec<usize> {
    const NONE: u64 = u64::MAX;
    let mut sums = vec![0];
    for run in runs {
        sums.push(sums[sums.len() - 1] + run.1);
    }
    let cost = |from: usize, to: usize| match runs[from..to] {
        [(RunPlace::Input(_), _)] => 0,
        [_] => (sums[to] - sums[from]).saturating_mul(key_cost(1)).saturating_add(COPY),
        _ => (sums[to] - sums[from]).saturating_mul(key_cost(to - from)).saturating_add(GROUP),
    };
    // best[g][i]: the cost of the first i runs in g groups, and the size of the last one.
    let mut best = vec![vec![(NONE, 0); runs.len() + 1]; most + 1];
    best[0][0] = (0, 0);
    for groups in 1..=most {
        for to in 1..=runs.len() {
            best[groups][to] = (to.saturating_sub(width)..to)
                .filter(|&from| best[groups - 1][from].0 != NONE)
                .map(|from| (best[groups - 1][from].0.saturating_add(cost(from, to)).min(NONE - 1), to - from))
                .min()
                .unwrap_or((NONE, 0));
        }
    }
    let mut groups = (1..=most).min_by_key(|&groups| best[groups][runs.len()].0).unwrap_or(most);
    let (mut sizes, mut to) = (Vec::new(), runs.len());
    while to > 0 {
        let size = best[groups][to].1.max(1);
        sizes.push(size);
        to -= size.min(to);
        groups = groups.saturating_sub(1);
    }
    sizes.reverse();
    sizes
}

#[cfg(test)]
mod tests;
