//! Sorts launched kernel by kernel from a plan, in memory between guard words.
//!
//! The library sorts a few keys by two-way passes. From here every kernel can be run at any size: the k-way passes with
//! the GPU's own tiles at some ten thousand keys, quick enough for the emulator and for a GPU under a sanitizer.
use crate::guarded::Guarded;
use crate::pattern::from_bits;
use crate::{Case, Target, payload_of, same};
use gridsort::plan::{Area, Merge, MergePass, MergeSortPlan, TileSort, merge_sort};
use gridsort::{Arg, Kernel, Key, KeyCodec, Payload, PayloadWidth};
use gridsort_kernels::entry::kway::{KwayKernels, kway_kernels};
use gridsort_kernels::entry::merge_sort::{MergeSortKernels, merge_sort_kernels};

/// How many runs passes merge at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Route {
    /// Two.
    TwoWay,
    /// Up to sixteen, as long as there is more than one tile.
    Kway,
}

/// What travels with keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Carried {
    /// Nothing.
    Nothing,
    /// Payloads.
    Payloads,
    /// Positions, which the tile sort makes up: argsort.
    Positions,
}

/// An array and its scratch copy.
struct Areas<T: bytemuck::Pod> {
    data: Guarded<T>,
    scratch: Guarded<T>,
}

impl<T: bytemuck::Pod + std::fmt::Debug> Areas<T> {
    fn new(target: &Target, elements: &[T]) -> Self {
        let scratch = vec![T::zeroed(); elements.len()];
        Self { data: Guarded::new(&target.device, elements), scratch: Guarded::new(&target.device, &scratch) }
    }

    fn at(&self, area: Area) -> Arg {
        match area {
            Area::Data => self.data.arg(),
            Area::Scratch => self.scratch.arg(),
        }
    }
}

/// Sorts a case by a route, with payloads of type `P` where any are carried.
///
/// # Panics
/// Where the result is not the stable order, or a guard word was overwritten.
pub fn check<K: Key, P: Payload>(target: &Target, case: &Case<K>, route: Route, carried: Carried) {
    let width = if carried == Carried::Nothing { PayloadWidth::None } else { P::PAYLOAD_WIDTH };
    let at = || format!("{route:?} with {carried:?} of {width:?} on {target}, {}", case.name);
    let Some(tiles) = target.tiles else {
        return;
    };
    let mut shape = target.shape(K::WIDTH, width);
    shape.kway_from = if route == Route::Kway { 0 } else { u64::MAX };
    let n = case.keys.len();
    let plan = merge_sort(n as u64, &shape).unwrap();
    let codec = K::codec(case.direction);

    let keys = Areas::new(target, &case.keys);
    let payloads: Option<Areas<P>> = match carried {
        Carried::Nothing => None,
        Carried::Payloads => Some(Areas::new(target, &(0..n as u64).map(payload_of).collect::<Vec<P>>())),
        Carried::Positions => Some(Areas::new(target, &vec![P::zeroed(); n])),
    };
    let cuts = Guarded::new(&target.device, &vec![0u64; cuts(&plan)]);
    let launches = Launches {
        target,
        two_way: merge_sort_kernels(K::WIDTH, width, tiles),
        kway: kway_kernels(K::WIDTH, width, tiles),
        plan: &plan,
        codec,
    };
    if plan.tile_grid > 0 {
        let mut args = vec![keys.data.arg(), keys.at(plan.tiles_to)];
        if let Some(payloads) = &payloads {
            let source = if carried == Carried::Positions { Arg::Address(0) } else { payloads.data.arg() };
            args.extend([source, payloads.at(plan.tiles_to)]);
        }
        launches.tile_sort(args, at);
    }
    for pass in &plan.passes {
        let mut args = vec![keys.at(pass.from), keys.at(pass.from.other())];
        args.extend(payloads.iter().flat_map(|p| [p.at(pass.from), p.at(pass.from.other())]));
        launches.pass(pass, args, cuts.arg(), at);
    }

    same(&keys.data.elements(at), &case.sorted, at);
    keys.scratch.elements(at);
    cuts.elements(at);
    if let Some(payloads) = &payloads {
        let expected = match carried {
            Carried::Positions => case.order.iter().map(|&position| from_bits(u128::from(position))).collect(),
            _ => case.sorted_payloads::<P>(),
        };
        same(&payloads.data.elements(at), &expected, || format!("payloads, {}", at()));
        payloads.scratch.elements(at);
    }
}

/// All routes, with nothing, payloads of both widths and positions.
///
/// # Panics
/// As [`check`].
pub fn check_all<K: Key>(target: &Target, case: &Case<K>) {
    for route in [Route::TwoWay, Route::Kway] {
        check_route(target, case, route);
    }
}

/// One route, with nothing, payloads of both widths and positions.
///
/// # Panics
/// As [`check`].
pub fn check_route<K: Key>(target: &Target, case: &Case<K>, route: Route) {
    check::<K, u32>(target, case, route, Carried::Nothing);
    check::<K, u32>(target, case, route, Carried::Payloads);
    check::<K, u64>(target, case, route, Carried::Payloads);
    check::<K, u32>(target, case, route, Carried::Positions);
    check::<K, u64>(target, case, route, Carried::Positions);
}

/// Cuts of the pass that has most.
fn cuts(plan: &MergeSortPlan) -> usize {
    let of_pass = |pass: &MergePass| match pass.merge {
        Merge::TwoWay { .. } | Merge::Engine { .. } => 0,
        Merge::Kway { runs, boundaries, .. } => boundaries as usize * runs as usize,
    };
    plan.passes.iter().map(of_pass).max().unwrap_or(0)
}

/// What tile sorts and passes are told of the arrays where there is one: no end of units, no strides, no table.
const ONE: [Arg; 4] = [Arg::U32(u32::MAX), Arg::U64(0), Arg::U64(0), Arg::Address(0)];

struct Launches<'a> {
    target: &'a Target,
    two_way: MergeSortKernels,
    kway: KwayKernels,
    plan: &'a MergeSortPlan,
    codec: KeyCodec,
}

impl Launches<'_> {
    fn tile_sort(&self, mut args: Vec<Arg>, at: impl Fn() -> String) {
        args.push(Arg::U64(self.plan.n));
        args.extend([self.codec.arg(), self.store(self.plan.passes.is_empty()).arg()]);
        args.extend(ONE);
        let kernel = match self.plan.tiles {
            TileSort::Small => self.two_way.small_sort,
            TileSort::TwoWay => self.two_way.tile_sort,
            TileSort::Kway => self.kway.tile_sort,
        };
        self.launch(kernel, self.plan.tile_grid, &args, at);
    }

    fn pass(&self, pass: &MergePass, mut args: Vec<Arg>, cuts: Arg, at: impl Fn() -> String) {
        let (n, run) = (Arg::U64(self.plan.n), Arg::U64(pass.run));
        let store = self.store(pass.last).arg();
        match pass.merge {
            Merge::TwoWay { grid } => {
                args.extend([n, run, store]);
                self.launch(self.two_way.merge_pass, grid, &args, at);
            }
            Merge::Kway { runs, tiles, boundaries, stride, partition_grid, grid } => {
                let kernels = self.kway.by(runs);
                let neighbours = [Arg::Address(0), KeyCodec::identity(self.codec.width()).arg()];
                for level in 0..if stride > 1 { 2 } else { 1 } {
                    let (tile, stride, level) = (Arg::U32(kernels.tile), Arg::U32(stride), Arg::U32(level));
                    let mut search =
                        vec![args[0], cuts, n, run, Arg::U32(tiles), Arg::U64(boundaries), tile, stride, level];
                    search.extend(neighbours);
                    // It writes no array, and has no stride for one.
                    search.extend([ONE[0], ONE[1], ONE[3]]);
                    self.launch(kernels.partition, partition_grid, &search, &at);
                }
                args.extend([cuts, n, run, Arg::U32(tiles), store]);
                args.extend(neighbours);
                args.extend(ONE);
                self.launch(kernels.pass, grid, &args, at);
            }
            Merge::Engine { .. } => panic!("{}: no route of the merge sort has {pass:?}", at()),
        }
    }

    fn store(&self, last: bool) -> KeyCodec {
        if last { self.codec } else { KeyCodec::identity(self.codec.width()) }
    }

    fn launch(&self, kernel: &'static Kernel, grid: u32, args: &[Arg], at: impl Fn() -> String) {
        // SAFETY: the plan's launches, on arrays that hold what it asks for.
        let done = unsafe { self.target.device.launch(kernel, grid, args) };
        done.unwrap_or_else(|error| panic!("{}: {error}", at()));
    }
}
