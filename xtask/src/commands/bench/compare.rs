//! What moved between two runs.
use std::collections::HashMap;
use std::fmt::Write;
use std::path::Path;

use super::report::{Measurement, Report};
use super::table::{milliseconds, times_as_fast};
use super::tensors::TensorMeasurement;
use super::timing::SHORTEST;
use crate::Error;

/// A change that no spread vouches for: clocks and placement move this much from run to run.
const LEAST: f64 = 0.02;

/// One measurement of both runs.
#[derive(Debug)]
struct Row<'a> {
    before: &'a Measurement,
    after: &'a Measurement,
    /// The time after to the time before.
    ratio: f64,
    /// Ratios of up to one and this much, either way, are noise.
    noise: f64,
}

impl<'a> Row<'a> {
    fn new(before: &'a Measurement, after: &'a Measurement) -> Self {
        let ratio = after.median_ms.max(SHORTEST) / before.median_ms.max(SHORTEST);
        // Half of each run's times lie within its spread, so the two medians are that far apart by chance at most.
        Row { before, after, ratio, noise: (before.spread + after.spread).max(LEAST) }
    }

    fn moved(&self) -> bool {
        self.ratio.max(1.0 / self.ratio) > 1.0 + self.noise
    }
}

/// Prints what moved from the first file to the second.
///
/// # Errors
/// Where a file cannot be read or is no report.
pub(super) fn run(before: &Path, after: &Path) -> Result<(), Error> {
    super::show(&text(&Report::read(before)?, &Report::read(after)?));
    Ok(())
}

/// Everything that a report measured on a device.
fn all(report: &Report) -> Vec<Measurement> {
    report.measurements.iter().cloned().chain(report.tensors.iter().map(TensorMeasurement::plain)).collect()
}

/// A number of keys, as a power of two where it is one.
fn size(n: u64) -> String {
    if n.is_power_of_two() { format!("2^{}", n.ilog2()) } else { n.to_string() }
}

fn text(before: &Report, after: &Report) -> String {
    let (measured, again) = (all(before), all(after));
    let found: HashMap<_, _> = again.iter().map(|m| (m.identity(), m)).collect();
    let both = measured.iter().filter_map(|m| Some(Row::new(m, found.get(&m.identity())?)));
    let mut rows: Vec<Row> = both.collect();
    rows.sort_by(|a, b| b.ratio.total_cmp(&a.ratio));
    let total = rows.len();
    let only = (measured.len() - total, again.len().saturating_sub(total));
    rows.retain(Row::moved);

    let mut out =
        format!("before: {}, {}\nafter:  {}, {}\n\n", before.machine(), before.date, after.machine(), after.date);
    if !rows.is_empty() {
        out += &format!(
            "{:5} {:5} {:10} {:14} {:24} {:>10} {:>10} {:>8} {:>7}\n",
            "key", "n", "keys are", "job", "by", "before", "after", "ratio", "noise"
        );
    }
    for row in &rows {
        // Writing to a string does not fail.
        let _ = writeln!(
            out,
            "{:5} {:5} {:10} {:14} {:24} {:>10} {:>10} {:>8} {:>6.1}% {}",
            row.after.key,
            size(row.after.n),
            row.after.distribution,
            row.after.case,
            row.after.by,
            milliseconds(row.before.median_ms),
            milliseconds(row.after.median_ms),
            times_as_fast(row.ratio),
            row.noise * 100.0,
            if row.ratio > 1.0 { "slower" } else { "faster" },
        );
    }
    let slower = rows.iter().filter(|row| row.ratio > 1.0).count();
    let (faster, still) = (rows.len() - slower, total - rows.len());
    let _ = writeln!(out, "{slower} slower, {faster} faster, {still} within noise");
    if only != (0, 0) {
        let _ = writeln!(out, "only before: {}, only after: {}", only.0, only.1);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::report::{OURS, tests::measured};
    use super::*;

    fn report(measurements: Vec<Measurement>) -> Report {
        Report { measurements, ..Report::new(&gridsort::Device::cpu(), 1) }
    }

    #[test]
    fn what_moved_is_shown_worst_first() {
        let of = |times: [f64; 3]| {
            let at = |log2: u8, ms: f64| measured(OURS, "uniform", log2, ms);
            report(vec![at(10, times[0]), at(12, times[1]), at(14, times[2])])
        };
        let text = text(&of([1.0, 1.0, 1.0]), &of([0.5, 1.005, 1.5]));
        let rows: Vec<&str> = text.lines().filter(|line| line.contains(" 2^")).collect();
        assert_eq!(rows.len(), 2, "{text}");
        assert!(rows[0].contains("2^14") && rows[0].contains("1.50x") && rows[0].ends_with("slower"), "{text}");
        assert!(rows[1].contains("2^10") && rows[1].contains("0.50x") && rows[1].ends_with("faster"), "{text}");
        assert!(text.contains("1 slower, 1 faster, 1 within noise"), "{text}");
    }

    #[test]
    fn the_recorded_spread_is_the_threshold() {
        let noisy = |ms: f64| {
            let mut m = measured(OURS, "uniform", 10, ms);
            m.spread = 0.3;
            report(vec![m])
        };
        assert!(text(&noisy(1.0), &noisy(1.5)).contains("0 slower, 0 faster, 1 within noise"));
        assert!(text(&noisy(1.0), &noisy(1.7)).contains("1 slower"));
    }

    #[test]
    fn rows_and_selections_are_compared_by_their_shape() {
        let of = |ms: f64| {
            let mut both = Report::new(&gridsort::Device::cpu(), 1);
            for (columns, ms) in [(300, ms), (301, 1.0)] {
                let n = 4 * columns;
                let row = Measurement { n, ..measured(OURS, "uniform", 1, ms) };
                both.tensors.push(TensorMeasurement {
                    case: "top-k-rows".into(),
                    rows: 4,
                    columns,
                    k: 7,
                    n,
                    by: row.by,
                    median_ms: row.median_ms,
                    min_ms: row.min_ms,
                    max_ms: row.max_ms,
                    spread: row.spread,
                    keys_per_second: row.keys_per_second,
                    times_ms: row.times_ms,
                });
            }
            both
        };
        let text = text(&of(1.0), &of(2.0));
        assert!(text.contains("1200 ") && text.contains("4x300 k 7") && text.contains("2.00x"), "{text}");
        assert!(text.contains("1 slower, 0 faster, 1 within noise") && !text.contains("301"), "{text}");
    }

    #[test]
    fn what_one_run_lacks_is_counted() {
        let (a, b) = (measured(OURS, "uniform", 10, 1.0), measured("chapter", "uniform", 10, 1.0));
        let text = text(&report(vec![a.clone()]), &report(vec![a, b]));
        assert!(text.contains("only before: 0, only after: 1"), "{text}");
    }
}
