//! Times sorts of samples that are on the device.
use super::{BY_SENSOR, sample, scrambled};
use gridsort::{Device, Workspace};
use records_order::Sample;
use std::error::Error;

/// Timed sorts; before them, some that are not.
const RUNS: usize = 11;
const WARM_UP: usize = 3;

/// Sorts the same random samples again and again, from a fresh copy each time, and prints the median.
pub(crate) fn run(device: &Device, count: usize) -> Result<(), Box<dyn Error>> {
    // Sensor and time of all 64 bits: the first field decides nearly always, as in random keys of 16 bytes.
    let samples: Vec<Sample> =
        (0..count).map(|i| Sample { sensor: scrambled(2 * i), time: scrambled(2 * i + 1) }).collect();
    time(device, "spread samples", &samples)?;
    // About one in a million: both fields decide.
    let samples: Vec<Sample> = (0..count).map(sample).collect();
    time(device, "samples of 2^20 sensors", &samples)
}

fn time(device: &Device, what: &str, samples: &[Sample]) -> Result<(), Box<dyn Error>> {
    let source = device.upload(samples)?;
    let mut keys = device.allocate::<Sample>(samples.len())?;
    let mut workspace = Workspace::new(device);
    workspace.reserve(BY_SENSOR.sort_scratch_bytes(device, samples.len(), 0)?)?;
    let mut times = Vec::with_capacity(RUNS);
    for run in 0..WARM_UP + RUNS {
        keys.copy_from_buffer(&source)?;
        let start = device.record()?;
        BY_SENSOR.sort_buffer(device, &mut keys, &mut workspace)?;
        let end = device.record()?;
        device.synchronize()?;
        if run >= WARM_UP {
            times.push(end.elapsed_ms_since(&start)?);
        }
    }
    if !BY_SENSOR.is_sorted_buffer(device, &keys, &mut workspace)? {
        return Err("the samples are not in order".into());
    }
    times.sort_by(f64::total_cmp);
    let (median, least, most) = (times[RUNS / 2], times[0], times[RUNS - 1]);
    let count = samples.len();
    println!(
        "{count} {what} of 16 bytes on {}: median {median:.3} ms of {RUNS} sorts ({least:.3} to {most:.3})",
        device.name()
    );
    Ok(())
}
