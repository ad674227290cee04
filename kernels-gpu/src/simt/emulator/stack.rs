//! Stacks of coroutines, kept for reuse.
use corosensei::stack::{DefaultStack, Stack, StackPointer};

/// A stack whose top is moved by a few cache lines: page-aligned tops would all share the same cache sets.
pub(super) struct ThreadStack {
    stack: DefaultStack,
    shift: usize,
}

// SAFETY: the base is inside the stack, 16-byte aligned, and at least the size that was asked for above the limit.
unsafe impl Stack for ThreadStack {
    #[inline]
    fn base(&self) -> StackPointer {
        let base = self.stack.base();
        StackPointer::new(base.get() - self.shift).unwrap_or(base)
    }
    #[inline]
    fn limit(&self) -> StackPointer {
        self.stack.limit()
    }
    #[cfg(windows)]
    fn teb_fields(&self) -> corosensei::stack::StackTebFields {
        self.stack.teb_fields()
    }
    #[cfg(windows)]
    fn update_teb_fields(&mut self, stack_limit: usize, stack_bytes_guaranteed: usize) {
        self.stack.update_teb_fields(stack_limit, stack_bytes_guaranteed)
    }
}

/// The stacks that no coroutine uses now.
#[derive(Default)]
pub(super) struct Stacks {
    bytes: usize,
    free: Vec<ThreadStack>,
    made: usize,
}

impl Stacks {
    /// Drops stacks of another size.
    pub(super) fn set_size(&mut self, bytes: usize) {
        if self.bytes != bytes {
            self.free.clear();
            self.bytes = bytes;
        }
    }

    /// A stack, or why the system has none.
    pub(super) fn take(&mut self) -> std::io::Result<ThreadStack> {
        /// Distinct positions of a top, one cache line apart; prime, so that neighbours in memory differ.
        const POSITIONS: usize = 61;
        if let Some(stack) = self.free.pop() {
            return Ok(stack);
        }
        self.made += 1;
        // A page more than asked for makes room for the shift.
        let stack = DefaultStack::new(self.bytes + 4096)?;
        Ok(ThreadStack { stack, shift: self.made % POSITIONS * 64 })
    }

    pub(super) fn give(&mut self, stack: ThreadStack) {
        self.free.push(stack);
    }
}
