//! One number a line.
use std::io::{self, BufRead, Write};
use std::path::Path;

use super::{FileKey, PIECE};
use crate::Error;
use crate::progress::Progress;

/// Characters of a bad line that its error shows.
const SHOWN: usize = 40;

/// Reads a number from each line. White space around it is let be, and so are blank lines at the end.
pub(super) fn read<K: FileKey>(path: &Path, reader: &mut impl BufRead, progress: &Progress) -> Result<Vec<K>, Error> {
    let mut keys = Vec::new();
    let mut line = Vec::new();
    let mut number = 0_u64;
    // The first blank line since the last number.
    let mut blank = None;
    loop {
        line.clear();
        let bytes = read_line(reader, &mut line).map_err(Error::io("read", path))?;
        if bytes == 0 {
            return Ok(keys);
        }
        progress.add(bytes);
        number += 1;
        let text = line.trim_ascii();
        if text.is_empty() {
            blank.get_or_insert(number);
            continue;
        }
        if let Some(blank) = blank {
            return Err(Error::content(path, format!("line {blank}: blank")));
        }
        let key = std::str::from_utf8(text).ok().and_then(|text| text.parse::<K>().ok());
        let Some(key) = key else {
            let problem = format!("line {number}: {} is no {}", shown(text), K::NAME);
            return Err(Error::content(path, problem));
        };
        if keys.len() == keys.capacity() {
            // Growing by halves wastes less than by doubling where the keys fill much of the memory.
            let more = (keys.len() / 2).max(1 << 12);
            keys.try_reserve_exact(more).map_err(|_| Error::content(path, "does not fit in memory"))?;
        }
        keys.push(key);
    }
}

/// Longest line kept. No number needs as much; a file without line ends must not be taken into memory as one line.
const LINE: usize = 1 << 12;

/// Reads a line without keeping more than [`LINE`] bytes of it; returns the bytes it had.
fn read_line(reader: &mut impl BufRead, line: &mut Vec<u8>) -> io::Result<u64> {
    let mut total = 0;
    loop {
        let piece = match reader.fill_buf() {
            Ok(piece) => piece,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => continue,
            Err(e) => return Err(e),
        };
        let end = piece.iter().position(|&b| b == b'\n');
        let used = end.map_or(piece.len(), |end| end + 1);
        // One byte more than the longest line, so that a longer one is not taken for a number by its beginning.
        let room = (LINE + 1).saturating_sub(line.len());
        line.extend_from_slice(&piece[..used.min(room)]);
        reader.consume(used);
        total += used as u64;
        if end.is_some() || used == 0 {
            if line.len() > LINE {
                line.extend_from_slice("…".as_bytes());
            }
            return Ok(total);
        }
    }
}

/// A bad line's beginning, quoted, with what cannot be printed escaped.
fn shown(text: &[u8]) -> String {
    let text = String::from_utf8_lossy(text);
    let start: String = text.chars().take(SHOWN).collect();
    let rest = if start.len() < text.len() { "…" } else { "" };
    format!("\"{}{rest}\"", start.escape_debug())
}

/// Writes a number a line.
pub(super) fn write<K: FileKey>(out: &mut impl Write, keys: &[K], progress: &Progress) -> io::Result<()> {
    let mut text = Vec::with_capacity(PIECE);
    // A key's longest text is well under 32 bytes.
    for piece in keys.chunks(PIECE / 32) {
        text.clear();
        for key in piece {
            key.write_text(&mut text)?;
            text.push(b'\n');
        }
        out.write_all(&text)?;
        progress.add(size_of_val(piece) as u64);
    }
    Ok(())
}
