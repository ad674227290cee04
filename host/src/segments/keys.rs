//! Sorting segments of an array.
use super::check::check_host;
use super::job::{Ends, SegmentsJob};
use super::{Offset, Segments, cpu};
use crate::device::{Device, DeviceSliceMut};
use crate::error::Result;
use crate::key::Key;
use crate::options::SortOptions;
use crate::rows::Carry;
use crate::workspace::Workspace;

impl Device {
    /// Sorts segments of host memory, each for itself: where one begins and where it ends. What lies between them stays as it is.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let mut keys = [3u32, 1, 2, 9, 8, 7];
    /// Device::emulator().sort_segments(&mut keys, &[(0u32, 3), (4, 6)], SortOptions::new())?;
    /// assert_eq!(keys, [1, 2, 3, 9, 7, 8]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Segment`](crate::Error::Segment) where segments do not ascend, overlap or are not within the slice, and as
    /// [`Device::sort`].
    pub fn sort_segments<K: Key, O: Offset>(
        &self,
        keys: &mut [K],
        segments: &[(O, O)],
        options: SortOptions,
    ) -> Result<()> {
        check_host(segments, keys.len())?;
        if keys.is_empty() || segments.is_empty() {
            return Ok(());
        }
        if self.tiles().is_none() {
            cpu::sort(keys, &on_host(segments), options.direction);
            return Ok(());
        }
        let bytes = self.sort_segments_scratch_bytes::<K>(keys.len(), segments.len())?;
        let data = size_of_val(keys) as u64 + size_of_val(segments) as u64;
        let (mut workspace, mut buffer, begins, ends) = self.allocate_all(bytes.saturating_add(data), || {
            let workspace = Workspace::reserved(self, bytes)?;
            let (begins, ends): (Vec<O>, Vec<O>) = segments.iter().copied().unzip();
            Ok((workspace, self.upload(keys)?, self.upload(&begins)?, self.upload(&ends)?))
        })?;
        self.sort_segments_buffer(&mut buffer, &Segments::new(&begins, &ends)?, &mut workspace, options)?;
        buffer.copy_to_slice(keys)
    }

    /// Sorts segments of an array in the device's memory, each for itself, wherever they begin and end. What lies between them
    /// stays as it is. On a GPU the call returns when the work is queued: where segments are is looked at there, so that the call can
    /// be captured in a graph, and be replayed for other keys and other offsets.
    ///
    /// Segments of up to some thousand keys are read and written once. Scratch memory: [`Device::sort_segments_scratch_bytes`].
    ///
    /// ```
    /// use gridsort::{Device, Segments, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let mut keys = device.upload(&[3i64, 1, 2, 9, 8, 7])?;
    /// let offsets = device.upload(&[0u32, 3, 3, 6])?;
    /// let segments = Segments::from_offsets(&offsets)?;
    /// device.sort_segments_buffer(&mut keys, &segments, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(keys.to_vec()?, [1, 2, 3, 7, 8, 9]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_buffer`], all found before a key is moved. Segments are not looked at: see [`Segments`].
    pub fn sort_segments_buffer<K: Key, O: Offset>(
        &self,
        keys: &mut DeviceSliceMut<'_, K>,
        segments: &Segments<'_, O>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        segments.check_device(self)?;
        workspace.check_device(self)?;
        segments.check_apart(keys, "the key buffer")?;
        if keys.is_empty() || segments.is_empty() {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the view is the only one in use.
            let (keys, segments) = unsafe { (keys.host_slice_mut(), segments.on_host().collect::<Vec<_>>()) };
            cpu::sort(keys, &segments, options.direction);
            return Ok(());
        };
        let codec = K::codec(options.direction);
        let job = SegmentsJob::new::<O>(keys.len(), segments.len(), codec, Carry::Nothing, tiles)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let offsets = [segments.begins.allocation(), segments.ends.allocation()];
        let _claims = self.claim([keys.allocation(), workspace.allocation()].into_iter().chain(offsets))?;
        let ends = Ends { source: keys.address(), data: keys.address() };
        // SAFETY: all are on this device and hold what the plan asks for.
        unsafe { job.launch(self, segments, ends, Ends::NONE, workspace.address()) }
    }
}

/// Segments as the CPU takes them.
pub(super) fn on_host<O: Offset>(segments: &[(O, O)]) -> Vec<(u64, u64)> {
    segments.iter().map(|&(begin, end)| (begin.offset(), end.offset())).collect()
}
