//! The emulator's device memory: allocations that know their bounds, and the host's side of it.
//!
//! An address is one of the host's own. Every allocation stands in a registry; a pointer looks its allocation up once,
//! when it is made from an address, and keeps it.
use super::block::Thread;
use super::fault::FaultKind;
use super::global_shadow::GlobalShadow;
use super::sync::Locations;
use core::panic::Location;
use std::alloc::{Layout, alloc, dealloc};
use std::collections::{BTreeMap, VecDeque};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

type Place = &'static Location<'static>;

/// Alignment of an allocation, as CUDA gives it.
const ALIGN: usize = 256;
/// What memory holds before anything writes it, so that a wrong read also shows in results.
const POISON: u8 = 0xA5;
/// Freed ranges that a report can still tell from memory that never was.
const REMEMBERED: usize = 1024;

/// The record of one allocation. Records are used again but never given back, so that a pointer that outlives its
/// memory finds that out by the generation.
pub(super) struct Allocation {
    generation: AtomicU32,
    start: AtomicU64,
    len: AtomicU64,
    pub(super) shadow: GlobalShadow,
    locations: Locations,
}

impl Allocation {
    #[inline(always)]
    pub(super) fn generation(&self) -> u32 {
        self.generation.load(Relaxed)
    }
    #[inline(always)]
    pub(super) fn start(&self) -> u64 {
        self.start.load(Relaxed)
    }
    #[inline(always)]
    pub(super) fn len(&self) -> u64 {
        self.len.load(Relaxed)
    }
    /// What atomic operations on this memory released.
    #[inline]
    pub(super) fn locations(&self) -> &Locations {
        &self.locations
    }
}

struct Registry {
    live: BTreeMap<u64, &'static Allocation>,
    spare: Vec<&'static Allocation>,
    freed: VecDeque<(u64, u64)>,
}

static REGISTRY: RwLock<Registry> =
    RwLock::new(Registry { live: BTreeMap::new(), spare: Vec::new(), freed: VecDeque::new() });

fn registry() -> RwLockReadGuard<'static, Registry> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

fn registry_mut() -> RwLockWriteGuard<'static, Registry> {
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner)
}

/// The layout of an allocation; one of no bytes still has an address of its own.
fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes.max(1), ALIGN).ok()
}

/// Allocates device memory and gives its address, a multiple of 256; None where the system has no more.
///
/// The memory counts as unwritten: a kernel that reads it before something wrote it is reported.
pub fn allocate(bytes: usize) -> Option<u64> {
    let layout = layout(bytes)?;
    // SAFETY: the layout has a size above 0.
    let p = unsafe { alloc(layout) };
    if p.is_null() {
        return None;
    }
    // SAFETY: all of it was just allocated.
    unsafe { p.write_bytes(POISON, layout.size()) };
    let mut registry = registry_mut();
    let record = registry.spare.pop().unwrap_or_else(|| {
        Box::leak(Box::new(Allocation {
            generation: AtomicU32::new(0),
            start: AtomicU64::new(0),
            len: AtomicU64::new(0),
            shadow: GlobalShadow::default(),
            locations: Locations::default(),
        }))
    });
    if !record.shadow.reset(bytes) {
        registry.spare.push(record);
        // SAFETY: allocated above with this layout, and nobody knows of it.
        unsafe { dealloc(p, layout) };
        return None;
    }
    let start = p as usize as u64;
    record.start.store(start, Relaxed);
    record.len.store(bytes as u64, Relaxed);
    record.generation.fetch_add(1, Release);
    registry.live.insert(start, record);
    Some(start)
}

/// Gives memory back. Freeing what is not allocated, as freeing address 0, does nothing.
///
/// # Safety
/// No launch and no copy uses the memory now. Launches that use it later are reported.
pub unsafe fn free(address: u64) {
    let mut registry = registry_mut();
    let Some(record) = registry.live.remove(&address) else {
        return;
    };
    let bytes = record.len();
    record.generation.fetch_add(1, Release);
    record.len.store(0, Relaxed);
    record.shadow.reset(0);
    record.locations.clear();
    registry.spare.push(record);
    if registry.freed.len() == REMEMBERED {
        registry.freed.pop_front();
    }
    registry.freed.push_back((address, address + bytes));
    if let Some(layout) = layout(bytes as usize) {
        // SAFETY: `allocate` made it with this layout; it was live, so this is the only time.
        unsafe { dealloc(address as usize as *mut u8, layout) };
    }
}

/// The allocation that holds an address or ends at it, and its generation.
pub(super) fn find(address: u64) -> Option<(&'static Allocation, u32)> {
    let registry = registry();
    let (start, record) = registry.live.range(..=address).next_back()?;
    (address - start <= record.len()).then(|| (*record, record.generation.load(Acquire)))
}

/// Copies `bytes` into device memory.
///
/// # Safety
/// The range is inside one allocation, and no launch or other copy touches it at the same time.
pub unsafe fn write(address: u64, bytes: &[u8]) {
    // SAFETY: the caller's.
    unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), address as usize as *mut u8, bytes.len()) };
    mark_written(address, bytes.len());
}

/// Copies device memory into `bytes`.
///
/// # Safety
/// The range is inside one allocation, and no launch or other copy writes it at the same time.
pub unsafe fn read(address: u64, bytes: &mut [u8]) {
    // SAFETY: the caller's.
    unsafe { core::ptr::copy_nonoverlapping(address as usize as *const u8, bytes.as_mut_ptr(), bytes.len()) };
}

/// Copies `len` bytes of device memory; the ranges may overlap.
///
/// # Safety
/// Both ranges are inside one allocation each, and no launch or other copy touches them at the same time.
pub unsafe fn copy(src: u64, dst: u64, len: usize) {
    // SAFETY: the caller's.
    unsafe { core::ptr::copy(src as usize as *const u8, dst as usize as *mut u8, len) };
    mark_written(dst, len);
}

/// Notes that the host wrote a range. A copy of unwritten memory counts as written: where a host copies whole buffers,
/// parts of them may well be unused.
fn mark_written(address: u64, len: usize) {
    if let Some((allocation, _)) = find(address) {
        let offset = address - allocation.start();
        allocation.shadow.written.mark_range(offset, (len as u64).min(allocation.len() - offset));
    }
}

/// Reports an access through a pointer that was made from an address in no allocation.
#[cold]
#[inline(never)]
pub(super) fn no_allocation(thread: &Thread, address: u64, place: Place) -> ! {
    if address < ALIGN as u64 {
        let text = format!("access to global address {address:#x}: the pointer is null");
        thread.fault(FaultKind::OutOfBounds, place, None, text)
    }
    let freed = registry().freed.iter().any(|&(start, end)| (start..end).contains(&address));
    if freed {
        let text = format!("access to global address {address:#x}, which was freed before the launch");
        thread.fault(FaultKind::UseAfterFree, place, None, text)
    }
    thread.fault(FaultKind::OutOfBounds, place, None, format!("global address {address:#x} is in no allocation"))
}

/// Reports an access that the checks of a pointer refused: freed memory, out of bounds or misaligned.
#[cold]
#[inline(never)]
pub(super) fn bad_access(thread: &Thread, access: BadAccess, place: Place) -> ! {
    let BadAccess { allocation, generation, address, size, align, index } = access;
    if allocation.generation() != generation {
        let text = format!("access to global address {address:#x}, whose memory was freed");
        thread.fault(FaultKind::UseAfterFree, place, None, text)
    }
    let (start, len) = (allocation.start(), allocation.len());
    let offset = address.wrapping_sub(start);
    if index >> 48 != 0 || size > len || offset > len - size {
        let text = format!(
            "global bytes {}..{} (index {index}), but the allocation has {len} bytes",
            offset as i64,
            (offset as i64).wrapping_add(size as i64)
        );
        thread.fault(FaultKind::OutOfBounds, place, None, text)
    }
    let text = format!("global byte {offset} (index {index}) is not a multiple of {align}, which this access needs");
    thread.fault(FaultKind::Misaligned, place, None, text)
}

/// An access that was refused.
pub(super) struct BadAccess {
    pub(super) allocation: &'static Allocation,
    pub(super) generation: u32,
    pub(super) address: u64,
    pub(super) size: u64,
    pub(super) align: u64,
    pub(super) index: u64,
}
