//! The 32 threads that run together, and the collectives they make.
use super::block::Thread;
use super::fault::FaultKind;
use core::cell::{Cell, RefCell};
use core::panic::Location;

/// What a collective does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub(super) enum Operation {
    ShuffleXor,
    ShuffleUp,
    ShuffleDown,
    ShuffleIdx,
    Ballot,
    All,
    Any,
    MatchAny,
    ReduceAdd,
    ReduceMin,
    ReduceMax,
    Sync,
}

impl Operation {
    /// The function that a kernel calls.
    pub(super) fn name(self) -> &'static str {
        match self {
            Operation::ShuffleXor => "warp_shuffle_xor",
            Operation::ShuffleUp => "warp_shuffle_up",
            Operation::ShuffleDown => "warp_shuffle_down",
            Operation::ShuffleIdx => "warp_shuffle_idx",
            Operation::Ballot => "warp_vote_ballot",
            Operation::All => "warp_vote_all",
            Operation::Any => "warp_vote_any",
            Operation::MatchAny => "warp_match_any",
            Operation::ReduceAdd => "warp_reduce_add",
            Operation::ReduceMin => "warp_reduce_min",
            Operation::ReduceMax => "warp_reduce_max",
            Operation::Sync => "sync_warp",
        }
    }
}

/// One lane's call of a collective.
#[derive(Clone, Copy)]
pub(super) struct Call {
    pub(super) operation: Operation,
    pub(super) mask: u32,
    pub(super) arg: u32,
    pub(super) value: u128,
}

/// A warp's lanes, as bit sets by what they do, and the collective calls that wait for the rest of their mask.
pub(super) struct Warp {
    /// Lanes that the block has at all: all but in the last warp.
    pub(super) exist: Cell<u32>,
    pub(super) ready: Cell<u32>,
    pub(super) done: Cell<u32>,
    pub(super) at_barrier: Cell<u32>,
    pub(super) spinning: Cell<u32>,
    /// Lanes inside a collective.
    pub(super) calling: Cell<u32>,
    pub(super) calls: [Cell<Call>; 32],
    results: [Cell<u128>; 32],
    /// The time of the last `sync_warp` of all lanes: what happened before is ordered within the warp.
    pub(super) base: Cell<u32>,
    /// What each lane knows of each other lane's time by `sync_warp`s of some lanes; made when first needed.
    pub(super) partial: RefCell<Option<Box<[[u32; 32]; 32]>>>,
}

impl Warp {
    pub(super) fn new() -> Self {
        let call = Call { operation: Operation::Sync, mask: 0, arg: 0, value: 0 };
        Warp {
            exist: Cell::new(0),
            ready: Cell::new(0),
            done: Cell::new(0),
            at_barrier: Cell::new(0),
            spinning: Cell::new(0),
            calling: Cell::new(0),
            calls: core::array::from_fn(|_| Cell::new(call)),
            results: core::array::from_fn(|_| Cell::new(0)),
            base: Cell::new(0),
            partial: RefCell::new(None),
        }
    }

    /// Makes the warp ready for a new block, of which it has the lanes of `exist`.
    pub(super) fn start(&self, exist: u32) {
        self.exist.set(exist);
        self.ready.set(exist);
        for set in [&self.done, &self.at_barrier, &self.spinning, &self.calling] {
            set.set(0);
        }
    }

    /// Whether lane `to` knows what lane `from` did at `time`, by `sync_warp`.
    #[inline]
    pub(super) fn orders(&self, to: u32, from: u32, time: u32) -> bool {
        time < self.base.get() || self.partial.borrow().as_ref().is_some_and(|p| p[to as usize][from as usize] >= time)
    }
}

/// The lanes of a mask, lowest first.
pub(super) fn lanes(mut mask: u32) -> impl Iterator<Item = u32> {
    core::iter::from_fn(move || {
        let lane = mask.trailing_zeros();
        mask &= mask.wrapping_sub(1);
        (lane < 32).then_some(lane)
    })
}

impl Thread {
    /// Makes a collective call: waits for the other lanes of the mask, and gives this lane's result.
    ///
    /// Inlined, so that a thread comes back into the kernel itself: a return from here would be predicted wrongly after
    /// the switches in between.
    #[inline(always)]
    pub(super) fn collective(
        &self,
        operation: Operation,
        mask: u32,
        value: u128,
        arg: u32,
        place: &'static Location<'static>,
    ) -> u128 {
        let warp = self.warp();
        let bit = 1u32 << self.lane;
        self.place.set(place);
        self.polls.set(0);
        // Lanes past the end of the block never exist; a full mask means those that do.
        let mask = mask & warp.exist.get();
        if mask & bit == 0 {
            self.not_in_own_mask(operation, mask, place);
        }
        if mask & warp.done.get() != 0 {
            self.lane_left(operation, mask, place);
        }
        warp.calls[self.lane as usize].set(Call { operation, mask, arg, value });
        let calling = warp.calling.get() | bit;
        warp.calling.set(calling);
        if calling & mask != mask || !self.complete(operation, mask) {
            self.suspend();
        }
        warp.results[self.lane as usize].get()
    }

    /// Completes a collective if all lanes of the mask, which are in one, are in this one.
    #[inline(never)]
    fn complete(&self, operation: Operation, mask: u32) -> bool {
        let warp = self.warp();
        let agrees = |lane: u32| {
            let call = warp.calls[lane as usize].get();
            call.operation == operation && call.mask == mask
        };
        if !lanes(mask).all(agrees) {
            return false;
        }
        warp.calling.set(warp.calling.get() & !mask);
        warp.ready.set(warp.ready.get() | (mask & !(1 << self.lane)));
        self.resolve(operation, mask);
        true
    }

    /// Computes every lane's result; all of the mask have called.
    fn resolve(&self, operation: Operation, mask: u32) {
        let warp = self.warp();
        let value = |lane: u32| warp.calls[lane as usize].get().value;
        let give_all = |v: u128| lanes(mask).for_each(|lane| warp.results[lane as usize].set(v));
        let fold = |f: fn(u32, u32) -> u32| lanes(mask).map(|lane| value(lane) as u32).reduce(f).unwrap_or(0) as u128;
        match operation {
            Operation::ShuffleXor | Operation::ShuffleUp | Operation::ShuffleDown | Operation::ShuffleIdx => {
                for lane in lanes(mask) {
                    let arg = warp.calls[lane as usize].get().arg;
                    let source = match operation {
                        Operation::ShuffleXor => lane ^ (arg & 31),
                        Operation::ShuffleUp => lane.checked_sub(arg & 31).unwrap_or(lane),
                        Operation::ShuffleDown if lane + (arg & 31) < 32 => lane + (arg & 31),
                        Operation::ShuffleDown => lane,
                        _ => arg & 31,
                    };
                    if mask >> source & 1 == 0 {
                        self.source_outside_mask(operation, mask, lane, source);
                    }
                    warp.results[lane as usize].set(value(source));
                }
            }
            Operation::Ballot => give_all(lanes(mask).fold(0, |set, lane| set | (value(lane) as u32) << lane) as u128),
            Operation::All => give_all(lanes(mask).all(|lane| value(lane) != 0) as u128),
            Operation::Any => give_all(lanes(mask).any(|lane| value(lane) != 0) as u128),
            Operation::MatchAny => {
                let mut left = mask;
                while left != 0 {
                    let v = value(left.trailing_zeros());
                    let group = lanes(left).filter(|&lane| value(lane) == v).fold(0, |set, lane| set | 1u32 << lane);
                    lanes(group).for_each(|lane| warp.results[lane as usize].set(group as u128));
                    left &= !group;
                }
            }
            Operation::ReduceAdd => give_all(fold(u32::wrapping_add)),
            Operation::ReduceMin => give_all(fold(u32::min)),
            Operation::ReduceMax => give_all(fold(u32::max)),
            Operation::Sync => self.warp_synchronised(mask),
        }
    }

    #[cold]
    #[inline(never)]
    fn not_in_own_mask(&self, operation: Operation, mask: u32, place: &'static Location<'static>) -> ! {
        let text = format!("{}: the calling lane {} is not in its own mask {mask:#010x}", operation.name(), self.lane);
        self.fault(FaultKind::LaneNotInMask, place, None, text)
    }

    #[cold]
    #[inline(never)]
    fn lane_left(&self, operation: Operation, mask: u32, place: &'static Location<'static>) -> ! {
        let lane = (mask & self.warp().done.get()).trailing_zeros();
        let other = self.block().party(self.id - self.lane + lane);
        let text =
            format!("{}: mask {mask:#010x} names lane {lane}, which has returned from the kernel", operation.name());
        self.fault(FaultKind::LaneExited, place, Some(other), text)
    }

    #[cold]
    #[inline(never)]
    fn source_outside_mask(&self, operation: Operation, mask: u32, lane: u32, source: u32) -> ! {
        let text = format!(
            "{}: lane {lane} reads lane {source}, which is not in mask {mask:#010x}: the value is undefined",
            operation.name()
        );
        self.block().report(FaultKind::LaneNotInMask, self.id - self.lane + lane, None, None, text);
        self.stop()
    }
}
