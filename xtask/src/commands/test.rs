//! `cargo xtask test`: the kernels built and assembled, the whole test suite, and the same on a GPU where there is one.
use super::build_ptx;
use crate::Error;
use crate::build::process::{self, cargo, say, shown};
use crate::build::ptxas::Ptxas;
use crate::build::{Arch, cuda_env, driver_found, examples, target_dir};

/// Options of the command.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// Do not run the suite on a GPU, even where there is one
    #[arg(long)]
    pub no_gpu: bool,
}

/// Builds and checks the PTX, runs `cargo test`, and the suite on a GPU where a driver is found.
///
/// # Errors
/// At the first step that fails.
pub fn run(args: &Args) -> Result<(), Error> {
    say("== kernels: compile, check, assemble");
    build_ptx::run(&build_ptx::Args {
        ptxas: true,
        arch: Arch::ALL.to_vec(),
        cubin: false,
        grid: false,
        force: false,
    })?;

    say("== the example with an order of its own: compile, check, assemble");
    examples::check(&Ptxas::find_or_install(&target_dir())?)?;

    let mut tests = cargo();
    // With the bench: its tests are part of the suite.
    tests.args(["test", "--workspace", "--features", "xtask/bench"]);
    step("the test suite, kernels on the emulator", &mut tests)?;

    if args.no_gpu {
        say("== not run on a GPU (--no-gpu)");
    } else if driver_found() {
        let mut tests = cargo();
        tests.args(["test", "--package", "gridsort-tests", "--features", "cuda"]);
        tests.envs(cuda_env()?).env("GRIDSORT_TEST_DEVICE", "cuda");
        step("the test suite, kernels on the GPU", &mut tests)?;
        for (what, options) in [
            ("the example with an order of its own", &[][..]),
            ("orders that contradict themselves", &["--contradict"]),
        ] {
            let mut example = cargo();
            example.args(["run", "--release", "--package", "records", "--features", "cuda", "--", "--device", "cuda"]);
            example.args(options).envs(cuda_env()?);
            step(what, &mut example)?;
        }
    } else {
        say("== no NVIDIA driver is found, so nothing was run on a GPU");
    }
    say("== all passed");
    Ok(())
}

/// Runs one step, whose output is the user's to see.
fn step(what: &str, command: &mut std::process::Command) -> Result<(), Error> {
    say(format!("== {what}: {}", shown(command)));
    Ok(process::run(command)?)
}
