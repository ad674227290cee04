//! Where the keys of each chunk go: what a stable scatter must know beforehand.
use super::tables::Level;
use crate::simt::{Global, Shared, WARP, thread};

/// Threads of a block.
pub const THREADS: u32 = 256;
/// Chunks that a thread reads at a time.
const AT_ONCE: usize = 8;
/// Bytes of shared memory of a block.
pub const SHARED_BYTES: u32 = 8 * THREADS;

/// Replaces how many keys of each bucket a chunk has, a row of `bases` for each, by where they begin: behind those of the chunks
/// of its segment before it. `rows` has where the buckets begin.
///
/// A block takes 32 buckets of a segment, a warp a part of its chunks.
///
/// # Safety
/// A block has [`THREADS`] threads and [`SHARED_BYTES`]; the tables are those of the level.
#[inline(always)]
pub unsafe fn bases(level: Level, bits: u32, rows: Global<u64>, bases: Global<u64>) {
    if level.is_void() {
        return;
    }
    let t = thread::thread_idx_x();
    let (lane, warp, warps) = (t % WARP, t / WARP, THREADS / WARP);
    let buckets = 1u32 << bits;
    let groups = buckets.div_ceil(WARP);
    let sums = Shared::<u64>::new(0, THREADS);
    let units = level.segment_count() * groups;
    let mut unit = thread::block_idx_x();
    while unit < units {
        let s = unit / groups;
        let b = unit % groups * WARP + lane;
        let segment = level.segments.get(s);
        let each = segment.chunks.div_ceil(warps);
        let from = each * warp;
        let left = segment.chunks.saturating_sub(from);
        let mine = if left < each { left } else { each };
        let first = (segment.first_chunk + from) as u64;
        // Several at a time, for each is far away.
        let totals = |i: u32| {
            let mut v = [0; AT_ONCE];
            for j in 0..AT_ONCE {
                if i + (j as u32) < mine {
                    v[j] = bases.get((first + (i + j as u32) as u64) * buckets as u64 + b as u64);
                }
            }
            v
        };
        let mut sum = 0;
        if b < buckets {
            let mut i = 0;
            while i < mine {
                sum += totals(i).iter().sum::<u64>();
                i += AT_ONCE as u32;
            }
        }
        sums.set(t, sum);
        thread::sync_threads();
        if b < buckets {
            let mut place = rows.get(s as u64 * buckets as u64 + b as u64);
            let mut w = 0;
            while w < warp {
                place += sums.get(w * WARP + lane);
                w += 1;
            }
            let mut i = 0;
            while i < mine {
                let v = totals(i);
                for j in 0..AT_ONCE {
                    if i + (j as u32) < mine {
                        bases.set((first + (i + j as u32) as u64) * buckets as u64 + b as u64, place);
                        place += v[j];
                    }
                }
                i += AT_ONCE as u32;
            }
        }
        // The sums are used again.
        thread::sync_threads();
        unit += thread::grid_dim_x();
    }
}
