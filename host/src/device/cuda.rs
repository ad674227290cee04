//! NVIDIA GPUs through the CUDA driver: `cust`, and its raw bindings where `cust` lacks a call or copies by type.
mod modules;
mod status;

use self::modules::Modules;
use self::status::{check, checked};
use super::backend::check_launch;
use super::{Backend, DeviceKind, MemoryInfo, event::Mark};
use crate::error::{Error, Result};
use cust::context::Context;
use cust::device::DeviceAttribute;
use cust::event::{Event, EventFlags};
use cust::stream::{Stream, StreamFlags};
use cust::sys;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::simt::{Arg, Kernel};
use std::ffi::c_void;
use std::ptr;
use std::sync::{Arc, Mutex, PoisonError};

/// What the driver tells of a GPU.
///
/// ```
/// use gridsort::Device;
///
/// if let Some(gpu) = Device::best().cuda_info() {
///     println!("{}: compute capability {}.{}", gpu.name, gpu.compute_capability.0, gpu.compute_capability.1);
/// }
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CudaInfo {
    /// The number it was asked for by.
    pub ordinal: u32,
    /// Its name.
    pub name: String,
    /// Major and minor compute capability.
    pub compute_capability: (u32, u32),
    /// Its multiprocessors.
    pub multiprocessors: u32,
    /// The newest CUDA version that the driver supports, major and minor.
    pub driver_cuda: (u32, u32),
}

/// One GPU, with one stream on which all its work is in order.
#[derive(Debug)]
pub(crate) struct Cuda {
    info: CudaInfo,
    modules: Mutex<Modules>,
    // Before the context: fields drop in this order.
    stream: Stream,
    context: Arc<Primary>,
}

/// The device's primary context, retained as long as this lives.
#[derive(Debug)]
struct Primary(Context);

impl Primary {
    /// Makes the context current on the calling thread, whatever was current there.
    fn make_current(&self) -> Result<()> {
        // SAFETY: a context that is retained as long as `self` lives.
        check("cuCtxSetCurrent", unsafe { sys::cuCtxSetCurrent(self.0.as_raw()) })
    }
}

impl Cuda {
    pub(crate) fn new(ordinal: u32) -> Result<Self> {
        let none = |reason: String| Error::NoDevice { reason: format!("CUDA device {ordinal}: {reason}") };
        // SAFETY: the call every use of the driver begins with; it may come any number of times.
        check("cuInit", unsafe { sys::cuInit(0) }).map_err(|error| none(error.to_string()))?;
        let count = checked("cuDeviceGetCount", cust::device::Device::num_devices())?;
        if ordinal >= count {
            return Err(none(format!("the driver has {count}")));
        }
        let device = checked("cuDeviceGet", cust::device::Device::get_device(ordinal))?;
        let attribute = |attribute| {
            checked("cuDeviceGetAttribute", device.get_attribute(attribute)).map(|value| value.max(0) as u32)
        };
        let driver = checked("cuDriverGetVersion", cust::CudaApiVersion::get())?;
        let info = CudaInfo {
            ordinal,
            name: checked("cuDeviceGetName", device.name())?,
            compute_capability: (
                attribute(DeviceAttribute::ComputeCapabilityMajor)?,
                attribute(DeviceAttribute::ComputeCapabilityMinor)?,
            ),
            multiprocessors: attribute(DeviceAttribute::MultiprocessorCount)?,
            driver_cuda: (driver.major().max(0) as u32, driver.minor().max(0) as u32),
        };
        let lowest = crate::PTX.iter().map(|&(arch, ..)| arch).min();
        match lowest {
            Some(lowest) if info.arch() >= lowest => {}
            Some(lowest) => {
                let (major, minor) = info.compute_capability;
                let needed = format!("{}.{}", lowest / 10, lowest % 10);
                let reason = format!("{} has compute capability {major}.{minor}, the kernels need {needed}", info.name);
                return Err(none(reason));
            }
            None => return Err(none("no kernels are embedded".into())),
        }
        let context = Arc::new(Primary(checked("cuDevicePrimaryCtxRetain", Context::new(device))?));
        context.make_current()?;
        let stream = checked("cuStreamCreateWithPriority", Stream::new(StreamFlags::DEFAULT, None))?;
        Ok(Self { info, modules: Mutex::default(), stream, context })
    }
}

impl CudaInfo {
    /// The compute capability as PTX modules are named by: 90 for 9.0.
    fn arch(&self) -> u32 {
        self.compute_capability.0 * 10 + self.compute_capability.1
    }
}

impl Backend for Cuda {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cuda
    }

    fn name(&self) -> &str {
        &self.info.name
    }

    fn tiles(&self) -> Option<Tiles> {
        Some(Tiles::Full)
    }

    fn cuda_info(&self) -> Option<&CudaInfo> {
        Some(&self.info)
    }

    fn memory(&self) -> Result<MemoryInfo> {
        self.context.make_current()?;
        let (mut free, mut total) = (0, 0);
        // SAFETY: two places for the driver to write to.
        check("cuMemGetInfo", unsafe { sys::cuMemGetInfo_v2(&mut free, &mut total) })?;
        Ok(MemoryInfo { free: free as u64, total: total as u64 })
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        self.context.make_current()?;
        let mut address = 0;
        // SAFETY: a place for the driver to write to; its allocations are aligned to 256 bytes at least.
        match unsafe { sys::cuMemAlloc_v2(&mut address, bytes) } {
            sys::CUresult::CUDA_ERROR_OUT_OF_MEMORY => Err(Error::OutOfMemory {
                device: self.info.name.clone(),
                needed: bytes as u64,
                free: self.memory().ok().map(|memory| memory.free),
            }),
            result => check("cuMemAlloc", result).map(|()| address),
        }
    }

    unsafe fn free(&self, address: u64, _bytes: usize) {
        // Work that may still use the memory ends first. Where the context is lost, so is the memory: there is nothing
        // left to do or to report.
        let _ = self.synchronize();
        if self.context.make_current().is_ok() {
            // SAFETY: one of `allocate`'s addresses, freed once, as the caller promises.
            let _ = unsafe { sys::cuMemFree_v2(address) };
        }
    }

    unsafe fn upload(&self, address: u64, bytes: &[u8]) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: both sides have `bytes.len()` bytes, and the slice lives until the copy has ended, below.
        let result =
            unsafe { sys::cuMemcpyHtoDAsync_v2(address, bytes.as_ptr().cast(), bytes.len(), self.stream.as_inner()) };
        let ended = self.synchronize();
        check("cuMemcpyHtoDAsync", result).and(ended)
    }

    unsafe fn download(&self, address: u64, bytes: &mut [u8]) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: both sides have `bytes.len()` bytes, and the slice lives until the copy has ended, below.
        let result = unsafe {
            sys::cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), address, bytes.len(), self.stream.as_inner())
        };
        let ended = self.synchronize();
        check("cuMemcpyDtoHAsync", result).and(ended)
    }

    unsafe fn copy(&self, source: u64, destination: u64, bytes: usize) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: `bytes` bytes within allocations on both sides, as the caller promises.
        let result = unsafe { sys::cuMemcpyDtoDAsync_v2(destination, source, bytes, self.stream.as_inner()) };
        check("cuMemcpyDtoDAsync", result)
    }

    unsafe fn launch(&self, kernel: &'static Kernel, grid: u32, args: &[Arg]) -> Result<()> {
        check_launch(kernel, grid, args)?;
        self.context.make_current()?;
        // A panic while the lock is held can only be in a map's insertion; what is in the maps is whole.
        let function =
            self.modules.lock().unwrap_or_else(PoisonError::into_inner).function(kernel, self.info.arch())?;
        let mut values: Vec<*mut c_void> = args
            .iter()
            .map(|arg| match arg {
                Arg::Address(value) | Arg::U64(value) => ptr::from_ref(value).cast_mut().cast(),
                Arg::U32(value) => ptr::from_ref(value).cast_mut().cast(),
            })
            .collect();
        // SAFETY: one pointer for each parameter, to a value of its size, read during the call only; what the values
        // mean is the caller's promise.
        let result = unsafe {
            sys::cuLaunchKernel(
                function,
                grid,
                1,
                1,
                kernel.threads,
                1,
                1,
                kernel.shared_bytes,
                self.stream.as_inner(),
                values.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", result)
    }

    fn synchronize(&self) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: this device's own stream.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(self.stream.as_inner()) })
    }

    fn record(&self) -> Result<Mark> {
        self.context.make_current()?;
        let event = checked("cuEventCreate", Event::new(EventFlags::DEFAULT))?;
        checked("cuEventRecord", event.record(&self.stream))?;
        Ok(Mark::Cuda(CudaMark { event: Some(event), context: self.context.clone() }))
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        // The stream, dropped next, needs the context current as well.
        if self.context.make_current().is_err() {
            return;
        }
        let _ = self.synchronize();
        self.modules.get_mut().unwrap_or_else(PoisonError::into_inner).unload();
    }
}

/// An event on the stream of a GPU.
#[derive(Debug)]
pub(crate) struct CudaMark {
    // Taken out when dropped, so that it goes while the context is current.
    event: Option<Event>,
    context: Arc<Primary>,
}

impl CudaMark {
    pub(super) fn elapsed_ms_since(&self, earlier: &CudaMark) -> Result<f64> {
        self.context.make_current()?;
        let (Some(end), Some(start)) = (&self.event, &earlier.event) else {
            return Ok(0.0);
        };
        checked("cuEventSynchronize", start.synchronize())?;
        checked("cuEventSynchronize", end.synchronize())?;
        checked("cuEventElapsedTime", end.elapsed_time_f32(start)).map(f64::from)
    }
}

impl Drop for CudaMark {
    fn drop(&mut self) {
        // An event is valid without its context being current, but not without the context; `context` outlives it.
        let _ = self.context.make_current();
        self.event.take();
    }
}
