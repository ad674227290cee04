//! The emulator as a device: the kernels themselves, thread by thread on the CPU, with every access checked.
use super::backend::{Capturing, check_launch};
use super::queue::RawStream;
use super::{Backend, DeviceKind, MemoryInfo, event::Mark, host};
use crate::error::{Error, LaunchProblem, Result};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::simt::emulator::{self, Config, Launch, LaunchError};
use gridsort_kernels::simt::{Arg, Kernel};
use std::time::Instant;

const NAME: &str = "emulator";

/// How an emulated device behaves.
///
/// ```
/// use gridsort::{Device, EmulatorOptions, SortOptions, Tiles};
///
/// // A few hundred keys reach many tiles and several merge passes.
/// let device = Device::emulator_with(EmulatorOptions { tiles: Tiles::Small, ..Default::default() });
/// let mut keys: Vec<u32> = (0..500).rev().collect();
/// device.sort(&mut keys, SortOptions::new())?;
/// assert!(keys.is_sorted());
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct EmulatorOptions {
    /// The machine: its checks, schedule, threads.
    pub config: Config,
    /// The kernels' tiles: the GPU's, or tiny ones.
    pub tiles: Tiles,
}

#[derive(Debug)]
pub(crate) struct Emulator {
    options: EmulatorOptions,
}

impl Emulator {
    pub(crate) fn new(options: EmulatorOptions) -> Self {
        Self { options }
    }
}

impl Backend for Emulator {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Emulator
    }

    fn name(&self) -> &str {
        NAME
    }

    fn tiles(&self) -> Option<Tiles> {
        Some(self.options.tiles)
    }

    fn memory(&self) -> Result<MemoryInfo> {
        host::memory().ok_or(Error::NotSupported { device: NAME.into(), what: "tell its free memory" })
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        emulator::allocate(bytes).ok_or_else(|| Error::OutOfMemory {
            device: NAME.into(),
            needed: bytes as u64,
            free: host::memory().map(|memory| memory.free),
        })
    }

    unsafe fn free(&self, address: u64, _bytes: usize) {
        // SAFETY: one of `allocate`'s addresses, freed once, as the caller promises.
        unsafe { emulator::free(address) }
    }

    unsafe fn upload(&self, _: RawStream, address: u64, bytes: &[u8]) -> Result<()> {
        // SAFETY: within one allocation, as the caller promises.
        unsafe { emulator::write(address, bytes) };
        Ok(())
    }

    unsafe fn download(&self, _: RawStream, address: u64, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: within one allocation, as the caller promises.
        unsafe { emulator::read(address, bytes) };
        Ok(())
    }

    unsafe fn copy(&self, _: RawStream, source: u64, destination: u64, bytes: usize) -> Result<()> {
        // SAFETY: within allocations and without overlap, as the caller promises.
        unsafe { emulator::copy(source, destination, bytes) };
        Ok(())
    }

    unsafe fn launch(&self, _: RawStream, kernel: &'static Kernel, grid: u32, args: &[Arg]) -> Result<()> {
        check_launch(kernel, grid, args)?;
        let launch = Launch { grid, block: kernel.threads, shared_bytes: kernel.shared_bytes };
        emulator::launch(kernel, launch, args, &self.options.config).map_err(|error| match error {
            LaunchError::Fault(fault) => Error::Kernel(Box::new(fault)),
            other => {
                let problem = LaunchProblem::Shape { reason: other.to_string() };
                Error::Launch { kernel: kernel.name, problem }
            }
        })
    }

    fn begin_capture(&self, _: RawStream) -> Result<Capturing> {
        Ok(Capturing::Steps)
    }

    fn synchronize(&self, _: RawStream) -> Result<()> {
        Ok(())
    }

    fn record(&self, _: RawStream) -> Result<Mark> {
        Ok(Mark::Host(Instant::now()))
    }
}
