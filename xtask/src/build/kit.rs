//! Programs for another machine: found in cargo's messages, stripped, and looked at for what they ask of that machine.
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::cuda_env;
use super::process::{cargo, run, shown, which};
use crate::Error;

/// A program that cargo built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its target's name: for a test, that of its file.
    pub name: String,
    /// The program.
    pub path: PathBuf,
}

/// Has cargo build with the feature `cuda`, optimised, and gives the programs of the kind (`bin`, `test`).
///
/// # Errors
/// Where the build fails, or there is no such program.
pub fn build(arguments: &[&str], kind: &str) -> Result<Vec<Program>, Error> {
    let mut command = cargo();
    command.args(arguments).args(["--release", "--features", "cuda", "--message-format", "json-render-diagnostics"]);
    command.arg("--target-dir").arg(super::cuda_target_dir()).envs(cuda_env()?);
    command.stdin(Stdio::null()).stderr(Stdio::inherit());
    let output = command.output().map_err(Error::io("start", command.get_program()))?;
    if !output.status.success() {
        return Err(Error::msg(format!("`{}` failed", shown(&command))));
    }
    let programs = programs(&String::from_utf8_lossy(&output.stdout), kind);
    if programs.is_empty() {
        return Err(Error::msg(format!("`{}` made no program of kind {kind}", shown(&command))));
    }
    Ok(programs)
}

/// The programs in cargo's messages, one JSON object a line.
fn programs(messages: &str, kind: &str) -> Vec<Program> {
    let mut all = Vec::new();
    for line in messages.lines() {
        let Ok(message) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        let of_kind = message["target"]["kind"].as_array().is_some_and(|k| k.iter().any(|k| k == kind));
        if let (true, Some(name), Some(path)) =
            (of_kind, message["target"]["name"].as_str(), message["executable"].as_str())
        {
            all.push(Program { name: name.to_owned(), path: path.into() });
        }
    }
    all
}

/// Copies a program without its symbols.
///
/// # Errors
/// Where there is no `strip`, or it fails.
pub fn copy_stripped(from: &Path, to: &Path) -> Result<(), Error> {
    let strip = ["strip", "llvm-strip"].iter().find_map(|s| which(s));
    let strip = strip.ok_or_else(|| Error::msg("there is no `strip` in PATH (it is part of binutils)"))?;
    Ok(run(Command::new(strip).arg("-o").arg(to).arg(from))?)
}

/// The newest version of glibc that a program asks for: it runs where there is that or a newer one.
///
/// # Errors
/// Where the program cannot be read.
pub fn needed_glibc(program: &Path) -> Result<(u32, u32), Error> {
    let bytes = std::fs::read(program).map_err(Error::io("read", program))?;
    Ok(newest_glibc(&bytes))
}

/// Versions stand in a program as the text `GLIBC_2.34`.
fn newest_glibc(bytes: &[u8]) -> (u32, u32) {
    const MARK: &[u8] = b"GLIBC_";
    let mut newest = (0, 0);
    let mut rest = bytes;
    while let Some(at) = rest.windows(MARK.len()).position(|w| w == MARK) {
        rest = &rest[at + MARK.len()..];
        let end = rest.iter().position(|b| !b.is_ascii_digit() && *b != b'.').unwrap_or(rest.len());
        let version = String::from_utf8_lossy(&rest[..end]);
        let mut numbers = version.split('.').map(|n| n.parse().unwrap_or(0));
        newest = newest.max((numbers.next().unwrap_or(0), numbers.next().unwrap_or(0)));
    }
    newest
}

/// Bytes of all files in a folder.
///
/// # Errors
/// Where it cannot be read.
pub fn size(dir: &Path) -> Result<u64, Error> {
    let mut bytes = 0;
    for entry in std::fs::read_dir(dir).map_err(Error::io("read", dir))? {
        let path = entry.map_err(Error::io("read", dir))?.path();
        bytes += if path.is_dir() { size(&path)? } else { path.metadata().map_err(Error::io("read", &path))?.len() };
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_in_cargos_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"kind":["lib"],"name":"a"},"executable":"/t/a-1"}
not json
{"reason":"compiler-artifact","target":{"kind":["test"],"name":"sorts"},"executable":"/t/sorts-2"}
{"reason":"compiler-artifact","target":{"kind":["test"],"name":"none"},"executable":null}
{"reason":"build-finished","success":true}"#;
        assert_eq!(programs(messages, "test"), [Program { name: "sorts".into(), path: "/t/sorts-2".into() }]);
        assert_eq!(programs(messages, "bin"), []);
    }

    #[test]
    fn the_newest_glibc_counts_as_a_number() {
        assert_eq!(newest_glibc(b"\0GLIBC_2.9\0GLIBC_2.34\0GLIBC_2.2.5\0GLIBC_PRIVATE\0"), (2, 34));
        assert_eq!(newest_glibc(b"nothing"), (0, 0));
    }

    #[test]
    fn sizes_of_folders() {
        let dir = tempfile::tempdir().unwrap();
        std::fs::create_dir(dir.path().join("d")).unwrap();
        std::fs::write(dir.path().join("a"), "12345").unwrap();
        std::fs::write(dir.path().join("d/b"), "123").unwrap();
        assert_eq!(size(dir.path()).unwrap(), 8);
    }
}
