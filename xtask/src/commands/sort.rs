//! `cargo xtask sort`: sorts a file of keys.
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gridsort::{Algorithm, Device, Direction, SortOptions};

use super::device::DeviceChoice;
use super::rerun;
use crate::Error;
use crate::format::{FileKey, KeyType, Output, Source, with_key};

mod summary;
mod work;

pub use summary::Summary;
pub(crate) use work::warm_up;
use work::{argsort, sort};

/// Options of `cargo xtask sort`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// File of keys: .npy (one dimension), .bin (raw little-endian, needs --key) or .txt (one number a line, needs --key)
    pub input: PathBuf,
    /// File to write, in the format that its ending says; may be INPUT itself
    pub output: PathBuf,
    /// Type of the keys; a .npy file says it itself
    #[arg(long)]
    pub key: Option<KeyType>,
    /// Largest key first
    #[arg(long)]
    pub descending: bool,
    /// Write the stable order, as u64 indices into INPUT, instead of the keys
    #[arg(long)]
    pub argsort: bool,
    /// How kernels sort: auto or merge. The CPU's own sort is rayon's
    #[arg(long, default_value = "auto")]
    pub algorithm: Algorithm,
    /// Where to sort; auto is a GPU where there is one, else the CPU
    #[arg(long, default_value = "auto")]
    pub device: DeviceChoice,
    /// Print the summary as JSON on stdout as well
    #[arg(long)]
    pub json: bool,
}

/// Runs the command.
///
/// # Errors
/// Where the input cannot be read, sorted, or written. Then there is no output, or the output is what it was.
pub fn run(args: &Args) -> Result<(), Error> {
    // Whatever is wrong with the files is said before a device is set up.
    let job = Job::prepare(&args.input, &args.output, args.key)?;
    if rerun::on_cuda(args.device)? {
        return Ok(());
    }
    let start = Instant::now();
    let device = args.device.open(Device::cpu)?;
    let direction = if args.descending { Direction::Descending } else { Direction::Ascending };
    let options = SortOptions::default().direction(direction).algorithm(args.algorithm);
    let summary = job.run(&device, start.elapsed(), options, args.argsort)?;
    eprintln!("{summary}");
    if args.json {
        let json = serde_json::to_string(&summary).map_err(|e| Error::msg(e.to_string()))?;
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
        Ok(Job { source: Source::open(input, key)?, output: Output::prepare(output)? })
    }

    /// Reads, sorts and writes. `start` is the time that opening the device took.
    pub(crate) fn run(
        self,
        device: &Device,
        start: Duration,
        options: SortOptions,
        argsort: bool,
    ) -> Result<Summary, Error> {
        with_key!(self.source.key(), K => self.run_typed::<K>(device, start, options, argsort))
    }

    fn run_typed<K: FileKey>(
        self,
        device: &Device,
        start: Duration,
        options: SortOptions,
        by_index: bool,
    ) -> Result<Summary, Error> {
        let (keys, read) = timed(|| self.source.read::<K>())?;
        let count = keys.len();
        let ((), warm) = timed(|| warm_up::<K>(device, options, by_index))?;
        let (times, write) = if by_index {
            let (order, times) = argsort(device, keys, options)?;
            (times, timed(|| self.output.write(&order))?.1)
        } else {
            let mut keys = keys;
            let times = sort(device, &mut keys, options)?;
            (times, timed(|| self.output.write(&keys))?.1)
        };
        Ok(Summary::new::<K>(
            device,
            options,
            by_index,
            count,
            summary::Steps { read, start: start + warm, transfer: times.transfer, sort: times.sort, write },
        ))
    }
}

/// A result and the time it took.
pub(crate) fn timed<T>(work: impl FnOnce() -> Result<T, Error>) -> Result<(T, Duration), Error> {
    let start = Instant::now();
    let result = work()?;
    Ok((result, start.elapsed()))
}
