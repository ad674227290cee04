//! Files of keys: numpy's `.npy`, raw little-endian `.bin`, and `.txt` with one number a line.
//!
//! [`Source`] opens a file and says what it holds before anything is read; [`Source::read`] reads all of it.
//! [`Output`] writes a file beside its final place and puts it there only when it is whole.
use std::fmt;
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::{Path, PathBuf};

use gridsort::Rows;

use crate::Error;
use crate::progress::Progress;

mod bin;
mod key;
mod npy;
mod output;
mod txt;

pub(crate) use key::with_key;
pub use key::{FileKey, KeyType};
pub use output::Output;

// Raw keys are copied between file and memory as they are.
const _: () = assert!(cfg!(target_endian = "little"), "files hold little-endian keys, and so must memory");

/// Bytes read or written between two looks at the progress: enough to make the system calls cheap.
const PIECE: usize = 8 << 20;

/// A file format, told by the file's ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// numpy's array file.
    Npy,
    /// Raw little-endian keys.
    Bin,
    /// One number a line.
    Txt,
}

impl Format {
    /// The format that a file's ending says.
    ///
    /// # Errors
    /// Where the ending is none of `.npy`, `.bin` and `.txt`, in any case of letters.
    pub fn of(path: &Path) -> Result<Self, Error> {
        let ending = path.extension().and_then(|e| e.to_str()).unwrap_or_default();
        match ending.to_ascii_lowercase().as_str() {
            "npy" => Ok(Format::Npy),
            "bin" => Ok(Format::Bin),
            "txt" => Ok(Format::Txt),
            _ => Err(Error::content(path, "the file's ending must be .npy, .bin or .txt")),
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Npy => ".npy",
            Format::Bin => ".bin",
            Format::Txt => ".txt",
        })
    }
}

/// What a file's keys are taken for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layout {
    /// One array.
    Array,
    /// The rows of a matrix, which a `.npy` of two dimensions has.
    Matrix,
}

/// An input file, opened and looked at.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    key: KeyType,
    /// Positioned at the first key.
    reader: BufReader<File>,
    /// Of the whole file.
    bytes: u64,
    /// Known before reading, save for text.
    keys: Option<usize>,
    /// Of a matrix.
    rows: Option<Rows>,
}

impl Source {
    /// Opens a file and finds out its key type: from the header of a `.npy`, from `key` elsewhere.
    ///
    /// # Errors
    /// Where the file cannot be opened, is none of the formats, or contradicts `key`, `layout` or its own length.
    pub fn open(path: &Path, key: Option<KeyType>, layout: Layout) -> Result<Self, Error> {
        let format = Format::of(path)?;
        if layout == Layout::Matrix && format != Format::Npy {
            return Err(Error::content(path, format!("a {format} file has no rows: --rows sorts those of a .npy")));
        }
        // Looked at before it is opened: to open a named pipe is to wait for somebody to write into it.
        let meta = std::fs::metadata(path).map_err(Error::io("read", path))?;
        if !meta.is_file() {
            return Err(Error::content(path, "not a regular file"));
        }
        let file = File::open(path).map_err(Error::io("read", path))?;
        let bytes = meta.len();
        let mut reader = BufReader::new(file);
        let (found, keys, rows) = match format {
            Format::Npy => {
                let header = npy::read_header(path, &mut reader, bytes, layout)?;
                (Some(header.key), Some(header.keys), header.rows)
            }
            Format::Bin | Format::Txt => (None, None, None),
        };
        let key = match (found, key) {
            (Some(found), Some(asked)) if found != asked => {
                return Err(Error::content(path, format!("holds {found} keys, but --key says {asked}")));
            }
            (Some(key), _) | (None, Some(key)) => key,
            (None, None) => {
                return Err(Error::content(
                    path,
                    format!("a {format} file does not say what it holds: give --key u32|i32|u64|i64|f32|f64"),
                ));
            }
        };
        let keys = match format {
            Format::Bin => Some(bin::count(path, bytes, key)?),
            _ => keys,
        };
        Ok(Source { path: path.to_path_buf(), key, reader, bytes, keys, rows })
    }

    /// The rows of its matrix, where it was opened as one.
    pub fn rows(&self) -> Option<Rows> {
        self.rows
    }

    /// The type of its keys.
    pub fn key(&self) -> KeyType {
        self.key
    }

    /// Reads every key.
    ///
    /// # Errors
    /// Where the file cannot be read to its end, holds what is no key, or does not fit in memory.
    ///
    /// # Panics
    /// Where `K` is not the type that [`Source::key`] names.
    pub fn read<K: FileKey>(mut self) -> Result<Vec<K>, Error> {
        assert_eq!(K::TYPE, self.key, "the caller reads the type that the source names");
        let progress = Progress::bytes("reading", self.bytes);
        match self.keys {
            Some(keys) => bin::read(&self.path, &mut self.reader, keys, &progress),
            None => txt::read(&self.path, &mut self.reader, &progress),
        }
    }
}

/// Writes keys in a format; those of a matrix with its shape, where the format has shapes.
fn write<K: FileKey>(
    format: Format,
    out: &mut File,
    keys: &[K],
    rows: Option<Rows>,
    progress: &Progress,
) -> std::io::Result<()> {
    match format {
        Format::Npy => {
            match rows {
                Some(rows) => npy::write_header::<K>(out, &[rows.rows() as u64, rows.columns() as u64])?,
                None => npy::write_header::<K>(out, &[keys.len() as u64])?,
            }
            bin::write(out, keys, progress)
        }
        Format::Bin => bin::write(out, keys, progress),
        Format::Txt => txt::write(out, keys, progress),
    }
}

/// Whether a reader is at its end.
fn at_end(reader: &mut impl Read) -> std::io::Result<bool> {
    Ok(reader.read(&mut [0])? == 0)
}
