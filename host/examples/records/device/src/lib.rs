//! The device crate of the example: two record types, their orders, and the kernels that sort them; and orders
//! that are none, to see what comes of them.
//!
//! For `nvptx64-nvidia-cuda` it compiles to PTX. Elsewhere it is a library like any other: the host program has the types
//! from it, and the emulator runs the same kernels.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]

use bytemuck::{Pod, Zeroable};
use gridsort_kernels::order::Order;
use gridsort_kernels::{export_order, export_sample_sort};

/// An offer on a market, 12 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Offer {
    /// In cents.
    pub price: u32,
    /// When it was made.
    pub time: u32,
    /// Who made it. It has no part in the order.
    pub from: u32,
}

/// The highest price first; of equal prices the earliest.
impl Order for Offer {
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        (self.price > other.price) | ((self.price == other.price) & (self.time < other.time))
    }
}

export_order!(
    /// The kernels that sort offers.
    pub mod offers: Offer
);

/// A measurement, 16 bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Sample {
    /// By what it was measured.
    pub sensor: u64,
    /// When.
    pub time: u64,
}

/// By sensor, then by time, the latest first.
impl Order for Sample {
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        (self.sensor < other.sensor) | ((self.sensor == other.sensor) & (self.time > other.time))
    }
}

export_order!(
    /// The kernels that sort samples.
    pub mod samples: Sample
);
export_sample_sort!(
    /// Those that sort many of them faster.
    pub mod samples_by_sample: Sample
);

/// What no key should be: one whose order contradicts itself, by one of several rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Pod, Zeroable)]
#[repr(C)]
pub struct Wild {
    /// What the rules compare.
    pub value: u32,
    /// Which rule, from 0 to [`WILD_RULES`] - 1.
    pub rule: u32,
    /// Tells one from another. It has no part in the order.
    pub id: u32,
}

/// Rules that a [`Wild`] key can have.
pub const WILD_RULES: u32 = 5;

/// No strict weak order by any rule.
impl Order for Wild {
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        let chance = |x: u32| x.wrapping_mul(0x9e37_79b9).rotate_left(15).wrapping_mul(0x85eb_ca6b) >> 31 == 0;
        match self.rule {
            // Always, also before itself.
            0 => true,
            // Not strict.
            1 => self.value <= other.value,
            // As a coin falls.
            2 => chance(self.value ^ other.value.rotate_left(16)),
            // Around in a circle.
            3 => self.value.wrapping_sub(other.value) % 3 == 1,
            // Right but for a few.
            _ => {
                (self.value < other.value)
                    ^ (self.value % 16 == 3 && chance(self.value.wrapping_add(other.value.wrapping_mul(7))))
            }
        }
    }
}

export_order!(
    /// The kernels that sort them all the same.
    pub mod wilds: Wild
);
