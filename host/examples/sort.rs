//! Sorts random keys on the best device there is, checks the result, and prints how long it took.
//!
//! `cargo run --release --package gridsort --example sort -- [COUNT]`, with `--features cuda` for a GPU.
use gridsort::{Device, SortOptions, Workspace};
use std::error::Error;

fn main() -> Result<(), Box<dyn Error>> {
    let count: usize = match std::env::args().nth(1) {
        Some(text) => text.parse()?,
        None => 1 << 20,
    };
    // A linear congruential generator (Knuth's MMIX constants) is random enough to sort.
    let mut state = 1u64;
    let keys: Vec<u32> = std::iter::repeat_with(|| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 32) as u32
    })
    .take(count)
    .collect();

    let device = Device::best();
    let mut workspace = Workspace::new(&device);
    let mut buffer = device.upload(&keys)?;
    let start = device.record()?;
    let host_start = std::time::Instant::now();
    device.sort_buffer(&mut buffer, &mut workspace, SortOptions::new())?;
    let end = device.record()?;
    device.synchronize()?;
    let sorted = buffer.to_vec()?;

    let mut expected = keys;
    expected.sort_unstable();
    if sorted != expected {
        return Err("the result is not the sorted input".into());
    }
    println!(
        "{count} keys on {} ({}): {:.3} ms on the device, {:.3} ms in all",
        device.name(),
        device.kind(),
        end.elapsed_ms_since(&start)?,
        host_start.elapsed().as_secs_f64() * 1e3,
    );
    Ok(())
}
