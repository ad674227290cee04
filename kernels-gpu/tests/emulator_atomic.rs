//! Atomic operations of the emulator: the values they give, on global and shared memory, in 32 and 64 bits.
#![allow(clippy::undocumented_unsafe_blocks)] // Every access to device memory is unsafe.
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::simt::atomic::{Atomic, Ordering::*};
use gridsort_kernels::simt::emulator;
use gridsort_kernels::simt::thread::*;
use gridsort_kernels::simt::{Shared, Word};
use std::fmt::Debug;

/// One thread carries out every operation and holds it against plain arithmetic.
unsafe fn alone<T: Word + Debug>(m: impl Atomic<T>, i: u64, a: u64, b: u64) {
    let (a, b) = (T::from_u64(a), T::from_u64(b));
    let sum = T::from_u64(a.to_u64().wrapping_add(b.to_u64()));
    let reset = || unsafe { m.store(i, a, Relaxed) };
    unsafe {
        m.store(i, a, Release);
        assert_eq!(m.load(i, Acquire), a);
        assert_eq!((m.fetch_add(i, b, AcqRel), m.load(i, Relaxed)), (a, sum));
        reset();
        assert_eq!((m.fetch_min(i, b, Relaxed), m.load(i, Relaxed)), (a, a.min(b)));
        reset();
        assert_eq!((m.fetch_max(i, b, Acquire), m.load(i, Relaxed)), (a, a.max(b)));
        reset();
        assert_eq!((m.fetch_or(i, b, Release), m.load(i, Relaxed).to_u64()), (a, a.to_u64() | b.to_u64()));
        reset();
        assert_eq!((m.exchange(i, b, Relaxed), m.load(i, Relaxed)), (a, b));
        reset();
        assert_eq!((m.compare_exchange(i, a, b, Relaxed), m.load(i, Relaxed)), (a, b));
        let no = T::from_u64(b.to_u64() ^ 1);
        assert_eq!((m.compare_exchange(i, no, a, AcqRel), m.load(i, Relaxed)), (b, b));
    }
}

#[test]
fn values() {
    let pairs = [(0, 0), (3, 9), (9, 3), (u64::MAX, 1), (1 << 63, 1 << 31), (0x1234_5678_9abc_def0, 0xff)];
    for (a, b) in pairs {
        let buffer = Buffer::of(&[0; 8]);
        let (g32, g64) = (buffer.global::<u32>(), buffer.global::<u64>().offset(2));
        emulator::run("values", shape(1, 1, 64), &plain(), || unsafe {
            alone(g32, 1, a, b);
            alone(g64, 1, a, b);
            alone(Shared::<u32>::new(0, 4), 3, a, b);
            alone(Shared::<u64>::new(16, 4), 2, a, b);
        })
        .unwrap_or_else(|e| panic!("{e}"));
        let words = buffer.words();
        assert_eq!((words[1], words[6], words[7]), (b as u32, b as u32, (b >> 32) as u32));
    }
}

#[test]
fn all_threads_at_once() {
    for config in configs() {
        let buffer = Buffer::of(&[0, u32::MAX, 0, 0, 0, 0]);
        let (g, sum) = (buffer.global::<u32>(), buffer.global::<u64>());
        emulator::run("all", shape(7, 96, 8), &config, || unsafe {
            let id = block_idx_x() * 96 + thread_idx_x();
            let s = Shared::<u32>::new(0, 2);
            if thread_idx_x() == 0 {
                s.store(0, 0, Relaxed);
                s.set(1, 0);
            }
            sync_threads();
            let ticket = s.fetch_add(0, 1, Relaxed);
            s.fetch_max(1, ticket, Relaxed);
            g.fetch_max(0, id, Relaxed);
            g.fetch_min(1, id + 5, Relaxed);
            sum.fetch_add(1, id as u64, Relaxed);
            // A counter made of compare-exchange.
            let mut seen = g.load(4, Relaxed);
            loop {
                let before = g.compare_exchange(4, seen, seen + 1, Relaxed);
                if before == seen {
                    break;
                }
                seen = before;
            }
            sync_threads();
            assert_eq!((s.get(0), s.load(1, Relaxed)), (96, 95));
        })
        .unwrap_or_else(|e| panic!("{e}"));
        let n = 7 * 96;
        assert_eq!(buffer.words()[..5], [n - 1, 5, n * (n - 1) / 2, 0, n]);
    }
}
