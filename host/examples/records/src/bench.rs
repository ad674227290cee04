//! Times sorts of samples that are on the device, and merges of sorted parts of them.
use super::{BY_SENSOR, BY_SENSOR_SAMPLED, sample, scrambled};
use gridsort::{Device, DeviceSlice, Event, Workspace};
use records_order::Sample;
use std::error::Error;

/// Parts that are merged: as many as one pass takes.
const PARTS: usize = 16;
/// Timed runs; before them, some that are not.
const RUNS: usize = 11;
const WARM_UP: usize = 3;

/// Sorts the same random samples again and again, from a fresh copy each time, merges parts of them, and prints the medians.
pub(crate) fn run(device: &Device, count: usize) -> Result<(), Box<dyn Error>> {
    // Sensor and time of all 64 bits: the first field decides nearly always, as in random keys of 16 bytes.
    let samples: Vec<Sample> =
        (0..count).map(|i| Sample { sensor: scrambled(2 * i), time: scrambled(2 * i + 1) }).collect();
    time(device, "spread samples", &samples)?;
    // About one in a million: both fields decide.
    let samples: Vec<Sample> = (0..count).map(sample).collect();
    time(device, "samples of 2^20 sensors", &samples)
}

/// Sorts by merging and by sample sort, and merges.
fn time(device: &Device, what: &str, samples: &[Sample]) -> Result<(), Box<dyn Error>> {
    let count = samples.len();
    let source = device.upload(samples)?;
    let mut keys = device.allocate::<Sample>(count)?;
    let mut workspace = Workspace::new(device);
    for (how, order) in [("", BY_SENSOR), (" by sample sort", BY_SENSOR_SAMPLED)] {
        workspace.reserve(order.sort_scratch_bytes(device, count, 0)?)?;
        let times = repeat(device, || {
            keys.copy_from_buffer(&source)?;
            let start = device.record()?;
            order.sort_buffer(device, &mut keys, &mut workspace)?;
            Ok(start)
        })?;
        if !order.is_sorted_buffer(device, &keys, &mut workspace)? {
            return Err("the samples are not in order".into());
        }
        report(device, &format!("{count} {what} of 16 bytes"), &format!("sorts{how}"), times);
    }

    // Dealt out in turn, each part is sorted and as long as the others, or one longer.
    let sorted = keys.to_vec()?;
    let dealt: Vec<Sample> = (0..PARTS).flat_map(|part| sorted.iter().skip(part).step_by(PARTS).copied()).collect();
    let source = device.upload(&dealt)?;
    let lengths: Vec<usize> = (0..PARTS).map(|part| sorted.len().saturating_sub(part).div_ceil(PARTS)).collect();
    let mut start = 0;
    let mut parts: Vec<DeviceSlice<'_, Sample>> = Vec::with_capacity(PARTS);
    for &len in &lengths {
        parts.push(source.slice(start..start + len)?);
        start += len;
    }
    let parts: Vec<&DeviceSlice<'_, Sample>> = parts.iter().collect();
    let times = repeat(device, || {
        let start = device.record()?;
        BY_SENSOR.merge_many_buffers(device, &parts, &mut keys, &mut workspace)?;
        Ok(start)
    })?;
    if keys.to_vec()? != sorted {
        return Err("the samples are not merged".into());
    }
    report(device, &format!("{PARTS} parts of {count} {what}"), "merges", times);
    Ok(())
}

/// The times of a job, which tells when it began, in milliseconds.
fn repeat(device: &Device, mut job: impl FnMut() -> gridsort::Result<Event>) -> gridsort::Result<Vec<f64>> {
    let mut times = Vec::with_capacity(RUNS);
    for run in 0..WARM_UP + RUNS {
        let start = job()?;
        let end = device.record()?;
        device.synchronize()?;
        if run >= WARM_UP {
            times.push(end.elapsed_ms_since(&start)?);
        }
    }
    Ok(times)
}

fn report(device: &Device, what: &str, jobs: &str, mut times: Vec<f64>) {
    times.sort_by(f64::total_cmp);
    let (median, least, most) = (times[RUNS / 2], times[0], times[RUNS - 1]);
    println!("{what} on {}: median {median:.3} ms of {RUNS} {jobs} ({least:.3} to {most:.3})", device.name());
}
