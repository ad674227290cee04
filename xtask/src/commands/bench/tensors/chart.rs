//! Charts of rates over the width of rows: whether any width falls behind its neighbours.
use std::collections::BTreeSet;

use plotters::prelude::*;

use super::super::charts::{FONT, SIZE, colour, failed};
use super::super::report::Report;
use super::TensorMeasurement;
use crate::Error;

/// Fewer widths make no chart.
const LEAST: usize = 3;

/// A chart for each job that was done on several widths: its file's name, and the SVG.
///
/// # Errors
/// What the plotting library says.
pub(in crate::commands::bench) fn draw(report: &Report) -> Result<Vec<(String, String)>, Error> {
    // Rows of one number of keys, or as near as the width lets them be; a width of one is sorted from the start.
    let all = || report.tensors.iter().filter(|m| m.columns > 1);
    let jobs: BTreeSet<(&str, u64)> = all().map(|m| (m.case.as_str(), m.k)).collect();
    let mut charts = Vec::new();
    for (case, k) in jobs {
        let of: Vec<&TensorMeasurement> = all().filter(|m| m.case == case && m.k == k).collect();
        let widths: BTreeSet<u64> = of.iter().map(|m| m.columns).collect();
        if widths.len() < LEAST {
            continue;
        }
        let (of_k, selected) =
            if k == 0 { (String::new(), String::new()) } else { (format!("-{k}"), format!(", k = {k}")) };
        let title = format!("{case}{selected}, f32, uniformly random, {}", report.device);
        charts.push((format!("{case}{of_k}-widths.svg"), widths_chart(&title, &of)?));
    }
    Ok(charts)
}

fn widths_chart(title: &str, of: &[&TensorMeasurement]) -> Result<String, Error> {
    let columns = || of.iter().map(|m| m.columns as f64);
    let rates = || of.iter().map(|m| m.keys_per_second / 1e6);
    let range = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::INFINITY, 0.0_f64), |(low, high), value| (low.min(value), high.max(value)))
    };
    let ((first, last), (low, high)) = (range(&mut columns()), range(&mut rates()));
    let mut programs: Vec<&str> = Vec::new();
    for m in of {
        if !programs.contains(&m.by.as_str()) {
            programs.push(&m.by);
        }
    }
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
            .build_cartesian_2d((first..last).log_scale().base(2.0), (low * 0.8..high * 1.3).log_scale())
            .map_err(failed)?;
        chart
            .configure_mesh()
            .x_label_formatter(&|x| format!("2^{:.0}", x.log2()))
            .y_label_formatter(&|y| format!("{y}"))
            .x_desc("columns")
            .y_desc("million keys a second")
            .light_line_style(WHITE)
            .label_style((FONT, 14))
            .draw()
            .map_err(failed)?;
        for (i, by) in programs.into_iter().enumerate() {
            let colour = colour(i);
            let mut points: Vec<(f64, f64)> =
                of.iter().filter(|m| m.by == by).map(|m| (m.columns as f64, m.keys_per_second / 1e6)).collect();
            points.sort_by(|a, b| a.0.total_cmp(&b.0));
            chart
                .draw_series(LineSeries::new(points.iter().copied(), colour.stroke_width(2)))
                .map_err(failed)?
                .label(by)
                .legend(move |(x, y)| PathElement::new([(x, y), (x + 18, y)], colour.stroke_width(3)));
            chart
                .draw_series(points.into_iter().map(|point| Circle::new(point, 3, colour.filled())))
                .map_err(failed)?;
        }
        chart
            .configure_series_labels()
            .position(SeriesLabelPosition::LowerRight)
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
    use super::super::super::timing::Times;
    use super::super::{Job, Work};
    use super::*;

    #[test]
    fn widths_of_each_job_make_a_chart() {
        let mut report = Report::new(&gridsort::Device::cpu(), 1);
        for (job, k, widths) in
            [(Job::Rows, 0, &[1, 2, 3, 4, 1000][..]), (Job::TopKRows, 5, &[8, 16, 32]), (Job::Segments, 0, &[8])]
        {
            for &columns in widths {
                for by in ["gridsort", "torch.sort"] {
                    let work = Work { job, rows: 7, columns, k };
                    report.tensors.push(TensorMeasurement::new(&work, by, Times(vec![0.5])));
                }
            }
        }
        let charts = draw(&report).unwrap();
        let names: Vec<&str> = charts.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["rows-widths.svg", "top-k-rows-5-widths.svg"]);
        for (_, svg) in &charts {
            assert!(svg.contains("torch.sort") && svg.contains("gridsort") && svg.contains("2^"), "{svg}");
        }
    }
}
