//! Keys and what they carry in two planes of shared memory: no padding between, and the keys alone are what a search
//! reads.
use crate::simt::{Global, Plain, Shared};
use core::cmp::Ordering;

/// A plane of keys, then a plane of tags.
#[derive(Clone, Copy)]
pub struct Planes<K, T> {
    keys: Shared<K>,
    tags: Shared<T>,
}

/// A position in [`Planes`], carried as an index: both addresses follow from it in one instruction each, where two
/// addresses would have to be selected and moved along together.
#[derive(Clone, Copy)]
pub struct PlanesCursor<K, T> {
    planes: Planes<K, T>,
    index: u32,
}

impl<K: Plain, T: Plain> Planes<K, T> {
    /// Bytes of an element.
    pub const BYTES: u32 = (size_of::<K>() + size_of::<T>()) as u32;

    /// The planes of `len` elements at the start of shared memory. The wider type comes first, so both are aligned.
    #[inline(always)]
    pub fn new(len: u32) -> Self {
        let (k, t) = (size_of::<K>() as u32, size_of::<T>() as u32);
        let (keys, tags) = if k >= t { (0, k * len) } else { (t * len, 0) };
        Planes { keys: Shared::new(keys, len), tags: Shared::new(tags, len) }
    }
    /// Position `i`.
    #[inline(always)]
    pub fn at(self, i: u32) -> PlanesCursor<K, T> {
        PlanesCursor { planes: self, index: i }
    }
    /// Sets element `i`.
    ///
    /// # Safety
    /// As [`Shared::set`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn set(self, i: u32, key: K, tag: T) {
        self.keys.set(i, key);
        self.tags.set(i, tag);
    }
    /// Starts to copy element `j` of both arrays to element `i`.
    ///
    /// # Safety
    /// As [`Shared::copy_async`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn copy_async(self, i: u32, keys: Global<K>, tags: Global<T>, j: u64) {
        self.keys.copy_async(i, keys, j);
        self.tags.copy_async(i, tags, j);
    }
}

impl<K: Plain, T: Plain> PlanesCursor<K, T> {
    /// The key and the tag here.
    ///
    /// # Safety
    /// As [`Shared::get`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn read(self) -> (K, T) {
        (self.planes.keys.get(self.index), self.planes.tags.get(self.index))
    }
    /// The key here.
    ///
    /// # Safety
    /// As [`Shared::get`].
    #[inline(always)]
    #[track_caller]
    pub unsafe fn read_key(self) -> K {
        self.planes.keys.get(self.index)
    }
    /// `n` elements further.
    #[inline(always)]
    pub fn offset(self, n: u32) -> Self {
        PlanesCursor { index: self.index.wrapping_add(n), ..self }
    }
}

impl<K, T> PartialEq for PlanesCursor<K, T> {
    #[inline(always)]
    fn eq(&self, other: &Self) -> bool {
        self.index == other.index
    }
}
impl<K, T> PartialOrd for PlanesCursor<K, T> {
    #[inline(always)]
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        self.index.partial_cmp(&other.index)
    }
    #[inline(always)]
    fn lt(&self, other: &Self) -> bool {
        self.index < other.index
    }
    #[inline(always)]
    fn le(&self, other: &Self) -> bool {
        self.index <= other.index
    }
    #[inline(always)]
    fn ge(&self, other: &Self) -> bool {
        self.index >= other.index
    }
}
