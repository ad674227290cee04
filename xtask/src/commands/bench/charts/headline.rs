//! The chart that says most: this library's sort beside CUB's two, of 32- and of 64-bit keys, from few keys to many.
use plotters::prelude::*;

use super::super::cases::Case;
use super::super::report::{Measurement, OURS, Report};
use super::{Area, SIZE, distinct, failed, panel, programs};
use crate::Error;

/// Its name in the folder of charts.
pub(super) const FILE: &str = "headline.svg";
/// Whom it shows, in this order.
const SHOWN: [&str; 3] = [OURS, "cub merge sort", "cub radix sort"];
const KEYS: [&str; 2] = ["u32", "u64"];

/// Draws it, where the report has this library and a peer of several sizes: a panel for each key type.
///
/// # Errors
/// What the plotting library says.
pub(in crate::commands::bench) fn draw(report: &Report) -> Result<Option<String>, Error> {
    let panels: Vec<(&str, Vec<&Measurement>)> =
        KEYS.iter().map(|&key| (key, of(report, key))).filter(|(_, rows)| is_comparison(rows)).collect();
    if panels.is_empty() {
        return Ok(None);
    }
    let mut svg = String::new();
    {
        let size = (SIZE.0 * panels.len() as u32 * 2 / 3, SIZE.1);
        let area: Area = SVGBackend::with_string(&mut svg, size).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        for (part, (key, rows)) in area.split_evenly((1, panels.len())).iter().zip(&panels) {
            panel(part, &format!("sort of {key} keys, random, {}", report.device), rows)?;
        }
        area.present().map_err(failed)?;
    }
    Ok(Some(svg))
}

/// Sorts of uniformly random keys of a type, in the order in which they are shown.
fn of<'a>(report: &'a Report, key: &str) -> Vec<&'a Measurement> {
    let case = Case::Keys.to_string();
    let apt = |m: &&Measurement| m.key == key && m.case == case && m.distribution == "uniform";
    SHOWN.iter().flat_map(|by| report.measurements.iter().filter(apt).filter(move |m| m.by == *by)).collect()
}

fn is_comparison(rows: &[&Measurement]) -> bool {
    let by = programs(rows);
    by.len() > 1 && by[0] == OURS && distinct(rows.iter().map(|m| m.log2)).len() > 1
}

#[cfg(test)]
mod tests {
    use super::super::super::report::tests::measured;
    use super::*;

    #[test]
    fn it_shows_the_three_and_nobody_else() {
        let mut report = Report::new(&gridsort::Device::cpu(), 1);
        for by in ["gridsort merge", SHOWN[2], OURS, SHOWN[1], "chapter"] {
            for log2 in [10, 20] {
                report.measurements.push(measured(by, "uniform", log2, 1.0));
            }
            report.measurements.push(measured(by, "sorted", 20, 1.0));
        }
        let svg = draw(&report).unwrap().unwrap();
        assert!(SHOWN.iter().all(|by| svg.contains(by)), "{svg}");
        assert!(!svg.contains("chapter") && !svg.contains("gridsort merge"), "{svg}");
        assert!(svg.contains("u32") && !svg.contains("u64"), "no panel without data");
        let one = report.measurements.clone();
        report.measurements.extend(one.into_iter().map(|m| Measurement { key: "u64".into(), ..m }));
        assert!(draw(&report).unwrap().unwrap().contains("u64"));
    }

    #[test]
    fn without_peers_or_sizes_there_is_nothing_to_compare() {
        let mut report = Report::new(&gridsort::Device::cpu(), 1);
        for log2 in [10, 20] {
            report.measurements.push(measured(OURS, "uniform", log2, 1.0));
        }
        assert!(draw(&report).unwrap().is_none());
        report.measurements = vec![measured(OURS, "uniform", 10, 1.0), measured(SHOWN[1], "uniform", 10, 1.0)];
        assert!(draw(&report).unwrap().is_none());
    }
}
