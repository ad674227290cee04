//! The devices to test on.
//!
//! `GRIDSORT_TEST_DEVICE` chooses: `emulator`, `cpu` or `cuda`; without it, the emulator and the CPU. The emulator is
//! two targets, one with tiny tiles, where a few hundred keys reach many tiles and passes, and one with the GPU's, which
//! is slow and gets few cases.
use gridsort::plan::Shape;
use gridsort::{Device, DeviceKind, EmulatorConfig, EmulatorOptions, KeyWidth, PayloadWidth, Tiles};
use std::fmt;
use std::sync::OnceLock;

/// The variable that chooses devices.
pub const VARIABLE: &str = "GRIDSORT_TEST_DEVICE";

/// A device to test on.
#[derive(Debug)]
pub struct Target {
    /// It.
    pub device: Device,
    /// The tiles of its kernels; `None` where no kernels run.
    pub tiles: Option<Tiles>,
}

impl Target {
    /// An emulated device with these tiles that runs launches on the caller's thread: tests run side by side already,
    /// and most launches are too small to share.
    pub fn emulator(tiles: Tiles) -> Self {
        Self::emulator_with(tiles, EmulatorConfig { workers: 1, ..Default::default() })
    }

    /// An emulated device with these tiles.
    pub fn emulator_with(tiles: Tiles, config: EmulatorConfig) -> Self {
        Self { device: Device::emulator_with(EmulatorOptions { config, tiles }), tiles: Some(tiles) }
    }

    /// Whether a key costs so much time that only a few cases can be run.
    pub fn is_slow(&self) -> bool {
        self.device.kind() == DeviceKind::Emulator && self.tiles == Some(Tiles::Full)
    }

    /// Whether it is a GPU.
    pub fn is_cuda(&self) -> bool {
        self.device.kind() == DeviceKind::Cuda
    }

    /// The sizes of its kernels' tiles. The CPU has none, and any sizes will do: it gets the tiny ones.
    pub fn shape(&self, key: KeyWidth, payload: PayloadWidth) -> Shape {
        Shape::of(key, payload, self.tiles.unwrap_or(Tiles::Small))
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.device.name())?;
        match self.tiles {
            Some(Tiles::Small) => write!(f, " with tiny tiles"),
            _ => Ok(()),
        }
    }
}

/// The devices to test on. One list for all tests of a program: a GPU's kernels are loaded once.
///
/// # Panics
/// Where the variable names no device, or a GPU that is not there: such a test must not pass.
pub fn targets() -> &'static [Target] {
    static TARGETS: OnceLock<Vec<Target>> = OnceLock::new();
    TARGETS.get_or_init(|| {
        let emulators = || [Target::emulator(Tiles::Small), Target::emulator(Tiles::Full)];
        let cpu = || Target { device: Device::cpu(), tiles: None };
        match std::env::var(VARIABLE).unwrap_or_default().as_str() {
            "" => emulators().into_iter().chain([cpu()]).collect(),
            "emulator" => emulators().into(),
            "cpu" => vec![cpu()],
            "cuda" => {
                let device = Device::cuda(0).unwrap_or_else(|error| panic!("{VARIABLE}=cuda: {error}"));
                println!("testing on {}", device.name());
                vec![Target { device, tiles: Some(Tiles::Full) }]
            }
            other => panic!("{VARIABLE}={other}: expected emulator, cpu or cuda"),
        }
    })
}

/// Those that run kernels.
pub fn kernel_targets() -> impl Iterator<Item = &'static Target> {
    targets().iter().filter(|target| target.tiles.is_some())
}

/// The GPU, where it is to be tested on. Says so where it is not.
pub fn gpu(test: &str) -> Option<&'static Target> {
    let gpu = targets().iter().find(|target| target.is_cuda());
    if gpu.is_none() {
        println!("{test}: skipped, it needs {VARIABLE}=cuda");
    }
    gpu
}

/// Whether the emulator is to be tested on. Says so where it is not.
pub fn emulator_wanted(test: &str) -> bool {
    let wanted = targets().iter().any(|target| target.device.kind() == DeviceKind::Emulator);
    if !wanted {
        println!("{test}: skipped, it is the emulator's");
    }
    wanted
}
