//! What a tile holds, and how it lies in shared memory: bare keys here, [keys with their position](super::tagged) where
//! a tile is sorted, [keys with their payload](super::paired) where runs are merged.
use crate::order::{Key, Order};
use crate::simt::{Global, Plain, Shared, SharedCursor};
use core::hint::select_unpredictable as pick;

/// A position in a tile, kept in registers by a loop that walks it.
pub trait Cursor<E: Element>: Copy + PartialOrd {
    /// The element here.
    ///
    /// # Safety
    /// The position is inside the tile, and no thread writes it before the next barrier.
    unsafe fn read(self) -> E;
    /// [`Element::key_before`] of the elements at two positions, of which no more is read than it takes.
    ///
    /// # Safety
    /// As [`Cursor::read`] for both.
    #[inline(always)]
    #[track_caller]
    unsafe fn key_before(self, other: Self) -> bool {
        self.read().key_before(other.read())
    }
    /// `n` elements further.
    fn offset(self, n: u32) -> Self;
    /// The same position, with its address in a register from here on.
    fn pinned(self) -> Self;
}

/// An element of a tile and its place in shared memory.
pub trait Element: Order {
    /// The key without its tag.
    type Key: Key;
    /// What the key carries along.
    type Tag: Plain;
    /// The tile's view of shared memory.
    type View: Copy;
    /// A position in it.
    type Cursor: Cursor<Self>;
    /// Bytes of shared memory for each element.
    const BYTES: u32;
    /// Whether [`Element::end`] is after every element, or alike to those that equal it: then it ends a run, and which of
    /// the two is taken on a tie does not matter.
    const SENTINEL: bool;
    /// Whether the tag is the element's position, by which the order breaks ties.
    const TAGGED: bool;

    /// The element of a key and its tag.
    fn new(key: Self::Key, tag: Self::Tag) -> Self;
    /// The element of a key at a position of the tile: the position is its tag, where it has room for one.
    fn at_position(key: Self::Key, position: u32) -> Self;
    /// The element that stands for none at a position behind all keys.
    fn pad(position: u32) -> Self {
        Self::at_position(Self::Key::pad(), position)
    }
    /// What stands at the end of a run.
    fn end() -> Self;
    /// Its key.
    fn key(self) -> Self::Key;
    /// Its tag.
    fn tag(self) -> Self::Tag;
    /// Whether this element's key must stand before the other's, whatever the tags: what decides between two runs that
    /// follow each other, where the first one's elements come first on ties.
    #[inline(always)]
    fn key_before(self, other: Self) -> bool {
        self.key().before(other.key())
    }
    /// The view of a tile of `len` elements at the start of shared memory.
    fn view(len: u32) -> Self::View;
    /// Position `i` of a view.
    fn at(view: Self::View, i: u32) -> Self::Cursor;
    /// Sets element `i`.
    ///
    /// # Safety
    /// `i` is inside the tile, and no other thread accesses it before the next barrier.
    unsafe fn set(view: Self::View, i: u32, e: Self);
    /// Takes the first of four heads, which are sorted, and puts the next element of its run, at the first position, where
    /// it belongs among the others. A head that is not before [`Element::end`] stays.
    ///
    /// # Safety
    /// As [`Cursor::read`] for the element behind the first position, unless that stands at a run's end.
    #[inline(always)]
    unsafe fn next_of_four(head: &mut [Self; 4], at: &mut [Self::Cursor; 4]) {
        next_of_four(head, at)
    }
    /// [`Element::next_of_four`] of two.
    ///
    /// # Safety
    /// As there.
    #[inline(always)]
    unsafe fn next_of_two(head: &mut [Self; 2], at: &mut [Self::Cursor; 2]) {
        next_of_two(head, at)
    }
    /// Starts to set element `i` to key `j` of `keys` and tag `j` of `tags`; done after
    /// [`async_copies_done`](crate::simt::thread::async_copies_done).
    ///
    /// # Safety
    /// As [`Element::set`], and both hold element `j`.
    unsafe fn stage(view: Self::View, i: u32, keys: Global<Self::Key>, tags: Global<Self::Tag>, j: u64);
}

/// [`Element::next_of_four`] of any elements, by selections and not by branches.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn next_of_four<E: Element>(head: &mut [E; 4], at: &mut [E::Cursor; 4]) {
    #[inline(always)]
    fn insert<T: Copy>(pass: [bool; 3], sorted: &mut [T; 4], fresh: T) {
        let old = *sorted;
        sorted[0] = pick(pass[0], old[1], fresh);
        sorted[1] = pick(pass[1], old[2], pick(pass[0], fresh, old[1]));
        sorted[2] = pick(pass[2], old[3], pick(pass[1], fresh, old[2]));
        sorted[3] = pick(pass[2], fresh, old[3]);
    }
    let next = if head[0].key_before(E::end()) { at[0].offset(1) } else { at[0] };
    let fresh = next.read();
    // Those that are before it, which are the first ones.
    let pass = [head[1].key_before(fresh), head[2].key_before(fresh), head[3].key_before(fresh)];
    insert(pass, head, fresh);
    insert(pass, at, next);
}

/// [`Element::next_of_two`] of any elements.
///
/// # Safety
/// As there.
#[inline(always)]
unsafe fn next_of_two<E: Element>(head: &mut [E; 2], at: &mut [E::Cursor; 2]) {
    let next = if head[0].key_before(E::end()) { at[0].offset(1) } else { at[0] };
    let fresh = next.read();
    let pass = head[1].key_before(fresh);
    *head = [pick(pass, head[1], fresh), pick(pass, fresh, head[1])];
    *at = [pick(pass, at[1], next), pick(pass, next, at[1])];
}

/// A key alone. The type of its tag stands for none.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Bare<K>(pub K);

impl<K: Key> Order for Bare<K> {
    #[inline(always)]
    fn before(self, other: Self) -> bool {
        self.0.before(other.0)
    }
}
impl<K: Key> Cursor<Bare<K>> for SharedCursor<K> {
    #[inline(always)]
    #[track_caller]
    unsafe fn read(self) -> Bare<K> {
        Bare(SharedCursor::read(self))
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
impl<K: Key> Element for Bare<K> {
    type Key = K;
    type Tag = u8;
    type View = Shared<K>;
    type Cursor = SharedCursor<K>;
    const BYTES: u32 = size_of::<K>() as u32;
    const SENTINEL: bool = K::SENTINEL.is_some();
    const TAGGED: bool = false;
    #[inline(always)]
    fn new(key: K, _: u8) -> Self {
        Bare(key)
    }
    #[inline(always)]
    fn at_position(key: K, _: u32) -> Self {
        Bare(key)
    }
    #[inline(always)]
    fn end() -> Self {
        Bare(K::pad())
    }
    #[inline(always)]
    fn key(self) -> K {
        self.0
    }
    #[inline(always)]
    fn tag(self) -> u8 {
        0
    }
    #[inline(always)]
    fn view(len: u32) -> Shared<K> {
        Shared::new(0, len)
    }
    #[inline(always)]
    fn at(view: Shared<K>, i: u32) -> SharedCursor<K> {
        view.at(i)
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn set(view: Shared<K>, i: u32, e: Self) {
        view.set(i, e.0)
    }
    // Numbers of one and two words by instructions that are chosen by hand.
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    unsafe fn next_of_four(head: &mut [Self; 4], at: &mut [SharedCursor<K>; 4]) {
        if K::TRUSTED && (size_of::<K>() == 4 || size_of::<K>() == 8) {
            // A transparent wrapper.
            SharedCursor::next_of_four(&mut *(&raw mut *head).cast::<[K; 4]>(), at)
        } else {
            next_of_four(head, at)
        }
    }
    #[cfg(target_arch = "nvptx64")]
    #[inline(always)]
    unsafe fn next_of_two(head: &mut [Self; 2], at: &mut [SharedCursor<K>; 2]) {
        if K::TRUSTED && (size_of::<K>() == 4 || size_of::<K>() == 8) {
            SharedCursor::next_of_two(&mut *(&raw mut *head).cast::<[K; 2]>(), at)
        } else {
            next_of_two(head, at)
        }
    }
    #[inline(always)]
    #[track_caller]
    unsafe fn stage(view: Shared<K>, i: u32, keys: Global<K>, _: Global<u8>, j: u64) {
        view.copy_async(i, keys, j)
    }
}
