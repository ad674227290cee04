//! Sample sort: keys are thrown into buckets by splitters drawn from a sample, level by level, until a bucket fits a block,
//! which sorts it.
//!
//! After the textbook's pipeline (bucket, histogram, scan, rank, scatter; as the text tells it in [`chapter`]) and after the
//! sample sorts of Leischner, Osipov and Sanders (GPU sample sort, 2010) and of Axtmann, Witt, Ferizovic and Sanders (in-place
//! parallel super scalar samplesort, 2017), from whom equality buckets come. Memory is touched a fixed few times: each level
//! reads keys once to count and once to move them, where a merge sort's passes grow with log n.
//!
//! First [`look`] finds out whether there is anything to sort, or sorted [`runs`] that need only be merged, or keys that fall, which
//! [`turn`] turns around. A level is a few launches over all its *segments* (the first
//! level has one, the next ones the buckets that were too large):
//!
//! 1. [`splitters`]: a block sorts a random sample of a segment and takes evenly spaced elements, and makes a [`guide`] into them;
//! 2. [`count`]: a segment is worked off in *chunks*; a block counts how many of a chunk's keys fall into each bucket,
//!    and notes each one's ([`places`]);
//! 3. [`offsets`]: the counts become the places where buckets begin, and every bucket is put into the list of those who
//!    go on with it: the next level's segments, a size class of the bucket sort, or a copy where all its keys are equal;
//! 4. [`scatter`]: each tile of a chunk moves its keys, taking places in the buckets as it comes. Where keys carry something
//!    their order must stay: then [`bases`] reckons beforehand where each chunk's go, and [`stable`] moves keys and the rest.
//!
//! Then buckets that fit a block are sorted as segments are, by the kernels of [`rows`](crate::rows), those of equal keys are
//! copied ([`buckets`]), and [`large`] sorts what little is left. Everything is decided on the device, in tables that [`tables`]
//! describes, so a sort is queued without waiting for any of it; launches are as large as can be needed, and blocks without
//! work return.
//!
//! Memory holds the user's bits at all times. Keys are encoded as they are read for a comparison, which costs a few
//! instructions and spares knowing which part of which array is encoded.
pub mod bases;
pub mod buckets;
pub mod cells;
pub mod chapter;
pub mod count;
pub mod guide;
pub mod large;
pub mod look;
mod marks;
pub mod offsets;
pub mod places;
pub mod runs;
pub mod scan;
pub mod scatter;
pub mod search;
pub mod splitters;
pub mod stable;
pub mod tables;
pub mod turn;
