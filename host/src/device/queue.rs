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

/// Memory of a device, and the streams that used it last. Freed with the last handle to it.
#[derive(Debug)]
pub(crate) struct Allocation {
    backend: Arc<dyn Backend>,
    address: u64,
    bytes: usize,
    /// Whether the memory is freed with this; false for memory of someone else's.
    owned: bool,
    uses: Mutex<Vec<Use>>,
}

/// A stream whose work on a piece of memory later work must wait for.
#[derive(Debug)]
struct Use {
    queue: Arc<Queue>,
    /// Operations that claimed the memory on this stream and are still queuing their work.
    queuing: usize,
}

/// Memory that one operation is queuing work on; it must be kept until all of it is queued.
///
/// Several threads may read one buffer at once, or write parts of one, each on a stream of its own. What a claim waits
/// for is what was queued by then; the work of an operation that had only begun to queue it comes later. So that is
/// remembered until another claim has waited for all of it.
#[derive(Debug)]
pub(crate) struct Claims {
    queue: Arc<Queue>,
    claimed: Vec<Arc<Allocation>>,
}

impl Claims {
    pub(super) fn new(queue: &Arc<Queue>) -> Self {
        Self { queue: queue.clone(), claimed: Vec::new() }
    }

    /// Makes work that is queued from here on wait for all work on the streams that used this memory last. So buffers and
    /// workspaces may go from stream to stream without a thought; and what a captured graph uses lives as long as it.
    pub(super) fn add(&mut self, memory: &Arc<Allocation>) -> Result<()> {
        if let Some(capture) = self.queue.capture().as_mut() {
            // Nothing runs now; a launch of the graph claims its memory anew.
            if !capture.held.iter().any(|held| Arc::ptr_eq(held, memory)) {
                capture.held.push(memory.clone());
            }
            return Ok(());
        }
        memory.claim(&self.queue)?;
        self.claimed.push(memory.clone());
        Ok(())
    }
}

impl Drop for Claims {
    fn drop(&mut self) {
        self.claimed.iter().for_each(|memory| memory.queued(&self.queue));
    }
}

impl Allocation {
    pub(super) fn new(backend: Arc<dyn Backend>, address: u64, bytes: usize, owned: bool) -> Arc<Self> {
        Arc::new(Self { backend, address, bytes, owned, uses: Mutex::default() })
    }

    fn claim(&self, queue: &Arc<Queue>) -> Result<()> {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        for before in uses.iter().filter(|before| before.queue.raw != queue.raw) {
            self.backend.wait(queue.raw, before.queue.raw)?;
        }
        uses.retain(|before| before.queue.raw == queue.raw || before.queuing > 0);
        match uses.iter_mut().find(|before| before.queue.raw == queue.raw) {
            Some(mine) => mine.queuing += 1,
            None => uses.push(Use { queue: queue.clone(), queuing: 1 }),
        }
        Ok(())
    }

    /// An operation has queued all its work.
    fn queued(&self, queue: &Arc<Queue>) {
        let mut uses = self.uses.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(mine) = uses.iter_mut().find(|mine| mine.queue.raw == queue.raw) {
            mine.queuing = mine.queuing.saturating_sub(1);
        }
    }
}

impl Drop for Allocation {
    fn drop(&mut self) {
        if !self.owned {
            return;
        }
        // Work that may still use the memory ends first; each stream that used it waited for those before, but for those
        // that are still in the list. Where the device is lost, so is the memory: there is nothing left to do or to
        // report.
        for last in self.uses.get_mut().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let _ = self.backend.synchronize(last.queue.raw);
        }
        // SAFETY: allocated with this size, freed only here, and used by no work that has not ended.
        unsafe { self.backend.free(self.address, self.bytes) }
    }
}

#[cfg(test)]
mod tests;
