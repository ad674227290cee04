//! What a sort did, in one line or as JSON.
use std::fmt;
use std::time::Duration;

use gridsort::{Device, DeviceKind, Direction, SortOptions};

use super::Buckets;
use crate::commands::device::described;
use crate::format::FileKey;
use crate::units;

/// What a sort did and how long each step took.
#[derive(Clone, Debug, serde::Serialize)]
pub struct Summary {
    /// Keys sorted.
    pub count: usize,
    /// Where each row of a matrix was sorted, how many rows.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rows: Option<usize>,
    /// Where the largest keys alone were kept, how many, of each row.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_k: Option<usize>,
    /// Their type.
    pub key: &'static str,
    /// Largest first.
    pub descending: bool,
    /// Whether the order was written, not the keys.
    pub argsort: bool,
    /// The device's name.
    pub device: String,
    /// Its kind, as `--device` names it.
    pub device_kind: String,
    /// The algorithm that sorted.
    pub algorithm: String,
    /// Seconds to read the input.
    pub read_seconds: f64,
    /// Seconds to open the device and load its kernels.
    pub start_seconds: f64,
    /// Seconds to bring keys to the device and the result back.
    pub transfer_seconds: f64,
    /// Seconds of the sort alone.
    pub sort_seconds: f64,
    /// Seconds to write the output.
    pub write_seconds: f64,
    /// Keys divided by the seconds of the sort alone; 0 where there were none.
    pub keys_per_second: f64,
    /// A sample sort's buckets, where they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub buckets: Option<Buckets>,
}

/// The times of the steps.
pub(super) struct Steps {
    pub(super) read: Duration,
    pub(super) start: Duration,
    pub(super) transfer: Duration,
    pub(super) sort: Duration,
    pub(super) write: Duration,
}

impl Summary {
    pub(super) fn new<K: FileKey>(
        device: &Device,
        options: SortOptions,
        argsort: bool,
        count: usize,
        steps: Steps,
        buckets: Option<Buckets>,
    ) -> Self {
        let sort_seconds = steps.sort.as_secs_f64();
        Summary {
            count,
            rows: None,
            top_k: None,
            key: K::NAME,
            descending: options.direction == Direction::Descending,
            argsort,
            device: device.name().to_string(),
            device_kind: device.kind().to_string(),
            algorithm: algorithm::<K>(device, count, argsort, options),
            read_seconds: steps.read.as_secs_f64(),
            start_seconds: steps.start.as_secs_f64(),
            transfer_seconds: steps.transfer.as_secs_f64(),
            sort_seconds,
            write_seconds: steps.write.as_secs_f64(),
            keys_per_second: if count == 0 { 0.0 } else { count as f64 / sort_seconds.max(1e-9) },
            buckets,
        }
    }

    /// Of a sort of rows, or a selection, for which kernels of their own are there.
    pub(super) fn of_parts(self, device: &Device, rows: Option<usize>, top_k: Option<usize>) -> Self {
        let algorithm = match (device.kind(), top_k) {
            (DeviceKind::Cpu, _) => self.algorithm,
            (_, Some(_)) => "selection".into(),
            (_, None) => "rows".into(),
        };
        Summary { rows, top_k, algorithm, ..self }
    }

    /// What was done with which keys.
    fn work(&self) -> String {
        let mut out = if self.argsort { "ordered " } else { "sorted " }.to_string();
        if let Some(k) = self.top_k {
            out += &format!("the {k} largest of ");
        }
        match self.rows {
            Some(rows) => {
                let each = if self.top_k.is_some() { "each of " } else { "" };
                out + &format!("{each}{rows} rows of {} {} keys", self.count.checked_div(rows).unwrap_or(0), self.key)
            }
            None => out + &format!("{} {} keys", self.count, self.key),
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let time = |seconds| units::time(Duration::from_secs_f64(seconds));
        write!(
            f,
            "{}{} on {} by {}: read {}, start {}, transfer {}, sort {}, write {}; {}",
            self.work(),
            if self.descending { ", descending," } else { "" },
            described(&self.device, &self.device_kind),
            self.algorithm,
            time(self.read_seconds),
            time(self.start_seconds),
            time(self.transfer_seconds),
            time(self.sort_seconds),
            time(self.write_seconds),
            units::rate(self.keys_per_second),
        )
    }
}

/// The algorithm that sorts `count` keys alone, or by index: rayon's on the CPU, and where none was asked for, the one that the library
/// takes.
pub(crate) fn algorithm<K: FileKey>(device: &Device, count: usize, argsort: bool, options: SortOptions) -> String {
    match device.kind() {
        DeviceKind::Cpu => "rayon".into(),
        _ if argsort => device.sort_pairs_algorithm::<K, u32>(count, options.algorithm).to_string(),
        _ => device.sort_algorithm::<K>(count, options.algorithm).to_string(),
    }
}
