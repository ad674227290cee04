//! A file's place, which holds all of it or nothing of it.
use std::fs::{self, File, OpenOptions, Permissions};
use std::io;
use std::path::{Path, PathBuf};

use tempfile::{NamedTempFile, TempPath};

use crate::{Error, interrupt};

/// Where a file is to be. It is written beside its place and renamed when it is whole.
#[derive(Debug)]
pub struct Place {
    /// As the user gave it, for messages.
    path: PathBuf,
    /// Through a symbolic link, the link's target.
    target: PathBuf,
    /// Of the file that is there.
    permissions: Option<Permissions>,
}

impl Place {
    /// Finds out whether a file can be put there, so that nobody waits for a result that has no place to go.
    ///
    /// # Errors
    /// Where the folder cannot be written, or what is there is no regular, writable file.
    pub fn prepare(path: &Path) -> Result<Self, Error> {
        let (target, permissions) = match fs::metadata(path) {
            Ok(meta) if meta.is_file() => {
                // A rename would replace a write-protected file as well.
                OpenOptions::new().append(true).open(path).map_err(Error::io("write", path))?;
                let target = path.canonicalize().map_err(Error::io("write", path))?;
                (target, Some(meta.permissions()))
            }
            Ok(_) => return Err(Error::content(path, "not a regular file")),
            Err(e) if e.kind() == io::ErrorKind::NotFound && !path.is_symlink() => (path.to_path_buf(), None),
            Err(e) => return Err(Error::io("write", path)(e)),
        };
        let place = Place { path: path.to_path_buf(), target, permissions };
        place.beside()?;
        Ok(place)
    }

    /// Puts there what `write` writes.
    ///
    /// # Errors
    /// Where the disk is full or fails. Then the folder is as it was.
    pub fn put(&self, write: impl FnOnce(&mut File) -> io::Result<()>) -> Result<(), Error> {
        let (mut file, beside) = self.beside()?.into_parts();
        let guard = interrupt::remove_on_signal(&beside);
        write(&mut file)
            .and_then(|()| flush(&file))
            .and_then(|()| self.permissions.clone().map_or(Ok(()), |p| file.set_permissions(p)))
            .map_err(Error::io("write", &self.path))?;
        TempPath::persist(beside, &self.target).map_err(|e| Error::io("write", &self.path)(e.error))?;
        drop(guard);
        Ok(())
    }

    /// An empty file in the place's folder; dropping it removes it.
    fn beside(&self) -> Result<NamedTempFile, Error> {
        let folder = match self.target.parent() {
            Some(folder) if !folder.as_os_str().is_empty() => folder,
            _ => Path::new("."),
        };
        // Opened here and not by tempfile, whose files are private and whose errors name them.
        let open = |path: &Path| OpenOptions::new().write(true).create_new(true).open(path);
        tempfile::Builder::new()
            .prefix(".gridsort-")
            .suffix(".partial")
            .make_in(folder, open)
            .map_err(Error::io("write", &self.path))
    }
}

/// Writes out what the system still holds: a full disk, or a server's, may only then be noticed.
fn flush(file: &File) -> io::Result<()> {
    match file.sync_all() {
        // A file system that has no such thing.
        Err(e) if matches!(e.kind(), io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported) => Ok(()),
        result => result,
    }
}
