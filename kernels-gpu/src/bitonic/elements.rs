//! The elements of a tile as elements of a warp's network.
use crate::network::Shuffle;
use crate::order::Key;
use crate::simt::{FULL_WARP, Plain, warp};
use crate::tile::element::{Bare, Element};
use crate::tile::tagged::{Packed, Tagged};

impl<K: Key> Shuffle for Bare<K> {
    const ALIKE: bool = K::ALIKE;
    #[inline(always)]
    #[track_caller]
    fn shuffle_xor(self, mask: u32) -> Self {
        Bare(self.0.shuffle_xor(mask))
    }
}

impl<K, W> Shuffle for Packed<K, W>
where
    Packed<K, W>: Element + Plain,
{
    // A word, compared as such.
    const ALIKE: bool = true;
    #[inline(always)]
    #[track_caller]
    fn shuffle_xor(self, mask: u32) -> Self {
        warp::warp_shuffle_xor(FULL_WARP, self, mask)
    }
}

impl<K: Key> Shuffle for Tagged<K> {
    // Tags break ties, but they do not make an order of a comparison that is none.
    const ALIKE: bool = K::ALIKE;
    #[inline(always)]
    #[track_caller]
    fn shuffle_xor(self, mask: u32) -> Self {
        Tagged::new(self.key().shuffle_xor(mask), self.tag().shuffle_xor(mask))
    }
}
