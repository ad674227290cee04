//! The emulator's checks of global memory: bounds, what was written, and races within and between blocks.
#![allow(clippy::undocumented_unsafe_blocks)] // Kernels are unsafe; most of those here are wrong on purpose.
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::simt::atomic::{Atomic, Ordering::*};
use gridsort_kernels::simt::emulator::{self, Config, FaultKind};
use gridsort_kernels::simt::thread::*;
use gridsort_kernels::simt::warp::sync_warp;
use gridsort_kernels::simt::{FULL_WARP, Global};
use std::hint::black_box;

#[test]
fn outside_the_allocation() {
    let buffer = Buffer::of(&[0; 64]);
    let g = buffer.global::<u32>();
    let line = line!() + 2;
    let fault = expect(shape(2, 64, 0), FaultKind::OutOfBounds, (0, 63, line), None, || unsafe {
        g.set(thread_idx_x() as u64 + 1, 0);
    });
    assert!(fault.text.contains("bytes 256..260 (index 64), but the allocation has 256 bytes"), "{fault}");
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        black_box(g.offset(60).offset(0u64.wrapping_sub(61)).get(0));
    });
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        black_box(g.offset(60).get_vector::<4>(4));
    });
    // An index whose address wraps round into the allocation.
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        black_box(g.get_streaming(1 << 62));
    });
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        g.fetch_add(64, 1, Relaxed);
    });
    let line = line!() + 2;
    let fault = expect(shape(1, 1, 0), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        black_box(Global::<u32>::null().get(1));
    });
    assert!(fault.text.contains("null"), "{fault}");
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::OutOfBounds, (0, 0, line), None, || unsafe {
        Global::<u32>::from_address(0x1000).set(0, 1);
    });
    assert!(Global::<u32>::null().is_null() && Global::<u32>::from_address(0).is_null() && !g.is_null());
}

#[test]
fn bounds_hold_without_checks() {
    let buffer = Buffer::new(4);
    let g = buffer.global::<u32>();
    let config = Config { checks: false, ..plain() };
    let fault = emulator::run("unchecked", shape(1, 1, 0), &config, || unsafe { g.set(4, 0) }).unwrap_err();
    assert_eq!(fault.kind, FaultKind::OutOfBounds);
}

#[test]
fn misaligned() {
    let buffer = Buffer::of(&[0; 64]);
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::Misaligned, (0, 0, line), None, || unsafe {
        black_box(Global::<u32>::from_address(buffer.address + 2).get(0));
    });
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::Misaligned, (0, 0, line), None, || unsafe {
        black_box(buffer.global::<u32>().get_vector::<4>(2));
    });
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::Misaligned, (0, 0, line), None, || unsafe {
        buffer.global::<u64>().set_vector::<2>(1, [0; 2]);
    });
}

#[test]
fn freed() {
    let buffer = Buffer::of(&[0; 64]);
    let (address, stale) = (buffer.address, buffer.global::<u32>());
    drop(buffer);
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::UseAfterFree, (0, 0, line), None, || unsafe {
        black_box(stale.get(0));
    });
    // The same record, perhaps the same memory: the old pointer still counts as stale.
    let again = Buffer::of(&[0; 64]);
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::UseAfterFree, (0, 0, line), None, || unsafe {
        stale.set(0, 1);
    });
    drop(again);
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::UseAfterFree, (0, 0, line), None, || unsafe {
        black_box(Global::<u32>::from_address(address).get(0));
    });
}

#[test]
fn nothing_written() {
    let buffer = Buffer::new(8);
    unsafe { emulator::write(buffer.address, &[0; 10]) };
    let g = buffer.global::<u32>();
    let line = line!() + 2;
    let fault = expect(shape(1, 4, 0), FaultKind::Unwritten, (0, 2, line), None, || unsafe {
        black_box(g.get(thread_idx_x() as u64));
    });
    assert!(fault.text.contains("read of global byte 8"), "{fault}");
    let line = line!() + 2;
    expect(shape(1, 4, 0), FaultKind::Unwritten, (0, 2, line), None, || unsafe {
        black_box(Global::<u8>::from_address(buffer.address + 8).get(thread_idx_x() as u64));
    });
    let line = line!() + 2;
    expect(shape(1, 1, 0), FaultKind::Unwritten, (0, 0, line), None, || unsafe {
        g.fetch_add(3, 1, Relaxed);
    });
    // A launch without checks writes for a later one with.
    let unchecked = Config { checks: false, ..plain() };
    emulator::run("fill", shape(1, 8, 0), &unchecked, || unsafe { g.set(thread_idx_x() as u64, 1) }).unwrap();
    emulator::run("read", shape(1, 2, 0), &plain(), || unsafe {
        assert_eq!(g.get_vector::<4>(thread_idx_x() as u64 * 4), [1; 4]);
    })
    .unwrap();
}

#[test]
fn writers_of_two_blocks() {
    let buffer = Buffer::new(1);
    let g = buffer.global::<u32>();
    let line = line!() + 2;
    let fault = expect(shape(2, 1, 0), FaultKind::Race, (1, 0, line), Some((0, 0, line)), || unsafe {
        g.set(0, 1);
    });
    assert!(fault.text.contains("no release and acquire"), "{fault}");
    // The next launch comes after it, and is no race.
    emulator::run("next", shape(1, 1, 0), &plain(), || unsafe { g.set(0, 2) }).unwrap();
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn reader_and_writer_of_two_blocks() {
    let buffer = Buffer::of(&[0; 64]);
    let g = buffer.global::<u64>();
    let line = line!() + 2;
    expect(shape(3, 32, 0), FaultKind::Race, (2, 7, line + 1), Some((0, 9, line)), || unsafe {
        if block_idx_x() < 2 && thread_idx_x() == 9 { black_box(g.get(7)); }
        if block_idx_x() == 2 { g.set(thread_idx_x() as u64, 0) }
    });
    // Where the writer has read the word itself, last or first.
    for writer in [0, 2] {
        let fault = emulator::run("both", shape(3, 1, 0), &plain(), || unsafe {
            black_box(g.get(7));
            if block_idx_x() == writer {
                while g.load(0, Relaxed) < if writer == 0 { 2 } else { 0 } { nanosleep(10) }
                g.set(7, 0);
            } else {
                g.fetch_add(0, 1, Relaxed);
            }
        });
        assert_eq!(fault.unwrap_err().kind, FaultKind::Race);
        unsafe { emulator::write(buffer.address, &[0; 8]) };
    }
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn threads_of_a_block() {
    let buffer = Buffer::of(&[0; 64]);
    let g = buffer.global::<u32>();
    let line = line!() + 3;
    expect(shape(1, 64, 0), FaultKind::Race, (0, 63, line + 1), Some((0, 62, line)), || unsafe {
        let t = thread_idx_x() as u64;
        g.set(t, 1);
        if t == 63 { black_box(g.get(62)); }
    });
    let line = line!() + 3;
    expect(shape(1, 64, 0), FaultKind::Race, (0, 63, line + 1), Some((0, 30, line)), || unsafe {
        let t = thread_idx_x() as u64;
        g.set(t, 1); sync_warp(FULL_WARP);
        black_box(g.get(t & 31 ^ 1)); black_box(g.get(t & 31));
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn atomic_and_plain() {
    let buffer = Buffer::of(&[0; 4]);
    let g = buffer.global::<u32>();
    let line = line!() + 2;
    expect(shape(2, 1, 0), FaultKind::Race, (1, 0, line + 1), Some((0, 0, line)), || unsafe {
        if block_idx_x() == 0 { g.fetch_add(1, 1, AcqRel); }
        else { black_box(g.get(1)); }
    });
    let line = line!() + 2;
    expect(shape(2, 1, 0), FaultKind::Race, (1, 0, line + 1), Some((0, 0, line)), || unsafe {
        if block_idx_x() == 0 { g.set(2, 1) }
        else { black_box(g.load(2, Acquire)); }
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn bytes_and_wide_elements() {
    let buffer = Buffer::of(&[0; 64]);
    let (bytes, wide, words) = (buffer.global::<u8>(), buffer.global::<u128>(), buffer.global::<u32>());
    let line = line!() + 2;
    expect(shape(2, 1, 0), FaultKind::Race, (1, 0, line + 1), Some((0, 0, line)), || unsafe {
        if block_idx_x() == 0 { bytes.set(6, 1) }
        else { bytes.set(7, 1); black_box(words.get(1)); }
    });
    for word in 0..4 {
        let line = line!() + 2;
        expect(shape(2, 1, 0), FaultKind::Race, (1, 0, line + 1), Some((0, 0, line)), || unsafe {
            if block_idx_x() == 0 { wide.set(2, 1) }
            else { words.set(8 + word, 1) }
        });
        expect(shape(2, 1, 0), FaultKind::Race, (1, 0, line + 5), Some((0, 0, line + 4)), || unsafe {
            if block_idx_x() == 0 { words.set_vector::<4>(8, [0; 4]) }
            else { bytes.set(32 + word * 4 + 3, 1) }
        });
    }
}
