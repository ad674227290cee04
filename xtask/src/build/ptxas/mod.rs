//! NVIDIA's assembler: assembles every module and reads what each kernel needs of a multiprocessor. No GPU is needed.
mod install;
pub mod report;
pub mod usage;

pub use install::Ptxas;

use std::path::{Path, PathBuf};
use std::process::Command;

use super::Arch;
use super::kernels::Ptx;
use super::process::{in_parallel, output};
use crate::Error;
use usage::Usage;

/// A GPU that is assembled for, and the PTX that it runs: the newest that is not newer than it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target {
    /// The assembler's name for it.
    pub name: &'static str,
    /// Whose PTX.
    pub ptx: Arch,
}

/// Ampere, Hopper and Blackwell.
pub const TARGETS: [Target; 3] = [
    Target { name: "sm_80", ptx: Arch::Sm80 },
    Target { name: "sm_90", ptx: Arch::Sm90 },
    Target { name: "sm_100", ptx: Arch::Sm90 },
];

/// What a kernel needs on one GPU.
#[derive(Clone, Debug)]
pub struct Assembled {
    /// On which GPU.
    pub target: &'static str,
    /// The kernel's module.
    pub module: String,
    /// What it needs.
    pub usage: Usage,
}

/// Assembles every module for each of [`TARGETS`] whose PTX there is. With `keep`, the machine code for a GPU whose own
/// PTX it is stays beside that, as `<module>.cubin`.
///
/// # Errors
/// Where a module does not assemble, with the assembler's words.
pub fn assemble(ptxas: &Ptxas, ptx: &Ptx, keep: bool) -> Result<Vec<Assembled>, Error> {
    let work = tempfile::tempdir().map_err(Error::io("create a folder in", std::env::temp_dir()))?;
    let mut jobs = Vec::new();
    for target in TARGETS.iter().filter(|t| ptx.archs.contains(&t.ptx)) {
        for (module, file) in ptx.modules(target.ptx) {
            let cubin = if keep && target.name == target.ptx.name() {
                file.with_extension("cubin")
            } else {
                work.path().join(format!("{module}.{}.cubin", target.name))
            };
            jobs.push(Job { target: target.name, module, file, cubin });
        }
    }
    let mut all = Vec::new();
    for (job, result) in jobs.iter().zip(in_parallel(&jobs, |job| job.run(ptxas))) {
        let kernels = result?;
        all.extend(kernels.into_iter().map(|usage| Assembled {
            target: job.target,
            module: job.module.clone(),
            usage,
        }));
    }
    Ok(all)
}

struct Job {
    target: &'static str,
    module: String,
    file: PathBuf,
    cubin: PathBuf,
}

impl Job {
    fn run(&self, ptxas: &Ptxas) -> Result<Vec<Usage>, Error> {
        // Written beside and renamed: a cubin cut short would be loaded.
        let new = self.cubin.with_extension(format!("cubin.{}", std::process::id()));
        let mut command = Command::new(ptxas.path());
        command.arg("-v").arg(format!("-arch={}", self.target)).arg(&self.file).arg("-o").arg(&new);
        let output = output(&mut command)?;
        let said = format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        if !output.status.success() {
            return Err(Error::msg(format!(
                "module {} does not assemble for {}: {}",
                self.module,
                self.target,
                said.trim()
            )));
        }
        rename(&new, &self.cubin)?;
        Ok(usage::parse(&said))
    }
}

fn rename(new: &Path, place: &Path) -> Result<(), Error> {
    std::fs::rename(new, place).map_err(Error::io("write", place))
}
