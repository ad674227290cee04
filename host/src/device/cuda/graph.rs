//! Graphs as the CUDA driver captures them.
use super::context::Held;
use super::status::check;
use crate::device::graph::NativeGraph;
use crate::device::queue::RawStream;
use crate::error::Result;
use cust::sys;
use std::ptr;
use std::sync::Arc;

/// A graph ready to be launched.
#[derive(Debug)]
pub(super) struct CudaGraph {
    executable: sys::CUgraphExec,
    context: Arc<Held>,
}

// SAFETY: a handle into a context, which the driver lets any thread use once the context is current there.
unsafe impl Send for CudaGraph {}
// SAFETY: a launch takes the handle only; launches of one graph from several threads are ordered by the driver.
unsafe impl Sync for CudaGraph {}

/// Starts to capture what is queued on a stream. Relaxed: what other streams and threads do meanwhile is theirs.
pub(super) fn begin(stream: RawStream) -> Result<()> {
    let mode = sys::CUstreamCaptureMode::CU_STREAM_CAPTURE_MODE_RELAXED;
    // SAFETY: a stream of the current context that nothing else uses.
    check("cuStreamBeginCapture", unsafe { sys::cuStreamBeginCapture_v2(super::stream_of(stream), mode) })
}

/// Ends the capture and makes the graph ready.
pub(super) fn end(stream: RawStream, context: &Arc<Held>) -> Result<CudaGraph> {
    let mut graph = ptr::null_mut();
    // SAFETY: the stream that the capture began on, and a place for the driver to write to.
    check("cuStreamEndCapture", unsafe { sys::cuStreamEndCapture(super::stream_of(stream), &mut graph) })?;
    let mut executable = ptr::null_mut();
    // SAFETY: the graph just captured; it is destroyed below, and what is made of it does not need it.
    let made = unsafe { sys::cuGraphInstantiateWithFlags(&mut executable, graph, 0) };
    // SAFETY: as above. A failure would leave nothing to do.
    let _ = unsafe { sys::cuGraphDestroy(graph) };
    check("cuGraphInstantiateWithFlags", made)?;
    Ok(CudaGraph { executable, context: context.clone() })
}

impl NativeGraph for CudaGraph {
    unsafe fn launch(&self, stream: RawStream) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: a graph of this context; its memory is the caller's promise.
        check("cuGraphLaunch", unsafe { sys::cuGraphLaunch(self.executable, super::stream_of(stream)) })
    }
}

impl Drop for CudaGraph {
    fn drop(&mut self) {
        if self.context.make_current().is_ok() {
            // SAFETY: made by `end` and destroyed once; launches in flight are finished by the driver first.
            let _ = unsafe { sys::cuGraphExecDestroy(self.executable) };
        }
    }
}
