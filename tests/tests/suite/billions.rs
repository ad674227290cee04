//! Bytes around 2^31 and 2^32 of them, where 32-bit positions end, signed and unsigned. Only a GPU is quick enough; the
//! same checks run everywhere on some ten thousand. Bytes are checked by counting: sorted, they are 256 runs.
use gridsort::{DeviceKind, SortOptions, Workspace};
use gridsort_tests::{Target, generator, targets};
use rand_xoshiro::rand_core::Rng;
use rayon::prelude::*;

/// Bytes that one core handles at a time.
const PIECE: usize = 1 << 20;

/// Random bytes, rather more small ones than large ones: runs of many lengths.
fn random_bytes(n: usize, seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; n];
    bytes.par_chunks_mut(PIECE).enumerate().for_each(|(i, piece)| {
        let mut random = generator(seed << 32 | i as u64);
        for word in piece.chunks_mut(8) {
            let (x, y) = (random.next_u64(), random.next_u64());
            let mixed = if i % 4 == 0 { x & y } else { x };
            word.copy_from_slice(&mixed.to_le_bytes()[..word.len()]);
        }
    });
    bytes
}

fn counts(bytes: &[u8]) -> Vec<usize> {
    let of_piece = |piece: &[u8]| {
        let mut counts = vec![0; 256];
        piece.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        counts
    };
    let add = |x: Vec<usize>, y: Vec<usize>| x.iter().zip(&y).map(|(x, y)| x + y).collect();
    bytes.par_chunks(PIECE).map(of_piece).reduce(|| vec![0; 256], add)
}

/// Where each value's run starts, given how often values occur; and the end.
fn starts(counts: &[usize]) -> Vec<usize> {
    let mut at = 0;
    let mut starts = vec![0];
    starts.extend(counts.iter().map(|count| {
        at += count;
        at
    }));
    starts
}

/// Whether these bytes are the runs that the counts say, and nothing else.
fn is_runs(bytes: &[u8], counts: &[usize]) -> bool {
    let starts = starts(counts);
    bytes.len() == starts[256]
        && (0..=255u8).into_par_iter().all(|value| {
            let run = &bytes[starts[usize::from(value)]..starts[usize::from(value) + 1]];
            let all = vec![value; PIECE.min(run.len())];
            run.par_chunks(PIECE).all(|piece| piece == &all[..piece.len()])
        })
}

/// Whether `order` is the stable order of `bytes`: each value's positions ascend, and are that value's.
fn is_stable_order(bytes: &[u8], order: &[u32], counts: &[usize]) -> bool {
    let starts = starts(counts);
    order.len() == starts[256]
        && (0..=255u8).into_par_iter().all(|value| {
            let run = &order[starts[usize::from(value)]..starts[usize::from(value) + 1]];
            run.par_iter().all(|&at| bytes.get(at as usize) == Some(&value))
                && run.par_windows(2).all(|pair| pair[0] < pair[1])
        })
}

/// The lengths to sort on a device: those around 2^`power` where it can. `bytes_each` is device memory for a key.
fn lengths(target: &Target, power: u32, bytes_each: u64) -> Vec<usize> {
    if target.device.kind() != DeviceKind::Cuda {
        return if target.is_slow() { vec![9000 + power as usize] } else { vec![20_000 - 17, 20_000 + 17] };
    }
    let lengths = [-17i64, 17].map(|off| ((1i64 << power) + off) as usize);
    let free = target.device.memory().unwrap().free;
    let fits = |n: &usize| *n as u64 * bytes_each + (1 << 30) < free;
    let fitting: Vec<usize> = lengths.into_iter().filter(fits).collect();
    println!("2^{power} bytes on {target}: {} of 2 lengths fit {free} bytes", fitting.len());
    fitting
}

fn check_sort(target: &Target, n: usize) {
    let bytes = random_bytes(n, 1);
    let counts = counts(&bytes);
    let mut keys = target.device.upload(&bytes).unwrap();
    target.device.sort_buffer(&mut keys, &mut Workspace::new(&target.device), SortOptions::new()).unwrap();
    assert!(is_runs(&keys.to_vec().unwrap(), &counts), "{n} bytes on {target}");
}

#[test]
fn sorts_around_2_to_the_31() {
    for target in targets() {
        lengths(target, 31, 3).into_iter().for_each(|n| check_sort(target, n));
    }
}

#[test]
fn sorts_around_2_to_the_32() {
    for target in targets() {
        lengths(target, 32, 3).into_iter().for_each(|n| check_sort(target, n));
    }
}

#[test]
fn argsorts_around_2_to_the_31() {
    for target in targets() {
        // Keys three times, positions twice.
        for n in lengths(target, 31, 3 + 8 + 1) {
            let bytes = random_bytes(n, 2);
            let keys = target.device.upload(&bytes).unwrap();
            let mut workspace = Workspace::new(&target.device);
            let order = target.device.argsort_buffer_u32(&keys, &mut workspace, SortOptions::new()).unwrap();
            drop((keys, workspace));
            let order = order.to_vec().unwrap();
            assert!(is_stable_order(&bytes, &order, &counts(&bytes)), "{n} bytes on {target}");
        }
    }
}

/// Two runs whose sum of lengths passes 2^31, neither of which does.
#[test]
fn merges_around_2_to_the_31() {
    for target in targets() {
        for n in lengths(target, 31, 3) {
            let mut bytes = random_bytes(n, 3);
            let counts = counts(&bytes);
            let mut workspace = Workspace::new(&target.device);
            let (a, b) = bytes.split_at_mut(n / 2 + 5);
            let runs = [a, b].map(|run| {
                let mut keys = target.device.upload(run).unwrap();
                target.device.sort_buffer(&mut keys, &mut workspace, SortOptions::new()).unwrap();
                keys
            });
            workspace.clear();
            let mut merged = target.device.allocate(n).unwrap();
            target.device.merge_buffers(&runs[0], &runs[1], &mut merged, SortOptions::new()).unwrap();
            assert!(is_runs(&merged.to_vec().unwrap(), &counts), "{n} bytes on {target}");
        }
    }
}

#[test]
fn the_checks_find_what_is_wrong() {
    let bytes = random_bytes(5000, 4);
    let counts = counts(&bytes);
    let mut sorted = bytes.clone();
    sorted.sort_unstable();
    assert!(is_runs(&sorted, &counts) && !is_runs(&bytes, &counts));
    let mut order: Vec<u32> = (0..5000).collect();
    order.sort_by_key(|&at| bytes[at as usize]);
    assert!(is_stable_order(&bytes, &order, &counts));
    order.swap(0, 1);
    assert!(!is_stable_order(&bytes, &order, &counts));
    order[1] = order[0];
    assert!(!is_stable_order(&bytes, &order, &counts));
    sorted[2500] = sorted[0];
    assert!(!is_runs(&sorted, &counts));
}
