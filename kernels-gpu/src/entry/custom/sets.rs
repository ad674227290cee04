//! The kernels of one order, as the host library takes them.
use crate::entry::kway::{KwayKernels, KwayPass};
use crate::entry::merge_sort::{MergeSortKernels, PayloadWidth, Tiles};
use crate::simt::Kernel;
use crate::tuning::{KwayTuning, MergeSortTuning};
use core::marker::PhantomData;

/// The kernels for keys with one payload width.
#[derive(Clone, Copy, Debug)]
pub struct OrderSet {
    /// Tile sort, two-way pass and merge of two arrays.
    pub two_way: MergeSortKernels,
    /// Tile sort and k-way passes.
    pub kway: KwayKernels,
}

impl OrderSet {
    /// The kernels of two lists that [`export_order`](crate::export_order) made, by their shapes.
    #[doc(hidden)]
    pub const fn new(
        list: &'static [&'static Kernel],
        common: &'static [&'static Kernel],
        two_way: MergeSortTuning,
        kway: KwayTuning,
    ) -> Self {
        const fn pass(
            list: &'static [&'static Kernel],
            common: &'static [&'static Kernel],
            index: usize,
            kway: KwayTuning,
        ) -> KwayPass {
            let runs = 4 << index;
            let tile = crate::kway::tile::tile_keys(kway.merge.threads, kway.merge.items, runs, false);
            KwayPass { runs, partition: common[index], pass: list[4 + index], tile }
        }
        OrderSet {
            two_way: MergeSortKernels {
                tile_sort: list[0],
                merge_pass: list[1],
                merge_runs: list[2],
                // Cuts that are found in two ways need not be the same by an order that contradicts itself.
                merge_cuts: list[2],
                merge_cuts_from: u64::MAX,
                // One kernel does for all that one block can sort.
                small_sort: list[0],
                tile: two_way.sort.tile(),
                small_tile: two_way.sort.tile(),
                merge_tile: two_way.merge.tile(),
                runs_tile: two_way.merge.tile(),
            },
            kway: KwayKernels {
                from: kway.from,
                tile_sort: list[3],
                tile: kway.sort.tile(),
                passes: [pass(list, common, 0, kway), pass(list, common, 1, kway), pass(list, common, 2, kway)],
                of_32: None,
            },
        }
    }
}

/// The kernels for keys of a type with an order of its own: what [`export_order`](crate::export_order) makes and the
/// host library takes.
#[derive(Debug)]
pub struct OrderKernels<K> {
    name: &'static str,
    full: &'static [OrderSet; 3],
    small: &'static [OrderSet; 3],
    disorder: &'static Kernel,
    of: PhantomData<fn() -> K>,
}

impl<K> OrderKernels<K> {
    /// The kernels of a module that [`export_order`](crate::export_order) makes.
    #[doc(hidden)]
    pub const fn new(
        name: &'static str,
        full: &'static [OrderSet; 3],
        small: &'static [OrderSet; 3],
        disorder: &'static Kernel,
    ) -> Self {
        OrderKernels { name, full, small, disorder, of: PhantomData }
    }

    /// The module's name, which begins the kernels' names.
    pub const fn name(&self) -> &'static str {
        self.name
    }

    /// Those that sort and merge keys with a payload of this width.
    pub const fn set(&self, payload: PayloadWidth, tiles: Tiles) -> &'static OrderSet {
        let sets = match tiles {
            Tiles::Full => self.full,
            Tiles::Small => self.small,
        };
        &sets[match payload {
            PayloadWidth::None => 0,
            PayloadWidth::W32 => 1,
            PayloadWidth::W64 => 2,
        }]
    }

    /// The one that looks for disorder.
    pub const fn disorder(&self) -> &'static Kernel {
        self.disorder
    }

    /// All that are in the PTX.
    pub fn all(&self) -> impl Iterator<Item = &'static Kernel> + use<K> {
        let partitions = self.full[0].kway.passes.map(|pass| pass.partition);
        let sets = self.full.iter().flat_map(|set| {
            let passes = set.kway.passes.map(|pass| pass.pass);
            let sorts = [set.two_way.tile_sort, set.two_way.merge_pass, set.two_way.merge_runs, set.kway.tile_sort];
            sorts.into_iter().chain(passes)
        });
        sets.chain(partitions).chain([self.disorder])
    }
}
