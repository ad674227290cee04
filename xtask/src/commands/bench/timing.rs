//! Repeated times and their middle.

/// Times of one case on one input, in milliseconds, as they were taken.
#[derive(Clone, Debug, PartialEq, serde::Serialize)]
#[serde(transparent)]
pub struct Times(pub Vec<f64>);

impl Times {
    /// The middle one, or the mean of the two in the middle. No times have 0.
    pub fn median(&self) -> f64 {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        match sorted.len() {
            0 => 0.0,
            n if n % 2 == 1 => sorted[n / 2],
            n => (sorted[n / 2 - 1] + sorted[n / 2]) / 2.0,
        }
    }

    /// The shortest.
    pub fn min(&self) -> f64 {
        self.0.iter().copied().min_by(f64::total_cmp).unwrap_or(0.0)
    }

    /// The longest.
    pub fn max(&self) -> f64 {
        self.0.iter().copied().max_by(f64::total_cmp).unwrap_or(0.0)
    }
}

/// Times taken of a sort on the device: enough for a median that stands, fewer where one takes long.
pub(super) fn runs(log2: u8) -> usize {
    if log2 >= 28 { 7 } else { 11 }
}

/// Times taken of a sort on the host, which is there for comparison and takes seconds where the device takes
/// milliseconds.
pub(super) fn host_runs(log2: u8) -> usize {
    if log2 >= 26 { 3 } else { runs(log2) }
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
}
