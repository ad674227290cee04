//! The inputs of a merge of many: runs that lie anywhere, named by a table in device memory.
//!
//! The merge sort's runs are neighbours in one array, and there is no table. The inputs of a user's are not, and their
//! keys are not encoded. The same kernels serve both.
use crate::order::{Key, mode};
use crate::simt::{Global, Plain, thread};

/// Words of the table for each input: the address of its keys, that of its payloads (0: its payloads are positions), its
/// length, and the position of its first element when all inputs are laid one behind the other.
pub const WORDS: u32 = 4;

/// Inputs that one launch of [`write_inputs`] writes.
pub const AT_ONCE: u32 = 8;

/// A table of inputs.
#[derive(Clone, Copy)]
pub struct Table {
    words: Global<u64>,
}

impl Table {
    /// The table that begins here; null for none.
    #[inline(always)]
    pub fn new(words: Global<u64>) -> Self {
        Table { words }
    }
    /// Whether there is none.
    #[inline(always)]
    pub fn is_none(self) -> bool {
        self.words.is_null()
    }
    /// Whether there is one and it is of nothing: kernels that merge its inputs have nothing to do.
    ///
    /// # Safety
    /// As [`Table::keys`], where there is one.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn is_clear(self) -> bool {
        !self.is_none() && self.word(0, 0) == 0
    }
    /// Makes it one of nothing: its first input is nowhere.
    ///
    /// # Safety
    /// It has room for an input, and nothing else uses it meanwhile.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn clear(self) {
        self.words.set(0, 0);
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn word(self, input: u32, word: u32) -> u64 {
        self.words.get(input as u64 * WORDS as u64 + word as u64)
    }
    /// The keys of an input.
    ///
    /// # Safety
    /// The table has it, and no one writes the table meanwhile.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn keys<K: Plain>(self, input: u32) -> Global<K> {
        Global::from_address(self.word(input, 0))
    }
    /// The payloads of an input; null where they are positions.
    ///
    /// # Safety
    /// As [`Table::keys`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn payloads<T: Plain>(self, input: u32) -> Global<T> {
        Global::from_address(self.word(input, 1))
    }
    /// The length of an input.
    ///
    /// # Safety
    /// As [`Table::keys`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn len(self, input: u32) -> u64 {
        self.word(input, 2)
    }
    /// The position of an input's first element.
    ///
    /// # Safety
    /// As [`Table::keys`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn first(self, input: u32) -> u64 {
        self.word(input, 3)
    }
    /// The last of `count` inputs whose first position is not beyond `position`: that which holds it, where inputs of no
    /// elements stand before others with the same first position.
    ///
    /// # Safety
    /// As [`Table::keys`] for `count` inputs, at least one. First positions ascend from 0.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn holding(self, position: u64, count: u32) -> u32 {
        let (mut from, mut to) = (0, count);
        while to - from > 1 {
            let middle = from + (to - from) / 2;
            let beyond = self.first(middle) > position;
            (from, to) = if beyond { (from, middle) } else { (middle, to) };
        }
        from
    }
}

/// Where the runs of a merge lie, and through which codec their keys are read.
#[derive(Clone, Copy)]
pub struct Inputs<K: Key> {
    /// The runs of the one group that there is; none where runs are neighbours in one array.
    pub table: Table,
    /// The codec.
    pub load: K::Codec,
    /// Whether it leaves keys as they are.
    pub encoded: bool,
}

impl<K: Key> Inputs<K> {
    /// By a kernel's parameters.
    #[inline(always)]
    pub fn new(table: Global<u64>, load: u32) -> Self {
        Inputs { table: Table::new(table), load: K::codec(load), encoded: load == mode::UNSIGNED }
    }
    /// Those of a table, or neighbours where it is null, with keys that are read as they are.
    #[inline(always)]
    pub fn plain(table: Global<u64>) -> Self {
        Self::new(table, mode::UNSIGNED)
    }
}

/// Writes up to [`AT_ONCE`] inputs, whose words are the last arguments, into a table from input `at` on.
///
/// Arguments take the words to the device, so that nothing waits for a copy from the host and a graph can hold the launch.
///
/// # Safety
/// The table has room for inputs `at..at + count`; nothing else uses it meanwhile.
#[inline(always)]
pub unsafe fn write_inputs(table: Global<u64>, at: u32, count: u32, words: [u64; (AT_ONCE * WORDS) as usize]) {
    if thread::block_idx_x() > 0 || thread::thread_idx_x() > 0 {
        return;
    }
    let mut i = 0;
    while i < words.len() {
        if (i as u32) < count * WORDS {
            table.set(at as u64 * WORDS as u64 + i as u64, words[i]);
        }
        i += 1;
    }
}
