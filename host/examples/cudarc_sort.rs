//! Works on buffers of the crate cudarc where they lie, on cudarc's own stream, without a copy and without waiting: sorts keys
//! in place, and ranks the logits of a language model as a sampler would, each row for itself, the likeliest token first.
//!
//! `cargo run --release --package gridsort --features cuda --example cudarc_sort`
use cudarc::driver::{CudaContext, CudaStream, DevicePtr, DevicePtrMut};
use gridsort::{Device, DeviceSliceMut, Rows, SortOptions, Stream, Workspace};
use std::error::Error;
use std::sync::Arc;

const COUNT: usize = 1 << 20;

/// Sequences, and tokens that each may go on with.
const SEQUENCES: usize = 128;
const VOCABULARY: usize = 128_256;

fn main() -> Result<(), Box<dyn Error>> {
    // Both crates work in the GPU's primary context, so memory and streams of one are valid in the other.
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let device = Device::cuda(0)?;
    // SAFETY: a stream of the primary context; it is dropped after all that is made for it here.
    let on_stream = unsafe { Stream::from_raw(&device, stream.cu_stream() as u64)? };
    let device = device.on(&on_stream)?;
    sort(&device, &stream)?;
    rank(&device, &stream)
}

/// Sorts keys in place.
fn sort(device: &Device, stream: &Arc<CudaStream>) -> Result<(), Box<dyn Error>> {
    let keys: Vec<u32> = (0..COUNT as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
    let mut buffer = stream.clone_htod(&keys)?;
    let mut workspace = Workspace::new(device);
    workspace.reserve(device.sort_scratch_bytes::<u32>(COUNT)?)?;
    {
        // What cudarc queued on the buffer is ordered before the stream; the guard, dropped once the sort is queued, tells
        // cudarc to order what it does next behind it.
        let (address, _guard) = buffer.device_ptr_mut(stream);
        // SAFETY: the buffer holds COUNT keys, is borrowed exclusively, and outlives the work on it.
        let mut view = unsafe { DeviceSliceMut::<u32>::from_raw(device, address, COUNT)? };
        device.sort_buffer(&mut view, &mut workspace, SortOptions::new())?;
    }
    let sorted = stream.clone_dtoh(&buffer)?;

    let mut expected = keys;
    expected.sort_unstable();
    if sorted != expected {
        return Err("the result is not the sorted input".into());
    }
    println!("{COUNT} keys of a cudarc buffer sorted in place on {}", device.name());
    Ok(())
}

/// Ranks the tokens of each row of logits.
fn rank(device: &Device, stream: &Arc<CudaStream>) -> Result<(), Box<dyn Error>> {
    let rows = Rows::new(SEQUENCES, VOCABULARY);
    // Few enough different values that many logits tie: of those the lower token comes first.
    let logit = |i: usize| ((i as u32).wrapping_mul(0x9e37_79b9) >> 16) as f32 / 4096.0 - 8.0;
    let logits: Vec<f32> = (0..rows.elements()).map(logit).collect();
    let buffer = stream.clone_htod(&logits)?;
    let mut ranked = stream.alloc_zeros::<u32>(rows.elements())?;
    let mut workspace = Workspace::new(device);
    workspace.reserve(device.argsort_rows_scratch_bytes::<f32, u32>(rows)?)?;
    {
        let (from, _from_guard) = buffer.device_ptr(stream);
        let (to, _to_guard) = ranked.device_ptr_mut(stream);
        // SAFETY: as above; the logits are only read.
        let (keys, mut order) = unsafe {
            let keys = DeviceSliceMut::<f32>::from_raw(device, from, rows.elements())?;
            (keys, DeviceSliceMut::<u32>::from_raw(device, to, rows.elements())?)
        };
        device.argsort_rows_into(&keys, &mut order, rows, &mut workspace, SortOptions::new().descending())?;
    }
    let ranked = stream.clone_dtoh(&ranked)?;

    for (row, (logits, ranked)) in logits.chunks(VOCABULARY).zip(ranked.chunks(VOCABULARY)).enumerate() {
        let mut expected: Vec<u32> = (0..VOCABULARY as u32).collect();
        expected.sort_by(|&x, &y| logits[y as usize].total_cmp(&logits[x as usize]));
        if ranked != expected {
            return Err(format!("the tokens of row {row} are not in order").into());
        }
    }
    println!("{SEQUENCES} rows of {VOCABULARY} logits in a cudarc buffer ranked on {}", device.name());
    Ok(())
}
