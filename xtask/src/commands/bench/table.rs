//! Measurements as a table.
use std::fmt::Write;

use super::report::{Measurement, OURS};
use super::timing::SHORTEST;
use crate::units;

/// The lines above the rows.
pub(super) fn header(machine: &str) -> String {
    format!(
        "{machine}\nmedian of all runs, and how far their middle half lies apart; ratio: the row's time to {OURS}'s, above 1 \
         where {OURS} is faster\n\n{:5} {:5} {:10} {:14} {:24} {:>5} {:>10} {:>7} {:>15} {:>8}\n",
        "key", "n", "keys are", "job", "by", "runs", "time", "spread", "rate", "ratio"
    )
}

/// The rows of one input, with ratios to this library's row of the same job.
pub(super) fn rows(measurements: &[Measurement]) -> String {
    let mut out = String::new();
    for row in measurements {
        let ours = measurements.iter().find(|m| m.case == row.case && m.by == OURS);
        let ratio = match ours {
            Some(ours) if row.by != OURS => times_as_fast(row.median_ms / ours.median_ms.max(SHORTEST)),
            _ => "-".to_string(),
        };
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{:5} 2^{:<3} {:10} {:14} {:24} {:>5} {:>10} {:>6.1}% {:>15} {:>8}",
            row.key,
            row.log2,
            row.distribution,
            row.case,
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

/// A ratio; far below one it needs more digits than a time does.
pub(super) fn times_as_fast(ratio: f64) -> String {
    if ratio < 0.1 { format!("{ratio:.4}x") } else { format!("{}x", units::three_digits(ratio)) }
}

/// A time in milliseconds, as a person reads it.
pub(super) fn milliseconds(ms: f64) -> String {
    units::time(std::time::Duration::from_secs_f64(ms / 1e3))
}

#[cfg(test)]
mod tests {
    use super::super::report::tests::measured;
    use super::*;

    #[test]
    fn ratios_are_to_this_librarys_time() {
        let rows = rows(&[measured(OURS, "uniform", 10, 2.0), measured("cub merge sort", "uniform", 10, 3.0)]);
        let ends: Vec<&str> = rows.lines().map(|line| line.split_whitespace().last().unwrap()).collect();
        assert_eq!(ends, ["-", "1.50x"], "{rows}");
        assert!(rows.contains("2.00 ms") && rows.contains("341 kkeys/s"), "{rows}");
    }

    #[test]
    fn columns_line_up() {
        let header = header("a machine");
        let titles = header.lines().last().unwrap();
        let mut widest = measured("cub merge sort", "organ-pipe", 28, 3.0);
        widest.case = super::super::cases::Case::MergePairs32.to_string();
        let row = rows(&[widest]);
        assert_eq!(row.trim_end().chars().count(), titles.chars().count(), "{titles}\n{row}");
    }
}
