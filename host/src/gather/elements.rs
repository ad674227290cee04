//! Fetching elements.
use crate::device::{Device, DeviceSlice, DeviceSliceMut, host_vec};
use crate::error::{Error, Result};
use crate::key::{Payload, PayloadWidth};
use crate::plan::{ALIGNMENT, MAX_PAYLOAD};
use crate::sort::{Gather, Index, Source};
use crate::workspace::Workspace;
use rayon::prelude::*;

/// Refuses elements of a size that the kernels do not move.
fn check_size<T>() -> Result<()> {
    match size_of::<T>() {
        1..=MAX_PAYLOAD => Ok(()),
        bytes => Err(Error::PayloadSize { bytes, limit: MAX_PAYLOAD }),
    }
}

/// The first position that is none of `len` elements.
fn first_stray<I: Index>(order: &[I], len: usize) -> Option<usize> {
    order.par_iter().position_first(|&position| position.index() >= len)
}

fn stray<I: Index>(at: usize, position: I, len: usize) -> Error {
    Error::PositionOutOfRange { at: at as u64, position: position.index() as u64, len: len as u64 }
}

impl Device {
    /// The elements at these positions, in host memory: element `i` is `values[order[i]]`. A position may occur any number of
    /// times. The host fetches itself, whatever the device: that takes less time than to copy.
    ///
    /// ```
    /// use gridsort::{Device, Error, SortOptions};
    ///
    /// let device = Device::best();
    /// let order = device.argsort_u32(&[30, 10, 20], SortOptions::new())?;
    /// assert_eq!(device.gather(&['c', 'a', 'b'].map(u32::from), &order)?, ['a', 'b', 'c'].map(u32::from));
    /// assert!(matches!(device.gather(&[1u8, 2], &[0u32, 2]), Err(Error::PositionOutOfRange { at: 1, .. })));
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::PositionOutOfRange`], [`Error::PayloadSize`], [`Error::OutOfMemory`].
    pub fn gather<T: Payload, I: Index>(&self, values: &[T], order: &[I]) -> Result<Vec<T>> {
        check_size::<T>()?;
        if let Some(at) = first_stray(order, values.len()) {
            return Err(stray(at, order[at], values.len()));
        }
        let mut fetched = host_vec(order.len())?;
        fetched.par_iter_mut().zip(order).for_each(|(out, &position)| *out = values[position.index()]);
        Ok(fetched)
    }

    /// Fetches elements in the device's memory by position: element `i` of `out` becomes `values[order[i]]`. On a GPU the
    /// call returns when the work is queued; nothing is allocated or waited for.
    ///
    /// Nobody waits for the answer, so a position that `values` does not have is no error: it gives an element whose bytes
    /// are all 0. [`Device::gather_checked`] tells.
    ///
    /// ```
    /// use gridsort::Device;
    ///
    /// let device = Device::emulator();
    /// let (values, order) = (device.upload(&[1.5f64, 2.5, 3.5])?, device.upload(&[2u32, 0, 0, 3])?);
    /// let mut out = device.allocate(4)?;
    /// device.gather_into(&values, &order, &mut out)?;
    /// assert_eq!(out.to_vec()?, [3.5, 1.5, 1.5, 0.0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where there are not as many positions as places, [`Error::PayloadSize`] for elements of no or
    /// more than 16 bytes, [`Error::DeviceMismatch`], [`Error::Overlap`], [`Error::TooLarge`], all found before anything is
    /// written, and what goes wrong on the device.
    pub fn gather_into<T: Payload, I: Index>(
        &self,
        values: &DeviceSlice<'_, T>,
        order: &DeviceSlice<'_, I>,
        out: &mut DeviceSliceMut<'_, T>,
    ) -> Result<()> {
        check_views(self, values, order, out)?;
        if self.tiles().is_none() {
            // SAFETY: the device that runs no kernels is the CPU, and the output overlaps nothing.
            let (values, order, out) = unsafe { (values.host_slice(), order.host_slice(), out.host_slice_mut()) };
            let fetch = |position: I| values.get(position.index()).copied().unwrap_or(T::zeroed());
            out.par_iter_mut().zip(order).for_each(|(out, &position)| *out = fetch(position));
            return Ok(());
        }
        let _claims = self.claim([values.allocation(), order.allocation(), out.allocation()])?;
        // SAFETY: the views are on this device, claimed, and checked.
        unsafe { launch(self, values, order, out, 0) }
    }

    /// As [`Device::gather_into`], and waits, to tell of a position that `values` does not have.
    ///
    /// Takes 256 bytes of scratch memory.
    ///
    /// ```
    /// use gridsort::{Device, Error, Workspace};
    ///
    /// let device = Device::emulator();
    /// let (values, order) = (device.upload(&[1.5f64, 2.5])?, device.upload(&[1u32, 0, 7])?);
    /// let mut out = device.allocate(3)?;
    /// let result = device.gather_checked(&values, &order, &mut out, &mut Workspace::new(&device));
    /// assert!(matches!(result, Err(Error::PositionOutOfRange { at: 2, position: 7, len: 2 })));
    /// assert_eq!(out.to_vec()?, [2.5, 1.5, 0.0]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::PositionOutOfRange`], of the first such position; all others are fetched. As [`Device::gather_into`];
    /// [`Error::OutOfMemory`], [`Error::ScratchTooSmall`], and [`Error::NotSupported`] while a graph is captured.
    pub fn gather_checked<T: Payload, I: Index>(
        &self,
        values: &DeviceSlice<'_, T>,
        order: &DeviceSlice<'_, I>,
        out: &mut DeviceSliceMut<'_, T>,
        workspace: &mut Workspace,
    ) -> Result<()> {
        check_views(self, values, order, out)?;
        workspace.check_device(self)?;
        let first = if self.tiles().is_none() {
            self.gather_into(values, order, out)?;
            // SAFETY: the device that runs no kernels is the CPU.
            first_stray(unsafe { order.host_slice() }, values.len())
        } else if order.is_empty() {
            None
        } else {
            workspace.reserve_for(self, ALIGNMENT)?;
            let _claims =
                self.claim([values.allocation(), order.allocation(), out.allocation(), workspace.allocation()])?;
            let found = workspace.address();
            let mut word = u64::MAX.to_le_bytes();
            // SAFETY: a word within the workspace; the views are on this device, claimed, and checked.
            unsafe {
                self.write(found, &word)?;
                launch(self, values, order, out, found)?;
                self.read(found, &mut word)?;
            }
            Some(u64::from_le_bytes(word)).filter(|&at| at != u64::MAX).map(|at| at as usize)
        };
        let Some(at) = first else { return Ok(()) };
        let position = order.slice(at..=at)?.to_vec()?;
        Err(stray(at, position[0], values.len()))
    }
}

/// Refuses views of other devices, lengths and sizes, and an output that overlaps what is read.
fn check_views<T: Payload, I: Index>(
    device: &Device,
    values: &DeviceSlice<'_, T>,
    order: &DeviceSlice<'_, I>,
    out: &DeviceSlice<'_, T>,
) -> Result<()> {
    values.check_device(device, "the value buffer")?;
    order.check_device(device, "the position buffer")?;
    out.check_device(device, "the output buffer")?;
    check_size::<T>()?;
    order.check_len("the output buffer", out.len())?;
    out.check_apart("the output buffer", values, "the value buffer")?;
    out.check_apart("the output buffer", order, "the position buffer")
}

/// Launches the fetch; the first position that there is no value for lowers the word at `found`, where that is not 0.
///
/// # Safety
/// [`check_views`] has passed, all is claimed, and the device runs kernels.
unsafe fn launch<T: Payload, I: Index>(
    device: &Device,
    values: &DeviceSlice<'_, T>,
    order: &DeviceSlice<'_, I>,
    out: &DeviceSlice<'_, T>,
    found: u64,
) -> Result<()> {
    if order.is_empty() {
        return Ok(());
    }
    let width = if size_of::<I>() == 4 { PayloadWidth::W32 } else { PayloadWidth::W64 };
    let gather = Gather {
        n: order.len() as u64,
        bytes: size_of::<T>(),
        positions: order.address(),
        width,
        from: Source::Checked(values.address(), values.len() as u64, found),
        target: out.address(),
    };
    // SAFETY: any positions will do; the output has as many places, and overlaps nothing.
    unsafe { gather.launch(device) }
}
