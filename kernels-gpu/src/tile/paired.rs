//! Keys with their payload: what a k-way merge moves through a tile.
//!
//! A merge is stable by itself, so its elements compare by key alone and need no tag. Moving a payload of 4 or 8 bytes
//! along costs less than moving a tag of 4 and fetching payloads at the end, piece by piece, from device memory.
use super::element::{Cursor, Element};
use super::planes::{Planes, PlanesCursor};
use crate::order::{Key, Order};
use crate::simt::{Global, Plain, zeroed};

/// A key and its payload.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Paired<K, T> {
    key: K,
    payload: T,
}

impl<K: Key, T: Plain> Order for Paired<K, T> {
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        self.key.before(other.key)
    }
}
impl<K: Key, T: Plain> Cursor<Paired<K, T>> for PlanesCursor<K, T> {
    #[inline(always)]
    #[track_caller]
    unsafe fn read(self) -> Paired<K, T> {
        let (key, payload) = PlanesCursor::read(self);
        Paired { key, payload }
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn key_before(self, other: Self) -> bool {
        self.read_key().before(other.read_key())
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
impl<K: Key, T: Plain> Element for Paired<K, T>
where
    PlanesCursor<K, T>: Cursor<Self>,
{
    type Key = K;
    type Tag = T;
    type View = Planes<K, T>;
    type Cursor = PlanesCursor<K, T>;
    const BYTES: u32 = Planes::<K, T>::BYTES;
    // A real key may equal the sentinel, and its payload must not be lost to it.
    const SENTINEL: bool = false;
    const TAGGED: bool = false;
    #[inline(always)]
    fn new(key: K, payload: T) -> Self {
        Paired { key, payload }
    }
    #[inline(always)]
    fn at_position(key: K, _: u32) -> Self {
        Paired { key, payload: zeroed() }
    }
    #[inline(always)]
    fn end() -> Self {
        Paired { key: K::pad(), payload: zeroed() }
    }
    #[inline(always)]
    fn key(self) -> K {
        self.key
    }
    #[inline(always)]
    fn tag(self) -> T {
        self.payload
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
        view.set(i, e.key, e.payload)
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn stage(view: Self::View, i: u32, keys: Global<K>, payloads: Global<T>, j: u64) {
        view.copy_async(i, keys, payloads, j)
    }
}
