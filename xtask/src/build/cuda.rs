//! What cargo needs to build with the feature `cuda`, and whether this machine has an NVIDIA driver.
use std::path::{Path, PathBuf};

use super::process::which;
use super::stub;
use crate::Error;

/// The environment with which cargo builds and runs with the feature `cuda`; makes the stub to link with where there is
/// no CUDA toolkit.
///
/// # Errors
/// Where there is no toolkit and the stub cannot be made.
pub fn cuda_env() -> Result<Vec<(String, String)>, Error> {
    if toolkit_found() {
        return Ok(Vec::new());
    }
    let stub = stub::make(&super::target_dir())?;
    Ok(vec![("CUDA_LIBRARY_PATH".to_owned(), stub.display().to_string())])
}

/// Whether this machine has an NVIDIA GPU and a driver for it.
pub fn driver_found() -> bool {
    // `nvidia-smi` alone is in many images that run without a GPU.
    let device = ["/dev/nvidiactl", "/dev/nvidia0", "/dev/dxg"].iter().any(|d| Path::new(d).exists());
    device && (library_folders().iter().any(|d| d.join("libcuda.so.1").exists()) || which("nvidia-smi").is_some())
}

/// Where a driver's library may lie.
fn library_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> =
        std::env::var_os("LD_LIBRARY_PATH").map(|v| std::env::split_paths(&v).collect()).unwrap_or_default();
    for known in [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/lib/x86_64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/usr/lib64/nvidia",
        "/usr/local/nvidia/lib64",
        "/usr/local/cuda/compat",
        "/usr/lib/wsl/lib",
        "/run/opengl-driver/lib",
    ] {
        folders.push(known.into());
    }
    folders
}

/// Whether the build of `cust` finds a `libcuda` to link with by itself: in the folders that it looks in.
fn toolkit_found() -> bool {
    let named = std::env::var_os("CUDA_LIBRARY_PATH").unwrap_or_default();
    let mut roots: Vec<PathBuf> = std::env::split_paths(&named).filter(|p| !p.as_os_str().is_empty()).collect();
    roots.extend(["/opt/cuda".into(), "/usr/local/cuda".into()]);
    if let Ok(entries) = std::fs::read_dir("/usr/local") {
        roots.extend(
            entries.flatten().filter(|e| e.file_name().to_string_lossy().starts_with("cuda-")).map(|e| e.path()),
        );
    }
    roots.iter().any(|r| has_libcuda(r))
}

fn has_libcuda(root: &Path) -> bool {
    let folders = ["lib64", "lib64/stubs", "targets/x86_64-linux/lib", "targets/x86_64-linux/lib/stubs"];
    folders.iter().any(|f| root.join(f).join("libcuda.so").exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_toolkit_is_one_that_can_be_linked_with() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!has_libcuda(dir.path()));
        std::fs::create_dir_all(dir.path().join("lib64/stubs")).unwrap();
        assert!(!has_libcuda(dir.path()));
        std::fs::write(dir.path().join("lib64/stubs/libcuda.so"), "").unwrap();
        assert!(has_libcuda(dir.path()));
    }
}
