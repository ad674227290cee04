//! `cargo xtask bench --tensors`: sorts of rows and segments, and selections, of f32 keys that are on the device: what tensor
//! libraries ask of a sort.
use gridsort::Device;

use super::report::Report;
use super::{fits_as, show, timing};
use crate::Error;
use crate::progress::Progress;

mod chart;
mod check;
mod data;
mod lengths;
mod measured;
mod ours;
mod table;
mod works;

pub(super) use chart::draw;
pub(super) use data::{Data, SETS};
pub use measured::TensorMeasurement;
pub(super) use works::Work;
pub use works::{Job, Shape};

use super::peers::TensorPeers;
use super::report::OURS;

/// Options of `cargo xtask bench --tensors`.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct Options {
    /// Measure sorts of rows and segments and selections of f32 keys instead, and nothing else: rows, argsort-rows,
    /// segments, top-k, top-k-rows, or all where none is named
    #[arg(long, value_name = "JOB", num_args = 0.., value_delimiter = ',')]
    #[arg(conflicts_with_all = ["startup", "quick", "log2", "distribution", "cases", "key", "algorithm", "parts"])]
    pub tensors: Option<Vec<Job>>,
    /// Of --tensors, ROWSxCOLUMNS: the matrices; of segments, how many and their mean length; suited to the device by default
    #[arg(long, value_delimiter = ',', requires = "tensors")]
    pub shape: Vec<Shape>,
    /// Of --tensors, how many to select
    #[arg(long, value_delimiter = ',', requires = "tensors")]
    pub k: Vec<usize>,
    /// Of --tensors, rows of all widths: powers of two, one and a half times these, and one more than these; --charts draws
    /// it
    #[arg(long, requires = "tensors", conflicts_with = "shape")]
    pub sweep: bool,
}

/// Measures every job that the options ask for, and prints each as it is done.
pub(super) fn measure(
    options: &Options,
    (seed, runs, peers): (u64, Option<u16>, bool),
    device: &Device,
    report: &mut Report,
) -> Result<(), Error> {
    let works = works::of(options, device.kind())?;
    let mut peers = peers.then(|| TensorPeers::start(device.kind())).transpose()?;
    show(&table::header(&report.machine()));
    let most = works.iter().map(Work::elements).max().unwrap_or(0);
    let data = Data::new(device, most, seed)?;
    let runs = runs.map_or_else(|| timing::runs(device.kind(), u8::MAX), usize::from);
    for work in works {
        let rows = one(&work, &data, runs, peers.as_mut())?;
        show(&table::rows(&rows));
        report.tensors.extend(rows);
    }
    Ok(())
}

/// One job by everyone.
fn one(
    work: &Work,
    data: &Data,
    runs: usize,
    peers: Option<&mut TensorPeers>,
) -> Result<Vec<TensorMeasurement>, Error> {
    let _progress = Progress::spinner("measuring");
    let offsets = (work.job == Job::Segments).then(|| lengths::offsets(work.rows, work.elements(), data.seed));
    let name = work.to_string();
    let Some(ours) = fits_as(ours::measure(work, data, offsets.as_deref(), runs), &name)? else {
        return Ok(Vec::new());
    };
    let mut rows = vec![TensorMeasurement::new(work, OURS, ours.times)];
    if let Some(peers) = peers {
        let found = peers.measure(work, data, offsets.as_deref(), runs, ours.digest);
        rows.extend(found.into_iter().map(|(by, times)| TensorMeasurement::new(work, by, times)));
    }
    Ok(rows)
}
