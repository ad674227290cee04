//! Sorts of each row of a matrix, and selections of the largest keys: of a file, or of each row.
use std::path::Path;
use std::time::Duration;

use gridsort::{Algorithm, Device, DeviceKind, Index, Rows, SelectOptions, SortOptions, Workspace};
use rayon::prelude::*;

use super::summary::Steps;
use super::work::{Clock, Times};
use super::{Args, Summary, timed};
use crate::Error;
use crate::format::{FileKey, Layout, Output, Source, with_key};
use crate::progress::Progress;

/// Keys of the widest row that loads a GPU's kernels: enough that every kernel of a sort is launched.
const WARM_UP: usize = 1 << 20;

/// What is done with each row; all of a file is one row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Task {
    options: SortOptions,
    /// How many of the largest are kept; none where all are sorted.
    top_k: Option<usize>,
    /// Whether indices are written, not keys.
    by_index: bool,
}

impl Task {
    /// The shape of the result.
    fn result(&self, rows: Rows) -> Rows {
        Rows::new(rows.rows(), self.top_k.unwrap_or(rows.columns()))
    }
}

/// What is written.
enum Found<K> {
    Keys(Vec<K>),
    Indices(Vec<u64>),
}

/// A file whose rows are sorted into another, or whose largest keys are.
#[derive(Debug)]
pub(super) struct PartsJob {
    source: Source,
    output: Output,
    layout: Layout,
    task: Task,
}

impl PartsJob {
    /// Opens the input and finds out whether the output can be written. None where the options ask for a sort of all keys.
    pub(super) fn prepare(args: &Args) -> Result<Option<Self>, Error> {
        if !args.rows && args.top_k.is_none() {
            return Ok(None);
        }
        let asked = if args.rows { "--rows" } else { "--top-k" };
        if args.algorithm != Algorithm::Auto || args.engine.is_some() {
            return Err(Error::msg(format!("--algorithm and --engine go with sorts of all keys, not with {asked}")));
        }
        if args.seed.is_some() && args.top_k.is_none() {
            return Err(Error::msg("--seed goes with sorts of all keys and with --top-k, not with --rows"));
        }
        let layout = if args.rows { Layout::Matrix } else { Layout::Array };
        let source = Source::open(&args.input, args.key, layout)?;
        let output = Output::prepare(&args.output, layout)?;
        let task = Task { options: args.options()?, top_k: args.top_k, by_index: args.argsort };
        Ok(Some(PartsJob { source, output, layout, task }))
    }

    /// Reads, sorts and writes. `start` is the time that opening the device took.
    pub(super) fn run(self, input: &Path, device: &Device, start: Duration) -> Result<Summary, Error> {
        with_key!(self.source.key(), K => self.run_typed::<K>(input, device, start))
    }

    fn run_typed<K: FileKey>(self, input: &Path, device: &Device, start: Duration) -> Result<Summary, Error> {
        let PartsJob { source, output, layout, task } = self;
        let shape = source.rows();
        if let (Some(rows), Some(k)) = (shape, task.top_k) {
            check(input, rows, k, "each row")?;
        }
        let (keys, read) = timed(|| source.read::<K>())?;
        let rows = shape.unwrap_or_else(|| Rows::new(1, keys.len()));
        if let Some(k) = task.top_k {
            check(input, rows, k, "the file")?;
        }
        let ((), warm) = timed(|| warm_up::<K>(device, rows, task))?;
        let count = keys.len();
        let (found, times) = {
            let _progress = Progress::spinner("sorting");
            find(device, keys, rows, task)?
        };
        let matrix = (layout == Layout::Matrix).then(|| task.result(rows));
        let ((), write) = timed(|| match &found {
            Found::Keys(keys) => output.write_as(keys, matrix),
            Found::Indices(indices) => output.write_as(indices, matrix),
        })?;
        let steps = Steps { read, start: start + warm, transfer: times.transfer, sort: times.sort, write };
        let summary = Summary::new::<K>(device, task.options, task.by_index, count, steps, None);
        Ok(summary.of_parts(device, (layout == Layout::Matrix).then(|| rows.rows()), task.top_k))
    }
}

/// Refuses to take more keys of a row than it has.
fn check(input: &Path, rows: Rows, k: usize, what: &str) -> Result<(), Error> {
    let has = rows.columns();
    if k <= has {
        return Ok(());
    }
    let keys = if has == 1 { "key" } else { "keys" };
    Err(Error::content(input, format!("--top-k {k} is more than the {has} {keys} that {what} has")))
}

/// Has a GPU's driver load the kernels, which it does when they are first launched.
fn warm_up<K: FileKey>(device: &Device, rows: Rows, task: Task) -> Result<(), Error> {
    if device.kind() != DeviceKind::Cuda || rows.elements() == 0 {
        return Ok(());
    }
    let columns = rows.columns().min(WARM_UP);
    let few = Rows::new(rows.rows().min(WARM_UP / columns), columns);
    let task = Task { top_k: task.top_k.map(|k| k.min(columns)), ..task };
    find(device, vec![K::zeroed(); few.elements()], few, task)?;
    Ok(())
}

/// Does it. Takes the keys, so that they are gone from memory before indices are fetched.
fn find<K: FileKey>(device: &Device, keys: Vec<K>, rows: Rows, task: Task) -> Result<(Found<K>, Times), Error> {
    if device.kind() == DeviceKind::Cpu {
        let mut clock = Clock::start();
        let found = find_on_host(device, keys, rows, task)?;
        return Ok((found, Times { transfer: Duration::ZERO, sort: clock.lap() }));
    }
    // Narrow indices halve what is moved.
    if u32::try_from(rows.columns()).is_ok() {
        find_on_device::<K, u32>(device, keys, rows, task)
    } else {
        find_on_device::<K, u64>(device, keys, rows, task)
    }
}

fn find_on_host<K: FileKey>(device: &Device, mut keys: Vec<K>, rows: Rows, task: Task) -> Result<Found<K>, Error> {
    match (task.top_k, task.by_index) {
        (Some(k), by_index) => {
            let (values, indices) = device.top_k_rows(&keys, rows, k, select_options(task))?;
            Ok(if by_index { Found::Indices(indices) } else { Found::Keys(values) })
        }
        (None, true) => Ok(Found::Indices(device.argsort_rows(&keys, rows, task.options)?)),
        (None, false) => {
            device.sort_rows(&mut keys, rows, task.options)?;
            Ok(Found::Keys(keys))
        }
    }
}

fn select_options(task: Task) -> SelectOptions {
    SelectOptions::new().seed(task.options.seed)
}

fn find_on_device<K: FileKey, I: Index + Into<u64> + Send + Sync>(
    device: &Device,
    mut keys: Vec<K>,
    rows: Rows,
    task: Task,
) -> Result<(Found<K>, Times), Error> {
    let mut clock = Clock::start();
    let mut buffer = device.upload(&keys)?;
    let elements = task.result(rows).elements();
    let mut workspace = Workspace::new(device);
    let indices_of = |indices: Vec<I>| indices.into_par_iter().map(Into::into).collect();
    let (upload, sort);
    let found = match (task.top_k, task.by_index) {
        (Some(_), by_index) => {
            drop(keys);
            let (mut values, mut indices) = (device.allocate::<K>(elements)?, device.allocate::<I>(elements)?);
            device.synchronize()?;
            upload = clock.lap();
            let options = select_options(task);
            device.top_k_rows_into(&buffer, &mut values, &mut indices, rows, &mut workspace, options)?;
            device.synchronize()?;
            sort = clock.lap();
            if by_index { Found::Indices(indices_of(indices.to_vec()?)) } else { Found::Keys(values.to_vec()?) }
        }
        (None, true) => {
            drop(keys);
            let mut order = device.allocate::<I>(elements)?;
            device.synchronize()?;
            upload = clock.lap();
            device.argsort_rows_into(&buffer, &mut order, rows, &mut workspace, task.options)?;
            device.synchronize()?;
            sort = clock.lap();
            Found::Indices(indices_of(order.to_vec()?))
        }
        (None, false) => {
            device.synchronize()?;
            upload = clock.lap();
            device.sort_rows_buffer(&mut buffer, rows, &mut workspace, task.options)?;
            device.synchronize()?;
            sort = clock.lap();
            buffer.copy_to_slice(&mut keys)?;
            Found::Keys(keys)
        }
    };
    Ok((found, Times { transfer: upload + clock.lap(), sort }))
}
