//! A build that lacks something hands a command over to one that has it: CUDA where there is a GPU, the bench, the
//! engines of McGridsort.
//!
//! The default build needs nothing of NVIDIA's. Where a driver is found, the same command is run by a second build of this
//! program, with the feature `cuda`, in a folder of its own, so that the two do not undo each other's builds.
use std::process::Command;

use super::device::{DeviceChoice, no_driver};
use crate::build::process::{cargo, run, say};
use crate::{Error, build};

/// The exit code of a program whose libraries the system cannot load; no command ends with it.
const CANNOT_LOAD: i32 = 127;

/// Where the command may use a GPU and this program cannot, has a build that can run it. True where that was done.
///
/// # Errors
/// Where a GPU was asked for and there is no driver or the build for it failed, or the command itself failed.
pub(crate) fn on_cuda(choice: DeviceChoice) -> Result<bool, Error> {
    if cfg!(feature = "cuda") || !choice.wants_cuda() {
        return Ok(false);
    }
    if !build::driver_found() {
        return if choice == DeviceChoice::Cuda { Err(no_driver()) } else { Ok(false) };
    }
    let mut command = match build_with_cuda() {
        Ok(command) => command,
        Err(e) if choice == DeviceChoice::Auto => {
            say(format!("a GPU's driver was found, but there is no build for it, so the CPU is used: {e}"));
            return Ok(false);
        }
        Err(e) => return Err(e),
    };
    command.args(std::env::args_os().skip(1));
    let status = command.status().map_err(Error::io("start", command.get_program()))?;
    match status.code() {
        Some(0) => Ok(true),
        // It has said what it lacks; the rest of a driver was there.
        Some(CANNOT_LOAD) if choice == DeviceChoice::Auto => {
            say("the driver's library cannot be loaded, so the CPU is used");
            Ok(false)
        }
        _ => Err(Error::Reported),
    }
}

/// Builds this program with the feature `cuda`, PTX and all, where that is not done yet.
fn build_with_cuda() -> Result<Command, Error> {
    build::build_ptx(&build::Options::default())?;
    let mut features = vec!["cuda"];
    if cfg!(feature = "grid") {
        build::build_ptx(&build::Options { set: build::Set::Engines, ..Default::default() })?;
        features.push("grid");
    }
    if cfg!(feature = "bench") {
        features.push("bench");
    }
    build_with(&features.join(","), "cuda", build::cuda_env()?)
}

/// Has a build with the feature `bench` run the same command.
///
/// # Errors
/// Where the build or the command fails.
#[cfg(not(feature = "bench"))]
pub(crate) fn with_bench(grid: bool) -> Result<(), Error> {
    same_command(build_with(if grid { "bench,grid" } else { "bench" }, "bench", Vec::new())?)
}

/// Has a build with the feature `figures` run the same command.
///
/// # Errors
/// Where the build or the command fails.
#[cfg(not(feature = "figures"))]
pub(crate) fn with_figures() -> Result<(), Error> {
    same_command(build_with("figures", "figures", Vec::new())?)
}

/// Where this build has no engines of McGridsort, has one with them run the same command. True where that was done.
///
/// A build with CUDA was made with all that it is to have, and may be where there is no source to build another from.
///
/// # Errors
/// Where the build or the command fails.
pub(crate) fn with_grid() -> Result<bool, Error> {
    if cfg!(any(feature = "grid", feature = "cuda")) {
        return Ok(false);
    }
    let (features, folder) = if cfg!(feature = "bench") { ("bench,grid", "bench") } else { ("grid", "grid") };
    same_command(build_with(features, folder, Vec::new())?)?;
    Ok(true)
}

/// Runs another build of this program with this one's arguments.
fn same_command(mut command: Command) -> Result<(), Error> {
    command.args(std::env::args_os().skip(1));
    let status = command.status().map_err(Error::io("start", command.get_program()))?;
    if status.success() { Ok(()) } else { Err(Error::Reported) }
}

/// Builds this program with some features, in a folder of its own under the target folder, for some environment.
fn build_with(features: &str, folder: &str, environment: Vec<(String, String)>) -> Result<Command, Error> {
    let folder = build::target_dir().join(folder);
    let program = folder.join("release").join(format!("xtask{}", std::env::consts::EXE_SUFFIX));
    if !program.exists() {
        say(format!("building with {features}"));
    }
    let mut build = cargo();
    build
        .args(["build", "--quiet", "--release", "--package", "xtask", "--bin", "xtask", "--features", features])
        .arg("--target-dir")
        .arg(&folder)
        .envs(environment.iter().cloned());
    run(&mut build)?;
    let mut command = Command::new(program);
    command.envs(environment);
    Ok(command)
}
