//! Which device a command runs on.
use gridsort::{Device, DeviceKind};

use crate::{Error, build};

/// The option `--device`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum DeviceChoice {
    /// A GPU where there is one, else what the command falls back to
    Auto,
    /// The first NVIDIA GPU
    Cuda,
    /// The kernels, thread by thread on the CPU
    Emulator,
    /// No kernels: a parallel sort on the CPU
    Cpu,
}

impl DeviceChoice {
    /// Whether a GPU may be used.
    pub(crate) fn wants_cuda(self) -> bool {
        matches!(self, DeviceChoice::Auto | DeviceChoice::Cuda)
    }

    /// Opens the device; `fallback` is what `auto` means without a GPU.
    pub(crate) fn open(self, fallback: fn() -> Device) -> Result<Device, Error> {
        match self {
            DeviceChoice::Emulator => Ok(Device::emulator()),
            DeviceChoice::Cpu => Ok(Device::cpu()),
            DeviceChoice::Auto => {
                let best = Device::best();
                Ok(if best.kind() == DeviceKind::Cuda { best } else { fallback() })
            }
            DeviceChoice::Cuda if cfg!(feature = "cuda") => Ok(Device::cuda(0)?),
            // With a driver, `rerun` has taken the command to a build that has the feature.
            DeviceChoice::Cuda => Err(no_driver()),
        }
    }
}

/// The error of `--device cuda` on a machine that has no driver.
pub(crate) fn no_driver() -> Error {
    debug_assert!(!build::driver_found());
    Error::msg("--device cuda: no NVIDIA driver was found on this machine")
}

/// A device by name, with its kind where the name does not say it.
pub(crate) fn described(name: &str, kind: &str) -> String {
    if name.eq_ignore_ascii_case(kind) { name.into() } else { format!("{name} ({kind})") }
}
