//! Reads a piece of an array once, 16 bytes a load and several loads in flight, and hands on the few keys that are wanted.
//!
//! Warps go at their own pace. Only where a warp wants to put keys into the block's buffer and finds it full does it stop,
//! and then the whole block meets, makes room, and goes on. So what is common (a key that nobody wants) costs a load, its
//! encoding and a comparison.
use super::order::Selectable;
use crate::simt::atomic::{Atomic, Ordering};
use crate::simt::{FULL_WARP, Global, Shared, thread, warp};

/// Keys that lie one behind the other, fewer than 2^31.
#[derive(Clone, Copy)]
pub(super) struct Span<K> {
    keys: Global<K>,
    len: u32,
    /// Keys before the first multiple of 16 bytes.
    head: u32,
    /// Loads of 16 bytes from there.
    vectors: u32,
}

impl<K: Selectable> Span<K> {
    /// `len` keys.
    #[inline(always)]
    pub(super) fn new(keys: Global<K>, len: u32) -> Self {
        let size = size_of::<K>() as u32;
        let head = (keys.address() as u32).wrapping_neg() % 16 / size;
        let head = if head < len { head } else { len };
        Span { keys, len, head, vectors: (len - head) / K::PER_VECTOR as u32 }
    }
}

/// A thread's way through a span, and the keys that it holds.
pub(super) struct Window<K, const THREADS: u32, const VECTORS: usize> {
    span: Span<K>,
    words: [[u32; 4]; VECTORS],
    /// Where in the span the first key is.
    base: u32,
    /// Which of the keys are still to be put into the buffer.
    wanted: u32,
    /// The next step.
    step: u32,
    /// Steps in all.
    steps: u32,
    /// Which of the steps through whole vectors is next.
    at: u32,
    /// How far it is from one to the one after: they are taken out of order, for rows may be sorted, in the worst order for a
    /// selection: then every key would pass. Of steps far apart the first few know a good threshold. A number without a common
    /// divisor with that of the steps, so that each is taken once.
    stride: u32,
}

/// A prime number above every number of steps, about 0.618 · 2^32.
const STRIDE: u32 = 2_654_435_761;

/// A block's buffer: how much is in it, how much may be, and whether somebody found it full.
#[derive(Clone, Copy)]
pub(super) struct Buffer {
    /// Two words: elements, of which some may have found no place; whether some did.
    pub(super) words: Shared<u32>,
    /// Most elements.
    pub(super) limit: u32,
}

impl Buffer {
    /// Empties it but for `kept` elements. One thread calls it, between two barriers.
    ///
    /// # Safety
    /// The view holds two words.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn reset(self, kept: u32) {
        self.words.set(0, kept);
        self.words.set(1, 0);
    }
    /// Elements in it, behind a barrier.
    ///
    /// # Safety
    /// As [`Buffer::reset`].
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn filled(self) -> u32 {
        let count = self.words.get(0);
        if count < self.limit { count } else { self.limit }
    }
    /// Whether more are waiting, behind a barrier.
    ///
    /// # Safety
    /// As [`Buffer::reset`].
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn overflowed(self) -> bool {
        self.words.get(1) != 0
    }
}

impl<K: Selectable, const THREADS: u32, const VECTORS: usize> Window<K, THREADS, VECTORS> {
    /// The start of a span. Threads are at least as many as there are keys outside of whole vectors, below 32.
    #[inline(always)]
    pub(super) fn new(span: Span<K>) -> Self {
        const { assert!(K::PER_VECTOR * VECTORS <= 32 && THREADS >= 32) }
        let whole = span.vectors.div_ceil(THREADS * VECTORS as u32);
        let stride = if whole > 0 { STRIDE % whole } else { 0 };
        Window { span, words: [[0; 4]; VECTORS], base: 0, wanted: 0, step: 0, steps: 1 + whole, at: 0, stride }
    }

    /// Whether all keys were loaded.
    #[inline(always)]
    pub(super) fn is_done(&self) -> bool {
        self.step == self.steps
    }

    /// Loads the next step's keys, all of which are then wanted.
    ///
    /// # Safety
    /// The span's keys are there, and the window is not [done](Window::is_done).
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn load(&mut self) {
        let t = thread::thread_idx_x();
        let Span { keys, len, head, vectors } = self.span;
        let n = K::PER_VECTOR as u32;
        self.wanted = 0;
        if self.step == 0 {
            // What lies outside of whole vectors, a key to a thread.
            let outside = len - vectors * n;
            self.base = if t < head { t } else { t + vectors * n };
            if t < outside {
                self.words[0] = keys.get(self.base as u64).to_words();
                self.wanted = 1;
            }
        } else {
            let first = self.at * (THREADS * VECTORS as u32);
            let (next, whole) = (self.at + self.stride, self.steps - 1);
            self.at = if next < whole { next } else { next - whole };
            self.base = head + (first + t) * n;
            let source = keys.offset(head as u64).cast::<u32>().offset(4 * (first + t) as u64);
            let all = ((1u64 << n) - 1) as u32;
            if first + THREADS * VECTORS as u32 <= vectors {
                for u in 0..VECTORS {
                    self.words[u] = source.get_vector::<4>((4 * u as u32 * THREADS) as u64);
                    self.wanted |= all << (u as u32 * n);
                }
            } else {
                for u in 0..VECTORS {
                    if first + t + u as u32 * THREADS < vectors {
                        self.words[u] = source.get_vector::<4>((4 * u as u32 * THREADS) as u64);
                        self.wanted |= all << (u as u32 * n);
                    }
                }
            }
        }
        self.step += 1;
    }

    /// The first in order of the keys held, wanted or not.
    #[inline(always)]
    fn first(&self, codec: K::Codec) -> K {
        let mut first = K::of_words(self.words[0], 0).encode(codec);
        for u in 0..VECTORS {
            for i in 0..K::PER_VECTOR {
                let key = K::of_words(self.words[u], i).encode(codec);
                first = if key.before(first) { key } else { first };
            }
        }
        first
    }

    /// Calls a function with each wanted key, encoded, and its position; wanted stay those of which it says so.
    ///
    /// # Safety
    /// As the function says.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn retain(&mut self, codec: K::Codec, mut keep: impl FnMut(K, u32) -> bool) {
        for u in 0..VECTORS {
            for i in 0..K::PER_VECTOR {
                let bit = 1 << (u * K::PER_VECTOR + i);
                if self.wanted & bit != 0 {
                    let at = self.base + u as u32 * THREADS * K::PER_VECTOR as u32 + i as u32;
                    if !keep(K::of_words(self.words[u], i).encode(codec), at) {
                        self.wanted &= !bit;
                    }
                }
            }
        }
    }

    /// Goes on through the span until it is done or the buffer is full. `may` says of the first of several keys, the first of
    /// which stands at a position, whether one of them may pass; `passes` says so of one; `put` puts one to its place.
    ///
    /// Keys that found no place stay wanted, to be asked about anew next time.
    ///
    /// # Safety
    /// All lanes of the warp call it; the span's keys are there; the block synchronises before it looks at the buffer.
    #[inline(always)]
    #[track_caller]
    pub(super) unsafe fn advance(
        &mut self,
        codec: K::Codec,
        buffer: Buffer,
        may: impl Fn(K, u32) -> bool,
        passes: impl Fn(K, u32) -> bool,
        put: impl Fn(u32, K, u32),
    ) {
        loop {
            if !warp::warp_vote_any(FULL_WARP, self.wanted != 0) {
                if self.is_done() {
                    return;
                }
                self.load();
                if !warp::warp_vote_any(FULL_WARP, may(self.first(codec), self.base)) {
                    self.wanted = 0;
                    continue;
                }
            }
            self.retain(codec, &passes);
            let count = self.wanted.count_ones();
            if count > 0 {
                let mut place = buffer.words.fetch_add(0, count, Ordering::Relaxed);
                self.retain(codec, |key, at| {
                    let full = place >= buffer.limit;
                    if !full {
                        put(place, key, at);
                        place += 1;
                    }
                    full
                });
                if self.wanted != 0 {
                    buffer.words.fetch_or(1, 1, Ordering::Relaxed);
                }
            }
            if warp::warp_vote_any(FULL_WARP, self.wanted != 0) {
                return;
            }
        }
    }
}
