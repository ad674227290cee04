//! Output that is either whole or not there.
use std::path::Path;

use super::{FileKey, Format};
use crate::Error;
use crate::place::Place;
use crate::progress::Progress;

/// A file of keys to write. Nothing of it is seen in its place before [`Output::write`] has written all of it.
#[derive(Debug)]
pub struct Output {
    place: Place,
    format: Format,
}

impl Output {
    /// Finds out whether a file can be written, in the format that its ending says.
    ///
    /// # Errors
    /// Where the ending is no format's, and as [`Place::prepare`].
    pub fn prepare(path: &Path) -> Result<Self, Error> {
        Ok(Output { format: Format::of(path)?, place: Place::prepare(path)? })
    }

    /// Writes keys.
    ///
    /// # Errors
    /// As [`Place::put`].
    pub fn write<K: FileKey>(&self, keys: &[K]) -> Result<(), Error> {
        let progress = Progress::bytes("writing", size_of_val(keys) as u64);
        self.place.put(|file| super::write(self.format, file, keys, &progress))
    }
}
