//! Every engine of McGridsort on the emulator, every access checked: streams of all lengths, ties, keys that equal what
//! stands for nothing, payloads, several pieces; the kernels themselves, and small grids under several schedules.
#![allow(clippy::undocumented_unsafe_blocks)]
#[path = "../emulator_common/mod.rs"]
mod emulator_common;
mod work;
use emulator_common::*;
use gridsort_kernels::entry::KeyWidth;
use gridsort_kernels::entry::grid::{Engine, grid_kernel, timing_kernels};
use gridsort_kernels::entry::merge_sort::PayloadWidth;
use gridsort_kernels::grid::naive::minimum;
use gridsort_kernels::grid::pieces::Layout;
use gridsort_kernels::grid::restore::kind;
use gridsort_kernels::grid::{Job, gridless, naive, omit, pieces, plain, several, single};
use gridsort_kernels::kway::partition::Groups;
use gridsort_kernels::order::{Key, Order};
use gridsort_kernels::simt::emulator::{self, Config, Launch};
use gridsort_kernels::simt::{Arg, Global, Kernel, Plain};
use gridsort_kernels::tile::payload::{Keys, Pairs};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use work::{Arrays, Work, halves, launch, random_stream, works};

/// All kernels of an engine, on all streams.
fn kernels_of(engine: Engine) {
    let shape = engine.shape();
    for (width, payload) in [
        (KeyWidth::W32, PayloadWidth::None),
        (KeyWidth::W64, PayloadWidth::None),
        (KeyWidth::W32, PayloadWidth::W32),
        (KeyWidth::W64, PayloadWidth::W32),
    ] {
        let Some(kernel) = grid_kernel(engine, width, payload) else { continue };
        let wide = width == KeyWidth::W64;
        for (i, work) in works(shape.streams as usize, wide).iter().enumerate() {
            // Another schedule for each.
            let config = Config { seed: i as u64, ..plain() };
            launch(kernel, shape.pieces(), work, &config, wide, payload == PayloadWidth::W32);
        }
    }
}

macro_rules! engines {
    ($($name:ident $engine:ident;)*) => { $(
        #[test]
        fn $name() {
            kernels_of(Engine::$engine);
        }
    )* };
}
engines! {
    naive_16 Naive16;
    naive_32 Naive32;
    reduce_32 Reduce32;
    ti_32 Ti32;
    ti_32_of_two_warps Ti32Pair;
    yt_32 Yt32;
    ti_16 Ti16;
    double_16 Double16;
    quad_16 Quad16;
    incremental_16 Incremental16;
    incremental_32 Incremental32;
    gridless_16 Gridless16;
    gridless_32 Gridless32;
    plain_16 Plain16;
    plain_32 Plain32;
}

#[test]
fn every_engine_has_its_kernels_and_its_timing() {
    for engine in Engine::ALL {
        let name = engine.name().replace('-', "_");
        for (width, bits) in [(KeyWidth::W32, "32"), (KeyWidth::W64, "64")] {
            let kernel = grid_kernel(engine, width, PayloadWidth::None).unwrap();
            assert_eq!(kernel.name, format!("grid_{name}_{bits}"));
            assert_eq!(kernel.threads, engine.shape().threads);
            if let Some(kernel) = grid_kernel(engine, width, PayloadWidth::W32) {
                assert_eq!(kernel.name, format!("grid_{name}_{bits}_pairs_32"));
            }
        }
    }
    assert_eq!(timing_kernels().count(), 11 + 8 + 11);
    for timing in timing_kernels() {
        let name = timing.engine.name().replace('-', "_");
        assert_eq!(timing.kernel.name, format!("timing_{name}_without_{}_32", timing.without));
    }
}

/// An order by half of the bits, in which many keys are equal that differ; or, for liars, none at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(transparent)]
struct Record(u32);
const LYING: u32 = 0xbad;
// SAFETY: a transparent word.
unsafe impl Plain for Record {}
impl Order for Record {
    fn before(self, other: Self) -> bool {
        if self.0 >> 16 == LYING || other.0 >> 16 == LYING {
            return (self.0 ^ other.0.rotate_left(9)).wrapping_mul(0x9E37_79B9) >> 30 != 0;
        }
        self.0 >> 16 < other.0 >> 16
    }
}
gridsort_kernels::custom_key!(Record);

const THREADS: u32 = 64;

/// An engine that no kernel has: its name, lanes, shared memory, and the engine.
type Small<K, P> = (&'static str, u32, u32, unsafe fn(Job<K, P>));

/// Slots of their rings.
const R: u32 = 8;

/// The gridless engines of 4 and 8 lanes; merge path asks for an order that is one.
macro_rules! small_lists {
    ($k:ty, $p:ty) => {{
        let small: [Small<$k, $p>; 2] = [
            (
                "gridless4",
                4,
                gridless::shared_bytes::<$k>(THREADS, 4, R),
                gridless::gridless_merge::<$k, $p, 4, 3, R, THREADS, 0>,
            ),
            (
                "gridless8",
                8,
                gridless::shared_bytes::<$k>(THREADS, 8, 0),
                gridless::gridless_merge::<$k, $p, 8, 3, 0, THREADS, 0>,
            ),
        ];
        small
    }};
}

/// The engines with grids of 4 and 8.
macro_rules! small_engines {
    ($k:ty, $p:ty) => {{
        let grid = |n| single::shared_bytes::<$k>(THREADS, n, R);
        let small: Vec<Small<$k, $p>> = vec![
            ("ti4, b = 3", 4, grid(4), single::grid_merge::<$k, $p, 4, 4, 1, 1, 3, { kind::TRIPLE }, R, THREADS, 0>),
            ("ti4, b = 4", 4, grid(4), single::grid_merge::<$k, $p, 4, 4, 1, 2, 4, { kind::TRIPLE }, R, THREADS, 0>),
            ("yt4", 4, grid(4), single::grid_merge::<$k, $p, 4, 4, 1, 2, 3, { kind::RECTANGLE }, R, THREADS, 0>),
            (
                "incremental4",
                4,
                grid(4),
                single::grid_merge::<$k, $p, 4, 4, 1, 2, 4, { kind::INCREMENTAL }, R, THREADS, 0>,
            ),
            ("ti8", 8, grid(8), single::grid_merge::<$k, $p, 8, 8, 2, 2, 8, { kind::TRIPLE }, R, THREADS, 0>),
            (
                "incremental8",
                8,
                grid(8),
                single::grid_merge::<$k, $p, 8, 8, 2, 2, 7, { kind::INCREMENTAL }, R, THREADS, 0>,
            ),
            ("double8", 8, grid(8), several::several_merge::<$k, $p, 8, 8, 2, 4, 2, 16, R, THREADS, 0>),
            ("double4", 4, grid(4), several::several_merge::<$k, $p, 4, 4, 1, 4, 2, 8, R, THREADS, 0>),
            ("plain4", 4, plain::shared_bytes::<$k>(THREADS, 4, R), plain::plain_merge::<$k, $p, 4, 4, R, THREADS, 0>),
        ];
        small
    }};
}

fn small<K: Key, P: gridsort_kernels::tile::payload::Payload<K, Item = T>, T: Plain>(
    (name, lanes, bytes, engine): Small<K, P>,
    work: &Work,
    config: &Config,
    payloads: bool,
) -> Arrays {
    let arrays = Arrays::new(work, false);
    let count = work.pieces.len() as u32;
    let launch = shape(count.div_ceil(THREADS / lanes), THREADS, bytes);
    emulator::run(name, launch, config, || unsafe {
        let null = Global::null();
        engine(Job {
            src: arrays.src.global(),
            dst: arrays.dst.global(),
            payload_src: if payloads { arrays.payload_src.global() } else { null },
            payload_dst: if payloads { arrays.payload_dst.global() } else { null },
            begins: arrays.begins.global(),
            ends: arrays.ends.global(),
            outputs: arrays.outputs.global(),
            pieces: count,
            streams: work.streams() as u32,
            load: K::codec(0),
            store: K::codec(0),
        })
    })
    .unwrap_or_else(|e| panic!("{name}, {}: {e}", work.name));
    arrays
}

#[test]
fn small_grids_under_every_schedule() {
    for engine in small_engines!(u32, Pairs<u32>).into_iter().chain(small_lists!(u32, Pairs<u32>)) {
        for work in works(engine.1 as usize, false) {
            small(engine, &work, &plain(), true).check(true, &format!("{}, {}", engine.0, work.name));
        }
        let streams = works(engine.1 as usize, false);
        for (config, work) in configs().iter().zip(streams.iter().cycle().skip(4)) {
            small(engine, work, config, true).check(true, &format!("{}, {}", engine.0, work.name));
        }
    }
    for engine in small_engines!(u32, Keys).into_iter().chain(small_lists!(u32, Keys)) {
        for work in works(engine.1 as usize, false) {
            small(engine, &work, &plain(), false).check(false, &format!("{}, {}", engine.0, work.name));
        }
    }
}

#[test]
fn random_streams_through_small_grids() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(99);
    for engine in small_engines!(u32, Pairs<u32>).into_iter().chain(small_lists!(u32, Pairs<u32>)) {
        for round in 0..25 {
            let values = [2, 5, 50, 1 << 32][round % 4];
            let k = 1 + rng.next_u64() as usize % engine.1 as usize;
            let streams = (0..k)
                .map(|_| {
                    let len = rng.next_u64() as usize % [1, 4, 30, 60][rng.next_u64() as usize % 4];
                    random_stream(&mut rng, len, values)
                })
                .collect();
            let work = Work::of(format!("random {round}"), streams);
            let config = Config { seed: round as u64, ..plain() };
            small(engine, &work, &config, true).check(true, &format!("{}, {round}", engine.0));
        }
    }
}

#[test]
fn keys_whose_equals_differ_stay_in_order_and_liars_lose_nothing() {
    let record = |i: u32, of: u32| (of << 16) | (i & 0xffff);
    for engine in small_engines!(Record, Keys) {
        let k = engine.1;
        let streams: Vec<Vec<u64>> =
            (0..k).map(|j| (0..25u32).map(|i| record(j * 100 + i, i / 6) as u64).collect()).collect();
        let arrays = small(engine, &Work::of("records", streams), &plain(), false);
        let mut expected: Vec<u32> = arrays.outside.iter().map(|e| e.0 as u32).collect();
        expected.sort_by_key(|r| (r >> 16, (r & 0xffff) / 100, r & 0xffff));
        assert_eq!(arrays.dst.words()[..expected.len()], expected, "{}", engine.0);

        let lying = |i: u32| if i.is_multiple_of(3) { LYING } else { i % 7 };
        let streams: Vec<Vec<u64>> =
            (0..k).map(|j| (0..20u32).map(|i| record(j * 100 + i, lying(i)) as u64).collect()).collect();
        let arrays = small(engine, &Work::of("liars", streams), &plain(), false);
        let mut expected: Vec<u32> = arrays.outside.iter().map(|e| e.0 as u32).collect();
        let mut got = arrays.dst.words();
        got.pop();
        expected.sort();
        got.sort();
        assert_eq!(got, expected, "{}", engine.0);
    }
}

#[test]
fn naive_engines_of_few_lanes() {
    for work in works(4, false) {
        type Naive = unsafe fn(Job<u32, Pairs<u32>>);
        let engine: Naive =
            naive::naive_merge::<u32, Pairs<u32>, 4, { minimum::SHUFFLES }, 8, THREADS, { omit::NOTHING }>;
        let bytes = naive::shared_bytes::<u32>(THREADS, 4, 8);
        small(("naive4", 4, bytes, engine), &work, &plain(), true).check(true, &work.name);
    }
}

/// Groups of four runs, the last one short, merged tile by tile: exact cuts, laid out by the kernel, then an engine.
#[test]
fn tiles_of_groups_of_runs() {
    let (n, run, tile, runs) = (333usize, 30usize, 25usize, 4usize);
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(8);
    let mut keys: Vec<u32> = (0..n).map(|_| rng.next_u64() as u32 % 40).collect();
    keys.chunks_mut(run).for_each(|run| run.sort());
    let tiles = (runs * run).div_ceil(tile);
    let groups: Vec<&[u32]> = keys.chunks(runs * run).collect();
    let mut cuts: Vec<u64> = vec![];
    let mut expected: Vec<(u32, u32)> = vec![];
    for (g, group) in groups.iter().enumerate() {
        let at = |i: usize| (group[i], (g * runs * run + i) as u32);
        let mut merged: Vec<_> = (0..group.len()).map(at).collect();
        merged.sort();
        for boundary in 0..=tiles {
            let before = &merged[..(boundary * tile).min(group.len())];
            let of_run =
                |j: usize| before.iter().filter(|(_, i)| (*i as usize % (runs * run)) / run == j).count() as u64;
            cuts.extend((0..runs).map(of_run));
        }
        expected.extend(merged);
    }
    let pieces = (groups.len() * tiles) as u32;
    let src = Buffer::of(&keys);
    let payload_src = Buffer::of(&(0..n as u32).collect::<Vec<_>>());
    let (dst, payload_dst) = (Buffer::new(n), Buffer::new(n));
    let cuts = Buffer::of(&halves(&cuts));
    let words = 2 * pieces as usize;
    let (begins, ends, outputs) = (Buffer::new(words * runs), Buffer::new(words * runs), Buffer::new(words));
    let launch = shape((pieces * runs as u32).div_ceil(64), 64, 0);
    emulator::run("pieces", launch, &plain(), || unsafe {
        let layout = Layout { begins: begins.global(), ends: ends.global(), outputs: outputs.global() };
        let groups = Groups::of_one(n as u64, run as u64, tiles as u32);
        pieces::pieces(cuts.global(), layout, groups, pieces, runs as u32, tile as u32);
    })
    .unwrap();
    for (name, lanes, bytes, engine) in small_engines!(u32, Pairs<u32>) {
        emulator::run(name, shape(pieces.div_ceil(THREADS / lanes), THREADS, bytes), &plain(), || unsafe {
            engine(Job {
                src: src.global(),
                dst: dst.global(),
                payload_src: payload_src.global(),
                payload_dst: payload_dst.global(),
                begins: begins.global(),
                ends: ends.global(),
                outputs: outputs.global(),
                pieces,
                streams: runs as u32,
                load: u32::codec(0),
                store: u32::codec(0),
            })
        })
        .unwrap();
        let got: Vec<(u32, u32)> = dst.words().into_iter().zip(payload_dst.words()).collect();
        assert_eq!(got, expected, "{name}");
    }
}

#[cfg(feature = "mutate")]
mod mutants;
