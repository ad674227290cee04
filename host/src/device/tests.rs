//! Handles: which are the same device, and what they refuse.
use super::*;
use crate::error::Error;

#[test]
fn handles_cross_threads() {
    fn check<T: Send + Sync>() {}
    check::<Device>();
    check::<DeviceBuffer<u32>>();
    check::<Event>();
}

#[test]
fn clones_are_the_same_device() {
    let device = Device::emulator();
    assert_eq!(device, device.clone());
    assert_ne!(device, Device::emulator());
    assert_ne!(device, Device::cpu());
}

#[test]
fn the_cpu_runs_no_kernels() {
    let kernel = gridsort_kernels::entry::chapter::chapter_kernels(crate::KeyWidth::W32).corank_pass;
    // SAFETY: nothing runs.
    let result = unsafe { Device::cpu().launch(kernel, 1, &[]) };
    assert!(matches!(result, Err(Error::NotSupported { .. })));
}

#[cfg(not(feature = "cuda"))]
#[test]
fn without_the_feature_there_is_no_gpu() {
    assert!(matches!(Device::cuda(0), Err(Error::NoDevice { .. })));
    assert_eq!(Device::best(), Device::cpu());
}
