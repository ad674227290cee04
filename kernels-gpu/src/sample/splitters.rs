//! Draws the splitters of each segment of a level.
use super::guide;
use super::search::equal_words;
use super::tables::Level;
use crate::network::Shuffle;
use crate::order::Key;
use crate::simt::{FULL_WARP, Global, WARP, thread, warp};
use crate::tile::element::{Cursor, Element};
use crate::tile::payload::{Keys, Payload};
use crate::tile::warp_sort;

/// Random bits of a number and a seed: output `i` of a SplitMix64 generator (Steele, Lea, Flood, 2014).
#[inline(always)]
fn random(seed: u64, i: u64) -> u64 {
    let mut z = seed.wrapping_add(i.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// The upper 64 bits of a product.
#[inline(always)]
fn multiply_high(a: u64, b: u64) -> u64 {
    ((a as u128 * b as u128) >> 64) as u64
}

/// Which key of segment `s` of a level, of `len` keys, a sort with this seed draws as number `i`.
#[inline(always)]
pub fn drawn(seed: u64, level: u32, s: u32, i: u32, len: u64) -> u64 {
    multiply_high(random(random(seed, ((level as u64) << 32) | s as u64), i as u64), len)
}

/// Bytes of shared memory of a block: the samples', then the guide's.
pub const fn shared_bytes<K: Key>(threads: u32, slots: u32, bits: u32) -> u32 {
    samples_bytes::<K>(threads, slots) + if K::NUMBER { guide::fill_bytes(bits, threads) } else { 0 }
}

const fn samples_bytes<K: Key>(threads: u32, slots: u32) -> u32 {
    threads * slots * <<Keys as Payload<K>>::Sorted as Element>::BYTES
}

/// Barriers of the kernel: two in the sort's rounds, one behind it and one behind its use; two of the guide, where keys are numbers.
pub const fn barriers<K: Key>() -> u32 {
    if K::NUMBER { 6 } else { 4 }
}

/// Chooses `2^BITS - 1` splitters for each segment: a block draws `THREADS * ITEMS` of its keys at random, sorts them, and
/// takes as many evenly spaced ones as make buckets of about `target` keys; the rest repeat the last.
///
/// `splitters` gets their bits, `equal` a bit for each bucket that is to take the keys which equal the splitters on both of
/// its sides, `rows` `2^BITS` zeros for each segment, `guides` a table of [`guide::words`] for each, where keys are numbers.
///
/// # Safety
/// The block has `THREADS` threads and [`shared_bytes`]; the tables have room for all segments; `src` holds them.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn choose_splitters<K: Key, const THREADS: u32, const ITEMS: usize, const SLOTS: usize, const BITS: u32>(
    src: Global<K>,
    level: Level,
    splitters: Global<K>,
    equal: Global<u32>,
    guides: Global<u32>,
    rows: Global<u64>,
    target: u32,
    seed: u64,
    codec: K::Codec,
) where
    K::Sorted: Shuffle,
{
    if level.is_void() {
        return;
    }
    let t = thread::thread_idx_x();
    let lane = t % WARP;
    let count = level.segment_count();
    let view = K::Sorted::view(THREADS * SLOTS as u32);
    let samples = THREADS * ITEMS as u32;
    let buckets = 1 << BITS;
    let mut s = thread::block_idx_x();
    let cells = samples_bytes::<K>(THREADS, SLOTS as u32);
    while s < count {
        if K::NUMBER {
            guide::clear::<BITS>(cells);
        }
        let segment = level.segments.get(s);
        let mut v = [K::Sorted::pad(0); ITEMS];
        for i in 0..ITEMS {
            let place = t / WARP * WARP * ITEMS as u32 + i as u32 * WARP + lane;
            let at = segment.start + drawn(seed, level.number, s, place, segment.len);
            v[i] = K::Sorted::at_position(src.get(at).encode(codec), place);
        }
        warp_sort::sort::<K::Sorted, THREADS, ITEMS, SLOTS>(view, v);
        thread::sync_threads();
        let wanted = segment.len.div_ceil(target as u64);
        let wanted = if wanted < buckets as u64 { wanted as u32 } else { buckets };
        let wanted = if wanted < 2 { 2 } else { wanted };
        let drawn = |i: u32| Cursor::<K::Sorted>::read(K::Sorted::at(view, i)).key();
        // Both factors are below 2^14.
        let place = |i: u32| (if i < wanted { i } else { wanted - 1 }) * samples / wanted;
        let sample = |i: u32| drawn(place(i));
        // Where splitters fill up, the last one's value has a bucket for itself between two of its repetitions. It gets it
        // where it was drawn more than once: often keys of that value would be many, and all in the last bucket.
        let last = place(wanted - 1);
        let last_is_common = wanted < buckets && !drawn(last - 1).before(drawn(last));
        let record = equal.offset(s as u64 * equal_words(BITS) as u64);
        let mut b = t;
        // Whole warps, for the vote. Bucket b lies between splitters b - 1 and b, samples b and b + 1.
        while b - lane < buckets {
            let (before, after) = (sample(b), sample(b + 1));
            let alike = (b > 0 && b + 1 < wanted && !before.before(after)) || (last_is_common && b == buckets - 2);
            let bits = warp::warp_vote_ballot(FULL_WARP, alike);
            if b + 1 < buckets {
                splitters.set(s as u64 * (buckets as u64 - 1) + b as u64, after.decode(codec));
            }
            if b < buckets {
                rows.set(s as u64 * buckets as u64 + b as u64, 0);
            }
            if lane == 0 && b / WARP < equal_words(BITS) {
                record.set((b / WARP) as u64, bits);
            }
            b += THREADS;
        }
        if K::NUMBER {
            let table = guides.offset(s as u64 * guide::words(BITS) as u64);
            guide::fill::<K, THREADS, BITS>(cells, |i| sample(i + 1), table);
        }
        // The samples stay until all have read them.
        thread::sync_threads();
        s += thread::grid_dim_x();
    }
}
