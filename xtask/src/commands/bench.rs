//! `cargo xtask bench`: times sorts and merges of data that is on the device, and other libraries' beside them.
//!
//! Each time is taken between two events on the device, around the job alone. Every job gets its input afresh, from one of
//! several sets on the device, by a copy that is made outside the timing, and results are checked outside it too.
use std::io::Write;
use std::path::PathBuf;

use gridsort::{Algorithm, Device, Key, key_bytes};
use gridsort_kernels::tuning;

use super::device::DeviceChoice;
use super::rerun;
use crate::Error;
use crate::build::process::say;
use crate::place::Place;
use crate::progress::Progress;

mod adversary;
mod cases;
mod charts;
mod check;
mod compare;
mod host;
mod inputs;
mod keys;
mod merges;
mod parts;
mod peers;
mod points;
mod report;
mod sets;
mod several;
mod startup;
mod table;
mod tensors;
mod timing;

use cases::{Case, Way};
use host::HostSort;
pub use inputs::Distribution;
pub use keys::BenchKey;
use keys::with_bench_key;
pub use parts::{AskedParts, Parts};
use peers::Peers;
use points::Wanted;
pub use report::{Measurement, Report};
use sets::{Point, Sets};
pub use several::{Distributions, Sizes};
pub use startup::Startup;
pub use tensors::{Job, Options as TensorOptions, Shape, TensorMeasurement};
pub use timing::Times;

/// Options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Few sizes and uniformly random keys only: done in a minute
    #[arg(long)]
    pub quick: bool,
    /// File to write every time to, as JSON
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Folder to write charts to, as SVG
    #[arg(long)]
    pub charts: Option<PathBuf>,
    /// Measure other libraries too: CUB where nvcc is found, torch and CuPy where python3 has them, rayon
    #[arg(long)]
    pub peers: bool,
    /// Measure fresh processes from their start to their first sorted result, and nothing else
    #[arg(long, conflicts_with_all = ["quick", "charts", "log2", "distribution", "cases", "key", "runs", "parts"])]
    pub startup: bool,
    /// Be one of those processes
    #[arg(long, hide = true)]
    pub startup_child: bool,
    /// Measure nothing, and show what moved from one JSON file to another
    #[arg(long, num_args = 2, value_names = ["BEFORE", "AFTER"], exclusive = true)]
    pub compare: Vec<PathBuf>,
    /// Where to sort; auto is a GPU where there is one, else the emulator
    #[arg(long, default_value = "auto")]
    pub device: DeviceChoice,
    /// Types of the keys
    #[arg(long, value_delimiter = ',', default_values = ["u32", "u64"])]
    pub key: Vec<BenchKey>,
    /// Numbers of keys, as powers of two, or ranges of them: 10,16-20; suited to the device by default
    #[arg(long, value_delimiter = ',')]
    pub log2: Vec<Sizes>,
    /// What the keys are like: uniform, sorted, reversed, nearly (5 % out of place), few (16 values), zipf, equal,
    /// sawtooth, organ-pipe, runs (16), adversary (most bank conflicts in a merge sort's tile), or all; by default
    /// uniformly random at every size, and everything else at one size
    #[arg(long, value_delimiter = ',')]
    pub distribution: Vec<Distributions>,
    /// Which jobs; everything by default
    #[arg(long = "case", value_delimiter = ',')]
    pub cases: Vec<Case>,
    /// Of merges of many, parts to merge beside those of one length: lopsided (one has half of all keys, each of the others two
    /// thirds of the one before), half-empty, all-equal, five-values, ranges (each a range of its own), or all
    #[arg(long, value_delimiter = ',')]
    pub parts: Vec<AskedParts>,
    /// This library's sorts to measure: auto, merge, sample, grid or grid:ENGINE; by default auto, and merge beside it where
    /// auto is the sample sort
    #[arg(long, value_delimiter = ',', value_parser = algorithm)]
    pub algorithm: Vec<Algorithm>,
    /// Times to take; by default 11, and 31 of short sorts on a GPU
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..))]
    pub runs: Option<u16>,
    /// Seed of the keys
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Sorts of rows and segments, and selections
    #[command(flatten)]
    pub tensors: TensorOptions,
}

fn algorithm(name: &str) -> Result<Algorithm, String> {
    name.parse().map_err(|e: gridsort::Error| e.to_string())
}

/// Runs the command.
///
/// # Errors
/// Where there is no such device, a sort fails or its result is wrong, or a file cannot be read or written.
pub fn run(args: &Args) -> Result<(), Error> {
    if let [before, after] = &args.compare[..] {
        return compare::run(before, after);
    }
    if args.startup_child {
        return startup::child(args.device);
    }
    if !args.parts.is_empty() && !args.cases.is_empty() && !args.cases.iter().any(|case| case.merges_many()) {
        return Err(Error::msg(
            "--parts is of merges of many: none of --case is one, such as merge-8 or merge-pairs-32",
        ));
    }
    let place = args.json.as_deref().map(Place::prepare).transpose()?;
    let engine = |algorithm: &Algorithm| matches!(algorithm, Algorithm::Grid(_));
    let engines = args.cases.contains(&Case::Grid) || args.algorithm.iter().any(engine);
    if engines && rerun::with_grid()? {
        return Ok(());
    }
    if rerun::on_cuda(args.device)? {
        return Ok(());
    }
    let device = args.device.open(Device::emulator)?;
    let mut report = Report::new(&device, args.seed);
    if args.startup {
        show(&(report.machine() + "\n"));
        report.startup = startup::measure(&device, args.peers)?;
        show(&startup::table(&report.startup));
    } else if args.tensors.tensors.is_some() {
        tensors::measure(&args.tensors, (args.seed, args.runs, args.peers), &device, &mut report)?;
    } else {
        measure_all(args, &device, &mut report)?;
    }
    if let Some(place) = place {
        let json = serde_json::to_vec_pretty(&report).map_err(|e| Error::msg(e.to_string()))?;
        place.put(|file| file.write_all(&json))?;
    }
    if let Some(folder) = &args.charts {
        for file in charts::write(&report, folder)? {
            say(format!("chart: {}", file.display()));
        }
    }
    Ok(())
}

/// Draws every chart that a report has data for, into a folder, as `--charts` does; returns the files.
///
/// # Errors
/// Where the report cannot be read or a file not be written.
#[cfg(feature = "figures")]
pub(super) fn draw(report: &std::path::Path, folder: &std::path::Path) -> Result<Vec<PathBuf>, Error> {
    charts::write(&Report::read(report)?, folder)
}

/// The chart of the README for times that stand in a table: rows of key type, log2 of the number of keys, program and
/// milliseconds.
///
/// # Errors
/// Where there is nothing to compare.
#[cfg(feature = "figures")]
pub(super) fn headline(device: &str, rows: &[(String, u8, String, f64)]) -> Result<String, Error> {
    let mut report = Report::new(&Device::cpu(), 0);
    report.device = device.to_string();
    report.measurements.extend(rows.iter().map(|(key, log2, by, ms)| {
        let place = report::Place { key, log2: *log2, distribution: "uniform" };
        Measurement::new(place, Case::Keys, by.as_str(), Times(vec![*ms]))
    }));
    charts::headline::draw(&report)?.ok_or_else(|| Error::msg("there are no two programs to compare"))
}

/// Writes on stdout at once. A reader that closes the pipe early (`| head`) ends no measurement.
fn show(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

fn measure_all(args: &Args, device: &Device, report: &mut Report) -> Result<(), Error> {
    let mut peers = args.peers.then(|| Peers::start(device.kind(), &args.key)).transpose()?;
    show(&table::header(&report.machine()));
    for &key in &args.key {
        for wanted in points::of(args, device.kind()) {
            let rows = with_bench_key!(key, K => measure::<K>(key, device, &wanted, args, peers.as_mut()))?;
            show(&table::rows(&rows));
            report.measurements.extend(rows);
        }
    }
    Ok(())
}

/// Every job on one input, by everyone.
fn measure<K: Key>(
    key: BenchKey,
    device: &Device,
    wanted: &Wanted,
    args: &Args,
    mut peers: Option<&mut Peers>,
) -> Result<Vec<Measurement>, Error> {
    let _progress = Progress::spinner("measuring");
    let (log2, distribution) = (wanted.log2, wanted.distribution);
    let name = distribution.to_string();
    let place = report::Place { key: K::NAME, log2, distribution: &name };
    let runs = args.runs.map_or_else(|| timing::runs(device.kind(), log2), usize::from);
    let point = Point { log2, distribution, seed: args.seed, runs };
    let tile = if distribution == Distribution::Adversary { tile::<K>(point.n()).adversary() } else { Vec::new() };
    let parts: Vec<Parts> = args.parts.iter().flat_map(|some| some.0.iter().copied()).collect();
    let mut rows = Vec::new();
    let Some(sets) = fits(Sets::<K>::new(device, point, &tile), &place, "everything")? else { return Ok(rows) };
    for &case in wanted.cases.iter().filter(|case| case.is_apt(log2)) {
        let algorithms = algorithms::<K>(args, case, device, point.n());
        for way in Way::of(case, &algorithms, &parts).into_iter().filter(|way| way.is_apt::<K>(case, device, log2)) {
            if let Some(times) = fits(way.measure(case, &sets), &place, &format!("{case} by {}", way.name()))? {
                let mut row = Measurement::new(place, case, way.name(), times);
                row.buckets = fits(way.buckets(case, &sets), &place, "the report of buckets")?.flatten();
                rows.push(row);
            }
        }
        let mut add = |by: String, times| rows.push(Measurement::new(place, case, by, times));
        let Some(peers) = peers.as_deref_mut() else { continue };
        for (by, times) in peers.measure(key, case, &sets, &tile) {
            add(by, times);
        }
        if case == Case::Keys && wanted.host {
            for sort in HostSort::ALL {
                add(sort.name().to_string(), sort.measure(&sets)?);
            }
        }
    }
    Ok(rows)
}

/// The sorts to measure: those asked for, else the one that the library takes, and where that is the sample sort, the merge
/// sort on the same keys.
fn algorithms<K: Key>(args: &Args, case: Case, device: &Device, n: usize) -> Vec<Algorithm> {
    if !args.algorithm.is_empty() {
        return args.algorithm.clone();
    }
    let auto = match case {
        Case::Keys => device.sort_algorithm::<K>(n, Algorithm::Auto),
        Case::Pairs | Case::Argsort => device.sort_pairs_algorithm::<K, u32>(n, Algorithm::Auto),
        _ => return vec![Algorithm::Auto],
    };
    if auto == Algorithm::Sample { vec![Algorithm::Auto, Algorithm::Merge] } else { vec![Algorithm::Auto] }
}

/// The tile that the adversary is made for: that of the sort of so many keys alone.
fn tile<K: Key>(n: usize) -> adversary::Tile {
    let wide = key_bytes(K::WIDTH) > 8;
    let kway = if wide { tuning::KWAY_KEYS_128 } else { tuning::KWAY_KEYS_32 };
    let two_way = if wide { tuning::MERGE_SORT_128 } else { tuning::MERGE_SORT };
    let shape = if n as u64 >= kway.from { kway.sort } else { two_way.sort };
    adversary::Tile::new(shape.threads, shape.items, size_of::<K>())
}

/// A result, or none where it does not fit in the device's memory: that is said, and the rest measured all the same.
fn fits<T>(result: Result<T, Error>, place: &report::Place, what: &str) -> Result<Option<T>, Error> {
    fits_as(result, &format!("{}  2^{} {}: {what}", place.key, place.log2, place.distribution))
}

/// The same of what is measured as `what` says.
fn fits_as<T>(result: Result<T, Error>, what: &str) -> Result<Option<T>, Error> {
    match result {
        Err(Error::Sort(why @ gridsort::Error::OutOfMemory { .. })) => {
            say(format!("{what} skipped, {why}"));
            Ok(None)
        }
        result => result.map(Some),
    }
}
