//! `cargo xtask build-ptx`: the kernels' PTX, and what NVIDIA's assembler says of it.
use super::rerun;
use crate::Error;
use crate::build::kernels::{self, Options, Ptx, Set};
use crate::build::process::say;
use crate::build::ptxas::report::{ALLOWED, problems, table};
use crate::build::ptxas::{Ptxas, assemble};
use crate::build::{Arch, target_dir};

/// Options of the command.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Install NVIDIA's assembler from PyPI where there is none
    #[arg(long)]
    pub ptxas: bool,
    /// For which GPUs
    #[arg(long, value_enum, value_delimiter = ',', default_values = ["sm_80", "sm_90"])]
    pub arch: Vec<Arch>,
    /// Keep assembled machine code beside the PTX (needs the assembler)
    #[arg(long)]
    pub cubin: bool,
    /// The kernels of McGridsort's engines instead, into host/ptx/grid: a build with the feature `grid` embeds them too
    #[arg(long)]
    pub grid: bool,
    /// Also compile where the PTX is up to date
    #[arg(long)]
    pub force: bool,
}

/// Builds the PTX; where NVIDIA's assembler is there, or `--ptxas` or `--cubin` asks for it, assembles every kernel.
///
/// # Errors
/// Where the PTX cannot be built or is not what the list of kernels says, or a kernel has a stack or spills.
pub fn run(args: &Args) -> Result<(), Error> {
    if args.grid && rerun::with_grid()? {
        return Ok(());
    }
    let set = if args.grid { Set::Engines } else { Set::Sorts };
    let ptx = kernels::build_ptx(&Options { set, archs: args.arch.clone(), force: args.force })?;
    if !ptx.built {
        say(format!("PTX: up to date ({} kernels in {})", set.list().len(), ptx.dir.display()));
    }
    let target = target_dir();
    let ptxas = if args.ptxas || args.cubin { Some(Ptxas::find_or_install(&target)?) } else { Ptxas::find(&target)? };
    match ptxas {
        Some(ptxas) => check(&ptxas, &ptx, args.cubin),
        None => {
            say("ptxas is not installed, so nothing was assembled (`--ptxas` installs it)");
            Ok(())
        }
    }
}

/// Assembles every kernel and holds it to the rule on stacks and spills.
fn check(ptxas: &Ptxas, ptx: &Ptx, keep: bool) -> Result<(), Error> {
    say(format!("assembling with ptxas {}", ptxas.describe()));
    let assembled = assemble(ptxas, ptx, keep)?;
    let kernels = ptx.set.list();
    print!("{}", table(&assembled, &kernels));
    let problems = problems(&assembled, &kernels, ALLOWED);
    for problem in &problems {
        say(format!("error: {problem}"));
    }
    match problems.len() {
        0 => Ok(()),
        n => Err(Error::msg(format!("{n} problems with assembled kernels"))),
    }
}
