//! The times of one program at one job of `--tensors`, as they are written to a file.
use serde::{Deserialize, Serialize};

use super::super::report::Measurement;
use super::super::timing::{SHORTEST, Times};
use super::Work;

/// The times of one program on one matrix, array or set of segments of uniformly random f32 keys.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TensorMeasurement {
    /// The job.
    pub case: String,
    /// Rows, or segments; 1 where all keys are one array.
    pub rows: u64,
    /// Columns, or the mean length of segments.
    pub columns: u64,
    /// How many are selected, of each row; 0 where all are sorted.
    pub k: u64,
    /// Number of keys.
    pub n: u64,
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
}

impl TensorMeasurement {
    pub(super) fn new(work: &Work, by: impl Into<String>, times: Times) -> Self {
        let (n, median_ms) = (work.elements() as u64, times.median());
        TensorMeasurement {
            case: work.job.to_string(),
            rows: work.rows as u64,
            columns: work.columns as u64,
            k: work.k as u64,
            n,
            by: by.into(),
            median_ms,
            min_ms: times.min(),
            max_ms: times.max(),
            spread: times.spread(),
            keys_per_second: n as f64 * 1e3 / median_ms.max(SHORTEST),
            times_ms: times,
        }
    }
    /// The same as a measurement of keys, whose distribution names the shape.
    pub(in crate::commands::bench) fn plain(&self) -> Measurement {
        let mut shape = format!("{}x{}", self.rows, self.columns);
        if self.k > 0 {
            shape += &format!(" k {}", self.k);
        }
        Measurement {
            key: "f32".into(),
            log2: self.n.max(1).ilog2() as u8,
            n: self.n,
            distribution: shape,
            case: self.case.clone(),
            by: self.by.clone(),
            median_ms: self.median_ms,
            min_ms: self.min_ms,
            max_ms: self.max_ms,
            spread: self.spread,
            keys_per_second: self.keys_per_second,
            times_ms: self.times_ms.clone(),
            buckets: None,
        }
    }
}
