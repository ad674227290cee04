//! The shadow of one allocation: which bytes were ever written, and who accessed each word in the current launch.
//!
//! The race shadow has one entry of 32 bytes for each 4-byte word, made when a checked launch first touches the
//! allocation; untouched pages of it take no memory. An entry holds the last write and one reader with their times (see
//! `clock`); where accesses that nothing orders meet without a conflict (readers, atomic operations), a second of each is
//! kept in a side table. Entries carry the number of their launch, so nothing is cleared between launches: the end of a
//! launch orders everything before it.
//!
//! What it can miss: of three and more readers, or atomic writers, that nothing orders, it keeps two; a location that
//! several releases were merged into may seem to hand on more than the value that was read; two OS threads that access
//! the same word in the same instant, one by words and one by bytes. It invents no race.
use super::access::Access;
use super::block::Thread;
use super::entries::{Entries, Entry, Stamp};
use super::fault::{FaultKind, Party};
use super::memory::Allocation;
use super::written::Written;
use core::panic::Location;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};

type Place = &'static Location<'static>;

/// The second access of each kind, where two meet that nothing orders.
#[derive(Clone, Copy, Default)]
struct Second {
    launch: u32,
    write: Stamp,
    read: Stamp,
}

/// The shadow of one allocation.
#[derive(Default)]
pub(super) struct GlobalShadow {
    words: AtomicUsize,
    pub(super) written: Written,
    /// Of words, and of bytes where a kernel accesses those.
    entries: Entries,
    byte_entries: Entries,
    seconds: Mutex<Vec<Second>>,
}

impl GlobalShadow {
    /// Forgets everything and makes ready for an allocation of so many bytes. False: there is no memory for it.
    ///
    /// Nothing uses the shadow meanwhile: the registry holds it, and the allocation is not live.
    pub(super) fn reset(&self, bytes: usize) -> bool {
        let words = bytes.div_ceil(4);
        let before = self.words.swap(words, Relaxed);
        self.entries.drop_all(before);
        self.byte_entries.drop_all(before * 4);
        self.seconds.lock().unwrap_or_else(PoisonError::into_inner).clear();
        self.written.reset(before, words)
    }
}

/// An access that is being checked.
#[derive(Clone, Copy)]
struct Attempt<'a> {
    thread: &'a Thread,
    offset: u64,
    access: Access,
    place: Place,
    launch: u32,
    /// Whether other OS threads may work on the same entry.
    concurrent: bool,
}

impl Allocation {
    /// Checks an access inside the allocation, and notes it.
    #[inline(always)]
    pub(super) fn check(&self, thread: &Thread, offset: u64, size: u64, access: Access, place: Place) {
        if thread.block().checks.get() {
            self.check_races(thread, offset, size, access, place);
        } else if access.writes() {
            self.shadow.written.mark(offset, size);
        }
    }

    #[inline(never)]
    fn check_races(&self, thread: &Thread, offset: u64, size: u64, access: Access, place: Place) {
        let shadow = &self.shadow;
        let context = thread.block().context();
        let (launch, concurrent) = (context.id, context.concurrent);
        let words = shadow.entries.get(shadow.words.load(Relaxed));
        let by_words = size >= 4 && offset.is_multiple_of(4) && !shadow.byte_entries.exist();
        if !by_words || words.is_null() {
            self.check_bytes(Attempt { thread, offset, access, place, launch, concurrent }, size, words);
        } else {
            let stamp = Stamp::new(thread, access, place);
            for word in offset / 4..(offset + size) / 4 {
                // SAFETY: the access is inside the allocation, which has an entry for each word.
                let entry = unsafe { &*words.add(word as usize) };
                if !entry.meet(thread, stamp, access, launch, concurrent) {
                    let attempt = Attempt { thread, offset, access, place, launch, concurrent };
                    self.meet_others(attempt, entry, stamp, true);
                }
            }
        }
        if access.reads() && !shadow.written.includes(offset, size) {
            self.unwritten(thread, offset, place);
        }
        if access.writes() {
            shadow.written.mark(offset, size);
        }
        if thread.rereads.get() >= REREADS {
            thread.rereads.set(0);
            thread.spin(place);
        }
    }

    /// As [`Allocation::check_races`], where the allocation is accessed by single bytes.
    #[cold]
    #[inline(never)]
    fn check_bytes(&self, attempt: Attempt<'_>, size: u64, words: *const Entry) {
        let bytes = self.shadow.byte_entries.get(self.shadow.words.load(Relaxed) * 4);
        if words.is_null() || bytes.is_null() {
            self.no_memory(attempt);
        }
        let end = attempt.offset + size;
        let by_words = size >= 4 && attempt.offset.is_multiple_of(4);
        for word in attempt.offset / 4..end.div_ceil(4) {
            // SAFETY: as in `check_races`.
            self.meet(attempt, unsafe { &*words.add(word as usize) }, by_words);
        }
        for byte in attempt.offset..end {
            // SAFETY: the access is inside the allocation, which has an entry for each byte.
            self.meet(attempt, unsafe { &*bytes.add(byte as usize) }, !by_words);
        }
    }

    /// Reports an access that races with one in the entry; else notes it there, if asked to.
    fn meet(&self, attempt: Attempt<'_>, entry: &Entry, note: bool) {
        let Attempt { thread, launch, access, .. } = attempt;
        let stamp = Stamp::new(thread, access, attempt.place);
        if entry.lock(attempt.concurrent) != launch {
            entry.write.set(Stamp::default());
            entry.read.set(Stamp::default());
        }
        self.meet_others(attempt, entry, stamp, note);
    }

    /// As [`Allocation::meet`]; the entry is locked, and of this launch.
    #[inline(never)]
    fn meet_others(&self, attempt: Attempt<'_>, entry: &Entry, stamp: Stamp, note: bool) {
        let Attempt { thread, launch, access, .. } = attempt;
        let mut second = Second::default();
        if entry.second.get() != 0 {
            second = self.second(entry.second.get(), launch);
        }
        let (w1, w2, r1, r2) = (entry.write.get(), second.write, entry.read.get(), second.read);
        for (other, wrote) in [(w1, true), (w2, true), (r1, false), (r2, false)] {
            let harmless = other.is_none() || (!wrote && !access.writes()) || (other.is_atomic() && access.is_atomic());
            if !harmless && !other.before(thread) {
                entry.unlock(launch);
                self.race(attempt, other, wrote);
            }
        }
        if note {
            self.note(attempt, entry, stamp, [w1, w2, r1, r2]);
        }
        entry.unlock(launch);
        if access == Access::Read && (r1 == stamp || r2 == stamp) {
            thread.rereads.set(thread.rereads.get() + 1);
        }
    }

    /// Notes an access that raced with nothing in its entry.
    #[inline]
    fn note(&self, attempt: Attempt<'_>, entry: &Entry, stamp: Stamp, [w1, w2, r1, r2]: [Stamp; 4]) {
        if attempt.access == Access::Write {
            // Everything before is ordered before this write, so whoever is ordered after it is after all of that.
            entry.write.set(stamp);
            entry.read.set(Stamp::default());
            if !w2.is_none() || !r2.is_none() {
                self.set_second(attempt, entry, |second| (second.write, second.read) = Default::default());
            }
            return;
        }
        let writes = attempt.access.writes();
        let (first, second) = if writes { (w1, w2) } else { (r1, r2) };
        // An access takes the place of one that is ordered before it, but an atomic one not that of a plain one, with
        // which more accesses conflict.
        let replaces = |other: Stamp| {
            other.is_none() || ((other.is_atomic() || !stamp.is_atomic()) && other.before(attempt.thread))
        };
        if replaces(first) {
            if writes { &entry.write } else { &entry.read }.set(stamp);
        } else if replaces(second) {
            self.set_second(attempt, entry, |second| if writes { second.write = stamp } else { second.read = stamp });
        }
    }

    /// The side table's stamps of this launch.
    fn second(&self, index: u32, launch: u32) -> Second {
        let seconds = self.shadow.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        let second = seconds.get(index as usize - 1).copied().unwrap_or_default();
        if second.launch == launch { second } else { Second::default() }
    }

    fn set_second(&self, attempt: Attempt<'_>, entry: &Entry, change: impl FnOnce(&mut Second)) {
        let mut seconds = self.shadow.seconds.lock().unwrap_or_else(PoisonError::into_inner);
        if entry.second.get() == 0 {
            seconds.push(Second::default());
            entry.second.set(seconds.len() as u32);
        }
        let second = &mut seconds[entry.second.get() as usize - 1];
        if second.launch != attempt.launch {
            *second = Second { launch: attempt.launch, ..Second::default() };
        }
        change(second);
    }

    #[cold]
    #[inline(never)]
    fn unwritten(&self, thread: &Thread, offset: u64, place: Place) -> ! {
        let text =
            format!("read of global byte {offset} of an allocation of {} bytes, which nothing wrote", self.len());
        thread.fault(FaultKind::Unwritten, place, None, text)
    }

    #[cold]
    #[inline(never)]
    fn no_memory(&self, attempt: Attempt<'_>) -> ! {
        let text = format!("no memory to check an allocation of {} bytes: Config::checks turns it off", self.len());
        attempt.thread.fault(FaultKind::OutOfMemory, attempt.place, None, text)
    }

    #[cold]
    #[inline(never)]
    fn race(&self, attempt: Attempt<'_>, other: Stamp, wrote: bool) -> ! {
        let Attempt { thread, offset, access, place, .. } = attempt;
        let earlier = match (wrote, other.is_atomic()) {
            (true, true) => "atomic write",
            (true, false) => "write",
            (false, true) => "atomic load",
            (false, false) => "read",
        };
        let party = Party { block: other.block, thread: other.who.thread(), site: other.who.site() };
        let missing = if party.block != thread.block().index.get() {
            "no release and acquire of the device order them"
        } else if party.warp() == thread.id / 32 {
            "no barrier or sync_warp is between them"
        } else {
            "no barrier is between them"
        };
        let text = format!(
            "the {} of global byte {offset} races with the {earlier} by block {}, thread {} at {}: {missing}",
            access.name(),
            party.block,
            party.thread,
            party.site
        );
        thread.fault(FaultKind::Race, place, Some(party), text)
    }
}

/// Plain reads of what the same thread just read at the same place, after which the others get to run: a loop that polls
/// memory without an atomic load would never end. No search reads one word so often.
const REREADS: u32 = 4096;
