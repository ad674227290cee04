//! Release and acquire: how one thread's accesses come to be known to another without a barrier between them.
//!
//! A release, or a relaxed store after a fence, leaves at its address what the thread knows. An acquire that reads the
//! value, or a relaxed load and then a fence, learns it. Fences count only in the thread that makes the access, as in
//! the memory model of PTX: one thread's fence, a barrier and another thread's relaxed store are no release.
use super::block::Thread;
use super::knowledge::Knowledge;
use crate::simt::atomic::Ordering;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, Ordering::Acquire, Ordering::Relaxed, Ordering::Release};
use std::sync::{Arc, Mutex, PoisonError};

/// Who a fence is for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Scope {
    Block,
    Device,
}

/// What an atomic operation does with its word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Step {
    Load,
    Store,
    Update,
}

/// An atomic operation's step and what it orders.
#[derive(Clone, Copy, Debug)]
pub(super) struct Order {
    pub(super) step: Step,
    acquire: bool,
    release: bool,
}

impl Order {
    #[inline]
    pub(super) fn new(step: Step, order: Ordering) -> Self {
        let acquire = step != Step::Store && !matches!(order, Ordering::Relaxed | Ordering::Release);
        let release = step != Step::Load && !matches!(order, Ordering::Relaxed | Ordering::Acquire);
        Order { step, acquire, release }
    }
}

/// What a release left at an address.
#[derive(Debug)]
struct Released {
    knowledge: Knowledge,
    /// The releasing thread and a time before which its accesses are included: who knows those knows all of this.
    /// None where several releases were merged.
    by: Option<(u32, u32, u32)>,
    /// The block that may read it, where the fence was for a block only.
    only: Option<u32>,
}

/// What a thread learned since the last barrier, and what its fences cover.
#[derive(Default)]
pub(super) struct ThreadSync {
    pub(super) own: Knowledge,
    /// Read by relaxed loads: known after the next fence.
    pending: Vec<Arc<Released>>,
    /// What the last fences of block and device scope hand on to later relaxed stores.
    fenced: [Option<Arc<Released>>; 2],
}

impl ThreadSync {
    /// Forgets everything, for a new block.
    pub(super) fn clear(&mut self) {
        if !self.own.is_empty() || !self.pending.is_empty() || self.fenced.iter().any(Option::is_some) {
            *self = ThreadSync::default();
        }
    }
}

impl Thread {
    /// What a release by this thread hands on now; its later accesses are not part of it.
    fn release(&self, scope: Scope) -> Arc<Released> {
        let block = self.block();
        let index = block.index.get();
        let mut knowledge = block.known.borrow().clone();
        knowledge.join(&self.sync.borrow().own);
        knowledge.add(index, &self.known_of_own_block());
        let by = Some((index, self.id, self.now() + 1));
        self.advance();
        Arc::new(Released { knowledge, by, only: (scope == Scope::Block).then_some(index) })
    }

    /// Whether this thread knows all that a release handed on.
    fn knows_all(&self, released: &Released) -> bool {
        released.by.is_some_and(|(block, thread, below)| self.knows(block, thread, below - 1))
    }

    fn learn(&self, released: &Released) {
        let block = self.block();
        if released.only.is_some_and(|only| only != block.index.get()) || self.knows_all(released) {
            return;
        }
        self.sync.borrow_mut().own.join(&released.knowledge);
        block.learned.set(true);
    }

    /// A fence: turns what relaxed loads read into knowledge, and what is known into what relaxed stores hand on.
    pub(super) fn fence(&self, scope: Scope) {
        let block = self.block();
        if !block.checks.get() {
            return;
        }
        let (now, later) = core::mem::take(&mut self.sync.borrow_mut().pending).into_iter().partition(|released| {
            let from_here = released.by.is_some_and(|by| by.0 == block.index.get());
            scope == Scope::Device || from_here
        });
        let now: Vec<Arc<Released>> = now;
        now.iter().for_each(|released| self.learn(released));
        let released = self.release(scope);
        let mut sync = self.sync.borrow_mut();
        sync.pending = later;
        sync.fenced[scope as usize] = Some(released);
        self.fenced.set(true);
    }
}

/// What releases left in one allocation, or in a block's shared memory, in one launch.
#[derive(Default)]
pub(super) struct Locations {
    /// The launch in which anything was released here last.
    launch: AtomicU32,
    released: Mutex<HashMap<u64, Vec<Arc<Released>>>>,
}

impl Locations {
    /// Forgets everything.
    pub(super) fn clear(&self) {
        if self.launch.swap(0, Relaxed) != 0 {
            self.released.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
    }

    /// Carries out an atomic operation and notes what it releases and acquires. `run` gives the operation's result and
    /// whether it wrote.
    #[inline]
    pub(super) fn perform<R>(
        &self,
        thread: &Thread,
        address: u64,
        order: Order,
        run: impl FnOnce() -> (R, bool),
    ) -> (R, bool) {
        let block = thread.block();
        if !block.checks.get() {
            return run();
        }
        let launch = block.context().id;
        let releases = order.step != Step::Load && (order.release || thread.fenced.get());
        if !releases && self.launch.load(Acquire) != launch {
            let result = run();
            // A release that came in between may be what was read.
            if order.step != Step::Store && self.launch.load(Acquire) == launch {
                let released = self.released.lock().unwrap_or_else(PoisonError::into_inner);
                take_in(thread, order, released.get(&address));
            }
            return result;
        }
        // What is released and the value that says so change together.
        let mut released = self.released.lock().unwrap_or_else(PoisonError::into_inner);
        if self.launch.load(Relaxed) != launch {
            released.clear();
            self.launch.store(launch, Release);
        }
        let result = run();
        if order.step != Step::Store {
            take_in(thread, order, released.get(&address));
        }
        if result.1 {
            hand_on(thread, order, &mut released, address);
        }
        result
    }
}

/// After a load: learns what was released, at once or, after a relaxed one, at the next fence.
fn take_in(thread: &Thread, order: Order, released: Option<&Vec<Arc<Released>>>) {
    for released in released.into_iter().flatten() {
        if order.acquire {
            thread.learn(released);
        } else if !thread.knows_all(released) {
            let mut sync = thread.sync.borrow_mut();
            if !sync.pending.iter().any(|p| Arc::ptr_eq(p, released)) {
                sync.pending.push(released.clone());
            }
        }
    }
}

/// After a store: leaves what this thread hands on. An update goes on with what was there; a store replaces it.
fn hand_on(thread: &Thread, order: Order, released: &mut HashMap<u64, Vec<Arc<Released>>>, address: u64) {
    /// Releases kept apart at one address; beyond that they are merged.
    const APART: usize = 8;
    let list = released.entry(address).or_default();
    // What an acquiring update read is part of its own release.
    if order.step == Step::Store || (order.acquire && order.release) {
        list.clear();
    }
    if order.release {
        list.push(thread.release(Scope::Device));
    } else if thread.fenced.get() {
        list.extend(thread.sync.borrow().fenced.iter().flatten().cloned());
    }
    if list.len() > APART {
        let mut knowledge = Knowledge::default();
        list.iter().for_each(|r| knowledge.join(&r.knowledge));
        *list = vec![Arc::new(Released { knowledge, by: None, only: None })];
    }
    if list.is_empty() {
        released.remove(&address);
    }
}
