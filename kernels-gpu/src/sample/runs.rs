//! Input that is a few sorted runs, one behind the other, is merged: the k-way pass's kernels take the runs as a merge of many
//! takes its inputs, from a table.
use super::tables::{DESCENTS, RUNS, STATE, state};
use crate::kway::inputs::{Table, WORDS};
use crate::simt::{FULL_WARP, Global, thread, warp};

/// Where elements lie that runs are cut from.
#[derive(Clone, Copy)]
pub struct Array {
    /// The first; null where there are none, or are positions.
    pub start: Global<u8>,
    /// Bytes of an element.
    pub bytes: u32,
}

impl Array {
    #[inline(always)]
    fn at(self, position: u64) -> u64 {
        if self.start.is_null() { 0 } else { self.start.address() + position * self.bytes as u64 }
    }
}

/// Writes the table of the runs that [`look`](super::look::look) found, or one of nothing where it found something else.
///
/// A lane of the first half of the warp makes an entry: that of the run which begins where a descent was noted, or of the first
/// run, or of one that has no elements and begins at the end.
///
/// # Safety
/// One block of a warp; the counters and `starts` are what was left of a look at `n` keys, and `table` has room for [`RUNS`]
/// inputs.
#[inline(always)]
pub unsafe fn table_of_runs(
    counters: Global<u32>,
    starts: Global<u64>,
    table: Global<u64>,
    n: u64,
    keys: Array,
    payloads: Array,
) {
    let lane = thread::thread_idx_x();
    if counters.get(STATE as u64) != state::RUNS {
        if lane == 0 {
            Table::new(table).clear();
        }
        return;
    }
    let descents = counters.get(DESCENTS as u64);
    let start = if lane < descents {
        starts.get(lane as u64)
    } else if lane == descents {
        0
    } else {
        n
    };
    // Its run's number, and where the next begins.
    let (mut run, mut end) = (0, n);
    for other in 0..RUNS {
        let theirs = warp::warp_shuffle_idx(FULL_WARP, start, other);
        run += (theirs < start || (theirs == start && other < lane)) as u32;
        end = if theirs > start && theirs < end { theirs } else { end };
    }
    if lane < RUNS {
        let words = [keys.at(start), payloads.at(start), end - start, start];
        for (word, value) in words.into_iter().enumerate() {
            table.set(run as u64 * WORDS as u64 + word as u64, value);
        }
    }
}
