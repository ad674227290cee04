//! Whether segments are what they should be.
use super::offsets::{first_bad, within};
use super::{Offset, Segments};
use crate::device::Device;
use crate::error::{Error, Result};
use crate::plan::{ALIGNMENT, grid};
use crate::workspace::Workspace;
use gridsort_kernels::entry::segments::segment_kernels;
use gridsort_kernels::simt::Arg;
use gridsort_kernels::tuning::SEGMENT_THREADS;

/// Refuses segments of host memory that are not what they should be.
pub(super) fn check_host<O: Offset>(segments: &[(O, O)], n: usize) -> Result<()> {
    let offsets = segments.iter().map(|&(begin, end)| (begin.offset(), end.offset()));
    first_bad(offsets, within::<O>(n)).map_or(Ok(()), |segment| Err(Error::Segment { segment, len: n as u64 }))
}

impl Device {
    /// Looks whether segments ascend without overlapping, and lie within an array of `n` elements. Waits for the answer, so it
    /// can't be captured in a graph.
    ///
    /// ```
    /// use gridsort::{Device, Error, Segments, Workspace};
    ///
    /// let device = Device::emulator();
    /// let (begins, ends) = (device.upload(&[0u32, 3])?, device.upload(&[6u32, 9])?);
    /// let checked = device.check_segments(&Segments::new(&begins, &ends)?, 9, &mut Workspace::new(&device));
    /// assert!(matches!(checked, Err(Error::Segment { segment: 0, len: 9 })));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Segment`]; [`Error::DeviceMismatch`], [`Error::TooLarge`], and what goes wrong on the device.
    pub fn check_segments<O: Offset>(
        &self,
        segments: &Segments<'_, O>,
        n: usize,
        workspace: &mut Workspace,
    ) -> Result<()> {
        segments.check_device(self)?;
        workspace.check_device(self)?;
        if segments.is_empty() {
            return Ok(());
        }
        let bad = if self.tiles().is_none() {
            // SAFETY: the device that runs no kernels is the CPU.
            first_bad(unsafe { segments.on_host() }, within::<O>(n))
        } else {
            let grid = grid("check of segments", segments.len() as u64, SEGMENT_THREADS)?;
            workspace.reserve_for(self, ALIGNMENT)?;
            let memory = [segments.begins.allocation(), segments.ends.allocation(), workspace.allocation()];
            let _claims = self.claim(memory)?;
            let found = workspace.address();
            let mut word = u64::MAX.to_ne_bytes();
            let mut args = [segments.begins.address(), segments.ends.address()].map(Arg::Address).to_vec();
            args.extend([Arg::U64(segments.len() as u64), Arg::U64(within::<O>(n)), Arg::Address(found)]);
            // SAFETY: one word within the workspace, and as many segments as the kernel is told; the grid covers them.
            unsafe {
                self.write(found, &word)?;
                self.run(segment_kernels(O::WIDE).check, grid, &args)?;
                self.read(found, &mut word)?;
            }
            let first = u64::from_ne_bytes(word);
            (first != u64::MAX).then_some(first as usize)
        };
        bad.map_or(Ok(()), |segment| Err(Error::Segment { segment, len: n as u64 }))
    }
}
