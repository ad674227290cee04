//! Streams: orders of work that a caller makes or brings.
use super::Device;
use super::queue::{Queue, RawStream};
use crate::error::{Error, Result};
use std::fmt;

/// An order of work on a device: what is queued on one stream runs in the order of the calls, and work on two streams may
/// overlap.
///
/// [`Device::on`] gives a handle whose operations go to a stream. Buffers and workspaces may be used on one stream after
/// another: an operation waits, on the device, for the stream that used its memory last. The emulator and the CPU run all
/// work at once, so there a stream changes nothing.
///
/// ```
/// use gridsort::{Device, SortOptions, Stream, Workspace};
///
/// let device = Device::emulator();
/// let stream = Stream::new(&device)?;
/// let mut keys = device.upload(&[3u32, 1, 2])?;
/// let mut workspace = Workspace::new(&device);
/// device.on(&stream)?.sort_buffer(&mut keys, &mut workspace, SortOptions::new())?;
/// stream.synchronize()?;
/// assert_eq!(keys.to_vec()?, [1, 2, 3]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Clone)]
pub struct Stream {
    handle: Device,
}

impl Stream {
    /// A new stream of a device.
    ///
    /// ```
    /// use gridsort::{Device, Stream};
    ///
    /// let stream = Stream::new(&Device::cpu())?;
    /// assert_eq!(stream.device(), &Device::cpu());
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// What the device says.
    pub fn new(device: &Device) -> Result<Self> {
        let raw = device.backend().create_stream()?;
        Ok(Self::of(device, raw, true))
    }

    /// A stream that someone else made: on an NVIDIA GPU a `CUstream` (which is the runtime's `cudaStream_t` too) as a
    /// number, 0 for the default stream. Other devices have only 0.
    ///
    /// ```
    /// use gridsort::{Device, Stream};
    ///
    /// let device = Device::emulator();
    /// // SAFETY: the emulator's only stream.
    /// let stream = unsafe { Stream::from_raw(&device, 0)? };
    /// stream.synchronize()?;
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Safety
    /// - The stream belongs to the device's CUDA context: for [`Device::cuda`] the GPU's primary context, which the CUDA
    ///   runtime, cudarc, candle and PyTorch use too.
    /// - It exists until this stream, its clones, the device handles and graphs made for it, and the buffers and
    ///   workspaces that were last used on it are dropped or used on another stream.
    /// - While someone else captures a graph on it, all that is queued here must fit a capture: scratch memory reserved
    ///   beforehand, kernels loaded by [`Device::prepare`], buffers not in use on another stream.
    ///
    /// # Errors
    /// [`Error::NotSupported`] for another number than 0 on devices without streams.
    pub unsafe fn from_raw(device: &Device, stream: u64) -> Result<Self> {
        if stream != 0 && !device.backend().has_streams() {
            return Err(Error::NotSupported { device: device.name().into(), what: "take a stream" });
        }
        Ok(Self::of(device, stream, false))
    }

    fn of(device: &Device, raw: RawStream, owned: bool) -> Self {
        let queue = Queue::new(device.backend.clone(), raw, owned);
        Self { handle: Device { backend: device.backend.clone(), queue } }
    }

    /// The device, as a handle whose operations go to this stream.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions, Stream};
    ///
    /// let stream = Stream::new(&Device::emulator())?;
    /// let mut keys = [2, 1];
    /// stream.device().sort(&mut keys, SortOptions::new())?;
    /// assert_eq!(keys, [1, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn device(&self) -> &Device {
        &self.handle
    }

    /// The stream as its device's driver knows it: a `CUstream` on a GPU, else 0.
    ///
    /// ```
    /// use gridsort::{Device, Stream};
    ///
    /// assert_eq!(Stream::new(&Device::emulator())?.raw(), 0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn raw(&self) -> u64 {
        self.handle.queue.raw()
    }

    /// Waits until all work on the stream is done.
    ///
    /// ```
    /// gridsort::Stream::new(&gridsort::Device::emulator())?.synchronize()?;
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// What went wrong in that work.
    pub fn synchronize(&self) -> Result<()> {
        self.handle.synchronize()
    }
}

impl fmt::Debug for Stream {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Stream").field("device", &self.handle).field("raw", &self.raw()).finish()
    }
}

impl Device {
    /// The same device, as a handle whose operations go to a stream.
    ///
    /// ```
    /// use gridsort::{Device, Stream};
    ///
    /// let device = Device::emulator();
    /// let on_stream = device.on(&Stream::new(&device)?)?;
    /// assert_eq!(on_stream, device);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::DeviceMismatch`] where the stream is another device's.
    pub fn on(&self, stream: &Stream) -> Result<Device> {
        if self != &stream.handle {
            return Err(Error::DeviceMismatch { what: "the stream" });
        }
        Ok(stream.handle.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::options::SortOptions;
    use crate::workspace::Workspace;

    #[test]
    fn streams_belong_to_their_device() {
        let (a, b) = (Device::emulator(), Device::emulator());
        let stream = Stream::new(&a).unwrap();
        assert!(matches!(b.on(&stream), Err(Error::DeviceMismatch { .. })));
        // SAFETY: refused, and never used.
        assert!(matches!(unsafe { Stream::from_raw(&a, 8) }, Err(Error::NotSupported { .. })));
    }

    #[test]
    fn one_workspace_serves_several_streams() {
        for device in [Device::emulator(), Device::cpu()] {
            let streams = [Stream::new(&device).unwrap(), Stream::new(&device).unwrap()];
            let mut workspace = Workspace::new(&device);
            let input: Vec<u32> = (0..9000).rev().collect();
            let mut buffers: Vec<_> = (0..4).map(|_| device.upload(&input).unwrap()).collect();
            for (buffer, stream) in buffers.iter_mut().zip(streams.iter().cycle()) {
                device.on(stream).unwrap().sort_buffer(buffer, &mut workspace, SortOptions::new()).unwrap();
            }
            drop(streams);
            for buffer in buffers {
                assert!(buffer.to_vec().unwrap().is_sorted());
            }
        }
    }
}
