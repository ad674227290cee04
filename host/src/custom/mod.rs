//! Keys of a type and order of the user's own: the operations on them, by kernels from the user's own device crate.
mod argsort;
mod cpu;
mod merge;
mod merge_many;
mod sample;
mod sort;
mod sorted;
mod stable;
#[cfg(test)]
mod tests;

use crate::device::{Device, KernelModule};
use crate::error::{Error, Result};
use crate::key::{Payload, PayloadWidth, payload_bytes};
use crate::plan::{self, ALIGNMENT, MergeSortPlan, Shape};
use bytemuck::Pod;
use gridsort_kernels::entry::custom::{OrderKernels, OrderSampleKernels, OrderSet};
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::order::Order;
use std::cmp::Ordering;
use std::fmt::Debug;

/// Plain data with an [`Order`] of its own. Every type that has these traits is one.
///
/// ```
/// fn takes_keys<K: gridsort::OrderedKey>() {}
/// takes_keys::<u32>();
/// ```
pub trait OrderedKey: Order + Pod + Debug + Send + Sync {}

impl<K: Order + Pod + Debug + Send + Sync> OrderedKey for K {}

/// Sorts and merges keys by an order of the user's own.
///
/// The order is written in Rust, in a device crate that is compiled twice: to PTX for GPUs (`gridsort-build`), and into
/// the host program, where the emulator and the CPU use it. All operations are stable.
///
/// An order that is no strict weak order (`<=`, or one that contradicts itself) gives some permutation of the input on
/// every device: nothing is lost or doubled, and nothing hangs.
///
/// ```
/// # mod device_crate {
/// use gridsort_kernels::order::Order;
///
/// /// Longest first, of equal lengths the lower id.
/// #[derive(Clone, Copy, Debug, PartialEq)]
/// #[repr(C)]
/// pub struct Track {
///     pub length: f32,
///     pub id: u32,
/// }
/// # // SAFETY: two 32-bit fields, no padding, all bit patterns valid.
/// # unsafe impl bytemuck::Zeroable for Track {}
/// # unsafe impl bytemuck::Pod for Track {}
/// impl Order for Track {
///     fn before(self, other: Self) -> bool {
///         if self.length != other.length { self.length > other.length } else { self.id < other.id }
///     }
/// }
/// gridsort_kernels::export_order!(pub mod tracks: Track);
/// # }
/// # fn main() -> gridsort::Result<()> {
/// # use device_crate::{Track, tracks};
/// use gridsort::{CustomOrder, Device};
///
/// // With a GPU: CustomOrder::new(&tracks::KERNELS, gridsort::embed_kernels!("device_crate"))
/// static BY_LENGTH: CustomOrder<Track> = CustomOrder::new(&tracks::KERNELS, &[]);
///
/// let mut keys = [Track { length: 2.0, id: 1 }, Track { length: 9.0, id: 2 }, Track { length: 2.0, id: 0 }];
/// BY_LENGTH.sort(&Device::emulator(), &mut keys)?;
/// assert_eq!(keys.map(|track| track.id), [2, 0, 1]);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct CustomOrder<K: 'static> {
    kernels: &'static OrderKernels<K>,
    modules: &'static [KernelModule],
    // What sorts keys alone by samples, where that was asked for.
    sample: Option<&'static OrderSampleKernels<K>>,
}

impl<K> Clone for CustomOrder<K> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K> Copy for CustomOrder<K> {}

/// Lists the compiled kernels of a device crate for [`CustomOrder::new`]: those that `gridsort_build` left when this
/// crate was built. Takes the name of the device crate, as Rust code has it.
///
/// ```ignore
/// static BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, gridsort::embed_kernels!("my_orders"));
/// ```
#[macro_export]
macro_rules! embed_kernels {
    ($crate_name:literal) => {
        include!(concat!(env!("OUT_DIR"), "/", $crate_name, ".kernels.rs"))
    };
}

impl<K> CustomOrder<K> {
    /// The order of these kernels, with their compiled form for GPUs; without it the order serves the other devices.
    ///
    /// See [`CustomOrder`] for an example.
    pub const fn new(kernels: &'static OrderKernels<K>, modules: &'static [KernelModule]) -> Self {
        Self { kernels, modules, sample: None }
    }
}

impl<K: OrderedKey> CustomOrder<K> {
    /// Bytes of scratch memory that sorting `n` keys takes on a device, with payloads of `payload_bytes` bytes each (0,
    /// 4 or 8).
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// // A copy of the keys, and a word; nothing on the CPU.
    /// assert!(BY_PRICE.sort_scratch_bytes(&Device::emulator(), 1 << 20, 0)? > 12 << 20);
    /// assert_eq!(BY_PRICE.sort_scratch_bytes(&Device::cpu(), 1 << 20, 0)?, 0);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::TooLarge`], [`Error::NotSupported`] for other payloads.
    pub fn sort_scratch_bytes(&self, device: &Device, n: usize, payload_bytes: usize) -> Result<u64> {
        let width = payload_width(device, payload_bytes)?;
        let Some(tiles) = device.tiles() else { return Ok(0) };
        match self.sample_job(n, width, tiles)? {
            Some(job) => Ok(job.plan.scratch_bytes),
            None => Ok(self.plan(n, width, tiles)?.1),
        }
    }

    /// Bytes of scratch memory that an argsort of `n` keys takes on a device, with positions of `position_bytes` bytes
    /// (4 or 8).
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// // Two copies of the keys, one of the positions, and a word.
    /// assert!(BY_PRICE.argsort_scratch_bytes(&Device::emulator(), 1 << 20, 4)? > (12 + 12 + 4) << 20);
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// As [`CustomOrder::sort_scratch_bytes`].
    pub fn argsort_scratch_bytes(&self, device: &Device, n: usize, position_bytes: usize) -> Result<u64> {
        let sort = self.sort_scratch_bytes(device, n, position_bytes)?;
        if device.tiles().is_none() {
            return Ok(0);
        }
        Ok(sort + plan::area_bytes("argsort", n as u64, size_of::<K>() as u64)?)
    }

    /// Bytes of scratch memory that a merge takes, and a search for disorder.
    ///
    /// ```
    /// use gridsort::CustomOrder;
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// assert_eq!(BY_PRICE.merge_scratch_bytes(), 256);
    /// ```
    pub const fn merge_scratch_bytes(&self) -> u64 {
        ALIGNMENT
    }

    /// Loads the kernels that sort keys and merge two or many inputs of them, with payloads of `payload_bytes` bytes (0, 4
    /// or 8), before they are needed, as [`Device::prepare`] does for gridsort's own.
    ///
    /// ```
    /// use gridsort::{CustomOrder, Device};
    /// use records_order::{Offer, offers};
    ///
    /// const BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, &[]);
    /// BY_PRICE.prepare(&Device::emulator(), 4)?;
    /// # Ok::<(), gridsort::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NotSupported`] for other payloads, [`Error::Launch`] where there is no compiled form for this GPU, and
    /// what the driver says.
    pub fn prepare(&self, device: &Device, payload_bytes: usize) -> Result<()> {
        let width = payload_width(device, payload_bytes)?;
        let Some(tiles) = device.tiles() else { return Ok(()) };
        let set = self.set(device, width, tiles);
        let (two_way, kway) = (&set.two_way, &set.kway);
        let mut kernels = gridsort_kernels::entry::kway::INPUTS.to_vec();
        kernels.extend([two_way.tile_sort, two_way.merge_pass, two_way.merge_runs, kway.tile_sort]);
        kernels.extend(kway.passes.iter().flat_map(|pass| [pass.partition, pass.pass]));
        kernels.extend(gridsort_kernels::entry::guard::GUARD);
        kernels.extend(self.sample_set(device, width, tiles).iter().flat_map(|sample| sample.all()));
        device.backend().prepare(&kernels)
    }

    /// The kernels for a payload width, which the device knows from here on.
    fn set(&self, device: &Device, payload: PayloadWidth, tiles: Tiles) -> &'static OrderSet {
        device.backend().register(&mut self.kernels.all(), self.modules);
        self.kernels.set(payload, tiles)
    }

    /// The plan of a sort of `n` keys, and the scratch memory that it takes with the guard's flag.
    fn plan(&self, n: usize, payload: PayloadWidth, tiles: Tiles) -> Result<(MergeSortPlan, u64)> {
        let plan = plan::merge_sort(n as u64, &self.shape(payload, tiles))?;
        let flag = if plan.passes.is_empty() { 0 } else { ALIGNMENT };
        let scratch_bytes = plan.scratch_bytes + flag;
        Ok((plan, scratch_bytes))
    }

    /// What plans must know of the kernels.
    fn shape(&self, payload: PayloadWidth, tiles: Tiles) -> Shape {
        let set = self.kernels.set(payload, tiles);
        Shape {
            tile: set.two_way.tile,
            small_tile: set.two_way.small_tile,
            merge_tile: set.two_way.merge_tile,
            kway_from: set.kway.from,
            kway_tile: set.kway.tile,
            kway_merge_tiles: set.kway.passes.map(|pass| pass.tile),
            kway_tile_of_32: set.kway.of_32.map(|pass| pass.tile),
            key_bytes: size_of::<K>() as u64,
            payload_bytes: payload_bytes(payload),
        }
    }
}

/// The width of payloads of this size, which travel with the keys.
fn payload_width(device: &Device, bytes: usize) -> Result<PayloadWidth> {
    match bytes {
        0 => Ok(PayloadWidth::None),
        4 => Ok(PayloadWidth::W32),
        8 => Ok(PayloadWidth::W64),
        _ => Err(Error::NotSupported {
            device: device.name().into(),
            what: "sort by an order of the user's own with payloads of other sizes than 4 and 8 bytes; argsort, and fetch \
                   by position",
        }),
    }
}

/// The width of payloads of a type.
fn width_of<P: Payload>(device: &Device) -> Result<PayloadWidth> {
    match payload_width(device, size_of::<P>())? {
        // A type of no size is no payload.
        PayloadWidth::None => Err(Error::PayloadSize { bytes: 0, limit: plan::MAX_PAYLOAD }),
        width => Ok(width),
    }
}

/// Which of two keys comes first, as sorts on the CPU ask for it.
fn compare<K: Order>(x: &K, y: &K) -> Ordering {
    if x.before(*y) {
        Ordering::Less
    } else if y.before(*x) {
        Ordering::Greater
    } else {
        Ordering::Equal
    }
}
