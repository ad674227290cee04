//! Signals: a half-written file is removed before the program ends by one.
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

static HALF_WRITTEN: Mutex<Option<PathBuf>> = Mutex::new(None);

fn half_written() -> MutexGuard<'static, Option<PathBuf>> {
    HALF_WRITTEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// While it lives, a signal that ends the program removes the file.
#[derive(Debug)]
pub struct RemoveOnSignal(());

/// Has a file removed where a signal ends the program.
pub fn remove_on_signal(path: &Path) -> RemoveOnSignal {
    *half_written() = Some(path.to_path_buf());
    RemoveOnSignal(())
}

impl Drop for RemoveOnSignal {
    fn drop(&mut self) {
        *half_written() = None;
    }
}

/// Starts to watch for signals.
#[cfg(unix)]
pub fn install() {
    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGXFSZ};
    // A file past the size limit (`ulimit -f`) is a write error like a full disk, where SIGXFSZ is not left to its
    // default.
    let Ok(mut signals) = signal_hook::iterator::Signals::new([SIGHUP, SIGINT, SIGTERM, SIGXFSZ]) else {
        return;
    };
    std::thread::spawn(move || {
        for signal in signals.forever().filter(|&s| s != SIGXFSZ) {
            if let Some(path) = half_written().take() {
                let _ = std::fs::remove_file(path);
            }
            // Ends as if the signal had not been caught, so that a shell sees what it expects.
            let _ = signal_hook::low_level::emulate_default_handler(signal);
        }
    });
}

/// Starts to watch for signals: a no-op where there are none.
#[cfg(not(unix))]
pub fn install() {}
