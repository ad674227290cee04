//! `cargo xtask kit`: a folder for a GPU machine without Rust, with the tests, this program and a script that runs them.
use std::path::{Path, PathBuf};

use super::rerun;
use crate::Error;
use crate::build::kit::{build, copy_stripped, needed_glibc, size};
use crate::build::process::{self, say};
use crate::build::{Options, Set, build_ptx};

/// The script.
const RUN: &str = include_str!("kit/run.sh");

/// What a kit may weigh.
const MOST_BYTES: u64 = 60_000_000;

/// Debian 12's. A kit that asks for a newer one was built on too new a system for the machines that it is for.
const NEWEST_GLIBC: (u32, u32) = (2, 36);

/// Options of the command.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The folder to make; an earlier kit in its place is replaced
    #[arg(long, default_value = "kit")]
    pub out: PathBuf,
    /// With the kernels of McGridsort's engines: for `xtask bench --case grid`, and their tests
    #[arg(long)]
    pub grid: bool,
}

/// Builds everything and packs it.
///
/// # Errors
/// Where a build fails, `out` holds something that is no kit, or the kit is too large or asks for too new a system.
pub fn run(args: &Args) -> Result<(), Error> {
    let out = std::path::absolute(&args.out).map_err(Error::io("find", &args.out))?;
    if !replaceable(&out) {
        return Err(Error::content(&out, "this is no kit, so it is not replaced"));
    }
    if args.grid && rerun::with_grid()? {
        return Ok(());
    }
    build_ptx(&Options::default())?;
    if args.grid {
        build_ptx(&Options { set: Set::Engines, ..Options::default() })?;
    }
    say("building the tests with CUDA");
    // The tests have the engines by default, and would embed what was compiled for another kit.
    let with = if args.grid { ["--features", "grid"].as_slice() } else { &["--no-default-features"] };
    let tests = build(&[&["test", "--package", "gridsort-tests", "--no-run"], with].concat(), "test")?;
    say("building this program with CUDA");
    let features = if args.grid { "bench,grid" } else { "bench" };
    let mut programs = build(&["build", "--package", "xtask", "--bin", "xtask", "--features", features], "bin")?;
    say("building the example with an order of its own");
    programs.extend(build(&["build", "--package", "records", "--bin", "records"], "bin")?);
    say("building the example with buffers of cudarc's");
    programs.extend(build(&["build", "--package", "gridsort", "--example", "cudarc_sort"], "example")?);

    let parent = out.parent().ok_or_else(|| Error::content(&out, "this folder cannot be replaced"))?;
    std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
    let work =
        tempfile::Builder::new().prefix(".kit-").tempdir_in(parent).map_err(Error::io("create a folder in", parent))?;
    let new = work.path().join("kit");
    for (folder, programs) in [("tests", &tests), ("bin", &programs)] {
        let folder = new.join(folder);
        std::fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        for program in programs {
            let to = folder.join(&program.name);
            copy_stripped(&program.path, &to)?;
            let glibc = needed_glibc(&to)?;
            if glibc > NEWEST_GLIBC {
                return Err(Error::content(
                    &to,
                    format!(
                        "it asks for glibc {}.{}, and a kit may ask for {}.{} at most: build it on an older system",
                        glibc.0, glibc.1, NEWEST_GLIBC.0, NEWEST_GLIBC.1
                    ),
                ));
            }
            // What is embedded is packed already, the code around it is not.
            process::run(std::process::Command::new("gzip").args(["-9", "--force"]).arg(&to))?;
        }
    }
    let script = new.join("run.sh");
    std::fs::write(&script, RUN).map_err(Error::io("write", &script))?;
    make_executable(&script)?;
    let bytes = size(&new)?;
    let megabytes = bytes as f64 / 1e6;
    if bytes > MOST_BYTES {
        return Err(Error::msg(format!("the kit has {megabytes:.1} MB and may have {}", MOST_BYTES / 1_000_000)));
    }
    if out.exists() {
        std::fs::remove_dir_all(&out).map_err(Error::io("remove", &out))?;
    }
    std::fs::rename(&new, &out).map_err(Error::io("write", &out))?;
    say(format!("{}: {megabytes:.1} MB; on the GPU machine: sh run.sh", out.display()));
    Ok(())
}

/// Whether the folder may be replaced: it is not there, empty, or an earlier kit.
fn replaceable(out: &Path) -> bool {
    match std::fs::read_dir(out) {
        Ok(mut entries) => {
            entries.next().is_none()
                || (out.join("run.sh").is_file()
                    && ["xtask", "xtask.gz"].iter().any(|name| out.join("bin").join(name).is_file()))
        }
        Err(_) => !out.exists(),
    }
}

fn make_executable(file: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(file, PermissionsExt::from_mode(0o755)).map_err(Error::io("open", file))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_kit_is_replaced() {
        let dir = tempfile::tempdir().unwrap();
        let out = dir.path().join("kit");
        assert!(replaceable(&out));
        std::fs::create_dir_all(out.join("bin")).unwrap();
        assert!(!replaceable(&out));
        std::fs::write(out.join("run.sh"), "").unwrap();
        std::fs::write(out.join("bin/xtask"), "").unwrap();
        assert!(replaceable(&out));
        assert!(!replaceable(&out.join("run.sh")));
    }
}
