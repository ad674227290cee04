//! McGridsort on a small grid: what is in it after each phase of each round.
use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::{Mutex, PoisonError};

use gridsort::Device;
use gridsort_kernels::grid::candidates::{Order, count, predecessors};
use gridsort_kernels::grid::restore::{Phase, kind};
use gridsort_kernels::grid::single::{Watch, shared_bytes, watched_merge};
use gridsort_kernels::grid::{Job, omit};
use gridsort_kernels::order::{Codec, mode};
use gridsort_kernels::simt::emulator::{self, Config, Launch};
use gridsort_kernels::simt::{Global, thread};
use gridsort_kernels::tile::element::Element;
use gridsort_kernels::tile::payload::Keys;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

use crate::Error;

/// Options of `cargo xtask explain grid`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Side of the grid, and number of streams: 4 or 8
    #[arg(long, default_value_t = 4)]
    n: u32,
    /// Elements that leave in each round, 1 to n
    #[arg(long, default_value_t = 3)]
    b: u32,
    /// From what the streams are made
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// A warp: the first team of it has the streams, the others have none.
const THREADS: u32 = 32;

type Merge = unsafe fn(Job<u32, Keys>, &Recorder);

/// The engine for a grid; `None` for one that is not made.
fn engine(n: u32, b: u32) -> Option<Merge> {
    macro_rules! engines {
        ($($n:literal $side:literal $quarter:literal: $($b:literal in $registers:literal),*;)*) => {
            match (n, b) {
                $($(($n, $b) => {
                    let merge: Merge = |job, watch| {
                        // SAFETY: as `explain` says where it runs it.
                        unsafe {
                            watched_merge::<u32, Keys, $n, $side, $quarter, $registers, $b, { kind::TRIPLE }, 0, THREADS, { omit::NOTHING }, _>(job, watch)
                        }
                    };
                    Some(merge)
                })*)*
                _ => None,
            }
        };
    }
    engines! {
        4 4 1: 1 in 1, 2 in 1, 3 in 1, 4 in 2;
        8 8 2: 1 in 1, 2 in 1, 3 in 1, 4 in 1, 5 in 1, 6 in 2, 7 in 2, 8 in 2;
    }
}

/// What stands in a cell: a key and its stream.
pub(in crate::commands) type Cell = Option<(u32, u32)>;

/// What the engine's lanes saw, by step.
struct Recorder {
    n: u32,
    steps: Mutex<BTreeMap<u32, (Phase, Vec<Cell>)>>,
}

impl<E: Element<Key = u32, Tag = u32>> Watch<E> for &Recorder {
    const ON: bool = true;
    fn see(self, step: u32, phase: Phase, row: u32, column: u32, element: E) {
        if thread::thread_idx_x() >= self.n {
            return;
        }
        let mut steps = self.steps.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, cells) = steps.entry(step).or_insert_with(|| (phase, vec![None; (self.n * self.n) as usize]));
        let cell = (element.tag() < self.n).then(|| (element.key(), element.tag()));
        cells[(row * self.n + column) as usize] = cell;
    }
}

/// A merge by a small grid, as the engine's lanes saw it.
pub(in crate::commands) struct Trace {
    /// What was merged.
    pub(in crate::commands) streams: Vec<Vec<u32>>,
    /// The grid, row by row, after each phase.
    pub(in crate::commands) steps: Vec<(Phase, Vec<Cell>)>,
    /// What left, in its order: b keys a round.
    pub(in crate::commands) merged: Vec<u32>,
}

/// Runs the engine of an n×n grid that lets b keys leave a round, on streams made from a seed.
///
/// # Errors
/// Where there is no such engine.
pub(in crate::commands) fn trace(n: u32, b: u32, seed: u64) -> Result<Trace, Error> {
    let Some(merge) = engine(n, b) else {
        return Err(Error::msg(format!("there is no grid with --n {n} and --b {b}: n is 4 or 8, b is 1 to n")));
    };
    let streams = streams(n, seed);
    let recorder = Recorder { n, steps: Mutex::default() };
    let merged = run(&streams, n, merge, &recorder)?;
    let steps = recorder.steps.into_inner().unwrap_or_else(PoisonError::into_inner);
    Ok(Trace { streams, steps: steps.into_values().collect(), merged })
}

pub(super) fn explain(args: &Args) -> Result<String, Error> {
    let Args { n, b, seed } = *args;
    let Trace { streams, steps, merged } = trace(n, b, seed)?;
    let mut out = String::new();
    writeln!(out, "{n} sorted streams (seed {seed}):")?;
    for (s, stream) in streams.iter().enumerate() {
        writeln!(out, "  {s}: {}", line(stream))?;
    }
    writeln!(
        out,
        "\nThe {b} smallest of a sorted grid are among the {} cells [in brackets], C({b}): those with fewer than {b} cells \
         that surely hold nothing greater.",
        count(Order::Upper, n, b)
    )?;
    let mut left = merged.as_slice();
    let mut filled = false;
    for (phase, cells) in &steps {
        let title = match phase {
            Phase::Refilled if !filled => {
                filled = true;
                "column c holds the first keys of stream c:".into()
            }
            Phase::Refilled => {
                let (leave, rest) = left.split_at(left.len().min(b as usize));
                left = rest;
                let round = (merged.len() - rest.len()).div_ceil(b as usize);
                format!("\nround {round}: {} leave; the next keys of their streams take their places:", line(leave))
            }
            Phase::Columns => "columns sorted, top to bottom:".into(),
            Phase::Rows => "rows sorted, left to right:".into(),
            Phase::AntiDiagonals => "anti-diagonals of the upper triangle sorted, bottom left to top right:".into(),
        };
        writeln!(out, "{title}")?;
        grid(&mut out, n, b, cells)?;
    }
    writeln!(out, "\nmerged: {}", line(&merged))?;
    Ok(out)
}

/// Sorted streams of about two columns of keys.
fn streams(n: u32, seed: u64) -> Vec<Vec<u32>> {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(seed);
    let mut below = |end: u32| (rng.next_u64() % u64::from(end)) as u32;
    let mut stream = || {
        let len = n + below(n);
        let mut keys: Vec<u32> = (0..len).map(|_| below(100)).collect();
        keys.sort_unstable();
        keys
    };
    (0..n).map(|_| stream()).collect()
}

/// Merges the streams on the emulator.
fn run(streams: &[Vec<u32>], n: u32, merge: Merge, recorder: &Recorder) -> Result<Vec<u32>, Error> {
    let device = Device::emulator();
    let keys: Vec<u32> = streams.concat();
    let ends: Vec<u64> = streams
        .iter()
        .scan(0, |at, stream| {
            *at += stream.len() as u64;
            Some(*at)
        })
        .collect();
    let begins: Vec<u64> = ends.iter().zip(streams).map(|(end, stream)| end - stream.len() as u64).collect();
    let (src, dst) = (device.upload(&keys)?, device.allocate::<u32>(keys.len())?);
    let (begins, ends, outputs) = (device.upload(&begins)?, device.upload(&ends)?, device.upload(&[0u64])?);
    let codec = Codec::of_mode(mode::UNSIGNED);
    let launch = Launch { grid: 1, block: THREADS, shared_bytes: shared_bytes::<u32>(THREADS, n, 0) };
    // One lane after the other: what is shown does not depend on the schedule, but this is the order of the record.
    let config = Config { workers: 1, ..Config::default() };
    let thread = || {
        let job = Job {
            src: Global::from_address(src.address()),
            dst: Global::from_address(dst.address()),
            payload_src: Global::null(),
            payload_dst: Global::null(),
            begins: Global::from_address(begins.address()),
            ends: Global::from_address(ends.address()),
            outputs: Global::from_address(outputs.address()),
            pieces: 1,
            streams: n,
            load: codec,
            store: codec,
        };
        // SAFETY: the block has a warp and the engine's shared memory; there is one piece, whose streams are sorted and whose
        // output has room for all keys. The buffers live until the launch is over.
        unsafe { merge(job, recorder) }
    };
    emulator::run("grid", launch, &config, thread).map_err(|fault| Error::msg(fault.to_string()))?;
    Ok(dst.to_vec()?)
}

fn line(keys: &[u32]) -> String {
    keys.iter().map(u32::to_string).collect::<Vec<_>>().join(" ")
}

/// A grid, candidates in brackets.
fn grid(out: &mut String, n: u32, b: u32, cells: &[Cell]) -> Result<(), Error> {
    for r in 0..n {
        let mut row = String::from(" ");
        for c in 0..n {
            let key = cells[(r * n + c) as usize].map_or("·".into(), |(key, _)| key.to_string());
            let candidate = predecessors(Order::Upper, n, r, c) < b;
            let (open, close) = if candidate { ('[', ']') } else { (' ', ' ') };
            write!(row, " {open}{key:>2}{close}")?;
        }
        writeln!(out, "{}", row.trim_end())?;
    }
    Ok(())
}
