//! Fetching payloads by position, where positions were what moved with the keys.
use crate::device::Device;
use crate::error::{Error, Result};
use crate::key::PayloadWidth;
use crate::plan::{MAX_PAYLOAD, grid};
use gridsort_kernels::entry::gather::gather_kernel;
use gridsort_kernels::simt::Arg;

/// Where elements are fetched from.
pub(crate) enum Source {
    /// One array.
    One(u64),
    /// Two arrays, and how many elements the first one has: positions are counted on in the second.
    Two(u64, u64, u64),
    /// One array, how many elements it has, and where to note the first position that is none of them, or 0: such a position
    /// gives zeros.
    Checked(u64, u64, u64),
    /// The payloads of the inputs that a table names, and how many inputs it has.
    Many(u64, u32),
}

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
    pub(crate) from: Source,
    /// Where the fetched elements go.
    pub(crate) target: u64,
}

impl Gather {
    /// Launches the fetch.
    ///
    /// # Safety
    /// `positions` are `n` positions below the elements of all sources together, or any where these are checked; `target` has
    /// room for `n` elements and overlaps nothing that is read. All are claimed memory of the device, aligned as views of elements of this size
    /// are.
    pub(crate) unsafe fn launch(&self, device: &Device) -> Result<()> {
        let size = Error::PayloadSize { bytes: self.bytes, limit: MAX_PAYLOAD };
        let gather = gather_kernel(self.bytes, self.width == PayloadWidth::W64).ok_or(size)?;
        let grid = grid("fetch by position", self.n, gather.kernel.threads)?;
        let (a, b, [a_len, b_len], table, count, stray) = match self.from {
            Source::One(source) => (source, source, [self.n, 0], 0, 0, 0),
            Source::Checked(source, len, stray) => (source, source, [len, 0], 0, 0, stray),
            // Merged elements are those of both.
            Source::Two(a, b, a_len) => (a, b, [a_len, self.n.saturating_sub(a_len)], 0, 0, 0),
            Source::Many(table, count) => (0, 0, [0, 0], table, count, 0),
        };
        let [positions, a, b, target, table, stray] =
            [self.positions, a, b, self.target, table, stray].map(Arg::Address);
        let [n, a_len, b_len] = [self.n, a_len, b_len].map(Arg::U64);
        let (units, count) = (Arg::U32(gather.units), Arg::U32(count));
        // SAFETY: the grid covers n elements; the rest is the caller's promise.
        unsafe {
            device.run(gather.kernel, grid, &[positions, a, b, target, n, a_len, b_len, units, table, count, stray])
        }
    }
}
