//! Sorting and merging on NVIDIA GPUs, with every kernel written in Rust.
//!
//! Pick a [`Device`], then sort, argsort or merge: slices of host memory in one call, or buffers that stay on the
//! device. The same kernels run on three kinds of device:
//!
//! | device | what runs | what for |
//! |---|---|---|
//! | [`Device::cuda`] | the kernels, compiled to PTX | speed; needs the feature `cuda` |
//! | [`Device::emulator`] | the same kernels, thread by thread, every access checked | tests, where there is no GPU |
//! | [`Device::cpu`] | no kernels but rayon's sorts | wherever there is no GPU |
//!
//! [`Device::best`] takes the first GPU that works, else the CPU. Results are the same on all three, bit for bit.
//!
//! # Slices
//!
//! ```
//! use gridsort::{Device, SortOptions};
//!
//! let device = Device::best();
//! let mut keys = [5.0f32, -2.0, 8.0, f32::NEG_INFINITY];
//! device.sort(&mut keys, SortOptions::new())?;
//! assert_eq!(keys, [f32::NEG_INFINITY, -2.0, 5.0, 8.0]);
//!
//! let order = device.argsort(&[30, 10, 20], SortOptions::new().descending())?;
//! assert_eq!(order, [0, 2, 1]);
//! # Ok::<(), gridsort::Error>(())
//! ```
//!
//! # Buffers
//!
//! Keys that are needed on the device stay there. A [`Workspace`] keeps scratch memory from call to call.
//!
//! ```
//! use gridsort::{Device, SortOptions, Workspace};
//!
//! let device = Device::emulator();
//! let mut workspace = Workspace::new(&device);
//! let mut a = device.upload(&[9u64, 1, 5])?;
//! let mut b = device.upload(&[4u64, 2])?;
//! device.sort_buffer(&mut a, &mut workspace, SortOptions::new())?;
//! device.sort_buffer(&mut b, &mut workspace, SortOptions::new())?;
//! let mut merged = device.allocate(5)?;
//! device.merge_buffers(&a, &b, &mut merged, SortOptions::new())?;
//! assert_eq!(merged.to_vec()?, [1, 2, 4, 5, 9]);
//! # Ok::<(), gridsort::Error>(())
//! ```
//!
//! Operations take views, so a range of a buffer will do ([`DeviceSlice`], [`DeviceSliceMut`]), and so does memory of
//! another crate ([`DeviceSliceMut::from_raw`]).
//!
//! # Streams and graphs
//!
//! Work is in order on the stream of the handle that it is asked of: the device's own, or one that [`Device::on`] names,
//! made here or elsewhere ([`Stream`]). With scratch memory reserved, operations on buffers neither allocate nor wait, and
//! can be captured to be replayed ([`Graph`]).
//!
//! # Lookups
//!
//! In sorted data [`Device::lower_bound`] and [`Device::upper_bound`] find the places of many queries,
//! [`Device::unique`] and [`Device::run_lengths`] the different keys and how often each occurs.
//!
//! # Keys, order, ties
//!
//! Keys are integers of 8 to 128 bits, `f16`, `bf16`, `f32` and `f64` ([`Key`]); floats in IEEE total order. Payloads are
//! plain data of 1 to 16 bytes ([`Payload`]). Sorts with payloads, argsorts and merges are stable in both directions.
//!
//! # Errors
//!
//! What can go wrong is an [`Error`]; no input makes a call panic. Memory is reserved before anything is moved, so
//! where there is not enough, the input is as it was. Sorts of host slices copy back only what was sorted without an
//! error.
//!
//! # More
//!
//! [`plan`] tells sizes and launches without a device, [`mod@reference`] has the textbook algorithms on the host, and
//! [`chapter`] the textbook's one-thread-per-output kernels and [`bitonic`] its sorts of short segments, to compare with.
#![warn(missing_docs)]

pub mod bitonic;
pub mod chapter;
mod custom;
mod device;
#[cfg(feature = "cuda")]
mod embedded;
mod engine;
mod error;
mod gather;
mod key;
mod lexsort;
mod merge;
mod merge_many;
mod options;
pub mod plan;
pub mod reference;
mod rows;
pub mod sample;
mod search;
mod segments;
mod select;
mod sort;
mod workspace;

pub use custom::{CustomOrder, OrderedKey};
#[cfg(feature = "cuda")]
pub use device::CudaInfo;
pub use device::{
    Device, DeviceBuffer, DeviceKind, DeviceSlice, DeviceSliceMut, EmulatorOptions, Event, Graph, KernelModule,
    MemoryInfo, Stream,
};
pub use engine::Engine;
pub use error::{Error, LaunchProblem, Result};
pub use gridsort_kernels::entry::custom::OrderKernels;
pub use gridsort_kernels::entry::merge_sort::Tiles;
pub use gridsort_kernels::order::Order;
pub use gridsort_kernels::simt::emulator::{Config as EmulatorConfig, Fault, Schedule};
pub use gridsort_kernels::simt::{Arg, Kernel, ParamKind};
pub use key::{Key, KeyCodec, KeyWidth, Payload, PayloadWidth, key_bytes, payload_bytes};
pub use lexsort::{ColumnOptions, HostColumn, SortColumn};
pub use options::{Algorithm, Direction, SortOptions};
pub use rows::Rows;
pub use segments::{Offset, Segments};
pub use select::SelectOptions;
pub use sort::Index;
pub use workspace::Workspace;

/// The embedded kernels: architecture (90 for `sm_90`), module and PTX. For tests that hold them against the list of
/// kernels.
#[cfg(feature = "cuda")]
#[doc(hidden)]
pub fn embedded_ptx() -> &'static [(u32, &'static str, &'static str)] {
    embedded::all_ptx()
}
