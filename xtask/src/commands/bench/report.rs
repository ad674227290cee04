//! What was measured, as it is written to a file and read back.
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use gridsort::Device;
use serde::{Deserialize, Serialize};

use super::cases::Case;
use super::startup::Startup;
use super::tensors::TensorMeasurement;
use super::timing::{SHORTEST, Times};
use crate::commands::device::described;
use crate::commands::sort::Buckets;
use crate::{Error, build::process};

/// This library, in tables and files.
pub(super) const OURS: &str = "gridsort";

/// Everything that one run of the bench measured.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Report {
    /// The version of this package.
    pub version: String,
    /// When it was started, UTC.
    pub date: String,
    /// The command line, without the program.
    pub command: Vec<String>,
    /// The device's name.
    pub device: String,
    /// Its kind, as `--device` names it.
    pub device_kind: String,
    /// More about a GPU: compute capability, multiprocessors, the driver's CUDA version.
    pub device_details: Option<String>,
    /// The version of a GPU's driver.
    pub driver: Option<String>,
    /// Threads of the CPU's sorts.
    pub host_threads: usize,
    /// Seed of the first input set; others count on from it.
    pub seed: u64,
    /// One for each input, job and program.
    pub measurements: Vec<Measurement>,
    /// From the start of a process to its first sorted result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub startup: Vec<Startup>,
    /// Sorts of rows and segments, and selections.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tensors: Vec<TensorMeasurement>,
}

/// The times of one program on one input.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Measurement {
    /// Type of the keys.
    pub key: String,
    /// Number of keys, as a power of two.
    pub log2: u8,
    /// Number of keys.
    pub n: u64,
    /// What the keys are like.
    pub distribution: String,
    /// The job.
    pub case: String,
    /// Who did it.
    pub by: String,
    /// The median time, milliseconds.
    pub median_ms: f64,
    /// The shortest.
    pub min_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// How far the middle half of the times lie apart, as a part of the median.
    pub spread: f64,
    /// Keys divided by the median time.
    pub keys_per_second: f64,
    /// Each time, milliseconds, in the order they were taken; runs to warm up are not among them.
    pub times_ms: Times,
    /// Where a sample sort sorts: the buckets that it makes of the first input set, counted outside the times.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buckets: Option<Buckets>,
}

/// The input of a measurement.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'a> {
    pub(super) key: &'a str,
    pub(super) log2: u8,
    pub(super) distribution: &'a str,
}

impl Measurement {
    pub(super) fn new(place: Place, case: Case, by: impl Into<String>, times: Times) -> Self {
        let n = 1_u64 << place.log2;
        let median_ms = times.median();
        Measurement {
            key: place.key.to_string(),
            log2: place.log2,
            n,
            distribution: place.distribution.to_string(),
            case: case.to_string(),
            by: by.into(),
            median_ms,
            min_ms: times.min(),
            max_ms: times.max(),
            spread: times.spread(),
            keys_per_second: n as f64 * 1e3 / median_ms.max(SHORTEST),
            times_ms: times,
            buckets: None,
        }
    }

    /// What makes it the same measurement as one of another run.
    pub(super) fn identity(&self) -> (&str, u64, &str, &str, &str) {
        (&self.key, self.n, &self.distribution, &self.case, &self.by)
    }
}

impl Report {
    pub(super) fn new(device: &Device, seed: u64) -> Self {
        Report {
            version: env!("CARGO_PKG_VERSION").to_string(),
            date: utc(SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())),
            command: std::env::args().skip(1).collect(),
            device: device.name().to_string(),
            device_kind: device.kind().to_string(),
            device_details: details(device),
            driver: driver(device),
            host_threads: rayon::current_num_threads(),
            seed,
            measurements: Vec::new(),
            startup: Vec::new(),
            tensors: Vec::new(),
        }
    }

    /// Reads a file that an earlier run wrote.
    ///
    /// # Errors
    /// Where it cannot be read or is no report of the bench.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let bytes = std::fs::read(path).map_err(Error::io("read", path))?;
        serde_json::from_slice(&bytes).map_err(|e| Error::content(path, format!("this is no report of the bench: {e}")))
    }

    /// The line that names the machine.
    pub(super) fn machine(&self) -> String {
        let mut out = described(&self.device, &self.device_kind);
        for more in [&self.device_details, &self.driver.as_ref().map(|version| format!("driver {version}"))]
            .into_iter()
            .flatten()
        {
            out += ", ";
            out += more;
        }
        out + &format!("; host: {} threads", self.host_threads)
    }
}

/// A time in seconds since 1970 as ISO 8601, after Hinnant's *chrono-Compatible Low-Level Date Algorithms*: years are
/// counted from March on, so that the leap day is the last of its year.
fn utc(seconds: u64) -> String {
    let (days, second) = (seconds / 86_400 + 719_468, seconds % 86_400);
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let (month, year) = if month < 10 { (month + 3, year) } else { (month - 9, year + 1) };
    let (hour, minute) = (second / 3600, second / 60 % 60);
    format!("{:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{:02}Z", era * 400 + year, second % 60)
}

#[cfg(feature = "cuda")]
fn details(device: &Device) -> Option<String> {
    let info = device.cuda_info()?;
    let ((major, minor), (cuda_major, cuda_minor)) = (info.compute_capability, info.driver_cuda);
    let multiprocessors = info.multiprocessors;
    Some(format!("compute {major}.{minor}, {multiprocessors} multiprocessors, CUDA {cuda_major}.{cuda_minor}"))
}

#[cfg(not(feature = "cuda"))]
fn details(_: &Device) -> Option<String> {
    None
}

/// The driver's version, from its own program; the library only tells which CUDA it is for.
fn driver(device: &Device) -> Option<String> {
    if device.kind() != gridsort::DeviceKind::Cuda {
        return None;
    }
    let program = process::which("nvidia-smi")?;
    let mut command = std::process::Command::new(program);
    let said = process::capture(command.args(["--query-gpu=driver_version", "--format=csv,noheader"])).ok()?;
    Some(said.lines().next()?.trim().to_string())
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A measurement whose times are all near one.
    pub(in crate::commands::bench) fn measured(by: &str, distribution: &str, log2: u8, ms: f64) -> Measurement {
        let times = Times(vec![ms, ms * 1.01, ms * 0.99]);
        Measurement::new(Place { key: "u32", log2, distribution }, Case::Keys, by, times)
    }

    #[test]
    fn dates_are_those_of_the_calendar() {
        assert_eq!(utc(0), "1970-01-01T00:00:00Z");
        assert_eq!(utc(951_827_696), "2000-02-29T12:34:56Z");
        assert_eq!(utc(1_735_689_599), "2024-12-31T23:59:59Z");
    }

    #[test]
    fn a_report_is_read_back() {
        let mut report = Report::new(&Device::cpu(), 3);
        report.measurements.push(measured(OURS, "uniform", 10, 2.0));
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("report.json");
        std::fs::write(&path, serde_json::to_vec(&report).unwrap()).unwrap();
        let read = Report::read(&path).unwrap();
        assert_eq!(read.measurements, report.measurements);
        assert_eq!((read.seed, read.date, read.device), (3, report.date, report.device));
        std::fs::write(&path, "{}").unwrap();
        assert!(Report::read(&path).unwrap_err().to_string().contains("no report"));
    }
}
