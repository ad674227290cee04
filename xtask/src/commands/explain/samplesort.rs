//! Sample sort: what each of its kernels makes.
use std::fmt::Write;

use gridsort::sample::{BucketSizes, SampleOptions, draw_splitters};
use gridsort::{Device, Direction, SortOptions, chapter, reference};

use super::{list, numbers, numbers_of};
use crate::Error;

/// Options of `cargo xtask explain samplesort`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Numbers, such as 19,3,42,7,55,12,38,25
    #[arg(long, allow_hyphen_values = true)]
    input: String,
    /// Sorted splitters, such as 15,30; without them, they are drawn from a sample of the input
    #[arg(long, allow_hyphen_values = true, conflicts_with_all = ["buckets", "oversampling", "seed"])]
    splitters: Option<String>,
    /// Buckets to draw splitters for; no more than there are numbers
    #[arg(long, default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..=65536))]
    buckets: u32,
    /// Numbers of the sample for each bucket
    #[arg(long, default_value_t = 2, value_parser = clap::value_parser!(u32).range(1..=65536))]
    oversampling: u32,
    /// Seed of the sample
    #[arg(long, default_value_t = 0)]
    seed: u64,
}

pub(super) fn explain(args: &Args) -> Result<String, Error> {
    let data = numbers(&args.input)?;
    if data.is_empty() {
        return Err(Error::msg("--input: there is nothing to sort"));
    }
    let splitters = match &args.splitters {
        Some(text) => numbers_of("--splitters", text)?,
        None => {
            let (buckets, oversampling) = (args.buckets as usize, args.oversampling as usize);
            let options = SampleOptions { buckets, oversampling, seed: args.seed };
            draw_splitters(&data, Direction::Ascending, options)
        }
    };
    if let Some(pair) = splitters.windows(2).find(|pair| pair[0] > pair[1]) {
        return Err(Error::msg(format!("--splitters: not sorted: {} comes after {}", pair[1], pair[0])));
    }
    let trace = chapter::sample_sort(&Device::emulator(), &data, &splitters, SortOptions::new())?;
    if trace != reference::sample_sort(&data, &splitters, i64::cmp) {
        return Err(Error::msg("the kernels' steps are not those of the sequential sample sort"));
    }

    let mut out = String::new();
    let buckets = trace.counts.len();
    let named = splitters.iter().map(i64::to_string).collect::<Vec<_>>().join(", ");
    let named = if named.is_empty() { "none" } else { &named };
    writeln!(out, "input: {}", list(&data))?;
    writeln!(out, "splitters: {named}  ({buckets} {})\n", if buckets == 1 { "bucket" } else { "buckets" })?;
    let words = |numbers: &[u64]| numbers.iter().map(u64::to_string).collect::<Vec<_>>().join(" ");
    let of_each: Vec<u64> = trace.buckets.iter().map(|&bucket| bucket.into()).collect();
    writeln!(out, "bucket of each element:       {}", words(&of_each))?;
    writeln!(out, "rank within own bucket:       {}", words(&trace.ranks))?;
    writeln!(out, "count per bucket:  {}", words(&trace.counts))?;
    writeln!(out, "offset per bucket: {}\n", words(&trace.offsets))?;
    writeln!(out, "scattered by bucket: {}\n", list(&trace.scattered))?;
    let mut rest = trace.sorted.as_slice();
    for (bucket, &count) in trace.counts.iter().enumerate() {
        let (here, behind) = rest.split_at(count as usize);
        rest = behind;
        let here = if here.is_empty() { "(empty)".to_owned() } else { list(here) };
        writeln!(out, "bucket {bucket}, sorted independently: {here}")?;
    }
    writeln!(out, "\nsorted: {}", list(&trace.sorted))?;
    let sizes = BucketSizes::of(&trace.counts);
    writeln!(out, "largest bucket over mean: {} / {:.2} = {:.2}", sizes.largest, sizes.mean, sizes.ratio())?;
    Ok(out)
}
