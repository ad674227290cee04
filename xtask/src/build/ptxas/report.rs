//! The table of what kernels need, and the rule that none has a stack or spills without a reason.
use gridsort_kernels::simt::Kernel;

use super::Assembled;

/// A kernel that may have a stack or spills, and why.
#[derive(Clone, Copy, Debug)]
pub struct Allowed {
    /// The kernel's name.
    pub kernel: &'static str,
    /// On which GPU; none for all.
    pub target: Option<&'static str>,
    /// The most stack, bytes.
    pub stack: u32,
    /// The most spill stores and loads together, bytes.
    pub spills: u32,
    /// Why this is right all the same, with the measurement that shows it.
    pub reason: &'static str,
}

/// The kernels that may. A kernel keeps its arrays in registers only where every loop over them is unrolled, and a stack
/// is memory outside the chip: an entry here needs a measurement.
pub const ALLOWED: &[Allowed] = &[
    SCATTER_64,
    LOOK_64,
    Allowed {
        kernel: "kway_partition_64_by_16",
        target: Some("sm_80"),
        stack: 8,
        spills: 16,
        reason: "told to let four blocks start, the assembler spills nothing, but takes 96 registers for sm_90 instead of 56: 2^28 u64 keys are sorted in 13.7 ms on an H200, where they took 13.4",
    },
];

/// The scatter of 64-bit keys.
const SCATTER_64: Allowed = Allowed {
    kernel: "sample_scatter_64",
    target: Some("sm_80"),
    stack: 8,
    spills: 8,
    reason: "40 registers let two blocks of 768 threads start, which for sm_90 spill nothing: 2^28 keys a level on an H200 in 1.70 and 1.54 ms, where 512 threads take 1.92 and 1.57",
};
/// The look at 64-bit keys.
const LOOK_64: Allowed = Allowed {
    kernel: "sample_look_64",
    target: Some("sm_80"),
    stack: 40,
    spills: 100,
    reason: "40 registers let six blocks start: 2^28 sorted keys took 0.82 ms on an H200, and 0.83 when it had 46; for sm_90 it spills nothing",
};

/// The table, a line for each kernel and GPU.
pub fn table(assembled: &[Assembled], kernels: &[&Kernel]) -> String {
    let head = ["kernel", "module", "GPU", "registers", "shared", "stack", "spills", "barriers"];
    let mut rows = vec![head.map(str::to_owned)];
    for a in assembled {
        let dynamic = kernels.iter().find(|k| k.name == a.usage.kernel).map_or(0, |k| k.shared_bytes);
        rows.push([
            a.usage.kernel.clone(),
            a.module.clone(),
            a.target.to_owned(),
            a.usage.registers.to_string(),
            (a.usage.shared + dynamic).to_string(),
            a.usage.stack.to_string(),
            format!("{}+{}", a.usage.spill_stores, a.usage.spill_loads),
            a.usage.barriers.to_string(),
        ]);
    }
    let widths: Vec<usize> =
        (0..head.len()).map(|c| rows.iter().map(|r| r[c].len()).max().unwrap_or_default()).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).enumerate().map(|(c, (cell, &width))| {
            // Words to the left, numbers to the right.
            if c < 3 { format!("{cell:<width$}") } else { format!("{cell:>width$}") }
        });
        text.push_str(cells.collect::<Vec<_>>().join("  ").trim_end());
        text.push('\n');
    }
    text
}

/// What breaks the rule, one line each; and a kernel of the list that the assembler did not see.
pub fn problems(assembled: &[Assembled], kernels: &[&Kernel], allowed: &[Allowed]) -> Vec<String> {
    let mut problems = Vec::new();
    for a in assembled {
        let exception = allowed.iter().find(|e| e.kernel == a.usage.kernel && e.target.is_none_or(|t| t == a.target));
        let (stack, spills) = exception.map_or((0, 0), |e| (e.stack, e.spills));
        if a.usage.stack > stack {
            problems.push(format!("{} has a stack of {} bytes on {}", a.usage.kernel, a.usage.stack, a.target));
        }
        if a.usage.spill_stores + a.usage.spill_loads > spills {
            problems.push(format!(
                "{} spills registers on {}: {} bytes stored, {} loaded",
                a.usage.kernel, a.target, a.usage.spill_stores, a.usage.spill_loads
            ));
        }
    }
    for k in kernels.iter().filter(|k| !assembled.iter().any(|a| a.usage.kernel == k.name)) {
        problems.push(format!("the assembler said nothing of {}", k.name));
    }
    problems
}

#[cfg(test)]
mod tests {
    use super::super::usage::Usage;
    use super::*;

    fn kernel(name: &'static str) -> Kernel {
        /// # Safety
        /// Does nothing.
        unsafe fn run(_: &[gridsort_kernels::simt::Arg]) {}
        Kernel { name, module: "m", threads: 1, min_blocks: 0, barriers: 0, shared_bytes: 1000, params: &[], run }
    }

    fn assembled(kernel: &str, stack: u32, spill_loads: u32) -> Assembled {
        let usage = Usage { kernel: kernel.into(), registers: 40, shared: 24, stack, spill_loads, ..Usage::default() };
        Assembled { target: "sm_90", module: "m".into(), usage }
    }

    #[test]
    fn the_table_adds_static_and_dynamic_shared_memory() {
        let text = table(&[assembled("first", 0, 0)], &[&kernel("first")]);
        let lines: Vec<Vec<&str>> = text.lines().map(|l| l.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["kernel", "module", "GPU", "registers", "shared", "stack", "spills", "barriers"]);
        assert_eq!(lines[1], ["first", "m", "sm_90", "40", "1024", "0", "0+0", "0"]);
    }

    #[test]
    fn stack_and_spills_need_a_reason() {
        let kernel = kernel("first");
        let found = |a: Assembled, allowed: &[Allowed]| problems(&[a], &[&kernel], allowed);
        assert!(found(assembled("first", 0, 0), &[]).is_empty());
        assert_eq!(found(assembled("first", 8, 0), &[]), ["first has a stack of 8 bytes on sm_90"]);
        assert_eq!(found(assembled("first", 0, 4), &[]), ["first spills registers on sm_90: 0 bytes stored, 4 loaded"]);
        let allowed = |target| Allowed { kernel: "first", target, stack: 8, spills: 4, reason: "measured" };
        assert!(found(assembled("first", 8, 4), &[allowed(None)]).is_empty());
        assert!(found(assembled("first", 8, 4), &[allowed(Some("sm_90"))]).is_empty());
        assert_eq!(found(assembled("first", 8, 4), &[allowed(Some("sm_80"))]).len(), 2);
        assert_eq!(found(assembled("first", 16, 4), &[allowed(None)]).len(), 1);
    }

    #[test]
    fn a_kernel_that_was_not_assembled_is_missed() {
        let kernel = kernel("first");
        assert_eq!(problems(&[], &[&kernel], &[]), ["the assembler said nothing of first"]);
    }
}
