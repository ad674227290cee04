//! How the emulator runs a launch.

/// The order in which the blocks of a grid start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Schedule {
    /// Block 0 first.
    #[default]
    Up,
    /// The last block first: finds kernels that wait for a block with a lower number.
    Down,
    /// At random, from [`Config::seed`].
    Shuffled,
}

/// How the emulator runs a launch. The default checks everything, on all cores, in a fixed order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Config {
    /// Whether to look for races and for reads of what nothing wrote. Bounds, barriers and collectives are always
    /// checked.
    pub checks: bool,
    /// OS threads that run blocks; 1 runs them on the caller's.
    pub workers: usize,
    /// Blocks that each OS thread holds at once: while one waits for another block, the next one runs.
    pub resident: usize,
    /// The order in which blocks start.
    pub schedule: Schedule,
    /// 0 runs the lowest ready lane first; any other value picks lanes and warps at random.
    pub seed: u64,
    /// Stack of each thread, bytes.
    pub stack_bytes: usize,
    /// Rounds in which no thread of the grid did anything but poll memory, after which the launch counts as stuck.
    pub spin_limit: u32,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            checks: true,
            workers: std::thread::available_parallelism().map_or(1, |n| n.get()),
            resident: 2,
            schedule: Schedule::Up,
            seed: 0,
            stack_bytes: 64 << 10,
            spin_limit: 1_000,
        }
    }
}

/// The shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Launch {
    /// Blocks of the grid; 0 runs nothing.
    pub grid: u32,
    /// Threads of a block, 1 to 1024.
    pub block: u32,
    /// Dynamic shared memory of a block, bytes.
    pub shared_bytes: u32,
}

/// A small generator for schedules (xorshift): quality does not matter, speed does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1)
    }

    #[inline]
    pub(super) fn next(&mut self) -> u32 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 32) as u32
    }
}
