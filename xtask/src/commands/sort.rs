//! `cargo xtask sort`: sorts a file of keys.
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gridsort::{Algorithm, Device, Direction, Engine, SortOptions};

use super::device::DeviceChoice;
use super::rerun;
use crate::Error;
use crate::build::driver_found;
use crate::format::{FileKey, KeyType, Layout, Output, Source, with_key};

mod buckets;
mod parts;
mod summary;
mod work;

pub use buckets::Buckets;
use parts::PartsJob;
pub use summary::Summary;
pub(crate) use work::warm_up;
use work::{argsort, sort};

/// Options of `cargo xtask sort`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File of keys: .npy (one dimension, or two with --rows), .bin (raw little-endian, needs --key) or .txt (one number a
    /// line, needs --key)
    pub input: PathBuf,
    /// File to write, in the format that its ending says; may be INPUT itself
    pub output: PathBuf,
    /// Type of the keys; a .npy file says it itself
    #[arg(long)]
    pub key: Option<KeyType>,
    /// Largest key first
    #[arg(long)]
    pub descending: bool,
    /// Write the stable order, as u64 indices into INPUT, instead of the keys; with --rows, indices into the row
    #[arg(long)]
    pub argsort: bool,
    /// Sort each row of a two-dimensional .npy, in C order, into another one
    #[arg(long)]
    pub rows: bool,
    /// Keep the K largest keys alone, largest first, of the file or with --rows of each row; with --argsort their indices.
    /// Of equal keys the first are kept
    #[arg(long, value_name = "K")]
    pub top_k: Option<usize>,
    /// How kernels sort: auto, merge, sample (keys of 32 and 64 bits, and of 128 without --argsort), or grid for the engines of
    /// McGridsort. The CPU's own sort is rayon's
    #[arg(long, default_value = "auto")]
    pub algorithm: Algorithm,
    /// What a sample sort draws its samples by; the result is the same by any
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// The engine of --algorithm grid: tile, naive16, naive32, reduce32, ti32, ti32-pair, yt32, ti16, double16, quad16,
    /// incremental16, incremental32, gridless16, gridless32, plain16 or plain32. Without a number, the one of 16
    #[arg(long)]
    pub engine: Option<Engine>,
    /// Where to sort; auto is a GPU where there is one, else the CPU
    #[arg(long, default_value = "auto")]
    pub device: DeviceChoice,
    /// Print the summary as JSON on stdout as well; where sample sort sorts, with a report of its buckets
    #[arg(long)]
    pub json: bool,
}

impl Args {
    /// The algorithm with its engine.
    fn algorithm(&self) -> Result<Algorithm, Error> {
        match (self.algorithm, self.engine) {
            (algorithm, None) => Ok(algorithm),
            (Algorithm::Grid(_), Some(engine)) => Ok(Algorithm::Grid(engine)),
            (algorithm, Some(_)) => {
                Err(Error::msg(format!("--engine goes with --algorithm grid, not with --algorithm {algorithm}")))
            }
        }
    }

    /// The options of the sort.
    fn options(&self) -> Result<SortOptions, Error> {
        let algorithm = self.algorithm()?;
        if self.seed.is_some() && !matches!(algorithm, Algorithm::Auto | Algorithm::Sample) {
            return Err(Error::msg(format!("--seed goes with --algorithm sample, not with --algorithm {algorithm}")));
        }
        let direction = if self.descending { Direction::Descending } else { Direction::Ascending };
        Ok(SortOptions::default().direction(direction).algorithm(algorithm).seed(self.seed.unwrap_or_default()))
    }
}

/// Runs the command.
///
/// # Errors
/// Where the input cannot be read, sorted, or written. Then there is no output, or the output is what it was.
pub fn run(args: &Args) -> Result<(), Error> {
    // Whatever is wrong with the files is said before a device is set up.
    if let Some(job) = PartsJob::prepare(args)? {
        if rerun::on_cuda(args.device)? {
            return Ok(());
        }
        let start = Instant::now();
        let device = args.device.open(Device::cpu)?;
        return tell(&job.run(&args.input, &device, start.elapsed())?, args.json);
    }
    let job = Job::prepare(&args.input, &args.output, args.key)?;
    let options = args.options()?;
    // The CPU, which `auto` is without a driver, runs no kernels.
    let kernels = args.device == DeviceChoice::Emulator || (args.device.wants_cuda() && driver_found());
    let engines = matches!(options.algorithm, Algorithm::Grid(engine) if engine != Engine::Tile);
    if engines && kernels && rerun::with_grid()? {
        return Ok(());
    }
    if rerun::on_cuda(args.device)? {
        return Ok(());
    }
    let start = Instant::now();
    let device = args.device.open(Device::cpu)?;
    tell(&job.run(&device, start.elapsed(), options, args.argsort, args.json)?, args.json)
}

/// Says what was done.
fn tell(summary: &Summary, json: bool) -> Result<(), Error> {
    eprintln!("{summary}");
    if json {
        let json = serde_json::to_string(summary).map_err(|e| Error::msg(e.to_string()))?;
        writeln!(std::io::stdout(), "{json}").map_err(Error::io("write", "stdout"))?;
    }
    Ok(())
}

/// A file to sort into another.
#[derive(Debug)]
pub(crate) struct Job {
    source: Source,
    output: Output,
}

impl Job {
    /// Opens the input and finds out whether the output can be written.
    pub(crate) fn prepare(input: &Path, output: &Path, key: Option<KeyType>) -> Result<Self, Error> {
        Ok(Job { source: Source::open(input, key, Layout::Array)?, output: Output::prepare(output, Layout::Array)? })
    }

    /// Reads, sorts and writes. `start` is the time that opening the device took; `report` asks for the sizes of buckets.
    pub(crate) fn run(
        self,
        device: &Device,
        start: Duration,
        options: SortOptions,
        argsort: bool,
        report: bool,
    ) -> Result<Summary, Error> {
        with_key!(self.source.key(), K => self.run_typed::<K>(device, start, options, argsort, report))
    }

    fn run_typed<K: FileKey>(
        self,
        device: &Device,
        start: Duration,
        options: SortOptions,
        by_index: bool,
        report: bool,
    ) -> Result<Summary, Error> {
        let (keys, read) = timed(|| self.source.read::<K>())?;
        let count = keys.len();
        // By the kernels that will sort, not by those that `auto` takes for the few keys of a warm-up.
        let warmed = match by_index {
            true => device.sort_pairs_algorithm::<K, u32>(count, options.algorithm),
            false => device.sort_algorithm::<K>(count, options.algorithm),
        };
        let ((), warm) = timed(|| warm_up::<K>(device, options.algorithm(warmed), by_index))?;
        let (times, write, buckets) = if by_index {
            let (order, times) = argsort(device, keys, options)?;
            (times, timed(|| self.output.write(&order))?.1, None)
        } else {
            let mut keys = keys;
            let (times, buckets) = sort(device, &mut keys, options, report)?;
            (times, timed(|| self.output.write(&keys))?.1, buckets)
        };
        Ok(Summary::new::<K>(
            device,
            options,
            by_index,
            count,
            summary::Steps { read, start: start + warm, transfer: times.transfer, sort: times.sort, write },
            buckets.map(Buckets::from),
        ))
    }
}

/// A result and the time it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<(T, Duration), Error> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}
