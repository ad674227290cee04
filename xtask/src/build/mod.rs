//! Everything that is built beside Rust's own output: the device compiler, the kernels' PTX, what `ptxas` says of it,
//! and the stub that binaries link with where there is no CUDA toolkit.
pub mod cuda;
pub mod examples;
pub mod kernels;
pub mod kit;
pub mod manifest;
pub mod process;
pub mod ptxas;
pub mod stub;

pub use cuda::{cuda_env, driver_found};
pub use gridsort_build::{Arch, DeviceBuilder, device, ptx, toolchain};
pub use kernels::{Options, Set, build_ptx};

use std::path::{Path, PathBuf};

/// The root of the workspace: where cargo says that this package lies, else where it lay when it was compiled.
pub fn workspace_root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR")
        .map(PathBuf::from)
        .filter(|d| d.join("src/build/ptxas").is_dir())
        .unwrap_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")));
    package.parent().map(Path::to_path_buf).unwrap_or(package)
}

/// Cargo's folder for what it builds.
pub fn target_dir() -> PathBuf {
    match std::env::var_os("CARGO_TARGET_DIR").filter(|d| !d.is_empty()) {
        // A relative one is relative to where cargo was called, which is where this process is.
        Some(dir) => std::path::absolute(&dir).unwrap_or_else(|_| PathBuf::from(&dir)),
        None => workspace_root().join("target"),
    }
}

/// Cargo's folder for builds with the feature `cuda`: of its own, so that builds with and without do not undo each other.
pub fn cuda_target_dir() -> PathBuf {
    target_dir().join("cuda")
}

/// Where the host crate expects the kernels' PTX.
pub fn ptx_dir() -> PathBuf {
    workspace_root().join("host/ptx")
}
