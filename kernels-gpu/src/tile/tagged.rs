//! Keys tagged with their position in the tile: what the tile sort moves where keys have a payload, or where equal keys
//! may differ.
//!
//! The payload itself does not move through the sort: it is fetched by position once the order is known, so one tile
//! sort serves payloads of every size. Since the tag breaks ties, any sorting network is stable on these elements, and
//! pads need no value of their own: they have the highest positions, so a pad that equals a real key still sorts after
//! it.
use super::element::{Cursor, Element};
use super::planes::{Planes, PlanesCursor};
use crate::order::{Key, Order};
use crate::simt::{Global, Plain, Shared, SharedCursor, thread};
use core::marker::PhantomData;

/// A narrow key and its position, packed into one word so that one comparison orders both.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct Packed<K, W> {
    word: W,
    of: PhantomData<K>,
}

/// A word of which the smaller and the greater of two are found as cheaply as the machine can.
trait MinMax: Sized {
    fn min_max(self, other: Self) -> (Self, Self);
}
impl MinMax for u32 {
    #[inline(always)]
    fn min_max(self, other: u32) -> (u32, u32) {
        (self.min(other), self.max(other))
    }
}
impl MinMax for u64 {
    #[inline(always)]
    fn min_max(self, other: u64) -> (u64, u64) {
        thread::min_max(self, other)
    }
}

macro_rules! packed {
    ($($k:ty, $w:ty, $shift:literal);*) => { $(
        // SAFETY: a transparent word.
        unsafe impl Plain for Packed<$k, $w> {}
        impl Order for Packed<$k, $w> {
            #[inline(always)]
            fn before(self, other: Self) -> bool {
                self.word < other.word
            }
            #[inline(always)]
            fn in_order(self, other: Self) -> (Self, Self) {
                let (low, high) = MinMax::min_max(self.word, other.word);
                (Packed { word: low, of: PhantomData }, Packed { word: high, of: PhantomData })
            }
        }
        impl Cursor<Packed<$k, $w>> for SharedCursor<Packed<$k, $w>> {
            #[inline(always)]
            #[track_caller]
            unsafe fn read(self) -> Packed<$k, $w> {
                SharedCursor::read(self)
            }
            #[inline(always)]
            fn offset(self, n: u32) -> Self {
                SharedCursor::offset(self, n)
            }
            #[inline(always)]
            fn pinned(self) -> Self {
                SharedCursor::pinned(self)
            }
        }
        impl Element for Packed<$k, $w> {
            type Key = $k;
            type Tag = u32;
            type View = Shared<Packed<$k, $w>>;
            type Cursor = SharedCursor<Packed<$k, $w>>;
            const BYTES: u32 = size_of::<$w>() as u32;
            const SENTINEL: bool = true;
            const TAGGED: bool = true;
            #[inline(always)]
            fn new(key: $k, position: u32) -> Self {
                Packed { word: (key as $w) << $shift | position as $w, of: PhantomData }
            }
            #[inline(always)]
            fn at_position(key: $k, position: u32) -> Self {
                Self::new(key, position)
            }
            #[inline(always)]
            fn end() -> Self {
                Packed { word: <$w>::MAX, of: PhantomData }
            }
            #[inline(always)]
            fn key(self) -> $k {
                (self.word >> $shift) as $k
            }
            #[inline(always)]
            fn tag(self) -> u32 {
                (self.word & ((1 << $shift) - 1)) as u32
            }
            #[inline(always)]
            fn view(len: u32) -> Self::View {
                Shared::new(0, len)
            }
            #[inline(always)]
            fn at(view: Self::View, i: u32) -> Self::Cursor {
                view.at(i)
            }
            #[inline(always)]
            #[track_caller]
            unsafe fn set(view: Self::View, i: u32, e: Self) {
                view.set(i, e)
            }
            #[inline(always)]
            #[track_caller]
            unsafe fn stage(view: Self::View, i: u32, keys: Global<$k>, tags: Global<u32>, j: u64) {
                view.set(i, Self::new(keys.get(j), tags.get(j)))
            }
        }
    )* };
}
// A tile has fewer than 2^16 elements.
packed!(u8, u32, 16; u16, u32, 16; u32, u64, 32);

/// A key of any width and order, and its position.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Tagged<K> {
    key: K,
    tag: u32,
}

/// Set in the tag of a pad where the order has no key to pad with.
const PAD: u32 = 1 << 31;

impl<K: Key> Tagged<K> {
    /// Whether this is a pad that its key does not tell.
    #[inline(always)]
    fn is_pad(self) -> bool {
        K::SENTINEL.is_none() && self.tag & PAD != 0
    }
}
impl<K: Key> Order for Tagged<K> {
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        if self.is_pad() || other.is_pad() {
            return self.tag < other.tag;
        }
        self.key.before(other.key) || (!other.key.before(self.key) && self.tag < other.tag)
    }
}
impl<K: Key> Cursor<Tagged<K>> for PlanesCursor<K, u32> {
    #[inline(always)]
    #[track_caller]
    unsafe fn read(self) -> Tagged<K> {
        let (key, tag) = PlanesCursor::read(self);
        Tagged { key, tag }
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn key_before(self, other: Self) -> bool {
        if K::SENTINEL.is_some() {
            self.read_key().before(other.read_key())
        } else {
            Cursor::<Tagged<K>>::read(self).key_before(Cursor::<Tagged<K>>::read(other))
        }
    }
    #[inline(always)]
    fn offset(self, n: u32) -> Self {
        PlanesCursor::offset(self, n)
    }
    #[inline(always)]
    fn pinned(self) -> Self {
        self
    }
}
impl<K: Key> Element for Tagged<K> {
    type Key = K;
    type Tag = u32;
    type View = Planes<K, u32>;
    type Cursor = PlanesCursor<K, u32>;
    const BYTES: u32 = Planes::<K, u32>::BYTES;
    const SENTINEL: bool = K::SENTINEL.is_some();
    const TAGGED: bool = true;
    #[inline(always)]
    fn new(key: K, tag: u32) -> Self {
        Tagged { key, tag }
    }
    #[inline(always)]
    fn at_position(key: K, position: u32) -> Self {
        Tagged { key, tag: position }
    }
    #[inline(always)]
    fn pad(position: u32) -> Self {
        Tagged { key: K::pad(), tag: if K::SENTINEL.is_some() { position } else { position | PAD } }
    }
    #[inline(always)]
    fn end() -> Self {
        Tagged { key: K::pad(), tag: u32::MAX }
    }
    #[inline(always)]
    fn key(self) -> K {
        self.key
    }
    #[inline(always)]
    fn tag(self) -> u32 {
        self.tag
    }
    #[inline(always)]
    fn key_before(self, other: Self) -> bool {
        if self.is_pad() || other.is_pad() {
            return !self.is_pad();
        }
        self.key.before(other.key)
    }
    #[inline(always)]
    fn view(len: u32) -> Self::View {
        Planes::new(len)
    }
    #[inline(always)]
    fn at(view: Self::View, i: u32) -> Self::Cursor {
        view.at(i)
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn set(view: Self::View, i: u32, e: Self) {
        view.set(i, e.key, e.tag)
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn stage(view: Self::View, i: u32, keys: Global<K>, tags: Global<u32>, j: u64) {
        view.copy_async(i, keys, tags, j)
    }
}
