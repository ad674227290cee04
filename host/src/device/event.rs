//! Points in a device's order of work, to time what lies between two of them.
use super::Device;
use crate::error::{Error, Result};
use std::time::Instant;

/// A point in a device's order of work, from [`Device::record`].
///
/// ```
/// use gridsort::{Device, SortOptions};
///
/// let device = Device::emulator();
/// let mut keys = [3u32, 1, 2];
/// let start = device.record()?;
/// device.sort(&mut keys, SortOptions::new())?;
/// let end = device.record()?;
/// assert!(end.elapsed_ms_since(&start)? >= 0.0);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Debug)]
pub struct Event {
    // Before the device, so that an event of the driver goes before what keeps its context alive.
    mark: Mark,
    device: Device,
}

/// How a device remembers the point.
#[derive(Debug)]
pub(crate) enum Mark {
    /// Work is done when the call returns, so the host's clock tells.
    Host(Instant),
    /// An event on the device's stream.
    #[cfg(feature = "cuda")]
    Cuda(super::cuda::CudaMark),
}

impl Event {
    pub(super) fn new(device: Device, mark: Mark) -> Self {
        Self { device, mark }
    }

    /// Milliseconds between an earlier event and this one. Waits until the device has reached both.
    ///
    /// ```
    /// let device = gridsort::Device::cpu();
    /// let (start, end) = (device.record()?, device.record()?);
    /// assert!(end.elapsed_ms_since(&start)? >= 0.0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DeviceMismatch`] where the events come from two devices; what went wrong on the device between them.
    pub fn elapsed_ms_since(&self, earlier: &Event) -> Result<f64> {
        if self.device != earlier.device {
            return Err(Error::DeviceMismatch { what: "the earlier event" });
        }
        match (&self.mark, &earlier.mark) {
            (Mark::Host(end), Mark::Host(start)) => Ok(end.saturating_duration_since(*start).as_secs_f64() * 1e3),
            #[cfg(feature = "cuda")]
            (Mark::Cuda(end), Mark::Cuda(start)) => end.elapsed_ms_since(start),
            #[cfg(feature = "cuda")]
            _ => Err(Error::DeviceMismatch { what: "the earlier event" }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_of_two_devices_do_not_compare() {
        let (a, b) = (Device::emulator().record().unwrap(), Device::cpu().record().unwrap());
        assert!(matches!(b.elapsed_ms_since(&a), Err(Error::DeviceMismatch { .. })));
    }

    #[test]
    fn time_is_never_negative() {
        let device = Device::cpu();
        let (start, end) = (device.record().unwrap(), device.record().unwrap());
        assert!(end.elapsed_ms_since(&start).unwrap() >= 0.0);
        assert_eq!(start.elapsed_ms_since(&end).unwrap(), 0.0);
    }
}
