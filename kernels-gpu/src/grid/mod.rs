//! McGridsort: a k-way merge by small grids that are sorted along several axes, and what it is measured against.
//!
//! An engine merges k sorted streams, k at most its number `N` of lanes (16 or 32; 4 and 8 serve tests). Most hold an
//! `N`×`N` grid, fed by one stream a column at first: every round takes the `B` smallest elements from a fixed set of
//! candidate cells, writes them out, reads as many from the streams that they came from, and restores the order of the
//! grid. `docs/mcgridsort.md` says what that order is and why it is enough.
//!
//! | engine | state | a round emits |
//! |---|---|---|
//! | [`naive`] | the fronts of the streams, one a lane | 1, the minimum over the lanes |
//! | [`single`] | a grid in shared memory, restored by [`restore`]: three axes, two, or incrementally | `B` ≤ `N` |
//! | [`pair`] | the same with two warps for one grid | `B` ≤ `N` |
//! | [`several`] | the same, but a sort of more candidates serves two or four extractions | 2·`N`, 4·`N` |
//! | [`gridless`] | a sorted list of `N`·`N` | `N` |
//! | [`plain`] | `N`·`N` elements in registers, sorted anew | `N` |
//!
//! All share one signature: a [`Job`] names the arrays and cuts the work into pieces; a team of `N` neighbouring lanes
//! (two warps in [`pair`]) merges one piece. Pieces come from an exact k-way cut
//! ([`partition`](crate::kway::partition)), by way of [`pieces`], so any engine merges any size on the whole GPU.
//!
//! An element in flight is a key with the number of its stream, compared in this order: ties go to the stream of lower
//! number, hence merges are stable. Positions need not travel: elements of a stream leave in its order, so the i-th that
//! leaves is its i-th, and its payload is fetched by that position. What fills the grid once streams are dry has a number
//! behind all streams: it never goes before an element, whatever the keys, and is never written.
pub mod candidates;
#[cfg(not(target_arch = "nvptx64"))]
pub mod engine;
pub mod gridless;
pub mod invariant;
pub mod job;
pub mod naive;
pub mod pair;
pub mod pieces;
pub mod plain;
pub mod restore;
pub mod several;
pub mod single;
mod streams;
pub mod team;

pub use job::Job;

/// Parts of an engine that a kernel for timing leaves out. Its result is wrong; the time it saves is that part's.
pub mod omit {
    /// Leaves nothing out.
    pub const NOTHING: u32 = 0;
    /// The grid is not restored; where there is no grid, the list is not merged or sorted.
    pub const RESTORATION: u32 = 1;
    /// The candidates are not sorted.
    pub const EXTRACTION: u32 = 2;
    /// Replacements are made up instead of read.
    pub const REFILL: u32 = 4;
}
