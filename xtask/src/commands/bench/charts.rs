//! Charts of a report, as SVG: rates over the number of keys, and bars by what the keys are like.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use plotters::prelude::*;

use super::inputs::Distribution;
use super::report::{Measurement, Report};
use crate::Error;

pub(super) mod headline;

pub(super) const SIZE: (u32, u32) = (960, 600);
/// What is drawn on.
type Area<'a> = DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;
pub(super) const FONT: &str = "sans-serif";
/// Okabe and Ito's colours, which the colour-blind can tell apart; the first is this library's.
const COLOURS: [RGBColor; 7] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(90, 90, 90),
];

pub(super) fn colour(i: usize) -> RGBColor {
    COLOURS[i % COLOURS.len()]
}

/// Writes every chart that the report has data for, and returns their files.
///
/// # Errors
/// Where the folder or a file cannot be written.
pub(super) fn write(report: &Report, folder: &Path) -> Result<Vec<PathBuf>, Error> {
    std::fs::create_dir_all(folder).map_err(Error::io("create", folder))?;
    let mut files = Vec::new();
    if let Some(svg) = headline::draw(report)? {
        put(folder, headline::FILE, svg, &mut files)?;
    }
    let groups: BTreeSet<(&str, &str)> =
        report.measurements.iter().map(|m| (m.key.as_str(), m.case.as_str())).collect();
    for (key, case) in groups {
        let of: Vec<&Measurement> = report.measurements.iter().filter(|m| m.key == key && m.case == case).collect();
        let uniform: Vec<&Measurement> = of.iter().copied().filter(|m| m.distribution == "uniform").collect();
        if distinct(uniform.iter().map(|m| m.log2)).len() > 1 {
            let title = format!("{case}, {key}, uniformly random, {}", report.device);
            put(folder, &format!("{case}-{key}-sizes.svg"), sizes(&title, &uniform)?, &mut files)?;
        }
        // The size with the most distributions; of equals, the largest.
        let most = distinct(of.iter().map(|m| m.log2))
            .into_iter()
            .max_by_key(|&log2| names(of.iter().copied().filter(|m| m.log2 == log2)).len());
        let Some(log2) = most else { continue };
        let there: Vec<&Measurement> = of.iter().copied().filter(|m| m.log2 == log2).collect();
        if names(there.iter().copied()).len() > 1 {
            let title = format!("{case}, {key}, 2^{log2} keys, {}", report.device);
            put(folder, &format!("{case}-{key}-distributions.svg"), bars(&title, &there)?, &mut files)?;
        }
    }
    for (name, svg) in super::tensors::draw(report)? {
        put(folder, &name, svg, &mut files)?;
    }
    Ok(files)
}

fn put(folder: &Path, name: &str, svg: String, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    let path = folder.join(name);
    std::fs::write(&path, svg).map_err(Error::io("write", &path))?;
    files.push(path);
    Ok(())
}

fn distinct(sizes: impl Iterator<Item = u8>) -> BTreeSet<u8> {
    sizes.collect()
}

/// The distributions there are, in the order of the bench.
fn names<'a>(of: impl Iterator<Item = &'a Measurement>) -> Vec<String> {
    let there: BTreeSet<&str> = of.map(|m| m.distribution.as_str()).collect();
    Distribution::ALL.iter().map(ToString::to_string).filter(|name| there.contains(name.as_str())).collect()
}

/// Who was measured, in the order of the report.
fn programs<'a>(of: &[&'a Measurement]) -> Vec<&'a str> {
    let mut programs: Vec<&str> = Vec::new();
    for m in of {
        if !programs.contains(&m.by.as_str()) {
            programs.push(&m.by);
        }
    }
    programs
}

/// The plotting library's error, in words.
pub(super) fn failed(e: impl std::fmt::Display) -> Error {
    Error::msg(format!("cannot draw a chart: {e}"))
}

fn sizes(title: &str, of: &[&Measurement]) -> Result<String, Error> {
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        panel(&area, title, of)?;
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

/// Draws rates over the number of keys.
fn panel(area: &Area, title: &str, of: &[&Measurement]) -> Result<(), Error> {
    let log2 = distinct(of.iter().map(|m| m.log2));
    let (Some(&first), Some(&last)) = (log2.first(), log2.last()) else { return Err(failed("no data")) };
    let rates = || of.iter().map(|m| m.keys_per_second / 1e6);
    let (low, high) = (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max));
    let mut chart = ChartBuilder::on(area)
        .caption(title, (FONT, 20))
        .margin(12)
        .margin_right(32)
        .x_label_area_size(40)
        .y_label_area_size(80)
        .build_cartesian_2d(f64::from(first)..f64::from(last), (low * 0.8..high * 1.3).log_scale())
        .map_err(failed)?;
    chart
        .configure_mesh()
        .x_labels(log2.len().min(22))
        .x_label_formatter(&|x| format!("2^{x:.0}"))
        .y_label_formatter(&|y| format!("{y}"))
        .x_desc("keys")
        .y_desc("million keys a second")
        .light_line_style(WHITE)
        .label_style((FONT, 14))
        .draw()
        .map_err(failed)?;
    for (i, by) in programs(of).into_iter().enumerate() {
        let colour = colour(i);
        let mut points: Vec<(f64, f64)> =
            of.iter().filter(|m| m.by == by).map(|m| (f64::from(m.log2), m.keys_per_second / 1e6)).collect();
        points.sort_by(|a, b| a.0.total_cmp(&b.0));
        chart
            .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))
            .map_err(failed)?
            .label(by)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
        chart.draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled()))).map_err(failed)?;
    }
    chart
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(BLACK.mix(0.3))
        .label_font((FONT, 14))
        .draw()
        .map_err(failed)?;
    Ok(())
}

/// The part of a group's width that its bars fill.
const FILLED: f64 = 0.84;

fn bars(title: &str, of: &[&Measurement]) -> Result<String, Error> {
    let (names, programs) = (names(of.iter().copied()), programs(of));
    let high = of.iter().map(|m| m.keys_per_second / 1e6).fold(0.0, f64::max);
    let width = FILLED / programs.len() as f64;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(failed)?;
        let mut chart = ChartBuilder::on(&area)
            .caption(title, (FONT, 20))
            .margin(12)
            .margin_right(32)
            .x_label_area_size(40)
            .y_label_area_size(80)
            // A segmented range ends with its last number.
            .build_cartesian_2d((0..names.len().saturating_sub(1)).into_segmented(), 0.0..high * 1.25)
            .map_err(failed)?;
        chart
            .configure_mesh()
            .disable_x_mesh()
            .x_labels(names.len())
            .x_label_formatter(&|x| match x {
                SegmentValue::CenterOf(i) => names.get(*i).cloned().unwrap_or_default(),
                _ => String::new(),
            })
            .y_label_formatter(&|y| if high < 10.0 { format!("{y:.1}") } else { format!("{y:.0}") })
            .y_desc("million keys a second")
            .light_line_style(WHITE)
            .label_style((FONT, 14))
            .draw()
            .map_err(failed)?;
        // Bars lie beside each other, which segments of whole groups cannot say: a second scale with the same ends can.
        let mut fine = ChartBuilder::on(&area)
            .caption(" ", (FONT, 20))
            .margin(12)
            .margin_right(32)
            .x_label_area_size(40)
            .y_label_area_size(80)
            .build_cartesian_2d(0.0..names.len() as f64, 0.0..high * 1.25)
            .map_err(failed)?;
        for (i, by) in programs.iter().enumerate() {
            let colour = colour(i);
            let boxes = of.iter().filter(|m| m.by == *by).filter_map(|m| {
                let group = names.iter().position(|name| *name == m.distribution)? as f64;
                let left = group + (1.0 - FILLED) / 2.0 + width * i as f64;
                Some(Rectangle::new([(left, 0.0), (left + width, m.keys_per_second / 1e6)], colour.filled()))
            });
            fine.draw_series(boxes)
                .map_err(failed)?
                .label(*by)
                .legend(move |(x, y)| Rectangle::new([(x, y - 5), (x + 14, y + 5)], colour.filled()));
        }
        fine.configure_series_labels()
            .position(SeriesLabelPosition::UpperRight)
            .background_style(WHITE.mix(0.85))
            .border_style(BLACK.mix(0.3))
            .label_font((FONT, 14))
            .draw()
            .map_err(failed)?;
        area.present().map_err(failed)?;
    }
    Ok(svg)
}

#[cfg(test)]
mod tests {
    use super::super::report::{OURS, tests::measured};
    use super::*;

    #[test]
    fn each_chart_shows_every_program() {
        let mut report = Report::new(&gridsort::Device::cpu(), 1);
        for by in [OURS, "cub merge sort", "cub radix sort"] {
            for log2 in [10, 16, 20] {
                report.measurements.push(measured(by, "uniform", log2, 0.001 * f64::from(1 << (log2 - 10))));
            }
            report.measurements.push(measured(by, "sorted", 16, 0.05));
            report.measurements.push(measured(by, "organ-pipe", 16, 0.06));
        }
        let dir = tempfile::tempdir().unwrap();
        let folder = dir.path().join("charts");
        let files = write(&report, &folder).unwrap();
        let found: Vec<&str> = files.iter().map(|file| file.file_name().unwrap().to_str().unwrap()).collect();
        assert_eq!(found, ["headline.svg", "keys-u32-sizes.svg", "keys-u32-distributions.svg"]);
        for file in files {
            let svg = std::fs::read_to_string(file).unwrap();
            assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
            for by in [OURS, "cub merge sort", "cub radix sort"] {
                assert!(svg.contains(by), "{by}: {svg}");
            }
        }
    }

    #[test]
    fn one_point_makes_no_chart() {
        let mut report = Report::new(&gridsort::Device::cpu(), 1);
        report.measurements.push(measured(OURS, "uniform", 10, 1.0));
        let dir = tempfile::tempdir().unwrap();
        assert!(write(&report, dir.path()).unwrap().is_empty());
    }
}
