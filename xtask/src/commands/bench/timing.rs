//! Repeated times, their middle and their spread.
use gridsort::{Device, DeviceKind};

use crate::Error;

/// Times of one case on one input, in milliseconds, as they were taken.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(transparent)]
pub struct Times(pub Vec<f64>);

impl Times {
    /// The time below which a part of all times lies, from 0 to 1, interpolated between the two next to it. No times
    /// have 0.
    pub fn quantile(&self, part: f64) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
        let at = part.clamp(0.0, 1.0) * last as f64;
        let below = at as usize;
        let above = sorted[(below + 1).min(last)];
        sorted[below] + (above - sorted[below]) * at.fract()
    }

    /// The middle one, or the mean of the two in the middle.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The shortest.
    pub fn min(&self) -> f64 {
        self.quantile(0.0)
    }

    /// The longest.
    pub fn max(&self) -> f64 {
        self.quantile(1.0)
    }

    /// How far the middle half of the times lie apart, as a part of the median.
    pub fn spread(&self) -> f64 {
        (self.quantile(0.75) - self.quantile(0.25)) / self.median().max(SHORTEST)
    }
}

/// Milliseconds: no clock has a finer step. A time of 0 would make an infinite rate.
pub(super) const SHORTEST: f64 = 1e-6;

/// Runs before any is timed: one for each work buffer.
pub(super) const WARM_UP: usize = 2;

/// What is done to take a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// Fresh input.
    Restore,
    /// What is timed, between two events.
    Sort,
    /// A look at the result.
    Check,
}

/// Runs to warm up, then takes times: has `turn` do each step of each run, which it is told by their numbers from 0. The
/// results of the first and the last run are looked at, or of all.
pub(super) fn repeat(
    device: &Device,
    runs: usize,
    check_all: bool,
    mut turn: impl FnMut(usize, Step) -> Result<(), Error>,
) -> Result<Times, Error> {
    let all = WARM_UP + runs;
    let mut times = Vec::with_capacity(runs);
    for run in 0..all {
        turn(run, Step::Restore)?;
        let start = device.record()?;
        turn(run, Step::Sort)?;
        let end = device.record()?;
        let time = end.elapsed_ms_since(&start)?;
        if run >= WARM_UP {
            times.push(time);
        }
        if run == 0 || run + 1 == all || check_all {
            turn(run, Step::Check)?;
        }
    }
    Ok(Times(times))
}

/// Times taken on a device: an odd number, and more where a sort is short enough for chance to show.
pub(super) fn runs(kind: DeviceKind, log2: u8) -> usize {
    if kind == DeviceKind::Cuda && log2 <= 16 { 31 } else { 11 }
}

/// Times taken of the host's sorts, which take seconds where a device takes milliseconds.
pub(super) fn host_runs(log2: u8, runs: usize) -> usize {
    if log2 >= 24 { runs.min(3) } else { runs.min(11) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_of_times() {
        assert_eq!(Times(vec![3.0, 1.0, 2.0]).median(), 2.0);
        assert_eq!(Times(vec![4.0, 1.0, 2.0, 3.0]).median(), 2.5);
        let times = Times(vec![4.0, 1.0, 2.0]);
        assert_eq!((times.min(), times.max()), (1.0, 4.0));
        assert_eq!(Times(Vec::new()).median(), 0.0);
    }

    #[test]
    fn the_spread_is_that_of_the_middle_half() {
        assert_eq!(Times(vec![10.0, 1.0, 9.0, 11.0, 99.0]).spread(), 0.2);
        assert_eq!(Times(vec![5.0; 11]).spread(), 0.0);
        assert_eq!(Times(Vec::new()).spread(), 0.0);
    }
}
