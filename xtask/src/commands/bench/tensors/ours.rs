//! This library at each job.
use gridsort::{Device, DeviceBuffer, Rows, Segments, SelectOptions, SortOptions, Workspace};

use super::super::inputs;
use super::super::sets::{CHECK_ALL, WORK};
use super::super::timing::{Step, Times, repeat};
use super::check::{self, Parts};
use super::data::Data;
use super::works::{Job, Work};
use crate::Error;

/// How long it took, and what came out of the first set.
pub(super) struct Outcome {
    pub(super) times: Times,
    /// Of the sorted keys, the order or the selected keys: what peers' answers are held against.
    pub(super) digest: u64,
}

/// Times a job.
pub(super) fn measure(work: &Work, data: &Data, offsets: Option<&[u64]>, runs: usize) -> Result<Outcome, Error> {
    match (work.job, offsets) {
        (Job::Segments, Some(offsets)) => segments(work, data, offsets, runs),
        (Job::Segments | Job::Rows, _) => rows(work, data, runs),
        (Job::ArgsortRows, _) => argsort_rows(work, data, runs),
        (Job::TopK | Job::TopKRows, _) => top_k(work, data, runs),
    }
}

fn buffers<T: bytemuck::Pod>(device: &Device, len: usize) -> Result<Vec<DeviceBuffer<T>>, Error> {
    (0..WORK).map(|_| Ok(device.allocate::<T>(len)?)).collect()
}

/// A sort of keys where they are, in parts.
fn in_place(
    work: &Work,
    data: &Data,
    runs: usize,
    parts: Parts,
    mut sort: impl FnMut(&mut DeviceBuffer<f32>) -> gridsort::Result<()>,
) -> Result<Outcome, Error> {
    let n = work.elements();
    let mut buffers = buffers::<f32>(&data.device, n)?;
    let mut digest = 0;
    let times = repeat(&data.device, runs, n <= CHECK_ALL, |run, step| {
        let keys = &mut buffers[run % WORK];
        match step {
            Step::Restore => keys.copy_from_buffer(&data.pristine(run, n)?)?,
            Step::Sort => sort(keys)?,
            Step::Check => {
                let result = keys.to_vec()?;
                check::sorted(data.host(run, n), &result, parts)?;
                if run == 0 {
                    digest = inputs::digest(&result);
                }
            }
        }
        Ok(())
    })?;
    Ok(Outcome { times, digest })
}

fn rows(work: &Work, data: &Data, runs: usize) -> Result<Outcome, Error> {
    let mut workspace = Workspace::new(&data.device);
    let rows = Rows::new(work.rows, work.columns);
    in_place(work, data, runs, Parts::Rows(work.rows, work.columns), |keys| {
        data.device.sort_rows_buffer(keys, rows, &mut workspace, SortOptions::new())
    })
}

fn segments(work: &Work, data: &Data, offsets: &[u64], runs: usize) -> Result<Outcome, Error> {
    let mut workspace = Workspace::new(&data.device);
    let on_device = data.device.upload(offsets)?;
    let segments = Segments::from_offsets(&on_device)?;
    in_place(work, data, runs, Parts::Offsets(offsets), |keys| {
        data.device.sort_segments_buffer(keys, &segments, &mut workspace, SortOptions::new())
    })
}

/// The keys stay as they are, so only the sets are rotated.
fn argsort_rows(work: &Work, data: &Data, runs: usize) -> Result<Outcome, Error> {
    let (n, rows) = (work.elements(), Rows::new(work.rows, work.columns));
    let mut workspace = Workspace::new(&data.device);
    let mut buffers = buffers::<u32>(&data.device, n)?;
    let mut digest = 0;
    let times = repeat(&data.device, runs, n <= CHECK_ALL, |run, step| {
        let order = &mut buffers[run % WORK];
        match step {
            Step::Restore => {}
            Step::Sort => data.device.argsort_rows_into(
                &data.pristine(run, n)?,
                order,
                rows,
                &mut workspace,
                SortOptions::new(),
            )?,
            Step::Check => {
                let order = order.to_vec()?;
                check::order(data.host(run, n), &order, work.rows, work.columns)?;
                if run == 0 {
                    digest = inputs::digest(&order);
                }
            }
        }
        Ok(())
    })?;
    Ok(Outcome { times, digest })
}

/// The same: the keys stay as they are.
fn top_k(work: &Work, data: &Data, runs: usize) -> Result<Outcome, Error> {
    let (device, n, found) = (&data.device, work.elements(), work.rows * work.k);
    let (rows, options) = (Rows::new(work.rows, work.columns), SelectOptions::new());
    let mut workspace = Workspace::new(device);
    let (mut values, mut indices) = (buffers::<f32>(device, found)?, buffers::<u32>(device, found)?);
    let mut digest = 0;
    let times = repeat(device, runs, n <= CHECK_ALL, |run, step| {
        let (values, indices) = (&mut values[run % WORK], &mut indices[run % WORK]);
        let keys = data.pristine(run, n)?;
        match step {
            Step::Restore => {}
            Step::Sort if work.job == Job::TopK => {
                device.top_k_into(&keys, values, indices, &mut workspace, options)?;
            }
            Step::Sort => device.top_k_rows_into(&keys, values, indices, rows, &mut workspace, options)?,
            Step::Check => {
                let (values, indices) = (values.to_vec()?, indices.to_vec()?);
                check::top_k(data.host(run, n), &values, &indices, work.rows, work.columns, work.k)?;
                if run == 0 {
                    digest = inputs::digest(&values);
                }
            }
        }
        Ok(())
    })?;
    Ok(Outcome { times, digest })
}
