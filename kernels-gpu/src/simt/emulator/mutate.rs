//! Mutation tests: takes one barrier, of a block or a warp, or one wait for asynchronous copies out of a kernel, to see
//! that the checks or the results miss it.
use std::cell::Cell;
use std::panic::Location;

/// A line of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line {
    file: &'static str,
    line: u32,
}

impl Line {
    /// Whether a place is on this line; the file may be given by the end of its path.
    pub(super) fn is(&self, place: &Location<'_>) -> bool {
        place.line() == self.line && place.file().ends_with(self.file)
    }
}

thread_local! {
    static SKIPPED: Cell<Option<Line>> = const { Cell::new(None) };
}

/// The line whose barriers launches from this OS thread leave out.
pub(super) fn current() -> Option<Line> {
    SKIPPED.get()
}

/// Puts the barrier back when dropped.
#[derive(Debug)]
#[must_use = "the barrier is back as soon as this is dropped"]
pub struct Skipped {
    before: Option<Line>,
    /// The effect is one OS thread's, so the guard stays there.
    stay: std::marker::PhantomData<*const ()>,
}

impl Drop for Skipped {
    fn drop(&mut self) {
        SKIPPED.set(self.before);
    }
}

/// Makes every `sync_threads`, `sync_warp` and `async_copies_done` on a line do nothing, in launches from this OS thread,
/// until the guard is dropped.
///
/// `file` is the end of the path as the compiler saw it, such as `src/tile.rs`.
pub fn skip_barrier_at(file: &'static str, line: u32) -> Skipped {
    Skipped { before: SKIPPED.replace(Some(Line { file, line })), stay: std::marker::PhantomData }
}
