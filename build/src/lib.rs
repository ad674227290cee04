//! Compiles device crates to PTX, for build scripts and xtasks.
//!
//! A crate that exports kernels with `gridsort_kernels::export_order!` is compiled and embedded by one call in the build
//! script of the program that uses it:
//!
//! ```no_run
//! // build.rs
//! fn main() -> Result<(), gridsort_build::Error> {
//!     gridsort_build::Kernels::of("device").where_feature("cuda").embed()
//! }
//! ```
//!
//! The kernels are compiled by rustc's own `nvptx64-nvidia-cuda` target. That takes a rustc that has the source of its
//! `core`: the active rustup toolchain with `rustup component add rust-src`, or one that the environment variable
//! `GRIDSORT_DEVICE_RUSTC` names. [`DeviceBuilder`] compiles any device crate and looks at nothing; [`ptx`] takes its
//! output apart.
pub mod device;
mod error;
pub mod kernels;
pub mod process;
pub mod ptx;
pub mod toolchain;

pub use device::{Arch, Built, DeviceBuilder};
pub use error::Error;
pub use kernels::{Kernels, Module};
