//! Takes the barriers out of a kernel, one at a time: the emulator must report each that is missing.
#![cfg(feature = "mutate")]
#![allow(clippy::undocumented_unsafe_blocks)] // Every access to device memory is unsafe.
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::simt::emulator::{self, FaultKind, mutate};
use gridsort_kernels::simt::thread::*;
use gridsort_kernels::simt::{Global, Shared};

/// Reverses each block's words, twice.
unsafe fn reverse(g: Global<u32>) {
    let s = Shared::<u32>::new(0, 64);
    let (t, i) = (thread_idx_x(), (block_idx_x() * 64 + thread_idx_x()) as u64);
    unsafe {
        s.set(t, g.get(i));
        sync_threads();
        let x = s.get(63 - t);
        sync_threads();
        s.set(t, x);
        sync_threads();
        g.set(i, s.get(63 - t));
    }
}

#[test]
fn every_barrier_is_missed() {
    let words: Vec<u32> = (0..256).collect();
    let run = || {
        let buffer = Buffer::of(&words);
        let g = buffer.global();
        emulator::run("reverse", shape(4, 64, 256), &Default::default(), || unsafe { reverse(g) })
            .map(|()| assert_eq!(buffer.words(), words))
    };
    run().unwrap();
    let source = include_str!("emulator_mutate.rs");
    let barriers = source.lines().enumerate().filter(|(_, l)| l.trim() == "sync_threads();");
    let mut count = 0;
    for (i, _) in barriers {
        let skipped = mutate::skip_barrier_at("emulator_mutate.rs", i as u32 + 1);
        assert_eq!(run().unwrap_err().kind, FaultKind::Race, "line {}", i + 1);
        drop(skipped);
        count += 1;
    }
    assert_eq!(count, 3);
    run().unwrap();
}
