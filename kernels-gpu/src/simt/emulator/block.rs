//! A block that runs, and its threads.
//!
//! A block stays on one OS thread from start to end (a thread-local's address may be kept across a switch of
//! coroutines), so its state is cells, shared between the scheduler and the coroutines that it resumes.
use super::config::Random;
use super::copies::Copies;
use super::fault::{Fault, FaultKind, Party, Site};
use super::knowledge::Knowledge;
use super::launch::Context;
use super::memory::Allocation;
use super::shadow::SharedShadow;
use super::sync::{Locations, ThreadSync};
use super::warp::Warp;
use core::cell::{Cell, RefCell};
use core::panic::Location;
use core::ptr::{null, null_mut};
use corosensei::Yielder;

type Place = &'static Location<'static>;

thread_local! {
    /// The emulated thread that this OS thread runs.
    static CURRENT: Cell<*const Thread> = const { Cell::new(null()) };
}

/// Sets the thread that runs now; null between threads.
#[inline]
pub(super) fn set_current(thread: *const Thread) {
    CURRENT.set(thread);
}

/// The thread that runs now, null outside kernels.
#[inline]
pub(super) fn current() -> *const Thread {
    CURRENT.get()
}

/// One emulated thread.
pub(super) struct Thread {
    /// In the block.
    pub(super) id: u32,
    pub(super) lane: u32,
    block: Cell<*const Block>,
    pub(super) yielder: Cell<*const Yielder<(), ()>>,
    /// The guard page of its stack.
    pub(super) guard: Cell<usize>,
    /// Where it last waited.
    pub(super) place: Cell<Place>,
    /// Polls of memory since it last did something else.
    pub(super) polls: Cell<u32>,
    /// Its own clock, where that is ahead of the block's; see `clock`.
    pub(super) time: Cell<u32>,
    pub(super) sync: RefCell<ThreadSync>,
    /// Whether it made a fence, which its relaxed stores then hand on.
    pub(super) fenced: Cell<bool>,
    /// Plain loads of what it had just loaded: it may be polling without an atomic load.
    pub(super) rereads: Cell<u32>,
    /// Its asynchronous copies to shared memory that it has not waited for.
    pub(super) copies: Copies,
}

/// A block and its threads.
pub(super) struct Block {
    pub(super) context: Cell<*const Context<'static>>,
    pub(super) index: Cell<u32>,
    pub(super) grid: Cell<u32>,
    pub(super) dim: Cell<u32>,
    pub(super) checks: Cell<bool>,
    pub(super) shared: Cell<*mut u8>,
    pub(super) shared_len: Cell<u32>,
    /// Threads that have not returned, and those of them at a barrier.
    pub(super) live: Cell<u32>,
    pub(super) at_barrier: Cell<u32>,
    /// Whether a thread changed memory by an atomic operation since the scheduler last looked.
    pub(super) moved: Cell<bool>,
    /// The time of the last barrier, of the block's start, and the latest given out; see `clock`.
    pub(super) base: Cell<u32>,
    pub(super) started: Cell<u32>,
    pub(super) latest: Cell<u32>,
    pub(super) warps: Vec<Warp>,
    pub(super) threads: Vec<Thread>,
    pub(super) fault: RefCell<Option<Fault>>,
    pub(super) random: Cell<Random>,
    pub(super) shadow: SharedShadow,
    /// What atomic operations on shared memory released.
    pub(super) locations: Locations,
    /// What the whole block knew of others at its last barrier, and whether a thread has learned more since.
    pub(super) known: RefCell<Knowledge>,
    pub(super) learned: Cell<bool>,
}

impl Thread {
    /// The thread that runs now.
    ///
    /// # Panics
    /// Outside kernels.
    #[track_caller]
    #[inline(always)]
    pub(super) fn current<'a>() -> &'a Thread {
        let thread = CURRENT.get();
        if thread.is_null() {
            outside_kernel();
        }
        // SAFETY: the scheduler sets it to a thread of a block that stays where it is while its coroutines run.
        unsafe { &*thread }
    }

    /// The allocation of an argument of this launch, which is looked up once a launch and not once a thread.
    pub(super) fn argument(address: u64) -> Option<(&'static Allocation, u32)> {
        let thread = CURRENT.get();
        if thread.is_null() {
            return None;
        }
        // SAFETY: as in `current`.
        let context = unsafe { (*thread).block().context() };
        context.arguments.iter().find(|a| a.0 == address).map(|a| (a.1, a.2))
    }

    #[inline(always)]
    pub(super) fn block(&self) -> &Block {
        // SAFETY: set when the block starts, and the block owns its threads.
        unsafe { &*self.block.get() }
    }

    #[inline(always)]
    pub(super) fn warp(&self) -> &Warp {
        // SAFETY: a block has as many warps as its threads need.
        unsafe { self.block().warps.get_unchecked(self.id as usize / 32) }
    }

    /// Hands control to the scheduler until it resumes this thread.
    #[inline(always)]
    pub(super) fn suspend(&self) {
        // SAFETY: the coroutine set it before it called the kernel, and it lives as long as the coroutine's stack.
        unsafe { (*self.yielder.get()).suspend(()) }
    }

    /// Waits at the block's barrier.
    #[inline]
    pub(super) fn sync_threads(&self, place: Place) {
        let block = self.block();
        #[cfg(feature = "mutate")]
        if block.context().skips(place) {
            return;
        }
        self.place.set(place);
        self.polls.set(0);
        block.at_barrier.set(block.at_barrier.get() + 1);
        let warp = self.warp();
        warp.at_barrier.set(warp.at_barrier.get() | 1 << self.lane);
        self.suspend();
    }

    /// Lets the other threads and blocks run: this one waits for memory to change.
    #[inline(never)]
    pub(super) fn spin(&self, place: Place) {
        self.place.set(place);
        self.polls.set(0);
        let warp = self.warp();
        warp.spinning.set(warp.spinning.get() | 1 << self.lane);
        self.suspend();
    }

    /// Before an atomic operation: a thread that only polls must let the others run.
    #[inline]
    pub(super) fn before_atomic(&self, place: Place) {
        /// Polls between two switches: a switch costs as much as a few polls.
        const POLLS: u32 = 64;
        if self.polls.get() >= POLLS {
            self.spin(place);
        }
    }

    /// After an atomic operation: one that wrote nothing was a poll.
    #[inline]
    pub(super) fn after_atomic(&self, wrote: bool) {
        if wrote {
            self.polls.set(0);
            self.block().moved.set(true);
        } else {
            self.polls.set(self.polls.get() + 1);
        }
    }

    /// Reports a fault of this thread and ends the launch.
    #[cold]
    #[inline(never)]
    pub(super) fn fault(&self, kind: FaultKind, place: Place, other: Option<Party>, text: String) -> ! {
        self.block().report(kind, self.id, Some(place), other, text);
        self.stop()
    }

    /// Never returns: after a fault the scheduler drops the block's coroutines.
    #[cold]
    pub(super) fn stop(&self) -> ! {
        loop {
            self.suspend();
        }
    }
}

#[cold]
#[inline(never)]
#[track_caller]
fn outside_kernel() -> ! {
    panic!("a function of the GPU was called outside a kernel launch")
}

impl Block {
    pub(super) fn new() -> Self {
        Block {
            context: Cell::new(null()),
            index: Cell::new(0),
            grid: Cell::new(0),
            dim: Cell::new(0),
            checks: Cell::new(true),
            shared: Cell::new(null_mut()),
            shared_len: Cell::new(0),
            live: Cell::new(0),
            at_barrier: Cell::new(0),
            moved: Cell::new(false),
            base: Cell::new(1),
            started: Cell::new(1),
            latest: Cell::new(1),
            warps: Vec::new(),
            threads: Vec::new(),
            fault: RefCell::new(None),
            random: Cell::new(Random::new(0)),
            shadow: SharedShadow::default(),
            locations: Locations::default(),
            known: RefCell::default(),
            learned: Cell::new(false),
        }
    }

    /// The launch that the block belongs to.
    #[inline(always)]
    pub(super) fn context(&self) -> &Context<'_> {
        // SAFETY: set when the block starts; a launch outlives its blocks.
        unsafe { &*self.context.get() }
    }

    /// Makes the block ready to run as block `index` of a launch; `shared` has the launch's shared memory.
    pub(super) fn start(&mut self, context: &Context<'_>, index: u32, shared: *mut u8) {
        let shape = context.shape;
        self.context.set((context as *const Context<'_>).cast());
        self.index.set(index);
        self.grid.set(shape.grid);
        self.dim.set(shape.block);
        self.checks.set(context.config.checks);
        self.shared.set(shared);
        self.shared_len.set(shape.shared_bytes);
        self.live.set(shape.block);
        self.at_barrier.set(0);
        self.moved.set(false);
        self.fault.replace(None);
        self.random.set(Random::new(context.config.seed ^ (index as u64) << 20));
        if self.threads.len() != shape.block as usize {
            self.warps = (0..shape.block.div_ceil(32)).map(|_| Warp::new()).collect();
            self.threads = (0..shape.block).map(Thread::new).collect();
        }
        self.start_clock();
        self.locations.clear();
        self.shadow.start(shape.shared_bytes, context.config.checks);
        let block: *const Block = self;
        for thread in &self.threads {
            thread.block.set(block);
            thread.polls.set(0);
            thread.sync.borrow_mut().clear();
            thread.fenced.set(false);
            thread.copies.clear();
        }
        for (i, warp) in self.warps.iter().enumerate() {
            let lanes = (shape.block - i as u32 * 32).min(32);
            warp.start(u32::MAX >> (32 - lanes));
        }
    }

    /// A random number below 2^32, for the schedule.
    #[inline]
    pub(super) fn next_random(&self) -> u32 {
        let mut random = self.random.get();
        let n = random.next();
        self.random.set(random);
        n
    }

    /// A thread where it last waited.
    pub(super) fn party(&self, thread: u32) -> Party {
        Party { block: self.index.get(), thread, site: Site::from(self.threads[thread as usize].place.get()) }
    }

    /// Keeps the first fault of the block; without a place the thread is where it last waited.
    pub(super) fn report(
        &self,
        kind: FaultKind,
        thread: u32,
        place: Option<Place>,
        other: Option<Party>,
        text: String,
    ) {
        let mut at = self.party(thread);
        if let Some(place) = place {
            at.site = Site::from(place);
        }
        self.report_at(kind, at, other, text);
    }

    /// As [`Block::report`], for any party.
    pub(super) fn report_at(&self, kind: FaultKind, at: Party, other: Option<Party>, text: String) {
        let kernel = self.context().kernel.into();
        self.fault.borrow_mut().get_or_insert(Fault { kind, kernel, at, other, text: text.into() });
    }
}

impl Thread {
    fn new(id: u32) -> Self {
        Thread {
            id,
            lane: id % 32,
            block: Cell::new(null()),
            yielder: Cell::new(null()),
            guard: Cell::new(0),
            place: Cell::new(Location::caller()),
            polls: Cell::new(0),
            time: Cell::new(0),
            sync: RefCell::default(),
            fenced: Cell::new(false),
            rereads: Cell::new(0),
            copies: Copies::default(),
        }
    }
}
