//! What the system may do to a sort: limits, full disks, folders that cannot be written, signals.
use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::{Bench, Ran, failure, ran};

/// Runs a shell script in the folder, with the program as `$0`.
fn shell(bench: &Bench, script: &str) -> Ran {
    ran(Command::new("sh").current_dir(bench.path()).args(["-c", script, env!("CARGO_BIN_EXE_xtask")]))
}

/// As [`shell`], where file systems can be mounted that nobody else sees; none where this user may not do that.
fn with_mounts(bench: &Bench, script: &str) -> Option<Ran> {
    let unshare = |script: &str| {
        let mut command = Command::new("unshare");
        command.current_dir(bench.path()).args(["-rm", "sh", "-c", script, env!("CARGO_BIN_EXE_xtask")]);
        command
    };
    let possible = unshare("mount -t tmpfs none /mnt").stderr(Stdio::null()).status().is_ok_and(|s| s.success());
    if !possible {
        eprintln!("skipped: file systems cannot be mounted here");
        return None;
    }
    Some(ran(&mut unshare(script)))
}

fn many(bench: &Bench) {
    bench.write("in.bin", vec![7; 1 << 20]);
}

#[test]
fn a_file_size_limit() {
    let bench = Bench::new();
    many(&bench);
    for output in ["out.bin", "out.npy", "out.txt"] {
        let ran = shell(&bench, &format!("ulimit -f 64; exec \"$0\" sort in.bin {output} --key u32 --device cpu"));
        let line = failure(output, ran);
        assert!(line.contains(output) && line.contains("too large"), "{line}");
        assert_eq!(bench.files().len(), 1, "nothing is left");
    }
}

#[test]
fn a_full_disk() {
    let bench = Bench::new();
    many(&bench);
    fs::create_dir(bench.path().join("full")).unwrap();
    for output in ["out.bin", "out.npy", "out.txt"] {
        let script = format!(
            "mount -t tmpfs -o size=128k none full && echo 1 > full/{output} || exit 9\n\
             \"$0\" sort in.bin full/{output} --key u32 --device cpu; code=$?\n\
             ls -A full | grep -qx {output} && test $(ls -A full | wc -l) = 1 && test $(cat full/{output}) = 1 || exit 8\n\
             exit $code"
        );
        let Some(ran) = with_mounts(&bench, &script) else {
            return;
        };
        let line = failure(output, ran);
        assert!(line.contains("no space left"), "{line}");
    }
}

#[test]
fn a_read_only_disk() {
    let bench = Bench::new();
    bench.write("in.txt", "2\n1\n");
    fs::create_dir(bench.path().join("fixed")).unwrap();
    let script = "mount -t tmpfs -o ro none fixed || exit 9; exec \"$0\" sort in.txt fixed/out.txt --key u32";
    let Some(ran) = with_mounts(&bench, script) else {
        return;
    };
    let line = failure("read-only", ran);
    assert!(line.contains("fixed/out.txt") && line.contains("read-only"), "{line}");
}

#[test]
fn a_folder_without_the_right_to_write() {
    let bench = Bench::new();
    bench.write("in.txt", "2\n1\n");
    let folder = bench.path().join("locked");
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, Permissions::from_mode(0o555)).unwrap();
    if fs::write(folder.join("probe"), "").is_ok() {
        eprintln!("skipped: this user may write anywhere");
        return;
    }
    let line = bench.fails("sort in.txt locked/out.txt --key u32");
    assert!(line.contains("permission denied"), "{line}");
}

#[test]
fn links_and_permissions_stay() {
    let bench = Bench::new();
    bench.write("in.txt", "2\n1\n");
    let target = bench.write("target.txt", "old");
    fs::set_permissions(&target, Permissions::from_mode(0o640)).unwrap();
    symlink("target.txt", bench.path().join("link.txt")).unwrap();
    bench.ok("sort in.txt link.txt --key u32 --device cpu");
    assert!(bench.path().join("link.txt").is_symlink());
    assert_eq!(bench.text("target.txt"), "1\n2\n");
    assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o640);
    // A new file is as open as the umask lets it be, not private as temporary files are.
    let ran = shell(&bench, "umask 022; exec \"$0\" sort in.txt new.txt --key u32 --device cpu");
    assert_eq!(ran.code, Some(0), "{ran:?}");
    assert_eq!(fs::metadata(bench.path().join("new.txt")).unwrap().permissions().mode() & 0o777, 0o644);
}

#[test]
fn a_link_to_nowhere_and_a_device() {
    let bench = Bench::new();
    bench.write("in.txt", "2\n1\n");
    symlink("gone.txt", bench.path().join("link.txt")).unwrap();
    bench.fails("sort in.txt link.txt --key u32");
    bench.fails("sort link.txt out.txt --key u32");
    symlink("/dev/null", bench.path().join("null.txt")).unwrap();
    let line = bench.fails("sort in.txt null.txt --key u32");
    assert!(line.contains("not a regular file"), "{line}");
}

#[test]
fn a_pipe_is_not_waited_for() {
    let bench = Bench::new();
    let ran = shell(&bench, "mkfifo in.bin && exec \"$0\" sort in.bin out.bin --key u32");
    let line = failure("a pipe", ran);
    assert!(line.contains("not a regular file"), "{line}");
}

#[test]
fn a_signal_leaves_nothing_half_written() {
    let bench = Bench::new();
    bench.write("in.bin", vec![0xa5; 48 << 20]);
    let mut child = bench
        .command()
        .args(["sort", "in.bin", "out.txt", "--key", "u64", "--device", "cpu"])
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let partial = || {
        let mut entries = fs::read_dir(bench.path()).unwrap().map(|e| e.unwrap());
        entries.any(|e| {
            e.file_name().to_string_lossy().ends_with(".partial") && e.metadata().is_ok_and(|meta| meta.len() > 0)
        })
    };
    let start = Instant::now();
    while !partial() && start.elapsed() < Duration::from_secs(120) {
        assert!(child.try_wait().unwrap().is_none(), "the file was written unseen");
        std::thread::sleep(Duration::from_millis(2));
    }
    let id = child.id().to_string();
    assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
    child.wait().unwrap();
    let left: Vec<_> = fs::read_dir(bench.path()).unwrap().map(|e| e.unwrap().file_name()).collect();
    assert_eq!(left, ["in.bin"]);
}
