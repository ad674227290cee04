//! The chapter's worked examples.
use crate::support::Bench;

const CHAPTER_A_B: &str = "explain corank --input 1,3,6,8/2,4,5,7";
const CHAPTER_SORT: &str = "explain mergesort --input 5,2,8,1,9,3,7,4";

#[test]
fn co_ranks_of_the_chapter() {
    let out = Bench::new().ok(CHAPTER_A_B).stdout;
    assert!(out.contains("(0,0) (1,0) (1,1) (2,1) (2,2) (2,3) (3,3) (3,4)"), "{out}");
    assert!(out.contains("k=0..7"), "{out}");
    let merged = out.lines().find(|line| line.starts_with("merged")).unwrap();
    assert!(merged.ends_with(": 1 2 3 4 5 6 7 8"), "{merged}");
}

#[test]
fn passes_of_the_chapter() {
    let out = Bench::new().ok(CHAPTER_SORT).stdout;
    let passes: Vec<&str> = out.lines().filter(|line| line.starts_with("pass ")).collect();
    assert_eq!(
        passes,
        [
            "pass 1 (width=1, 8 threads): 2 5 1 8 3 9 4 7",
            "pass 2 (width=2, 8 threads): 1 2 5 8 3 4 7 9",
            "pass 3 (width=4, 8 threads): 1 2 3 4 5 7 8 9",
        ]
    );
    assert!(out.contains("[2 5] + [1 8] -> [1 2 5 8]"), "{out}");
}

#[test]
fn ties_are_cut_so_that_a_comes_first() {
    // The chapter's own search answers (1,1) for k = 2.
    let out = Bench::new().ok("explain corank --input 0,1,2,2/1,1").stdout;
    assert!(out.contains("(0,0) (1,0) (2,0) (2,1) (2,2) (3,2)"), "{out}");
}

#[test]
fn runs_that_end_early_or_are_empty() {
    let bench = Bench::new();
    let out = bench.ok("explain mergesort --input 3,-1,2").stdout;
    assert!(out.lines().any(|line| line == "pass 2 (width=2, 3 threads): -1 2 3"), "{out}");
    assert!(bench.ok("explain corank --input 1,2/").stdout.contains("(0,0) (1,0)"));
    assert!(bench.ok("explain corank --input /1,2").stdout.contains("(0,0) (0,1)"));
    assert!(bench.ok("explain mergesort --input 7").stdout.contains("sorted: 7"));
}

#[test]
fn bad_input_has_one_clear_line() {
    let bench = Bench::new();
    for (args, word) in [
        ("explain corank --input 1,3,2/2,4", "A is not sorted: 2 comes after 3"),
        ("explain corank --input 1,3/4,2", "B is not sorted: 2 comes after 4"),
        ("explain corank --input 1,2,3", "A/B"),
        ("explain corank --input 1/2/3", "A/B"),
        ("explain corank --input 1,x/2", "\"x\""),
        ("explain mergesort --input 1,,2", "\"\""),
        ("explain mergesort --input 1,99999999999999999999", "99999999999999999999"),
        ("explain mergesort --input 1/2", "\"1/2\""),
        ("explain bogosort --input 1", "bogosort"),
        ("explain corank", "--input"),
    ] {
        let line = bench.fails(args);
        assert!(line.contains(word), "{args}: {line}");
    }
}

#[test]
fn rounds_of_a_small_grid() {
    let out = Bench::new().ok("explain grid --n 4 --b 3 --seed 1").stdout;
    assert!(out.contains("among the 4 cells [in brackets], C(3)"), "{out}");
    let numbers = |line: &str| -> Vec<u32> {
        line.split_once(':').unwrap().1.split_whitespace().map(|word| word.parse().unwrap()).collect()
    };
    let mut streams: Vec<u32> = out.lines().skip(1).take(4).flat_map(numbers).collect();
    streams.sort();
    let merged = numbers(out.lines().find(|line| line.starts_with("merged")).unwrap());
    assert_eq!(merged, streams);
    // What leaves in the rounds is the merge, three at a time.
    let rounds = out.lines().filter(|line| line.starts_with("round "));
    let leave = |line: &str| line.split_once(": ").unwrap().1.split_once(" leave").unwrap().0.to_owned();
    let left: Vec<String> = rounds.map(leave).collect();
    assert_eq!(left.len(), merged.len().div_ceil(3));
    assert_eq!(left.join(" "), merged.iter().map(u32::to_string).collect::<Vec<_>>().join(" "));
    // Another seed, another grid.
    let other = Bench::new().ok("explain grid --n 8 --b 8 --seed 2").stdout;
    assert!(other.contains("among the 12 cells"), "{other}");
    for (args, word) in
        [("explain grid --n 5", "n is 4 or 8"), ("explain grid --b 0", "1 to n"), ("explain grid --b 5", "1 to n")]
    {
        let line = Bench::new().fails(args);
        assert!(line.contains(word), "{args}: {line}");
    }
}

const SAMPLE_SORT: &str = "explain samplesort --input 19,3,42,7,55,12,38,25";

#[test]
fn sample_sort_of_the_chapter() {
    let out = Bench::new().ok(&format!("{SAMPLE_SORT} --splitters 15,30")).stdout;
    for line in [
        "splitters: 15, 30  (3 buckets)",
        "bucket of each element:       1 0 2 0 2 0 2 1",
        "rank within own bucket:       0 0 0 1 1 2 2 1",
        "count per bucket:  3 2 3",
        "offset per bucket: 0 3 5",
        "scattered by bucket: 3 7 12 19 25 42 55 38",
        "bucket 0, sorted independently: 3 7 12",
        "bucket 1, sorted independently: 19 25",
        "bucket 2, sorted independently: 38 42 55",
        "sorted: 3 7 12 19 25 38 42 55",
        "largest bucket over mean: 3 / 2.67 = 1.12",
    ] {
        assert!(out.lines().any(|found| found == line), "{line:?} is missing in\n{out}");
    }
}

#[test]
fn sample_sort_draws_splitters_by_seed() {
    let run = |seed: u32| Bench::new().ok(&format!("{SAMPLE_SORT} --buckets 4 --oversampling 1 --seed {seed}")).stdout;
    let outs: Vec<String> = (0..8).map(run).collect();
    assert_eq!(outs[3], run(3));
    assert!(outs.iter().any(|out| *out != outs[0]), "eight seeds draw the same");
    for out in outs {
        assert!(out.contains("(4 buckets)") && out.contains("sorted: 3 7 12 19 25 38 42 55"), "{out}");
    }
}

#[test]
fn sample_sort_refuses_bad_input() {
    let bench = Bench::new();
    for (args, word) in [
        ("--input 1,2 --splitters 3,2", "not sorted: 2 comes after 3"),
        ("--input 1,2 --splitters 3,x", "--splitters: \"x\""),
        ("--input 1,,2 --splitters 3", "--input: \"\""),
        ("--input 1,2 --buckets 0", "--buckets"),
        ("--input 1,2 --buckets 2 --splitters 1", "--splitters"),
        ("--input=", "nothing to sort"),
    ] {
        let line = bench.fails(&format!("explain samplesort {args}"));
        assert!(line.contains(word), "{args}: {line}");
    }
}
