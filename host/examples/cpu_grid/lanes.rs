//! Eight elements side by side, and what the grid does with them: by AVX-512, by AVX2, or one after the other.
//!
//! An element is a key and the number of its run in one `u64`, compared at once: ties go to the lower run.
use crate::runs::{Cursors, RUNS};

/// The exponent of 2^52. With it the elements are normal numbers as `f64` too, in the same order, and AVX2, which has no
/// minimum of `u64`, has one of those.
pub(crate) const BIAS: u64 = 0x4330_0000_0000_0000;
/// Bits for the number of a run, or [`RUNS`] for no run.
pub(crate) const RUN_BITS: u32 = 4;

/// What stands in for an element of a run that has no more. It is behind every element, the greatest key included.
pub(crate) const NOTHING: u64 = element(u32::MAX, RUNS);

pub(crate) const fn element(key: u32, run: usize) -> u64 {
    BIAS | (key as u64) << RUN_BITS | run as u64
}

pub(crate) const fn key(element: u64) -> u32 {
    (element >> RUN_BITS) as u32
}

pub(crate) const fn run(element: u64) -> usize {
    element as usize & ((1 << RUN_BITS) - 1)
}

/// Eight elements. A value proves that the processor has the instructions its methods use: [`new`](Self::new) is the only
/// way to the first one.
pub(crate) trait Lanes: Copy {
    /// # Safety
    /// The processor must have the instructions of this type.
    unsafe fn new(lanes: [u64; 8]) -> Self;

    fn min(self, other: Self) -> Self;
    fn max(self, other: Self) -> Self;

    /// Lane i takes lane i ^ X, where X is 1, 2, 3, 4 or 7.
    fn partner<const X: i32>(self) -> Self;

    /// Lane i takes lane (i + BY) mod 8.
    fn rotate<const BY: i32>(self) -> Self;

    /// The lanes whose bit is set in `OTHER` from `other`, the rest from here.
    fn blend<const OTHER: i32>(self, other: Self) -> Self;

    /// Writes the eight keys.
    fn store_keys(self, to: &mut [u32; 8]);

    /// For each of these elements, none of them [`NOTHING`], the next of its run, in any order.
    fn replacements(self, cursors: &mut Cursors) -> Self;

    /// A step of a network: lanes i and i ^ X in order, where `UPPER` has the bits of the lanes that take the greater.
    #[inline(always)]
    fn step<const X: i32, const UPPER: i32>(self) -> Self {
        let partner = self.partner::<X>();
        self.min(partner).blend::<UPPER>(self.max(partner))
    }

    /// Sorts a bitonic sequence: one that falls, then rises, or the other way about, or either rotated.
    #[inline(always)]
    fn sort_bitonic(self) -> Self {
        self.step::<4, 0xf0>().step::<2, 0xcc>().step::<1, 0xaa>()
    }

    #[inline(always)]
    fn sort(self) -> Self {
        let fours = self.step::<1, 0xaa>().step::<3, 0xcc>().step::<1, 0xaa>();
        fours.step::<7, 0xf0>().step::<2, 0xcc>().step::<1, 0xaa>()
    }
}

/// For processors without vector instructions that this program knows, and to test with.
#[derive(Clone, Copy)]
pub(crate) struct Scalar([u64; 8]);

impl Lanes for Scalar {
    unsafe fn new(lanes: [u64; 8]) -> Self {
        Scalar(lanes)
    }

    fn min(self, other: Self) -> Self {
        Scalar(std::array::from_fn(|i| self.0[i].min(other.0[i])))
    }

    fn max(self, other: Self) -> Self {
        Scalar(std::array::from_fn(|i| self.0[i].max(other.0[i])))
    }

    fn partner<const X: i32>(self) -> Self {
        Scalar(std::array::from_fn(|i| self.0[i ^ X as usize]))
    }

    fn rotate<const BY: i32>(self) -> Self {
        Scalar(std::array::from_fn(|i| self.0[(i + BY as usize) % 8]))
    }

    fn blend<const OTHER: i32>(self, other: Self) -> Self {
        Scalar(std::array::from_fn(|i| if OTHER >> i & 1 == 1 { other.0[i] } else { self.0[i] }))
    }

    fn store_keys(self, to: &mut [u32; 8]) {
        *to = self.0.map(key);
    }

    fn replacements(self, cursors: &mut Cursors) -> Self {
        Scalar(self.0.map(|element| cursors.next(run(element))))
    }
}
