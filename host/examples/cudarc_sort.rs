//! Sorts a buffer of the crate cudarc where it lies, on cudarc's own stream, without a copy and without waiting.
//!
//! `cargo run --release --package gridsort --features cuda --example cudarc_sort`
use cudarc::driver::{CudaContext, DevicePtrMut};
use gridsort::{Device, DeviceSliceMut, SortOptions, Stream, Workspace};
use std::error::Error;

const COUNT: usize = 1 << 20;

fn main() -> Result<(), Box<dyn Error>> {
    let keys: Vec<u32> = (0..COUNT as u32).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();

    // Both crates work in the GPU's primary context, so memory and streams of one are valid in the other.
    let context = CudaContext::new(0)?;
    let stream = context.new_stream()?;
    let mut buffer = stream.clone_htod(&keys)?;

    let device = Device::cuda(0)?;
    // SAFETY: a stream of the primary context; it is dropped after all that is made for it here.
    let on_stream = unsafe { Stream::from_raw(&device, stream.cu_stream() as u64)? };
    let device = device.on(&on_stream)?;
    let mut workspace = Workspace::new(&device);
    workspace.reserve(device.sort_scratch_bytes::<u32>(COUNT)?)?;
    {
        // What cudarc queued on the buffer is ordered before the stream; the guard, dropped once the sort is queued, tells
        // cudarc to order what it does next behind it.
        let (address, _guard) = buffer.device_ptr_mut(&stream);
        // SAFETY: the buffer holds COUNT keys, is borrowed exclusively, and outlives the work on it.
        let mut view = unsafe { DeviceSliceMut::<u32>::from_raw(&device, address, COUNT)? };
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
