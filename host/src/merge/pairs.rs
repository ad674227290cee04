//! Merging keys with a payload each.
use super::{WHAT, cpu, merged_len};
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::key::{Key, Payload, compare};
use crate::options::SortOptions;
use crate::plan::{self, Carried};
use crate::sort::{Gather, Source};
use crate::workspace::Workspace;
use gridsort_kernels::entry::merge_sort::{Tiles, merge_sort_kernels};
use gridsort_kernels::simt::Arg;

/// Keys on the device and their payloads, to read.
type Pairs<'v, 'a, K, P> = (&'v DeviceSlice<'a, K>, &'v DeviceSlice<'a, P>);

impl Device {
    /// Merges two sorted slices of keys in host memory, each with a slice of payloads, into two new vectors. Of equal
    /// keys, those of `a` come first.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// let (keys, names) =
    ///     device.merge_pairs((&[1, 5], &[*b"ann", *b"bob"]), (&[1, 2], &[*b"cat", *b"dan"]), SortOptions::new())?;
    /// assert_eq!(keys, [1, 1, 2, 5]);
    /// assert_eq!(names, [*b"ann", *b"cat", *b"dan", *b"bob"]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotSorted`] where an input is not in the order that the options ask for, [`Error::LengthMismatch`],
    /// [`Error::PayloadSize`], [`Error::OutOfMemory`], [`Error::TooLarge`], and what goes wrong on the device.
    pub fn merge_pairs<K: Key, P: Payload>(
        &self,
        a: (&[K], &[P]),
        b: (&[K], &[P]),
        options: SortOptions,
    ) -> Result<(Vec<K>, Vec<P>)> {
        for ((keys, payloads), what) in [(a, "the first input"), (b, "the second input")] {
            if payloads.len() != keys.len() {
                return Err(Error::LengthMismatch { what, expected: keys.len(), found: payloads.len() });
            }
        }
        super::check_sorted(a.0, b.0, options.direction)?;
        let len = merged_len(a.0.len(), b.0.len())?;
        let scratch_bytes = self.merge_pairs_scratch_bytes::<P>(len)?;
        let mut merged = (host_vec(len)?, host_vec(len)?);
        if self.tiles().is_none() {
            cpu::merge_pairs(a, b, (&mut merged.0, &mut merged.1), &compare(options.direction));
            return Ok(merged);
        }
        let data = (2 * len as u64).saturating_mul((size_of::<K>() + size_of::<P>()) as u64);
        let (mut workspace, mut out, on_device) = self.allocate_all(scratch_bytes.saturating_add(data), || {
            let workspace = Workspace::reserved(self, scratch_bytes)?;
            let out = (self.allocate(len)?, self.allocate(len)?);
            Ok((workspace, out, (self.upload(a.0)?, self.upload(a.1)?, self.upload(b.0)?, self.upload(b.1)?)))
        })?;
        let (a, b) = ((&on_device.0, &on_device.1), (&on_device.2, &on_device.3));
        self.merge_pairs_with((a.0, a.1), (b.0, b.1), (&mut out.0, &mut out.1), &mut workspace, options)?;
        out.0.copy_to_slice(&mut merged.0)?;
        out.1.copy_to_slice(&mut merged.1)?;
        Ok(merged)
    }

    /// Merges two sorted buffers of keys, each with a buffer of payloads, into a third pair of buffers. Of equal keys,
    /// those of `a` come first. On a GPU the call returns when the work is queued; for payloads of other sizes than 4 and
    /// 8 bytes it allocates scratch memory and waits, which [`Device::merge_pairs_with`] spares.
    ///
    /// Both inputs must be in the order that the options ask for. Where one is not, the output holds pairs of both,
    /// of which some may be missing and others there twice.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let device = Device::emulator();
    /// let a = (device.upload(&[1u32, 5])?, device.upload(&[10u64, 11])?);
    /// let b = (device.upload(&[1u32, 2])?, device.upload(&[20u64, 21])?);
    /// let mut out = (device.allocate(4)?, device.allocate(4)?);
    /// device.merge_pairs_buffers(
    ///     (&a.0, &a.1),
    ///     (&b.0, &b.1),
    ///     (&mut out.0, &mut out.1),
    ///     SortOptions::new(),
    /// )?;
    /// assert_eq!(out.0.to_vec()?, [1, 1, 2, 5]);
    /// assert_eq!(out.1.to_vec()?, [10, 20, 21, 11]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`Device::merge_pairs_with`].
    pub fn merge_pairs_buffers<K: Key, P: Payload>(
        &self,
        a: (&DeviceSlice<'_, K>, &DeviceSlice<'_, P>),
        b: (&DeviceSlice<'_, K>, &DeviceSlice<'_, P>),
        out: (&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, P>),
        options: SortOptions,
    ) -> Result<()> {
        self.merge_pairs_with(a, b, out, &mut Workspace::new(self), options)
    }

    /// As [`Device::merge_pairs_buffers`], with scratch memory that outlives the call:
    /// [`Device::merge_pairs_scratch_bytes`], none for payloads of 4 and 8 bytes. Where the workspace has it, nothing is
    /// allocated and nothing waited for.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Workspace};
    ///
    /// let device = Device::emulator();
    /// let a = (device.upload(&[1u32, 5])?, device.upload(&[[10u8; 3], [11; 3]])?);
    /// let b = (device.upload(&[2u32])?, device.upload(&[[20u8; 3]])?);
    /// let mut out = (device.allocate(3)?, device.allocate(3)?);
    /// let mut workspace = Workspace::new(&device);
    /// device.merge_pairs_with(
    ///     (&a.0, &a.1),
    ///     (&b.0, &b.1),
    ///     (&mut out.0, &mut out.1),
    ///     &mut workspace,
    ///     SortOptions::new(),
    /// )?;
    /// assert_eq!(out.1.to_vec()?, [[10; 3], [20; 3], [11; 3]]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where payloads are not as many as their keys or the output is not as long as both
    /// inputs together, [`Error::DeviceMismatch`], [`Error::PayloadSize`], [`Error::Overlap`], [`Error::TooLarge`],
    /// [`Error::OutOfMemory`] and [`Error::ScratchTooSmall`], all found before anything is written, and what goes wrong
    /// on the device.
    pub fn merge_pairs_with<K: Key, P: Payload>(
        &self,
        a: (&DeviceSlice<'_, K>, &DeviceSlice<'_, P>),
        b: (&DeviceSlice<'_, K>, &DeviceSlice<'_, P>),
        out: (&mut DeviceSliceMut<'_, K>, &mut DeviceSliceMut<'_, P>),
        workspace: &mut Workspace,
        options: SortOptions,
    ) -> Result<()> {
        let len = merged_len(a.0.len(), b.0.len())?;
        if out.0.len() != len {
            return Err(Error::LengthMismatch { what: "the output buffer", expected: len, found: out.0.len() });
        }
        let inputs = [(a, "the first input"), (b, "the second input")];
        for ((keys, payloads), what) in inputs {
            check_pairs(self, (keys, payloads), what)?;
        }
        check_pairs(self, (&*out.0, &*out.1), "the output buffer")?;
        workspace.check_device(self)?;
        let carried = plan::carried(len as u64, size_of::<P>())?;
        for ((keys, payloads), what) in inputs {
            out.0.check_apart("the key output", keys, what)?;
            out.0.check_apart("the key output", payloads, what)?;
            out.1.check_apart("the payload output", keys, what)?;
            out.1.check_apart("the payload output", payloads, what)?;
        }
        out.0.check_apart("the key output", out.1, "the payload output")?;
        let Some(tiles) = self.tiles() else {
            // SAFETY: the device that runs no kernels is the CPU, and the outputs overlap nothing.
            unsafe {
                let (a, b) = ((a.0.host_slice(), a.1.host_slice()), (b.0.host_slice(), b.1.host_slice()));
                let out = (out.0.host_slice_mut(), out.1.host_slice_mut());
                cpu::merge_pairs(a, b, out, &compare(options.direction));
            }
            return Ok(());
        };
        if a.0.is_empty() || b.0.is_empty() {
            let (keys, payloads) = if a.0.is_empty() { b } else { a };
            out.0.copy_on(self, keys)?;
            return out.1.copy_on(self, payloads);
        }
        workspace.reserve_for(self, self.merge_pairs_scratch_bytes::<P>(len)?)?;
        let _input_claims = self.claim([a.0.allocation(), a.1.allocation(), b.0.allocation(), b.1.allocation()])?;
        let _output_claims = self.claim([out.0.allocation(), out.1.allocation(), workspace.allocation()])?;
        // SAFETY: all of it is on this device, the output as long as the inputs together and apart from them; the
        // workspace holds as many positions.
        unsafe { self.launch_merge_pairs(a, b, (&*out.0, &*out.1), workspace.address(), carried, tiles, options) }
    }

    /// Launches the merge of two inputs that have elements.
    ///
    /// # Safety
    /// The views are claimed and on this device; `out` is as long as both inputs together and overlaps neither. Where
    /// positions are carried, there is room for one for each key at `positions`.
    #[allow(clippy::too_many_arguments)] // two inputs, an output, and how
    unsafe fn launch_merge_pairs<K: Key, P: Payload>(
        &self,
        a: (&DeviceSlice<'_, K>, &DeviceSlice<'_, P>),
        b: (&DeviceSlice<'_, K>, &DeviceSlice<'_, P>),
        out: (&DeviceSlice<'_, K>, &DeviceSlice<'_, P>),
        positions: u64,
        carried: Carried,
        tiles: Tiles,
        options: SortOptions,
    ) -> Result<()> {
        let kernels = merge_sort_kernels(K::WIDTH, carried.width, tiles);
        let len = out.0.len() as u64;
        let grid = plan::grid(WHAT, len, kernels.runs_tile)?;
        let codec = K::codec(options.direction).arg();
        // Null payloads are positions in both inputs laid one behind the other.
        let (payload_a, payload_b, payload_out) =
            if carried.positions { (0, 0, positions) } else { (a.1.address(), b.1.address(), out.1.address()) };
        // SAFETY: the caller's promise.
        let cut = unsafe { self.launch_cuts(&kernels, a.0, b.0, out.0, codec)? };
        let args = [
            Arg::Address(a.0.address()),
            Arg::Address(b.0.address()),
            Arg::Address(out.0.address()),
            Arg::Address(payload_a),
            Arg::Address(payload_b),
            Arg::Address(payload_out),
            Arg::U64(a.0.len() as u64),
            Arg::U64(b.0.len() as u64),
            Arg::U32(cut.into()),
            codec,
            codec,
        ];
        // SAFETY: the grid covers the output; the rest is the caller's promise.
        unsafe { self.run(kernels.merge_runs, grid, &args)? };
        if !carried.positions {
            return Ok(());
        }
        let gather = Gather {
            n: len,
            bytes: size_of::<P>(),
            positions,
            width: carried.width,
            from: Source::Two(a.1.address(), b.1.address(), a.1.len() as u64),
            target: out.1.address(),
        };
        // SAFETY: the merge left one position of an input's element at each place, whether or not inputs were sorted.
        unsafe { gather.launch(self) }
    }
}

/// Holds keys and their payloads against the device and each other.
fn check_pairs<K: Key, P: Payload>(
    device: &Device,
    (keys, payloads): Pairs<'_, '_, K, P>,
    what: &'static str,
) -> Result<()> {
    keys.check_device(device, what)?;
    payloads.check_device(device, what)?;
    keys.check_len(what, payloads.len())
}
