//! Charts of what was measured, from the tables in `docs/data`.
use plotters::style::RGBColor;
use serde::Deserialize;

use super::candidates::title;
use super::canvas::{Align, BLUE, FAINT, GREEN, INK, PURPLE, VERMILION, svg};
use crate::Error;
use crate::commands::bench;

/// A table of measurements, and of what they were made.
#[derive(Debug, Deserialize)]
struct Table {
    what: String,
    device: String,
    driver: String,
    date: String,
    /// The number of keys, as a power of two, where it is the same everywhere.
    log2: Option<u8>,
    unit: String,
    series: Vec<String>,
    rows: Vec<(String, Vec<Option<f64>>)>,
}

const SORTS: &str = include_str!("../../../../docs/data/sorts.json");
const ENGINES: &str = include_str!("../../../../docs/data/engines.json");
const PHASES: &str = include_str!("../../../../docs/data/phases.json");
const KWAY: &str = include_str!("../../../../docs/data/kway.json");

impl Table {
    fn read(json: &str) -> Result<Self, Error> {
        let table: Table = serde_json::from_str(json).map_err(|e| Error::msg(format!("docs/data: {e}")))?;
        match table.rows.iter().find(|(_, values)| values.len() != table.series.len()) {
            Some((name, _)) => Err(Error::msg(format!("docs/data: row {name} has not a value for each series"))),
            None => Ok(table),
        }
    }

    /// The line under a chart.
    fn origin(&self) -> String {
        let n = self.log2.map_or(String::new(), |log2| format!("2^{log2} keys; "));
        format!("{n}{}, driver {}, {}", self.device, self.driver, self.date)
    }
}

const COLOURS: [RGBColor; 4] = [BLUE, VERMILION, GREEN, PURPLE];

/// Bars beside each other, a group for each row.
fn bars(heading: &str, axis: &str, table: &Table) -> Result<String, Error> {
    const BAR: i32 = 15;
    const LEFT: i32 = 160;
    const WIDTH: i32 = 700;
    const TOP: i32 = 105;
    let group = BAR * table.series.len() as i32 + 10;
    let bottom = TOP + group * table.rows.len() as i32;
    let values = || table.rows.iter().flat_map(|(_, values)| values.iter().flatten().copied());
    let step = step(values().fold(0.0, f64::max));
    let ticks = (values().fold(0.0, f64::max) / step).ceil();
    let across = |value: f64| LEFT + (f64::from(WIDTH) * value / (step * ticks)).round() as i32;
    svg((960, (bottom + 110) as u32), |canvas| {
        title(canvas, heading)?;
        let mut x = LEFT;
        for (name, colour) in table.series.iter().zip(COLOURS) {
            canvas.legend((x, 70), colour, name)?;
            x += 60 + 9 * name.chars().count() as i32;
        }
        for tick in 0..=ticks as u32 {
            let value = step * f64::from(tick);
            canvas.line((across(value), TOP - 6), (across(value), bottom), FAINT, 1)?;
            canvas.text((across(value), bottom + 14), 14, INK, Align::Middle, &format!("{value}"))?;
        }
        for (i, (name, values)) in table.rows.iter().enumerate() {
            let y = TOP + group * i as i32;
            canvas.text((LEFT - 12, y + (group - 10) / 2), 15, INK, Align::Right, name)?;
            for (s, (value, colour)) in values.iter().zip(COLOURS).enumerate() {
                let Some(value) = *value else { continue };
                let y = y + BAR * s as i32;
                canvas.fill((LEFT, y + 1), (across(value) - LEFT, BAR - 2), colour)?;
                let text = if value < 100.0 { format!("{value:.1}") } else { format!("{value:.0}") };
                canvas.text((across(value) + 5, y + BAR / 2), 12, INK, Align::Left, &text)?;
            }
        }
        canvas.text((LEFT + WIDTH / 2, bottom + 40), 16, INK, Align::Middle, axis)?;
        canvas.text((40, bottom + 68), 13, INK, Align::Left, &table.what)?;
        canvas.text((40, bottom + 88), 13, INK, Align::Left, &table.origin())
    })
}

/// A round step for an axis up to some value, with five to ten of it.
fn step(high: f64) -> f64 {
    let power = 10_f64.powf(high.max(1e-9).log10().floor());
    let part = [0.1, 0.2, 0.5, 1.0].into_iter().find(|part| high / (part * power) <= 10.0);
    part.unwrap_or(1.0) * power
}

/// Sorts beside CUB's: the bench's own chart.
pub(super) fn sorts() -> Result<String, Error> {
    let table = Table::read(SORTS)?;
    let mut rows = Vec::new();
    for (name, values) in &table.rows {
        let place = name.split_once(" 2^").and_then(|(key, log2)| Some((key, log2.parse().ok()?)));
        let (key, log2) = place.ok_or_else(|| Error::msg(format!("docs/data: {name} is no key type and number")))?;
        for (by, us) in table.series.iter().zip(values) {
            rows.extend(us.map(|us| (key.to_string(), log2, by.clone(), us / 1e3)));
        }
    }
    bench::headline(&table.device, &rows)
}

/// Keys a second by engine.
pub(super) fn engines() -> Result<String, Error> {
    let table = Table::read(ENGINES)?;
    bars("Engines of McGridsort: rate of a merge of k runs", &format!("{} (longer is better)", table.unit), &table)
}

/// What part of an engine's time goes when it leaves a part of its work out.
pub(super) fn phases() -> Result<String, Error> {
    let mut table = Table::read(PHASES)?;
    for (_, values) in &mut table.rows {
        let Some(all) = values.remove(0) else {
            return Err(Error::msg("docs/data: an engine's whole time is missing"));
        };
        values.iter_mut().flatten().for_each(|part| *part = 100.0 * (all - *part) / all);
    }
    table.series.remove(0);
    bars("Where an engine's time goes", "% of the time saved without that part (parts overlap)", &table)
}

/// Merges of many runs in one pass and by a tree.
pub(super) fn kway() -> Result<String, Error> {
    let mut table = Table::read(KWAY)?;
    let keys = table.log2.map(|log2| (1_u64 << log2) as f64).ok_or_else(|| Error::msg("docs/data: log2 is missing"))?;
    for (_, values) in &mut table.rows {
        values.iter_mut().flatten().for_each(|ms| *ms = keys / (*ms * 1e6));
    }
    bars("Merge of k sorted runs, against a tree of two-way merges", "billion keys a second (longer is better)", &table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_have_few_round_ticks() {
        for (high, expected) in [(40.7, 5.0), (94.0, 10.0), (253.0, 50.0), (1.0, 0.1), (0.7, 0.1)] {
            let step = step(high);
            assert!((step - expected).abs() < 1e-9, "{high}: {step}");
        }
    }

    /// The tables of the documentation show the same numbers.
    #[test]
    fn tables_and_charts_agree() {
        let docs = crate::build::workspace_root().join("docs");
        let text = |file: &str| std::fs::read_to_string(docs.join(file)).unwrap();
        let (engines, benchmarks) = (text("mcgridsort.md"), text("benchmarks.md"));
        let value = |values: &[Option<f64>], i: usize| values[i].unwrap();
        for (name, v) in Table::read(ENGINES).unwrap().rows {
            let row = format!("| {name} | {:.1} | {:.1} |", value(&v, 0), value(&v, 1));
            assert!(engines.contains(&row), "docs/mcgridsort.md lacks {row} of docs/data/engines.json");
        }
        for (name, v) in Table::read(PHASES).unwrap().rows {
            let row = format!("| {name} | {} µs | {} µs,", value(&v, 0), value(&v, 1));
            assert!(engines.contains(&row), "docs/mcgridsort.md lacks {row} of docs/data/phases.json");
        }
        let tables = [("sorts", Table::read(SORTS).unwrap()), ("kway", Table::read(KWAY).unwrap())];
        for (file, table) in tables {
            for (name, values) in table.rows {
                let shown = |time: f64| match table.unit.as_str() {
                    "ms" => format!("{time:.2} ms"),
                    _ if time < 10.0 => format!("{time:.2} µs"),
                    _ if time < 100.0 => format!("{time:.1} µs"),
                    _ if time < 1000.0 => format!("{time:.0} µs"),
                    _ if time < 1e4 => format!("{:.2} ms", time / 1e3),
                    _ => format!("{:.1} ms", time / 1e3),
                };
                for time in values.into_iter().flatten() {
                    let shown = shown(time);
                    assert!(
                        benchmarks.contains(&shown),
                        "docs/benchmarks.md lacks {shown}: docs/data/{file}.json, {name}"
                    );
                }
            }
        }
    }
}
