//! The kernels of the example with an order of one's own: compiled and assembled as gridsort's own are.
use gridsort_build::{Arch, Kernels};

use super::kernels::{Ptx, Set};
use super::manifest::{Manifest, module_file};
use super::process::say;
use super::ptxas::report::{problems, table};
use super::ptxas::{Ptxas, assemble};
use super::toolchain::DeviceToolchain;
use crate::Error;

/// The device crate, in the workspace.
const CRATE: &str = "host/examples/records/device";

/// Compiles the example's kernels and, with the assembler, demands of them what is demanded of gridsort's own.
///
/// # Errors
/// Where they do not compile or assemble, or one has a stack or spills.
pub fn check(ptxas: &Ptxas) -> Result<(), Error> {
    let root = super::workspace_root();
    let toolchain = DeviceToolchain::find_or_install(&root, &super::target_dir())?;
    // Where the example's own build script looks first.
    let target = super::target_dir().join("device");
    let (kernels, modules) = Kernels::of(root.join(CRATE)).target_dir(target).toolchain(toolchain).build()?;

    let work = tempfile::tempdir().map_err(Error::io("create a folder in", std::env::temp_dir()))?;
    let mut manifest = Manifest::default();
    for module in modules {
        let file = module_file(work.path(), module.arch, &module.name, "ptx");
        std::fs::create_dir_all(work.path().join(module.arch.name())).map_err(Error::io("create", work.path()))?;
        std::fs::write(&file, &module.ptx).map_err(Error::io("write", &file))?;
        manifest.modules.entry(module.arch.name().to_owned()).or_default().push(module.name);
    }
    let ptx = Ptx { set: Set::Sorts, dir: work.path().to_owned(), archs: Arch::ALL.to_vec(), manifest, built: true };
    let assembled = assemble(ptxas, &ptx, false)?;
    print!("{}", table(&assembled, &[]));
    let mut problems = problems(&assembled, &[], &[]);
    let missing = kernels.iter().filter(|k| !assembled.iter().any(|a| a.usage.kernel == k.name));
    problems.extend(missing.map(|k| format!("the assembler said nothing of {}", k.name)));
    for problem in &problems {
        say(format!("error: {problem}"));
    }
    match problems.len() {
        0 => Ok(()),
        n => Err(Error::msg(format!("{n} problems with the example's kernels"))),
    }
}
