//! Launches: checks the arguments, hands the blocks of a grid to OS threads, and finds out when nobody moves.
use super::config::{Config, Launch, Random, Schedule};
use super::fault::{Fault, FaultKind, LaunchError};
use super::hook;
use super::memory::{self, Allocation};
use super::scheduler::{Slot, Stop};
use super::stack::Stacks;
use crate::simt::{Arg, Kernel};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Most threads of a block, as on every GPU.
const MAX_BLOCK: u32 = 1024;
/// Most shared memory of a block, bytes: above that of any GPU so far.
const MAX_SHARED: u32 = 1 << 20;

/// What all blocks of a launch share.
pub(super) struct Context<'a> {
    pub(super) kernel: &'a str,
    /// Tells this launch's entries in shadow memory from those of launches before.
    pub(super) id: u32,
    pub(super) shape: Launch,
    pub(super) config: &'a Config,
    pub(super) body: &'a (dyn Fn() + Sync),
    /// Whether several OS threads run blocks.
    pub(super) concurrent: bool,
    /// The address arguments and their allocations.
    pub(super) arguments: Vec<(u64, &'static Allocation, u32)>,
    #[cfg(feature = "mutate")]
    pub(super) skipped: Option<super::mutate::Line>,
}

#[cfg(feature = "mutate")]
impl Context<'_> {
    /// Whether a mutation test took the barrier at this place out.
    #[inline]
    pub(super) fn skips(&self, place: &'static std::panic::Location<'static>) -> bool {
        self.skipped.as_ref().is_some_and(|line| line.is(place))
    }
}

/// Runs a kernel of the `kernels!` list over a grid.
///
/// # Errors
/// [`LaunchError::BadArguments`] where the arguments' kinds are not the kernel's parameters,
/// [`LaunchError::BadShape`] where the block is not as large as the kernel's or has less shared memory than it declares,
/// and [`LaunchError::Fault`] for the first fault that a thread commits. After a fault, memory holds what the threads
/// had written so far.
pub fn launch(kernel: &Kernel, launch: Launch, args: &[Arg], config: &Config) -> Result<(), LaunchError> {
    let given: Vec<_> = args.iter().map(Arg::kind).collect();
    if given != kernel.params {
        return Err(LaunchError::BadArguments { kernel: kernel.name, expected: kernel.params, given });
    }
    let bad_shape = |reason| Err(LaunchError::BadShape { kernel: kernel.name, reason });
    if launch.block != kernel.threads {
        return bad_shape(format!("it takes {} threads a block, the launch has {}", kernel.threads, launch.block));
    }
    if launch.shared_bytes < kernel.shared_bytes {
        return bad_shape(format!(
            "it needs {} bytes of shared memory, the launch gives {}",
            kernel.shared_bytes, launch.shared_bytes
        ));
    }
    if let Some(reason) = impossible(launch) {
        return bad_shape(reason);
    }
    let addresses = args.iter().filter_map(|arg| match arg {
        Arg::Address(address) => memory::find(*address).map(|(a, generation)| (*address, a, generation)),
        _ => None,
    });
    // SAFETY: the arguments are of the kinds that the kernel takes; what else it asks for is checked as it runs.
    let body = || unsafe { (kernel.run)(args) };
    Ok(execute(kernel.name, launch, config, addresses.collect(), &body)?)
}

/// Runs a closure as a kernel: for tests of kernels that are in no list.
///
/// # Errors
/// The first fault that a thread commits.
///
/// # Panics
/// For a launch that no device can run: blocks of 0 or more than 1024 threads, or more than 1 MiB of shared memory.
#[track_caller]
pub fn run(name: &str, launch: Launch, config: &Config, thread: impl Fn() + Sync) -> Result<(), Fault> {
    if let Some(reason) = impossible(launch) {
        panic!("kernel {name} cannot be launched in this shape: {reason}");
    }
    execute(name, launch, config, Vec::new(), &thread)
}

/// Why no device could run a launch.
fn impossible(launch: Launch) -> Option<String> {
    if launch.block == 0 || launch.block > MAX_BLOCK {
        return Some(format!("a block has 1 to {MAX_BLOCK} threads, not {}", launch.block));
    }
    if launch.shared_bytes > MAX_SHARED {
        return Some(format!("{} bytes of shared memory are more than any device has", launch.shared_bytes));
    }
    None
}

fn execute(
    kernel: &str,
    shape: Launch,
    config: &Config,
    arguments: Vec<(u64, &'static Allocation, u32)>,
    body: &(dyn Fn() + Sync),
) -> Result<(), Fault> {
    static LAUNCHES: AtomicU32 = AtomicU32::new(1);
    hook::install();
    let workers = config.workers.clamp(1, (shape.grid as usize).div_ceil(config.resident.max(1)).max(1));
    let context = Context {
        kernel,
        id: LAUNCHES.fetch_add(1, Relaxed),
        shape,
        config,
        body,
        concurrent: workers > 1,
        arguments,
        #[cfg(feature = "mutate")]
        skipped: super::mutate::current(),
    };
    let grid = Grid::new(&context, workers);
    if workers == 1 {
        grid.work(0);
    } else {
        std::thread::scope(|scope| {
            let grid = &grid;
            for i in 1..workers {
                // A worker that the system refuses is one whose share the others do.
                let spawned = std::thread::Builder::new().spawn_scoped(scope, move || grid.work(i));
                if spawned.is_err() {
                    grid.leave(i);
                }
            }
            grid.work(0);
        });
    }
    match grid.fault.into_inner().unwrap_or_else(PoisonError::into_inner) {
        Some(fault) => Err(fault),
        None => Ok(()),
    }
}

/// What an OS thread keeps between launches: making stacks and shadow memory is slow.
#[derive(Default)]
struct Worker {
    slots: Vec<Slot>,
    stacks: Stacks,
}

// SAFETY: a worker in the pool has no coroutine, and its blocks' pointers are set anew before they are read.
unsafe impl Send for Worker {}

static POOL: Mutex<Vec<Worker>> = Mutex::new(Vec::new());

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The blocks of a launch that are still to run, and what its workers know of each other.
struct Grid<'a> {
    context: &'a Context<'a>,
    /// The order of blocks; empty: by number.
    order: Vec<u32>,
    next: AtomicU64,
    stop: AtomicBool,
    fault: Mutex<Option<Fault>>,
    /// Counts the rounds in which some worker got on. The launch is stuck when every worker has gone through an idle
    /// round that began at the present count: then none has anything left to see.
    progress: AtomicU64,
    /// The count at which each worker's last idle round began; [`LEFT`] when it has no blocks any more.
    seen: Vec<AtomicU64>,
}

const LEFT: u64 = u64::MAX;

impl<'a> Grid<'a> {
    fn new(context: &'a Context<'a>, workers: usize) -> Self {
        let blocks = 0..context.shape.grid;
        let order = match context.config.schedule {
            Schedule::Up => Vec::new(),
            Schedule::Down => blocks.rev().collect(),
            Schedule::Shuffled => {
                let mut order: Vec<u32> = blocks.collect();
                let mut random = Random::new(context.config.seed.wrapping_add(1));
                for i in (1..order.len()).rev() {
                    order.swap(i, random.next() as usize % (i + 1));
                }
                order
            }
        };
        Grid {
            context,
            order,
            next: AtomicU64::new(0),
            stop: AtomicBool::new(false),
            fault: Mutex::new(None),
            progress: AtomicU64::new(1),
            seen: (0..workers).map(|_| AtomicU64::new(0)).collect(),
        }
    }

    /// Takes the next block.
    fn take(&self) -> Option<u32> {
        let i = self.next.fetch_add(1, Relaxed);
        if i >= self.context.shape.grid as u64 {
            return None;
        }
        Some(self.order.get(i as usize).copied().unwrap_or(i as u32))
    }

    fn stop_with(&self, fault: Option<Fault>) {
        if let Some(fault) = fault {
            lock(&self.fault).get_or_insert(fault);
        }
        self.stop.store(true, Relaxed);
    }

    fn leave(&self, worker: usize) {
        self.seen[worker].store(LEFT, SeqCst);
    }

    /// Runs blocks until there are none.
    fn work(&self, me: usize) {
        let mut worker = lock(&POOL).pop().unwrap_or_default();
        worker.stacks.set_size(self.context.config.stack_bytes);
        let resident = self.context.config.resident.max(1);
        worker.slots.resize_with(worker.slots.len().max(resident), Slot::new);
        let Worker { slots, stacks } = &mut worker;
        let slots = &mut slots[..resident];
        let mut idle = 0;
        loop {
            let began = self.progress.load(SeqCst);
            let (any, moved) = self.round(slots, stacks);
            if !any || self.stop.load(Relaxed) {
                break;
            }
            if moved {
                self.progress.fetch_add(1, SeqCst);
                idle = 0;
                continue;
            }
            self.seen[me].store(began, SeqCst);
            idle += 1;
            if self.context.concurrent {
                std::thread::yield_now();
            }
            if idle > self.context.config.spin_limit && self.all_idle(began) {
                self.report_deadlock(slots);
                break;
            }
        }
        self.leave(me);
        slots.iter_mut().for_each(|slot| slot.abandon(stacks));
        lock(&POOL).push(worker);
    }

    /// Lets each resident block run as far as it goes. Says whether there was any, and whether any got on.
    fn round(&self, slots: &mut [Slot], stacks: &mut Stacks) -> (bool, bool) {
        let (mut any, mut moved) = (false, false);
        for slot in slots {
            if !slot.active {
                match self.take() {
                    Some(index) => slot.start(self.context, index),
                    None => continue,
                }
            }
            any = true;
            loop {
                if self.stop.load(Relaxed) {
                    return (any, moved);
                }
                let (stop, progress) = slot.run(self.context, stacks);
                moved |= progress;
                match stop {
                    Stop::Spinning => break,
                    Stop::Fault => {
                        self.stop_with(slot.block.fault.take());
                        return (any, moved);
                    }
                    Stop::Done => match self.take() {
                        Some(index) => slot.start(self.context, index),
                        None => break,
                    },
                }
            }
        }
        (any, moved)
    }

    fn all_idle(&self, began: u64) -> bool {
        self.progress.load(SeqCst) == began && self.seen.iter().all(|seen| [began, LEFT].contains(&seen.load(SeqCst)))
    }

    fn report_deadlock(&self, slots: &[Slot]) {
        let Some(block) = slots.iter().find(|slot| slot.active).map(|slot| &*slot.block) else {
            return;
        };
        let warps = block.warps.iter().enumerate();
        let spinning =
            warps.filter(|(_, w)| w.ready.get() != 0).map(|(i, w)| i as u32 * 32 + w.ready.get().trailing_zeros());
        let thread = spinning.min().unwrap_or(0);
        let grid = self.context.shape.grid as u64;
        let text = format!(
            "waits here for ever: in {} rounds no thread of the resident blocks did anything but poll memory; \
             {} of {grid} blocks had started",
            self.context.config.spin_limit,
            self.next.load(Relaxed).min(grid)
        );
        block.report(FaultKind::Deadlock, thread, None, None, text);
        self.stop_with(block.fault.take());
    }
}
