//! An emulated device that runs out of memory or fails a launch when told to, to test what is left behind; and that has
//! streams, as far as it keeps a log of what is queued on which.
use super::emulator::Emulator;
use super::queue::RawStream;
use super::{Backend, Device, DeviceKind, EmulatorOptions, MemoryInfo, event::Mark};
use crate::error::{Error, LaunchProblem, Result};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::simt::{Arg, Kernel};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

/// What the device does wrong, and what it holds.
#[derive(Debug)]
pub(crate) struct Failures {
    /// Bytes of its memory.
    capacity: AtomicU64,
    /// Bytes allocated.
    held: AtomicU64,
    /// Launches until one fails.
    launches_left: AtomicU64,
    /// Streams made.
    streams: AtomicU64,
    log: Mutex<Vec<Queued>>,
}

/// Something that was queued on a stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Queued {
    Launch(RawStream),
    /// The first stream waits for the second.
    Wait(RawStream, RawStream),
    /// The host waits.
    Synchronize(RawStream),
}

impl Failures {
    /// A device with tiny tiles, without failures so far.
    pub(crate) fn device() -> (Device, Arc<Self>) {
        let [capacity, launches_left] = [AtomicU64::new(u64::MAX), AtomicU64::new(u64::MAX)];
        let [held, streams] = [AtomicU64::new(0), AtomicU64::new(0)];
        let failures = Arc::new(Self { capacity, held, launches_left, streams, log: Mutex::default() });
        let options = EmulatorOptions { tiles: Tiles::Small, ..Default::default() };
        let inner = Emulator::new(options);
        (Device::new(Failing { inner, failures: failures.clone() }), failures)
    }

    pub(crate) fn set_capacity(&self, bytes: u64) {
        self.capacity.store(bytes, SeqCst);
    }

    pub(crate) fn fail_launch(&self, after: u64) {
        self.launches_left.store(after, SeqCst);
    }

    pub(crate) fn held(&self) -> u64 {
        self.held.load(SeqCst)
    }

    /// What was queued since the last call.
    pub(crate) fn take_log(&self) -> Vec<Queued> {
        std::mem::take(&mut self.log.lock().unwrap())
    }

    fn log(&self, queued: Queued) {
        self.log.lock().unwrap().push(queued);
    }
}

#[derive(Debug)]
struct Failing {
    inner: Emulator,
    failures: Arc<Failures>,
}

impl Backend for Failing {
    fn kind(&self) -> DeviceKind {
        self.inner.kind()
    }

    fn name(&self) -> &str {
        self.inner.name()
    }

    fn tiles(&self) -> Option<Tiles> {
        self.inner.tiles()
    }

    fn memory(&self) -> Result<MemoryInfo> {
        let total = self.failures.capacity.load(SeqCst);
        Ok(MemoryInfo { free: total - self.failures.held(), total })
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        let free = self.memory()?.free;
        if bytes as u64 > free {
            let device = self.name().into();
            return Err(Error::OutOfMemory { device, needed: bytes as u64, free: Some(free) });
        }
        self.failures.held.fetch_add(bytes as u64, SeqCst);
        self.inner.allocate(bytes)
    }

    unsafe fn free(&self, address: u64, bytes: usize) {
        self.failures.held.fetch_sub(bytes as u64, SeqCst);
        // SAFETY: as the caller promises.
        unsafe { self.inner.free(address, bytes) }
    }

    unsafe fn upload(&self, stream: RawStream, address: u64, bytes: &[u8]) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe { self.inner.upload(stream, address, bytes) }
    }

    unsafe fn download(&self, stream: RawStream, address: u64, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe { self.inner.download(stream, address, bytes) }
    }

    unsafe fn copy(&self, stream: RawStream, source: u64, destination: u64, bytes: usize) -> Result<()> {
        // SAFETY: as the caller promises.
        unsafe { self.inner.copy(stream, source, destination, bytes) }
    }

    unsafe fn launch(&self, stream: RawStream, kernel: &'static Kernel, grid: u32, args: &[Arg]) -> Result<()> {
        let left = self.failures.launches_left.load(SeqCst);
        if left == 0 {
            return Err(Error::Launch { kernel: kernel.name, problem: LaunchProblem::Missing });
        }
        self.failures.launches_left.store(left - 1, SeqCst);
        self.failures.log(Queued::Launch(stream));
        // SAFETY: as the caller promises.
        unsafe { self.inner.launch(stream, kernel, grid, args) }
    }

    fn synchronize(&self, stream: RawStream) -> Result<()> {
        self.failures.log(Queued::Synchronize(stream));
        self.inner.synchronize(stream)
    }

    fn has_streams(&self) -> bool {
        true
    }

    fn create_stream(&self) -> Result<RawStream> {
        Ok(self.failures.streams.fetch_add(1, SeqCst) + 1)
    }

    fn wait(&self, stream: RawStream, before: RawStream) -> Result<()> {
        self.failures.log(Queued::Wait(stream, before));
        Ok(())
    }

    fn record(&self, stream: RawStream) -> Result<Mark> {
        self.inner.record(stream)
    }
}
