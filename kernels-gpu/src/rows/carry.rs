//! Where rows lie, and what their elements carry along.
use crate::order::Key;
use crate::simt::{Global, zeroed};

/// Where rows are read and written: those of a matrix, or segments that a list names.
#[derive(Clone, Copy)]
pub struct Matrix<K> {
    /// The keys.
    pub src: Global<K>,
    /// Where they go; null where only what they carry is wanted.
    pub dst: Global<K>,
    /// Rows of a matrix.
    pub rows: u64,
    /// Keys of a row.
    pub columns: u32,
    /// Elements from row to row of what is read. With a list, the address of other keys: see [`listed`].
    pub src_stride: u64,
    /// The same of what is written. With a list, the address of other payloads.
    pub dst_stride: u64,
    /// The list of segments, two words each: where one starts in what is read and in what is written, and what
    /// [`listed::pack`] makes of its length. Null for a matrix.
    pub list: Global<u64>,
    /// How many segments the list has.
    pub listed: Global<u32>,
}

/// The second word of a listed segment. Segments of a list may lie in two areas, of which they are all written to one.
pub mod listed {
    const OTHER: u64 = 1 << 32;

    /// The word for a segment of `len` keys, in the keys that are read or in the other ones.
    #[inline(always)]
    pub const fn pack(len: u32, other: bool) -> u64 {
        len as u64 | if other { OTHER } else { 0 }
    }
    /// Whether it lies in the other keys.
    #[inline(always)]
    pub const fn is_other(word: u64) -> bool {
        word & OTHER != 0
    }
}

/// A row: where it begins in what is read and in what is written, and its keys.
#[derive(Clone, Copy)]
pub struct Row {
    /// Whether it is read in the other area.
    pub other: bool,
    /// Where it is read.
    pub src: u64,
    /// Where it is written.
    pub dst: u64,
    /// Its keys.
    pub len: u32,
}

impl<K: Key> Matrix<K> {
    /// Rows.
    ///
    /// # Safety
    /// The list is there, or it is a matrix.
    #[inline(always)]
    #[track_caller]
    pub unsafe fn count(self) -> u64 {
        if self.list.is_null() { self.rows } else { self.listed.get(0) as u64 }
    }
    /// Row `row`.
    ///
    /// # Safety
    /// It is below [`Matrix::count`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn row(self, row: u64) -> Row {
        if self.list.is_null() {
            Row { other: false, src: row * self.src_stride, dst: row * self.dst_stride, len: self.columns }
        } else {
            let (start, word) = (self.list.get(2 * row), self.list.get(2 * row + 1));
            Row { other: listed::is_other(word), src: start, dst: start, len: word as u32 }
        }
    }
    /// Where a row's keys are read.
    #[inline(always)]
    pub fn keys(self, row: Row) -> Global<K> {
        if row.other { Global::from_address(self.src_stride) } else { self.src }.offset(row.src)
    }
    /// Where what they carry is read and written.
    #[inline(always)]
    pub fn carried(self, row: Row, carried: Carried) -> Carried {
        let src = if row.other { Global::from_address(self.dst_stride) } else { carried.src };
        Carried { src, ..carried }.row(row.src, row.dst)
    }
}

/// What keys carry along, as a kernel is told it: how many bytes each has, and whether it is fetched or made.
pub mod carried {
    /// Nothing.
    pub const NOTHING: u32 = 0;
    /// A 4-byte payload.
    pub const PAYLOAD_32: u32 = 1;
    /// An 8-byte payload.
    pub const PAYLOAD_64: u32 = 2;
    /// The key's position in its row, as 4 bytes.
    pub const POSITION_32: u32 = 3;
    /// The same as 8 bytes.
    pub const POSITION_64: u32 = 4;
}

/// What the keys of a row carry along. One kernel serves all kinds: which it is costs a branch that all threads take alike.
#[derive(Clone, Copy)]
pub struct Carried {
    /// One of [`carried`].
    pub kind: u32,
    /// Where payloads are read; not looked at where they are positions.
    pub src: Global<u32>,
    /// Where they go.
    pub dst: Global<u32>,
}

impl Carried {
    /// Nothing.
    #[inline(always)]
    pub fn nothing() -> Self {
        Carried { kind: carried::NOTHING, src: Global::null(), dst: Global::null() }
    }
    /// That of a row that begins `src` elements into what is read, and `dst` into what is written.
    #[inline(always)]
    pub fn row(self, src: u64, dst: u64) -> Self {
        let offset = |a: Global<u32>, at: u64| match self.kind {
            carried::NOTHING => a,
            carried::PAYLOAD_32 | carried::POSITION_32 => a.offset(at),
            _ => a.cast::<u64>().offset(at).cast::<u32>(),
        };
        let src = if self.kind <= carried::PAYLOAD_64 { offset(self.src, src) } else { self.src };
        Carried { kind: self.kind, src, dst: offset(self.dst, dst) }
    }
    /// Moves the payloads of a thread's elements: that of the key from position `from[i]` to place `place(i)`, if below
    /// `count`. `wait` lets the threads wait for each other that share the row: it may be sorted in place.
    ///
    /// # Safety
    /// Of a row with `count` elements, of which each thread has others, called by all threads that `wait` is for.
    #[inline(always)]
    pub unsafe fn store<const ITEMS: usize>(
        self,
        count: u32,
        place: impl Fn(usize) -> u32,
        from: [u32; ITEMS],
        wait: impl Fn(),
    ) {
        match self.kind {
            carried::PAYLOAD_32 => moved(self.src, self.dst, count, place, from, wait),
            carried::PAYLOAD_64 => moved::<u64, ITEMS>(self.src.cast(), self.dst.cast(), count, place, from, wait),
            kind => {
                for i in 0..ITEMS {
                    let at = place(i);
                    if at < count && kind == carried::POSITION_32 {
                        self.dst.set(at as u64, from[i]);
                    } else if at < count {
                        self.dst.cast::<u64>().set(at as u64, from[i] as u64);
                    }
                }
            }
        }
    }
}

/// [`Carried::store`] of payloads of one type.
#[inline(always)]
unsafe fn moved<T: crate::simt::Plain, const ITEMS: usize>(
    src: Global<T>,
    dst: Global<T>,
    count: u32,
    place: impl Fn(usize) -> u32,
    from: [u32; ITEMS],
    wait: impl Fn(),
) {
    let mut v = [zeroed::<T>(); ITEMS];
    for i in 0..ITEMS {
        if place(i) < count {
            v[i] = src.get(from[i] as u64);
        }
    }
    wait();
    for i in 0..ITEMS {
        if place(i) < count {
            dst.set(place(i) as u64, v[i]);
        }
    }
}
