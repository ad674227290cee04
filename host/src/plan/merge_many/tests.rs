//! Plans that are followed on paper: every input goes in once, in order, and no pass reads what it writes.
use super::*;
use crate::key::PayloadWidth;
use crate::plan::MAX_GRID;
use std::collections::BTreeMap;

fn shape(tiles: Tiles) -> Shape {
    Shape::of(KeyWidth::W64, PayloadWidth::W32, tiles)
}

/// Follows a plan: each area holds runs, by where they begin, as lists of inputs. Gives the inputs in the result, and how
/// many keys were moved.
fn follow(lengths: &[u64], plan: &MergeManyPlan, shape: &Shape) -> (Vec<usize>, u64) {
    let mut areas: [BTreeMap<u64, (u64, Vec<usize>)>; 2] = Default::default();
    let index = |area| usize::from(area == Area::Scratch);
    let mut moved = 0;
    for pass in &plan.passes {
        let mut written = BTreeMap::new();
        let mut end = 0;
        for group in &pass.groups {
            let mut inputs = Vec::new();
            for &(place, len) in &group.runs {
                match place {
                    RunPlace::Input(input) => {
                        assert_eq!(lengths[input], len);
                        inputs.push(input);
                    }
                    RunPlace::Merged(area, at) => {
                        assert_ne!(area, pass.to, "a pass writes what it reads");
                        // Taken out: nothing is merged twice.
                        let (found, run) = areas[index(area)].remove(&at).unwrap();
                        assert_eq!(found, len);
                        inputs.extend(run);
                    }
                }
            }
            assert_eq!((group.at, group.len), (end, group.runs.iter().map(|run| run.1).sum()));
            end += group.len;
            assert_eq!(group.merge.is_none(), group.runs.len() == 1);
            if let Some(Merge::Kway { runs, tiles, boundaries, partition_grid, grid, .. }) = group.merge {
                assert!((KWAY_RUNS.contains(&runs) || runs == shape.most_runs()) && group.runs.len() <= runs as usize);
                assert!(runs == KWAY_RUNS[0] || group.runs.len() > runs as usize / 2, "wider than it must be");
                let tile = match KWAY_RUNS.iter().position(|&r| r == runs) {
                    Some(index) => shape.kway_merge_tiles[index],
                    None => shape.kway_tile_of_32.unwrap(),
                };
                assert_eq!(u64::from(tiles), group.len.div_ceil(tile.into()));
                assert_eq!((grid, boundaries), (tiles, u64::from(tiles) + 1));
                assert!(u64::from(partition_grid) * 128 >= boundaries * u64::from(runs) && grid <= MAX_GRID);
                assert!(plan.cuts_bytes >= 8 * boundaries * u64::from(runs));
            }
            written.insert(group.at, (group.len, inputs));
        }
        if pass.to == Area::Scratch {
            assert!(plan.key_bytes >= end * shape.key_bytes && plan.payload_bytes >= end * shape.payload_bytes);
        }
        assert!(end <= plan.n);
        moved += end;
        areas[index(pass.to)] = written;
    }
    let [data, scratch] = &mut areas;
    assert!(scratch.is_empty(), "a run is left behind");
    let (len, inputs) = data.remove(&0).unwrap();
    assert_eq!(len, plan.n);
    assert!(data.is_empty());
    (inputs, moved)
}

fn check(lengths: &[u64], shape: &Shape) -> u64 {
    let plan = merge_many(lengths, shape).unwrap();
    let filled: Vec<usize> = (0..lengths.len()).filter(|&input| lengths[input] > 0).collect();
    assert_eq!((plan.n, plan.filled), (lengths.iter().sum(), filled.len()));
    if filled.len() <= 2 {
        assert!(plan.passes.is_empty() && plan.scratch_bytes == 0);
        return 0;
    }
    assert_eq!(plan.passes.last().unwrap().to, Area::Data);
    let most = shape.most_runs() as usize;
    assert!(most.pow(plan.passes.len() as u32) >= filled.len());
    assert!(filled.len() <= most || most.pow(plan.passes.len() as u32 - 1) < filled.len(), "a pass too many");
    let (inputs, moved) = follow(lengths, &plan, shape);
    assert_eq!(inputs, filled);
    moved
}

#[test]
fn every_number_of_inputs() {
    let shape = shape(Tiles::Full);
    for k in (0..300).chain([4095, 4096, 4097, 5000]) {
        check(&vec![1000; k], &shape);
    }
}

#[test]
fn one_pass_takes_sixteen_and_more_move_little() {
    // Keys of 128 bits have no kernel for 32.
    let shape = Shape::of(KeyWidth::W128, PayloadWidth::W32, Tiles::Full);
    let len = 1 << 22;
    assert_eq!(check(&[len; 16], &shape), 16 * len);
    assert_eq!(check(&[len; 17], &shape), (17 + 2) * len);
    // Thirty-two become sixteen: half of them are left alone, or nearly so.
    let moved = check(&[len; 32], &shape);
    assert!((32 + 17) * len < moved && moved <= (32 + 22) * len, "{moved}");
    // In few groups: each is launches of its own. Where keys are few, groups count for more than keys.
    let groups = |len: u64, k: usize| merge_many(&vec![len; k], &shape).unwrap().passes[0].groups.len();
    assert_eq!([1 << 10, 1 << 18, 1 << 22, 1 << 26].map(|len| groups(len, 32)), [2, 2, 4, 4]);
    assert_eq!([1 << 10, 1 << 26].map(|len| groups(len, 17)), [1, 1]);
    assert_eq!(groups(1 << 10, 40), 2);
    assert_eq!(groups(1 << 10, 256), 16);
    // A long one among short ones is moved once.
    let mut lengths = [len; 100];
    lengths[70] = 1 << 40;
    assert!(check(&lengths, &shape) < (1 << 40) + 2 * 99 * len);
}

#[test]
fn one_pass_takes_thirty_two_where_there_are_kernels() {
    let shape = shape(Tiles::Full);
    let len = 1 << 22;
    assert_eq!(check(&[len; 32], &shape), 32 * len);
    assert_eq!(check(&[len; 33], &shape), (33 + 2) * len);
    assert_eq!(merge_many(&[len; 1024], &shape).unwrap().passes.len(), 2);
    assert_eq!(merge_many(&[len; 1025], &shape).unwrap().passes.len(), 3);
}

#[test]
fn too_many_keys_are_refused() {
    let shape = shape(Tiles::Full);
    assert!(matches!(merge_many(&[u64::MAX, 1], &shape), Err(Error::TooLarge { .. })));
    assert!(matches!(merge_many(&[1 << 60; 3], &shape), Err(Error::TooLarge { .. })));
    assert!(matches!(merge_many_pairs(&[1; 3], KeyWidth::W8, 17, Tiles::Full), Err(Error::PayloadSize { .. })));
    assert!(matches!(merge_many_pairs(&[u64::MAX; 3], KeyWidth::W8, 16, Tiles::Full), Err(Error::TooLarge { .. })));
}

#[test]
fn any_lengths() {
    let mut state = 1u64;
    let mut random = |below: u64| {
        state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (state >> 33) % below
    };
    for _ in 0..300 {
        let runs = random(500);
        let mut lengths = Vec::new();
        for _ in 0..runs {
            let below = [1, 50, 1_000_000][random(3) as usize];
            lengths.push(random(below));
        }
        check(&lengths, &shape(Tiles::Full));
        check(&lengths, &shape(Tiles::Small));
    }
}
