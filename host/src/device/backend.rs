//! What a device must be able to do: the one trait that orchestration is written against.
use super::graph::NativeGraph;
use super::queue::RawStream;
use super::{DeviceKind, KernelModule, MemoryInfo, event::Mark};
use crate::error::{Error, LaunchProblem, Result};
use crate::plan::MAX_GRID;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::simt::{Arg, Kernel};
use std::fmt::Debug;

/// A device. Addresses are the device's own and opaque to the caller; 0 is never an allocation's.
///
/// Launches and copies happen in the order of the calls on one stream. A copy from or to the host has ended when the call
/// returns; launches and copies within the device need not have.
pub(crate) trait Backend: Debug + Send + Sync {
    fn kind(&self) -> DeviceKind;

    fn name(&self) -> &str;

    /// The tiles that kernels on this device have, or `None` where it runs no kernels.
    fn tiles(&self) -> Option<Tiles>;

    fn memory(&self) -> Result<MemoryInfo>;

    /// Allocates `bytes` > 0 bytes at a multiple of [`crate::plan::ALIGNMENT`].
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// # Safety
    /// `address` and `bytes` are those of one [`Backend::allocate`], freed only once; no work uses them any more.
    unsafe fn free(&self, address: u64, bytes: usize);

    /// # Safety
    /// `bytes.len()` bytes at `address` lie within one allocation.
    unsafe fn upload(&self, stream: RawStream, address: u64, bytes: &[u8]) -> Result<()>;

    /// # Safety
    /// `bytes.len()` bytes at `address` lie within one allocation.
    unsafe fn download(&self, stream: RawStream, address: u64, bytes: &mut [u8]) -> Result<()>;

    /// # Safety
    /// `bytes` bytes at both addresses lie within allocations and do not overlap.
    unsafe fn copy(&self, stream: RawStream, source: u64, destination: u64, bytes: usize) -> Result<()>;

    /// Starts a kernel on `grid` blocks of its own size.
    ///
    /// # Safety
    /// What the kernel demands of its arguments; their number and kinds are checked.
    unsafe fn launch(&self, stream: RawStream, kernel: &'static Kernel, grid: u32, args: &[Arg]) -> Result<()>;

    /// Loads kernels, so that their first launch does not have to.
    fn prepare(&self, _kernels: &[&'static Kernel]) -> Result<()> {
        Ok(())
    }

    /// Tells it where to find kernels that are not gridsort's own.
    fn register(&self, _kernels: &mut dyn Iterator<Item = &'static Kernel>, _modules: &'static [KernelModule]) {}

    /// Waits for everything queued on a stream so far and reports what went wrong in it.
    fn synchronize(&self, stream: RawStream) -> Result<()>;

    /// Marks this point in a stream's order of work.
    fn record(&self, stream: RawStream) -> Result<Mark>;

    /// Whether there is more than one stream.
    fn has_streams(&self) -> bool {
        false
    }

    /// The device's own stream, there as long as the device.
    fn stream(&self) -> RawStream {
        0
    }

    /// A new stream.
    fn create_stream(&self) -> Result<RawStream> {
        Ok(0)
    }

    /// # Safety
    /// The stream is one of [`Backend::create_stream`], destroyed only once and used no more.
    unsafe fn destroy_stream(&self, _stream: RawStream) {}

    /// Makes work queued on `stream` from here on wait for all queued on `before` so far.
    fn wait(&self, _stream: RawStream, _before: RawStream) -> Result<()> {
        Ok(())
    }

    /// Starts to capture a graph on a stream that nothing else uses.
    fn begin_capture(&self, _stream: RawStream) -> Result<Capturing> {
        Err(Error::NotSupported { device: self.name().into(), what: "capture a graph" })
    }

    /// Ends a capture that began as [`Capturing::Native`].
    fn end_capture(&self, _stream: RawStream) -> Result<Box<dyn NativeGraph>> {
        Err(Error::NotSupported { device: self.name().into(), what: "capture a graph" })
    }

    #[cfg(feature = "cuda")]
    fn cuda_info(&self) -> Option<&super::CudaInfo> {
        None
    }
}

/// Who captures a graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Capturing {
    #[cfg_attr(not(feature = "cuda"), allow(dead_code, reason = "only GPUs have a driver"))]
    /// The device's driver: launches on the stream are taken in instead of being run.
    Native,
    /// The handle: it records steps instead of passing them on.
    Steps,
}

/// Holds a launch against its kernel before anything runs.
pub(crate) fn check_launch(kernel: &'static Kernel, grid: u32, args: &[Arg]) -> Result<()> {
    let problem = |problem| Err(Error::Launch { kernel: kernel.name, problem });
    if grid == 0 || grid > MAX_GRID {
        return problem(LaunchProblem::Grid { grid, limit: MAX_GRID });
    }
    if args.len() != kernel.params.len() {
        return problem(LaunchProblem::Count { expected: kernel.params.len(), found: args.len() });
    }
    for (position, (arg, &expected)) in args.iter().zip(kernel.params).enumerate() {
        if arg.kind() != expected {
            return problem(LaunchProblem::Kind { position, expected, found: arg.kind() });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use gridsort_kernels::simt::ParamKind;

    unsafe fn nothing(_: &[Arg]) {}

    static KERNEL: Kernel = Kernel {
        name: "test",
        module: "test",
        threads: 32,
        min_blocks: 0,
        barriers: 0,
        shared_bytes: 0,
        params: &[ParamKind::Address, ParamKind::U64],
        run: nothing,
    };

    fn problem(grid: u32, args: &[Arg]) -> LaunchProblem {
        match check_launch(&KERNEL, grid, args) {
            Err(Error::Launch { kernel: "test", problem }) => problem,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn launches_are_held_against_the_kernel() {
        let args = [Arg::Address(0), Arg::U64(1)];
        assert!(check_launch(&KERNEL, 1, &args).is_ok());
        assert!(check_launch(&KERNEL, MAX_GRID, &args).is_ok());
        assert!(matches!(problem(0, &args), LaunchProblem::Grid { .. }));
        assert!(matches!(problem(MAX_GRID + 1, &args), LaunchProblem::Grid { .. }));
        assert_eq!(problem(1, &args[..1]), LaunchProblem::Count { expected: 2, found: 1 });
        assert_eq!(
            problem(1, &[args[0], Arg::U32(1)]),
            LaunchProblem::Kind { position: 1, expected: ParamKind::U64, found: ParamKind::U32 }
        );
    }
}
