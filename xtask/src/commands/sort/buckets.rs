//! How even a sample sort's buckets are, as JSON has it.
use gridsort::sample::BucketSizes;
use serde::{Deserialize, Serialize};

/// The buckets of a sample sort's first level.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Buckets {
    /// Keys of the largest bucket.
    pub largest: u64,
    /// Keys over buckets.
    pub mean: f64,
    /// The largest over the mean: 1 where all are alike.
    pub largest_over_mean: f64,
}

impl From<BucketSizes> for Buckets {
    fn from(sizes: BucketSizes) -> Self {
        Buckets { largest: sizes.largest, mean: sizes.mean, largest_over_mean: sizes.ratio() }
    }
}
