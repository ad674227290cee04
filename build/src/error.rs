//! What can go wrong in a build.
use std::io;
use std::path::{Path, PathBuf};

/// Why a build failed, in words for whoever started it.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A file, folder or program could not be used.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// What was tried, as a verb: `read`, `write`.
        action: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A file's content is not what was expected.
    #[error("{}: {problem}", path.display())]
    Content {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: String,
    },
    /// Anything else, in plain words.
    #[error("{0}")]
    Message(String),
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
