//! What is measured on the device.
use std::fmt;

use gridsort::bitonic::{self, Segments};
use gridsort::chapter::corank_sort_buffer;
use gridsort::{
    Algorithm, Arg, Device, DeviceBuffer, DeviceKind, Direction, Engine, Key, PayloadWidth, SortOptions, Tiles,
    Workspace,
};
use gridsort_kernels::entry::merge_sort::merge_sort_kernels;

use super::check;
use super::merges::{self, indices};
use super::parts::Parts;
use super::sets::{Sets, WORK};
use super::timing::Times;
use crate::Error;
use crate::commands::sort::Buckets;

/// A job that libraries do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Case {
    /// Sort keys alone
    Keys,
    /// Sort keys with a 32-bit payload each
    Pairs,
    /// The stable order as 32-bit indices
    Argsort,
    /// Merge two sorted halves
    Merge,
    /// Merge two sorted halves with a 32-bit payload each
    MergePairs,
    /// Merge eight sorted parts
    #[value(name = "merge-8")]
    Merge8,
    /// Merge sixteen sorted parts
    #[value(name = "merge-16")]
    Merge16,
    /// Merge thirty-two sorted parts
    #[value(name = "merge-32")]
    Merge32,
    /// Merge eight sorted parts with a 32-bit payload each
    #[value(name = "merge-pairs-8")]
    MergePairs8,
    /// Merge sixteen sorted parts with a 32-bit payload each
    #[value(name = "merge-pairs-16")]
    MergePairs16,
    /// Merge thirty-two sorted parts with a 32-bit payload each
    #[value(name = "merge-pairs-32")]
    MergePairs32,
    /// Sort short segments of keys, each on its own: by the merge sort's tile, by bitonic blocks and warps
    Segments,
    /// Sort keys by every engine of McGridsort, and by the tile merge; only where it is asked for
    Grid,
}

/// The textbook's sort takes a pass for each power of two: past this it only takes time to see that it is slow.
const CHAPTER_MOST: u8 = 24;
/// The same on the emulator.
const CHAPTER_MOST_EMULATED: u8 = 14;

impl Case {
    /// Those that are measured where none is asked for.
    pub const ALL: [Case; 12] = [
        Case::Keys,
        Case::Pairs,
        Case::Argsort,
        Case::Merge,
        Case::MergePairs,
        Case::Merge8,
        Case::Merge16,
        Case::Merge32,
        Case::MergePairs8,
        Case::MergePairs16,
        Case::MergePairs32,
        Case::Segments,
    ];

    /// Payloads and narrow indices number the keys.
    pub(super) fn is_apt(self, log2: u8) -> bool {
        let numbered = matches!(self, Case::Pairs | Case::Argsort | Case::MergePairs) || self.merges_many_pairs();
        !numbered || log2 < 32
    }

    /// Whether it merges many parts, which may be unlike each other.
    pub(super) fn merges_many(self) -> bool {
        matches!(self, Case::Merge8 | Case::Merge16 | Case::Merge32) || self.merges_many_pairs()
    }

    fn merges_many_pairs(self) -> bool {
        matches!(self, Case::MergePairs8 | Case::MergePairs16 | Case::MergePairs32)
    }
}

impl fmt::Display for Case {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Case::Keys => "keys",
            Case::Pairs => "pairs",
            Case::Argsort => "argsort",
            Case::Merge => "merge",
            Case::MergePairs => "merge-pairs",
            Case::Merge8 => "merge-8",
            Case::Merge16 => "merge-16",
            Case::Merge32 => "merge-32",
            Case::MergePairs8 => "merge-pairs-8",
            Case::MergePairs16 => "merge-pairs-16",
            Case::MergePairs32 => "merge-pairs-32",
            Case::Segments => "segments",
            Case::Grid => "grid",
        })
    }
}

/// A way of this library's to do a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Way {
    /// Its sorts, by one of its algorithms.
    Sort(Algorithm),
    /// Its merge of many, of parts like these.
    Parts(Parts),
    /// The textbook's co-rank passes, one thread for each output position.
    Chapter,
    /// The textbook's bitonic sort by each block.
    BitonicBlock,
    /// The same by each warp, in registers.
    BitonicWarp,
}

impl Way {
    /// Those to compare this library's sorts with.
    pub(super) const TEXTBOOK: [Way; 3] = [Way::Chapter, Way::BitonicBlock, Way::BitonicWarp];

    /// The ways to do a job that are measured where the options name these algorithms and parts.
    pub(super) fn of(case: Case, algorithms: &[Algorithm], parts: &[Parts]) -> Vec<Way> {
        let parts = parts.iter().copied().map(Way::Parts);
        let named = algorithms.iter().copied().map(Way::Sort);
        // An engine by name is one instead of all.
        let all = case == Case::Grid && !algorithms.iter().any(|algorithm| matches!(algorithm, Algorithm::Grid(_)));
        let engines = Engine::ALL.into_iter().filter(|_| all).map(|engine| Way::Sort(Algorithm::Grid(engine)));
        named.chain(parts).chain(engines).chain(Way::TEXTBOOK).collect()
    }

    /// As tables and files name it.
    pub(super) fn name(self) -> String {
        match self {
            Way::Sort(Algorithm::Auto) => super::report::OURS.to_string(),
            Way::Sort(algorithm @ Algorithm::Grid(_)) => algorithm.to_string(),
            Way::Sort(algorithm) => format!("{} {algorithm}", super::report::OURS),
            Way::Parts(parts) => format!("{} {parts}", super::report::OURS),
            Way::Chapter => "chapter".to_string(),
            Way::BitonicBlock => "bitonic block".to_string(),
            Way::BitonicWarp => "bitonic warp".to_string(),
        }
    }

    /// Whether it does the job, in bearable time.
    pub(super) fn is_apt<K: Key>(self, case: Case, device: &Device, log2: u8) -> bool {
        match (self, case, device.kind()) {
            (Way::Sort(Algorithm::Grid(engine)), Case::Keys | Case::Grid, _) => {
                engine.takes(K::WIDTH, PayloadWidth::None)
            }
            (Way::Sort(Algorithm::Grid(engine)), Case::Pairs | Case::Argsort, _) => {
                engine.takes(K::WIDTH, PayloadWidth::W32)
            }
            // Kernels there are for keys of some widths; the CPU's sort is the same by any name.
            (Way::Sort(Algorithm::Sample), Case::Keys | Case::Grid, _) => {
                device.sort_scratch_bytes_by::<K>(1 << log2, Algorithm::Sample).is_ok()
            }
            (Way::Sort(Algorithm::Sample), Case::Pairs | Case::Argsort, _) => {
                device.sort_pairs_scratch_bytes_by::<K, u32>(1 << log2, Algorithm::Sample).is_ok()
            }
            (Way::Sort(Algorithm::Sample), ..) => false,
            (way, Case::Grid, _) => matches!(way, Way::Sort(_)),
            (Way::Parts(_), case, _) => case.merges_many(),
            // Both merge buffers the same way, whatever sorts.
            (Way::Sort(algorithm), Case::Merge | Case::MergePairs, _) => algorithm == Algorithm::Auto,
            (Way::Sort(algorithm), case, _) if case.merges_many() => algorithm == Algorithm::Auto,
            // Kernels, which the CPU does not run.
            (_, Case::Segments, DeviceKind::Cpu) => false,
            (Way::Sort(algorithm), Case::Segments, _) => algorithm == Algorithm::Auto,
            (Way::Sort(_), ..) => true,
            (Way::BitonicBlock | Way::BitonicWarp, ..) => case == Case::Segments && Segments::of(K::WIDTH).is_some(),
            (Way::Chapter, Case::Keys, DeviceKind::Emulator) => log2 <= CHAPTER_MOST_EMULATED,
            (Way::Chapter, Case::Keys, DeviceKind::Cuda) => log2 <= CHAPTER_MOST,
            (Way::Chapter, ..) => false,
        }
    }

    /// The parts that it merges, where they are not of one length.
    fn parts(self) -> Option<Parts> {
        if let Way::Parts(parts) = self { Some(parts) } else { None }
    }

    /// How even the buckets of the first input set are, where it sorts by samples.
    pub(super) fn buckets<K: Key>(self, case: Case, sets: &Sets<K>) -> Result<Option<Buckets>, Error> {
        let (Way::Sort(algorithm), Case::Keys | Case::Grid, [set, ..]) = (self, case, &sets.sets[..]) else {
            return Ok(None);
        };
        let options = SortOptions::new().algorithm(algorithm);
        let sizes = sets.device.sample_buckets(&set.pristine, &mut Workspace::new(&sets.device), options)?;
        Ok(sizes.map(Buckets::from))
    }

    /// Times it.
    pub(super) fn measure<K: Key>(self, case: Case, sets: &Sets<K>) -> Result<Times, Error> {
        let options = match self {
            Way::Sort(algorithm) => SortOptions::new().algorithm(algorithm),
            _ => SortOptions::new(),
        };
        match (self, case) {
            (Way::BitonicBlock, _) => segments(sets, Segments::of(K::WIDTH).map_or(1, |of| of.block), |keys| {
                bitonic::block_sort_buffer(keys, options)
            }),
            (Way::BitonicWarp, _) => segments(sets, Segments::of(K::WIDTH).map_or(1, |of| of.warp), |keys| {
                bitonic::warp_sort_buffer(keys, options)
            }),
            (_, Case::Segments) => tiles(sets),
            (Way::Chapter, _) => keys(sets, |keys, work| corank_sort_buffer(keys, work, options)),
            (_, Case::Keys | Case::Grid) => keys(sets, |keys, work| sets.device.sort_buffer(keys, work, options)),
            (_, Case::Pairs) => pairs(sets, options),
            (_, Case::Argsort) => argsort(sets, options),
            (_, Case::Merge) => merges::two(sets, options),
            (_, Case::MergePairs) => merges::two_of_pairs(sets, options),
            (_, Case::Merge8) => merges::many(sets, 8, self.parts(), options),
            (_, Case::Merge16) => merges::many(sets, 16, self.parts(), options),
            (_, Case::Merge32) => merges::many(sets, 32, self.parts(), options),
            (_, Case::MergePairs8) => merges::many_of_pairs(sets, 8, self.parts(), options),
            (_, Case::MergePairs16) => merges::many_of_pairs(sets, 16, self.parts(), options),
            (_, Case::MergePairs32) => merges::many_of_pairs(sets, 32, self.parts(), options),
        }
    }
}

/// A sort of keys where they are.
fn keys<K: Key>(
    sets: &Sets<K>,
    sort: impl Fn(&mut DeviceBuffer<K>, &mut Workspace) -> gridsort::Result<()>,
) -> Result<Times, Error> {
    let mut workspace = Workspace::new(&sets.device);
    let mut work = sets.work(|| Ok(sets.device.allocate::<K>(sets.point.n())?))?;
    sets.repeat(
        &mut work,
        |set, keys| Ok(keys.copy_from_buffer(&set.pristine)?),
        |_, keys| Ok(sort(keys, &mut workspace)?),
        |set, keys| check::keys(&keys.to_vec()?, set.fingerprint),
    )
}

/// A sort of each segment of keys where it is.
fn segments<K: Key>(
    sets: &Sets<K>,
    segment: usize,
    sort: impl Fn(&mut DeviceBuffer<K>) -> gridsort::Result<()>,
) -> Result<Times, Error> {
    let mut work = sets.work(|| Ok(sets.device.allocate::<K>(sets.point.n())?))?;
    sets.repeat(
        &mut work,
        |set, keys| Ok(keys.copy_from_buffer(&set.pristine)?),
        |_, keys| Ok(sort(keys)?),
        |set, keys| check::segments(&keys.to_vec()?, segment, set.fingerprint),
    )
}

/// The merge sort's first kernel by itself.
fn tiles<K: Key>(sets: &Sets<K>) -> Result<Times, Error> {
    let kernels = merge_sort_kernels(K::WIDTH, PayloadWidth::None, Tiles::Full);
    let codec = K::codec(Direction::Ascending).arg();
    segments(sets, kernels.tile as usize, |keys| {
        let grid = gridsort::plan::grid("tile sort", keys.len() as u64, kernels.tile)?;
        let at = Arg::Address(keys.address());
        let mut args = vec![at, at, Arg::U64(keys.len() as u64), codec, codec];
        // One array and no rows, see `gridsort_kernels::batch`.
        args.extend([Arg::U32(u32::MAX), Arg::U64(0), Arg::U64(0), Arg::Address(0)]);
        // SAFETY: the kernel reads and writes the buffer's keys, in place as it allows, and the grid covers them.
        unsafe { sets.device.launch(kernels.tile_sort, grid, &args) }
    })
}

/// A sort of keys with their indices as payloads.
fn pairs<K: Key>(sets: &Sets<K>, options: SortOptions) -> Result<Times, Error> {
    let (device, n) = (&sets.device, sets.point.n());
    let indices = device.upload(&indices(n))?;
    let mut workspace = Workspace::new(device);
    let mut work = sets.work(|| Ok((device.allocate::<K>(n)?, device.allocate::<u32>(n)?)))?;
    sets.repeat(
        &mut work,
        |set, (keys, payloads)| {
            keys.copy_from_buffer(&set.pristine)?;
            Ok(payloads.copy_from_buffer(&indices)?)
        },
        |_, (keys, payloads)| Ok(device.sort_pairs_buffer(keys, payloads, &mut workspace, options)?),
        |set, (keys, payloads)| check::pairs(&set.keys, &keys.to_vec()?, &payloads.to_vec()?),
    )
}

/// The order of keys, which stay as they are.
fn argsort<K: Key>(sets: &Sets<K>, options: SortOptions) -> Result<Times, Error> {
    let mut workspace = Workspace::new(&sets.device);
    let mut work: [Option<DeviceBuffer<u32>>; WORK] = [const { None }; WORK];
    sets.repeat(
        &mut work,
        |_, order| {
            *order = None;
            Ok(())
        },
        |set, order| {
            *order = Some(sets.device.argsort_buffer_u32(&set.pristine, &mut workspace, options)?);
            Ok(())
        },
        |set, order| match order {
            Some(order) => check::order(&set.keys, &order.to_vec()?),
            None => Ok(()),
        },
    )
}
