//! Compiles a device crate to PTX, as rust-cuda's `CudaBuilder` does, with rustc's own `nvptx64-nvidia-cuda` target.
use std::path::{Path, PathBuf};

use crate::Error;
use crate::process::{capture, cargo, output, which};
use crate::toolchain::DeviceToolchain;

/// A GPU architecture that kernels are compiled for. Newer GPUs run the PTX of the newest that is not newer than they.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[cfg_attr(feature = "clap", derive(clap::ValueEnum))]
pub enum Arch {
    /// Ampere.
    #[cfg_attr(feature = "clap", value(name = "sm_80"))]
    Sm80,
    /// Hopper.
    #[cfg_attr(feature = "clap", value(name = "sm_90"))]
    Sm90,
}

impl Arch {
    /// All of them, oldest first.
    pub const ALL: [Arch; 2] = [Arch::Sm80, Arch::Sm90];

    /// The name that compilers know, such as `sm_90`.
    pub fn name(self) -> &'static str {
        match self {
            Arch::Sm80 => "sm_80",
            Arch::Sm90 => "sm_90",
        }
    }

    /// Its number: 90 for `sm_90`.
    pub fn number(self) -> u32 {
        match self {
            Arch::Sm80 => 80,
            Arch::Sm90 => 90,
        }
    }
}

/// The flags of the crate that holds the kernels; its `core` is compiled without them.
///
/// - Register arrays are registers only where every loop over them is unrolled: LLVM's own limit is too low for that.
/// - The MIR pass JumpThreading may copy a barrier onto two paths (rust-lang/rust#137086).
/// - The assembly is the PTX. There is nothing to link.
const FLAGS: [&str; 5] =
    ["-C", "llvm-args=-unroll-threshold=20000", "-Z", "mir-enable-passes=-JumpThreading", "--emit=asm"];

/// The profile: one code generation unit, nothing that unwinds. Given here and not in a manifest, so that a crate needs
/// no profile of this name.
const PROFILE: [&str; 6] = [
    "profile.device.inherits='release'",
    "profile.device.opt-level=3",
    "profile.device.debug=false",
    "profile.device.lto='fat'",
    "profile.device.panic='abort'",
    "profile.device.codegen-units=1",
];

/// All that decides what a source compiles to, apart from the compiler.
pub fn fingerprint() -> String {
    format!("{FLAGS:?} {PROFILE:?}")
}

/// Builds one device crate for one architecture.
///
/// ```no_run
/// # fn main() -> Result<(), gridsort_build::Error> {
/// use gridsort_build::{Arch, DeviceBuilder};
/// DeviceBuilder::new("my-kernels").arch(Arch::Sm80).copy_to("my-kernels.ptx").build()?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct DeviceBuilder {
    crate_dir: PathBuf,
    arch: Arch,
    features: Vec<String>,
    copy_to: Option<PathBuf>,
    target_dir: PathBuf,
    toolchain: Option<DeviceToolchain>,
}

/// What a build gives.
#[derive(Clone, Debug)]
pub struct Built {
    /// The file of PTX.
    pub ptx: PathBuf,
    /// What the compiler said: warnings.
    pub messages: String,
}

impl DeviceBuilder {
    /// A builder of the library crate in `crate_dir`, for sm_90.
    pub fn new(crate_dir: impl Into<PathBuf>) -> Self {
        DeviceBuilder {
            crate_dir: crate_dir.into(),
            arch: Arch::Sm90,
            features: Vec::new(),
            copy_to: None,
            target_dir: PathBuf::from("target/device"),
            toolchain: None,
        }
    }

    /// The architecture to compile for.
    pub fn arch(mut self, arch: Arch) -> Self {
        self.arch = arch;
        self
    }

    /// A cargo feature to turn on; may be called for several.
    pub fn feature(mut self, feature: impl Into<String>) -> Self {
        self.features.push(feature.into());
        self
    }

    /// Where to copy the PTX to.
    pub fn copy_to(mut self, path: impl Into<PathBuf>) -> Self {
        self.copy_to = Some(path.into());
        self
    }

    /// The compiler to use; without it the builder looks for one.
    pub fn toolchain(mut self, toolchain: DeviceToolchain) -> Self {
        self.toolchain = Some(toolchain);
        self
    }

    /// The folder to build in, `target/device` by default. Each architecture has its own in it: they share nothing,
    /// `core` included, and so two can be built at once.
    pub fn target_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.target_dir = dir.into();
        self
    }

    /// Compiles the crate.
    ///
    /// # Errors
    /// Where there is no device compiler, the crate does not compile (with the compiler's messages), or the PTX cannot
    /// be written.
    pub fn build(&self) -> Result<Built, Error> {
        let toolchain = match &self.toolchain {
            Some(t) => t.clone(),
            None => DeviceToolchain::found(&self.crate_dir, self.target_dir.parent().unwrap_or(&self.target_dir))?,
        };
        let manifest =
            std::path::absolute(self.crate_dir.join("Cargo.toml")).map_err(Error::io("find", &self.crate_dir))?;
        let (package, library) = names(&manifest)?;
        let target_dir =
            std::path::absolute(self.target_dir.join(self.arch.name())).map_err(Error::io("find", &self.target_dir))?;
        let out = target_dir.join("nvptx64-nvidia-cuda/device");
        let ptx = out.join("deps").join(format!("{}.s", library.replace('-', "_")));
        // The file has one name, whichever features are on.
        let made_with = ptx.with_extension("features");
        let features = self.features.join(",");
        if std::fs::read_to_string(&made_with).ok().as_ref() != Some(&features) && ptx.exists() {
            std::fs::remove_file(&ptx).map_err(Error::io("remove", &ptx))?;
        }
        let _ = std::fs::remove_file(&made_with);
        let mut messages = self.compile(&toolchain, &manifest, &target_dir)?;
        if !ptx.is_file() {
            // Cargo does not know of this file, and believes a build fresh from which it was removed.
            forget(&out.join(".fingerprint"), &package);
            messages = self.compile(&toolchain, &manifest, &target_dir)?;
        }
        if !ptx.is_file() {
            return Err(Error::msg(format!("the compiler left no {}", ptx.display())));
        }
        std::fs::write(&made_with, &features).map_err(Error::io("write", &made_with))?;
        if let Some(to) = &self.copy_to {
            std::fs::copy(&ptx, to).map_err(Error::io("write", to))?;
        }
        Ok(Built { ptx: self.copy_to.clone().unwrap_or(ptx), messages })
    }

    fn compile(&self, toolchain: &DeviceToolchain, manifest: &Path, target_dir: &Path) -> Result<String, Error> {
        let mut command = cargo();
        command.current_dir(&self.crate_dir);
        toolchain.apply(&mut command);
        command.env("RUSTFLAGS", format!("-C target-cpu={}", self.arch.name()));
        command.args(["rustc", "--quiet"]);
        for line in PROFILE {
            command.arg("--config").arg(line);
        }
        command.arg("--manifest-path").arg(manifest).arg("--target-dir").arg(target_dir);
        command.args(["--lib", "--crate-type", "cdylib", "--profile", "device"]);
        command.args(["--target", "nvptx64-nvidia-cuda", "-Zbuild-std=core"]);
        if !self.features.is_empty() {
            command.arg("--features").arg(self.features.join(","));
        }
        let nothing = which("true").ok_or_else(|| Error::msg("there is no program `true` in PATH"))?;
        command.arg("--").args(FLAGS).arg("-C").arg(format!("linker={}", nothing.display()));
        let output = output(&mut command)?;
        let messages = String::from_utf8_lossy(&output.stderr).into_owned();
        if output.status.success() {
            return Ok(messages);
        }
        eprint!("{messages}");
        Err(Error::msg(format!("the kernels do not compile for {}", self.arch.name())))
    }
}

/// The names of the package and of its library.
pub(crate) fn names(manifest: &Path) -> Result<(String, String), Error> {
    let mut command = cargo();
    command.args(["metadata", "--no-deps", "--format-version", "1", "--manifest-path"]).arg(manifest);
    let metadata: serde_json::Value = serde_json::from_str(&capture(&mut command)?)
        .map_err(|e| Error::content(manifest, format!("cargo describes it in a way that cannot be read: {e}")))?;
    names_in(&metadata, manifest).ok_or_else(|| Error::content(manifest, "there is no library in this package"))
}

fn names_in(metadata: &serde_json::Value, manifest: &Path) -> Option<(String, String)> {
    let package = metadata["packages"]
        .as_array()?
        .iter()
        .find(|p| p["manifest_path"].as_str().is_some_and(|m| Path::new(m) == manifest))?;
    let library = package["targets"].as_array()?.iter().find(|t| {
        t["kind"]
            .as_array()
            .is_some_and(|kinds| kinds.iter().any(|k| matches!(k.as_str(), Some("lib" | "rlib" | "cdylib"))))
    })?;
    Some((package["name"].as_str()?.to_owned(), library["name"].as_str()?.to_owned()))
}

/// Makes cargo compile the package anew.
fn forget(fingerprints: &Path, package: &str) {
    let Ok(entries) = std::fs::read_dir(fingerprints) else {
        return;
    };
    for entry in entries.flatten() {
        let name = entry.file_name().to_string_lossy().into_owned();
        // `<package>-<16 hex digits>`
        if name.strip_prefix(package).is_some_and(|rest| rest.len() == 17 && rest.starts_with('-')) {
            let _ = std::fs::remove_dir_all(entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_the_right_package() {
        let metadata = serde_json::json!({"packages": [
            {"name": "other", "manifest_path": "/w/other/Cargo.toml", "targets": [{"kind": ["lib"], "name": "other"}]},
            {"name": "my-kernels", "manifest_path": "/w/k/Cargo.toml", "targets": [
                {"kind": ["bin"], "name": "tool"}, {"kind": ["rlib"], "name": "my_kernels"}]},
            {"name": "tool", "manifest_path": "/w/t/Cargo.toml", "targets": [{"kind": ["bin"], "name": "tool"}]},
        ]});
        let names = names_in(&metadata, Path::new("/w/k/Cargo.toml"));
        assert_eq!(names, Some(("my-kernels".to_owned(), "my_kernels".to_owned())));
        assert_eq!(names_in(&metadata, Path::new("/w/t/Cargo.toml")), None);
        assert_eq!(names_in(&metadata, Path::new("/w/none/Cargo.toml")), None);
    }

    #[test]
    fn only_the_packages_own_fingerprints_are_forgotten() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["k-0123456789abcdef", "k-more-0123456789abcdef", "core-0123456789abcdef"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        forget(dir.path(), "k");
        let mut left: Vec<_> = std::fs::read_dir(dir.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
        left.sort();
        assert_eq!(left, ["core-0123456789abcdef", "k-more-0123456789abcdef"]);
    }
}
