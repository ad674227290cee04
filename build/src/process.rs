//! Starting other programs.
use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::Error;

/// Says what is being done, on stderr.
pub fn say(text: impl AsRef<str>) {
    eprintln!("{}", text.as_ref());
}

/// The program of that name in `PATH`.
pub fn which(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|d| d.join(name)).find(|p| is_executable(p))
}

#[cfg(unix)]
fn is_executable(path: &std::path::Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    path.metadata().is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
fn is_executable(path: &std::path::Path) -> bool {
    path.is_file()
}

/// Cargo, the same that runs this program.
pub fn cargo() -> Command {
    Command::new(std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo")))
}

/// The command as one would type it, for messages.
pub fn shown(command: &Command) -> String {
    let mut text = command.get_program().to_string_lossy().into_owned();
    for a in command.get_args() {
        text.push(' ');
        text.push_str(&a.to_string_lossy());
    }
    text
}

/// Runs a command whose output is the user's to see.
///
/// # Errors
/// Where it cannot be started, or fails; then it has said why itself.
pub fn run(command: &mut Command) -> Result<(), Error> {
    let status = command.status().map_err(|e| cannot_start(command, &e))?;
    if status.success() { Ok(()) } else { Err(Error::msg(format!("`{}` failed ({status})", shown(command)))) }
}

/// Runs a command and takes all that it says.
///
/// # Errors
/// Where it cannot be started; that it fails is the caller's to see.
pub fn output(command: &mut Command) -> Result<Output, Error> {
    command.stdin(Stdio::null()).output().map_err(|e| cannot_start(command, &e))
}

/// Runs a command and takes what it writes on stdout.
///
/// # Errors
/// Where it cannot be started or fails, with what it wrote on stderr.
pub fn capture(command: &mut Command) -> Result<String, Error> {
    let output = output(command)?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim();
        return Err(Error::msg(format!("`{}` failed ({}): {said}", shown(command), output.status)));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Does each job, as many at once as there are cores, and gives the results in the jobs' order.
pub fn in_parallel<J: Sync, R: Send>(jobs: &[J], work: impl Fn(&J) -> R + Sync) -> Vec<R> {
    let next = AtomicUsize::new(0);
    let workers = thread::available_parallelism().map_or(1, usize::from).min(jobs.len());
    let mut done: Vec<(usize, R)> = thread::scope(|scope| {
        let one = || {
            let mut done = Vec::new();
            loop {
                let i = next.fetch_add(1, Ordering::Relaxed);
                let Some(job) = jobs.get(i) else { return done };
                done.push((i, work(job)));
            }
        };
        let threads: Vec<_> = (0..workers).map(|_| scope.spawn(one)).collect();
        let results = threads.into_iter().map(|t| t.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
        results.flatten().collect()
    });
    done.sort_by_key(|(i, _)| *i);
    done.into_iter().map(|(_, r)| r).collect()
}

fn cannot_start(command: &Command, e: &std::io::Error) -> Error {
    Error::msg(format!("cannot start `{}`: {e}", command.get_program().to_string_lossy()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_jobs_order() {
        let jobs: Vec<u64> = (0..100).collect();
        let slow_first = |j: &u64| {
            thread::sleep(std::time::Duration::from_micros(100 - j));
            j * 2
        };
        assert_eq!(in_parallel(&jobs, slow_first), jobs.iter().map(|j| j * 2).collect::<Vec<_>>());
        assert!(in_parallel(&[] as &[u8], |_| 0).is_empty());
    }

    #[test]
    fn failures_are_told() {
        let e = run(&mut Command::new("/nonexistent/program")).unwrap_err().to_string();
        assert!(e.contains("cannot start `/nonexistent/program`"), "{e}");
        let e = capture(Command::new("sh").args(["-c", "echo why >&2; exit 3"])).unwrap_err().to_string();
        assert!(e.contains("exit status: 3") && e.contains("why"), "{e}");
        assert!(which("sh").is_some());
        assert!(which("no-such-program-here").is_none());
    }
}
