//! Launches on the emulator: arguments, shapes, panics, kernels that never end, and many launches at once.
#![allow(clippy::undocumented_unsafe_blocks)] // Kernels are unsafe; some of those here are wrong on purpose.
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::simt::atomic::{Atomic, Ordering::*};
use gridsort_kernels::simt::emulator::{self, Config, FaultKind, LaunchError, Schedule};
use gridsort_kernels::simt::thread::*;
use gridsort_kernels::simt::{Arg, Global, Kernel, ParamKind, Shared};
use std::hint::black_box;

/// Adds `n` and `m` to each word, by way of shared memory.
unsafe fn add(g: Global<u32>, n: u32, m: u64) {
    let s = Shared::<u32>::new(0, 64);
    let (t, i) = (thread_idx_x(), (block_idx_x() * block_dim_x() + thread_idx_x()) as u64);
    unsafe {
        s.set(t, g.get(i));
        sync_threads();
        g.set(i, s.get(t) + n + m as u32);
    }
}

static ADD: Kernel = Kernel {
    name: "add",
    module: "tests",
    threads: 64,
    min_blocks: 0,
    barriers: 1,
    shared_bytes: 256,
    params: &[ParamKind::Address, ParamKind::U32, ParamKind::U64],
    run: {
        unsafe fn run(args: &[Arg]) {
            use gridsort_kernels::simt::Param;
            unsafe { add(Param::from_arg(args[0]), Param::from_arg(args[1]), Param::from_arg(args[2])) }
        }
        run
    },
};

#[test]
fn a_kernel_of_a_list() {
    let buffer = Buffer::of(&[1; 64 * 20]);
    // Inside the buffer, as a host passes a part of it.
    let args = [Arg::Address(buffer.address + 64 * 4), Arg::U32(2), Arg::U64(3)];
    emulator::launch(&ADD, shape(19, 64, 256), &args, &Config::default()).unwrap();
    let words = buffer.words();
    assert!(words[..64].iter().all(|&w| w == 1) && words[64..].iter().all(|&w| w == 6));
    emulator::launch(&ADD, shape(0, 64, 256), &args, &Config::default()).unwrap();
    assert_eq!(buffer.words(), words);
    // One block too many runs off the end.
    let fault = emulator::launch(&ADD, shape(20, 64, 256), &args, &plain()).unwrap_err();
    let LaunchError::Fault(fault) = fault else { panic!("{fault}") };
    assert_eq!((fault.kind, fault.at.block, fault.at.thread), (FaultKind::OutOfBounds, 19, 0));
    assert!(fault.to_string().contains("OutOfBounds in kernel add, block 19, thread 0 (warp 0, lane 0)"), "{fault}");
}

#[test]
fn launches_that_do_not_fit() {
    let (config, address) = (Config::default(), Arg::Address(0));
    let launch = |l, args: &[Arg]| emulator::launch(&ADD, l, args, &config).unwrap_err();
    for args in [&[][..], &[address, Arg::U32(1)], &[address, Arg::U64(1), Arg::U64(1)], &[address; 3]] {
        let error = launch(shape(1, 64, 256), args);
        assert!(matches!(&error, LaunchError::BadArguments { kernel: "add", given, .. } if given.len() == args.len()));
        assert!(error.to_string().contains("kernel add takes [Address, U32, U64]"), "{error}");
    }
    let good = [address, Arg::U32(1), Arg::U64(1)];
    for (l, part) in [
        (shape(1, 32, 256), "64 threads"),
        (shape(1, 64, 255), "256 bytes"),
        (shape(1, 64, 1 << 24), "more than any device"),
    ] {
        let error = launch(l, &good);
        assert!(matches!(error, LaunchError::BadShape { kernel: "add", .. }), "{error}");
        assert!(error.to_string().contains(part), "{error}");
    }
}

#[test]
#[should_panic(expected = "a block has 1 to 1024 threads, not 1025")]
fn a_block_too_large() {
    let _ = emulator::run("large", shape(1, 1025, 0), &plain(), || ());
}

#[test]
#[should_panic(expected = "outside a kernel launch")]
fn outside_a_kernel() {
    thread_idx_x();
}

#[test]
fn ids() {
    for config in configs() {
        let seen = Buffer::of(&[0; 5 * 100]);
        let g = seen.global::<u32>();
        emulator::run("ids", shape(5, 100, 0), &config, || unsafe {
            assert_eq!((block_dim_x(), grid_dim_x(), opaque(3)), (100, 5, 3));
            g.fetch_add((block_idx_x() * 100 + thread_idx_x()) as u64, 1, Relaxed);
        })
        .unwrap();
        assert!(seen.words().iter().all(|&n| n == 1));
    }
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn panics() {
    let line = line!() + 3;
    let fault = expect(shape(5, 64, 0), FaultKind::Panic, (3, 3, line), None, || {
        let a = [1, 2, 3];
        if block_idx_x() == 3 { black_box(a[black_box(thread_idx_x() as usize) % 4]); }
    });
    assert!(fault.text.contains("index out of bounds: the len is 3 but the index is 3"), "{fault}");
    let line = line!() + 2;
    expect(shape(1, 64, 0), FaultKind::Panic, (0, 0, line), None, || {
        panic!("for {}", "no reason");
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn waiting_for_nobody() {
    let flag = Buffer::of(&[0, 0]);
    let f = flag.global::<u32>();
    let line = line!() + 2;
    let fault = expect(shape(9, 64, 0), FaultKind::Deadlock, (0, 0, line), None, || unsafe {
        while f.load(0, Acquire) == 0 { nanosleep(10) }
    });
    assert!(fault.text.contains("waits here for ever"), "{fault}");
    // By other ways to poll.
    let line = line!() + 2;
    expect(shape(2, 32, 0), FaultKind::Deadlock, (0, 0, line), None, || unsafe {
        while f.compare_exchange(0, 1, 2, AcqRel) != 1 {}
    });
    // Every thread but the first waits at the barrier.
    let line = line!() + 2;
    expect(shape(1, 32, 0), FaultKind::Deadlock, (0, 0, line), None, || unsafe {
        if thread_idx_x() == 0 { while f.load(0, Relaxed) == 0 {} }
        sync_threads();
    });
}

#[test]
fn polling_by_plain_reads_is_a_race() {
    let flag = Buffer::of(&[0]);
    let f = flag.global::<u32>();
    let fault = emulator::run("plain", shape(2, 1, 0), &plain(), || unsafe {
        if block_idx_x() == 0 {
            while f.get(0) == 0 {}
        } else {
            f.store(0, 1, Release);
        }
    });
    assert_eq!(fault.unwrap_err().kind, FaultKind::Race);
}

/// Each block waits for the one before it by its number and not by a ticket.
unsafe fn chain(flags: Global<u32>) {
    let b = block_idx_x() as u64;
    unsafe {
        if thread_idx_x() == 0 {
            while b > 0 && flags.load(b - 1, Acquire) == 0 {
                nanosleep(10);
            }
            flags.store(b, 1, Release);
        }
    }
}

#[test]
fn a_chain_needs_its_order() {
    for (schedule, workers, good) in
        [(Schedule::Up, 1, true), (Schedule::Up, 2, true), (Schedule::Down, 1, false), (Schedule::Down, 2, false)]
    {
        let flags = Buffer::of(&[0; 100]);
        let f = flags.global();
        let config = Config { schedule, workers, spin_limit: 1000, ..Config::default() };
        let result = emulator::run("chain", shape(100, 64, 0), &config, || unsafe { chain(f) });
        assert_eq!(result.map_err(|e| e.kind), if good { Ok(()) } else { Err(FaultKind::Deadlock) });
    }
}

#[test]
fn blocks_that_take_turns_are_not_stuck() {
    // Two blocks hand a number to and fro more often than the limit of idle rounds.
    for workers in [1, 2] {
        let word = Buffer::of(&[0]);
        let w = word.global::<u32>();
        let config = Config { workers, spin_limit: 50, resident: 2, ..Config::default() };
        emulator::run("turns", shape(2, 1, 0), &config, || unsafe {
            for _ in 0..500 {
                while w.load(0, Acquire) % 2 != block_idx_x() {
                    nanosleep(1);
                }
                w.fetch_add(0, 1, Release);
            }
        })
        .unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(word.words(), [1000]);
    }
}

#[test]
fn stack_overflow_names_the_kernel() {
    const MARK: &str = "GRIDSORT_TEST_OVERFLOW";
    fn deep(n: u32) -> u32 {
        let mut a = [n; 256];
        black_box(&mut a);
        if n == 0 { 0 } else { deep(n - 1) + a[7] }
    }
    if std::env::var_os(MARK).is_some() {
        let _ = emulator::run("too_deep", shape(1, 64, 0), &plain(), || {
            if thread_idx_x() == 9 {
                deep(1000);
            }
        });
        return;
    }
    let test = std::env::current_exe().unwrap();
    let run = std::process::Command::new(test)
        .args(["--exact", "stack_overflow_names_the_kernel", "--nocapture"])
        .env(MARK, "1")
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&run.stderr);
    assert!(!run.status.success());
    assert!(cfg!(not(unix)) || text.contains("stack overflow in kernel too_deep, block 0, thread 9"), "{text}");
}

#[test]
fn launches_at_once() {
    // Correct ones, faulty ones, and allocations that come and go, on several OS threads.
    std::thread::scope(|scope| {
        for id in 0..4u32 {
            scope.spawn(move || {
                for round in 0..30 {
                    let buffer = Buffer::of(&[id; 64 * 8]);
                    let args = [Arg::Address(buffer.address), Arg::U32(round), Arg::U64(1)];
                    let config = Config { workers: 1 + id as usize % 2, seed: round as u64, ..Config::default() };
                    emulator::launch(&ADD, shape(8, 64, 256), &args, &config).unwrap();
                    assert!(buffer.words().iter().all(|&w| w == id + round + 1));
                    let g = buffer.global::<u32>();
                    let fault = emulator::run("wrong", shape(4, 64, 0), &config, || unsafe {
                        g.set(thread_idx_x() as u64 * 8, 1);
                        assert!(block_idx_x() != 2 || thread_idx_x() != 5, "no");
                        g.set(64 * 8, 1);
                    });
                    assert!(fault.is_err());
                    let other = emulator::allocate(1000 + id as usize).unwrap();
                    assert_eq!(other % 256, 0);
                    unsafe { emulator::free(other) };
                }
            });
        }
    });
}

#[test]
fn memory() {
    let a = emulator::allocate(100).unwrap();
    let empty = emulator::allocate(0).unwrap();
    assert_ne!(a, empty);
    unsafe {
        let mut bytes = [0; 100];
        emulator::read(a, &mut bytes);
        assert_eq!(bytes, [0xA5; 100]);
        emulator::write(a + 10, &[1, 2, 3]);
        emulator::copy(a + 10, a + 11, 3);
        emulator::read(a + 9, &mut bytes[..6]);
        assert_eq!(bytes[..6], [0xA5, 1, 1, 2, 3, 0xA5]);
        emulator::free(a);
        emulator::free(empty);
        emulator::free(0);
    }
    assert_eq!(emulator::allocate(usize::MAX), None);
    assert_eq!(emulator::allocate(isize::MAX as usize - 4096), None);
}
