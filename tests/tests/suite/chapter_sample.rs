//! The textbook's sample sort: its worked values, and the sequential one's steps on random data.
use gridsort::sample::{SampleOptions, draw_splitters};
use gridsort::{Direction, Error, Key, SortOptions, chapter, reference};
use gridsort_tests::{Case, DIRECTIONS, Pattern, for_each_key, options, payload_of, same, targets};

const INPUT: [u32; 8] = [19, 3, 42, 7, 55, 12, 38, 25];
const SPLITTERS: [u32; 2] = [15, 30];

fn worked() -> reference::SampleSortTrace<u32> {
    reference::SampleSortTrace {
        buckets: vec![1, 0, 2, 0, 2, 0, 2, 1],
        ranks: vec![0, 0, 0, 1, 1, 2, 2, 1],
        counts: vec![3, 2, 3],
        offsets: vec![0, 3, 5],
        scattered: vec![3, 7, 12, 19, 25, 42, 55, 38],
        sorted: vec![3, 7, 12, 19, 25, 38, 42, 55],
    }
}

#[test]
fn small_sample_sort_gives_the_worked_values() {
    assert_eq!(reference::sample_sort(&INPUT, &SPLITTERS, u32::cmp), worked());
    for target in targets() {
        let trace = chapter::sample_sort(&target.device, &INPUT, &SPLITTERS, SortOptions::new()).unwrap();
        assert_eq!(trace, worked(), "{target}");
    }
}

/// Every step against the sequential one's, and payloads against a stable sort.
fn check<K: Key>(keys: Vec<K>, splitters: &[K], direction: Direction, what: &str) {
    let case = Case::new(keys, direction, what);
    let order = |x: &K, y: &K| match direction {
        Direction::Ascending => x.order(y),
        Direction::Descending => y.order(x),
    };
    let expected = reference::sample_sort(&case.keys, splitters, order);
    same(&expected.sorted, &case.sorted, || format!("reference, {what}"));
    let payloads: Vec<u32> = (0..case.keys.len() as u64).map(payload_of).collect();
    for target in targets() {
        let at = |step: &str| format!("{step} of {what}, {} keys {} on {target}", case.keys.len(), K::NAME);
        let device = &target.device;
        let (trace, carried) =
            chapter::sample_sort_pairs(device, &case.keys, &payloads, splitters, options(direction)).unwrap();
        assert_eq!(trace.buckets, expected.buckets, "{}", at("buckets"));
        assert_eq!(trace.counts, expected.counts, "{}", at("counts"));
        assert_eq!(trace.offsets, expected.offsets, "{}", at("offsets"));
        assert_eq!(trace.ranks, expected.ranks, "{}", at("ranks"));
        same(&trace.scattered, &expected.scattered, || at("scattered"));
        same(&trace.sorted, &case.sorted, || at("sorted"));
        same(&carried, &case.sorted_payloads::<u32>(), || at("payloads"));
        let alone = chapter::sample_sort(device, &case.keys, splitters, options(direction)).unwrap();
        same(&alone.sorted, &case.sorted, || at("keys alone"));
    }
}

fn check_drawn<K: Key>(pattern: Pattern, lengths: &[usize], buckets: &[usize]) {
    for (&n, direction) in lengths.iter().flat_map(|n| DIRECTIONS.map(|direction| (n, direction))) {
        for &buckets in buckets {
            let keys = pattern.keys::<K>(n, 5);
            let splitters = draw_splitters(&keys, direction, SampleOptions::new(buckets));
            check(keys, &splitters, direction, &format!("{pattern:?} in {buckets} buckets"));
        }
    }
}

#[test]
fn small_sample_sort_equals_the_sequential_one() {
    for_each_key!(check_drawn(Pattern::Special, &[0, 1, 257], &[1, 3]));
    check_drawn::<u32>(Pattern::Random, &[2, 255, 256, 1000], &[1, 2, 7, 300]);
    // Splitters that occur more than once leave buckets empty.
    check_drawn::<u64>(Pattern::Sawtooth, &[700], &[40]);
}

#[test]
fn small_empty_and_overfull_buckets() {
    check(vec![7u32; 900], &[7, 7, 7], Direction::Ascending, "all equal");
    check(vec![7u32; 900], &[8, 9], Direction::Ascending, "all below");
    check((0..900u32).rev().collect(), &[0, 1, 2, 2000], Direction::Ascending, "one bucket for nearly all");
    check(Vec::<u32>::new(), &[1, 2], Direction::Ascending, "nothing");
    // More buckets than keys, and than a block has threads.
    check(vec![5u32, 600, 3], &(0..600).collect::<Vec<u32>>(), Direction::Ascending, "600 splitters");
}

#[test]
fn small_wrong_splitters_and_lengths_are_refused() {
    for target in targets() {
        let device = &target.device;
        let unsorted = chapter::sample_sort(device, &INPUT, &[15, 30, 29], SortOptions::new());
        assert!(matches!(unsorted, Err(Error::NotSorted { position: 2, .. })), "{target}");
        let falling = chapter::sample_sort(device, &INPUT, &SPLITTERS, SortOptions::new().descending());
        assert!(matches!(falling, Err(Error::NotSorted { position: 1, .. })), "{target}");
        let short = chapter::sample_sort_pairs(device, &INPUT, &[1], &SPLITTERS, SortOptions::new());
        assert!(matches!(short, Err(Error::LengthMismatch { expected: 8, found: 1, .. })), "{target}");
    }
}
