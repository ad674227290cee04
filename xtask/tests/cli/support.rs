//! Runs the program, in a folder of the test's own.
use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::Command;

use tempfile::TempDir;

/// What a run left.
#[derive(Debug)]
pub(crate) struct Ran {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// A folder to run the program in.
pub(crate) struct Bench {
    dir: TempDir,
}

impl Bench {
    pub(crate) fn new() -> Self {
        Bench { dir: tempfile::tempdir().unwrap() }
    }

    pub(crate) fn path(&self) -> &Path {
        self.dir.path()
    }

    pub(crate) fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path().join(name)).unwrap()
    }

    pub(crate) fn text(&self, name: &str) -> String {
        String::from_utf8(self.read(name)).unwrap()
    }

    /// A file of keys as numpy and Rust have them in memory.
    pub(crate) fn keys<K: bytemuck::Pod>(&self, name: &str) -> Vec<K> {
        bytemuck::pod_collect_to_vec(&self.read(name))
    }

    pub(crate) fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_xtask"));
        command.current_dir(self.path());
        command
    }

    pub(crate) fn run<S: AsRef<OsStr>>(&self, args: impl IntoIterator<Item = S>) -> Ran {
        ran(self.command().args(args))
    }

    /// Runs with arguments parted by spaces; the run must succeed.
    pub(crate) fn ok(&self, args: &str) -> Ran {
        let ran = self.run(args.split(' '));
        assert_eq!(ran.code, Some(0), "{args}: {ran:?}");
        ran
    }

    /// Runs with arguments parted by spaces; the run must fail with one line, which is returned, and change no file.
    pub(crate) fn fails(&self, args: &str) -> String {
        let before = self.files();
        let ran = self.run(args.split(' '));
        assert_eq!(self.files(), before, "{args}: files were changed");
        failure(args, ran)
    }

    /// Every file of the folder, hidden ones too.
    pub(crate) fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let entries = std::fs::read_dir(self.path()).unwrap().map(|entry| entry.unwrap());
        entries
            .map(|entry| (entry.file_name().into_string().unwrap(), std::fs::read(entry.path()).unwrap_or_default()))
            .collect()
    }
}

pub(crate) fn ran(command: &mut Command) -> Ran {
    let output = command.output().unwrap();
    Ran {
        code: output.status.code(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// Exit code 1, nothing on stdout, one line on stderr: that line.
pub(crate) fn failure(what: &str, ran: Ran) -> String {
    assert_eq!(ran.code, Some(1), "{what}: {ran:?}");
    assert_eq!(ran.stdout, "", "{what}");
    assert_eq!(ran.stderr.lines().count(), 1, "{what}: {:?}", ran.stderr);
    assert!(ran.stderr.ends_with('\n') && ran.stderr.starts_with("error: "), "{what}: {:?}", ran.stderr);
    ran.stderr.trim_end().to_string()
}

/// The devices that this build can sort on here.
pub(crate) fn devices() -> Vec<&'static str> {
    let mut devices = vec!["cpu", "emulator"];
    if cfg!(feature = "cuda") && gridsort::Device::cuda(0).is_ok() {
        devices.push("cuda");
    }
    devices
}

/// A one-dimensional `.npy` of version 1.0, put together by hand after numpy's description of the format.
pub(crate) fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut header = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    while (10 + header.len() + 1) % 64 != 0 {
        header.push(' ');
    }
    header.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend((header.len() as u16).to_le_bytes());
    file.extend(header.as_bytes());
    file.extend(data);
    file
}

/// The header's dictionary, without white space, and the data of a `.npy` of version 1.0.
pub(crate) fn npy_parts(file: &[u8]) -> (String, &[u8]) {
    assert_eq!(&file[..8], b"\x93NUMPY\x01\x00");
    let (header, data) = file[10..].split_at(usize::from(u16::from_le_bytes([file[8], file[9]])));
    assert_eq!((10 + header.len()) % 64, 0, "numpy wants data aligned");
    let header = std::str::from_utf8(header).unwrap();
    assert!(header.ends_with('\n'));
    (header.split_whitespace().collect(), data)
}
