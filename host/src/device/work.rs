//! What operations do on a device: work on a handle's stream, run or, while a graph is captured, taken in.
use super::Device;
use super::backend::check_launch;
use super::graph::Step;
use super::queue::{Allocation, Claims};
use crate::error::{Error, Result};
use gridsort_kernels::simt::{Arg, Kernel};
use std::sync::Arc;

impl Device {
    /// Orders the work that follows behind all work that uses this memory on other streams. Every operation claims what
    /// what it reads and writes before it queues anything, and keeps the claims until it has queued all. Memory of no bytes
    /// is `None`.
    pub(crate) fn claim<'a>(&self, memory: impl IntoIterator<Item = Option<&'a Arc<Allocation>>>) -> Result<Claims> {
        let mut claims = Claims::new(&self.queue);
        memory.into_iter().flatten().try_for_each(|allocation| claims.add(allocation))?;
        Ok(claims)
    }

    /// Starts a kernel on `grid` blocks of its own size.
    ///
    /// # Safety
    /// What the kernel demands of its arguments; their number and kinds are checked. The memory is claimed.
    pub(crate) unsafe fn run(&self, kernel: &'static Kernel, grid: u32, args: &[Arg]) -> Result<()> {
        if let Some(steps) = self.queue.capture().as_mut().and_then(|capture| capture.steps()) {
            check_launch(kernel, grid, args)?;
            steps.push(Step::Launch { kernel, grid, args: args.to_vec() });
            return Ok(());
        }
        // SAFETY: as the caller promises.
        unsafe { self.backend.launch(self.queue.raw(), kernel, grid, args) }
    }

    /// Copies within the device's memory.
    ///
    /// # Safety
    /// `bytes` bytes at both addresses lie within allocations and do not overlap. The memory is claimed.
    pub(crate) unsafe fn copy(&self, source: u64, destination: u64, bytes: usize) -> Result<()> {
        if let Some(steps) = self.queue.capture().as_mut().and_then(|capture| capture.steps()) {
            steps.push(Step::Copy { source, destination, bytes });
            return Ok(());
        }
        // SAFETY: as the caller promises.
        unsafe { self.backend.copy(self.queue.raw(), source, destination, bytes) }
    }

    /// Copies from the host, and waits for it.
    ///
    /// # Safety
    /// `bytes.len()` bytes at `address` lie within one allocation. The memory is claimed.
    pub(crate) unsafe fn write(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.not_while_capturing("copy from the host while it captures a graph")?;
        // SAFETY: as the caller promises.
        unsafe { self.backend.upload(self.queue.raw(), address, bytes) }
    }

    /// Copies to the host, once all work before has succeeded, and waits for it.
    ///
    /// # Safety
    /// `bytes.len()` bytes at `address` lie within one allocation. The memory is claimed.
    pub(crate) unsafe fn read(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        // Work that failed shows here, before the slice is touched.
        self.synchronize()?;
        // SAFETY: as the caller promises.
        unsafe { self.backend.download(self.queue.raw(), address, bytes) }
    }

    /// Whether a graph is being captured on this handle: then nothing may be allocated, copied to the host or waited for.
    pub(crate) fn is_capturing(&self) -> bool {
        self.queue.capture().is_some()
    }

    pub(super) fn not_while_capturing(&self, what: &'static str) -> Result<()> {
        if self.is_capturing() {
            return Err(Error::NotSupported { device: self.name().into(), what });
        }
        Ok(())
    }
}
