//! The emulator's checks of shared memory and barriers: kernels that commit one fault each, and correct ones.
// Kernels are unsafe; half of those here are wrong on purpose, as is the same barrier on both branches.
#![allow(clippy::undocumented_unsafe_blocks, clippy::if_same_then_else)]
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::simt::atomic::{Atomic, Ordering::Relaxed};
use gridsort_kernels::simt::emulator::{self, FaultKind};
use gridsort_kernels::simt::thread::{sync_threads, thread_idx_x};
use gridsort_kernels::simt::warp::{lane_id, sync_warp, warp_shuffle_xor};
use gridsort_kernels::simt::{FULL_WARP, Shared, WARP};
use std::hint::black_box;

fn words(len: u32) -> Shared<u32> {
    Shared::new(0, len)
}

#[test]
fn read_before_the_barrier() {
    // Thread 31 wrote word 31, which thread 32 reads: but thread 0 reads word 63 first, unwritten as yet, and thread
    // 63 then writes it.
    let line = line!() + 4;
    let fault = expect(shape(1, 64, 256), FaultKind::Race, (0, 32, line), Some((0, 31, line + 1)), || unsafe {
        let (s, t) = (words(64), thread_idx_x());

        s.set(t, t);
        black_box(s.get(63 - t));
    });
    assert!(fault.text.contains("write of shared byte 128 races with the read by thread 31"), "{fault}");
}

#[test]
fn two_writers() {
    let line = line!() + 2;
    expect(shape(1, 64, 256), FaultKind::Race, (0, 1, line), Some((0, 0, line)), || unsafe {
        words(64).set(thread_idx_x() / 2, 1);
    });
}

#[test]
fn write_after_read() {
    let line = line!() + 6;
    expect(shape(1, 64, 256), FaultKind::Race, (0, 1, line), Some((0, 0, line - 1)), || unsafe {
        let (s, t) = (words(64), thread_idx_x());
        s.set(t, t);
        sync_threads();
        let x = s.get((t + 1) % 64);
        s.set(t, x);
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn across_warps() {
    let line = line!() + 5;
    expect(shape(1, 64, 256), FaultKind::Race, (0, 32, line), Some((0, 0, line)), || unsafe {
        let (s, t) = (words(64), thread_idx_x());
        s.set(t, t);
        sync_threads();
        if lane_id() == 0 { s.set(5, t) }
    });
}

#[test]
fn shuffles_order_nothing() {
    let line = line!() + 3;
    expect(shape(1, 32, 256), FaultKind::Race, (0, 31, line + 2), Some((0, 30, line)), || unsafe {
        let (s, t) = (words(64), thread_idx_x());
        s.set(t, t);
        let x = warp_shuffle_xor(FULL_WARP, t, 1);
        black_box(s.get(t ^ 1) + x);
    });
}

#[test]
fn half_warps_read_across() {
    let line = line!() + 4;
    expect(shape(1, 32, 256), FaultKind::Race, (0, 16, line), Some((0, 0, line + 2)), || unsafe {
        let (s, t) = (words(64), thread_idx_x());
        let half = if lane_id() < 16 { 0xffff } else { 0xffff_0000 };
        s.set(t, t);
        sync_warp(half);
        black_box(s.get(t ^ 16));
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn atomic_and_plain() {
    let line = line!() + 6;
    expect(shape(1, 64, 256), FaultKind::Race, (0, 63, line), Some((0, 0, line - 1)), || unsafe {
        let (s, t) = (words(1), thread_idx_x());
        if t == 0 { s.set(0, 0) }
        sync_threads();
        s.fetch_add(0, 1, Relaxed);
        if t == 63 { black_box(s.get(0)); }
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn bytes_of_a_word() {
    let line = line!() + 4;
    let fault = expect(shape(1, 64, 64), FaultKind::Race, (0, 60, line), Some((0, 48, line + 1)), || unsafe {
        let (s, w, t) = (Shared::<u8>::new(0, 64), words(16), thread_idx_x());
        if t < 48 { s.set(t, 1) }
        if t >= 60 { s.set(t, 1) }
        if t == 48 { black_box(w.get(15)); }
    });
    assert!(fault.text.contains("write of shared byte 60"), "{fault}");
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn wide_elements() {
    for k in 0..4 {
        let line = line!() + 3;
        expect(shape(1, 64, 1024), FaultKind::Race, (0, 40, line + 1), Some((0, 3, line)), || unsafe {
            let (wide, w, t) = (Shared::<u128>::new(0, 64), words(256), thread_idx_x());
            if t == 3 { wide.set(9, 1) }
            if t == 40 { w.set(36 + k, 1) }
        });
    }
    let line = line!() + 3;
    expect(shape(1, 64, 1024), FaultKind::Race, (0, 40, line + 1), Some((0, 3, line)), || unsafe {
        let (s, t) = (words(256), thread_idx_x());
        if t == 3 { s.set_vector::<4>(8, [1; 4]) }
        if t == 40 { black_box(s.get_vector::<4>(8)); }
    });
}

#[test]
fn tree_without_sync_warp() {
    // The last steps of a tree in one warp, without sync_warp: the classic.
    let fault = emulator::run("tree", shape(1, 64, 256), &plain(), || unsafe {
        let (s, t) = (words(64), thread_idx_x());
        s.set(t, t);
        sync_threads();
        let mut d = 16;
        while t < 32 && d > 0 {
            s.set(t, s.get(t) + s.get(t + d));
            d /= 2;
        }
    });
    assert_eq!(fault.unwrap_err().kind, FaultKind::Race);
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn nothing_written() {
    let line = line!() + 5;
    expect(shape(1, 64, 256), FaultKind::Unwritten, (0, 17, line), None, || unsafe {
        let (s, t) = (words(64), thread_idx_x());
        if t != 17 { s.set(t, t) }
        sync_threads();
        black_box(s.get(t));
    });
    let line = line!() + 4;
    expect(shape(1, 32, 256), FaultKind::Unwritten, (0, 0, line), None, || unsafe {
        let t = thread_idx_x();
        if t < 2 { Shared::<u8>::new(0, 4).set(t, 1) }
        black_box(Shared::<u8>::new(0, 4).get(2));
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn the_next_block_finds_nothing_written() {
    let line = line!() + 3;
    expect(shape(2, 32, 256), FaultKind::Unwritten, (1, 0, line), None, || unsafe {
        let s = words(64);
        if gridsort_kernels::simt::thread::block_idx_x() == 1 { black_box(s.get(thread_idx_x())); }
        s.set(thread_idx_x(), 1);
    });
}

#[test]
fn outside_the_view() {
    let line = line!() + 2;
    let fault = expect(shape(1, 64, 1024), FaultKind::OutOfBounds, (0, 63, line), None, || unsafe {
        words(64).set(thread_idx_x() + 1, 0);
    });
    assert!(fault.text.contains("element 64, but the view at byte 0 has 64 elements of 4 bytes"), "{fault}");
    let line = line!() + 2;
    expect(shape(1, 1, 1024), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        words(64).at(64).write(0);
    });
    let line = line!() + 2;
    let fault = expect(shape(1, 1, 1024), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        black_box(Shared::<u64>::new(512, 8).at(2).offset(0u32.wrapping_sub(3)).read());
    });
    assert!(fault.text.contains("element -1"), "{fault}");
    // An index whose address wraps round into the view.
    let line = line!() + 2;
    expect(shape(1, 1, 1024), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        words(64).set(1 << 30, 0);
    });
}

#[test]
fn outside_the_block() {
    let line = line!() + 2;
    let fault = expect(shape(1, 64, 1024), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        Shared::<u64>::new(1024, 64).set(thread_idx_x(), 0);
    });
    assert!(fault.text.contains("bytes 1024..1032, but the launch gave the block 1024 bytes"), "{fault}");
}

#[test]
fn misaligned() {
    let line = line!() + 2;
    expect(shape(1, 1, 64), FaultKind::Misaligned, (0, 0, line), None, || unsafe {
        Shared::<u64>::new(4, 2).set(0, 0);
    });
    let line = line!() + 2;
    expect(shape(1, 1, 64), FaultKind::Misaligned, (0, 0, line), None, || unsafe {
        words(16).set_vector::<4>(2, [0; 4]);
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn helpers_name_their_callers() {
    unsafe fn put(s: Shared<u32>, i: u32) {
        unsafe { s.set(i, 1) }
    }
    #[track_caller]
    unsafe fn put_for_caller(s: Shared<u32>, i: u32) {
        unsafe { s.set(i, 1) }
    }
    let line = line!() - 6;
    expect(shape(1, 32, 4), FaultKind::Race, (0, 1, line), Some((0, 0, line)), || unsafe { put(words(1), 0) });
    let line = line!() + 2;
    expect(shape(1, 32, 4), FaultKind::Race, (0, 1, line), Some((0, 0, line)), || unsafe {
        put_for_caller(words(1), 0)
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn barrier_that_some_miss() {
    let line = line!() + 3;
    let fault = emulator::run("planted", shape(1, 64, 0), &plain(), || {
        if thread_idx_x() >= 40 { return }
        sync_threads();
    });
    let fault = fault.unwrap_err();
    assert_eq!((fault.kind, fault.at.thread, fault.at.site.line), (FaultKind::BarrierDivergence, 0, line), "{fault}");
    assert_eq!(fault.other.map(|p| p.thread), Some(40));
    assert!(fault.text.contains("40 of 64 threads wait"), "{fault}");
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn two_barriers_at_once() {
    let line = line!() + 2;
    expect(shape(1, 64, 0), FaultKind::BarrierDivergence, (0, 0, line), Some((0, 32, line + 1)), || {
        if thread_idx_x() < 32 { sync_threads() } else {
            sync_threads() }
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn barrier_against_collective() {
    let line = line!() + 2;
    expect(shape(1, 32, 0), FaultKind::BarrierDivergence, (0, 16, line + 1), Some((0, 0, line)), || {
        if lane_id() < 16 { sync_threads() } else {
            sync_warp(FULL_WARP) }
    });
}

/// Everything that a correct kernel may do with shared memory.
fn correct(out: gridsort_kernels::simt::Global<u32>) {
    use gridsort_kernels::simt::thread::block_idx_x;
    let (t, l) = (thread_idx_x(), lane_id());
    let (s, bytes, bins) = (words(64), Shared::<u8>::new(256, 64), Shared::<u32>::new(320, 4));
    unsafe {
        // An exchange in the warp, by cursor.
        let here = s.at(t);
        here.write(t);
        sync_warp(FULL_WARP);
        let x = s.get(t ^ 1);
        sync_warp(FULL_WARP);
        here.write(x);
        assert_eq!(here.read(), t ^ 1);
        // In half warps, twice.
        let half = if l < 16 { 0xffff } else { 0xffff_0000 };
        for _ in 0..2 {
            sync_warp(half);
            let x = s.get(t ^ 3);
            sync_warp(half);
            s.set(t, x);
        }
        // Neighbouring bytes of a word, then the words.
        bytes.set(t, t as u8);
        if t < 4 {
            bins.set(t, 0);
        }
        sync_threads();
        assert_eq!(Shared::<u32>::new(256, 16).get(t / 4).to_le_bytes()[t as usize % 4], t as u8);
        // A histogram.
        bins.fetch_add((t % 4) as u64, 1, Relaxed);
        // A tree with barriers, in which few take part.
        let mut d = WARP;
        while d > 0 {
            if t < d {
                s.set(t, s.get(t) + s.get(t + d));
            }
            sync_threads();
            d /= 2;
        }
        assert_eq!(bins.get(t % 4), 16);
        // Vectors and wide elements over the same bytes.
        sync_threads();
        if t < 16 {
            s.set_vector::<4>(t * 4, [t, t + 1, t + 2, t + 3]);
        }
        sync_threads();
        let wide = Shared::<u128>::new(0, 16).get(t % 16);
        assert_eq!((wide as u32, (wide >> 96) as u32), (t % 16, t % 16 + 3));
        assert_eq!(s.get_vector::<2>(4)[1], 2);
        out.set((block_idx_x() * 64 + t) as u64, wide as u32);
    }
}

#[test]
fn correct_kernels_pass() {
    for config in configs() {
        let out = Buffer::new(64 * 9);
        let g = out.global();
        emulator::run("correct", shape(9, 64, 512), &config, || correct(g)).unwrap_or_else(|e| panic!("{e}"));
        assert!(out.words().iter().enumerate().all(|(i, &x)| x == i as u32 % 16));
    }
}
