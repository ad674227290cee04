//! Lower and upper bounds of many queries at once.
//!
//! A block keeps evenly spaced keys of the data, *pivots*, in shared memory: the top levels of the search, which all its
//! queries share. What lies between two pivots is as long for every query, so a warp's queries take the same steps, and
//! none has a branch. A thread searches for several queries at a time: each step waits for memory, and their waits overlap.
use super::Integers;
use crate::order::Key;
use crate::simt::{Global, Shared, thread, zeroed};

/// Pivots stand in shared memory with one slot left out after every 32: the middles of a binary search are powers of two
/// apart, and would meet in one bank.
const fn padded(i: u32) -> u32 {
    i + i / 32
}

/// Slots of shared memory that `2^bits - 1` pivots take.
const fn slots(bits: u32) -> u32 {
    padded((1 << bits) - 1)
}

/// Bytes of shared memory of a block that keeps `2^bits - 1` pivots.
pub const fn shared_bytes<K: Key>(bits: u32) -> u32 {
    slots(bits) * size_of::<K>() as u32
}

/// Sets `positions[i]` to the position in `data[..n]`, which is sorted, where query `i` belongs: before the keys that are
/// not before it, or where `upper` is not 0, behind the keys that it is not before.
///
/// Where the data is not sorted, positions are some numbers from 0 to `n`, and nothing is read out of bounds.
///
/// # Safety
/// A block has `THREADS` threads and [`shared_bytes`] of `BITS`, which is 1 to 30; any grid will do. `data` holds `n` keys,
/// `queries` and `positions` hold `m` > 0 elements, and a position has room for `n`. `positions` overlaps nothing.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn find_bounds<K: Key, const THREADS: u32, const ITEMS: usize, const BITS: u32>(
    data: Global<K>,
    n: u64,
    queries: Global<K>,
    m: u64,
    positions: Integers,
    upper: u32,
    codec: K::Codec,
) {
    let t = thread::thread_idx_x();
    let upper = upper != 0;
    // Whether the query belongs behind the key.
    let passes = |key: K, query: K| if upper { !query.before(key) } else { key.before(query) };

    // Pivot j is the last of the first (j + 1) · step keys. As step > n / 2^BITS, there are fewer than 2^BITS.
    let step = (n >> BITS) + 1;
    let count = (n / step) as u32;
    let pivots = Shared::<K>::new(0, slots(BITS));
    let mut j = t;
    while j < (1 << BITS) - 1 {
        // Slots without a pivot repeat the last one: the search may pass them all or none.
        let key = match count {
            0 => zeroed(),
            _ => data.get((if j < count { j as u64 + 1 } else { count as u64 }) * step - 1).encode(codec),
        };
        pivots.set(padded(j), key);
        j += THREADS;
    }
    thread::sync_threads();

    // Between two pivots, and behind the last, there are at most this many keys.
    let between = step - 1;
    let tile = THREADS as u64 * ITEMS as u64;
    let mut base = thread::block_idx_x() as u64 * tile;
    while base < m {
        let first = base + t as u64;
        let mut query = [zeroed::<K>(); ITEMS];
        let mut at = [0u64; ITEMS];
        for i in 0..ITEMS {
            // Threads behind the last query search for it too.
            let place = first + i as u64 * THREADS as u64;
            query[i] = queries.get_streaming(if place < m { place } else { m - 1 }).encode(codec);
        }
        for i in 0..ITEMS {
            let start = pivots.at(0);
            let mut cursor = start;
            for d in 0..BITS {
                // Padded places add up: `half` is a power of two, and what came before is a multiple of 2 · half.
                let half = 1 << (BITS - 1 - d);
                if passes(cursor.offset(padded(half - 1)).read(), query[i]) {
                    cursor = cursor.offset(padded(half));
                }
            }
            let slot = cursor.distance(start);
            let passed = slot - slot / 33;
            let behind = (if passed < count { passed } else { count }) as u64 * step;
            // The window begins earlier where it would end behind the data: the query passes what that adds.
            at[i] = if behind < n - between { behind } else { n - between };
        }
        // The bound is one of at[i] ..= at[i] + len, which is within the data.
        let mut len = between;
        while len > 0 {
            let half = len - len / 2;
            for i in 0..ITEMS {
                let key = data.get(at[i] + half - 1).encode(codec);
                at[i] += if passes(key, query[i]) { half } else { 0 };
            }
            len /= 2;
        }
        for i in 0..ITEMS {
            let place = first + i as u64 * THREADS as u64;
            if place < m {
                positions.set(place, at[i]);
            }
        }
        base += thread::grid_dim_x() as u64 * tile;
    }
}
