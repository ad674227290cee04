//! What was measured, as a table and as JSON.
use std::fmt::Write;

use gridsort::Device;

use super::cases::Case;
use super::milliseconds;
use super::timing::Times;
use crate::commands::device::described;
use crate::format::FileKey;
use crate::units;

/// Everything that one run of the bench measured.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Report {
    /// The version of this package.
    pub version: &'static str,
    /// The device's name.
    pub device: String,
    /// Its kind, as `--device` names it.
    pub device_kind: String,
    /// More about a GPU: compute capability, multiprocessors, the driver's CUDA version.
    pub device_details: Option<String>,
    /// Threads of the CPU's sort.
    pub host_threads: usize,
    /// Seed of the random keys.
    pub seed: u64,
    /// One for each key type, number of keys and case.
    pub measurements: Vec<Measurement>,
}

/// The times of one case on one input.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Measurement {
    /// Type of the keys.
    pub key: &'static str,
    /// Number of keys, as a power of two.
    pub log2: u8,
    /// What was done.
    pub case: String,
    /// The median time, milliseconds.
    pub median_ms: f64,
    /// The shortest.
    pub min_ms: f64,
    /// The longest.
    pub max_ms: f64,
    /// Keys divided by the median time.
    pub keys_per_second: f64,
    /// Each time, milliseconds, in the order they were taken; the first run of all, to warm up, is not among them.
    pub times_ms: Times,
}

impl Measurement {
    pub(super) fn new<K: FileKey>(case: Case, log2: u8, times: Times) -> Self {
        let median_ms = times.median();
        Measurement {
            key: K::NAME,
            log2,
            case: case.to_string(),
            median_ms,
            min_ms: times.min(),
            max_ms: times.max(),
            // No clock has a finer step than this; a time of 0 would make an infinite rate.
            keys_per_second: (1_u64 << log2) as f64 * 1e3 / median_ms.max(1e-6),
            times_ms: times,
        }
    }

    /// How far the times lie apart, in per cent of the median.
    fn spread(&self) -> f64 {
        (self.max_ms - self.min_ms) / self.median_ms.max(1e-6) * 100.0
    }
}

impl Report {
    pub(super) fn new(device: &Device, seed: u64) -> Self {
        Report {
            version: env!("CARGO_PKG_VERSION"),
            device: device.name().to_string(),
            device_kind: device.kind().to_string(),
            device_details: details(device),
            host_threads: rayon::current_num_threads(),
            seed,
            measurements: Vec::new(),
        }
    }

    /// The lines above the table's rows.
    pub(super) fn header(&self) -> String {
        let mut out = described(&self.device, &self.device_kind);
        if let Some(details) = &self.device_details {
            out += &format!(", {details}");
        }
        out += &format!("; host: {} threads\n", self.host_threads);
        out += "uniformly random keys; median of all runs; spread from the shortest to the longest; ratios: times as fast\n\n";
        out += "key   n     case     runs       time  spread            rate  to chapter  to host\n";
        out
    }
}

#[cfg(feature = "cuda")]
fn details(device: &Device) -> Option<String> {
    let info = device.cuda_info()?;
    let ((major, minor), (cuda_major, cuda_minor)) = (info.compute_capability, info.driver_cuda);
    let multiprocessors = info.multiprocessors;
    Some(format!(
        "compute {major}.{minor}, {multiprocessors} multiprocessors, driver for CUDA {cuda_major}.{cuda_minor}"
    ))
}

#[cfg(not(feature = "cuda"))]
fn details(_: &Device) -> Option<String> {
    None
}

/// The rows of one input.
pub(super) fn table(rows: &[Measurement]) -> String {
    let of = |case: Case| rows.iter().find(|row| row.case == case.to_string());
    let ratio = |row: &Measurement, other: Option<&Measurement>| match other {
        Some(other) if row.case != other.case => times_as_fast(other.median_ms / row.median_ms.max(1e-6)),
        _ => "-".to_string(),
    };
    let mut out = String::new();
    for row in rows {
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{:4}  2^{:<3} {:8} {:4} {:>10} {:>6.1}% {:>15} {:>11} {:>8}",
            row.key,
            row.log2,
            row.case,
            row.times_ms.0.len(),
            milliseconds(row.median_ms),
            row.spread(),
            units::rate(row.keys_per_second),
            ratio(row, of(Case::Chapter)),
            ratio(row, of(Case::Host)),
        );
    }
    out
}

/// A ratio; far below one it needs more digits than a time does.
fn times_as_fast(ratio: f64) -> String {
    if ratio < 0.1 { format!("{ratio:.4}x") } else { format!("{}x", units::three_digits(ratio)) }
}
