//! What the emulator reports.
use crate::simt::ParamKind;
use std::fmt;
use std::panic::Location;

/// What a kernel did wrong.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FaultKind {
    /// Two threads accessed the same memory, at least one wrote, and nothing orders the two.
    Race,
    /// A barrier that not every thread of the block reached, or two different barriers at once.
    BarrierDivergence,
    /// A warp collective that its lanes entered with different masks or as different operations.
    WarpDivergence,
    /// A warp collective whose mask names a lane that returned from the kernel.
    LaneExited,
    /// A warp collective whose mask lacks the calling lane, or a shuffle from a lane outside the mask.
    LaneNotInMask,
    /// An access outside its view, its allocation or the block's shared memory.
    OutOfBounds,
    /// An access to memory that was freed.
    UseAfterFree,
    /// An address that is no multiple of what the access needs.
    Misaligned,
    /// A read of memory that nothing wrote.
    Unwritten,
    /// An asynchronous copy to shared memory whose target the thread accessed before it had waited for the copy, or that
    /// it never waited for.
    CopyInFlight,
    /// Threads poll memory and nobody is left who could change it.
    Deadlock,
    /// The kernel panicked.
    Panic,
    /// The host has no memory for the thread's stack or for the shadow of what it accesses.
    OutOfMemory,
}

/// A line of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Site {
    /// The file, as the compiler saw it.
    pub file: &'static str,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl From<&'static Location<'static>> for Site {
    fn from(l: &'static Location<'static>) -> Self {
        Site { file: l.file(), line: l.line(), column: l.column() }
    }
}

impl fmt::Display for Site {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// A thread at a line of source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Party {
    /// The block.
    pub block: u32,
    /// The thread in its block.
    pub thread: u32,
    /// The line.
    pub site: Site,
}

impl Party {
    /// The thread's warp in its block.
    pub fn warp(&self) -> u32 {
        self.thread / 32
    }
    /// The thread's lane in its warp.
    pub fn lane(&self) -> u32 {
        self.thread % 32
    }
}

impl fmt::Display for Party {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (warp, lane) = (self.warp(), self.lane());
        write!(f, "block {}, thread {} (warp {warp}, lane {lane}) at {}", self.block, self.thread, self.site)
    }
}

/// A fault of a kernel: who, where, what, and with whom.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// What is wrong.
    pub kind: FaultKind,
    /// The kernel.
    pub kernel: Box<str>,
    /// The thread that was found out, and where.
    pub at: Party,
    /// The other thread concerned, where there is one: the earlier access of a race, a thread at another barrier.
    pub other: Option<Party>,
    /// The particulars.
    pub text: Box<str>,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} in kernel {}, {}: {}", self.kind, self.kernel, self.at, self.text)?;
        match &self.other {
            Some(other) => write!(f, "; other party: {other}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Fault {}

/// Why a launch failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The arguments are not what the kernel takes.
    #[error("kernel {kernel} takes {expected:?}, the launch gave {given:?}")]
    BadArguments {
        /// The kernel.
        kernel: &'static str,
        /// Its parameters.
        expected: &'static [ParamKind],
        /// The kinds of the arguments.
        given: Vec<ParamKind>,
    },
    /// The launch has another shape than the kernel is made for.
    #[error("kernel {kernel} cannot be launched in this shape: {reason}")]
    BadShape {
        /// The kernel.
        kernel: &'static str,
        /// What does not fit.
        reason: String,
    },
    /// The kernel ran, and did something wrong.
    #[error(transparent)]
    Fault(#[from] Fault),
}
