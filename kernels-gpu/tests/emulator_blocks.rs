//! What the emulator says of blocks that talk to each other through global memory: silence for those that do it right, a
//! race where an order is missing.
#![allow(clippy::undocumented_unsafe_blocks)] // Kernels are unsafe; some of those here are wrong on purpose.
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::simt::atomic::{Atomic, Ordering, Ordering::*};
use gridsort_kernels::simt::emulator::{self, Config, FaultKind};
use gridsort_kernels::simt::thread::*;
use gridsort_kernels::simt::warp::{lane_id, sync_warp};
use gridsort_kernels::simt::{FULL_WARP, Global, Shared};
use std::hint::black_box;

/// How block 0 hands a payload to the others.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Message {
    ReleaseAcquire,
    Fences,
    WithoutRelease,
    WithoutAcquire,
    WithoutFirstFence,
    WithoutSecondFence,
    WithoutFirstBarrier,
    WithoutSecondBarrier,
    FenceForTheBlock,
}

/// All threads of block 0 write a payload, thread 0 raises a flag; thread 0 of the other blocks waits for it, and all
/// their threads read.
unsafe fn message(how: Message, payload: Global<u32>, flag: Global<u32>) {
    use Message::*;
    let t = thread_idx_x() as u64;
    let fences = matches!(how, Fences | WithoutFirstFence | WithoutSecondFence | FenceForTheBlock);
    let weak = |order: Ordering, without: Message| if fences || how == without { Relaxed } else { order };
    unsafe {
        if block_idx_x() == 0 {
            payload.set(t, t as u32 + 1);
            if how != WithoutFirstBarrier {
                sync_threads();
            }
            if t == 0 {
                if how == FenceForTheBlock {
                    block_fence();
                } else if fences && how != WithoutFirstFence {
                    device_fence();
                }
                flag.store(0, 1, weak(Release, WithoutRelease));
            }
        } else {
            if t == 0 {
                while flag.load(0, weak(Acquire, WithoutAcquire)) == 0 {
                    nanosleep(100);
                }
                if fences && how != WithoutSecondFence {
                    device_fence();
                }
            }
            if how != WithoutSecondBarrier {
                sync_threads();
            }
            // What thread 0 reads, it acquired itself.
            if how != WithoutSecondBarrier || t > 0 {
                assert_eq!(payload.get(t ^ 33), (t as u32 ^ 33) + 1);
            }
        }
    }
}

#[test]
fn messages_between_blocks() {
    use Message::*;
    let good = [ReleaseAcquire, Fences];
    let bad = [
        WithoutRelease,
        WithoutAcquire,
        WithoutFirstFence,
        WithoutSecondFence,
        WithoutFirstBarrier,
        WithoutSecondBarrier,
        FenceForTheBlock,
    ];
    for config in configs().into_iter().filter(|c| c.checks && c.schedule == emulator::Schedule::Up) {
        for how in good.into_iter().chain(bad) {
            let (payload, flag) = (Buffer::new(64), Buffer::of(&[0]));
            let (p, f) = (payload.global(), flag.global());
            let result = emulator::run("message", shape(5, 64, 0), &config, || unsafe { message(how, p, f) });
            if good.contains(&how) {
                result.unwrap_or_else(|e| panic!("{how:?}: {e}"));
                continue;
            }
            // Without a barrier, a thread may also read what is not written yet, or find it wrong.
            let fault = result.expect_err(&format!("{how:?} is not reported"));
            let early = how == WithoutSecondBarrier;
            assert!(fault.kind == FaultKind::Race || early && fault.kind == FaultKind::Unwritten, "{how:?}: {fault}");
        }
    }
}

/// A scan in one pass by look-back, four values a block; the tile comes from a ticket. `weak` takes one ordering away.
unsafe fn look_back(values: Global<u32>, out: Global<u32>, tickets: Global<u32>, status: Global<u32>, weak: u32) {
    let order = |which: u32, order: Ordering| if weak == which { Relaxed } else { order };
    let shared = Shared::<u32>::new(0, 2);
    let t = thread_idx_x() as u64;
    unsafe {
        if t == 0 {
            shared.set(0, tickets.fetch_add(0, 1, Relaxed));
        }
        sync_threads();
        let tile = shared.get(0) as u64;
        if t == 0 {
            let mut before = 0;
            if tile > 0 {
                while status.load(tile - 1, order(1, Acquire)) == 0 {
                    nanosleep(20);
                }
                // The payload is plain memory, written by the block before.
                before = out.get(tile * 4 - 1);
            }
            let mut sum = before;
            for k in 0..4 {
                sum += values.get(tile * 4 + k);
                out.set(tile * 4 + k, sum);
            }
            status.store(tile, 1, order(2, Release));
            shared.set(1, before);
        }
        sync_threads();
        // All threads see what thread 0 acquired, of every earlier block.
        assert!(shared.get(1) <= 4 * 4 * tile as u32);
        if tile > 1 && weak == 0 {
            black_box(out.get(t % (tile * 4 - 4)));
        }
    }
}

#[test]
fn look_back_scans() {
    const TILES: u32 = 70;
    let values: Vec<u32> = (0..TILES * 4).map(|i| i % 5).collect();
    let expected: Vec<u32> = values
        .iter()
        .scan(0, |sum, v| {
            *sum += v;
            Some(*sum)
        })
        .collect();
    let run = |config: &Config, weak: u32| {
        let (input, out) = (Buffer::of(&values), Buffer::new(values.len()));
        let (tickets, status) = (Buffer::of(&[0]), Buffer::of(&[0; TILES as usize]));
        let (i, o, t, s) = (input.global(), out.global(), tickets.global(), status.global());
        emulator::run("look_back", shape(TILES, 64, 8), config, || unsafe { look_back(i, o, t, s, weak) })
            .map(|()| assert_eq!(out.words(), expected))
    };
    for config in configs() {
        run(&config, 0).unwrap_or_else(|e| panic!("{e}"));
        if config.checks {
            for weak in [1, 2] {
                assert_eq!(run(&config, weak).unwrap_err().kind, FaultKind::Race);
            }
        }
    }
    for seed in 1..40 {
        let config = Config { seed, schedule: emulator::Schedule::Shuffled, resident: 3, ..Config::default() };
        run(&config, 0).unwrap_or_else(|e| panic!("{e}"));
    }
}

/// The last block to finish sums up what all wrote: each takes a ticket, behind a fence.
unsafe fn last_block(parts: Global<u32>, tickets: Global<u32>, out: Global<u32>, fenced: bool) {
    let last = Shared::<u32>::new(0, 1);
    let (t, b) = (thread_idx_x() as u64, block_idx_x() as u64);
    unsafe {
        parts.set(b * 32 + t, 1);
        sync_warp(FULL_WARP);
        if t == 0 {
            if fenced {
                device_fence();
            }
            last.set(0, tickets.fetch_add(0, 1, Relaxed));
            if fenced {
                device_fence();
            }
        }
        sync_threads();
        if last.get(0) == grid_dim_x() - 1 && lane_id() == 5 {
            out.set(0, (0..32 * grid_dim_x() as u64).map(|i| parts.get(i)).sum());
        }
    }
}

#[test]
fn the_last_block_sums_up() {
    for config in configs() {
        for fenced in [true, false] {
            let (parts, tickets, out) = (Buffer::new(32 * 50), Buffer::of(&[0]), Buffer::new(1));
            let (p, t, o) = (parts.global(), tickets.global(), out.global());
            let result = emulator::run("last", shape(50, 32, 4), &config, || unsafe { last_block(p, t, o, fenced) });
            if fenced || !config.checks {
                result.unwrap_or_else(|e| panic!("{e}"));
                assert_eq!(out.words(), [32 * 50]);
            } else {
                assert_eq!(result.unwrap_err().kind, FaultKind::Race);
            }
        }
    }
}

/// What correct kernels do within a block: warps and barriers order global memory too, and neighbouring bytes of a word
/// belong to different threads and blocks.
unsafe fn within(g: Global<u32>, bytes: Global<u8>, halves: Global<u16>, flag: Global<u32>) {
    let (t, b) = (thread_idx_x() as u64, block_idx_x() as u64);
    let base = b * 64;
    unsafe {
        g.set_write_back(base + t, t as u32);
        sync_warp(FULL_WARP);
        assert_eq!(g.get_l2(base + (t ^ 1)), t as u32 ^ 1);
        sync_threads();
        assert_eq!(g.get_cached(base + 63 - t), 63 - t as u32);
        sync_threads();
        g.set_l2(base + 63 - t, 7);
        if t < 63 {
            bytes.set(b * 63 + t, 3);
        }
        halves.set_streaming(b * 64 + t, t as u16);
        // One warp hands over to the other by a flag, without a barrier.
        if t < 32 {
            g.set_streaming(base + 63 - t, 8);
            sync_warp(FULL_WARP);
            if t == 0 {
                flag.store(b, 1, Release);
            }
        } else {
            while flag.load(b, Acquire) == 0 {
                nanosleep(5);
            }
            assert_eq!(g.get(base + t), 8);
        }
        sync_threads();
        let v: [u16; 2] = halves.get_vector(b * 64 + t / 2 * 2);
        assert_eq!(v, [t as u16 & !1, t as u16 | 1]);
    }
}

#[test]
fn correct_kernels_pass() {
    for config in configs() {
        let (g, bytes, halves) = (Buffer::new(64 * 9), Buffer::new(64 * 9), Buffer::new(32 * 9));
        let flag = Buffer::of(&[0; 9]);
        let (a, b, c, d) = (g.global(), bytes.global(), halves.global(), flag.global());
        emulator::run("within", shape(9, 64, 0), &config, || unsafe { within(a, b, c, d) })
            .unwrap_or_else(|e| panic!("{e}"));
    }
}

/// One warp hands shared and global memory to the other by a flag in shared memory.
unsafe fn flag_in_shared(g: Global<u32>, acquire: Ordering, release: Ordering) {
    let (s, flag) = (Shared::<u32>::new(0, 32), Shared::<u32>::new(128, 1));
    let (t, l) = (thread_idx_x(), lane_id());
    unsafe {
        if t == 0 {
            flag.set(0, 0);
        }
        sync_threads();
        if t < 32 {
            s.set(l, l);
            g.set(l as u64, l);
            sync_warp(FULL_WARP);
            if l == 0 {
                flag.store(0, 1, release);
            }
        } else {
            while l == 7 && flag.load(0, acquire) == 0 {
                nanosleep(1);
            }
            sync_warp(FULL_WARP);
            assert_eq!((s.get(31 - l), g.get(31 - l as u64)), (31 - l, 31 - l));
            s.set(31 - l, 0);
        }
    }
}

#[test]
fn warps_hand_over_by_shared_memory() {
    for config in configs() {
        let run = |acquire, release| {
            let buffer = Buffer::new(32);
            let g = buffer.global();
            let kernel = || unsafe { flag_in_shared(g, acquire, release) };
            emulator::run("flag", shape(1, 64, 132), &config, kernel).map_err(|fault| fault.kind)
        };
        assert_eq!(run(Acquire, Release), Ok(()));
        if config.checks {
            assert_eq!(run(Relaxed, Release), Err(FaultKind::Race));
            assert_eq!(run(Acquire, Relaxed), Err(FaultKind::Race));
        }
    }
}
