//! The race shadow of a block's shared memory: who last accessed each word since the last barrier.
//!
//! There is one entry for each 4-byte word, and once a kernel accesses single bytes one for each byte as well. An entry
//! keeps the last write, the readers and the atomic operations, each with its time (see `clock`); what is older than the
//! barrier concerns nobody.
//!
//! What it can miss: an entry keeps the readers of one warp and one thread of another; where readers of one warp came
//! at several times, the earliest counts for all; an atomic load is forgotten once an atomic update follows it.
use super::access::Access;
use super::block::{Block, Thread};
use super::fault::{FaultKind, Party};
use super::source::Who;
use super::warp::lanes;
use core::cell::{Cell, OnceCell};
use core::panic::Location;

type Place = &'static Location<'static>;

/// Accesses of one kind to one word since the last barrier.
#[derive(Clone, Copy, Default)]
struct Group {
    /// Older than the barrier: nobody.
    time: u32,
    /// The place of the first; with `many`, the number of a thread of another warp.
    who: Who,
    /// Lanes of the warp.
    lanes: u32,
    warp: u8,
    many: bool,
    /// Of atomic operations: all were loads.
    loads: bool,
}

/// The entry of a word or a byte.
#[derive(Default)]
struct Entry {
    write_time: Cell<u32>,
    writer: Cell<Who>,
    readers: Cell<Group>,
    atomics: Cell<Group>,
}

/// The entries of a slot's shared memory.
#[derive(Default)]
pub(super) struct SharedShadow {
    words: Vec<Entry>,
    /// Made for a kernel that accesses single bytes.
    bytes: OnceCell<Vec<Entry>>,
    /// Whether this block accessed single bytes.
    by_bytes: Cell<bool>,
    /// The time of the last atomic operation: without one since the barrier, most checks are shorter.
    last_atomic: Cell<u32>,
    /// The first read of what nothing wrote. It is reported at the next barrier only: where another thread writes the
    /// word before that, the fault is their race.
    unwritten: Cell<Option<(u32, u32, Place)>>,
}

impl SharedShadow {
    pub(super) fn clear(&mut self) {
        *self = SharedShadow::default();
    }

    /// Makes room for a block with so much shared memory.
    pub(super) fn start(&mut self, bytes: u32, checks: bool) {
        self.by_bytes.set(false);
        self.unwritten.set(None);
        let words = bytes.div_ceil(4) as usize;
        if checks && self.words.len() < words {
            self.words.resize_with(words, Entry::default);
            self.bytes.take();
        }
    }

    fn bytes(&self) -> &[Entry] {
        self.bytes.get_or_init(|| (0..self.words.len() * 4).map(|_| Entry::default()).collect())
    }
}

impl Block {
    /// Checks an access to shared memory, inside the block's, and notes it.
    #[inline(always)]
    pub(super) fn check_shared(&self, thread: &Thread, at: u32, size: u32, access: Access, place: Place) {
        let shadow = &self.shadow;
        if access.is_atomic() || shadow.last_atomic.get() >= self.base.get() {
            return self.check_each(thread, at, size, access, place);
        }
        if size < 4 {
            return self.check_narrow(thread, at, size, access, place);
        }
        if !shadow.by_bytes.get() {
            let time = thread.now();
            // SAFETY: the access is inside the block's shared memory, and `start` made an entry for each word of that.
            let words = unsafe { shadow.words.get_unchecked((at / 4) as usize..((at + size) / 4) as usize) };
            if words.iter().all(|entry| self.quick(thread, time, entry, false, access, place)) {
                return;
            }
        }
        self.check_each(thread, at, size, access, place);
    }

    /// As [`Block::check_shared`], for elements of one or two bytes and no atomic operations.
    #[inline(never)]
    fn check_narrow(&self, thread: &Thread, at: u32, size: u32, access: Access, place: Place) {
        let shadow = &self.shadow;
        let word = &shadow.words[at as usize / 4];
        let base = self.base.get();
        // Where nobody accessed the whole word since the barrier, the bytes' own entries decide.
        if shadow.by_bytes.get() && word.write_time.get() < base && word.readers.get().time < base {
            let written = word.write_time.get() >= self.started.get();
            let time = thread.now();
            let bytes = &shadow.bytes()[at as usize..(at + size) as usize];
            if bytes.iter().all(|entry| self.quick(thread, time, entry, written, access, place)) {
                return;
            }
        }
        self.check_each(thread, at, size, access, place);
    }

    /// The common cases, without atomic operations since the barrier: true when the access is fine for this entry and
    /// noted there. `written`: what it covers was written as part of something else.
    #[inline(always)]
    fn quick(&self, thread: &Thread, time: u32, entry: &Entry, written: bool, access: Access, place: Place) -> bool {
        let base = self.base.get();
        let last = entry.write_time.get();
        if last >= base && entry.writer.get().thread() != thread.id {
            return false;
        }
        let bit = 1u32 << thread.lane;
        let warp = (thread.id / 32) as u8;
        let readers = entry.readers.get();
        if access == Access::Read {
            if last < self.started.get() && !written {
                return false;
            }
            if readers.time < base {
                entry.readers.set(Group {
                    time,
                    who: Who::new(thread.id, place),
                    lanes: bit,
                    warp,
                    many: false,
                    loads: false,
                });
                return true;
            }
            if readers.warp == warp && readers.time == time {
                entry.readers.set(Group { lanes: readers.lanes | bit, ..readers });
                return true;
            }
            return readers.many;
        }
        if readers.time >= base && (readers.many || readers.warp != warp || readers.lanes != bit) {
            return false;
        }
        entry.write_time.set(time);
        entry.writer.set(Who::new(thread.id, place));
        true
    }

    /// All cases.
    #[inline(never)]
    fn check_each(&self, thread: &Thread, at: u32, size: u32, access: Access, place: Place) {
        let shadow = &self.shadow;
        let started = self.started.get();
        let by_bytes = size < 4;
        if by_bytes {
            shadow.by_bytes.set(true);
        }
        for word in at / 4..(at + size).div_ceil(4) {
            let entry = &shadow.words[word as usize];
            self.meet(thread, entry, at, access, place);
            let word_written = entry.write_time.get() >= started;
            if by_bytes {
                for entry in &shadow.bytes()[at as usize..(at + size) as usize] {
                    self.meet(thread, entry, at, access, place);
                    if access.reads() && !word_written && entry.write_time.get() < started {
                        self.note_unwritten(thread, at, place);
                    }
                    self.note(thread, entry, access, place);
                }
                continue;
            }
            let mut bytes_written = shadow.by_bytes.get();
            if shadow.by_bytes.get() {
                for entry in &shadow.bytes()[word as usize * 4..][..4] {
                    self.meet(thread, entry, at, access, place);
                    bytes_written &= entry.write_time.get() >= started;
                }
            }
            if access.reads() && !word_written && !bytes_written {
                self.note_unwritten(thread, at, place);
            }
            self.note(thread, entry, access, place);
        }
    }

    /// Reports an access that races with one that the entry holds.
    fn meet(&self, thread: &Thread, entry: &Entry, at: u32, access: Access, place: Place) {
        let (time, writer) = (entry.write_time.get(), entry.writer.get());
        if time >= self.base.get() && !thread.ordered(writer.thread(), time) {
            self.race(thread, at, access, Access::Write, writer, place);
        }
        if matches!(access, Access::Write | Access::AtomicStore | Access::AtomicUpdate)
            && let Some(who) = self.unordered(thread, entry.readers.get())
        {
            self.race(thread, at, access, Access::Read, who, place);
        }
        if !access.is_atomic() && self.shadow.last_atomic.get() >= self.base.get() {
            let atomics = entry.atomics.get();
            if !(atomics.loads && access == Access::Read)
                && let Some(who) = self.unordered(thread, atomics)
            {
                let earlier = if atomics.loads { Access::AtomicLoad } else { Access::AtomicUpdate };
                self.race(thread, at, access, earlier, who, place);
            }
        }
    }

    /// A thread of the group whose access is not ordered before what `thread` does now.
    fn unordered(&self, thread: &Thread, group: Group) -> Option<Who> {
        if group.time < self.base.get() {
            return None;
        }
        if group.many {
            // Of several warps two threads are known, of which this may be one; and having learned of others by
            // acquires, it may know them all.
            let other = if group.warp as u32 == thread.id / 32 {
                group.who.thread()
            } else {
                group.warp as u32 * 32 + group.lanes.trailing_zeros()
            };
            return (!thread.has_learned()).then(|| group.who.with_thread(other));
        }
        let first = group.warp as u32 * 32;
        let mut others = lanes(group.lanes).map(|lane| first + lane);
        others.find(|&other| !thread.ordered(other, group.time)).map(|other| group.who.with_thread(other))
    }

    /// Notes an access that raced with nothing.
    fn note(&self, thread: &Thread, entry: &Entry, access: Access, place: Place) {
        match access {
            Access::Read => {
                let readers = self.joined(thread, entry.readers.get(), access, place);
                entry.readers.set(readers);
            }
            Access::Write => {
                entry.write_time.set(thread.now());
                entry.writer.set(Who::new(thread.id, place));
            }
            _ => {
                self.shadow.last_atomic.set(thread.now());
                if entry.write_time.get() < self.started.get() && access == Access::AtomicStore {
                    entry.write_time.set(self.started.get());
                }
                let atomics = self.joined(thread, entry.atomics.get(), access, place);
                entry.atomics.set(atomics);
            }
        }
    }

    /// A group with one access more.
    fn joined(&self, thread: &Thread, group: Group, access: Access, place: Place) -> Group {
        let (time, warp, bit) = (thread.now(), (thread.id / 32) as u8, 1u32 << thread.lane);
        let loads = access == Access::AtomicLoad;
        let alone = Group { time, who: Who::new(thread.id, place), lanes: bit, warp, many: false, loads };
        if group.time < self.base.get() || (group.loads && !loads) {
            return alone;
        }
        if loads && !group.loads {
            return group;
        }
        if group.many {
            return group;
        }
        if group.warp != warp {
            // All of the other warp ordered before: only this one counts from now on.
            if self.unordered(thread, group).is_none() {
                return alone;
            }
            return Group { many: true, who: group.who.with_thread(thread.id), ..group };
        }
        if group.time == time {
            return Group { lanes: group.lanes | bit, ..group };
        }
        let first = group.warp as u32 * 32;
        if lanes(group.lanes).all(|lane| thread.ordered(first + lane, group.time)) {
            return alone;
        }
        // The earlier time for all: a race may be missed, none invented.
        Group { lanes: group.lanes | bit, time: group.time.min(time), ..group }
    }

    fn note_unwritten(&self, thread: &Thread, at: u32, place: Place) {
        if self.shadow.unwritten.get().is_none() {
            self.shadow.unwritten.set(Some((thread.id, at, place)));
        }
    }

    /// Reports a read of what nothing wrote, if there was one.
    pub(super) fn report_unwritten(&self) -> bool {
        let Some((thread, at, place)) = self.shadow.unwritten.take() else {
            return false;
        };
        let text = format!("read of shared byte {at}, which no thread of the block had written");
        self.report(FaultKind::Unwritten, thread, Some(place), None, text);
        true
    }

    #[cold]
    #[inline(never)]
    fn race(&self, thread: &Thread, at: u32, access: Access, earlier: Access, who: Who, place: Place) -> ! {
        let other = Party { block: self.index.get(), thread: who.thread(), site: who.site() };
        let missing = if other.warp() == thread.id / 32 { "barrier or sync_warp" } else { "barrier" };
        let text = format!(
            "the {} of shared byte {at} races with the {} by thread {} at {}: no {missing} is between them",
            access.name(),
            earlier.name(),
            other.thread,
            other.site
        );
        thread.fault(FaultKind::Race, place, Some(other), text)
    }
}
