//! Events: points in the order of work of a GPU's streams.
use super::context::Held;
use super::status::check;
use super::stream_of;
use crate::device::queue::RawStream;
use crate::error::Result;
use cust::sys;
use std::ptr;
use std::sync::Arc;

/// An event on a stream of a GPU.
#[derive(Debug)]
pub(crate) struct CudaMark {
    event: sys::CUevent,
    context: Arc<Held>,
}

// SAFETY: a handle into a context, which the driver lets any thread use once the context is current there.
unsafe impl Send for CudaMark {}
// SAFETY: as above; nothing is changed through a shared reference once it is recorded.
unsafe impl Sync for CudaMark {}

impl CudaMark {
    /// Records an event. The context is current.
    pub(super) fn record(stream: RawStream, context: &Arc<Held>) -> Result<Self> {
        let event = create(sys::CUevent_flags::CU_EVENT_DEFAULT)?;
        let mark = Self { event, context: context.clone() };
        // SAFETY: an event and a stream of the current context.
        check("cuEventRecord", unsafe { sys::cuEventRecord(event, stream_of(stream)) })?;
        Ok(mark)
    }

    pub(in crate::device) fn elapsed_ms_since(&self, earlier: &CudaMark) -> Result<f64> {
        self.context.make_current()?;
        let mut milliseconds = 0.0;
        for event in [earlier.event, self.event] {
            // SAFETY: an event of the current context.
            check("cuEventSynchronize", unsafe { sys::cuEventSynchronize(event) })?;
        }
        // SAFETY: two events of the current context, and a place for the driver to write to.
        let result = unsafe { sys::cuEventElapsedTime(&mut milliseconds, earlier.event, self.event) };
        check("cuEventElapsedTime", result).map(|()| f64::from(milliseconds))
    }
}

impl Drop for CudaMark {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: made by `record`, and destroyed once.
            let _ = unsafe { sys::cuEventDestroy_v2(self.event) };
        }
    }
}

/// A new event of the current context.
fn create(flags: sys::CUevent_flags) -> Result<sys::CUevent> {
    let mut event = ptr::null_mut();
    // SAFETY: a place for the driver to write to.
    check("cuEventCreate", unsafe { sys::cuEventCreate(&mut event, flags as u32) })?;
    Ok(event)
}

/// Makes what is queued on a stream from here on wait for all queued on another so far. The context is current.
pub(super) fn wait(stream: RawStream, before: RawStream) -> Result<()> {
    let event = create(sys::CUevent_flags::CU_EVENT_DISABLE_TIMING)?;
    // SAFETY: the event just made and two streams of the current context. The driver keeps a destroyed event until the
    // work that waits for it has.
    let (recorded, waiting, destroyed) = unsafe {
        let recorded = sys::cuEventRecord(event, stream_of(before));
        let waiting = sys::cuStreamWaitEvent(stream_of(stream), event, 0);
        (recorded, waiting, sys::cuEventDestroy_v2(event))
    };
    check("cuEventRecord", recorded)?;
    check("cuStreamWaitEvent", waiting)?;
    check("cuEventDestroy", destroyed)
}
