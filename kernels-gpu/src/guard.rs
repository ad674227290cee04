//! What keeps a sort a permutation where an order contradicts itself.
//!
//! A merge is made in pieces: blocks and threads each search where their piece cuts the runs, and rely on it that the
//! neighbour's search came to the same end. With a strict weak order it did. With one that is none (a comparison that
//! contradicts itself, or answers by chance), pieces may overlap or leave gaps, and elements would be doubled or lost.
//!
//! Keys whose order is not ours ([`Key::TRUSTED`](crate::order::Key::TRUSTED) is false) are therefore merged under
//! guard. Inside a block every thread compares where its piece ended with where the next thread's began ([`Check`]);
//! one mismatch, and the block lays the runs one behind the other instead of merging them. Between blocks, cuts that do
//! not ascend raise a flag in device memory ([`Guard`]). The pass then has no result, but its source is still whole:
//! later passes do nothing, and [`restore`] copies that source to where the result must be.
//!
//! A merge of arrays that the user names is guarded in the same way, and what it falls back to are those arrays, one
//! behind the other. No block may do that for itself: the elements that stand at its place when inputs are laid one
//! behind the other are its neighbours' too, where these have merged what their cuts say. Either all tiles of a merge
//! are taken from cuts, or none is; whether all can be is known when all were looked at, which is when the pass has
//! ended. So blocks only say what they have seen, and the decision is the next launch's. That which lays the inputs out
//! is the last one of all ([`restore_inputs`](crate::kway::restore::restore_inputs)), whichever pass had no result:
//! between them passes read inputs and what others have merged side by side, and only the inputs, which nothing ever
//! writes, are known to be whole. Within a block whose cuts fit, the elements are its own, and laying *these* one
//! behind the other is a permutation at once.
//!
//! What comes out of an order that contradicts itself is some permutation of the input; nothing is lost, doubled or
//! read out of bounds, and nothing waits forever: every search has a bound that no answer can move.
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Shared, thread};

/// The flag of one sort or merge, and the number of the pass that looks after it.
#[derive(Clone, Copy)]
pub struct Guard {
    flag: Global<u32>,
    pass: u32,
}

impl Guard {
    /// For keys whose order is trusted: never looked at.
    #[inline(always)]
    pub const fn none() -> Self {
        Guard { flag: Global::null(), pass: 0 }
    }

    /// The guard of pass `pass`, counted from 0, with the sort's flag.
    #[inline(always)]
    pub const fn new(flag: Global<u32>, pass: u32) -> Self {
        Guard { flag, pass }
    }

    /// Lowers the flag: before the first pass. Where there is none, and then no flag either, it is null.
    ///
    /// # Safety
    /// The flag is one word or null, and no other kernel uses it meanwhile.
    #[inline(always)]
    pub unsafe fn lower(self) {
        if thread::block_idx_x() == 0 && thread::thread_idx_x() == 0 && !self.flag.is_null() {
            self.flag.store(0, 0, Ordering::Relaxed);
        }
    }

    /// Says that this pass has no result.
    ///
    /// # Safety
    /// The flag is one word.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn raise(self) {
        self.flag.store(0, self.pass + 1, Ordering::Relaxed);
    }

    /// Whether all passes before this one had results. The same for all threads of the pass, even where it raises the
    /// flag meanwhile: then it is this pass that it names.
    ///
    /// # Safety
    /// The flag is one word.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn goes_on(self) -> bool {
        let raised = self.flag.load(0, Ordering::Relaxed);
        raised == 0 || raised == self.pass + 1
    }
}

/// Shared memory of a [`Check`], bytes.
pub const fn check_bytes(threads: u32) -> u32 {
    4 * (threads + 1)
}

/// Whether the pieces of a block's threads fit together: in shared memory, where each piece begins, and the last round
/// in which two did not fit.
///
/// A round calls [`Check::begin`], has a barrier, calls [`Check::end`], has a barrier, and asks [`Check::broken`].
#[derive(Clone, Copy)]
pub struct Check {
    begins: Shared<u32>,
    round: Shared<u32>,
}

impl Check {
    /// The check of a block of `threads` threads, at a byte offset of shared memory that is a multiple of 4.
    #[inline(always)]
    pub fn new(offset: u32, threads: u32) -> Self {
        Check { begins: Shared::new(offset, threads), round: Shared::new(offset + 4 * threads, 1) }
    }

    /// Makes it ready; done after the next barrier.
    ///
    /// # Safety
    /// The block has the shared memory, here and below.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn reset(self) {
        if thread::thread_idx_x() == 0 {
            self.round.store(0, 0, Ordering::Relaxed);
        }
    }

    /// Tells where in the first run the thread's piece begins.
    ///
    /// # Safety
    /// As [`Check::reset`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn begin(self, at: u32) {
        self.begins.set(thread::thread_idx_x(), at);
    }

    /// Tells where it ended, and whether the next thread goes on from there. Rounds count from 1.
    ///
    /// # Safety
    /// As [`Check::reset`]; the block has a next thread where `goes_on`.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn end(self, at: u32, goes_on: bool, round: u32) {
        if goes_on && self.begins.get(thread::thread_idx_x() + 1) != at {
            self.round.store(0, round, Ordering::Relaxed);
        }
    }

    /// Whether two pieces of this round did not fit.
    ///
    /// # Safety
    /// As [`Check::reset`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn broken(self, round: u32) -> bool {
        self.round.load(0, Ordering::Relaxed) == round
    }
}

/// Copies the source of the pass that raised the flag to `data`, if one did and its source was `scratch`: passes read
/// the two in turn, the first one `scratch` where `first` is 1 and `data` where it is 0.
///
/// Two arrays are restored at once; one of no bytes is left alone. Byte by byte: no sort by an order that holds comes
/// here.
///
/// # Safety
/// The arrays have the bytes that are named and do not overlap; `flag` is one word.
#[inline(always)]
pub unsafe fn restore(
    flag: Global<u32>,
    first: u32,
    (scratch, data, bytes): (Global<u8>, Global<u8>, u64),
    (second_scratch, second_data, second_bytes): (Global<u8>, Global<u8>, u64),
) {
    let raised = flag.load(0, Ordering::Relaxed);
    if raised == 0 || (raised - 1 + first).is_multiple_of(2) {
        return;
    }
    let threads = thread::grid_dim_x() as u64 * thread::block_dim_x() as u64;
    let t = thread::block_idx_x() as u64 * thread::block_dim_x() as u64 + thread::thread_idx_x() as u64;
    let mut i = t;
    while i < bytes {
        data.set(i, scratch.get(i));
        i += threads;
    }
    let mut i = t;
    while i < second_bytes {
        second_data.set(i, second_scratch.get(i));
        i += threads;
    }
}
