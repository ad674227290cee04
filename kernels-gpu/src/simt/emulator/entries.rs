//! The entries of a global race shadow: what each holds, and where they come from.
use super::access::Access;
use super::block::Thread;
use super::source::Who;
use core::cell::Cell;
use core::panic::Location;
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};

/// An access: when, by whom, and whether atomic.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Stamp {
    pub(super) block: u32,
    /// 0: no access. The top bit says that it was atomic.
    pub(super) time: u32,
    pub(super) who: Who,
}

/// The bit of a stamp's time that says atomic.
const ATOMIC: u32 = 1 << 31;

impl Stamp {
    #[inline(always)]
    pub(super) fn new(thread: &Thread, access: Access, place: &'static Location<'static>) -> Self {
        let time = thread.now() | if access.is_atomic() { ATOMIC } else { 0 };
        Stamp { block: thread.block().index.get(), time, who: Who::new(thread.id, place) }
    }
    #[inline(always)]
    pub(super) fn is_none(self) -> bool {
        self.time == 0
    }
    #[inline(always)]
    pub(super) fn is_atomic(self) -> bool {
        self.time & ATOMIC != 0
    }
    /// Whether it happened before what the thread does now.
    #[inline]
    pub(super) fn before(self, thread: &Thread) -> bool {
        thread.knows(self.block, self.who.thread(), self.time & !ATOMIC)
    }
}

/// The entry of a word or a byte.
#[repr(C, align(32))]
pub(super) struct Entry {
    /// The launch of the accesses below; [`LOCKED`] while a thread works on the entry.
    launch: AtomicU32,
    /// Place in the side table, from 1; 0 for none.
    pub(super) second: Cell<u32>,
    pub(super) write: Cell<Stamp>,
    pub(super) read: Cell<Stamp>,
}

const LOCKED: u32 = u32::MAX;

impl Entry {
    /// Decides the common cases, in which nobody was here before, or only this thread, or others before a barrier. False:
    /// none of these, and the entry is locked.
    #[inline(always)]
    pub(super) fn meet(&self, thread: &Thread, stamp: Stamp, access: Access, launch: u32, concurrent: bool) -> bool {
        let held = self.lock(concurrent);
        if held != launch {
            let none = Stamp::default();
            let (write, read) = if access.writes() { (stamp, none) } else { (none, stamp) };
            self.write.set(write);
            self.read.set(read);
            self.unlock(launch);
            return true;
        }
        let base = thread.block().base.get();
        let clear = |s: Stamp| {
            s.is_none() || (s.block == stamp.block && (s.who.thread() == thread.id || s.time & !ATOMIC < base))
        };
        let read = self.read.get();
        if access.is_atomic() || self.second.get() != 0 || !clear(self.write.get()) || !clear(read) {
            return false;
        }
        if access == Access::Write {
            self.write.set(stamp);
            self.read.set(Stamp::default());
        } else if read == stamp {
            thread.rereads.set(thread.rereads.get() + 1);
        } else {
            self.read.set(stamp);
        }
        self.unlock(launch);
        true
    }

    /// Keeps other OS threads off the entry, and gives its launch.
    #[inline(always)]
    pub(super) fn lock(&self, concurrent: bool) -> u32 {
        if !concurrent {
            return self.launch.load(Relaxed);
        }
        loop {
            let launch = self.launch.swap(LOCKED, Acquire);
            if launch != LOCKED {
                return launch;
            }
            core::hint::spin_loop();
        }
    }

    #[inline(always)]
    pub(super) fn unlock(&self, launch: u32) {
        self.launch.store(launch, Release);
    }
}

/// The entries of an allocation's words, or of its bytes: made when first needed.
#[derive(Default)]
pub(super) struct Entries(AtomicPtr<Entry>);

impl Entries {
    /// Whether they were made.
    #[inline(always)]
    pub(super) fn exist(&self) -> bool {
        !self.0.load(Relaxed).is_null()
    }

    /// The entries, `count` at every call; null where there is no memory for them.
    #[inline(always)]
    pub(super) fn get(&self, count: usize) -> *const Entry {
        let p = self.0.load(Acquire);
        if p.is_null() { self.make(count) } else { p }
    }

    /// Drops them; `count` is that of [`Entries::get`]. Nobody uses them meanwhile.
    pub(super) fn drop_all(&self, count: usize) {
        let p = self.0.swap(core::ptr::null_mut(), Relaxed);
        if let (false, Some(layout)) = (p.is_null(), layout(count)) {
            // SAFETY: made with this layout, and taken out just now.
            unsafe { dealloc(p.cast(), layout) };
        }
    }

    #[cold]
    #[inline(never)]
    fn make(&self, count: usize) -> *const Entry {
        let Some(layout) = layout(count) else {
            return core::ptr::null();
        };
        // SAFETY: the layout has a size above 0. Zeroes are entries of no launch.
        let p: *mut Entry = unsafe { alloc_zeroed(layout) }.cast();
        if p.is_null() {
            return p;
        }
        use_large_pages(p.cast(), layout.size());
        match self.0.compare_exchange(core::ptr::null_mut(), p, Release, Acquire) {
            Ok(_) => p,
            Err(first) => {
                // SAFETY: made just above; another thread was first, so nobody uses it.
                unsafe { dealloc(p.cast(), layout) };
                first
            }
        }
    }
}

fn layout(count: usize) -> Option<Layout> {
    Layout::array::<Entry>(count.max(1)).ok()
}

/// Asks for large pages, as most of the shadow of a large allocation gets used: page faults would cost more than the
/// checks. The system may ignore it.
fn use_large_pages(p: *mut u8, bytes: usize) {
    #[cfg(target_os = "linux")]
    {
        const PAGE: usize = 4096;
        const LARGE: usize = 2 << 20;
        let skip = p.align_offset(PAGE);
        if bytes >= 2 * LARGE + skip {
            // SAFETY: the range is inside the allocation; the advice changes no contents.
            unsafe { libc::madvise(p.add(skip).cast(), (bytes - skip) / PAGE * PAGE, libc::MADV_HUGEPAGE) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = (p, bytes);
}
