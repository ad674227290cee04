//! `cargo xtask demo`: from nothing to a sorted and checked file.
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gridsort::{Device, DeviceKind, SortOptions};

use super::device::{DeviceChoice, described};
use super::rerun;
use super::sort::{Job, Summary, timed};
use crate::format::{FileKey, KeyType, Layout, Output, Source, with_key};
use crate::keys::random;
use crate::{Error, build, units};

/// Options of `cargo xtask demo`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Keys to sort; 67108864 (2^26) by default on a GPU, 1048576 (2^20) elsewhere
    #[arg(long)]
    pub count: Option<usize>,
    /// Type of the keys
    #[arg(long, default_value = "u32")]
    pub key: KeyType,
    /// Where to sort; auto is a GPU where there is one, else the emulator
    #[arg(long, default_value = "auto")]
    pub device: DeviceChoice,
    /// Seed of the random keys
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

/// Runs the command.
///
/// # Errors
/// Where something cannot be set up, or the result is not what another sort gives.
pub fn run(args: &Args) -> Result<(), Error> {
    // A build with CUDA has its kernels inside.
    if !cfg!(feature = "cuda") {
        // One architecture shows that the kernels compile. Where a GPU is to run them, the build for it adds the others.
        let archs = vec![build::Arch::Sm90];
        let (ptx, took) = timed(|| build::build_ptx(&build::Options { archs, ..Default::default() }))?;
        let what = if ptx.built { "compiled" } else { "were compiled before, checked" };
        println!("kernels  {what} in {}", units::time(took));
        if rerun::on_cuda(args.device)? {
            return Ok(());
        }
    }
    let start = Instant::now();
    let device = args.device.open(Device::emulator)?;
    let start = start.elapsed();
    let count = args.count.unwrap_or(if device.kind() == DeviceKind::Cuda { 1 << 26 } else { 1 << 20 });
    with_key!(args.key, K => demo::<K>(&device, start, count, args.seed))
}

fn demo<K: FileKey>(device: &Device, start: Duration, count: usize, seed: u64) -> Result<(), Error> {
    let folder = folder();
    fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
    let (input, output) = (folder.join("keys.npy"), folder.join("sorted.npy"));

    let ((), took) = timed(|| Output::prepare(&input, Layout::Array)?.write(&random::<K>(count, seed)?))?;
    println!("keys     {count} random {} in {}, made in {}", K::NAME, input.display(), units::time(took));

    let summary = Job::prepare(&input, &output, None)?.run(device, start, SortOptions::new(), false, false)?;
    report(&summary, &output);

    let ((), took) = timed(|| check::<K>(&input, &output))?;
    println!("check    equal, bit for bit, to what Rust's own sort gives; took {}", units::time(took));
    Ok(())
}

fn report(summary: &Summary, output: &Path) {
    let time = |seconds| units::time(Duration::from_secs_f64(seconds));
    let device = described(&summary.device, &summary.device_kind);
    println!("device   {device}, ready after {}", time(summary.start_seconds));
    println!("read     {}", time(summary.read_seconds));
    println!("transfer {}", time(summary.transfer_seconds));
    println!(
        "sort     {} by {}: {}",
        time(summary.sort_seconds),
        summary.algorithm,
        units::rate(summary.keys_per_second)
    );
    println!("write    {} to {}", time(summary.write_seconds), output.display());
}

/// Holds the output against the input as the standard library sorts it.
fn check<K: FileKey>(input: &Path, output: &Path) -> Result<(), Error> {
    let mut expected = Source::open(input, None, Layout::Array)?.read::<K>()?;
    expected.sort_unstable_by(K::order);
    let found = Source::open(output, None, Layout::Array)?.read::<K>()?;
    if found.len() != expected.len() {
        return Err(Error::content(output, format!("wrong: {} keys for {}", found.len(), expected.len())));
    }
    // Bits, as NaNs differ from themselves.
    let wrong = expected.iter().zip(&found).position(|(e, f)| bytemuck::bytes_of(e) != bytemuck::bytes_of(f));
    match wrong {
        Some(at) => {
            let problem = format!("wrong: {:?} at position {at} where {:?} belongs", found[at], expected[at]);
            Err(Error::content(output, problem))
        }
        None => Ok(()),
    }
}

/// Where the files go: cargo's target folder, or one here where this program was brought to a machine without the
/// workspace.
fn folder() -> PathBuf {
    let in_workspace = build::workspace_root().join("Cargo.toml").is_file();
    let target = if in_workspace { build::target_dir() } else { PathBuf::from("target") };
    target.join("demo")
}
