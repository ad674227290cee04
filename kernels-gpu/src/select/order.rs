//! What selection asks of a key: to be cut out of a wide load, to be widened to what a comparison compares, to be shown
//! digit by digit, and to be put into one number with its index.
use crate::order::{BitKey, Key};

/// The number that a narrow key becomes in shared memory, or a key by itself: one whose tagged form has room for 32 bits of
/// position.
pub trait Wide: BitKey {
    /// Its bits `shift..shift + bits`, up to 31 of them, as a number.
    fn digit(self, shift: u32, bits: u32) -> u32;
    /// Whether it is like `other` from bit `from` on, which may be the number of its bits.
    fn agrees(self, other: Self, from: u32) -> bool;
    /// Truncates.
    fn of_bits(bits: u128) -> Self;
}

macro_rules! wide {
    ($($t:ty),*) => { $(
        impl Wide for $t {
            #[inline(always)]
            fn digit(self, shift: u32, bits: u32) -> u32 {
                (self >> shift) as u32 & ((1 << bits) - 1)
            }
            #[inline(always)]
            fn agrees(self, other: Self, from: u32) -> bool {
                from >= <$t>::BITS || (self ^ other) >> from == 0
            }
            #[inline(always)]
            fn of_bits(bits: u128) -> Self {
                bits as $t
            }
        }
    )* };
}
wide!(u32, u64, u128);

/// A key that can be selected by.
pub trait Selectable: BitKey {
    /// What it is widened to in shared memory: keys of 8 and 16 bits share the code of those of 32.
    type Wide: Wide;
    /// Keys of a load of 16 bytes.
    const PER_VECTOR: usize;
    /// Zero-extends.
    fn widen(self) -> Self::Wide;
    /// The inverse of [`Selectable::widen`].
    fn narrow(wide: Self::Wide) -> Self;
    /// Key `i` of 16 bytes.
    fn of_words(words: [u32; 4], i: usize) -> Self;
    /// 16 bytes whose first key this is.
    fn to_words(self) -> [u32; 4];
}

/// A key with its position in a row, in shared memory.
pub type Candidate<K> = <<K as Selectable>::Wide as Key>::Tagged;

macro_rules! selectable {
    ($($t:ty, $wide:ty, $of:expr, $to:expr);*) => { $(
        impl Selectable for $t {
            type Wide = $wide;
            const PER_VECTOR: usize = 16 / size_of::<$t>();
            #[inline(always)]
            fn widen(self) -> $wide {
                self as $wide
            }
            #[inline(always)]
            fn narrow(wide: $wide) -> Self {
                wide as $t
            }
            #[inline(always)]
            fn of_words(words: [u32; 4], i: usize) -> Self {
                $of(words, i)
            }
            #[inline(always)]
            fn to_words(self) -> [u32; 4] {
                $to(self)
            }
        }
    )* };
}
#[inline(always)]
fn word(words: [u32; 4], i: usize) -> u64 {
    words[2 * i] as u64 | (words[2 * i + 1] as u64) << 32
}
selectable!(
    u8, u32, |w: [u32; 4], i: usize| (w[i / 4] >> (8 * (i % 4))) as u8, |v: u8| [v as u32, 0, 0, 0];
    u16, u32, |w: [u32; 4], i: usize| (w[i / 2] >> (16 * (i % 2))) as u16, |v: u16| [v as u32, 0, 0, 0];
    u32, u32, |w: [u32; 4], i: usize| w[i], |v: u32| [v, 0, 0, 0];
    u64, u64, word, |v: u64| [v as u32, (v >> 32) as u32, 0, 0];
    u128, u128, |w: [u32; 4], _: usize| word(w, 0) as u128 | (word(w, 1) as u128) << 64,
        |v: u128| [v as u32, (v >> 32) as u32, (v >> 64) as u32, (v >> 96) as u32]
);

/// A key and its index in one number, in the order of elements: what a selection of many from an array moves.
pub trait Composite<K: Selectable>: Selectable<Wide = Self> + Wide {
    /// The number of an encoded key and its index.
    fn compose(key: K, index: u64) -> Self;
    /// Its key.
    fn key(self) -> K;
    /// Its index.
    fn index(self) -> u64;
}

macro_rules! composite {
    ($word:ty, $half:ty: $($k:ty),*) => { $(
        impl Composite<$k> for $word {
            #[inline(always)]
            fn compose(key: $k, index: u64) -> Self {
                (key as $word) << <$half>::BITS | (index as $half) as $word
            }
            #[inline(always)]
            fn key(self) -> $k {
                (self >> <$half>::BITS) as $k
            }
            #[inline(always)]
            fn index(self) -> u64 {
                (self as $half) as u64
            }
        }
    )* };
}
// Indices of up to 2^32 keys, and of any number.
composite!(u64, u32: u8, u16, u32);
composite!(u128, u64: u8, u16, u32, u64);
