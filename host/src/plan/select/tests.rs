use super::*;
use gridsort_kernels::tuning::{SELECT, SELECT_SMALL};

fn rows_plan(rows: u64, columns: u64, k: u64) -> StreamPlan {
    match select(rows, columns, k, 4, &SELECT).unwrap() {
        SelectPlan::Rows(plan) => plan,
        other => panic!("{rows} x {columns}, {k}: {other:?}"),
    }
}

#[test]
fn levels_lead_to_k() {
    for tuning in [SELECT, SELECT_SMALL] {
        for rows in [1, 2, 100, 5000, 1 << 33] {
            for columns in [1, 31, 128, 129, 2048, 2049, 100_000, 1 << 26, 1 << 32, 1 << 35] {
                for k in [1, 16, 17, 64, 65, 1024].into_iter().filter(|&k| k <= columns) {
                    let SelectPlan::Rows(plan) = select(rows, columns, k, 4, &tuning).unwrap() else { continue };
                    let mut left = columns;
                    for level in &plan.levels {
                        assert_eq!(level.columns, left, "{plan:?}");
                        assert!(level.grid >= 1 && u64::from(level.grid) <= tuning.looping_grid);
                        match level.way {
                            StreamWay::Narrow { segment } => {
                                assert!(u64::from(segment) >= left && segment >= 2 && segment <= tuning.capacity)
                            }
                            StreamWay::Stream { slices, slice, room } => {
                                assert!(u64::from(slices) * slice >= left && u64::from(slices - 1) * slice < left);
                                assert!(slice <= MAX_PIECE && room.is_power_of_two() && room <= tuning.capacity);
                                let found = k.min(round(tuning.capacity).into());
                                assert!(u64::from(room) >= 2 * found && (slices == 1 || (k == found && k <= slice)));
                            }
                        }
                        assert!(level.results < left || level.results == k);
                        left = level.results;
                    }
                    assert_eq!(left, k, "{plan:?}");
                }
            }
        }
    }
}

#[test]
fn blocks_fill_the_gpu() {
    // One read by a block a row, and none of scratch memory.
    assert_eq!(rows_plan(4096, 128_256, 50).levels.len(), 1);
    let plan = rows_plan(1, 1 << 28, 16);
    assert!((1500..=1584).contains(&plan.levels[0].grid) && plan.levels.len() == 2, "{plan:?}");
    assert!(plan.scratch_bytes < 1 << 20);
    // Short rows share blocks.
    assert_eq!(rows_plan(1 << 20, 256, 10).levels[0].grid, 1 << 17);
}

#[test]
fn lists_become_short() {
    for (n, k) in [(1 << 28, 4096), (1 << 28, 1 << 20), (1 << 24, 300), (1 << 33, 1 << 16)] {
        let SelectPlan::Lists(plan) = select(1, n, k, 4, &SELECT).unwrap() else { panic!("{n} {k}") };
        assert_eq!(plan.wide, n > 1 << 32);
        assert!(plan.lists.iter().all(|list| list.capacity > k && list.elements % ALIGNMENT == 0));
        assert!(plan.lists.windows(2).all(|two| two[1].capacity <= two[0].capacity / 2));
        let last = plan.lists[plan.lists.len() - 1];
        assert!(last.capacity <= 16 * k + 40_000, "{n} {k}: {plan:?}");
        assert!(plan.sort >= last.elements + last.capacity * if plan.wide { 16 } else { 8 });
        let bits: u32 = plan.rank.digits.iter().map(|digit| digit.bits).sum();
        assert_eq!(bits, 32 + (n - 1).ilog2() + 1);
    }
}

#[test]
fn many_of_an_array_are_sorted() {
    for (n, k, bytes) in [(1 << 28, 1 << 27, 4), (1 << 28, 5000, 16), (100_000, 50_000, 4), (1 << 20, 1 << 20, 1)] {
        assert_eq!(select(1, n, k, bytes, &SELECT).unwrap(), SelectPlan::Sort, "{n} {k} {bytes}");
    }
    assert_eq!(select(0, 5, 3, 4, &SELECT).unwrap(), SelectPlan::Nothing);
    assert_eq!(select(5, 5, 0, 4, &SELECT).unwrap(), SelectPlan::Nothing);
}

#[test]
fn sizes_that_cannot_be_are_errors() {
    assert!(select(1, u64::MAX / 2, 1 << 20, 4, &SELECT).is_err());
    assert!(select(1, 1 << 21, u64::MAX, 4, &SELECT).is_err());
    assert_eq!(select_rank(0, 4, &SELECT).map(|plan| plan.n).ok(), Some(0));
}
