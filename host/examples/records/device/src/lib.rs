//! The device crate of the example: two record types, their orders, and the kernels that sort them.
//!
//! For `nvptx64-nvidia-cuda` it compiles to PTX. Elsewhere it is a library like any other: the host program has the types
//! from it, and the emulator runs the same kernels.
#![cfg_attr(target_arch = "nvptx64", no_std, feature(abi_ptx, asm_experimental_arch))]

use bytemuck::{Pod, Zeroable};
use gridsort_kernels::export_order;
use gridsort_kernels::order::Order;

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
