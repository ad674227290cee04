//! Runs a block: resumes its threads one after the other until all have returned or none can go on.
use super::block::{self, Block, Thread};
use super::fault::{FaultKind, Site};
use super::hook;
use super::launch::Context;
use super::stack::{Stacks, ThreadStack};
use super::warp::lanes;
use corosensei::{Coroutine, CoroutineResult, Yielder};
use std::panic::{AssertUnwindSafe, catch_unwind};

type ThreadCoroutine = Coroutine<(), (), (), ThreadStack>;

/// Room for one resident block.
pub(super) struct Slot {
    pub(super) block: Box<Block>,
    coroutines: Vec<Option<ThreadCoroutine>>,
    shared: Vec<u128>,
    pub(super) active: bool,
}

/// Why a block stopped running.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stop {
    Done,
    /// Every thread that could run polls memory.
    Spinning,
    Fault,
}

impl Slot {
    pub(super) fn new() -> Self {
        Slot { block: Box::new(Block::new()), coroutines: Vec::new(), shared: Vec::new(), active: false }
    }

    /// Puts block `index` of a launch into the slot.
    pub(super) fn start(&mut self, context: &Context<'_>, index: u32) {
        /// What shared memory holds before a kernel writes it, so that a wrong read also shows in its results.
        const POISON: u128 = u128::from_ne_bytes([0xA5; 16]);
        self.shared.clear();
        self.shared.resize(context.shape.shared_bytes.div_ceil(16) as usize, POISON);
        self.coroutines.resize_with(context.shape.block as usize, || None);
        self.block.start(context, index, self.shared.as_mut_ptr().cast());
        self.active = true;
    }

    /// Drops the threads of a block that will not be run to its end.
    pub(super) fn abandon(&mut self, stacks: &mut Stacks) {
        for slot in &mut self.coroutines {
            if let Some(mut coroutine) = slot.take() {
                // SAFETY: what is on the stack is forgotten, not dropped. Kernels hold plain data; anything else leaks.
                unsafe { coroutine.force_reset() };
                stacks.give(coroutine.into_stack());
            }
        }
        self.active = false;
    }

    /// Runs the block as far as it goes. Also says whether any thread did more than poll.
    pub(super) fn run(&mut self, context: &Context<'_>, stacks: &mut Stacks) -> (Stop, bool) {
        let block: &Block = &self.block;
        let shuffled = context.config.seed != 0;
        let mut progress = false;
        let stop = 'block: loop {
            let warps = block.warps.len();
            let first = if shuffled { block.next_random() as usize % warps } else { 0 };
            for k in 0..warps {
                let wi = if k + first >= warps { k + first - warps } else { k + first };
                let warp = &block.warps[wi];
                loop {
                    let ready = warp.ready.get();
                    if ready == 0 {
                        break;
                    }
                    let lane = if shuffled {
                        let r = block.next_random() & 31;
                        (ready.rotate_right(r).trailing_zeros() + r) & 31
                    } else {
                        ready.trailing_zeros()
                    };
                    warp.ready.set(ready & !(1 << lane));
                    let id = wi * 32 + lane as usize;
                    let thread = &block.threads[id];
                    let slot = &mut self.coroutines[id];
                    let coroutine = match slot {
                        Some(coroutine) => coroutine,
                        None => match stacks.take() {
                            Ok(stack) => slot.insert(make(thread, context, stack)),
                            Err(e) => {
                                block.report(FaultKind::OutOfMemory, id as u32, None, None, format!("no stack: {e}"));
                                break 'block Stop::Fault;
                            }
                        },
                    };
                    block::set_current(thread);
                    let result = coroutine.resume(());
                    block::set_current(core::ptr::null());
                    match result {
                        CoroutineResult::Yield(()) => progress |= warp.spinning.get() >> lane & 1 == 0,
                        CoroutineResult::Return(()) => {
                            progress = true;
                            if let Some(coroutine) = slot.take() {
                                stacks.give(coroutine.into_stack());
                            }
                            block.thread_returned(id as u32);
                        }
                    }
                    if block.fault.borrow().is_some() {
                        break 'block Stop::Fault;
                    }
                }
            }
            if let Some(stop) = block.all_waiting(&mut progress) {
                break stop;
            }
        };
        self.active = stop == Stop::Spinning;
        progress |= block.moved.replace(false);
        (stop, progress)
    }
}

/// The coroutine that runs a thread.
fn make(thread: &Thread, context: &Context<'_>, stack: ThreadStack) -> ThreadCoroutine {
    use corosensei::stack::Stack;
    thread.guard.set(stack.limit().get());
    let thread: *const Thread = thread;
    let body: *const (dyn Fn() + Sync + '_) = context.body;
    // SAFETY: only the lifetime changes; the launch ends after its coroutines, which are run or dropped before.
    let body: *const (dyn Fn() + Sync + 'static) = unsafe { core::mem::transmute(body) };
    let run = move |yielder: &Yielder<(), ()>, ()| {
        // SAFETY: the thread and the body outlive the coroutine, as above.
        let (thread, body) = unsafe { (&*thread, &*body) };
        thread.yielder.set(yielder);
        if let Err(payload) = catch_unwind(AssertUnwindSafe(body)) {
            let block = thread.block();
            let mut at = block.party(thread.id);
            if let Some(site) = hook::take_panic_site() {
                at.site = site;
            }
            block.report_at(FaultKind::Panic, at, None, hook::message(&*payload));
        }
    };
    // SAFETY: the coroutine's captures are pointers that stay valid for its life, as said above.
    unsafe { Coroutine::with_stack_unchecked(stack, run) }
}

impl Block {
    /// Takes a thread that returned out of the count, and looks for lanes that wait for it in vain.
    fn thread_returned(&self, id: u32) {
        self.live.set(self.live.get() - 1);
        if let Some(started) = self.threads[id as usize].copies.first() {
            let text = "an asynchronous copy to shared memory was not waited for when the thread returned".to_owned();
            self.report(FaultKind::CopyInFlight, id, Some(started), None, text);
            return;
        }
        let (warp, lane) = (&self.warps[id as usize / 32], id % 32);
        warp.done.set(warp.done.get() | 1 << lane);
        for waiting in lanes(warp.calling.get()) {
            let call = warp.calls[waiting as usize].get();
            if call.mask >> lane & 1 != 0 {
                let text = format!(
                    "{}: mask {:#010x} names lane {lane}, which returned from the kernel while this lane waits",
                    call.operation.name(),
                    call.mask
                );
                let other = Some(self.party(id));
                self.report(FaultKind::LaneExited, id - lane + waiting, None, other, text);
                return;
            }
        }
    }

    /// What to do when no thread is ready: open the barrier (None: go on), or say why the block stops.
    fn all_waiting(&self, progress: &mut bool) -> Option<Stop> {
        let (live, at_barrier) = (self.live.get(), self.at_barrier.get());
        if at_barrier == live && self.report_unwritten() {
            return Some(Stop::Fault);
        }
        if live == 0 {
            return Some(Stop::Done);
        }
        if at_barrier == live {
            *progress = true;
            if !self.check_barrier() {
                return Some(Stop::Fault);
            }
            self.at_barrier.set(0);
            self.barrier_passed();
            for warp in &self.warps {
                warp.ready.set(warp.at_barrier.replace(0));
            }
            return None;
        }
        let mut spinning = false;
        for warp in &self.warps {
            let lanes = warp.spinning.replace(0);
            spinning |= lanes != 0;
            warp.ready.set(warp.ready.get() | lanes);
        }
        if spinning {
            return Some(Stop::Spinning);
        }
        self.report_stuck();
        Some(Stop::Fault)
    }

    /// Whether all threads of the block wait at one and the same barrier; all that live are at some.
    fn check_barrier(&self) -> bool {
        let Some(first) = self.warps.iter().position(|w| w.at_barrier.get() != 0) else {
            return true;
        };
        let waiting = first as u32 * 32 + self.warps[first].at_barrier.get().trailing_zeros();
        let (live, dim) = (self.live.get(), self.dim.get());
        let place = self.threads[waiting as usize].place.get();
        if live != dim {
            let gone = self.warps.iter().enumerate().find(|(_, w)| w.done.get() != 0);
            let gone = gone.map(|(i, w)| self.party(i as u32 * 32 + w.done.get().trailing_zeros()));
            let text = format!(
                "{live} of {dim} threads wait at this barrier, but {} returned from the kernel without it",
                dim - live
            );
            self.report(FaultKind::BarrierDivergence, waiting, Some(place), gone, text);
            return false;
        }
        let elsewhere = |t: &&Thread| !std::ptr::eq(t.place.get(), place) && t.place.get() != place;
        if let Some(other) = self.threads.iter().find(elsewhere) {
            let here = self.threads.iter().filter(|t| !elsewhere(t)).count();
            let site = Site::from(other.place.get());
            let text = format!("{here} of {dim} threads wait at this barrier, others at the one at {site}");
            let other = Some(self.party(other.id));
            self.report(FaultKind::BarrierDivergence, waiting, Some(place), other, text);
            return false;
        }
        true
    }

    /// Reports a collective that cannot complete: no thread can run, and not all wait at a barrier.
    fn report_stuck(&self) {
        let Some((wi, warp)) = self.warps.iter().enumerate().find(|(_, w)| w.calling.get() != 0) else {
            return;
        };
        let lane = warp.calling.get().trailing_zeros();
        let call = warp.calls[lane as usize].get();
        let id = wi as u32 * 32;
        let mut other = None;
        let mut why = Vec::new();
        for missing in lanes(call.mask & !(1 << lane)) {
            let party = self.party(id + missing);
            if warp.at_barrier.get() >> missing & 1 != 0 {
                why.push(format!("lane {missing} waits at the barrier at {}", party.site));
            } else if warp.calling.get() >> missing & 1 != 0 {
                let its = warp.calls[missing as usize].get();
                if its.operation == call.operation && its.mask == call.mask {
                    continue;
                }
                why.push(format!(
                    "lane {missing} waits in {} with mask {:#010x} at {}",
                    its.operation.name(),
                    its.mask,
                    party.site
                ));
            }
            other.get_or_insert(party);
        }
        let more = why.len().saturating_sub(2);
        why.truncate(2);
        let mut text =
            format!("{} with mask {:#010x} can never complete: {}", call.operation.name(), call.mask, why.join(", "));
        if more > 0 {
            text += &format!(" and {more} more");
        }
        let kind = if self.at_barrier.get() > 0 { FaultKind::BarrierDivergence } else { FaultKind::WarpDivergence };
        self.report(kind, id + lane, None, other, text);
    }
}
