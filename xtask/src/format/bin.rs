//! Keys as they lie in memory, little-endian.
use std::fs::File;
use std::io::{self, ErrorKind, Read, Write};
use std::path::Path;

use super::{FileKey, KeyType, PIECE, at_end};
use crate::Error;
use crate::progress::Progress;

/// Keys in a file of so many bytes.
pub(super) fn count(path: &Path, bytes: u64, key: KeyType) -> Result<usize, Error> {
    let size = key.bytes() as u64;
    if !bytes.is_multiple_of(size) {
        let problem = format!("truncated: {bytes} bytes are no whole number of {size}-byte {key} keys");
        return Err(Error::content(path, problem));
    }
    usize::try_from(bytes / size).map_err(|_| too_large(path))
}

/// Reads exactly so many keys, up to the reader's end.
pub(super) fn read<K: FileKey>(
    path: &Path,
    reader: &mut impl Read,
    keys: usize,
    progress: &Progress,
) -> Result<Vec<K>, Error> {
    let mut data: Vec<K> = bytemuck::allocation::try_zeroed_vec(keys).map_err(|()| too_large(path))?;
    for piece in bytemuck::cast_slice_mut::<K, u8>(&mut data).chunks_mut(PIECE) {
        reader.read_exact(piece).map_err(|e| match e.kind() {
            ErrorKind::UnexpectedEof => changed(path),
            _ => Error::io("read", path)(e),
        })?;
        progress.add(piece.len() as u64);
    }
    match at_end(reader).map_err(Error::io("read", path))? {
        true => Ok(data),
        false => Err(changed(path)),
    }
}

/// Writes keys as they are.
pub(super) fn write<K: FileKey>(out: &mut File, keys: &[K], progress: &Progress) -> io::Result<()> {
    for piece in bytemuck::cast_slice::<K, u8>(keys).chunks(PIECE) {
        out.write_all(piece)?;
        progress.add(piece.len() as u64);
    }
    Ok(())
}

fn too_large(path: &Path) -> Error {
    Error::content(path, "does not fit in memory")
}

// The length was held against the key size when the file was opened.
fn changed(path: &Path) -> Error {
    Error::content(path, "changed its length while it was read")
}
