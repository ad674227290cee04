//! Takes the barriers, of blocks and of warps, and the waits for copies out of a kernel, one at a time: the emulator must
//! report each that is missing.
#![cfg(feature = "mutate")]
#![allow(clippy::undocumented_unsafe_blocks)] // Every access to device memory is unsafe.
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::simt::emulator::{self, FaultKind, mutate};
use gridsort_kernels::simt::thread::*;
use gridsort_kernels::simt::warp::sync_warp;
use gridsort_kernels::simt::{FULL_WARP, Global, Shared};

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

/// Reverses each warp's words, twice: only its lanes need each other.
unsafe fn reverse_by_warp(g: Global<u32>) {
    let s = Shared::<u32>::new(0, 64);
    let (t, i) = (thread_idx_x(), (block_idx_x() * 64 + thread_idx_x()) as u64);
    unsafe {
        s.copy_async(t, g, i);
        async_copies_done();
        sync_warp(FULL_WARP);
        let x = s.get(t ^ 31);
        sync_warp(FULL_WARP);
        s.set(t, x);
        sync_warp(FULL_WARP);
        g.set(i, s.get(t ^ 31));
    }
}

/// What each line with a call, and nothing else, is missed as.
fn check(call: &str, lines: usize, kernel: unsafe fn(Global<u32>), expected: FaultKind) {
    let words: Vec<u32> = (0..256).collect();
    let run = || {
        let buffer = Buffer::of(&words);
        let g = buffer.global();
        emulator::run("reverse", shape(4, 64, 256), &Default::default(), || unsafe { kernel(g) })
            .map(|()| assert_eq!(buffer.words(), words))
    };
    run().unwrap();
    let source = include_str!("emulator_mutate.rs");
    let barriers = source.lines().enumerate().filter(|(_, l)| l.trim() == call);
    let mut count = 0;
    for (i, _) in barriers {
        let skipped = mutate::skip_barrier_at("emulator_mutate.rs", i as u32 + 1);
        assert_eq!(run().unwrap_err().kind, expected, "line {}", i + 1);
        drop(skipped);
        count += 1;
    }
    assert_eq!(count, lines);
    run().unwrap();
}

#[test]
fn every_barrier_is_missed() {
    check("sync_threads();", 3, reverse, FaultKind::Race);
}

#[test]
fn every_barrier_of_a_warp_is_missed() {
    check("sync_warp(FULL_WARP);", 3, reverse_by_warp, FaultKind::Race);
}

#[test]
fn every_wait_for_copies_is_missed() {
    check("async_copies_done();", 1, reverse_by_warp, FaultKind::CopyInFlight);
}
