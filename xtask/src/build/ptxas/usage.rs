//! What `ptxas -v` says of each kernel.

/// What a kernel needs of a multiprocessor.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// The kernel.
    pub kernel: String,
    /// Registers of a thread.
    pub registers: u32,
    /// Static shared memory of a block, bytes.
    pub shared: u32,
    /// Stack of a thread, bytes, with that of the functions that the kernel calls.
    pub stack: u32,
    /// Bytes that a thread stores because its registers do not suffice, in all places of the code.
    pub spill_stores: u32,
    /// Bytes that it loads again.
    pub spill_loads: u32,
    /// Barriers, of the 16 that a block has.
    pub barriers: u32,
}

/// The kernels in what the assembler said, in its order.
pub fn parse(said: &str) -> Vec<Usage> {
    let mut all: Vec<Usage> = Vec::new();
    for line in said.lines() {
        let line = line.strip_prefix("ptxas info").map_or(line, |l| l.trim_start().trim_start_matches(':')).trim();
        if let Some(rest) = line.strip_prefix("Compiling entry function '") {
            let kernel = rest.split('\'').next().unwrap_or_default().to_owned();
            all.push(Usage { kernel, ..Usage::default() });
            continue;
        }
        let Some(usage) = all.last_mut() else {
            continue;
        };
        if line.contains("bytes stack frame") {
            // Of the kernel, or of a function that is compiled with it.
            usage.stack += number_before(line, "bytes stack frame").unwrap_or(0);
            usage.spill_stores += number_before(line, "bytes spill stores").unwrap_or(0);
            usage.spill_loads += number_before(line, "bytes spill loads").unwrap_or(0);
        } else if line.starts_with("Used ") {
            usage.registers = number_before(line, "registers").unwrap_or(0);
            usage.barriers = number_before(line, "barriers").unwrap_or(0);
            usage.shared = number_before(line, "bytes smem").unwrap_or(0);
            usage.stack = usage.stack.max(number_before(line, "bytes cumulative stack size").unwrap_or(0));
        }
    }
    all
}

/// The number that stands before `unit` in a list like `Used 12 registers, used 1 barriers`.
fn number_before(line: &str, unit: &str) -> Option<u32> {
    let part = line.split(',').find_map(|p| p.trim().strip_suffix(unit))?;
    part.split_whitespace().last()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_and_the_functions_they_call() {
        let said = "\
ptxas info    : 32 bytes gmem
ptxas info    : Compiling entry function 'second' for 'sm_90'
ptxas info    : Function properties for second
    16 bytes stack frame, 4 bytes spill stores, 8 bytes spill loads
ptxas info    : Used 13 registers, used 0 barriers, 24 bytes cumulative stack size
ptxas info    : Compile time = 5.170 ms
ptxas info    : Function properties for helper
    8 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Compiling entry function 'first' for 'sm_90'
ptxas info    : Function properties for first
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 255 registers, used 1 barriers, 4096 bytes smem, 400 bytes cmem[0]
";
        let second = Usage {
            kernel: "second".into(),
            registers: 13,
            stack: 32,
            spill_stores: 4,
            spill_loads: 8,
            ..Usage::default()
        };
        let first = Usage { kernel: "first".into(), registers: 255, barriers: 1, shared: 4096, ..Usage::default() };
        assert_eq!(parse(said), [second, first]);
        assert_eq!(parse("ptxas fatal   : no input\n"), []);
    }
}
