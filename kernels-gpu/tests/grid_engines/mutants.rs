//! Each barrier, of a block or a warp, and each wait for copies, taken out, is missed.
use super::*;
use emulator::mutate::skip_barrier_at;

/// Skips what is on each line of a source that has one of the words, and demands that `run` panics.
fn check(file: &'static str, source: &str, words: &[&str], lines: usize, run: impl Fn()) {
    run();
    let numbers: Vec<u32> = source
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().starts_with("//") && words.iter().any(|word| line.contains(word)))
        .map(|(_, number)| number)
        .collect();
    assert_eq!(numbers.len(), lines, "{file}: {numbers:?}");
    for line in numbers {
        let _skipped = skip_barrier_at(file, line);
        let run = std::panic::AssertUnwindSafe(&run);
        assert!(std::panic::catch_unwind(run).is_err(), "nobody misses line {line} of {file}");
    }
}

fn run_small(name: &str) {
    let engines = small_engines!(u32, Pairs<u32>).into_iter().chain(small_lists!(u32, Pairs<u32>));
    let engine = engines.into_iter().find(|engine| engine.0 == name).unwrap();
    for work in works(engine.1 as usize, false) {
        small(engine, &work, &plain(), true).check(true, &work.name);
    }
}

#[test]
fn of_a_grid() {
    let words = ["team::sync()", "first_order::<K", "restore::restore::<K", "streams.replace::<"];
    // Deeper inside are those for a watcher, which no kernel has.
    let source = include_str!("../../src/grid/single.rs").replace("            team::sync()", "");
    check("src/grid/single.rs", &source, &words, 4, || run_small("ti4, b = 4"));
    check("src/grid/single.rs", &source, &words, 4, || run_small("incremental8"));
}

#[test]
fn of_several_extractions() {
    let words = ["team::sync()", "first_order::<K", "restore::restore::<K", "streams.replace::<"];
    check("src/grid/several.rs", include_str!("../../src/grid/several.rs"), &words, 5, || run_small("double8"));
}

#[test]
fn of_a_list() {
    let words = ["merge_in::<K", "streams.replace::<"];
    check("src/grid/gridless.rs", include_str!("../../src/grid/gridless.rs"), &words, 3, || run_small("gridless4"));
}

#[test]
fn of_the_plain_sort() {
    let words = ["team::sync()", "streams.replace::<"];
    check("src/grid/plain.rs", include_str!("../../src/grid/plain.rs"), &words, 3, || run_small("plain4"));
}

#[test]
fn of_two_warps() {
    let words = ["thread::sync_threads()", "sort_axis::<K>(", "streams.replace::<"];
    let kernel = grid_kernel(Engine::Ti32Pair, KeyWidth::W32, PayloadWidth::None).unwrap();
    let source = include_str!("../../src/grid/pair.rs");
    // The barrier in `sort_axis` counts where it is called; the last line is that of its definition.
    let source = source.replacen("    thread::sync_threads();\n}", "\n}", 1);
    check("src/grid/pair.rs", &source, &words, 9, || {
        for work in works(32, false) {
            launch(kernel, 1, &work, &plain(), false, false);
        }
    });
}
