//! What the emulator's tests share.
#![allow(dead_code, missing_docs, unreachable_pub, clippy::undocumented_unsafe_blocks)] // Each test uses a part.
use gridsort_kernels::simt::Global;
use gridsort_kernels::simt::emulator::{self, Config, Fault, FaultKind, Launch, Schedule};

/// A buffer in the emulator's memory.
pub struct Buffer {
    pub address: u64,
    bytes: usize,
}

impl Buffer {
    /// Unwritten words.
    pub fn new(words: usize) -> Self {
        Buffer { address: emulator::allocate(words * 4).expect("memory"), bytes: words * 4 }
    }
    /// Words with values.
    pub fn of(words: &[u32]) -> Self {
        let buffer = Self::new(words.len());
        let bytes: Vec<u8> = words.iter().flat_map(|w| w.to_le_bytes()).collect();
        unsafe { emulator::write(buffer.address, &bytes) };
        buffer
    }
    pub fn global<T: gridsort_kernels::simt::Plain>(&self) -> Global<T> {
        Global::from_address(self.address)
    }
    pub fn words(&self) -> Vec<u32> {
        let mut bytes = vec![0; self.bytes];
        unsafe { emulator::read(self.address, &mut bytes) };
        bytes.chunks_exact(4).map(|b| u32::from_le_bytes(b.try_into().unwrap())).collect()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        unsafe { emulator::free(self.address) };
    }
}

pub fn shape(grid: u32, block: u32, shared_bytes: u32) -> Launch {
    Launch { grid, block, shared_bytes }
}

/// One OS thread, blocks in order: which thread is found out does not vary.
pub fn plain() -> Config {
    Config { workers: 1, ..Config::default() }
}

/// Schedules and seeds under which a correct kernel must be right.
pub fn configs() -> Vec<Config> {
    let mut configs = Vec::new();
    for checks in [true, false] {
        for (workers, resident, schedule, seed) in [
            (1, 1, Schedule::Up, 0),
            (1, 3, Schedule::Down, 0),
            (1, 4, Schedule::Shuffled, 7),
            (2, 2, Schedule::Shuffled, 9),
            (2, 1, Schedule::Up, 5),
            (3, 2, Schedule::Shuffled, 11),
        ] {
            configs.push(Config { checks, workers, resident, schedule, seed, ..Config::default() });
        }
    }
    configs
}

/// Runs a kernel that is wrong, and holds the report against what it must say: kind, thread and line, and those of the
/// other party. Whatever the line of a party, the file is this test's.
#[track_caller]
pub fn expect(
    launch: Launch,
    kind: FaultKind,
    (block, thread, line): (u32, u32, u32),
    other: Option<(u32, u32, u32)>,
    kernel: impl Fn() + Sync,
) -> Fault {
    let file = std::panic::Location::caller().file();
    let fault = emulator::run("planted", launch, &plain(), kernel).expect_err("the fault is not reported");
    println!("{fault}");
    assert_eq!(fault.kind, kind, "{fault}");
    assert_eq!(&*fault.kernel, "planted");
    assert_eq!(fault.at.site.file, file, "{fault}");
    assert_eq!((fault.at.block, fault.at.thread, fault.at.site.line), (block, thread, line), "{fault}");
    assert_eq!(fault.other.map(|p| (p.block, p.thread, p.site.line)), other, "{fault}");
    assert!(fault.other.is_none_or(|p| p.site.file == file), "{fault}");
    let text = fault.to_string();
    for part in ["planted", &format!("block {block}"), &format!("thread {thread}"), &format!("{file}:{line}")] {
        assert!(text.contains(part), "{text} lacks {part}");
    }
    fault
}
