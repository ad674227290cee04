//! McGridsort: an engine a line, for 32- and 64-bit keys alone and with a 4-byte payload; the kernel that lays out their
//! pieces; and kernels for timing, which leave a part of an engine out and give wrong results.
#[cfg(not(target_arch = "nvptx64"))]
use super::KeyWidth;
#[cfg(not(target_arch = "nvptx64"))]
use super::merge_sort::PayloadWidth;
use crate::grid::restore::kind;
use crate::grid::{Job, gridless, naive, omit, pair, pieces, plain, several, single};
use crate::kway::partition::Groups;
use crate::order::Key;
use crate::simt::Global;
#[cfg(not(target_arch = "nvptx64"))]
use crate::simt::Kernel;
use crate::tile::payload::{Keys, Pairs};
#[cfg(not(target_arch = "nvptx64"))]
use crate::tuning;
use crate::tuning::{GRID_16, GRID_32, GRID_PAIR, GRIDLESS_ITEMS};

/// What each engine is: its call, its shape, its shared memory, and its barriers (in all, in restoration, in extraction).
macro_rules! engine {
    (@call naive16, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        naive::naive_merge::<$k, $p, 16, { naive::minimum::SHUFFLES }, { GRID_16.ring }, { GRID_16.threads }, { $parts }>($job)
    };
    (@call naive32, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        naive::naive_merge::<$k, $p, 32, { naive::minimum::SHUFFLES }, { GRID_32.ring }, { GRID_32.threads }, { $parts }>($job)
    };
    (@call reduce32, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        naive::naive_merge::<$k, $p, 32, { naive::minimum::REDUCE }, { GRID_32.ring }, { GRID_32.threads }, { $parts }>($job)
    };
    (@call ti32, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        single::grid_merge::<$k, $p, 32, 32, 8, 2, 29, { kind::TRIPLE }, { GRID_32.ring }, { GRID_32.threads }, { $parts }>($job)
    };
    (@call ti32_pair, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        pair::pair_merge::<$k, $p, 29, { GRID_PAIR.ring }, { $parts }>($job)
    };
    (@call yt32, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        single::grid_merge::<$k, $p, 32, 32, 8, 2, 19, { kind::RECTANGLE }, { GRID_32.ring }, { GRID_32.threads }, { $parts }>($job)
    };
    (@call ti16, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        single::grid_merge::<$k, $p, 16, 16, 4, 2, 16, { kind::TRIPLE }, { GRID_16.ring }, { GRID_16.threads }, { $parts }>($job)
    };
    (@call double16, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        several::several_merge::<$k, $p, 16, 16, 4, 4, 2, 32, { GRID_16.ring }, { GRID_16.threads }, { $parts }>($job)
    };
    (@call quad16, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        several::several_merge::<$k, $p, 16, 16, 4, 8, 4, 64, { GRID_16.ring }, { GRID_16.threads }, { $parts }>($job)
    };
    (@call incremental16, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        single::grid_merge::<$k, $p, 16, 16, 4, 2, 16, { kind::INCREMENTAL }, { GRID_16.ring }, { GRID_16.threads }, { $parts }>($job)
    };
    (@call incremental32, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        single::grid_merge::<$k, $p, 32, 32, 8, 2, 29, { kind::INCREMENTAL }, { GRID_32.ring }, { GRID_32.threads }, { $parts }>($job)
    };
    (@call gridless16, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        gridless::gridless_merge::<$k, $p, 16, GRIDLESS_ITEMS, { GRID_16.ring }, { GRID_16.threads }, { $parts }>($job)
    };
    (@call gridless32, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        gridless::gridless_merge::<$k, $p, 32, GRIDLESS_ITEMS, { GRID_32.ring }, { GRID_32.threads }, { $parts }>($job)
    };
    (@call plain16, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        plain::plain_merge::<$k, $p, 16, 16, { GRID_16.ring }, { GRID_16.threads }, { $parts }>($job)
    };
    (@call plain32, $k:ty, $p:ty, $parts:expr, $job:expr) => {
        plain::plain_merge::<$k, $p, 32, 32, { GRID_32.ring }, { GRID_32.threads }, { $parts }>($job)
    };

    (@shape ti32_pair) => { GRID_PAIR };
    (@shape naive16) => { GRID_16 };
    (@shape ti16) => { GRID_16 };
    (@shape double16) => { GRID_16 };
    (@shape quad16) => { GRID_16 };
    (@shape incremental16) => { GRID_16 };
    (@shape gridless16) => { GRID_16 };
    (@shape plain16) => { GRID_16 };
    (@shape $other:ident) => { GRID_32 };

    (@shared $k:ty, ti32_pair) => { pair::shared_bytes::<$k>(GRID_PAIR.ring) };
    (@shared $k:ty, naive16) => { engine!(@shared $k, naive, GRID_16) };
    (@shared $k:ty, naive32) => { engine!(@shared $k, naive, GRID_32) };
    (@shared $k:ty, reduce32) => { engine!(@shared $k, naive, GRID_32) };
    (@shared $k:ty, gridless16) => { engine!(@shared $k, gridless, GRID_16) };
    (@shared $k:ty, gridless32) => { engine!(@shared $k, gridless, GRID_32) };
    (@shared $k:ty, plain16) => { engine!(@shared $k, plain, GRID_16) };
    (@shared $k:ty, plain32) => { engine!(@shared $k, plain, GRID_32) };
    (@shared $k:ty, $grid:ident) => { engine!(@shared $k, single, engine!(@shape $grid)) };
    (@shared $k:ty, $room:ident, $shape:expr) => { $room::shared_bytes::<$k>($shape.threads, $shape.team, $shape.ring) };

    // Blocks on a multiprocessor: as many as leave enough registers to spill none, for keys of 32 and of 64 bits. Left
    // alone, the assembler spills some to stay below 80 or 128.
    (@min_blocks $k:ty, ti16) => { engine!(@of $k, 16, 10) };
    (@min_blocks $k:ty, double16) => { engine!(@of $k, 12, 8) };
    (@min_blocks $k:ty, quad16) => { engine!(@of $k, 12, 8) };
    (@min_blocks $k:ty, incremental16) => { engine!(@of $k, 10, 8) };
    (@min_blocks $k:ty, incremental32) => { engine!(@of $k, 6, 4) };
    (@min_blocks $k:ty, ti32) => { engine!(@of $k, 8, 6) };
    (@min_blocks $k:ty, ti32_pair) => { engine!(@of $k, 8, 6) };
    (@min_blocks $k:ty, yt32) => { engine!(@of $k, 8, 6) };
    (@min_blocks $k:ty, plain16) => { engine!(@of $k, 12, 8) };
    (@min_blocks $k:ty, plain32) => { engine!(@of $k, 6, 4) };
    (@min_blocks $k:ty, $other:ident) => { 16 };
    (@min_blocks_of_pairs $k:ty, ti16) => { engine!(@of $k, 14, 10) };
    (@min_blocks_of_pairs $k:ty, $other:ident) => { engine!(@min_blocks $k, $other) };
    (@of $k:ty, $narrow:literal, $wide:literal) => { if size_of::<$k>() == 4 { $narrow } else { $wide } };

    // A grid of two warps: two barriers after it is filled and sorted once, one where the halves of the candidates meet, one
    // behind the candidates' cells, three axes at first and three in each round; the first fill needs no columns.
    (@barriers ti32_pair, $parts:expr) => {
        4 + if $parts & omit::EXTRACTION == 0 { 1 } else { 0 } + if $parts & omit::RESTORATION == 0 { 3 } else { 0 }
    };
    (@barriers $other:ident, $parts:expr) => { 0 };
}

/// Engines for keys alone: their parameters are the fields of a [`Job`].
macro_rules! keys {
    ($list:ident, $k:ty, $module:literal, $parts:expr, $($name:ident $engine:ident),* $(,)?) => {
        crate::kernels! {
            @with (feature = "grid") () kernel_is_listed
            /// Kernels of engines.
            $list:
            $(
                /// The engine of this name, on a [`Job`].
                fn $name(src: Global<$k>, dst: Global<$k>, begins: Global<u64>, ends: Global<u64>, outputs: Global<u64>, pieces: u32, streams: u32, load: u32, store: u32)
                    [module: $module, threads: engine!(@shape $engine).threads, min_blocks: engine!(@min_blocks $k, $engine), barriers: engine!(@barriers $engine, $parts), shared_bytes: engine!(@shared $k, $engine)]
                    = engine!(@call $engine, $k, Keys, without($parts), Job::<$k, Keys> {
                        src,
                        dst,
                        payload_src: Global::null(),
                        payload_dst: Global::null(),
                        begins,
                        ends,
                        outputs,
                        pieces,
                        streams,
                        load: <$k as Key>::codec(load),
                        store: <$k as Key>::codec(store),
                    });
            )*
        }
    };
}

/// Engines for keys with a payload.
macro_rules! pairs {
    ($list:ident, $k:ty, $p:ty, $module:literal, $($name:ident $engine:ident),* $(,)?) => {
        crate::kernels! {
            @with (feature = "grid") () kernel_is_listed
            /// Kernels of engines.
            $list:
            $(
                /// The engine of this name, on a [`Job`].
                fn $name(src: Global<$k>, dst: Global<$k>, payload_src: Global<$p>, payload_dst: Global<$p>, begins: Global<u64>, ends: Global<u64>, outputs: Global<u64>, pieces: u32, streams: u32, load: u32, store: u32)
                    [module: $module, threads: engine!(@shape $engine).threads, min_blocks: engine!(@min_blocks_of_pairs $k, $engine), barriers: engine!(@barriers $engine, omit::NOTHING), shared_bytes: engine!(@shared $k, $engine)]
                    = engine!(@call $engine, $k, Pairs<$p>, omit::NOTHING, Job::<$k, Pairs<$p>> {
                        src,
                        dst,
                        payload_src,
                        payload_dst,
                        begins,
                        ends,
                        outputs,
                        pieces,
                        streams,
                        load: <$k as Key>::codec(load),
                        store: <$k as Key>::codec(store),
                    });
            )*
        }
    };
}

crate::kernels! {
    @with (feature = "grid") () kernel_is_listed
    /// The kernel that lays out pieces.
    PIECES:
    /// [`pieces`](pieces::pieces) of a k-way partition.
    fn grid_pieces(cuts: Global<u64>, begins: Global<u64>, ends: Global<u64>, outputs: Global<u64>, n: u64, run: u64, tiles: u32, pieces: u32, runs: u32, tile: u32)
        [module: "grid_pieces", threads: tuning::PIECES_THREADS, min_blocks: 0, barriers: 0, shared_bytes: 0]
        = pieces::pieces(cuts, pieces::Layout { begins, ends, outputs }, Groups::of_one(n, run, tiles), pieces, runs, tile);
}

keys!(
    KEYS_32, u32, "grid_32", omit::NOTHING,
    grid_naive16_32 naive16, grid_naive32_32 naive32, grid_reduce32_32 reduce32, grid_ti32_32 ti32,
    grid_ti32_pair_32 ti32_pair, grid_yt32_32 yt32, grid_ti16_32 ti16, grid_double16_32 double16, grid_quad16_32 quad16,
    grid_incremental16_32 incremental16, grid_incremental32_32 incremental32, grid_gridless16_32 gridless16,
    grid_gridless32_32 gridless32, grid_plain16_32 plain16, grid_plain32_32 plain32,
);
keys!(
    KEYS_64, u64, "grid_64", omit::NOTHING,
    grid_naive16_64 naive16, grid_naive32_64 naive32, grid_reduce32_64 reduce32, grid_ti32_64 ti32,
    grid_ti32_pair_64 ti32_pair, grid_yt32_64 yt32, grid_ti16_64 ti16, grid_double16_64 double16, grid_quad16_64 quad16,
    grid_incremental16_64 incremental16, grid_incremental32_64 incremental32, grid_gridless16_64 gridless16,
    grid_gridless32_64 gridless32, grid_plain16_64 plain16, grid_plain32_64 plain32,
);
pairs!(
    PAIRS_32_32, u32, u32, "grid_32_pairs_32",
    grid_reduce32_32_pairs_32 reduce32, grid_ti32_32_pairs_32 ti32, grid_ti16_32_pairs_32 ti16,
    grid_double16_32_pairs_32 double16, grid_gridless16_32_pairs_32 gridless16, grid_gridless32_32_pairs_32 gridless32,
);
pairs!(
    PAIRS_64_32, u64, u32, "grid_64_pairs_32",
    grid_reduce32_64_pairs_32 reduce32, grid_ti32_64_pairs_32 ti32, grid_ti16_64_pairs_32 ti16,
    grid_double16_64_pairs_32 double16, grid_gridless16_64_pairs_32 gridless16, grid_gridless32_64_pairs_32 gridless32,
);
keys!(
    TIMING_RESTORATION, u32, "grid_timing_32", omit::RESTORATION,
    timing_ti32_without_restoration_32 ti32, timing_ti32_pair_without_restoration_32 ti32_pair,
    timing_yt32_without_restoration_32 yt32, timing_ti16_without_restoration_32 ti16,
    timing_double16_without_restoration_32 double16, timing_quad16_without_restoration_32 quad16,
    timing_incremental16_without_restoration_32 incremental16,
    timing_incremental32_without_restoration_32 incremental32, timing_gridless16_without_restoration_32 gridless16,
    timing_gridless32_without_restoration_32 gridless32, timing_plain16_without_restoration_32 plain16,
);
keys!(
    TIMING_EXTRACTION, u32, "grid_timing_32", omit::EXTRACTION,
    timing_ti32_without_extraction_32 ti32, timing_ti32_pair_without_extraction_32 ti32_pair,
    timing_yt32_without_extraction_32 yt32, timing_ti16_without_extraction_32 ti16,
    timing_double16_without_extraction_32 double16, timing_quad16_without_extraction_32 quad16,
    timing_incremental16_without_extraction_32 incremental16,
    timing_incremental32_without_extraction_32 incremental32,
);
keys!(
    TIMING_REFILL, u32, "grid_timing_32", omit::REFILL,
    timing_naive32_without_refill_32 naive32, timing_reduce32_without_refill_32 reduce32,
    timing_ti32_without_refill_32 ti32, timing_ti32_pair_without_refill_32 ti32_pair, timing_yt32_without_refill_32 yt32,
    timing_ti16_without_refill_32 ti16, timing_double16_without_refill_32 double16, timing_quad16_without_refill_32 quad16,
    timing_incremental16_without_refill_32 incremental16, timing_incremental32_without_refill_32 incremental32,
    timing_plain16_without_refill_32 plain16,
);

/// What a kernel for timing leaves out: on the emulator nothing, where there is no time to measure.
const fn without(part: u32) -> u32 {
    if cfg!(target_arch = "nvptx64") { part } else { omit::NOTHING }
}

/// Every kernel of the engines. They are there, and in the PTX, where the feature `grid` is on: they are many and large,
/// and a sort needs none of them.
#[cfg(not(target_arch = "nvptx64"))]
pub fn kernels() -> impl Iterator<Item = &'static Kernel> {
    lists().into_iter().flatten().copied()
}

/// All lists of this module that the PTX exports.
#[cfg(not(target_arch = "nvptx64"))]
fn lists() -> [&'static [&'static Kernel]; 8] {
    [PIECES, KEYS_32, KEYS_64, PAIRS_32_32, PAIRS_64_32, TIMING_RESTORATION, TIMING_EXTRACTION, TIMING_REFILL]
}

#[cfg(not(target_arch = "nvptx64"))]
pub use crate::grid::engine::Engine;

/// The kernel of an engine for keys and payloads of these widths, if there is one. Its grid is
/// `ceil(pieces / engine.shape().pieces())` blocks.
#[cfg(not(target_arch = "nvptx64"))]
pub fn grid_kernel(engine: Engine, width: KeyWidth, payload: PayloadWidth) -> Option<&'static Kernel> {
    let pair = || Engine::ALL.into_iter().filter(|e| e.carries_payloads()).position(|e| e == engine);
    match (width, payload) {
        (KeyWidth::W32, PayloadWidth::None) => Some(KEYS_32[engine as usize]),
        (KeyWidth::W64, PayloadWidth::None) => Some(KEYS_64[engine as usize]),
        (KeyWidth::W32, PayloadWidth::W32) => pair().map(|i| PAIRS_32_32[i]),
        (KeyWidth::W64, PayloadWidth::W32) => pair().map(|i| PAIRS_64_32[i]),
        _ => None,
    }
}

// The gridless engines have none without refill: how much they move depends on what comes in.

/// A kernel that does an engine's work on 32-bit keys but for one part, and its result is wrong: what it takes less time
/// is that part's.
#[cfg(not(target_arch = "nvptx64"))]
#[derive(Clone, Copy, Debug)]
pub struct Timing {
    /// The engine.
    pub engine: Engine,
    /// What is left out: `"restoration"`, `"extraction"` or `"refill"`.
    pub without: &'static str,
    /// The kernel. On the emulator it leaves nothing out.
    pub kernel: &'static Kernel,
}

/// The kernels for timing.
#[cfg(not(target_arch = "nvptx64"))]
pub fn timing_kernels() -> impl Iterator<Item = Timing> {
    let lists = [("restoration", TIMING_RESTORATION), ("extraction", TIMING_EXTRACTION), ("refill", TIMING_REFILL)];
    lists.into_iter().flat_map(|(without, list)| {
        list.iter().filter_map(move |&kernel| {
            let name = kernel.name.strip_prefix("timing_")?.split("_without_").next()?;
            let engine = Engine::ALL.into_iter().find(|e| e.name().replace('-', "_") == name)?;
            Some(Timing { engine, without, kernel })
        })
    })
}
