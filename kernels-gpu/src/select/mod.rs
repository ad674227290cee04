//! Selection: the first k of many keys, of an array or of each row of a matrix, and the key of a given rank.
//!
//! Elements are ordered by their encoded key and, where keys tie, by their index. So no two are equal, the first k are one
//! certain set in one certain order, and ties need no care of their own. "Largest first" is the codec's business.
//!
//! | room | what it does | when |
//! |---|---|---|
//! | [`narrow`] | several rows a block, each sorted in shared memory | rows that fit there |
//! | [`stream`] | a block walks a row once and keeps the best so far | wider rows; few wide ones in slices, by several blocks |
//! | [`pivot`], [`filter`], [`emit`] | a sample's pivot, one pass that keeps what is not after it, a sort of what was kept | many of an array |
//! | [`radix`] | counts digits from the top, until the key of a rank is known | a rank alone; where a sample misled |
//! | [`exchange`] | brings the first k to the front of their array | partial sorts |
//!
//! `window` is what the passes that read an array once have in common, [`order`](mod@order) what keys can do here.
pub mod emit;
pub mod exchange;
pub mod filter;
pub mod narrow;
pub mod order;
pub mod pivot;
pub mod radix;
mod segments;
pub mod state;
pub mod stream;
mod window;

use crate::simt::Global;
use order::Selectable;

/// The rows that a selection reads.
#[derive(Clone, Copy)]
pub struct Input<K> {
    /// Their keys.
    pub keys: Global<K>,
    /// The index of each key, or null: then it is the key's position in its row.
    pub indices: Global<u64>,
    /// Rows.
    pub rows: u64,
    /// Keys of a row.
    pub columns: u64,
    /// Keys, and indices, from the start of a row to that of the next.
    pub stride: u64,
}

/// Where a selection's results go.
#[derive(Clone, Copy)]
pub struct Output<K> {
    /// Keys.
    pub values: Global<K>,
    /// Indices: 64-bit words where `wide` is not 0, else 32-bit ones.
    pub indices: Global<u64>,
    /// Which.
    pub wide: u32,
    /// Results from the start of a row to that of the next.
    pub stride: u64,
}

impl<K: Selectable> Output<K> {
    /// Sets result `i`.
    ///
    /// # Safety
    /// The arrays have room for it.
    #[inline(always)]
    #[track_caller]
    unsafe fn set(self, i: u64, value: K, index: u64) {
        self.values.set(i, value);
        if self.wide != 0 {
            self.indices.set(i, index);
        } else {
            self.indices.cast::<u32>().set(i, index as u32);
        }
    }
}
