//! What a key is, how keys compare, and how built-in types become keys.
//!
//! Kernels are made for key widths, not for key types: an integer or float maps to an unsigned integer of its width by
//! a bijection that keeps the order ([`Codec`]), applied where keys are first loaded and last stored. Between the two,
//! kernels compare plain unsigned integers, and the same kernel serves every type and both directions.
//!
//! A type with an [`Order`] of its own becomes a key by [`custom_key`](crate::custom_key).
use crate::simt::Plain;
use crate::tile::element::Element;

/// A strict weak order.
pub trait Order: Copy {
    /// Whether `self` must stand before `other`. False for equal ones, and for an element and itself.
    ///
    /// An implementation that is no strict weak order (`<=`, say, or one that contradicts itself) makes a sort give some
    /// permutation of its input; nothing is lost, doubled or read out of bounds.
    fn before(self, other: Self) -> bool;
    /// The two in order: swapped where `other` must stand before `self`, else as they are.
    #[inline(always)]
    fn in_order(self, other: Self) -> (Self, Self) {
        let swap = other.before(self);
        (if swap { other } else { self }, if swap { self } else { other })
    }
}

/// A key: plain data with an order.
pub trait Key: Plain + Order {
    /// A key that no other is after, where all keys that equal it are alike: what pads a tile and ends a run. `None` for
    /// orders that have no such key; pads and ends are then told by position.
    const SENTINEL: Option<Self>;
    /// Whether the order is known to be a strict weak order. Merges by any other are guarded: see
    /// [`guard`](crate::guard).
    const TRUSTED: bool;
    /// What a tile sort moves where keys have no payload: bare keys where equal keys are alike, else tagged ones, which
    /// keep equal keys in their order.
    type Sorted: Element<Key = Self>;
    /// The key with its position in a tile.
    type Tagged: Element<Key = Self, Tag = u32>;
    /// The bijection that is applied as keys are first loaded and last stored.
    type Codec: Copy;
    /// The bijection that a kernel's parameter names.
    fn codec(mode: u32) -> Self::Codec;
    /// The key of a bit pattern.
    fn encode(self, codec: Self::Codec) -> Self;
    /// The bit pattern of a key.
    fn decode(self, codec: Self::Codec) -> Self;
    /// Whether keys are numbers, so that the distance between two tells roughly how many stand between them.
    const NUMBER: bool = false;
    /// Bits of the distance of a number from `base`, which is not after it.
    #[inline(always)]
    fn distance_bits(self, base: Self) -> u32 {
        let _ = base;
        0
    }
    /// That distance in steps of `2^shift`; fewer than 2^32.
    #[inline(always)]
    fn steps(self, base: Self, shift: u32) -> u32 {
        let _ = (base, shift);
        0
    }
    /// That distance in steps, but at most so many.
    #[inline(always)]
    fn steps_at_most(self, base: Self, shift: u32, most: u32) -> u32 {
        let _ = (base, shift, most);
        0
    }
    /// What pads a tile.
    #[inline(always)]
    fn pad() -> Self {
        match Self::SENTINEL {
            Some(key) => key,
            None => crate::simt::zeroed(),
        }
    }
}

/// An unsigned integer as a key: the image of every built-in key type of its width.
pub trait BitKey: Key<Codec = Codec<Self>> {
    /// No bits set.
    const ZERO: Self;
    /// Only the top bit set.
    const TOP: Self;
    /// All bits set where the top bit is, else none.
    fn sign(self) -> Self;
    /// Bitwise exclusive or.
    fn xor(self, other: Self) -> Self;
    /// Bitwise and.
    fn and(self, other: Self) -> Self;
    /// Bitwise complement.
    fn not(self) -> Self;
    /// The distance from `base`, which is not after it, where that fits.
    fn distance(self, base: Self) -> u64;
    /// The key at that distance.
    fn onward(self, distance: u64) -> Self;
}

macro_rules! bit_key {
    ($($t:ty, $signed:ty, $tagged:ty);*) => { $(
        impl Order for $t {
            #[inline(always)]
            fn before(self, other: Self) -> bool {
                self < other
            }
        }
        impl Key for $t {
            const SENTINEL: Option<Self> = Some(<$t>::MAX);
            const TRUSTED: bool = true;
            type Sorted = crate::tile::element::Bare<$t>;
            type Tagged = $tagged;
            type Codec = Codec<$t>;
            #[inline(always)]
            fn codec(mode: u32) -> Codec<$t> {
                Codec::of_mode(mode)
            }
            #[inline(always)]
            fn encode(self, codec: Codec<$t>) -> Self {
                codec.encode(self)
            }
            #[inline(always)]
            fn decode(self, codec: Codec<$t>) -> Self {
                codec.decode(self)
            }
            const NUMBER: bool = true;
            #[inline(always)]
            fn distance_bits(self, base: Self) -> u32 {
                <$t>::BITS - (self - base).leading_zeros()
            }
            #[inline(always)]
            fn steps(self, base: Self, shift: u32) -> u32 {
                ((self - base) >> shift) as u32
            }
            #[inline(always)]
            fn steps_at_most(self, base: Self, shift: u32, most: u32) -> u32 {
                let steps = (self - base) >> shift;
                // A narrow type may not hold `most`.
                if size_of::<Self>() < 4 || steps < most as Self { (steps as u32).min(most) } else { most }
            }
        }
        impl BitKey for $t {
            const ZERO: Self = 0;
            const TOP: Self = 1 << (<$t>::BITS - 1);
            #[inline(always)]
            fn sign(self) -> Self {
                (self as $signed >> (<$t>::BITS - 1)) as $t
            }
            #[inline(always)]
            fn xor(self, other: Self) -> Self {
                self ^ other
            }
            #[inline(always)]
            fn and(self, other: Self) -> Self {
                self & other
            }
            #[inline(always)]
            fn not(self) -> Self {
                !self
            }
            #[inline(always)]
            fn distance(self, base: Self) -> u64 {
                (self - base) as u64
            }
            #[inline(always)]
            fn onward(self, distance: u64) -> Self {
                self + distance as Self
            }
        }
    )* };
}
use crate::tile::tagged::{Packed, Tagged};
bit_key!(u8, i8, Packed<u8, u32>; u16, i16, Packed<u16, u32>; u32, i32, Packed<u32, u64>; u64, i64, Tagged<u64>; u128, i128, Tagged<u128>);

/// The bijection between a type's bits and an unsigned integer in the type's order.
///
/// One formula serves all: `bits ^ (sign(bits) & negative) ^ always`. Unsigned integers take (0, 0); signed ones flip
/// the sign bit, (0, TOP); IEEE floats flip the sign bit of positive numbers and all bits of negative ones,
/// (!TOP, TOP), which gives `total_cmp`'s order: −NaN, −∞, …, −0, +0, …, +∞, +NaN. A descending order complements
/// `always`. Bit patterns map one to one, so every NaN comes back as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Codec<K> {
    /// Bits flipped in numbers whose top bit is set.
    pub negative: K,
    /// Bits flipped in all numbers.
    pub always: K,
}

/// How a kernel's parameter names a [`Codec`]: the sum of these, whatever the width.
pub mod mode {
    /// Keys stay as they are.
    pub const UNSIGNED: u32 = 0;
    /// Two's complement integers.
    pub const SIGNED: u32 = 1;
    /// IEEE floating point numbers.
    pub const FLOAT: u32 = 3;
    /// Added to reverse the order. Sorts stay stable: equal keys are equal both ways.
    pub const REVERSED: u32 = 4;
}

impl<K: BitKey> Codec<K> {
    /// The codec that a mode names.
    #[inline(always)]
    pub fn of_mode(mode: u32) -> Self {
        let top = if mode & mode::SIGNED != 0 { K::TOP } else { K::ZERO };
        let negative = if mode & (mode::FLOAT - mode::SIGNED) != 0 { K::TOP.not() } else { K::ZERO };
        Codec { negative, always: if mode & mode::REVERSED != 0 { top.not() } else { top } }
    }

    /// The key of a bit pattern.
    #[inline(always)]
    pub fn encode(self, bits: K) -> K {
        bits.xor(bits.sign().and(self.negative)).xor(self.always)
    }

    /// The bit pattern of a key. `negative` never has the top bit, so the sign survives the first step.
    #[inline(always)]
    pub fn decode(self, key: K) -> K {
        let bits = key.xor(self.always);
        bits.xor(bits.sign().and(self.negative))
    }
}

/// Makes a type that has an [`Order`] a [`Key`]. The type is [`Plain`], and its all-zero bit pattern is valid.
#[macro_export]
macro_rules! custom_key {
    ($t:ty) => {
        impl $crate::order::Key for $t {
            const SENTINEL: Option<Self> = None;
            const TRUSTED: bool = false;
            // Keys that are equal in this order may still differ: the sort keeps them in theirs.
            type Sorted = $crate::tile::tagged::Tagged<$t>;
            type Tagged = $crate::tile::tagged::Tagged<$t>;
            type Codec = ();
            #[inline(always)]
            fn codec(_: u32) {}
            #[inline(always)]
            fn encode(self, _: ()) -> Self {
                self
            }
            #[inline(always)]
            fn decode(self, _: ()) -> Self {
                self
            }
        }
    };
}

#[cfg(test)]
mod tests;
