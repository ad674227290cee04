//! The kernels of a sample sort, for the host: which serves which width of keys and payloads.
#[cfg(feature = "small-tiles")]
use super::small;
use super::{COMMON, KEYS_32, KEYS_64, KEYS_128, PAIRS_32, PAIRS_64};
use crate::entry::KeyWidth;
use crate::entry::cells::cell_kernels;
use crate::entry::kway::{KwayPass, kway_kernels};
use crate::entry::merge_sort::{PayloadWidth, Tiles};
use crate::entry::rows::bucket_kernels;
use crate::sample::tables::{CLASSES, RUNS};
use crate::simt::Kernel;
use crate::tuning::{self, SampleTuning};

/// The sample sort's kernels for one key width, alone or with a payload.
#[derive(Clone, Copy, Debug)]
pub struct SampleKernels {
    /// Sets the tables up.
    pub begin: &'static Kernel,
    /// Turns counts into places, buckets into work.
    pub offsets: &'static Kernel,
    /// Places chunks, where the scatter is stable.
    pub bases: Option<&'static Kernel>,
    /// Looks whether the keys are sorted.
    pub look: &'static Kernel,
    /// Turns around keys that fall, where they carry nothing and equal ones are alike.
    pub turn: Option<&'static Kernel>,
    /// Makes a table of the sorted runs that they are.
    pub runs: &'static Kernel,
    /// Merges those, where there is such a kernel.
    pub merge: Option<KwayPass>,
    /// Chooses splitters.
    pub choose: &'static Kernel,
    /// Counts.
    pub count: &'static Kernel,
    /// Moves keys, and what they carry.
    pub scatter: &'static Kernel,
    /// Sort those of each class that lie evenly, where keys are numbers and a kernel takes as many.
    pub cells: [Option<&'static Kernel>; CLASSES as usize],
    /// Sort the buckets of each class: kernels for rows.
    pub classes: [&'static Kernel; CLASSES as usize],
    /// Sorts large buckets.
    pub large: &'static Kernel,
    /// Finish keys, or what they carry.
    pub keys: Finish,
    /// The same for what keys carry.
    pub payloads: Option<Finish>,
    /// Their shapes.
    pub tuning: SampleTuning,
}

/// What finishes elements of one width that need no sorting.
#[derive(Clone, Copy, Debug)]
pub struct Finish {
    /// All of them.
    pub settle: &'static Kernel,
    /// Those of buckets of equal keys.
    pub copy: &'static Kernel,
}

impl SampleKernels {
    /// All of them.
    pub fn all(&self) -> impl Iterator<Item = &'static Kernel> {
        let one = [self.begin, self.offsets, self.look, self.runs, self.choose, self.count, self.scatter, self.large];
        let merge = self.merge.into_iter().flat_map(|merge| [merge.partition, merge.pass]);
        let finish = [Some(self.keys), self.payloads].into_iter().flatten();
        one.into_iter().chain(merge).chain(self.bases).chain(self.turn).chain(self.cells.into_iter().flatten()).chain(self.classes).chain(finish.flat_map(|f| [f.settle, f.copy]))
    }
}

/// The sample sort's kernels for keys of this width with this payload, if there are any.
pub fn sample_kernels(width: KeyWidth, payload: PayloadWidth, tiles: Tiles) -> Option<SampleKernels> {
    use KeyWidth as W;
    type List = &'static [&'static Kernel];
    const NONE: List = &[];
    let carry = payload != PayloadWidth::None;
    let (common, list, pairs, tuning, [narrow, wide]): (List, List, List, _, [List; 2]) = match (tiles, width, carry) {
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, W::W32, _) => (small::COMMON, small::KEYS_32, small::PAIRS_32, tuning::SAMPLE_SMALL, [small::KEYS_32, small::KEYS_64]),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, W::W64, _) => (small::COMMON, small::KEYS_64, small::PAIRS_64, tuning::SAMPLE_SMALL, [small::KEYS_32, small::KEYS_64]),
        #[cfg(feature = "small-tiles")]
        (Tiles::Small, W::W128, false) => (small::COMMON, small::KEYS_128, NONE, tuning::SAMPLE_SMALL, [NONE; 2]),
        (_, W::W32, false) => (COMMON, KEYS_32, NONE, tuning::SAMPLE_32, [NONE; 2]),
        (_, W::W64, false) => (COMMON, KEYS_64, NONE, tuning::SAMPLE_64, [NONE; 2]),
        (_, W::W128, false) => (COMMON, KEYS_128, NONE, tuning::SAMPLE_128, [NONE; 2]),
        (_, W::W32, true) => {
            let tuning = if payload == PayloadWidth::W64 { tuning::SAMPLE_PAIRS_32_WIDE } else { tuning::SAMPLE_PAIRS_32 };
            (COMMON, KEYS_32, PAIRS_32, tuning, [KEYS_32, KEYS_64])
        }
        (_, W::W64, true) => (COMMON, KEYS_64, PAIRS_64, tuning::SAMPLE_PAIRS_64, [KEYS_32, KEYS_64]),
        _ => return None,
    };
    let [look, settle, choose, count, scatter, large, copy, turn] = *list else { return None };
    let finish = |list: List| Finish { settle: list[1], copy: list[6] };
    let (scatter, large, payloads) = match payload {
        PayloadWidth::None => (scatter, large, None),
        PayloadWidth::W32 => (pairs[0], pairs[2], Some(finish(narrow))),
        PayloadWidth::W64 => (pairs[1], pairs[3], Some(finish(wide))),
    };
    Some(SampleKernels {
        begin: common[0],
        offsets: common[1],
        bases: carry.then_some(common[2]),
        look,
        turn: (!carry).then_some(turn),
        runs: common[3],
        merge: Some(*kway_kernels(width, payload, tiles).by(RUNS)),
        choose,
        count,
        scatter,
        cells: cell_kernels(width, payload, tiles, tuning.class_keys()),
        classes: bucket_kernels(width, carry, tiles, &tuning)?,
        large,
        keys: Finish { settle, copy },
        payloads,
        tuning,
    })
}
