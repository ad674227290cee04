//! Fetching bits: what applies an order to a validity bitmap.
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::plan::bits_grid;
use crate::sort::Index;
use gridsort_kernels::entry::nulls::null_kernels;
use gridsort_kernels::simt::Arg;
use rayon::prelude::*;

/// Bits of a bitmap from its bit `first` on, the lowest of each byte first.
#[derive(Clone, Copy)]
struct Bits<'a> {
    bytes: &'a [u8],
    first: usize,
}

impl Bits<'_> {
    fn len(&self) -> usize {
        self.bytes.len().saturating_mul(8).saturating_sub(self.first)
    }

    /// Bit `i`; not set where there is none.
    fn get(&self, i: usize) -> bool {
        i < self.len() && self.bytes[(self.first + i) / 8] >> ((self.first + i) % 8) & 1 != 0
    }

    /// Writes the bits at these positions; those behind them in the last byte are not set.
    fn gather<I: Index>(self, order: &[I], out: &mut [u8]) {
        out.par_iter_mut().zip(order.par_chunks(8)).for_each(|(out, positions)| {
            *out = positions.iter().enumerate().fold(0, |byte, (i, &p)| byte | u8::from(self.get(p.index())) << i);
        });
    }
}

/// What is fetched, and from where to where.
pub(crate) struct GatherBits {
    /// Bits to fetch.
    pub(crate) n: u64,
    /// Where the positions lie; 0: each its own.
    pub(crate) positions: u64,
    /// Whether they have 64 bits.
    pub(crate) wide: bool,
    /// Where the bitmap lies, which bit of it is the first, and how many there are from there on.
    pub(crate) from: (u64, u64, u64),
    /// Where the fetched bits go, and the bytes there.
    pub(crate) target: (u64, u64),
    /// Where the number of set bits of each tile goes; 0 where it is not wanted.
    pub(crate) counts: u64,
}

impl GatherBits {
    /// Launches the fetch.
    ///
    /// # Safety
    /// `positions` are `n` positions, any; there are as many bits as `from` says; `target` and `counts` have room, and overlap
    /// nothing else. All are claimed memory of the device.
    pub(crate) unsafe fn launch(&self, device: &Device) -> Result<()> {
        let (bytes, first, len) = self.from;
        let [positions, bytes, target, counts] = [self.positions, bytes, self.target.0, self.counts].map(Arg::Address);
        let [first, len, target_bytes, n] = [first, len, self.target.1, self.n].map(Arg::U64);
        let args = [positions, bytes, first, len, target, target_bytes, counts, n];
        // SAFETY: the grid has a warp for each tile of the bits; the rest is the caller's promise.
        unsafe { device.run(null_kernels(self.wide).gather_bits, bits_grid(self.n)?, &args) }
    }
}

impl Device {
    /// The bits at these positions, in host memory, as a new bitmap: bit `i` is bit `first + order[i]` of `bits`, the lowest of
    /// each byte first. What [`Device::gather`] is for values; the host fetches itself.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// assert_eq!(Device::best().gather_bits(&[0b110], 1, &[1u32, 0, 2])?, [0b011]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::PositionOutOfRange`] where the bitmap ends before, [`Error::OutOfMemory`].
    pub fn gather_bits<I: Index>(&self, bits: &[u8], first: usize, order: &[I]) -> Result<Vec<u8>> {
        let bits = Bits { bytes: bits, first };
        if let Some(at) = order.par_iter().position_first(|&position| position.index() >= bits.len()) {
            let (position, len) = (order[at].index() as u64, bits.len() as u64);
            return Err(Error::PositionOutOfRange { at: at as u64, position, len });
        }
        let mut out = host_vec(order.len().div_ceil(8))?;
        bits.gather(order, &mut out);
        Ok(out)
    }

    /// Fetches bits in the device's memory by position: what [`Device::gather_into`] is for values, for their validity bitmap.
    /// Bit `i` of `out` becomes bit `first + order[i]` of `bits`, the lowest of each byte first, and is not set where `bits` ends
    /// before: such a row is null. `out` has as many bytes as the bits need, and those behind the last one in its byte are
    /// not set.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// let device = Device::emulator();
    /// let (bits, order) = (device.upload(&[0b0000_0110u8])?, device.upload(&[1u64, 0, 2, 100])?);
    /// let mut out = device.allocate(1)?;
    /// device.gather_bits_into(&bits, 1, &order, &mut out)?;
    /// assert_eq!(out.to_vec()?, [0b0011]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`], [`Error::DeviceMismatch`], [`Error::Overlap`], [`Error::TooLarge`], all found before anything
    /// is written, and what goes wrong on the device.
    pub fn gather_bits_into<I: Index>(
        &self,
        bits: &DeviceSlice<'_, u8>,
        first: usize,
        order: &DeviceSlice<'_, I>,
        out: &mut DeviceSliceMut<'_, u8>,
    ) -> Result<()> {
        bits.check_device(self, "the bitmap")?;
        order.check_device(self, "the position buffer")?;
        out.check_device(self, "the output buffer")?;
        let expected = order.len().div_ceil(8);
        if out.len() != expected {
            return Err(Error::LengthMismatch { what: "the output buffer", expected, found: out.len() });
        }
        out.check_apart("the output buffer", bits, "the bitmap")?;
        out.check_apart("the output buffer", order, "the position buffer")?;
        if order.is_empty() {
            return Ok(());
        }
        if self.tiles().is_none() {
            // SAFETY: the device that runs no kernels is the CPU, and the output overlaps nothing.
            let (bytes, order, out) = unsafe { (bits.host_slice(), order.host_slice(), out.host_slice_mut()) };
            Bits { bytes, first }.gather(order, out);
            return Ok(());
        }
        let len = (bits.len() as u64).saturating_mul(8).saturating_sub(first as u64);
        let _claims = self.claim([bits.allocation(), order.allocation(), out.allocation()])?;
        let gather = GatherBits {
            n: order.len() as u64,
            positions: order.address(),
            wide: size_of::<I>() == 8,
            from: (bits.address(), first as u64, len),
            target: (out.address(), out.len() as u64),
            counts: 0,
        };
        // SAFETY: the views are on this device and claimed, and the output has a bit for each position.
        unsafe { gather.launch(self) }
    }
}
