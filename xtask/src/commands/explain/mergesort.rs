//! Bottom-up merge sort: each pass, and the pairs of runs that it merges.
use std::fmt::Write;

use super::kernels::Textbook;
use super::{list, numbers};
use crate::Error;

pub(super) fn explain(input: &str) -> Result<String, Error> {
    let mut data = numbers(input)?;
    let n = data.len();
    if n == 0 {
        return Err(Error::msg("--input: there is nothing to sort"));
    }
    let textbook = Textbook::new();
    let mut out = String::new();
    writeln!(out, "input: {}\n", list(&data))?;
    let mut passes = 0;
    let mut width = 1;
    while width < n {
        let merged = textbook.pass(&data, width)?;
        passes += 1;
        writeln!(out, "pass {passes} (width={width}, {n} threads): {}", list(&merged))?;
        for start in (0..n).step_by(2 * width) {
            let (middle, end) = ((start + width).min(n), (start + 2 * width).min(n));
            let result = list(&merged[start..end]);
            if middle < end {
                writeln!(out, "    [{}] + [{}] -> [{result}]", list(&data[start..middle]), list(&data[middle..end]))?;
            } else {
                writeln!(out, "    [{result}] has no partner and stays")?;
            }
        }
        data = merged;
        width *= 2;
    }
    if passes > 0 {
        writeln!(out)?;
    }
    writeln!(out, "sorted: {}", list(&data))?;
    writeln!(out, "{passes} {} for n={n}", if passes == 1 { "pass" } else { "passes" })?;
    Ok(out)
}
