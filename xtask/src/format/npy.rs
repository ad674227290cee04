//! numpy's `.npy`: a header, then keys as in [`super::bin`]. The header is npyz's business.
use std::io::{self, ErrorKind, Read, Seek, Write};
use std::path::Path;

use gridsort::Rows;
use npyz::{DType, Endianness, NpyHeader, Order, TypeStr, WriterBuilder};

use super::{FileKey, KeyType, Layout, with_key};
use crate::Error;

/// More than any header of a plain array of one or two dimensions. Whatever is longer is refused unparsed, as the parser
/// recurses as deep as the text is nested.
const MAX_HEADER: u64 = 2048;

/// What a header says.
pub(super) struct Header {
    pub(super) key: KeyType,
    pub(super) keys: usize,
    /// Of a matrix.
    pub(super) rows: Option<Rows>,
}

/// Reads a header and leaves the reader at the first key. `bytes` is the file's whole length.
pub(super) fn read_header(
    path: &Path,
    reader: &mut (impl Read + Seek),
    bytes: u64,
    layout: Layout,
) -> Result<Header, Error> {
    let header = NpyHeader::from_reader(reader.by_ref().take(MAX_HEADER)).map_err(|e| match e.kind() {
        ErrorKind::UnexpectedEof if bytes < MAX_HEADER => Error::content(path, "truncated inside its .npy header"),
        ErrorKind::UnexpectedEof => Error::content(path, "its .npy header is too long for a plain array's"),
        ErrorKind::InvalidData => Error::content(path, format!("not a .npy file: {e}")),
        _ => Error::io("read", path)(e),
    })?;
    let key = key_type(&header.dtype()).map_err(|problem| Error::content(path, problem))?;
    let keys = keys(&header, layout).map_err(|problem| Error::content(path, problem))?;
    let start = reader.stream_position().map_err(Error::io("read", path))?;
    let held = bytes.saturating_sub(start);
    let want = keys.and_then(|keys| keys.checked_mul(key.bytes() as u64));
    if want != Some(held) {
        let fault = if want.is_none_or(|want| want > held) { "truncated" } else { "too long" };
        let said = header.shape().iter().map(u64::to_string).collect::<Vec<_>>().join(" x ");
        let problem = format!("{fault}: its header says {said} {key} keys, but {held} bytes follow it");
        return Err(Error::content(path, problem));
    }
    let number = |n: u64| usize::try_from(n).map_err(|_| Error::content(path, "does not fit in memory"));
    let rows = match (layout, header.shape()) {
        (Layout::Matrix, &[rows, columns]) => Some(Rows::new(number(rows)?, number(columns)?)),
        _ => None,
    };
    Ok(Header { key, keys: number(keys.unwrap_or_default())?, rows })
}

/// How many keys a header speaks of; none where they are more than can be counted.
fn keys(header: &NpyHeader, layout: Layout) -> Result<Option<u64>, String> {
    let dimensions = header.shape().len();
    match (layout, header.shape()) {
        (Layout::Array, &[keys]) => Ok(Some(keys)),
        (Layout::Array, [_, _]) => {
            Err("holds an array of 2 dimensions; only one can be sorted, or each row of two with --rows".to_string())
        }
        (Layout::Array, _) => Err(format!("holds an array of {dimensions} dimensions; only one can be sorted")),
        (Layout::Matrix, &[_, _]) if header.order() == Order::Fortran => {
            Err("holds its array column by column (fortran_order); only rows that lie one behind the other can be sorted, as \
                 numpy.ascontiguousarray makes them"
                .to_string())
        }
        (Layout::Matrix, &[rows, columns]) => Ok(rows.checked_mul(columns)),
        (Layout::Matrix, _) => {
            Err(format!("holds an array of {dimensions} dimensions; --rows sorts the rows of two alone"))
        }
    }
}

/// The key type that a dtype means.
fn key_type(dtype: &DType) -> Result<KeyType, String> {
    for key in KeyType::ALL {
        if with_key!(key, K => <K as npyz::AutoSerialize>::default_dtype()) == *dtype {
            return Ok(key);
        }
    }
    let all = "u32, i32, u64, i64, f32 and f64 can be sorted";
    Err(match dtype {
        DType::Plain(ty) if ty.endianness() == Endianness::Big && sorted_if_little(ty) => {
            format!("holds big-endian keys ({}); only little-endian ones can be sorted", dtype.descr())
        }
        DType::Plain(_) => format!("holds keys of type {}; only {all}", dtype.descr()),
        DType::Array(..) | DType::Record(_) => format!("holds structures; only {all}"),
    })
}

fn sorted_if_little(ty: &TypeStr) -> bool {
    let little = ty.to_string().replacen('>', "<", 1);
    little.parse().is_ok_and(|ty: TypeStr| key_type(&DType::Plain(ty)).is_ok())
}

/// Writes the header of an array of one dimension, or of two.
pub(super) fn write_header<K: FileKey>(out: &mut impl Write, shape: &[u64]) -> io::Result<()> {
    // npyz writes a header in many small pieces.
    let mut header = Vec::new();
    npyz::WriteOptions::new_header_only()
        .dtype(<K as npyz::AutoSerialize>::default_dtype())
        .shape(shape)
        .writer(&mut header)
        .write_header_only()?;
    out.write_all(&header)
}
