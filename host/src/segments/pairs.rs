//! Sorting segments of an array, with a payload for each key.
use super::check::check_host;
use super::job::{Ends, SegmentsJob};
use super::keys::on_host;
use super::{Offset, Segments, cpu};
use crate::device::{Device, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::key::{Key, Payload};
use crate::options::SortOptions;
use crate::rows::Carry;
pub(super) use crate::rows::width_of;
use crate::workspace::Workspace;

impl Device {
    /// Sorts segments of host memory, each for itself, and moves each key's payload of 4 or 8 bytes along. Stable.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let (mut keys, mut names) = ([3u8, 1, 2, 1], ['a', 'b', 'c', 'd'].map(u32::from));
    /// Device::emulator().sort_segments_pairs(&mut keys, &mut names, &[(0u32, 2), (2, 4)], SortOptions::new())?;
    /// assert_eq!((keys, names), ([1, 3, 1, 2], ['b', 'a', 'd', 'c'].map(u32::from)));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_segments`]; [`Error::LengthMismatch`](crate::Error::LengthMismatch), and
    /// [`Error::PayloadSize`](crate::Error::PayloadSize) for payloads of other sizes.
    pub fn sort_segments_pairs<K: Key, P: Payload, O: Offset>(
        &self,
        keys: &mut [K],
        payloads: &mut [P],
        segments: &[(O, O)],
        options: SortOptions,
    ) -> Result<()> {
        check_host(segments, keys.len())?;
        if payloads.len() != keys.len() {
            return Err(Error::LengthMismatch { what: "the payloads", expected: keys.len(), found: payloads.len() });
        }
        width_of::<P>()?;
        if self.tiles().is_none() {
            return cpu::sort_pairs(keys, payloads, &on_host(segments), options.direction);
        }
        let bytes = self.sort_segments_pairs_scratch_bytes::<K, P>(keys.len(), segments.len())?;
        let data = size_of_val(keys) as u64 + size_of_val(payloads) as u64 + size_of_val(segments) as u64;
        let (mut workspace, mut key_buffer, mut payload_buffer, begins, ends) =
            self.allocate_all(bytes.saturating_add(data), || {
                let workspace = Workspace::reserved(self, bytes)?;
                let (begins, ends): (Vec<O>, Vec<O>) = segments.iter().copied().unzip();
                let (begins, ends) = (self.upload(&begins)?, self.upload(&ends)?);
                Ok((workspace, self.upload(keys)?, self.upload(payloads)?, begins, ends))
            })?;
        let on_device = Segments::new(&begins, &ends)?;
        let (keys_there, payloads_there) = (&mut key_buffer, &mut payload_buffer);
        self.sort_segments_pairs_buffer(keys_there, payloads_there, &on_device, &mut workspace, options)?;
        key_buffer.copy_to_slice(keys)?;
        payload_buffer.copy_to_slice(payloads)
    }

    /// Sorts segments of an array in the device's memory, each for itself, and moves each key's payload of 4 or 8 bytes along.
    /// Stable. Otherwise as [`Device::sort_segments_buffer`].
    ///
    /// ```
    /// use gridsort::{Device, Segments, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let (mut keys, mut names) = (device.upload(&[3u8, 1, 2, 1])?, device.upload(&[0u32, 1, 2, 3])?);
    /// let offsets = device.upload(&[0u64, 2, 4])?;
    /// let segments = Segments::from_offsets(&offsets)?;
    /// let mut workspace = Workspace::new(&device);
    /// device.sort_segments_pairs_buffer(&mut keys, &mut names, &segments, &mut workspace, SortOptions::new())?;
    /// assert_eq!(names.to_vec()?, [1, 0, 3, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::sort_segments_buffer`]; [`Error::LengthMismatch`](crate::Error::LengthMismatch),
    /// [`Error::Overlap`](crate::Error::Overlap), and [`Error::PayloadSize`](crate::Error::PayloadSize) for payloads of other sizes.
    pub fn sort_segments_pairs_buffer<K: Key, P: Payload, O: Offset>(
        &self,
        keys: &mut DeviceSliceMut<'_, K>,
        payloads: &mut DeviceSliceMut<'_, P>,
        segments: &Segments<'_, O>,
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        keys.check_device(self, "the key buffer")?;
        payloads.check_device(self, "the payload buffer")?;
        segments.check_device(self)?;
        workspace.check_device(self)?;
        keys.check_len("the payload buffer", payloads.len())?;
        let width = width_of::<P>()?;
        payloads.check_apart("the payload buffer", keys, "the key buffer")?;
        segments.check_apart(keys, "the key buffer")?;
        segments.check_apart(payloads, "the payload buffer")?;
        if keys.is_empty() || segments.is_empty() {
            return Ok(());
        }
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the views do not overlap.
            let (keys, payloads) = unsafe { (keys.host_slice_mut(), payloads.host_slice_mut()) };
            // SAFETY: as above.
            let segments: Vec<_> = unsafe { segments.on_host() }.collect();
            return cpu::sort_pairs(keys, payloads, &segments, options.direction);
        };
        let codec = K::codec(options.direction);
        let job = SegmentsJob::new::<O>(keys.len(), segments.len(), codec, Carry::Payloads(width), tiles)?;
        workspace.reserve_for(self, job.scratch_bytes())?;
        let offsets = [segments.begins.allocation(), segments.ends.allocation()];
        let memory = [keys.allocation(), payloads.allocation(), workspace.allocation()];
        let _claims = self.claim(memory.into_iter().chain(offsets))?;
        let key_ends = Ends { source: keys.address(), data: keys.address() };
        let payload_ends = Ends { source: payloads.address(), data: payloads.address() };
        // SAFETY: all are on this device, do not overlap and hold what the plan asks for.
        unsafe { job.launch(self, segments, key_ends, payload_ends, workspace.address()) }
    }
}
