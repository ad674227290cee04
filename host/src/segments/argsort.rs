//! Argsort of segments: the stable order of each, as positions in the segment.
use super::check::check_host;
use super::job::{Ends, SegmentsJob};
use super::keys::on_host;
use super::{Offset, Segments, cpu};
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::Result;
use crate::key::Key;
use crate::options::SortOptions;
use crate::rows::Carry;
use crate::sort::cpu::reserved;
use crate::sort::{Index, check_count};
use crate::workspace::Workspace;

impl Device {
    /// The stable order of each segment of host memory, as positions in the segment, one segment behind the other: `u32`, `i32`,
    /// `u64` or `i64`, as the caller likes. Positions of equal keys ascend.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let keys = [3u32, 1, 2, 9, 8, 7];
    /// let order: Vec<u32> = Device::emulator().argsort_segments(&keys, &[(0u64, 3), (4, 6)], SortOptions::new())?;
    /// assert_eq!(order, [1, 2, 0, 1, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_segments`]; [`Error::TooLarge`](crate::Error::TooLarge) where the slice is too long for the index type.
    pub fn argsort_segments<K: Key, O: Offset, I: Index>(
        &self,
        keys: &[K],
        segments: &[(O, O)],
        options: SortOptions,
    ) -> Result<Vec<I>> {
        check_host(segments, keys.len())?;
        check_count::<I>(keys.len())?;
        let bytes = self.argsort_segments_scratch_bytes::<K, I>(keys.len(), segments.len())?;
        let data = size_of_val(keys) as u64 + size_of_val(segments) as u64 + (size_of::<I>() * keys.len()) as u64;
        let (mut workspace, buffer, mut order, begins, ends) = self.allocate_all(bytes.saturating_add(data), || {
            let workspace = Workspace::reserved(self, bytes)?;
            let (begins, ends): (Vec<O>, Vec<O>) = segments.iter().copied().unzip();
            let (begins, ends) = (self.upload(&begins)?, self.upload(&ends)?);
            Ok((workspace, self.upload(keys)?, self.allocate::<I>(keys.len())?, begins, ends))
        })?;
        let on_device = Segments::new(&begins, &ends)?;
        self.argsort_segments_into(&buffer, &mut order, &on_device, &mut workspace, options)?;
        // What is between segments was never written.
        let all = order.to_vec()?;
        let mut found = reserved(on_host(segments).iter().map(|&(begin, end)| (end - begin) as usize).sum())?;
        for (begin, end) in on_host(segments) {
            found.extend_from_slice(&all[begin as usize..end as usize]);
        }
        Ok(found)
    }

    /// Writes the stable order of each segment of an array in the device's memory to the segment's place in a buffer of the
    /// array's length, as positions in the segment. The keys stay as they are, and so does what lies between segments in the
    /// buffer. On a GPU the call returns when the work is queued; see [`Device::sort_segments_buffer`].
    ///
    /// ```
    /// use gridsort::{Device, Segments, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let keys = device.upload(&[3i64, 1, 2, 9, 8, 7])?;
    /// let (begins, ends) = (device.upload(&[0u32, 4])?, device.upload(&[3u32, 6])?);
    /// let segments = Segments::new(&begins, &ends)?;
    /// let mut order = device.upload(&[5u32; 6])?;
    /// device.argsort_segments_into(&keys, &mut order, &segments, &mut Workspace::new(&device), SortOptions::new())?;
    /// assert_eq!(order.to_vec()?, [1, 2, 0, 5, 1, 0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::argsort_into`]. [`Error::TooLarge`](crate::Error::TooLarge) where the array is too long for the index type.
    pub fn argsort_segments_into<K: Key, O: Offset, I: Index>(
        &self,
        keys: &DeviceSlice<'_, K>,
        order: &mut DeviceSliceMut<'_, I>,
        segments: &Segments<'_, O>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        order.check_device(self, "the position buffer")?;
        segments.check_device(self)?;
        workspace.check_device(self)?;
        keys.check_len("the position buffer", order.len())?;
        check_count::<I>(keys.len())?;
        order.check_apart("the position buffer", keys, "the key buffer")?;
        segments.check_apart(order, "the position buffer")?;
        if keys.is_empty() || segments.is_empty() {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, order) = unsafe { (keys.host_slice(), order.host_slice_mut()) };
            // SAFETY: as above.
            let segments: Vec<_> = unsafe { segments.on_host() }.collect();
            cpu::argsort(keys, order, &segments, options.direction);
            return Ok(());
        };
        let carry = Carry::Positions(I::PAYLOAD_WIDTH);
        let job = SegmentsJob::new::<O>(keys.len(), segments.len(), K::codec(options.direction), carry, tiles)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let offsets = [segments.begins.allocation(), segments.ends.allocation()];
        let memory = [keys.allocation(), order.allocation(), workspace.allocation()];
        let _claims = self.claim(memory.into_iter().chain(offsets))?;
        let keys = Ends { source: keys.address(), data: 0 };
        let positions = Ends { source: 0, data: order.address() };
        // SAFETY: all are on this device, do not overlap and hold what the plan asks for.
        unsafe { job.launch(self, segments, keys, positions, workspace.address()) }
    }
}
