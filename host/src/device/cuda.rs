//! NVIDIA GPUs through the CUDA driver: `cust`, and its raw bindings where `cust` lacks a call or copies by type.
mod context;
mod event;
mod graph;
mod modules;
mod status;

pub(crate) use self::event::CudaMark;

use self::context::Held;
use self::modules::Modules;
use self::status::{check, checked};
use super::backend::{Capturing, check_launch};
use super::graph::NativeGraph;
use super::queue::RawStream;
use super::{Backend, DeviceKind, KernelModule, MemoryInfo, event::Mark};
use crate::error::{Error, Result};
use cust::context::Context;
use cust::device::DeviceAttribute;
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

/// One GPU, with a stream of its own.
#[derive(Debug)]
pub(crate) struct Cuda {
    info: CudaInfo,
    modules: Mutex<Modules>,
    stream: RawStream,
    context: Arc<Held>,
}

/// A stream's handle from the number that it goes by outside of this folder.
fn stream_of(stream: RawStream) -> sys::CUstream {
    ptr::with_exposed_provenance_mut(stream as usize)
}

impl Cuda {
    /// The GPU of this number, in its primary context.
    pub(crate) fn new(ordinal: u32) -> Result<Self> {
        let count = init(ordinal)?;
        if ordinal >= count {
            return Err(none(ordinal, format!("the driver has {count}")));
        }
        let device = checked("cuDeviceGet", cust::device::Device::get_device(ordinal))?;
        let info = CudaInfo::of(ordinal, device)?;
        Self::with(info, Held::Primary(checked("cuDevicePrimaryCtxRetain", Context::new(device))?))
    }

    /// The GPU of the context that is current on the calling thread.
    ///
    /// # Safety
    /// The context outlives the result and all that is made with it.
    pub(crate) unsafe fn of_current_context() -> Result<Self> {
        init(0)?;
        let (mut context, mut ordinal) = (ptr::null_mut(), 0);
        // SAFETY: a place for the driver to write to.
        check("cuCtxGetCurrent", unsafe { sys::cuCtxGetCurrent(&mut context) })?;
        if context.is_null() {
            return Err(Error::NoDevice { reason: "no CUDA context is current on this thread".into() });
        }
        // SAFETY: as above.
        check("cuCtxGetDevice", unsafe { sys::cuCtxGetDevice(&mut ordinal) })?;
        let ordinal = ordinal.max(0) as u32;
        let device = checked("cuDeviceGet", cust::device::Device::get_device(ordinal))?;
        Self::with(CudaInfo::of(ordinal, device)?, Held::Foreign(context))
    }

    fn with(info: CudaInfo, context: Held) -> Result<Self> {
        match crate::embedded::lowest_arch() {
            Some(lowest) if info.arch() >= lowest => {}
            Some(lowest) => {
                let (major, minor) = info.compute_capability;
                let needed = format!("{}.{}", lowest / 10, lowest % 10);
                let reason = format!("{} has compute capability {major}.{minor}, the kernels need {needed}", info.name);
                return Err(none(info.ordinal, reason));
            }
            None => return Err(none(info.ordinal, "no kernels are embedded".into())),
        }
        context.make_current()?;
        let stream = new_stream()?;
        Ok(Self { info, modules: Mutex::default(), stream, context: Arc::new(context) })
    }
}

/// That there is no such device.
fn none(ordinal: u32, reason: String) -> Error {
    Error::NoDevice { reason: format!("CUDA device {ordinal}: {reason}") }
}

/// Starts the driver, which may be done any number of times, and counts its GPUs.
fn init(ordinal: u32) -> Result<u32> {
    // SAFETY: the call every use of the driver begins with.
    check("cuInit", unsafe { sys::cuInit(0) }).map_err(|error| none(ordinal, error.to_string()))?;
    checked("cuDeviceGetCount", cust::device::Device::num_devices())
}

/// A new stream of the current context. It waits for the default stream and the default stream for it, so that work that
/// names no stream stays in order with it.
fn new_stream() -> Result<RawStream> {
    let mut stream = ptr::null_mut();
    let flags = sys::CUstream_flags::CU_STREAM_DEFAULT as u32;
    // SAFETY: a place for the driver to write to.
    check("cuStreamCreate", unsafe { sys::cuStreamCreate(&mut stream, flags) })?;
    Ok(stream.expose_provenance() as RawStream)
}

impl CudaInfo {
    fn of(ordinal: u32, device: cust::device::Device) -> Result<Self> {
        let attribute = |attribute| {
            checked("cuDeviceGetAttribute", device.get_attribute(attribute)).map(|value| value.max(0) as u32)
        };
        let driver = checked("cuDriverGetVersion", cust::CudaApiVersion::get())?;
        Ok(Self {
            ordinal,
            name: checked("cuDeviceGetName", device.name())?,
            compute_capability: (
                attribute(DeviceAttribute::ComputeCapabilityMajor)?,
                attribute(DeviceAttribute::ComputeCapabilityMinor)?,
            ),
            multiprocessors: attribute(DeviceAttribute::MultiprocessorCount)?,
            driver_cuda: (driver.major().max(0) as u32, driver.minor().max(0) as u32),
        })
    }

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
        // Where the context is lost, so is the memory: there is nothing left to do or to report.
        if self.context.make_current().is_ok() {
            // SAFETY: one of `allocate`'s addresses, freed once, as the caller promises.
            let _ = unsafe { sys::cuMemFree_v2(address) };
        }
    }

    unsafe fn upload(&self, stream: RawStream, address: u64, bytes: &[u8]) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: both sides have `bytes.len()` bytes, and the slice lives until the copy has ended, below.
        let result =
            unsafe { sys::cuMemcpyHtoDAsync_v2(address, bytes.as_ptr().cast(), bytes.len(), stream_of(stream)) };
        let ended = self.synchronize(stream);
        check("cuMemcpyHtoDAsync", result).and(ended)
    }

    unsafe fn download(&self, stream: RawStream, address: u64, bytes: &mut [u8]) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: both sides have `bytes.len()` bytes, and the slice lives until the copy has ended, below.
        let result =
            unsafe { sys::cuMemcpyDtoHAsync_v2(bytes.as_mut_ptr().cast(), address, bytes.len(), stream_of(stream)) };
        let ended = self.synchronize(stream);
        check("cuMemcpyDtoHAsync", result).and(ended)
    }

    unsafe fn copy(&self, stream: RawStream, source: u64, destination: u64, bytes: usize) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: `bytes` bytes within allocations on both sides, as the caller promises.
        let result = unsafe { sys::cuMemcpyDtoDAsync_v2(destination, source, bytes, stream_of(stream)) };
        check("cuMemcpyDtoDAsync", result)
    }

    unsafe fn launch(&self, stream: RawStream, kernel: &'static Kernel, grid: u32, args: &[Arg]) -> Result<()> {
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
                stream_of(stream),
                values.as_mut_ptr(),
                ptr::null_mut(),
            )
        };
        check("cuLaunchKernel", result)
    }

    fn prepare(&self, kernels: &[&'static Kernel]) -> Result<()> {
        self.context.make_current()?;
        let mut modules = self.modules.lock().unwrap_or_else(PoisonError::into_inner);
        kernels.iter().try_for_each(|kernel| modules.function(kernel, self.info.arch()).map(drop))
    }

    fn register(&self, kernels: &mut dyn Iterator<Item = &'static Kernel>, modules: &'static [KernelModule]) {
        self.modules.lock().unwrap_or_else(PoisonError::into_inner).register(kernels, modules);
    }

    fn synchronize(&self, stream: RawStream) -> Result<()> {
        self.context.make_current()?;
        // SAFETY: a stream of this context.
        check("cuStreamSynchronize", unsafe { sys::cuStreamSynchronize(stream_of(stream)) })
    }

    fn record(&self, stream: RawStream) -> Result<Mark> {
        self.context.make_current()?;
        CudaMark::record(stream, &self.context).map(Mark::Cuda)
    }

    fn has_streams(&self) -> bool {
        true
    }

    fn stream(&self) -> RawStream {
        self.stream
    }

    fn create_stream(&self) -> Result<RawStream> {
        self.context.make_current()?;
        new_stream()
    }

    unsafe fn destroy_stream(&self, stream: RawStream) {
        if self.context.make_current().is_ok() {
            // SAFETY: made by `create_stream` and used no more; work still on it is finished by the driver.
            let _ = unsafe { sys::cuStreamDestroy_v2(stream_of(stream)) };
        }
    }

    fn wait(&self, stream: RawStream, before: RawStream) -> Result<()> {
        self.context.make_current()?;
        event::wait(stream, before)
    }

    fn begin_capture(&self, stream: RawStream) -> Result<Capturing> {
        self.context.make_current()?;
        graph::begin(stream).map(|()| Capturing::Native)
    }

    fn end_capture(&self, stream: RawStream) -> Result<Box<dyn NativeGraph>> {
        self.context.make_current()?;
        Ok(Box::new(graph::end(stream, &self.context)?))
    }
}

impl Drop for Cuda {
    fn drop(&mut self) {
        if self.context.make_current().is_err() {
            return;
        }
        let _ = self.synchronize(self.stream);
        self.modules.get_mut().unwrap_or_else(PoisonError::into_inner).unload();
        // SAFETY: this device's own stream, destroyed once.
        let _ = unsafe { sys::cuStreamDestroy_v2(stream_of(self.stream)) };
    }
}
