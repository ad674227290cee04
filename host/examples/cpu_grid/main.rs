//! McGridsort's grid on a CPU: an 8×8 grid in AVX-512 or AVX2 merges eight sorted runs of `u32`, against a loser tree and a
//! binary heap, on one thread. What came out is in `docs/mcgridsort.md`.
//!
//! `cargo run --release --package gridsort --example cpu_grid -- [LOG2 [REPEATS]]`
#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod grid;
mod heap;
mod inputs;
mod lanes;
mod loser_tree;
mod runs;
#[cfg(test)]
mod tests;

use grid::Instructions;
use runs::Runs;
use std::error::Error;
use std::time::Instant;

/// Millions of keys a second of a median run, and of the slowest and fastest.
fn measure(
    repeats: usize,
    runs: &Runs,
    expected: &[u32],
    out: &mut [u32],
    merge: &dyn Fn(&Runs, &mut [u32]),
) -> [f64; 3] {
    merge(runs, out);
    assert!(out == expected, "the result is not the sorted input");
    let mut rates: Vec<f64> = (0..repeats)
        .map(|_| {
            let start = Instant::now();
            merge(runs, std::hint::black_box(&mut *out));
            out.len() as f64 / start.elapsed().as_secs_f64() / 1e6
        })
        .collect();
    rates.sort_by(f64::total_cmp);
    [rates[repeats / 2], rates[0], rates[repeats - 1]]
}

/// The processor's name, where the system tells it.
fn processor() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field =
        |name: &str| Some(info.lines().find(|line| line.starts_with(name))?.split(':').nth(1)?.trim().to_owned());
    let family = [field("cpu family"), field("model\t"), field("stepping")].map(|text| text.unwrap_or_default());
    format!("{}, family/model/stepping {}", field("model name").unwrap_or("unknown".into()), family.join("/"))
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let log2: u32 = arguments.next().map_or(Ok(22), |text| text.parse())?;
    let repeats: usize = arguments.next().map_or(Ok(11), |text| text.parse())?;
    if !(4..=28).contains(&log2) || repeats == 0 {
        return Err("LOG2 is 4 to 28, REPEATS at least 1".into());
    }
    let n = 1 << log2;

    println!("{}", processor());
    let build = if cfg!(debug_assertions) { "with debug assertions: not a measurement" } else { "release" };
    let flags = if cfg!(target_feature = "avx2") { "AVX2 or more for all code" } else { "the target's baseline" };
    println!("build: {build}, {flags}; n = 2^{log2} u32, 8 runs, one thread, {repeats} repeats");
    println!("Mkeys/s: median (slowest to fastest)");
    let available = Instructions::available();
    print!("{:16}", "input");
    for instructions in &available {
        print!("{:>26}", format!("grid {instructions:?}"));
    }
    println!("{:>26}{:>26}", "loser tree", "binary heap");
    for (name, (keys, lengths)) in inputs::benchmark(n) {
        let mut expected = keys.clone();
        expected.sort_unstable();
        let runs = Runs::new(&keys, lengths);
        let mut out = vec![0; n];
        let mut cell = |merge: &dyn Fn(&Runs, &mut [u32])| {
            let [median, low, high] = measure(repeats, &runs, &expected, &mut out, merge);
            print!("{:>26}", format!("{median:.1} ({low:.1} to {high:.1})"));
        };
        print!("{name:16}");
        for &instructions in &available {
            cell(&|runs, out| grid::merge(instructions, runs, out));
        }
        cell(&loser_tree::merge);
        cell(&heap::merge);
        println!();
    }
    Ok(())
}
