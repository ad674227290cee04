//! `cargo xtask bench`: times sorts of data that is on the device.
//!
//! Each time is taken between two events on the device, around the sort alone. Every sort gets its input afresh, from a copy
//! on the device that is made outside the timing, and results are checked outside it too.
use std::path::PathBuf;

use gridsort::{Device, DeviceKind};

use super::device::DeviceChoice;
use super::rerun;
use crate::format::{FileKey, KeyType, with_key};
use crate::place::Place;
use crate::progress::Progress;
use crate::{Error, units};

mod cases;
mod check;
mod report;
mod timing;

use cases::{Case, Input};
pub use report::{Measurement, Report};

/// Options of `cargo xtask bench`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Fewer sizes, and none above 2^20
    #[arg(long)]
    pub quick: bool,
    /// File to write every time to, as JSON
    #[arg(long)]
    pub json: Option<PathBuf>,
    /// Where to sort; auto is a GPU where there is one, else the emulator
    #[arg(long, default_value = "auto")]
    pub device: DeviceChoice,
    /// Types of the keys
    #[arg(long, value_delimiter = ',', default_values = ["u32", "u64"])]
    pub key: Vec<KeyType>,
    /// Numbers of keys, as powers of two; suited to the device by default
    #[arg(long, value_delimiter = ',', value_parser = clap::value_parser!(u8).range(0..=34))]
    pub log2: Vec<u8>,
    /// What to measure; everything by default
    #[arg(long = "case", value_delimiter = ',')]
    pub cases: Vec<Case>,
    /// Seed of the random keys
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
}

impl Args {
    fn sizes(&self, device: &Device) -> Vec<u8> {
        if !self.log2.is_empty() {
            return self.log2.clone();
        }
        match (device.kind(), self.quick) {
            (DeviceKind::Emulator, true) => vec![10, 14],
            (DeviceKind::Emulator, false) => vec![10, 14, 18],
            (_, true) => vec![10, 16, 20],
            (DeviceKind::Cpu, false) => vec![10, 16, 20, 24],
            (DeviceKind::Cuda, false) => vec![10, 16, 20, 24, 26, 28],
        }
    }

    fn cases(&self) -> &[Case] {
        if self.cases.is_empty() { &Case::ALL } else { &self.cases }
    }
}

/// Runs the command.
///
/// # Errors
/// Where there is no such device, a sort fails or its result is wrong, or the file cannot be written.
pub fn run(args: &Args) -> Result<(), Error> {
    let place = args.json.as_deref().map(Place::prepare).transpose()?;
    if rerun::on_cuda(args.device)? {
        return Ok(());
    }
    let device = args.device.open(Device::emulator)?;
    let mut report = Report::new(&device, args.seed);
    print!("{}", report.header());
    for &key in &args.key {
        for log2 in args.sizes(&device) {
            let rows = with_key!(key, K => measure::<K>(&device, log2, args))?;
            print!("{}", report::table(&rows));
            report.measurements.extend(rows);
        }
    }
    if let Some(place) = place {
        let json = serde_json::to_vec_pretty(&report).map_err(|e| Error::msg(e.to_string()))?;
        place.put(|file| std::io::Write::write_all(file, &json))?;
    }
    Ok(())
}

/// Every case on one input.
fn measure<K: FileKey>(device: &Device, log2: u8, args: &Args) -> Result<Vec<Measurement>, Error> {
    let _progress = Progress::spinner("measuring");
    let input = match Input::<K>::new(device, 1 << log2, args.seed) {
        Err(Error::Sort(e @ gridsort::Error::OutOfMemory { .. })) => {
            return skip::<K>(log2, None, &e);
        }
        input => input?,
    };
    let mut rows = Vec::new();
    for &case in args.cases().iter().filter(|case| case.is_apt(device, log2)) {
        match case.measure(&input, log2) {
            Err(Error::Sort(e @ gridsort::Error::OutOfMemory { .. })) => {
                skip::<K>(log2, Some(case), &e)?;
            }
            result => rows.push(Measurement::new::<K>(case, log2, result?)),
        }
    }
    Ok(rows)
}

/// Says that something does not fit; the rest is measured all the same.
fn skip<K: FileKey>(log2: u8, case: Option<Case>, why: &gridsort::Error) -> Result<Vec<Measurement>, Error> {
    let what = case.map_or("all".to_string(), |case| case.to_string());
    println!("{:4}  2^{log2:<3} {what}: skipped, {why}", K::NAME);
    Ok(Vec::new())
}

/// A time in milliseconds, as a person reads it.
fn milliseconds(ms: f64) -> String {
    units::time(std::time::Duration::from_secs_f64(ms / 1e3))
}
