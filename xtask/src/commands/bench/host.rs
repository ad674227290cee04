//! The CPU's sorts, timed by its own clock.
use std::time::Instant;

use gridsort::Key;
use rayon::prelude::*;

use super::check;
use super::sets::Sets;
use super::timing::{Times, host_runs};
use crate::Error;

/// A sort of rayon's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HostSort {
    /// `par_sort_unstable`
    Unstable,
    /// `par_sort`, stable
    Stable,
}

impl HostSort {
    /// Both.
    pub(super) const ALL: [HostSort; 2] = [HostSort::Unstable, HostSort::Stable];

    /// As tables and files name it.
    pub(super) fn name(self) -> &'static str {
        match self {
            HostSort::Unstable => "rayon par_sort_unstable",
            HostSort::Stable => "rayon par_sort",
        }
    }

    /// Times it.
    pub(super) fn measure<K: Key>(self, sets: &Sets<K>) -> Result<Times, Error> {
        let runs = host_runs(sets.point.log2, sets.point.runs);
        let mut times = Vec::with_capacity(runs);
        for run in 0..=runs {
            let set = &sets.sets[run % sets.sets.len()];
            let mut keys = set.keys.clone();
            let start = Instant::now();
            match self {
                HostSort::Unstable => keys.par_sort_unstable_by(K::order),
                HostSort::Stable => keys.par_sort_by(K::order),
            }
            let time = start.elapsed().as_secs_f64() * 1e3;
            if run > 0 {
                times.push(time);
            } else {
                check::keys(&keys, set.fingerprint)?;
            }
        }
        Ok(Times(times))
    }
}
