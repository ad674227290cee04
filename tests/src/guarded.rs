//! Device memory between guard words, to launch kernels on.
use crate::same;
use bytemuck::Pod;
use gridsort::{Arg, Device, DeviceBuffer};
use std::fmt::Debug;

/// Guard bytes at each end: as much as allocations are aligned by, so what lies between is aligned as one.
const GUARD_BYTES: usize = 256;
const GUARD: u8 = 0xa5;

/// Elements with guard words before and behind them.
#[derive(Debug)]
pub struct Guarded<T: Pod> {
    buffer: DeviceBuffer<T>,
}

impl<T: Pod + Debug> Guarded<T> {
    const GUARDS: usize = GUARD_BYTES / size_of::<T>();

    fn guards() -> Vec<T> {
        vec![bytemuck::pod_read_unaligned(&[GUARD; 16][..size_of::<T>()]); Self::GUARDS]
    }

    /// Uploads elements.
    ///
    /// # Panics
    /// Where the device has no memory for them.
    pub fn new(device: &Device, elements: &[T]) -> Self {
        let mut all = Self::guards();
        all.extend_from_slice(elements);
        all.extend(Self::guards());
        Self { buffer: device.upload(&all).unwrap() }
    }

    /// Where the first element lies, as a kernel's argument.
    pub fn arg(&self) -> Arg {
        Arg::Address(self.buffer.address() + GUARD_BYTES as u64)
    }

    /// The elements.
    ///
    /// # Panics
    /// Where a guard word was overwritten.
    #[track_caller]
    pub fn elements(&self, at: impl Fn() -> String) -> Vec<T> {
        let mut all = self.buffer.to_vec().unwrap();
        let end = all.len() - Self::GUARDS;
        same(&all[..Self::GUARDS], &Self::guards(), || format!("guards before the elements, {}", at()));
        same(&all[end..], &Self::guards(), || format!("guards behind the elements, {}", at()));
        all.truncate(end);
        all.drain(..Self::GUARDS);
        all
    }
}
