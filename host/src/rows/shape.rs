//! A matrix's shape.
use crate::error::{Error, Result};

/// The shape of a matrix in row-major order: rows of as many elements, each row a stride behind the one before it.
///
/// ```
/// use gridsort::Rows;
///
/// let dense = Rows::new(2, 3);
/// assert_eq!((dense.rows(), dense.columns(), dense.stride(), dense.span()), (2, 3, 3, 6));
/// // The first three columns of a matrix that has five.
/// let part = dense.with_stride(5);
/// assert_eq!((part.elements(), part.span()), (6, 8));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Rows {
    rows: usize,
    columns: usize,
    stride: usize,
}

impl Rows {
    /// `rows` rows of `columns` elements, one row directly behind the other.
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, stride: columns }
    }

    /// The same with `stride` elements from the start of a row to the start of the next one.
    pub fn with_stride(self, stride: usize) -> Self {
        Self { stride, ..self }
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Elements of a row.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Elements from the start of a row to the start of the next one.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Elements of all rows together; `usize::MAX` where they can't be counted.
    pub fn elements(&self) -> usize {
        self.rows.saturating_mul(self.columns)
    }

    /// Elements from the start of the first row to the end of the last one, what is between rows included; 0 where there are
    /// no elements, `usize::MAX` where they can't be counted.
    pub fn span(&self) -> usize {
        if self.elements() == 0 {
            return 0;
        }
        (self.rows - 1).saturating_mul(self.stride).saturating_add(self.columns)
    }

    /// Whether rows lie directly one behind the other.
    pub fn is_dense(&self) -> bool {
        self.stride == self.columns || self.rows <= 1
    }

    /// Checks that the rows do not overlap and lie within `len` elements.
    ///
    /// # Errors
    /// [`Error::StrideTooSmall`], and [`Error::OutOfRange`].
    pub fn check(&self, len: usize) -> Result<()> {
        if self.rows > 1 && self.stride < self.columns {
            return Err(Error::StrideTooSmall { stride: self.stride, columns: self.columns });
        }
        if self.span() > len {
            return Err(Error::OutOfRange { start: 0, end: self.span() as u64, len: len as u64 });
        }
        Ok(())
    }

    /// Checks that `len` elements are as many as those of the rows.
    pub(crate) fn check_elements(&self, what: &'static str, len: usize) -> Result<()> {
        let expected = self.elements();
        if len == expected { Ok(()) } else { Err(Error::LengthMismatch { what, expected, found: len }) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_must_not_overlap_and_fit() {
        assert!(Rows::new(3, 4).check(12).is_ok());
        assert!(Rows::new(3, 4).with_stride(5).check(14).is_ok());
        assert!(matches!(Rows::new(3, 4).with_stride(5).check(13), Err(Error::OutOfRange { end: 14, len: 13, .. })));
        // An expanded matrix: every row is the same memory.
        let expanded = Rows::new(3, 4).with_stride(0);
        assert!(matches!(expanded.check(100), Err(Error::StrideTooSmall { stride: 0, columns: 4 })));
        assert!(Rows::new(1, 4).with_stride(0).check(4).is_ok());
        // Nothing to sort is never out of range, and no product overflows.
        assert!(Rows::new(usize::MAX, 0).check(0).is_ok());
        assert!(Rows::new(0, usize::MAX).check(0).is_ok());
        assert!(matches!(Rows::new(usize::MAX, 2).check(7), Err(Error::OutOfRange { .. })));
        assert!(matches!(Rows::new(2, 2).with_stride(usize::MAX).check(7), Err(Error::OutOfRange { .. })));
    }
}
