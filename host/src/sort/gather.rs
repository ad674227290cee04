//! Fetching payloads by position, where positions were what moved with the keys.
use crate::device::Device;
use crate::error::{Error, Result};
use crate::key::PayloadWidth;
use crate::plan::{MAX_PAYLOAD, grid};
use gridsort_kernels::entry::gather::gather_kernel;
use gridsort_kernels::simt::Arg;

/// What is fetched, and from where to where.
pub(crate) struct Gather {
    /// Elements.
    pub(crate) n: u64,
    /// Bytes of an element.
    pub(crate) bytes: usize,
    /// Where the positions lie.
    pub(crate) positions: u64,
    /// Their width.
    pub(crate) width: PayloadWidth,
    /// Where the elements lie.
    pub(crate) source: u64,
    /// Where those lie whose positions are counted on from `source_len`.
    pub(crate) second: u64,
    /// Elements at `source`.
    pub(crate) source_len: u64,
    /// Where the fetched elements go.
    pub(crate) target: u64,
}

impl Gather {
    /// Launches the fetch.
    ///
    /// # Safety
    /// `positions` are `n` positions below the elements of both sources together, `target` has room for `n` elements and
    /// overlaps nothing that is read. All are claimed memory of the device, aligned as views of elements of this size
    /// are.
    pub(crate) unsafe fn launch(&self, device: &Device) -> Result<()> {
        let size = Error::PayloadSize { bytes: self.bytes, limit: MAX_PAYLOAD };
        let gather = gather_kernel(self.bytes, self.width == PayloadWidth::W64).ok_or(size)?;
        let grid = grid("fetch by position", self.n, gather.kernel.threads)?;
        let [positions, source, second, target] =
            [self.positions, self.source, self.second, self.target].map(Arg::Address);
        let (n, source_len, units) = (Arg::U64(self.n), Arg::U64(self.source_len), Arg::U32(gather.units));
        // SAFETY: the grid covers n elements; the rest is the caller's promise.
        unsafe { device.run(gather.kernel, grid, &[positions, source, second, target, n, source_len, units]) }
    }
}
