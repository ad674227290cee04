//! The CPU as a device: buffers are host memory, and operations run rayon instead of kernels.
use super::queue::RawStream;
use super::{Backend, DeviceKind, MemoryInfo, event::Mark, host};
use crate::error::{Error, Result};
use crate::plan::ALIGNMENT;
use gridsort_kernels::entry::merge_sort::Tiles;
use gridsort_kernels::simt::{Arg, Kernel};
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};
use std::time::Instant;

const NAME: &str = "CPU";

#[derive(Debug)]
pub(crate) struct Cpu;

fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, ALIGNMENT as usize).ok().filter(|layout| layout.size() > 0)
}

impl Backend for Cpu {
    fn kind(&self) -> DeviceKind {
        DeviceKind::Cpu
    }

    fn name(&self) -> &str {
        NAME
    }

    fn tiles(&self) -> Option<Tiles> {
        None
    }

    fn memory(&self) -> Result<MemoryInfo> {
        host::memory().ok_or(Error::NotSupported { device: NAME.into(), what: "tell its free memory" })
    }

    fn allocate(&self, bytes: usize) -> Result<u64> {
        // Zeroed, because buffers are read as slices, which must not show memory that was never written.
        let address = layout(bytes).map_or(std::ptr::null_mut(), |layout| {
            // SAFETY: the layout's size is not 0.
            unsafe { alloc_zeroed(layout) }
        });
        if address.is_null() {
            let free = host::memory().map(|memory| memory.free);
            return Err(Error::OutOfMemory { device: NAME.into(), needed: bytes as u64, free });
        }
        Ok(address.expose_provenance() as u64)
    }

    unsafe fn free(&self, address: u64, bytes: usize) {
        if let Some(layout) = layout(bytes) {
            // SAFETY: `allocate` gave this address for the same layout, and the caller frees it once.
            unsafe { dealloc(with_exposed_provenance_mut(address as usize), layout) }
        }
    }

    unsafe fn upload(&self, _: RawStream, address: u64, bytes: &[u8]) -> Result<()> {
        let to: *mut u8 = with_exposed_provenance_mut(address as usize);
        // SAFETY: the destination lies within an allocation, which no Rust slice of a caller overlaps.
        unsafe { to.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        Ok(())
    }

    unsafe fn download(&self, _: RawStream, address: u64, bytes: &mut [u8]) -> Result<()> {
        let from: *const u8 = with_exposed_provenance(address as usize);
        // SAFETY: the source lies within an allocation, all of it initialized, apart from the caller's slice.
        unsafe { from.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    unsafe fn copy(&self, _: RawStream, source: u64, destination: u64, bytes: usize) -> Result<()> {
        let from: *const u8 = with_exposed_provenance(source as usize);
        // SAFETY: both lie within allocations and do not overlap.
        unsafe { from.copy_to_nonoverlapping(with_exposed_provenance_mut(destination as usize), bytes) };
        Ok(())
    }

    unsafe fn launch(&self, _: RawStream, _: &'static Kernel, _: u32, _: &[Arg]) -> Result<()> {
        Err(Error::NotSupported { device: NAME.into(), what: "run kernels" })
    }

    fn synchronize(&self, _: RawStream) -> Result<()> {
        Ok(())
    }

    fn record(&self, _: RawStream) -> Result<Mark> {
        Ok(Mark::Host(Instant::now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_sizes_are_refused() {
        for bytes in [usize::MAX, isize::MAX as usize - 512] {
            assert!(matches!(Cpu.allocate(bytes), Err(Error::OutOfMemory { needed, .. }) if needed == bytes as u64));
        }
    }

    #[test]
    fn allocations_are_aligned_and_zeroed() {
        let address = Cpu.allocate(1000).unwrap();
        assert_eq!(address % ALIGNMENT, 0);
        let mut bytes = [1; 1000];
        // SAFETY: all of it lies within the one allocation, freed once.
        unsafe {
            Cpu.download(0, address, &mut bytes).unwrap();
            Cpu.free(address, 1000);
        }
        assert_eq!(bytes, [0; 1000]);
    }
}
