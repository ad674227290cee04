//! The element of a rank, digit by digit from the top: counts how many of those that agree with the digits known so far have
//! which next digit, and thus knows one digit more.
//!
//! It takes as many reads of the array as there are digits, but no luck: it finds ranks where no sample is at hand, and the
//! last of the first k where a sample misled. Launches where it is not needed return at once.
use super::order::{Selectable, Wide};
use super::state::{self, INDEX, KEY, RANK, has_failed};
use super::window::{Span, Window};
use crate::sample::scan::exclusive_sum;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{Global, Shared, WARP, thread};

/// Which digit is looked for.
#[derive(Clone, Copy)]
pub struct Digit {
    /// Its lowest bit.
    pub shift: u32,
    /// Its bits.
    pub bits: u32,
    /// Whether it is one of the index, of which the digits are looked for once the key is known, and not of the key.
    pub of_index: u32,
}

/// Bytes of shared memory of a block that counts.
pub const fn count_bytes(bits: u32) -> u32 {
    4 << bits
}

/// Bytes of shared memory of the block that chooses.
pub const fn choose_bytes(threads: u32) -> u32 {
    threads / WARP * 8
}

/// Adds to `bins` how many keys of a block's piece, of `slice` keys, have which digit.
///
/// # Safety
/// The block has `THREADS` threads and [`count_bytes`] for `BITS`, at least the digit's; a piece has 1 to 2^30 keys; the
/// array and `2^BITS` bins are there.
#[allow(clippy::too_many_arguments)] // a kernel's parameters
#[inline(always)]
pub unsafe fn count<K: Selectable, const THREADS: u32, const VECTORS: usize, const BITS: u32>(
    keys: Global<K>,
    n: u64,
    slice: u64,
    state: Global<u64>,
    bins: Global<u64>,
    digit: Digit,
    codec: K::Codec,
) {
    if !has_failed(state) {
        return;
    }
    let t = thread::thread_idx_x();
    let counts = Shared::<u32>::new(0, 1 << BITS);
    let mut i = t;
    while i < 1 << BITS {
        counts.set(i, 0);
        i += THREADS;
    }
    let key = K::Wide::of_bits(state::key(state));
    let index = state.get(INDEX);
    let start = thread::block_idx_x() as u64 * slice;
    let left = n - start;
    let span = Span::new(keys.offset(start), (if left < slice { left } else { slice }) as u32);
    let mut window = Window::<K, THREADS, VECTORS>::new(span);
    let (from, of_index) = (digit.shift + digit.bits, digit.of_index != 0);
    thread::sync_threads();
    while !window.is_done() {
        window.load();
        window.retain(codec, |k, at| {
            let (k, at) = (k.widen(), start + at as u64);
            let agrees = if of_index { k.agrees(key, 0) && at.agrees(index, from) } else { k.agrees(key, from) };
            if agrees {
                let d = if of_index { at.digit(digit.shift, digit.bits) } else { k.digit(digit.shift, digit.bits) };
                counts.fetch_add(d as u64, 1, Ordering::Relaxed);
            }
            false
        });
    }
    thread::sync_threads();
    let mut i = t;
    while i < 1 << BITS {
        let count = counts.get(i);
        if count > 0 {
            bins.fetch_add(i as u64, count as u64, Ordering::Relaxed);
        }
        i += THREADS;
    }
}

/// Finds which digit the element of the rank has, and what rank it has among those that have the same; the bins are empty
/// then.
///
/// # Safety
/// One block of `THREADS` threads with [`choose_bytes`]; the bins are counted.
#[inline(always)]
pub unsafe fn choose<const THREADS: u32, const BITS: u32>(state: Global<u64>, bins: Global<u64>, digit: Digit) {
    const { assert!(1 << BITS >= THREADS) }
    if !has_failed(state) {
        return;
    }
    let each = (1u32 << BITS) / THREADS;
    let first = thread::thread_idx_x() * each;
    let rank = state.get(RANK);
    let mut mine = 0;
    let mut i = 0;
    while i < each {
        mine += bins.get((first + i) as u64);
        i += 1;
    }
    let mut before = exclusive_sum::<u64, THREADS>(mine, Shared::new(0, THREADS / WARP));
    let mut i = 0;
    while i < each {
        let bin = (first + i) as u64;
        let count = bins.get(bin);
        if before <= rank && rank < before + count {
            state.set(RANK, rank - before);
            if digit.of_index != 0 {
                state.set(INDEX, state.get(INDEX) | bin << digit.shift);
            } else {
                let key = state::key(state) | (bin as u128) << digit.shift;
                state.set(KEY, key as u64);
                state.set(KEY + 1, (key >> 64) as u64);
            }
        }
        bins.set(bin, 0);
        before += count;
        i += 1;
    }
}

/// Writes the key that was found.
///
/// # Safety
/// One thread; all digits of the key are known, and `value` has room for it.
#[inline(always)]
pub unsafe fn tell<K: Selectable>(state: Global<u64>, value: Global<K>, codec: K::Codec) {
    if thread::thread_idx_x() == 0 {
        value.set(0, K::narrow(K::Wide::of_bits(state::key(state))).decode(codec));
    }
}
