//! Asynchronous copies from global to shared memory: what a thread has started and not yet waited for.
//!
//! On a GPU such a copy may arrive at any time between its start and the wait. Here it arrives at the wait, as late as it
//! may, and counts as a write at both ends: so whatever needs it earlier sees old bytes, and whoever touches its target in
//! between, the thread itself or another, is found out. The source is read at the start.
use super::access::Access;
use super::block::Thread;
use super::fault::FaultKind;
use core::cell::{Cell, RefCell};
use core::panic::Location;

type Place = &'static Location<'static>;

/// A copy that has not arrived.
struct Copy {
    /// Bytes of shared memory that it goes to.
    at: u32,
    end: u32,
    bytes: [u8; 16],
    place: Place,
}

/// A thread's copies in flight.
#[derive(Default)]
pub(super) struct Copies {
    /// Whether there are any: all that the access to shared memory of a thread without copies looks at.
    any: Cell<bool>,
    list: RefCell<Vec<Copy>>,
}

impl Copies {
    #[inline(always)]
    pub(super) fn any(&self) -> bool {
        self.any.get()
    }

    pub(super) fn clear(&self) {
        self.any.set(false);
        self.list.borrow_mut().clear();
    }

    /// Where the first of them was started.
    pub(super) fn first(&self) -> Option<Place> {
        self.list.borrow().first().map(|copy| copy.place)
    }

    fn meeting(&self, at: u32, end: u32) -> Option<Place> {
        self.list.borrow().iter().find(|copy| copy.at < end && at < copy.end).map(|copy| copy.place)
    }
}

impl Thread {
    /// Starts a copy of up to 16 bytes to `at`, an access that was checked.
    pub(super) fn start_copy(&self, at: u32, value: &[u8], place: Place) {
        let mut bytes = [0; 16];
        bytes[..value.len()].copy_from_slice(value);
        self.copies.list.borrow_mut().push(Copy { at, end: at + value.len() as u32, bytes, place });
        self.copies.any.set(true);
    }

    /// Reports an access of this thread to what a copy of its own has not reached.
    #[cold]
    #[inline(never)]
    pub(super) fn check_copies(&self, at: u32, size: u32, access: Access, place: Place) {
        if let Some(started) = self.copies.meeting(at, at + size) {
            let text = format!(
                "the {} of shared byte {at} meets the asynchronous copy that this thread started at {}:{}: no \
                 async_copies_done is between them",
                access.name(),
                started.file(),
                started.line()
            );
            self.fault(FaultKind::CopyInFlight, place, None, text)
        }
    }

    /// All copies arrive.
    pub(super) fn finish_copies(&self) {
        if !self.copies.any() {
            return;
        }
        let block = self.block();
        self.copies.any.set(false);
        let mut list = self.copies.list.take();
        for Copy { at, end, bytes, place } in list.drain(..) {
            let size = end - at;
            if block.checks.get() {
                block.check_shared(self, at, size, Access::Write, place);
            }
            // SAFETY: the bounds were checked when the copy started; only this OS thread touches the block's memory.
            unsafe {
                let target = block.shared.get().add(at as usize);
                core::ptr::copy_nonoverlapping(bytes.as_ptr(), target, size as usize);
            }
        }
        // Empty again, with its room.
        self.copies.list.replace(list);
    }
}
