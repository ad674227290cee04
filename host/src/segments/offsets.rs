//! Where segments are.
use crate::device::{Device, DeviceSlice, DeviceSliceMut};
use crate::error::{Error, Result};
use crate::key::Payload;

mod sealed {
    /// An integer as an offset.
    pub trait AsOffset: Copy + Send + Sync {
        /// The greatest.
        const MOST: u64;
        /// Whether it has 64 bits.
        const WIDE: bool;
        /// The offset, beyond every array where it is negative.
        fn offset(self) -> u64;
    }
    macro_rules! offsets {
        ($($t:ty),*) => { $(
            impl AsOffset for $t {
                const MOST: u64 = <$t>::MAX as u64;
                const WIDE: bool = size_of::<$t>() == 8;

                fn offset(self) -> u64 {
                    // A negative one is beyond every array.
                    u64::try_from(self).unwrap_or(u64::MAX)
                }
            }
        )* };
    }
    offsets!(u32, i32, u64, i64);
}

/// What offsets are: `u32` or `u64`, or `i32` or `i64`, of which none is negative.
pub trait Offset: sealed::AsOffset + Payload {}

impl Offset for u32 {}
impl Offset for i32 {}
impl Offset for u64 {}
impl Offset for i64 {}

/// Where segments of an array begin and end, in elements, in the device's memory.
///
/// Segments ascend: each begins where the one before it ends, or behind that; what lies between is not touched. Segments may be
/// empty, and so may the array.
///
/// Sorts of segments wait for nothing and can't report where this is not so: then they do nothing, and
/// [`Device::check_segments`] tells. Places of a graph that are filled up with empty segments have them at the end of the array.
///
/// ```
/// use gridsort::{Device, Segments};
///
/// let device = Device::emulator();
/// // One offset more than there are segments: each ends where the next begins.
/// let offsets = device.upload(&[0u32, 3, 3, 8])?;
/// assert_eq!(Segments::from_offsets(&offsets)?.len(), 3);
/// let (begins, ends) = (device.upload(&[0u64, 5])?, device.upload(&[2u64, 9])?);
/// assert_eq!(Segments::new(&begins, &ends)?.len(), 2);
/// # Ok::<(), gridsort::Error>(())
/// ```
#[derive(Debug)]
pub struct Segments<'a, O: Offset> {
    pub(super) begins: DeviceSlice<'a, O>,
    pub(super) ends: DeviceSlice<'a, O>,
}

impl<'a, O: Offset> Segments<'a, O> {
    /// Segments with their begins and ends apart: there may be gaps between them.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`].
    pub fn new(begins: &'a DeviceSlice<'_, O>, ends: &'a DeviceSlice<'_, O>) -> Result<Self> {
        begins.check_len("the ends of the segments", ends.len())?;
        let all = |slice: &'a DeviceSlice<'_, O>| slice.slice(0..slice.len());
        Ok(Self { begins: all(begins)?, ends: all(ends)? })
    }

    /// Segments of which each ends where the next begins: one offset more than there are segments.
    ///
    /// # Errors
    /// [`Error::LengthMismatch`] where there is no offset.
    pub fn from_offsets(offsets: &'a DeviceSlice<'_, O>) -> Result<Self> {
        let Some(count) = offsets.len().checked_sub(1) else {
            return Err(Error::LengthMismatch { what: "the offsets of the segments", expected: 1, found: 0 });
        };
        Ok(Self { begins: offsets.slice(0..count)?, ends: offsets.slice(1..count + 1)? })
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.begins.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(super) fn check_device(&self, device: &Device) -> Result<()> {
        self.begins.check_device(device, "the begins of the segments")?;
        self.ends.check_device(device, "the ends of the segments")
    }

    /// Refuses offsets that lie where elements are written.
    pub(super) fn check_apart<T: Payload>(&self, elements: &DeviceSliceMut<'_, T>, what: &'static str) -> Result<()> {
        elements.check_apart(what, &self.begins, "the begins of the segments")?;
        elements.check_apart(what, &self.ends, "the ends of the segments")
    }

    /// The segments on the host.
    ///
    /// # Safety
    /// The device is the CPU, and nobody writes them meanwhile.
    pub(super) unsafe fn on_host(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        // SAFETY: the caller's promise.
        let (begins, ends) = unsafe { (self.begins.host_slice(), self.ends.host_slice()) };
        begins.iter().zip(ends).map(|(&begin, &end)| (begin.offset(), end.offset()))
    }
}

/// As much of an array of `n` elements as offsets of the type reach: a negative one is beyond it.
pub(super) fn within<O: Offset>(n: usize) -> u64 {
    (n as u64).min(O::MOST)
}

/// The first segment that is not what it should be, of an array of `n` elements.
pub(super) fn first_bad(segments: impl Iterator<Item = (u64, u64)>, n: u64) -> Option<usize> {
    let mut before = 0;
    let mut all = segments.enumerate();
    all.find_map(|(i, (begin, end))| {
        // The one that reaches beyond the next one's beginning is at fault, as on the device.
        let bad = if begin < before {
            Some(i.saturating_sub(1))
        } else if begin > end || end > n {
            Some(i)
        } else {
            None
        };
        before = end;
        bad
    })
}
