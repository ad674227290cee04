//! Asynchronous copies to shared memory: they arrive at the wait, and what meets them before is reported.
#![allow(clippy::undocumented_unsafe_blocks)] // Every access to device memory is unsafe.
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::simt::emulator::{self, FaultKind};
use gridsort_kernels::simt::thread::*;
use gridsort_kernels::simt::{Global, Plain, Shared};

/// Reverses the elements of a block by copying them to shared memory.
unsafe fn reverse<T: Plain>(g: Global<T>) {
    let s = Shared::<T>::new(0, 64);
    let (t, base) = (thread_idx_x(), block_idx_x() as u64 * 64);
    unsafe {
        s.copy_async(t, g, base + t as u64);
        async_copies_done();
        sync_threads();
        g.set(base + t as u64, s.get(63 - t));
    }
}

#[test]
fn copies_of_every_size_arrive() {
    fn check<T: Plain>() {
        let words: Vec<u32> = (0..128 * size_of::<T>() as u32 / 4).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        let blocks = bytes.chunks(64 * size_of::<T>());
        let expected: Vec<u8> = blocks.flat_map(|b| b.chunks(size_of::<T>()).rev().flatten().copied()).collect();
        for config in configs() {
            let buffer = Buffer::of(&words);
            let g = buffer.global::<T>();
            emulator::run("reverse", shape(2, 64, 1024), &config, || unsafe { reverse(g) }).unwrap();
            let found: Vec<u8> = buffer.words().iter().flat_map(|w| w.to_le_bytes()).collect();
            assert!(found == expected, "{} bytes, {config:?}", size_of::<T>());
        }
    }
    check::<u8>();
    check::<u16>();
    check::<u32>();
    check::<u64>();
    check::<u128>();
}

#[test]
fn reading_before_the_wait() {
    let buffer = Buffer::of(&[7; 64]);
    let g = buffer.global::<u32>();
    let line = line!() + 5;
    let fault = expect(shape(1, 32, 256), FaultKind::CopyInFlight, (0, 0, line), None, || unsafe {
        let s = Shared::<u32>::new(0, 64);
        let t = thread_idx_x();
        s.copy_async(t, g, t as u64);
        if s.get(t) == 7 {
            g.set(t as u64, 1)
        }
        async_copies_done();
    });
    assert!(fault.text.contains(&format!("{}:{}", file!(), line - 1)), "{fault}");
}

#[test]
fn overwriting_before_the_wait() {
    let buffer = Buffer::of(&[7; 64]);
    let g = buffer.global::<u64>();
    // A byte of the copy's eight is enough; the bytes next to it are free.
    let line = line!() + 6;
    expect(shape(1, 1, 256), FaultKind::CopyInFlight, (0, 0, line), None, || unsafe {
        let (s, b) = (Shared::<u64>::new(8, 1), Shared::<u8>::new(0, 64));
        s.copy_async(0, g, 0);
        b.set(7, 1);
        b.set(16, 1);
        b.set(15, 1);
        async_copies_done();
    });
}

#[test]
fn a_barrier_is_no_wait() {
    let buffer = Buffer::of(&[7; 64]);
    let g = buffer.global::<u32>();
    // Thread 1 reads after a barrier what thread 0's copy brings, but thread 0 waits for it only after that.
    let line = line!() + 5;
    let other = Some((0, 1, line + 4));
    expect(shape(1, 32, 256), FaultKind::Race, (0, 0, line), other, || unsafe {
        let (s, t) = (Shared::<u32>::new(0, 64), thread_idx_x());
        if t == 0 {
            s.copy_async(0, g, 0);
        }
        sync_threads();
        if t == 1 {
            g.set(1, s.get(0));
        }
        if t == 0 {
            // Lets the others run, so that the read comes before the wait.
            nanosleep(0);
        }
        async_copies_done();
    });
}

#[test]
fn a_copy_that_nobody_waits_for() {
    let buffer = Buffer::of(&[7; 64]);
    let g = buffer.global::<u32>();
    let line = line!() + 2;
    let fault = expect(shape(1, 32, 256), FaultKind::CopyInFlight, (0, 0, line), None, || unsafe {
        Shared::<u32>::new(0, 64).copy_async(thread_idx_x(), g, 0);
    });
    assert!(fault.text.contains("not waited for"), "{fault}");
}

#[test]
fn without_checks_they_arrive_late_all_the_same() {
    let buffer = Buffer::of(&[7; 64]);
    let g = buffer.global::<u32>();
    let config = emulator::Config { checks: false, ..plain() };
    emulator::run("late", shape(1, 1, 256), &config, || unsafe {
        let s = Shared::<u32>::new(0, 64);
        s.set(0, 1);
        s.copy_async(0, g, 0);
        g.set(1, s.get(0));
        async_copies_done();
        g.set(2, s.get(0));
    })
    .unwrap();
    assert_eq!(buffer.words()[..3], [7, 1, 7]);
}
