//! Columns, of any key type each: what a table has side by side.
use super::ColumnOptions;
use crate::device::{Device, DeviceSlice};
use crate::error::{Error, Result};
use crate::key::{Key, KeyCodec, KeyWidth};
use std::cmp::Ordering;

/// A column's key type, as far as a sort needs to know it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    pub(super) width: KeyWidth,
    pub(super) codec: KeyCodec,
    /// Compares keys `i` and `j` of a column's bytes, in ascending order.
    pub(super) compare: fn(&[u8], usize, usize) -> Ordering,
}

impl Kind {
    fn of<K: Key>(options: ColumnOptions) -> Self {
        let compare = |bytes: &[u8], i: usize, j: usize| {
            // Bytes of a slice, or view, of such keys.
            let keys: &[K] = bytemuck::cast_slice(bytes);
            keys[i].order(&keys[j])
        };
        Self { width: K::WIDTH, codec: K::codec(options.direction()), compare }
    }
}

/// Refuses a bitmap that has no bit for each of `len` rows.
fn check_bits(bytes: usize, first: usize, len: usize) -> Result<()> {
    let needed = (first as u128 + len as u128).div_ceil(8);
    if len > 0 && needed > bytes as u128 {
        let expected = usize::try_from(needed).unwrap_or(usize::MAX);
        return Err(Error::LengthMismatch { what: "the bytes of a validity bitmap", expected, found: bytes });
    }
    Ok(())
}

/// A column in the device's memory, to sort rows by: keys of any type, and a validity bitmap where it has nulls. See
/// [`Device::lexsort_into`].
///
/// ```
/// use gridsort::{ColumnOptions, Device, SortColumn, Workspace};
///
/// let device = Device::emulator();
/// let (values, validity) = (device.upload(&[3.0f64, 0.0, 1.0])?, device.upload(&[0b101u8])?);
/// let column = SortColumn::new(&values, ColumnOptions::new().nulls_last()).with_validity(&validity, 0);
/// let mut order = device.allocate::<u32>(3)?;
/// device.lexsort_into(&[column], &mut order, &mut Workspace::new(&device))?;
/// assert_eq!(order.to_vec()?, [2, 0, 1]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Debug)]
pub struct SortColumn<'a> {
    pub(super) kind: Kind,
    pub(super) options: ColumnOptions,
    pub(super) rows: usize,
    pub(super) values: DeviceSlice<'a, u8>,
    pub(super) validity: Option<(DeviceSlice<'a, u8>, usize)>,
}

impl<'a> SortColumn<'a> {
    /// A column without nulls.
    ///
    /// ```
    /// use gridsort::{ColumnOptions, Device, SortColumn};
    ///
    /// let values = Device::cpu().upload(&[2i64, 1])?;
    /// assert_eq!(SortColumn::new(&values, ColumnOptions::new().descending()).rows(), 2);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn new<K: Key>(values: &'a DeviceSlice<'_, K>, options: ColumnOptions) -> Self {
        let kind = Kind::of::<K>(options);
        Self { kind, options, rows: values.len(), values: values.as_bytes(), validity: None }
    }

    /// With a validity bitmap: bit `first + i`, the lowest of each byte first, is set where row `i` has a value. What lies
    /// in the slot of a null does not matter: all nulls are equal.
    ///
    /// ```
    /// use gridsort::{ColumnOptions, Device, SortColumn, Workspace};
    ///
    /// let device = Device::cpu();
    /// let (values, validity) = (device.upload(&[5u8, 9, 9])?, device.upload(&[0b0111_1111u8, 0b10])?);
    /// // The bits 7, 8 and 9: the first row has no value, the third one has.
    /// let column = SortColumn::new(&values, ColumnOptions::new()).with_validity(&validity, 7);
    /// let mut order = device.allocate::<u64>(3)?;
    /// device.lexsort_into(&[column], &mut order, &mut Workspace::new(&device))?;
    /// assert_eq!(order.to_vec()?, [0, 1, 2]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn with_validity(self, bits: &'a DeviceSlice<'_, u8>, first: usize) -> Self {
        Self { validity: Some((bits.as_slice(), first)), ..self }
    }

    /// Number of rows.
    ///
    /// ```
    /// use gridsort::{ColumnOptions, Device, SortColumn};
    ///
    /// let values = Device::cpu().upload(&[0.5f32])?;
    /// assert_eq!(SortColumn::new(&values, ColumnOptions::new()).rows(), 1);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Its width, and whether it may have nulls.
    pub(super) fn planned(&self) -> (KeyWidth, bool) {
        (self.kind.width, self.validity.is_some())
    }

    /// Refuses a column of another device or length, or with a bitmap that is too short.
    pub(super) fn check(&self, device: &Device, rows: usize) -> Result<()> {
        self.values.check_device(device, "a column")?;
        if self.rows != rows {
            return Err(Error::LengthMismatch { what: "a column", expected: rows, found: self.rows });
        }
        let Some((bits, first)) = &self.validity else { return Ok(()) };
        bits.check_device(device, "a validity bitmap")?;
        check_bits(bits.len(), *first, rows)
    }

    /// The same column, on a device whose memory is the host's.
    ///
    /// # Safety
    /// The device is the CPU, and no view that overlaps the column is written at the same time.
    pub(super) unsafe fn on_host(&self) -> HostColumn<'_> {
        // SAFETY: as the caller promises.
        let (values, validity) = unsafe {
            (self.values.host_slice(), self.validity.as_ref().map(|(bits, first)| (bits.host_slice(), *first)))
        };
        HostColumn { kind: self.kind, options: self.options, rows: self.rows, values, validity }
    }
}

/// A column in host memory, to sort rows by: keys of any type, and a validity bitmap where it has nulls. See
/// [`Device::lexsort`].
///
/// ```
/// use gridsort::{ColumnOptions, Device, HostColumn};
///
/// let column = HostColumn::new(&[3u8, 0, 1], ColumnOptions::new()).with_validity(&[0b101], 0);
/// assert_eq!(Device::cpu().lexsort(&[column])?, [1, 2, 0]);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct HostColumn<'a> {
    pub(super) kind: Kind,
    pub(super) options: ColumnOptions,
    pub(super) rows: usize,
    pub(super) values: &'a [u8],
    pub(super) validity: Option<(&'a [u8], usize)>,
}

impl<'a> HostColumn<'a> {
    /// A column without nulls.
    ///
    /// ```
    /// use gridsort::{ColumnOptions, HostColumn};
    ///
    /// assert_eq!(HostColumn::new(&[2i64, 1], ColumnOptions::new()).rows(), 2);
    /// ```
    pub fn new<K: Key>(values: &'a [K], options: ColumnOptions) -> Self {
        let kind = Kind::of::<K>(options);
        Self { kind, options, rows: values.len(), values: bytemuck::cast_slice(values), validity: None }
    }

    /// With a validity bitmap: bit `first + i`, the lowest of each byte first, is set where row `i` has a value. As
    /// [`SortColumn::with_validity`].
    ///
    /// ```
    /// use gridsort::{ColumnOptions, Device, HostColumn};
    ///
    /// // The bits 4 to 6: the second row has no value.
    /// let column = HostColumn::new(&[7u32, 1, 3], ColumnOptions::new().nulls_last()).with_validity(&[0b0101_1111], 4);
    /// assert_eq!(Device::cpu().lexsort_u32(&[column])?, [2, 0, 1]);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    pub fn with_validity(self, bits: &'a [u8], first: usize) -> Self {
        Self { validity: Some((bits, first)), ..self }
    }

    /// Number of rows.
    ///
    /// ```
    /// use gridsort::{ColumnOptions, HostColumn};
    ///
    /// assert_eq!(HostColumn::new(&[0.5f32], ColumnOptions::new()).rows(), 1);
    /// ```
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Its width, and whether it may have nulls.
    pub(super) fn planned(&self) -> (KeyWidth, bool) {
        (self.kind.width, self.validity.is_some())
    }

    /// Refuses a column of another length, or with a bitmap that is too short.
    pub(super) fn check(&self, rows: usize) -> Result<()> {
        if self.rows != rows {
            return Err(Error::LengthMismatch { what: "a column", expected: rows, found: self.rows });
        }
        self.validity.map_or(Ok(()), |(bits, first)| check_bits(bits.len(), first, rows))
    }

    /// Bytes of the values and the bitmap.
    pub(super) fn bytes(&self) -> u64 {
        self.values.len() as u64 + self.validity.map_or(0, |(bits, _)| bits.len() as u64)
    }
}
