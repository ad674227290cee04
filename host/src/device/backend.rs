//! What a device must be able to do: the one trait that orchestration is written against.
use super::{DeviceKind, MemoryInfo, event::Mark};
use crate::error::{Error, LaunchProblem, Result};
use crate::plan::MAX_GRID;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::simt::{Arg, Kernel};
use std::fmt::Debug;

/// A device. Addresses are the device's own and opaque to the caller; 0 is never an allocation's.
///
/// Launches and copies happen in the order of the calls. A copy from or to the host has ended when the call returns;
/// launches and copies within the device need not have.
pub(crate) trait Backend: Debug + Send + Sync {
    fn kind(&self) -> DeviceKind;

    fn name(&self) -> &str;

    /// The tiles that kernels on this device have, or `None` where it runs no kernels.
    fn tiles(&self) -> Option<Tiles>;

    fn memory(&self) -> Result<MemoryInfo>;

    /// Allocates `bytes` > 0 bytes at a multiple of [`crate::plan::ALIGNMENT`].
    fn allocate(&self, bytes: usize) -> Result<u64>;

    /// # Safety
    /// `address` and `bytes` are those of one [`Backend::allocate`], freed only once and used no more.
    unsafe fn free(&self, address: u64, bytes: usize);

    /// # Safety
    /// `bytes.len()` bytes at `address` lie within one allocation.
    unsafe fn upload(&self, address: u64, bytes: &[u8]) -> Result<()>;

    /// # Safety
    /// `bytes.len()` bytes at `address` lie within one allocation.
    unsafe fn download(&self, address: u64, bytes: &mut [u8]) -> Result<()>;

    /// # Safety
    /// `bytes` bytes at both addresses lie within allocations and do not overlap.
    unsafe fn copy(&self, source: u64, destination: u64, bytes: usize) -> Result<()>;

    /// Starts a kernel on `grid` blocks of its own size.
    ///
    /// # Safety
    /// What the kernel demands of its arguments; their number and kinds are checked.
    unsafe fn launch(&self, kernel: &'static Kernel, grid: u32, args: &[Arg]) -> Result<()>;

    /// Waits for everything launched so far and reports what went wrong in it.
    fn synchronize(&self) -> Result<()>;

    /// Marks this point in the order of work.
    fn record(&self) -> Result<Mark>;

    #[cfg(feature = "cuda")]
    fn cuda_info(&self) -> Option<&super::CudaInfo> {
        None
    }
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
