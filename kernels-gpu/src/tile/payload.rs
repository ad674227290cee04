//! What travels with a key: nothing ([`Keys`]) or a payload ([`Pairs`]).
use super::element::{Bare, Element};
use super::paired::Paired;
use crate::order::Key;
use crate::simt::Plain;
use core::marker::PhantomData;

/// What travels with keys of type `K`, and the elements that carry it.
pub trait Payload<K: Key> {
    /// The payload's type in memory.
    type Item: Plain;
    /// What the tile sort moves.
    type Sorted: Element<Key = K>;
    /// What a k-way merge moves.
    type Merged: Element<Key = K, Tag = Self::Item>;
    /// Whether there is a payload.
    const PRESENT: bool;
    /// The position as a payload: what argsort sorts along.
    fn from_position(position: u64) -> Self::Item;
    /// The position in the tile that an element was made with; 0 where there is no payload.
    fn position(element: Self::Sorted) -> u32;
}

/// Keys alone.
pub struct Keys;
impl<K: Key> Payload<K> for Keys {
    type Item = u8;
    type Sorted = K::Sorted;
    type Merged = Bare<K>;
    const PRESENT: bool = false;
    #[inline(always)]
    fn from_position(_: u64) -> u8 {
        0
    }
    #[inline(always)]
    fn position(_: K::Sorted) -> u32 {
        0
    }
}

/// Keys with a payload of type `T`.
pub struct Pairs<T>(PhantomData<T>);

/// A payload that kernels move: an unsigned integer as wide as the payload.
pub trait Item: Plain {
    /// The position as a payload.
    fn from_position(position: u64) -> Self;
}
impl Item for u32 {
    #[inline(always)]
    fn from_position(position: u64) -> u32 {
        position as u32
    }
}
impl Item for u64 {
    #[inline(always)]
    fn from_position(position: u64) -> u64 {
        position
    }
}

impl<K: Key, T: Item> Payload<K> for Pairs<T> {
    type Item = T;
    type Sorted = K::Tagged;
    type Merged = Paired<K, T>;
    const PRESENT: bool = true;
    #[inline(always)]
    fn from_position(position: u64) -> T {
        T::from_position(position)
    }
    #[inline(always)]
    fn position(element: K::Tagged) -> u32 {
        element.tag()
    }
}
