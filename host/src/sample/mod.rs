//! Sample sort, as far as it needs no device: how splitters are drawn, and how even the buckets come out.
mod splitters;

pub use splitters::{BucketSizes, SampleOptions, draw_splitters};
