//! Finds NVIDIA's assembler, or installs it from PyPI into the target folder.
use std::path::{Path, PathBuf};
use std::process::Command;

use super::super::process::{capture, output, say, which};
use super::super::toolchain::debian;
use crate::Error;

/// Environment variable that names the assembler.
const VARIABLE: &str = "GRIDSORT_PTXAS";

/// The wheels that hold it, and the disassembler and reader of machine code beside it.
const WHEELS: [&str; 3] = ["nvidia-cuda-nvcc==13.0.*", "nvidia-cuda-nvdisasm==13.*", "nvidia-cuda-cuobjdump==13.*"];

/// Where the wheels put programs.
const BIN: &str = "nvidia/cu13/bin";

/// NVIDIA's assembler.
#[derive(Clone, Debug)]
pub struct Ptxas {
    path: PathBuf,
    version: String,
}

impl Ptxas {
    /// The one that `GRIDSORT_PTXAS` names, that in `PATH`, or one installed earlier.
    ///
    /// # Errors
    /// Where `GRIDSORT_PTXAS` names one that does not run.
    pub fn find(target: &Path) -> Result<Option<Self>, Error> {
        if let Some(named) = std::env::var_os(VARIABLE).filter(|v| !v.is_empty()) {
            let found = Self::probe(PathBuf::from(&named));
            return found.map(Some).map_err(|e| Error::msg(format!("{VARIABLE}={}: {e}", named.to_string_lossy())));
        }
        let places = which("ptxas").into_iter().chain([folder(target).join(BIN).join("ptxas")]);
        Ok(places.filter(|p| p.is_file()).find_map(|p| Self::probe(p).ok()))
    }

    /// As [`Ptxas::find`]; where there is none, installs it under the target folder.
    ///
    /// # Errors
    /// Where there is no Python with pip, or PyPI has no such package for this machine.
    pub fn find_or_install(target: &Path) -> Result<Self, Error> {
        if let Some(found) = Self::find(target)? {
            return Ok(found);
        }
        install(target)?;
        Self::probe(folder(target).join(BIN).join("ptxas"))
    }

    fn probe(path: PathBuf) -> Result<Self, Error> {
        let said = capture(Command::new(&path).arg("--version"))?;
        let version = version_of(&said).ok_or_else(|| Error::msg("this is no ptxas"))?.to_owned();
        Ok(Ptxas { path, version })
    }

    /// The program.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its version and place, for the user.
    pub fn describe(&self) -> String {
        format!("{} ({})", self.version, self.path.display())
    }
}

/// The release in what `ptxas --version` says.
fn version_of(said: &str) -> Option<&str> {
    said.lines().find(|l| l.contains("release")).and_then(|l| l.split(", ").last()).map(str::trim)
}

fn folder(target: &Path) -> PathBuf {
    target.join("ptxas")
}

fn install(target: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(target).map_err(Error::io("create", target))?;
    let work = tempfile::Builder::new()
        .prefix("ptxas-")
        .tempdir_in(target)
        .map_err(Error::io("create a folder in", target))?;
    let new = work.path().join("ptxas");
    let mut pip = python(work.path())?;
    say(format!("installing ptxas from PyPI into {}", folder(target).display()));
    // `--no-deps`: the compiler that these wheels also depend on is not needed.
    pip.args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"]);
    pip.arg(&new).args(WHEELS);
    let result = output(&mut pip)?;
    if !result.status.success() {
        let said = String::from_utf8_lossy(&result.stderr);
        let reason = said.lines().rfind(|l| l.starts_with("ERROR")).or(said.lines().last()).unwrap_or_default();
        return Err(Error::msg(format!("pip cannot install ptxas: {reason}")));
    }
    let place = folder(target);
    if place.exists() {
        std::fs::remove_dir_all(&place).map_err(Error::io("remove", &place))?;
    }
    std::fs::rename(&new, &place).map_err(Error::io("write", &place))
}

/// A command that is Python with pip: the system's, else one in a virtual environment, else, on Debian, one that is
/// unpacked for this and thrown away.
fn python(work: &Path) -> Result<Command, Error> {
    let pythons: Vec<PathBuf> = ["python3", "python"].iter().filter_map(|p| which(p)).collect();
    let works =
        |p: &PathBuf| Command::new(p).args(["-m", "pip", "--version"]).output().is_ok_and(|o| o.status.success());
    if let Some(python) = pythons.iter().find(|p| works(p)) {
        return Ok(Command::new(python));
    }
    for python in pythons {
        let venv = work.join("venv");
        let made = Command::new(&python).args(["-m", "venv"]).arg(&venv).output();
        let python = venv.join("bin/python3");
        if made.is_ok_and(|o| o.status.success()) && works(&python) {
            return Ok(Command::new(python));
        }
    }
    let none = "ptxas is installed by Python's pip, and there is none: install python3 with pip \
                (Debian: `apt-get install python3-pip`), or put ptxas into PATH or GRIDSORT_PTXAS";
    if !debian::tools_found() {
        return Err(Error::msg(none));
    }
    say("ptxas is installed by Python's pip, and there is none on this system");
    let work = work.join("python");
    std::fs::create_dir(&work).map_err(Error::io("create", &work))?;
    let tree = debian::python(&work).map_err(|e| Error::msg(format!("{none}; {e}")))?;
    let mut python = Command::new(tree.join("usr/bin/python3"));
    python.env("PYTHONHOME", tree.join("usr")).env("PYTHONPATH", tree.join("usr/lib/python3/dist-packages"));
    if let Ok(libraries) = std::env::join_paths(debian::library_folders(&tree)) {
        python.env("LD_LIBRARY_PATH", libraries);
    }
    Ok(python)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        let said =
            "ptxas: NVIDIA (R) Ptx optimizing assembler\nCuda compilation tools, release 13.0, V13.0.88\nBuild x\n";
        assert_eq!(version_of(said), Some("V13.0.88"));
        assert_eq!(version_of("true (GNU coreutils) 9.1"), None);
    }
}
