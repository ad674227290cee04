//! Which types can be keys and payloads, and how keys become unsigned integers that keep their order.
use crate::options::Direction;
use bytemuck::Pod;
use gridsort_kernels::order::mode;
use gridsort_kernels::simt::Arg;
#[cfg(feature = "half")]
use half::{bf16, f16};
use std::cmp::Ordering;
use std::fmt::Debug;

pub use gridsort_kernels::entry::KeyWidth;
pub use gridsort_kernels::entry::merge_sort::PayloadWidth;

mod sealed {
    pub trait Sealed {}
}

/// A built-in type that can be sorted: an integer of 8 to 128 bits, `f16`, `bf16`, `f32` or `f64`.
///
/// Floats are ordered by IEEE total order, as [`f32::total_cmp`] has it: negative NaNs first, −0 before +0, positive
/// NaNs last. It is a total order on the bits, so every device gives the same result, bit for bit.
///
/// ```
/// use gridsort::{Key, KeyWidth};
///
/// assert_eq!(f64::NAME, "f64");
/// assert_eq!(f64::WIDTH, KeyWidth::W64);
/// assert!((-0.0f64).order(&0.0).is_lt());
/// ```
pub trait Key: Pod + PartialEq + Debug + Send + Sync + sealed::Sealed {
    /// The key's width: kernels are made for widths, not for types.
    const WIDTH: KeyWidth;
    /// The type's name.
    const NAME: &'static str;

    /// Which of two keys comes first in ascending order.
    ///
    /// ```
    /// use gridsort::Key;
    ///
    /// assert!(f32::NAN.order(&f32::INFINITY).is_gt());
    /// ```
    fn order(&self, other: &Self) -> Ordering;

    /// How keys of this type become unsigned integers whose order is the keys' order in `direction`.
    ///
    /// ```
    /// use gridsort::{Direction, Key};
    ///
    /// let codec = i32::codec(Direction::Ascending);
    /// assert!(codec.encode(u128::from(-1i32 as u32)) < codec.encode(1));
    /// ```
    fn codec(direction: Direction) -> KeyCodec;
}

/// A type that can travel with a key: any plain data ([`bytemuck::Pod`] and [`Debug`]) of 1 to 16 bytes. Operations refuse other sizes
/// with [`Error::PayloadSize`](crate::Error::PayloadSize).
///
/// Payloads of 4 and 8 bytes move with their keys. With others positions do, and the payloads are fetched once at the end.
///
/// ```
/// use gridsort::{Device, Payload, PayloadWidth, SortOptions};
///
/// assert_eq!(f32::PAYLOAD_WIDTH, PayloadWidth::W32);
/// let mut keys = [2u8, 1];
/// let mut colours = [[0u8, 0, 255], [255, 0, 0]];
/// Device::emulator().sort_pairs(&mut keys, &mut colours, SortOptions::new())?;
/// assert_eq!(colours, [[255, 0, 0], [0, 0, 255]]);
/// # Ok::<(), gridsort::Error>(())
/// ```
pub trait Payload: Pod + Debug + Send + Sync {
    /// The width of what moves with the keys: the payload itself or, for payloads of other sizes than 4 and 8 bytes, the
    /// position of up to 2^32 keys.
    const PAYLOAD_WIDTH: PayloadWidth = match size_of::<Self>() {
        8 => PayloadWidth::W64,
        _ => PayloadWidth::W32,
    };
}

impl<T: Pod + Debug + Send + Sync> Payload for T {}

/// The order-preserving bijection between a key's bits and an unsigned integer of the same width.
///
/// Unsigned integers are themselves; of signed ones the top bit flips; a negative float grows as its magnitude shrinks,
/// so all its bits flip, of a positive one only the top bit. A descending order flips all bits once more.
///
/// ```
/// use gridsort::{Direction, Key};
///
/// let codec = f32::codec(Direction::Descending);
/// let bits = u128::from(1.5f32.to_bits());
/// assert_eq!(codec.decode(codec.encode(bits)), bits);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct KeyCodec {
    width: KeyWidth,
    mode: u32,
}

impl KeyCodec {
    /// Leaves keys as they are.
    ///
    /// ```
    /// use gridsort::{KeyCodec, KeyWidth};
    ///
    /// assert_eq!(KeyCodec::identity(KeyWidth::W32).encode(7), 7);
    /// ```
    pub const fn identity(width: KeyWidth) -> Self {
        Self { width, mode: mode::UNSIGNED }
    }

    const fn new(width: KeyWidth, mode: u32, direction: Direction) -> Self {
        match direction {
            Direction::Ascending => Self { width, mode },
            Direction::Descending => Self { width, mode: mode + mode::REVERSED },
        }
    }

    /// The keys' width.
    ///
    /// ```
    /// use gridsort::{Direction, Key, KeyWidth};
    ///
    /// assert_eq!(i16::codec(Direction::Ascending).width(), KeyWidth::W16);
    /// ```
    pub const fn width(&self) -> KeyWidth {
        self.width
    }

    /// The unsigned integer for a key's bits.
    ///
    /// ```
    /// use gridsort::{Direction, Key};
    ///
    /// let codec = u32::codec(Direction::Descending);
    /// assert_eq!(codec.encode(0), u128::from(u32::MAX));
    /// ```
    pub const fn encode(&self, bits: u128) -> u128 {
        bits ^ self.negative(bits) ^ self.always()
    }

    /// The key's bits for an unsigned integer.
    ///
    /// ```
    /// use gridsort::{Direction, Key};
    ///
    /// let codec = i64::codec(Direction::Ascending);
    /// assert_eq!(codec.decode(codec.encode(42)), 42);
    /// ```
    pub const fn decode(&self, code: u128) -> u128 {
        // What negative keys flip does not hold the top bit, so the sign survives the encoding's second step.
        let bits = code ^ self.always();
        bits ^ self.negative(bits)
    }

    /// All bits of the width.
    const fn ones(&self) -> u128 {
        u128::MAX >> (128 - 8 * key_bytes(self.width))
    }

    const fn top(&self) -> u128 {
        self.ones() ^ (self.ones() >> 1)
    }

    /// What flips in these bits because they are those of a negative float.
    const fn negative(&self, bits: u128) -> u128 {
        if self.mode & mode::FLOAT == mode::FLOAT && bits & self.top() != 0 { self.ones() >> 1 } else { 0 }
    }

    /// What flips in all keys.
    const fn always(&self) -> u128 {
        let top = if self.mode & mode::SIGNED != 0 { self.top() } else { 0 };
        if self.mode & mode::REVERSED != 0 { top ^ self.ones() } else { top }
    }

    /// The codec as a kernel's parameter.
    ///
    /// ```
    /// use gridsort::{Arg, KeyCodec, KeyWidth};
    ///
    /// assert_eq!(KeyCodec::identity(KeyWidth::W64).arg(), Arg::U32(0));
    /// ```
    pub const fn arg(&self) -> Arg {
        Arg::U32(self.mode)
    }
}

/// Bytes of a key of this width.
///
/// ```
/// assert_eq!(gridsort::key_bytes(gridsort::KeyWidth::W64), 8);
/// ```
pub const fn key_bytes(width: KeyWidth) -> u64 {
    match width {
        KeyWidth::W8 => 1,
        KeyWidth::W16 => 2,
        KeyWidth::W32 => 4,
        KeyWidth::W64 => 8,
        KeyWidth::W128 => 16,
    }
}

/// Bytes of a payload of this width.
///
/// ```
/// assert_eq!(gridsort::payload_bytes(gridsort::PayloadWidth::None), 0);
/// ```
pub const fn payload_bytes(width: PayloadWidth) -> u64 {
    match width {
        PayloadWidth::None => 0,
        PayloadWidth::W32 => 4,
        PayloadWidth::W64 => 8,
    }
}

macro_rules! key {
    ($($type:ident, $width:ident, $order:path, $mode:ident;)*) => { $(
        impl sealed::Sealed for $type {}

        impl Key for $type {
            const WIDTH: KeyWidth = KeyWidth::$width;
            const NAME: &'static str = stringify!($type);

            #[inline]
            fn order(&self, other: &Self) -> Ordering {
                $order(self, other)
            }

            fn codec(direction: Direction) -> KeyCodec {
                KeyCodec::new(Self::WIDTH, mode::$mode, direction)
            }
        }
    )* };
}

key! {
    u8, W8, u8::cmp, UNSIGNED;
    u16, W16, u16::cmp, UNSIGNED;
    u32, W32, u32::cmp, UNSIGNED;
    u64, W64, u64::cmp, UNSIGNED;
    u128, W128, u128::cmp, UNSIGNED;
    i8, W8, i8::cmp, SIGNED;
    i16, W16, i16::cmp, SIGNED;
    i32, W32, i32::cmp, SIGNED;
    i64, W64, i64::cmp, SIGNED;
    i128, W128, i128::cmp, SIGNED;
    f32, W32, f32::total_cmp, FLOAT;
    f64, W64, f64::total_cmp, FLOAT;
}

#[cfg(feature = "half")]
key! {
    f16, W16, f16::total_cmp, FLOAT;
    bf16, W16, bf16::total_cmp, FLOAT;
}

/// Compares two keys in a direction: what sorts on the CPU go by.
#[inline]
pub(crate) fn compare<K: Key>(direction: Direction) -> impl Fn(&K, &K) -> Ordering + Copy + Sync {
    move |x, y| match direction {
        Direction::Ascending => x.order(y),
        Direction::Descending => y.order(x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The codec of each type must order bits as the type orders keys, and be undone by `decode`.
    fn check<K: Key>(keys: &[K]) {
        let bits = |key: &K| {
            let mut bytes = [0; 16];
            bytes[..size_of::<K>()].copy_from_slice(bytemuck::bytes_of(key));
            u128::from_le_bytes(bytes)
        };
        for direction in [Direction::Ascending, Direction::Descending] {
            let (codec, compare) = (K::codec(direction), compare::<K>(direction));
            for x in keys {
                assert_eq!(codec.decode(codec.encode(bits(x))), bits(x), "{x:?} {direction}");
                assert!(codec.encode(bits(x)) <= codec.ones());
                for y in keys {
                    let codes = codec.encode(bits(x)).cmp(&codec.encode(bits(y)));
                    assert_eq!(codes, compare(x, y), "{x:?} {y:?} {direction}");
                }
            }
        }
    }

    #[test]
    fn integers_keep_their_order() {
        macro_rules! check_all {
            ($($t:ident)*) => { $(
                check(&[<$t>::MIN, <$t>::MIN + 1, <$t>::MAX / 2, <$t>::MAX / 2 + 1, 0, 1, (0 as $t).wrapping_sub(1), <$t>::MAX]);
            )* };
        }
        check_all!(u8 i8 u16 i16 u32 i32 u64 i64 u128 i128);
    }

    #[test]
    fn floats_keep_total_order() {
        let nan = f32::from_bits(0x7fc0_0001);
        let keys = [0.0, 1.0, f32::MIN_POSITIVE, 1e-45, f32::MAX, f32::INFINITY, f32::NAN, nan];
        let keys: Vec<f32> = keys.iter().flat_map(|&x| [x, -x]).collect();
        check(&keys);
        let wide: Vec<f64> = keys.iter().map(|&x| f64::from(x)).chain([5e-324, -5e-324]).collect();
        check(&wide);
        #[cfg(feature = "half")]
        {
            check(&keys.iter().map(|&x| f16::from_f32(x)).collect::<Vec<_>>());
            check(&keys.iter().map(|&x| bf16::from_f32(x)).collect::<Vec<_>>());
        }
    }

    #[test]
    fn kernels_take_the_mode() {
        assert_eq!(f32::codec(Direction::Ascending).arg(), Arg::U32(3));
        assert_eq!(u64::codec(Direction::Descending).arg(), Arg::U32(4));
    }
}
