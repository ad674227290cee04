//! Time in a block, and which accesses of its threads happen before which.
//!
//! A block counts one clock. A barrier sets the base: everything before it is ordered for the whole block. A `sync_warp`
//! moves the clocks of its lanes on, and so does a release, so that an access is known by its thread and a time. The
//! clock goes on from block to block in the same slot, so shadow memory is never cleared.
use super::block::{Block, Thread};
use super::knowledge::Known;
use super::warp::lanes;

/// The time after which a block starts from the beginning again, with clear shadows: so far from the end that no block
/// gets there, at a tick every few nanoseconds.
const LIMIT: u32 = 1 << 30;

impl Thread {
    /// The thread's time.
    #[inline(always)]
    pub(super) fn now(&self) -> u32 {
        self.time.get().max(self.block().base.get())
    }

    /// Whether an access by another thread of this block at a time happened before what this thread does now.
    #[inline]
    pub(super) fn ordered(&self, thread: u32, time: u32) -> bool {
        let block = self.block();
        time < block.base.get()
            || thread == self.id
            || (thread / 32 == self.id / 32 && self.warp().orders(self.lane, thread % 32, time))
            || (block.learned.get() && self.sync.borrow().own.covers(block.index.get(), thread, time))
    }

    /// As [`Thread::ordered`], for a thread of any block.
    #[inline]
    pub(super) fn knows(&self, block: u32, thread: u32, time: u32) -> bool {
        let here = self.block();
        if block == here.index.get() {
            return self.ordered(thread, time);
        }
        here.known.borrow().covers(block, thread, time)
            || (here.learned.get() && self.sync.borrow().own.covers(block, thread, time))
    }

    /// Whether this thread may know other threads' accesses by more than barriers and `sync_warp`.
    #[inline]
    pub(super) fn has_learned(&self) -> bool {
        self.block().learned.get() && !self.sync.borrow().own.is_empty()
    }

    /// Moves the thread's clock on.
    pub(super) fn advance(&self) {
        self.time.set(self.block().tick());
    }

    /// What a release of this thread hands on about its own block: what barriers, `sync_warp`s and itself have done.
    pub(super) fn known_of_own_block(&self) -> Known {
        let (base, warp) = (self.block().base.get(), self.warp());
        let mut known = Known { below: base, threads: vec![(self.id, self.now() + 1)] };
        let first = self.id - self.lane;
        let partial = warp.partial.borrow();
        for lane in lanes(warp.exist.get() & !(1 << self.lane)) {
            let by_some = partial.as_ref().map_or(0, |p| p[self.lane as usize][lane as usize] + 1);
            let below = warp.base.get().max(by_some);
            if below > base {
                known.threads.push((first + lane, below));
            }
        }
        known
    }

    /// Orders the accesses of the lanes of a mask, all of which have called `sync_warp`.
    pub(super) fn warp_synchronised(&self, mask: u32) {
        let (block, warp) = (self.block(), self.warp());
        let first = (self.id - self.lane) as usize;
        let threads = &block.threads[first..];
        let time = block.tick();
        if mask == warp.exist.get() & !warp.done.get() {
            warp.base.set(time);
        } else {
            let mut partial = warp.partial.borrow_mut();
            let partial = partial.get_or_insert_with(|| Box::new([[0; 32]; 32]));
            let mut joint = [0; 32];
            for lane in lanes(mask) {
                for (joint, theirs) in joint.iter_mut().zip(partial[lane as usize]) {
                    *joint = theirs.max(*joint);
                }
                joint[lane as usize] = threads[lane as usize].now().max(joint[lane as usize]);
            }
            lanes(mask).for_each(|lane| partial[lane as usize] = joint);
        }
        lanes(mask).for_each(|lane| threads[lane as usize].time.set(time));
        if block.learned.get() {
            let mut joint = super::knowledge::Knowledge::default();
            lanes(mask).for_each(|lane| joint.join(&threads[lane as usize].sync.borrow().own));
            lanes(mask).for_each(|lane| threads[lane as usize].sync.borrow_mut().own = joint.clone());
        }
    }
}

impl Block {
    /// A time later than any before in this block.
    #[inline]
    fn tick(&self) -> u32 {
        let time = self.latest.get() + 1;
        self.latest.set(time);
        time
    }

    /// Begins a block's time. What the shadow holds from before is older than `started`; `started` itself marks what
    /// was written but need not be ordered.
    pub(super) fn start_clock(&mut self) {
        if self.latest.get() > LIMIT {
            self.shadow.clear();
            self.latest.set(0);
            for warp in &mut self.warps {
                warp.base.set(0);
                warp.partial.replace(None);
            }
            self.threads.iter().for_each(|t| t.time.set(0));
        }
        self.started.set(self.tick());
        self.base.set(self.tick());
        self.learned.set(false);
        self.known.take();
    }

    /// All threads passed the barrier.
    #[inline]
    pub(super) fn barrier_passed(&self) {
        self.base.set(self.tick());
        if self.learned.replace(false) {
            let mut known = self.known.borrow_mut();
            for thread in &self.threads {
                known.join(&core::mem::take(&mut thread.sync.borrow_mut().own));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_starts_again_before_it_ends() {
        let mut block = Block::new();
        block.start_clock();
        let (started, base) = (block.started.get(), block.base.get());
        assert!(1 < started && started < base);
        block.barrier_passed();
        assert!(block.base.get() > base);
        block.latest.set(LIMIT + 1);
        block.start_clock();
        assert!(block.started.get() < block.base.get() && block.base.get() < 10);
    }
}
