use std::io;
use std::path::{Path, PathBuf};

/// Why a command failed, in words for the one line that the user sees.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file, folder or program could not be used.
    #[error("cannot {action} {}: {}", path.display(), plain(source))]
    Io {
        /// What was tried, as a verb: `read`, `write`.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file's content is not what its ending or the options say.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// The library could not sort.
    #[error(transparent)]
    Sort(#[from] gridsort::Error),
    /// Something could not be built.
    #[error(transparent)]
    Build(#[from] gridsort_build::Error),
    /// Anything else, in plain words.
    #[error("{0}")]
    Message(String),
    /// A program that was started failed, and has itself told the user why.
    #[error("a program that was started failed")]
    Reported,
}

impl Error {
    /// An error in plain words.
    pub fn msg(text: impl Into<String>) -> Self {
        Error::Message(text.into())
    }

    /// For `map_err`: names the file and what was tried with it.
    pub fn io(action: &'static str, path: impl AsRef<Path>) -> impl FnOnce(io::Error) -> Self {
        let path = path.as_ref().to_path_buf();
        move |source| Error::Io { action, path, source }
    }

    /// A file whose content is wrong.
    pub fn content(path: impl AsRef<Path>, problem: impl Into<String>) -> Self {
        Error::Content { path: path.as_ref().to_path_buf(), problem: problem.into() }
    }
}

/// For text put together in memory, which does not fail.
impl From<std::fmt::Error> for Error {
    fn from(e: std::fmt::Error) -> Self {
        Error::Message(e.to_string())
    }
}

/// The system's words without the `(os error 2)` that Rust adds.
fn plain(e: &io::Error) -> String {
    let text = e.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_lowercase(),
        None => text,
    }
}
