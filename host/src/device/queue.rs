//! Orders of work: streams of a device, and what keeps work on several of them apart.
use super::Backend;
use super::graph::Step;
use crate::error::Result;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A stream as the device's backend knows it: a driver's handle, or 0 where there is only one order of work.
pub(crate) type RawStream = u64;

/// A stream, and the graph that is being captured on it, if any.
#[derive(Debug)]
pub(crate) struct Queue {
    backend: Arc<dyn Backend>,
    raw: RawStream,
    /// Whether the stream is destroyed with this.
    owned: bool,
    capture: Mutex<Option<Capture>>,
}

/// What a graph that is being captured has taken in so far.
#[derive(Debug, Default)]
pub(crate) struct Capture {
    /// The memory its work uses, kept as long as the graph.
    pub(super) held: Vec<Arc<Allocation>>,
    /// Its work, on devices that do not capture themselves.
    pub(super) steps: Vec<Step>,
    /// Whether the device captures by itself.
    pub(super) native: bool,
}

impl Capture {
    /// Where steps are recorded, on devices that do not capture themselves.
    pub(super) fn steps(&mut self) -> Option<&mut Vec<Step>> {
        (!self.native).then_some(&mut self.steps)
    }
}

impl Queue {
    pub(super) fn new(backend: Arc<dyn Backend>, raw: RawStream, owned: bool) -> Arc<Self> {
        Arc::new(Self { backend, raw, owned, capture: Mutex::new(None) })
    }

    pub(super) fn raw(&self) -> RawStream {
        self.raw
    }

    /// The capture in progress. What it holds is whole even where a thread panicked with it locked.
    pub(super) fn capture(&self) -> MutexGuard<'_, Option<Capture>> {
        self.capture.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Queue {
    fn drop(&mut self) {
        if self.owned {
            // SAFETY: made by the backend and destroyed only here; nothing holds the queue any more.
            unsafe { self.backend.destroy_stream(self.raw) }
        }
    }
}

/// Memory of a device, and the stream that used it last. Freed with the last handle to it.
#[derive(Debug)]
pub(crate) struct Allocation {
    backend: Arc<dyn Backend>,
    address: u64,
    bytes: usize,
    /// Whether the memory is freed with this; false for memory of someone else's.
    owned: bool,
    last: Mutex<Option<Arc<Queue>>>,
}

impl Allocation {
    pub(super) fn new(backend: Arc<dyn Backend>, address: u64, bytes: usize, owned: bool) -> Arc<Self> {
        Arc::new(Self { backend, address, bytes, owned, last: Mutex::new(None) })
    }

    /// Makes work that is queued from here on wait for all work on the stream that used this memory last. So buffers and
    /// workspaces may go from stream to stream without a thought; and what a captured graph uses lives as long as it.
    pub(super) fn claim(self: &Arc<Self>, queue: &Arc<Queue>) -> Result<()> {
        if let Some(capture) = queue.capture().as_mut() {
            // Nothing runs now; a launch of the graph claims its memory anew.
            if !capture.held.iter().any(|held| Arc::ptr_eq(held, self)) {
                capture.held.push(self.clone());
            }
            return Ok(());
        }
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(before) = &*last
            && before.raw != queue.raw
        {
            self.backend.wait(queue.raw, before.raw)?;
        }
        *last = Some(queue.clone());
        Ok(())
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        // Work that may still use the memory ends first; each stream that used it waited for the one before. Where the
        // device is lost, so is the memory: there is nothing left to do or to report.
        if let Some(last) = self.last.get_mut().unwrap_or_else(PoisonError::into_inner).take() {
            let _ = self.backend.synchronize(last.raw);
        }
        // SAFETY: allocated with this size, freed only here, and used by no work that has not ended.
        unsafe { self.backend.free(self.address, self.bytes) }
    }
}
