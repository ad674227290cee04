//! Devices: where memory is, kernels run, and time is taken.
//!
//! Three kinds stand behind one handle: NVIDIA GPUs through the CUDA driver, the emulator that runs the same kernels
//! thread by thread, and the CPU, where operations are rayon's. All but the last differ only in the trait of
//! `backend.rs`; whatever is built on it serves both.
mod backend;
mod buffer;
mod cpu;
#[cfg(feature = "cuda")]
mod cuda;
mod emulator;
mod event;
#[cfg(test)]
mod failing;
mod graph;
mod host;
mod module;
mod queue;
mod slice;
mod slice_mut;
mod stream;
mod work;

pub use buffer::DeviceBuffer;
#[cfg(feature = "cuda")]
pub use cuda::CudaInfo;
pub use emulator::EmulatorOptions;
pub use event::Event;
pub use graph::Graph;
pub use module::KernelModule;
pub use slice::DeviceSlice;
pub use slice_mut::DeviceSliceMut;
pub use stream::Stream;

pub(crate) use backend::Backend;
#[cfg(test)]
pub(crate) use failing::{Failures, Queued};
pub(crate) use queue::Allocation;
pub(crate) use slice::host_vec;

use crate::error::Result;
use bytemuck::Pod;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::simt::{Arg, Kernel};
use queue::Queue;
use std::fmt;
use std::sync::{Arc, OnceLock};

/// A handle to a device; clones share the device.
///
/// Each call that makes a device makes one of its own, with its own order of work, except [`Device::cpu`], which is
/// always the same. Buffers, workspaces and events belong to one device and its clones. A handle's operations go to one
/// stream, the device's own unless [`Device::on`] names another. Handles are free to cross threads; calls from several
/// threads go to the stream in some order.
///
/// ```
/// use gridsort::{Device, DeviceKind, SortOptions};
///
/// let device = Device::cpu();
/// assert_eq!(device.kind(), DeviceKind::Cpu);
/// let mut keys = [2.5f32, -1.0, 7.0];
/// device.sort(&mut keys, SortOptions::new())?;
/// assert_eq!(keys, [-1.0, 2.5, 7.0]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Clone)]
pub struct Device {
    // The queue first: a stream goes before its device.
    queue: Arc<Queue>,
    backend: Arc<dyn Backend>,
}

/// What a device is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeviceKind {
    /// An NVIDIA GPU.
    Cuda,
    /// The emulator: the GPU's kernels, thread by thread on the CPU.
    Emulator,
    /// The CPU, without kernels.
    Cpu,
}

/// A device's memory, bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MemoryInfo {
    /// What can still be allocated.
    pub free: u64,
    /// All there is.
    pub total: u64,
}

impl Device {
    fn new(backend: impl Backend + 'static) -> Self {
        let backend: Arc<dyn Backend> = Arc::new(backend);
        let queue = Queue::new(backend.clone(), backend.stream(), false);
        Self { backend, queue }
    }

    /// The first NVIDIA GPU where the feature `cuda` is on and one works, else the CPU.
    ///
    /// ```
    /// let device = gridsort::Device::best();
    /// let mut keys = [3u32, 1, 2];
    /// device.sort(&mut keys, gridsort::SortOptions::new())?;
    /// assert_eq!(keys, [1, 2, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn best() -> Self {
        Self::cuda(0).unwrap_or_else(|_| Self::cpu())
    }

    /// The NVIDIA GPU of this number, counted from 0.
    ///
    /// ```
    /// use gridsort::{Device, Error};
    ///
    /// match Device::cuda(0) {
    ///     Ok(device) => println!("{}", device.name()),
    ///     Err(error @ Error::NoDevice { .. }) => println!("{error}"),
    ///     Err(error) => return Err(error),
    /// }
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoDevice`](crate::Error::NoDevice) where the crate was built without the feature `cuda`, there is no
    /// driver, no such GPU, or one too old for the kernels (compute capability below 8.0).
    pub fn cuda(ordinal: u32) -> Result<Self> {
        #[cfg(feature = "cuda")]
        return cuda::Cuda::new(ordinal).map(Self::new);
        #[cfg(not(feature = "cuda"))]
        Err(crate::error::Error::NoDevice {
            reason: format!("CUDA device {ordinal}: built without the feature `cuda`"),
        })
    }

    /// The NVIDIA GPU of the CUDA context that is current on the calling thread, to work in that context.
    ///
    /// Not needed with crates that use the GPU's primary context, as the CUDA runtime, cudarc, candle and PyTorch do:
    /// there [`Device::cuda`] works in the same one.
    ///
    /// ```no_run
    /// // SAFETY: whoever made the context keeps it to the end of the program.
    /// let device = unsafe { gridsort::Device::from_current_context()? };
    /// println!("{}", device.name());
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Safety
    /// The context is not destroyed before the device's last handle and all that was made with it: buffers, workspaces,
    /// streams, events and graphs.
    ///
    /// # Errors
    /// As [`Device::cuda`]; [`Error::NoDevice`](crate::Error::NoDevice) also where no context is current.
    pub unsafe fn from_current_context() -> Result<Self> {
        #[cfg(feature = "cuda")]
        // SAFETY: as the caller promises.
        return unsafe { cuda::Cuda::of_current_context() }.map(Self::new);
        #[cfg(not(feature = "cuda"))]
        Err(crate::error::Error::NoDevice {
            reason: "the current CUDA context: built without the feature `cuda`".into(),
        })
    }

    /// A new emulated device, with every check on.
    ///
    /// ```
    /// use gridsort::{Device, SortOptions};
    ///
    /// let mut keys = [3u32, 1, 2];
    /// Device::emulator().sort(&mut keys, SortOptions::new())?;
    /// assert_eq!(keys, [1, 2, 3]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn emulator() -> Self {
        Self::emulator_with(EmulatorOptions::default())
    }

    /// A new emulated device that behaves as told.
    ///
    /// ```
    /// use gridsort::{Device, DeviceKind, EmulatorOptions, Tiles};
    ///
    /// let options = EmulatorOptions { tiles: Tiles::Small, ..Default::default() };
    /// assert_eq!(Device::emulator_with(options).kind(), DeviceKind::Emulator);
    /// ```
    pub fn emulator_with(options: EmulatorOptions) -> Self {
        Self::new(emulator::Emulator::new(options))
    }

    /// The CPU: sorts and merges with all its cores.
    ///
    /// ```
    /// assert_eq!(gridsort::Device::cpu(), gridsort::Device::cpu());
    /// ```
    pub fn cpu() -> Self {
        static CPU: OnceLock<Device> = OnceLock::new();
        CPU.get_or_init(|| Self::new(cpu::Cpu)).clone()
    }

    /// What the device is.
    ///
    /// ```
    /// use gridsort::{Device, DeviceKind};
    ///
    /// assert_eq!(Device::emulator().kind(), DeviceKind::Emulator);
    /// ```
    pub fn kind(&self) -> DeviceKind {
        self.backend.kind()
    }

    /// The device's name; a GPU's as its driver gives it.
    ///
    /// ```
    /// assert_eq!(gridsort::Device::emulator().name(), "emulator");
    /// ```
    pub fn name(&self) -> &str {
        self.backend.name()
    }

    /// More about a GPU; `None` for other devices.
    ///
    /// ```
    /// assert!(gridsort::Device::cpu().cuda_info().is_none());
    /// ```
    #[cfg(feature = "cuda")]
    pub fn cuda_info(&self) -> Option<&CudaInfo> {
        self.backend.cuda_info()
    }

    /// The device's free and total memory.
    ///
    /// ```no_run
    /// let memory = gridsort::Device::best().memory()?;
    /// println!("{} of {} bytes free", memory.free, memory.total);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotSupported`](crate::Error::NotSupported) for devices in host memory where the system does not tell.
    pub fn memory(&self) -> Result<MemoryInfo> {
        self.backend.memory()
    }

    /// Waits until the device has done all work given to it on this handle's stream.
    ///
    /// ```
    /// gridsort::Device::emulator().synchronize()?;
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// What went wrong in that work.
    pub fn synchronize(&self) -> Result<()> {
        self.not_while_capturing("wait while it captures a graph")?;
        self.backend.synchronize(self.queue.raw())
    }

    /// Allocates a buffer of `len` elements. What they hold is up to the device until they are written.
    ///
    /// ```
    /// let buffer = gridsort::Device::emulator().allocate::<u32>(100)?;
    /// assert_eq!(buffer.len(), 100);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), [`Error::TooLarge`](crate::Error::TooLarge).
    pub fn allocate<T: Pod>(&self, len: usize) -> Result<DeviceBuffer<T>> {
        DeviceBuffer::allocate(self, len)
    }

    /// Copies elements into a new buffer.
    ///
    /// ```
    /// let buffer = gridsort::Device::emulator().upload(&[1u64, 2])?;
    /// assert_eq!(buffer.to_vec()?, [1, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn upload<T: Pod>(&self, elements: &[T]) -> Result<DeviceBuffer<T>> {
        let mut buffer = self.allocate(elements.len())?;
        buffer.copy_from_slice(elements)?;
        Ok(buffer)
    }

    /// Marks this point in the order of work on this handle's stream, to time what lies between two of them.
    ///
    /// ```
    /// let device = gridsort::Device::emulator();
    /// let (start, end) = (device.record()?, device.record()?);
    /// assert!(end.elapsed_ms_since(&start)? >= 0.0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::Cuda`](crate::Error::Cuda).
    pub fn record(&self) -> Result<Event> {
        self.not_while_capturing("record an event while it captures a graph")?;
        Ok(Event::new(self.clone(), self.backend.record(self.queue.raw())?))
    }

    /// Starts a kernel on `grid` blocks of its own size. For kernels that no operation of this crate launches.
    ///
    /// On a GPU the kernel must be in the embedded PTX.
    ///
    /// ```
    /// use gridsort::{Device, Key, KeyWidth, SortOptions};
    /// use gridsort_kernels::entry::chapter::chapter_kernels;
    /// use gridsort_kernels::simt::Arg;
    ///
    /// let device = Device::emulator();
    /// let (source, target) = (device.upload(&[2u32, 1])?, device.allocate::<u32>(2)?);
    /// let kernel = chapter_kernels(KeyWidth::W32).corank_pass;
    /// let (n, width) = (Arg::U64(2), Arg::U64(1));
    /// let buffers = [Arg::Address(source.address()), Arg::Address(target.address())];
    /// // SAFETY: two buffers of n keys each, on this device.
    /// unsafe { device.launch(kernel, 1, &[buffers[0], buffers[1], n, width, Arg::U32(0)])? };
    /// assert_eq!(target.to_vec()?, [1, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Safety
    /// The arguments are what the kernel demands: addresses of this device, with room for what the kernel reads and
    /// writes, and not in use on another stream. Their number and kinds are checked.
    ///
    /// # Errors
    /// [`Error::Launch`](crate::Error::Launch) where the arguments do not fit,
    /// [`Error::NotSupported`](crate::Error::NotSupported) on the CPU, [`Error::Kernel`](crate::Error::Kernel) and
    /// [`Error::Cuda`](crate::Error::Cuda).
    pub unsafe fn launch(&self, kernel: &'static Kernel, grid: u32, args: &[Arg]) -> Result<()> {
        // SAFETY: the caller's promise is the one asked for.
        unsafe { self.run(kernel, grid, args) }
    }

    /// Runs the allocations of one operation, `total` bytes in all. Where one fails, those before it are given back
    /// and the error names the total.
    pub(crate) fn allocate_all<T>(&self, total: u64, allocations: impl FnOnce() -> Result<T>) -> Result<T> {
        let free = || self.memory().ok().map(|memory| memory.free);
        allocations().map_err(|error| error.of_operation(total, free))
    }

    pub(crate) fn backend(&self) -> &dyn Backend {
        &*self.backend
    }

    /// The tiles that kernels on this device have, or `None` where it runs no kernels: then it is the CPU.
    pub(crate) fn tiles(&self) -> Option<Tiles> {
        self.backend.tiles()
    }
}

impl PartialEq for Device {
    /// Whether both are the same device: clones of one handle.
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.backend, &other.backend)
    }
}

impl Eq for Device {}

impl fmt::Debug for Device {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Device").field("kind", &self.kind()).field("name", &self.name()).finish()
    }
}

impl fmt::Display for DeviceKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            DeviceKind::Cuda => "cuda",
            DeviceKind::Emulator => "emulator",
            DeviceKind::Cpu => "cpu",
        })
    }
}

#[cfg(test)]
mod tests;
