//! Work captured once and launched many times.
use super::Device;
use super::backend::Capturing;
use super::queue::Allocation;
use super::stream::Stream;
use crate::error::{Error, Result};
use gridsort_kernels::simt::{Arg, Kernel};
use std::fmt::Debug;
use std::sync::Arc;

/// A graph: operations captured once, to be launched any number of times without the cost of queueing each of their
/// kernels. On a GPU a CUDA graph; the emulator records the launches and runs them again.
///
/// It keeps the memory that its work uses, so it may outlive the buffers and workspaces it was captured with. A launch
/// works on what that memory holds then, and like any operation waits for the streams that used it last.
///
/// ```
/// use gridsort::{Device, Graph, SortOptions, Workspace};
///
/// let device = Device::emulator();
/// let mut keys = device.upload(&[3u32, 1, 2])?;
/// let mut workspace = Workspace::new(&device);
/// workspace.reserve(device.sort_scratch_bytes::<u32>(keys.len())?)?;
/// device.prepare::<u32>(0)?;
/// let graph = Graph::capture(&device, |device| device.sort_buffer(&mut keys, &mut workspace, SortOptions::new()))?;
/// assert_eq!(keys.to_vec()?, [3, 1, 2]); // captured, not run
/// graph.launch(&device)?;
/// assert_eq!(keys.to_vec()?, [1, 2, 3]);
/// keys.copy_from_slice(&[9, 8, 7])?;
/// graph.launch(&device)?;
/// assert_eq!(keys.to_vec()?, [7, 8, 9]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Debug)]
pub struct Graph {
    // Before the memory and the device: what was captured goes first.
    work: Captured,
    held: Vec<Arc<Allocation>>,
    device: Device,
}

#[derive(Debug)]
enum Captured {
    Steps(Vec<Step>),
    Native(Box<dyn NativeGraph>),
}

/// A step of a graph on a device that runs all work at once.
#[derive(Debug)]
pub(crate) enum Step {
    Launch { kernel: &'static Kernel, grid: u32, args: Vec<Arg> },
    Copy { source: u64, destination: u64, bytes: usize },
}

/// A graph as a driver captured it.
pub(crate) trait NativeGraph: Debug + Send + Sync {
    /// Queues its work on a stream.
    ///
    /// # Safety
    /// The memory that it was captured with is still there.
    unsafe fn launch(&self, stream: super::queue::RawStream) -> Result<()>;
}

impl Graph {
    /// Captures the operations that `work` does on the handle it is given. They are not run.
    ///
    /// Nothing in `work` may allocate, copy from or to the host, or wait on that handle: workspaces are reserved
    /// beforehand ([`Device::sort_scratch_bytes`] says how much), and [`Device::prepare`] has loaded the kernels. What is
    /// done on other handles is done at once, and not part of the graph.
    ///
    /// ```
    /// use gridsort::{Device, Error, Graph};
    ///
    /// let result = Graph::capture(&Device::emulator(), |device| device.synchronize());
    /// assert!(matches!(result, Err(Error::NotSupported { .. })));
    /// ```
    ///
    /// # Errors
    /// What `work` returns; [`Error::NotSupported`] on the CPU; what the driver says of the captured work.
    pub fn capture(device: &Device, work: impl FnOnce(&Device) -> Result<()>) -> Result<Graph> {
        // A stream of its own: nothing else can be queued on it, and it goes where the capture fails.
        let stream = Stream::new(device)?;
        let handle = stream.device();
        let native = match device.backend().begin_capture(stream.raw())? {
            Capturing::Native => true,
            Capturing::Steps => false,
        };
        *handle.queue.capture() = Some(super::queue::Capture { native, ..Default::default() });
        let done = work(handle);
        let capture = handle.queue.capture().take().unwrap_or_default();
        // Ended even where the work failed, so that the stream can go; then its error is the one that tells more.
        let graph = native.then(|| device.backend().end_capture(stream.raw()));
        done?;
        let work = match graph {
            Some(graph) => Captured::Native(graph?),
            None => Captured::Steps(capture.steps),
        };
        Ok(Graph { work, held: capture.held, device: device.clone() })
    }

    /// Queues the graph's work on the handle's stream.
    ///
    /// ```
    /// use gridsort::{Device, Graph, Stream};
    ///
    /// let device = Device::emulator();
    /// let graph = Graph::capture(&device, |_| Ok(()))?;
    /// graph.launch(&device.on(&Stream::new(&device)?)?)?;
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DeviceMismatch`], [`Error::NotSupported`] where the handle captures a graph itself, and what goes wrong
    /// on the device.
    pub fn launch(&self, device: &Device) -> Result<()> {
        if device != &self.device {
            return Err(Error::DeviceMismatch { what: "the graph" });
        }
        device.not_while_capturing("launch a graph while it captures one")?;
        let _claims = device.claim(self.held.iter().map(Some))?;
        match &self.work {
            // SAFETY: the graph holds all memory that its work uses.
            Captured::Native(graph) => unsafe { graph.launch(device.queue.raw()) },
            Captured::Steps(steps) => steps.iter().try_for_each(|step| match step {
                // SAFETY: as when it was captured, and the graph holds all memory that its work uses.
                Step::Launch { kernel, grid, args } => unsafe { device.run(kernel, *grid, args) },
                // SAFETY: likewise.
                &Step::Copy { source, destination, bytes } => unsafe { device.copy(source, destination, bytes) },
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::SortOptions;
    use crate::workspace::Workspace;

    #[test]
    fn a_graph_outlives_its_buffers() {
        let device = Device::emulator();
        let mut keys = device.upload(&[2u32, 1]).unwrap();
        let mut workspace = Workspace::new(&device);
        let graph = Graph::capture(&device, |device| device.sort_buffer(&mut keys, &mut workspace, SortOptions::new()))
            .unwrap();
        drop((keys, workspace));
        graph.launch(&device).unwrap();
    }

    #[test]
    fn captured_work_neither_allocates_nor_waits() {
        let device = Device::emulator();
        let mut keys = device.upload(&(0..10_000).rev().collect::<Vec<u32>>()).unwrap();
        let mut workspace = Workspace::new(&device);
        let error = Graph::capture(&device, |device| device.sort_buffer(&mut keys, &mut workspace, SortOptions::new()))
            .unwrap_err();
        assert!(matches!(error, Error::ScratchTooSmall { found: 0, .. }), "{error}");
        let allocate = Graph::capture(&device, |device| device.allocate::<u32>(1).map(drop));
        assert!(matches!(allocate, Err(Error::NotSupported { .. })));
        let record = Graph::capture(&device, |device| device.record().map(drop));
        assert!(matches!(record, Err(Error::NotSupported { .. })));
        assert!(matches!(Graph::capture(&Device::cpu(), |_| Ok(())), Err(Error::NotSupported { .. })));
        assert!(Graph::capture(&device, |_| Ok(())).unwrap().launch(&Device::emulator()).is_err());
    }
}
