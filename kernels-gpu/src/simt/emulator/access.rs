//! The kinds of access to memory, and which of them may not meet.

/// How a thread accesses memory.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    Read,
    Write,
    AtomicLoad,
    AtomicStore,
    AtomicUpdate,
}

impl Access {
    #[inline(always)]
    pub(super) fn is_atomic(self) -> bool {
        matches!(self, Access::AtomicLoad | Access::AtomicStore | Access::AtomicUpdate)
    }
    #[inline(always)]
    pub(super) fn writes(self) -> bool {
        matches!(self, Access::Write | Access::AtomicStore | Access::AtomicUpdate)
    }
    /// Whether it uses what was there before.
    #[inline(always)]
    pub(super) fn reads(self) -> bool {
        !matches!(self, Access::Write | Access::AtomicStore)
    }
    /// Its name in a report.
    pub(super) fn name(self) -> &'static str {
        match self {
            Access::Read => "read",
            Access::Write => "write",
            Access::AtomicLoad => "atomic load",
            Access::AtomicStore => "atomic store",
            Access::AtomicUpdate => "atomic update",
        }
    }
}
