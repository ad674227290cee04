//! A progress bar for work that turns out to be long, on a terminal only.
use std::io::IsTerminal;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_millis(700);
/// Between two looks at how far the work is.
const TICK: Duration = Duration::from_millis(100);

/// A piece of work under way. The bar goes when it is dropped.
#[derive(Debug)]
pub struct Progress {
    done: Arc<AtomicU64>,
    /// Dropped to end the drawing thread; none where there is no terminal.
    drawer: Option<(Sender<()>, JoinHandle<()>)>,
}

impl Progress {
    /// Work measured in bytes.
    pub fn bytes(what: &'static str, total: u64) -> Self {
        Self::start(what, Some(total))
    }

    /// Work of unknown length.
    pub fn spinner(what: &'static str) -> Self {
        Self::start(what, None)
    }

    fn start(what: &'static str, total: Option<u64>) -> Self {
        let done = Arc::new(AtomicU64::new(0));
        if !std::io::stderr().is_terminal() {
            return Progress { done, drawer: None };
        }
        let (end, ended) = channel();
        let seen = done.clone();
        let drawer = thread::spawn(move || {
            if ended.recv_timeout(PATIENCE) != Err(RecvTimeoutError::Timeout) {
                return;
            }
            let bar = bar(what, total);
            while ended.recv_timeout(TICK) == Err(RecvTimeoutError::Timeout) {
                bar.set_position(seen.load(Ordering::Relaxed));
                bar.tick();
            }
            bar.finish_and_clear();
        });
        Progress { done, drawer: Some((end, drawer)) }
    }

    /// So much more is done.
    pub fn add(&self, done: u64) {
        self.done.fetch_add(done, Ordering::Relaxed);
    }
}

fn bar(what: &'static str, total: Option<u64>) -> ProgressBar {
    let template = match total {
        Some(_) => "{msg} {wide_bar} {bytes}/{total_bytes} {eta}",
        None => "{msg} {spinner} {elapsed}",
    };
    let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
    bar.set_message(what);
    bar
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some((end, drawer)) = self.drawer.take() {
            drop(end);
            let _ = drawer.join();
        }
    }
}
