//! Measurements of `--tensors` as a table.
use std::fmt::Write;

use super::super::report::OURS;
use super::super::table::{milliseconds, times_as_fast};
use super::super::timing::SHORTEST;
use super::TensorMeasurement;
use crate::units;

/// The lines above the rows.
pub(super) fn header(machine: &str) -> String {
    format!(
        "{machine}\nuniformly random f32 keys; shape: rows x columns, of segments how many x their mean length; median of all \
         runs, and how far their middle half lies apart; ratio: the row's time to {OURS}'s, above 1 where {OURS} is faster\n\n\
         {:12} {:18} {:>6} {:26} {:>5} {:>10} {:>7} {:>15} {:>8}\n",
        "job", "shape", "k", "by", "runs", "time", "spread", "rate", "ratio"
    )
}

/// The rows of one job on one shape, with ratios to this library's.
pub(super) fn rows(measurements: &[TensorMeasurement]) -> String {
    let ours = measurements.iter().find(|row| row.by == OURS);
    let mut out = String::new();
    for row in measurements {
        let ratio = match ours {
            Some(ours) if row.by != OURS => times_as_fast(row.median_ms / ours.median_ms.max(SHORTEST)),
            _ => "-".to_string(),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{:12} {:18} {:>6} {:26} {:>5} {:>10} {:>6.1}% {:>15} {:>8}",
            row.case,
            format!("{}x{}", row.rows, row.columns),
            if row.k == 0 { "-".to_string() } else { row.k.to_string() },
            row.by,
            row.times_ms.0.len(),
            milliseconds(row.median_ms),
            row.spread * 100.0,
            units::rate(row.keys_per_second),
            ratio,
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::super::timing::Times;
    use super::super::{Job, Work};
    use super::*;

    #[test]
    fn ratios_are_to_this_librarys_time_and_columns_line_up() {
        let work = Work { job: Job::TopKRows, rows: 1_000_000, columns: 128_256, k: 50 };
        let measured = |by: &str, ms: f64| TensorMeasurement::new(&work, by, Times(vec![ms]));
        let rows = rows(&[measured(OURS, 2.0), measured("cub segmented radix sort", 3.0)]);
        let ends: Vec<&str> = rows.lines().map(|line| line.split_whitespace().last().unwrap()).collect();
        assert_eq!(ends, ["-", "1.50x"], "{rows}");
        let header = header("a machine");
        let width = header.lines().last().unwrap().chars().count();
        assert!(rows.lines().all(|row| row.chars().count() == width), "{header}{rows}");
    }
}
