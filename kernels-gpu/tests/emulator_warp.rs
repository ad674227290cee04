//! The emulator's warp collectives: what they give, and what it reports where they are misused.
#![allow(clippy::undocumented_unsafe_blocks)] // Kernels are unsafe; half of those here are wrong on purpose.
mod emulator_common;
use emulator_common::*;
use gridsort_kernels::simt::emulator::{self, FaultKind};
use gridsort_kernels::simt::thread::thread_idx_x;
use gridsort_kernels::simt::warp::*;
use gridsort_kernels::simt::{FULL_WARP, Plain};
use std::sync::Mutex;

/// What each lane of one warp gets, None for lanes that take no part; under several orders of lanes.
fn lanes<R: Copy + PartialEq + std::fmt::Debug + Send>(mask: u32, call: impl Fn(u32) -> R + Sync) -> Vec<Option<R>> {
    let mut first = None;
    for config in configs() {
        let got = Mutex::new(vec![None; 32]);
        emulator::run("collective", shape(1, 32, 0), &config, || {
            let lane = lane_id();
            if mask >> lane & 1 != 0 {
                let r = call(lane);
                got.lock().unwrap()[lane as usize] = Some(r);
            }
        })
        .unwrap();
        let got = got.into_inner().unwrap();
        assert_eq!(*first.get_or_insert_with(|| got.clone()), got);
    }
    first.unwrap()
}

/// Holds a collective against a reference that sees all lanes' values.
fn check<R: Copy + PartialEq + std::fmt::Debug + Send>(
    masks: &[u32],
    call: impl Fn(u32, u32) -> R + Sync,
    reference: impl Fn(u32, u32) -> R,
) {
    for &mask in masks {
        let expected: Vec<_> = (0..32).map(|l| (mask >> l & 1 != 0).then(|| reference(mask, l))).collect();
        assert_eq!(lanes(mask, |l| call(mask, l)), expected, "mask {mask:#x}");
    }
}

const MASKS: [u32; 5] = [FULL_WARP, 0xffff, 0xffff_0000, 0x8421_1248, 1 << 17];

fn value(lane: u32) -> u32 {
    lane.wrapping_mul(0x9E37_79B9) ^ 0x5555
}

#[test]
fn shuffles() {
    for arg in [0, 1, 5, 16, 31] {
        check(&[FULL_WARP], |m, l| warp_shuffle_xor(m, value(l), arg), |_, l| value(l ^ arg));
        check(&[FULL_WARP], |m, l| warp_shuffle_up(m, value(l), arg), |_, l| value(if l >= arg { l - arg } else { l }));
        check(
            &[FULL_WARP],
            |m, l| warp_shuffle_down(m, value(l), arg),
            |_, l| value(if l + arg < 32 { l + arg } else { l }),
        );
        check(&[FULL_WARP], |m, l| warp_shuffle_idx(m, value(l), arg + 32), |_, _| value(arg));
    }
    // Each lane its own source; halves apart.
    check(&[FULL_WARP], |m, l| warp_shuffle_idx(m, value(l), l * 7 + 3), |_, l| value((l * 7 + 3) & 31));
    check(&[0xffff, 0xffff_0000], |m, l| warp_shuffle_xor(m, value(l), 8), |_, l| value(l ^ 8));
}

fn wide<T: Plain + PartialEq + std::fmt::Debug>(of: impl Fn(u32) -> T + Sync + Copy) {
    check(&[FULL_WARP], |m, l| warp_shuffle_xor(m, of(l), 9), |_, l| of(l ^ 9));
}

#[test]
fn shuffles_of_every_width() {
    wide(|l| l as u8);
    wide(|l| (l as i16) << 8 | 7);
    wide(|l| f32::from_bits(0x3f80_0000 + l));
    wide(|l| (value(l) as u64) << 32 | l as u64);
    wide(|l| -(value(l) as f64));
    wide(|l| (value(l) as u128) << 96 | (l as u128) << 64 | value(l + 1) as u128);
}

#[test]
fn votes() {
    for p in [|l: u32| l % 3 == 1, |_| true, |_| false, |l| l == 17] {
        let named = move |m: u32| (0..32).filter(move |l| m >> l & 1 != 0);
        check(&MASKS, |m, l| warp_vote_ballot(m, p(l)), |m, _| named(m).fold(0, |b, l| b | (p(l) as u32) << l));
        check(&MASKS, |m, l| warp_vote_all(m, p(l)), |m, _| named(m).all(p));
        check(&MASKS, |m, l| warp_vote_any(m, p(l)), |m, _| named(m).any(p));
    }
}

#[test]
fn matches_and_reductions() {
    let named = |m: u32| (0..32).filter(move |l| m >> l & 1 != 0);
    for v in [|l: u32| l % 5, |_| 7, |l| l, |l| value(l) >> 30, |l| u32::MAX - l] {
        check(
            &MASKS,
            |m, l| warp_match_any(m, v(l)),
            |m, l| named(m).filter(|&o| v(o) == v(l)).fold(0, |b, o| b | 1 << o),
        );
        check(&MASKS, |m, l| warp_reduce_add(m, v(l)), |m, _| named(m).fold(0, |s, o| s.wrapping_add(v(o))));
        check(&MASKS, |m, l| warp_reduce_min(m, v(l)), |m, _| named(m).map(v).min().unwrap());
        check(&MASKS, |m, l| warp_reduce_max(m, v(l)), |m, _| named(m).map(v).max().unwrap());
    }
}

#[test]
fn halves_make_different_calls_at_once() {
    emulator::run("halves", shape(1, 64, 0), &plain(), || {
        let (lane, t) = (lane_id(), thread_idx_x());
        if lane < 16 {
            assert_eq!(warp_reduce_max(0xffff, t), t - lane + 15);
        } else {
            assert_eq!(warp_shuffle_xor(0xffff_0000, t, 1), t ^ 1);
            sync_warp(0xffff_0000);
        }
        assert_eq!(warp_vote_ballot(FULL_WARP, lane & 1 != 0), 0xaaaa_aaaa);
    })
    .unwrap();
}

#[test]
fn a_full_mask_in_a_short_warp() {
    emulator::run("short", shape(1, 40, 0), &plain(), || {
        let lanes = if thread_idx_x() < 32 { 32 } else { 8 };
        assert_eq!(warp_reduce_add(FULL_WARP, 1), lanes);
    })
    .unwrap();
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn a_lane_left_before() {
    let line = line!() + 3;
    expect(shape(1, 32, 0), FaultKind::LaneExited, (0, 3, line), Some((0, 0, line - 1)), || {
        if lane_id() == 0 { sync_warp(1); return }
        if lane_id() == 3 { warp_shuffle_xor(FULL_WARP, 1u32, 1); }
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn a_lane_leaves_meanwhile() {
    let line = line!() + 3;
    expect(shape(1, 32, 0), FaultKind::LaneExited, (0, 0, line), Some((0, 31, line - 1)), || {
        if lane_id() >= 20 { sync_warp(0xfff0_0000); return }
        warp_shuffle_xor(FULL_WARP, 1u32, 1);
    });
}

#[test]
fn a_mask_without_the_caller() {
    let line = line!() + 2;
    expect(shape(1, 32, 0), FaultKind::LaneNotInMask, (0, 16, line), None, || {
        warp_vote_ballot(0xffff, true);
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn a_source_outside_the_mask() {
    let line = line!() + 2;
    let fault = expect(shape(1, 32, 0), FaultKind::LaneNotInMask, (0, 0, line), None, || {
        if lane_id() < 16 { warp_shuffle_idx(0xffff, 1u32, 20); }
    });
    assert!(fault.text.contains("lane 0 reads lane 20, which is not in mask 0x0000ffff"), "{fault}");
}

#[test]
fn different_masks() {
    let line = line!() + 2;
    expect(shape(1, 32, 0), FaultKind::WarpDivergence, (0, 0, line), Some((0, 16, line)), || {
        warp_vote_ballot(if lane_id() < 16 { 0x0001_ffff } else { FULL_WARP }, true);
    });
}

#[rustfmt::skip] // Lines are counted.
#[test]
fn different_operations() {
    let line = line!() + 2;
    let fault = expect(shape(1, 32, 0), FaultKind::WarpDivergence, (0, 0, line), Some((0, 5, line + 1)), || {
        if lane_id() != 5 { warp_vote_ballot(FULL_WARP, true); }
        else { sync_warp(FULL_WARP) }
    });
    assert!(fault.text.contains("lane 5 waits in sync_warp"), "{fault}");
}
