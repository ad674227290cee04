//! The device compiler: a rustc that has the source of its own `core`, which it needs to compile for
//! `nvptx64-nvidia-cuda`.
//!
//! Looked for in this order: `GRIDSORT_DEVICE_RUSTC`; the active rustup toolchain, where `rust-src` is installed; one
//! unpacked earlier under `target/device-toolchain`; `/usr/bin/rustc` with its source. Where none is there, it is
//! installed: see [`choose_install`].
pub mod debian;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::Error;
use crate::process::{capture, output, say, which};

/// Environment variable that names the device compiler.
pub const RUSTC_VARIABLE: &str = "GRIDSORT_DEVICE_RUSTC";

/// Folder of an unpacked toolchain, in cargo's target folder.
const UNPACKED: &str = "device-toolchain";

/// A compiler that can build device crates.
#[derive(Clone, Debug)]
pub struct DeviceToolchain {
    rustc: PathBuf,
    libraries: Vec<PathBuf>,
    origin: Origin,
    version: String,
}

/// Where a device compiler comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Named by `GRIDSORT_DEVICE_RUSTC`.
    Named,
    /// The active rustup toolchain.
    Rustup,
    /// Unpacked under the target folder.
    Unpacked,
    /// The system's.
    System,
}

impl Origin {
    fn words(self) -> &'static str {
        match self {
            Origin::Named => "named by GRIDSORT_DEVICE_RUSTC",
            Origin::Rustup => "the active rustup toolchain",
            Origin::Unpacked => "unpacked under the target folder",
            Origin::System => "the system's",
        }
    }
}

impl DeviceToolchain {
    /// The first device compiler there is; installs one where there is none.
    ///
    /// # Errors
    /// Where there is none and none can be installed, with what to do about it.
    pub fn find_or_install(root: &Path, target: &Path) -> Result<Self, Error> {
        if let Some(found) = Self::find(root, target)? {
            return Ok(found);
        }
        let facts = Facts {
            apt: debian::tools_found(),
            rustup: which("rustup").is_some(),
            rustup_may_fetch: rustup_may_fetch(std::env::var_os("RUSTUP_AUTO_INSTALL")),
        };
        say("no device compiler (a rustc with the source of `core`) is installed");
        let mut reasons = Vec::new();
        for way in choose_install(&facts) {
            let installed = match way {
                Install::Debian => debian::install(&target.join(UNPACKED)),
                Install::Rustup => add_rust_src(root),
            };
            match installed {
                Ok(()) => match Self::find(root, target)? {
                    Some(found) => return Ok(found),
                    None => reasons.push("what was installed has no source of `core`".to_owned()),
                },
                Err(e) => reasons.push(e.to_string()),
            }
        }
        Err(Error::msg(no_compiler(&reasons)))
    }

    /// The first device compiler that is installed.
    ///
    /// # Errors
    /// As [`DeviceToolchain::find`], and where there is none, with what to do about it.
    pub fn found(root: &Path, target: &Path) -> Result<Self, Error> {
        Self::find(root, target)?.ok_or_else(|| Error::msg(no_compiler(&[])))
    }

    /// The first device compiler that is installed; none where there is none.
    ///
    /// # Errors
    /// Where `GRIDSORT_DEVICE_RUSTC` names one that is of no use.
    pub fn find(root: &Path, target: &Path) -> Result<Option<Self>, Error> {
        if let Some(named) = std::env::var_os(RUSTC_VARIABLE).filter(|v| !v.is_empty()) {
            // One out of an unpacked tree has its libraries there.
            let tree = Path::new(&named).ancestors().nth(3).filter(|t| t.parent().is_some());
            let libraries = tree.map(debian::library_folders).unwrap_or_default();
            let found = Self::probe(Path::new(&named), libraries, Origin::Named)
                .map_err(|why| Error::msg(format!("{RUSTC_VARIABLE}={}: {why}", named.to_string_lossy())))?;
            return Ok(Some(found));
        }
        let mut rustc = Command::new("rustc");
        rustc.current_dir(root).args(["--print", "sysroot"]).env_remove("RUSTC");
        if let Ok(sysroot) = capture(&mut rustc)
            && let Ok(found) = Self::probe(&Path::new(sysroot.trim()).join("bin/rustc"), Vec::new(), Origin::Rustup)
            // Not the system's own, which comes last.
            && found.rustc != Path::new("/usr/bin/rustc")
        {
            return Ok(Some(found));
        }
        // A target folder may lie in another, and have been used from above.
        let root = std::path::absolute(root).unwrap_or_else(|_| root.to_path_buf());
        let targets = target.ancestors().take(3).map(Path::to_path_buf);
        for target in targets.chain(root.ancestors().map(|folder| folder.join("target"))) {
            if let Ok(found) = Self::unpacked(&target.join(UNPACKED)) {
                return Ok(Some(found));
            }
        }
        Ok(Self::probe(Path::new("/usr/bin/rustc"), Vec::new(), Origin::System).ok())
    }

    /// The toolchain that Debian's packages, unpacked in `dir`, make.
    fn unpacked(dir: &Path) -> Result<Self, String> {
        Self::probe(&dir.join("usr/bin/rustc"), debian::library_folders(dir), Origin::Unpacked)
    }

    /// Whether `rustc` runs, is new enough and has the source of `core`; else why not.
    fn probe(rustc: &Path, libraries: Vec<PathBuf>, origin: Origin) -> Result<Self, String> {
        if !rustc.is_file() {
            return Err("there is no such file".to_owned());
        }
        let mut found = DeviceToolchain { rustc: rustc.to_path_buf(), libraries, origin, version: String::new() };
        let asked = |question: &[&str]| {
            let mut command = Command::new(&found.rustc);
            found.set_library_path(&mut command);
            capture(command.args(question)).map_err(|e| e.to_string())
        };
        let version = asked(&["--version"])?.lines().next().unwrap_or_default().to_owned();
        let sysroot = asked(&["--print", "sysroot"])?;
        if version_of(&version).is_none_or(|v| v < needed_version()) {
            let (major, minor) = needed_version();
            return Err(format!("it says it is `{version}`, and gridsort needs rustc {major}.{minor}"));
        }
        let core = Path::new(sysroot.trim()).join("lib/rustlib/src/rust/library/core/src/lib.rs");
        if !core.is_file() {
            return Err(format!("it has no source of `core` ({} is missing)", core.display()));
        }
        found.version = version;
        Ok(found)
    }

    /// Which compiler it is and where it comes from, for the user.
    pub fn describe(&self) -> String {
        format!("{} ({}: {})", self.version, self.origin.words(), self.rustc.display())
    }

    /// The program.
    pub fn rustc(&self) -> &Path {
        &self.rustc
    }

    /// The compiler's version line.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Makes a cargo command use this compiler, with the unstable features that device code needs.
    pub fn apply(&self, command: &mut Command) {
        command.env("RUSTC", &self.rustc).env("RUSTC_BOOTSTRAP", "1");
        // Wrappers and flags are meant for the user's own compiler.
        for variable in
            ["RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "CARGO_ENCODED_RUSTFLAGS", "CARGO_BUILD_TARGET", "RUSTDOC"]
        {
            command.env_remove(variable);
        }
        self.set_library_path(command);
    }

    fn set_library_path(&self, command: &mut Command) {
        if self.libraries.is_empty() {
            return;
        }
        let inherited = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
        let all = self.libraries.iter().cloned().chain(std::env::split_paths(&inherited));
        // A folder whose name holds a colon cannot be said in this variable; then the compiler tells what it misses.
        if let Ok(joined) = std::env::join_paths(all.filter(|p| !p.as_os_str().is_empty())) {
            command.env("LD_LIBRARY_PATH", joined);
        }
    }
}

/// A way to install a device compiler.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Install {
    /// Unpack Debian's packages under the target folder.
    Debian,
    /// Add `rust-src` to the active rustup toolchain.
    Rustup,
}

/// What the choice of an [`Install`] hangs on.
#[derive(Clone, Copy, Debug)]
pub struct Facts {
    /// Debian's package tools are there.
    pub apt: bool,
    /// rustup is there.
    pub rustup: bool,
    /// rustup has leave to fetch.
    pub rustup_may_fetch: bool,
}

/// The ways to try, in order: Debian's packages where there is apt, then rustup, unless it is not to fetch.
pub fn choose_install(facts: &Facts) -> Vec<Install> {
    let mut ways = Vec::new();
    if facts.apt {
        ways.push(Install::Debian);
    }
    if facts.rustup && facts.rustup_may_fetch {
        ways.push(Install::Rustup);
    }
    ways
}

/// `RUSTUP_AUTO_INSTALL=0` says that rustup is not to fetch anything.
fn rustup_may_fetch(variable: Option<OsString>) -> bool {
    variable.is_none_or(|v| v != "0")
}

fn add_rust_src(root: &Path) -> Result<(), Error> {
    say("adding rust-src to the active rustup toolchain");
    let mut rustup = Command::new("rustup");
    let output = output(rustup.current_dir(root).args(["component", "add", "rust-src"]))?;
    if output.status.success() {
        return Ok(());
    }
    let said = String::from_utf8_lossy(&output.stderr);
    let last = said.lines().rfind(|l| !l.trim().is_empty()).unwrap_or_default();
    Err(Error::msg(format!("`rustup component add rust-src` failed: {last}")))
}

fn no_compiler(reasons: &[String]) -> String {
    let (major, minor) = needed_version();
    let mut text = String::from("there is no device compiler");
    for r in reasons {
        text.push_str("; ");
        text.push_str(r);
    }
    text.push_str(&format!(
        ". Type `rustup component add rust-src`, or set {RUSTC_VARIABLE} to a rustc {major}.{minor} or newer that has \
         its source in <sysroot>/lib/rustlib/src/rust"
    ));
    text
}

/// The workspace's `rust-version`: cargo refuses to build the kernels with an older compiler.
fn needed_version() -> (u32, u32) {
    numbers(env!("CARGO_PKG_RUST_VERSION")).unwrap_or_default()
}

/// The version in `rustc 1.96.0 (ac68faa20 2026-05-25)`.
fn version_of(line: &str) -> Option<(u32, u32)> {
    numbers(line.strip_prefix("rustc ")?)
}

/// The first two numbers of a version.
fn numbers(version: &str) -> Option<(u32, u32)> {
    let mut parts = version.split(|c: char| !c.is_ascii_digit());
    Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn debian_comes_first_and_rustup_only_with_leave() {
        let facts = |apt, rustup, rustup_may_fetch| Facts { apt, rustup, rustup_may_fetch };
        assert_eq!(choose_install(&facts(true, true, true)), [Install::Debian, Install::Rustup]);
        assert_eq!(choose_install(&facts(true, true, false)), [Install::Debian]);
        assert_eq!(choose_install(&facts(false, true, true)), [Install::Rustup]);
        assert_eq!(choose_install(&facts(false, true, false)), []);
        assert_eq!(choose_install(&facts(false, false, true)), []);
        assert!(rustup_may_fetch(None));
        assert!(rustup_may_fetch(Some("1".into())));
        assert!(!rustup_may_fetch(Some("0".into())));
    }

    #[test]
    fn versions() {
        assert_eq!(version_of("rustc 1.96.0 (ac68faa20 2026-05-25) (built from a source tarball)"), Some((1, 96)));
        assert_eq!(version_of("rustc 1.100.0-nightly (x)"), Some((1, 100)));
        assert_eq!(version_of("gcc 12"), None);
        assert!(needed_version() >= (1, 95));
    }

    #[test]
    fn a_named_compiler_without_source_is_refused_with_the_reason() {
        let why = DeviceToolchain::probe(Path::new("/nonexistent/rustc"), Vec::new(), Origin::Named).unwrap_err();
        assert!(why.contains("no such file"), "{why}");
    }

    #[test]
    fn the_error_says_what_to_type() {
        let text = no_compiler(&["apt has no rustc-web".to_owned()]);
        assert!(text.contains("rustup component add rust-src") && text.contains(RUSTC_VARIABLE), "{text}");
        assert!(text.contains("apt has no rustc-web"), "{text}");
    }
}
