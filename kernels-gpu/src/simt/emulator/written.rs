//! Which bytes of an allocation were ever written, by the host or by a kernel.
use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicPtr, AtomicU8, Ordering::Relaxed};

/// One byte for each 4-byte word, of which bit `b` says that byte `b` of the word was written: words, which most kernels
/// write, cost one plain store.
#[derive(Default)]
pub(super) struct Written(AtomicPtr<u8>);

fn layout(words: usize) -> Option<Layout> {
    Layout::array::<u8>(words.max(1)).ok()
}

impl Written {
    /// Replaces the map of `before` words by one of `words`, none of them written; 0 for none. False: there is no memory.
    pub(super) fn reset(&self, before: usize, words: usize) -> bool {
        let p = self.0.swap(core::ptr::null_mut(), Relaxed);
        if let (false, Some(layout)) = (p.is_null(), layout(before)) {
            // SAFETY: made with this layout, and taken out just now.
            unsafe { dealloc(p, layout) };
        }
        if words == 0 {
            return true;
        }
        let Some(layout) = layout(words) else { return false };
        // SAFETY: the layout has a size above 0.
        let p = unsafe { alloc_zeroed(layout) };
        self.0.store(p, Relaxed);
        !p.is_null()
    }

    /// The written bits of a word.
    #[inline(always)]
    fn word(&self, word: u64) -> &AtomicU8 {
        // SAFETY: callers' offsets are inside the allocation, which has a byte here for each of its words.
        unsafe { &*(self.0.load(Relaxed).add(word as usize) as *const AtomicU8) }
    }

    /// Notes that bytes `offset..offset + size` were written, by a kernel.
    #[inline(always)]
    pub(super) fn mark(&self, offset: u64, size: u64) {
        if size >= 4 && offset.is_multiple_of(4) {
            for word in offset / 4..(offset + size) / 4 {
                self.word(word).store(0xF, Relaxed);
            }
        } else {
            self.mark_range(offset, size);
        }
    }

    /// Notes that bytes `offset..offset + size` were written.
    pub(super) fn mark_range(&self, offset: u64, size: u64) {
        let (mut at, end) = (offset, offset + size);
        while at < end && (!at.is_multiple_of(4) || end - at < 4) {
            self.word(at / 4).fetch_or(1 << (at % 4), Relaxed);
            at += 1;
        }
        let whole = ((end - at) / 4) as usize;
        if whole > 0 {
            // SAFETY: inside the map, as for `word`. The host's copies run alone with the range, and kernels take
            // this way for vectors of single bytes only, which they may not race on either.
            unsafe { self.0.load(Relaxed).add((at / 4) as usize).write_bytes(0xF, whole) };
        }
        for at in at + whole as u64 * 4..end {
            self.word(at / 4).fetch_or(1 << (at % 4), Relaxed);
        }
    }

    /// Whether bytes `offset..offset + size` were all written.
    #[inline(always)]
    pub(super) fn includes(&self, offset: u64, size: u64) -> bool {
        if size >= 4 && offset.is_multiple_of(4) {
            return (offset / 4..(offset + size) / 4).all(|word| self.word(word).load(Relaxed) == 0xF);
        }
        (offset..offset + size).all(|at| self.word(at / 4).load(Relaxed) >> (at % 4) & 1 != 0)
    }
}
