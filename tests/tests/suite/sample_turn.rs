//! Sample sorts of keys that fall: they are turned around while they are looked at, which must not matter where one rises.
use crate::sample::check;
use gridsort::Key;
use gridsort_kernels::tuning::SAMPLE_TURN;
use gridsort_tests::target::kernel_targets;
use gridsort_tests::{Case, DIRECTIONS, Target};

/// Lengths of an even and of an odd number of keys, of full units and others.
fn lengths(target: &Target) -> [usize; 4] {
    let unit = SAMPLE_TURN.tile() as usize;
    let many = if target.is_cuda() { 1 << 22 } else { 9_000 };
    [2 * unit, 4 * unit + 1, many, many + 3]
}

#[test]
fn small_falling_keys_are_turned_around() {
    let unit = SAMPLE_TURN.tile() as usize;
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        for n in [2 * unit, 4 * unit + 1, 9_000, 9_003] {
            falling(target, n, "different", |i| i as u32);
            falling(target, n, "wide", |i| (i as u128) << 64);
            falling(target, n, "many of each", |i| (i / 100) as f64);
            // The look itself sees all of these: too few descents to leave them to the other.
            falling(target, n, "five values", |i| (5 * i / n) as i64);
        }
    }
}

fn falling<K: Key>(target: &Target, n: usize, what: &str, key: impl Fn(usize) -> K) {
    let up: Vec<K> = (0..n).map(key).collect();
    let down = up.iter().rev().copied().collect();
    check(target, &Case::new(up, DIRECTIONS[1], format!("{n} falling keys, {what}")), 1);
    check(target, &Case::new(down, DIRECTIONS[0], format!("{n} falling keys, {what}")), 2);
}

/// A rise between two units, inside of one, of a warp's keys or between two of them, in the middle: then they must be sorted.
#[test]
fn one_key_may_rise_anywhere() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let unit = SAMPLE_TURN.tile() as usize;
        for n in lengths(target) {
            let down: Vec<u64> = (0..n as u64).rev().map(|key| key << 20).collect();
            let front = [0, 30, 31, unit - 2, unit - 1, unit, n / 2 - 2, n / 2 - 1];
            let back = front.map(|at| n - 2 - at);
            for at in front.into_iter().chain(back) {
                let mut keys = down.clone();
                keys.swap(at, at + 1);
                check(target, &Case::new(keys, DIRECTIONS[0], format!("{n} falling keys that rise at {at}")), 3);
            }
        }
    }
}

/// Halves that rise and fall, in either order, and a rise in each of some pieces that else fall.
#[test]
fn keys_that_fall_and_rise() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        for n in lengths(target) {
            let pipe = |i: usize| i.min(n - 1 - i) as u32;
            check(target, &Case::new((0..n).map(pipe).collect(), DIRECTIONS[0], format!("{n} keys, first rising")), 4);
            check(target, &Case::new((0..n).map(pipe).collect(), DIRECTIONS[1], format!("{n} keys, first falling")), 5);
            let pieces = |i: usize| (n - i + 2 * (i / 1_000 * 1_000)) as u32;
            check(target, &Case::new((0..n).map(pieces).collect(), DIRECTIONS[0], format!("{n} keys by pieces")), 6);
        }
    }
}
