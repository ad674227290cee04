//! Output that is either whole or not there.
use std::path::Path;

use gridsort::Rows;

use super::{FileKey, Format, Layout};
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
    /// Where the ending is no format's, or one that has no matrices and is to hold one; and as [`Place::prepare`].
    pub fn prepare(path: &Path, layout: Layout) -> Result<Self, Error> {
        let format = Format::of(path)?;
        if layout == Layout::Matrix && format != Format::Npy {
            return Err(Error::content(path, format!("a {format} file has no rows: with --rows OUTPUT is a .npy")));
        }
        Ok(Output { format, place: Place::prepare(path)? })
    }

    /// Writes keys.
    ///
    /// # Errors
    /// As [`Place::put`].
    pub fn write<K: FileKey>(&self, keys: &[K]) -> Result<(), Error> {
        self.write_as(keys, None)
    }

    /// Writes keys, as a matrix where its shape is given.
    ///
    /// # Errors
    /// As [`Place::put`].
    pub fn write_as<K: FileKey>(&self, keys: &[K], rows: Option<Rows>) -> Result<(), Error> {
        let progress = Progress::bytes("writing", size_of_val(keys) as u64);
        self.place.put(|file| super::write(self.format, file, keys, rows, &progress))
    }
}
