//! Plans walked as the launches would walk them.
use super::*;
use crate::error::Error;
use crate::key::{KeyWidth, PayloadWidth};
use crate::plan::MAX_GRID;
use gridsort_kernels::entry::merge_sort::Tiles;

const SHAPE: Shape = Shape {
    tile: 4096,
    small_tile: 1024,
    merge_tile: 2048,
    kway_from: 1 << 21,
    kway_tile: 4224,
    kway_merge_tiles: [6928, 6816, 6592],
    kway_tile_of_32: None,
    key_bytes: 4,
    payload_bytes: 8,
};
const TINY: Shape = Shape {
    tile: 7,
    small_tile: 3,
    merge_tile: 7,
    kway_from: 50,
    kway_tile: 5,
    kway_merge_tiles: [6, 7, 3],
    kway_tile_of_32: None,
    key_bytes: 4,
    payload_bytes: 0,
};

/// Walks the plan as the launches would and checks what each pass relies on.
fn check(n: u64, shape: &Shape) -> MergeSortPlan {
    let plan = merge_sort(n, shape).unwrap();
    let tile = u64::from(match plan.tiles {
        TileSort::Small => shape.small_tile,
        TileSort::TwoWay => shape.tile,
        TileSort::Kway => shape.kway_tile,
    });
    assert!(u64::from(plan.tile_grid) * tile >= n);
    let (mut area, mut run) = (plan.tiles_to, tile);
    for (index, pass) in plan.passes.iter().enumerate() {
        assert!(run < n, "a pass with one run left");
        assert_eq!((pass.from, pass.run), (area, run));
        assert_eq!(pass.last, index + 1 == plan.passes.len());
        match pass.merge {
            Merge::TwoWay { grid } => {
                assert_eq!(run % u64::from(shape.merge_tile), 0);
                assert!(u64::from(grid) * u64::from(shape.merge_tile) >= n);
            }
            Merge::Kway { runs, tiles, boundaries, stride, partition_grid, grid } => {
                let tile = u64::from(shape.kway_merge_tiles[(runs.trailing_zeros() - 2) as usize]);
                let groups = n.div_ceil(run * u64::from(runs));
                assert!(u64::from(tiles) * tile >= n.min(run * u64::from(runs)));
                assert_eq!(u64::from(grid), groups * u64::from(tiles));
                assert_eq!(boundaries, groups * (u64::from(tiles) + 1));
                assert!(u64::from(partition_grid) * u64::from(PARTITION_THREADS) >= boundaries * u64::from(runs));
                assert!(stride >= 1 && plan.cuts_scratch_bytes >= 8 * boundaries * u64::from(runs));
            }
            Merge::Engine { .. } => panic!("{pass:?}"),
        }
        (area, run) = (area.other(), pass.merged_run());
    }
    assert!(run >= n, "runs are left to merge");
    assert_eq!(area, Area::Data);
    let moved = n * (shape.key_bytes + shape.payload_bytes);
    if plan.passes.is_empty() {
        assert_eq!(plan.scratch_bytes, 0);
    } else {
        let copies = plan.key_scratch_bytes + plan.payload_scratch_bytes;
        assert!(copies >= moved && copies < moved + 512);
        assert_eq!(plan.scratch_bytes, copies + plan.cuts_scratch_bytes);
    }
    plan
}

#[test]
fn nothing_and_one() {
    let plan = check(0, &SHAPE);
    assert_eq!((plan.tile_grid, plan.passes.len()), (0, 0));
    let plan = check(1, &SHAPE);
    assert_eq!((plan.tile_grid, plan.tiles_to, plan.passes.len()), (1, Area::Data, 0));
}

#[test]
fn around_a_tile() {
    assert_eq!(check(1024, &SHAPE).tiles, TileSort::Small);
    assert_eq!(check(1025, &SHAPE).tiles, TileSort::TwoWay);
    assert_eq!(check(4096, &SHAPE).passes, []);
    let plan = check(4097, &SHAPE);
    assert_eq!((plan.tile_grid, plan.tiles_to), (2, Area::Scratch));
    let only = MergePass { run: 4096, from: Area::Scratch, last: true, merge: Merge::TwoWay { grid: 3 } };
    assert_eq!(plan.passes, [only]);
}

#[test]
fn every_number_of_tiles_ends_in_the_data() {
    for n in 0..5000 {
        check(n, &TINY);
    }
    for tiles in 1..1200 {
        check(4096 * tiles, &SHAPE);
        check(4096 * tiles + 1, &SHAPE);
        check(4224 * tiles, &SHAPE);
        check(4224 * tiles + 1, &SHAPE);
    }
}

#[test]
fn radices_multiply_to_what_is_asked() {
    for doublings in 1..40 {
        let radices = kway_radices(doublings);
        let product: u32 = radices.iter().map(|r| r.trailing_zeros()).sum();
        assert!(product == doublings || (doublings == 1 && radices == [4]), "{doublings}: {radices:?}");
        assert!(radices.len() as u32 <= doublings.div_ceil(4) && radices.is_sorted_by(|a, b| a >= b));
    }
}

/// What [`Algorithm::Merge`](crate::Algorithm::Merge) says of itself.
#[test]
fn scratch_is_a_copy_and_a_twentieth_at_most() {
    for key in [KeyWidth::W8, KeyWidth::W16, KeyWidth::W32, KeyWidth::W64, KeyWidth::W128] {
        for payload in [PayloadWidth::None, PayloadWidth::W32, PayloadWidth::W64] {
            let shape = Shape::of(key, payload, Tiles::Full);
            for e in 16..34 {
                let plan = merge_sort(1 << e, &shape).unwrap();
                let copy = (shape.key_bytes + shape.payload_bytes) << e;
                assert!(plan.scratch_bytes <= copy * 105 / 100, "2^{e}, {shape:?}: {}", plan.scratch_bytes);
            }
        }
    }
}

#[test]
fn two_to_the_fortieth() {
    let plan = check(1 << 40, &SHAPE);
    assert_eq!(plan.passes.len(), 7);
}

#[test]
fn too_much_is_an_error() {
    let most = u64::from(MAX_GRID) * u64::from(SHAPE.kway_tile);
    check(most, &SHAPE);
    assert!(matches!(merge_sort(most + 1, &SHAPE), Err(Error::TooLarge { n, .. }) if n == most + 1));
    assert!(merge_sort(u64::MAX, &SHAPE).is_err());
}

#[test]
fn huge_tiles_do_not_overflow_the_bytes() {
    let shape = Shape { tile: 1 << 31, merge_tile: 1 << 31, kway_from: u64::MAX, key_bytes: 8, ..SHAPE };
    assert!(matches!(merge_sort(1 << 61, &shape), Err(Error::TooLarge { .. })));
}
