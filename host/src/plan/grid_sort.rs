//! The k-way merge sort whose passes are merged by an engine of McGridsort.
use super::merge_sort::{TileSort, first_tile, passes};
use super::{Merge, MergeSortPlan, Shape, grid, merge_sort};
use crate::engine::Engine;
use crate::error::Result;
use gridsort_kernels::tuning::{GridShape, PARTITION_THREADS, PIECES_THREADS};

const WHAT: &str = "sort by an engine";

/// Plans the sort of `n` keys by an engine: the tile sort, then as few passes as it takes where each merges as many runs as
/// the engine takes streams. Each group of runs is cut into pieces of the same length, and a team merges a piece.
///
/// [`Engine::Tile`] has the plan of [`merge_sort`] with passes that merge more than two runs at every size.
///
/// ```
/// use gridsort::{Engine, KeyWidth, PayloadWidth, Tiles, plan::{self, Shape}};
///
/// let shape = Shape::of(KeyWidth::W32, PayloadWidth::None, Tiles::Full);
/// let passes = |engine| plan::grid_sort(1 << 28, engine, &shape).map(|plan| plan.passes.len());
/// assert_eq!((passes(Engine::Ti16)?, passes(Engine::Ti32)?, passes(Engine::Tile)?), (4, 4, 4));
/// # Ok::<(), gridsort::Error>(())
/// ```
///
/// # Errors
/// [`Error::TooLarge`](crate::Error::TooLarge).
pub fn grid_sort(n: u64, engine: Engine, shape: &Shape) -> Result<MergeSortPlan> {
    let Some(engine) = engine.shape() else {
        return merge_sort(n, &Shape { kway_from: 0, ..*shape });
    };
    let tiles = if n <= u64::from(shape.small_tile) { TileSort::Small } else { TileSort::Kway };
    let most = engine.streams.trailing_zeros();
    let piece = piece(n, engine, shape);
    passes(
        n,
        shape,
        first_tile(tiles, shape),
        |doublings| radices(doublings, most),
        |run, runs| merge(n, run, runs, piece, engine),
    )
}

/// How many runs each pass merges, so that all together merge 2^`doublings`: no more than 2^`most`, in as few passes as
/// possible, wide ones first. At least four: cuts are searched for four lanes and more.
fn radices(doublings: u32, most: u32) -> Vec<u32> {
    let (full, rest) = ((doublings / most) as usize, doublings % most);
    let mut radices = vec![1 << most; full];
    match (rest, full) {
        (0, _) => {}
        (1, 1..) => {
            radices.pop();
            radices.extend([1 << (most - 1), 4]);
        }
        _ => radices.push(4.max(1 << rest)),
    }
    radices
}

/// Keys of a piece. Long enough that filling a grid of `streams`² at the start of a piece and running it dry at the end
/// costs little, and no longer: pieces must outnumber the teams of a whole GPU (7000 of 16 lanes on an H200) several times
/// where there are many keys. Some tiles at most, so that tiny tiles have short pieces too.
fn piece(n: u64, engine: GridShape, shape: &Shape) -> u64 {
    let grid = u64::from(engine.streams).pow(2);
    let wanted = (n >> 23).saturating_mul(grid);
    wanted.clamp(8 * grid, 32 * grid).min(4 * u64::from(shape.kway_tile))
}

/// A pass that merges `runs` runs of `run` keys at once by pieces of about `piece`, and the words of scratch memory that it
/// takes: cuts, where each piece of each run begins and ends, and where its output goes.
fn merge(n: u64, run: u64, runs: u32, piece: u64, engine: GridShape) -> Result<(Merge, u64)> {
    let group = run.saturating_mul(u64::from(runs));
    let groups = n.div_ceil(group);
    let longest = group.min(n);
    // Of the same length, so that none is left over.
    let piece = longest.div_ceil(longest.div_ceil(piece)) as u32;
    let tiles = grid(WHAT, longest, piece)?;
    let pieces = grid(WHAT, groups.saturating_mul(u64::from(tiles)), 1)?;
    let boundaries = groups * (u64::from(tiles) + 1);
    let words = |count: u64| count.saturating_mul(u64::from(runs));
    let merge = Merge::Engine {
        runs,
        piece,
        tiles,
        boundaries,
        stride: if tiles > 64 { 16 } else { 1 },
        partition_grid: grid(WHAT, words(boundaries), PARTITION_THREADS)?,
        pieces,
        pieces_grid: grid(WHAT, words(pieces.into()), PIECES_THREADS)?,
        grid: pieces.div_ceil(engine.pieces()),
    };
    Ok((merge, words(boundaries) + 2 * words(pieces.into()) + u64::from(pieces)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::Error;
    use crate::key::{KeyWidth, PayloadWidth};
    use crate::plan::{Area, MAX_GRID};
    use gridsort_kernels::entry::merge_sort::Tiles;

    /// Walks the plan as the launches would.
    fn check(n: u64, engine: Engine, shape: &Shape) -> MergeSortPlan {
        let plan = grid_sort(n, engine, shape).unwrap();
        let tile = if plan.tiles == TileSort::Small { shape.small_tile } else { shape.kway_tile };
        assert!(u64::from(plan.tile_grid) * u64::from(tile) >= n);
        let (mut area, mut run) = (plan.tiles_to, u64::from(tile));
        for pass in &plan.passes {
            let Merge::Engine { runs, piece, tiles, boundaries, partition_grid, pieces, pieces_grid, grid, .. } =
                pass.merge
            else {
                panic!("{pass:?}")
            };
            assert!(run < n && (pass.run, pass.from) == (run, area), "{pass:?}");
            assert!([4, 8, 16, 32].contains(&runs) && runs <= engine.streams());
            let group = n.min(run * u64::from(runs));
            let groups = n.div_ceil(run * u64::from(runs));
            assert!(u64::from(piece) * u64::from(tiles) >= group && u64::from(piece) * u64::from(tiles - 1) < group);
            assert_eq!(u64::from(pieces), groups * u64::from(tiles));
            assert_eq!(boundaries, groups * (u64::from(tiles) + 1));
            assert!(u64::from(partition_grid) * u64::from(PARTITION_THREADS) >= boundaries * u64::from(runs));
            assert!(u64::from(pieces_grid) * u64::from(PIECES_THREADS) >= u64::from(pieces) * u64::from(runs));
            assert!(u64::from(grid) * u64::from(engine.shape().unwrap().pieces()) >= u64::from(pieces));
            let words = u64::from(runs) * (boundaries + 2 * u64::from(pieces)) + u64::from(pieces);
            assert!(plan.cuts_scratch_bytes >= 8 * words);
            (area, run) = (area.other(), pass.merged_run());
        }
        assert!(run >= n && area == Area::Data);
        assert_eq!(plan.passes.iter().filter(|pass| pass.last).count(), plan.passes.len().min(1));
        plan
    }

    fn shape(tiles: Tiles) -> Shape {
        Shape::of(KeyWidth::W32, PayloadWidth::None, tiles)
    }

    #[test]
    fn passes_are_as_few_as_streams_allow() {
        let shape = shape(Tiles::Small);
        let tile = u64::from(shape.kway_tile);
        for engine in Engine::ALL.into_iter().filter(|&engine| engine != Engine::Tile) {
            let k = u64::from(engine.streams());
            for n in
                [0, 1, tile - 1, tile, tile + 1, k * tile - 1, k * tile, k * tile + 1, k * k * tile, k * k * tile + 1]
            {
                let plan = check(n, engine, &shape);
                let passes = (0..).find(|&passes| tile * k.pow(passes) >= n).unwrap();
                assert_eq!(plan.passes.len() as u32, passes, "{engine}, {n} keys");
            }
        }
    }

    #[test]
    fn any_number_of_tiles_will_do() {
        for tiles in [Tiles::Small, Tiles::Full] {
            let shape = shape(tiles);
            for of in 1..1100 {
                for n in [u64::from(shape.kway_tile) * of - 1, u64::from(shape.kway_tile) * of + 1] {
                    check(n, Engine::Ti16, &shape);
                    check(n, Engine::Ti32Pair, &shape);
                }
            }
        }
    }

    #[test]
    fn pieces_are_many_where_keys_are() {
        let shape = shape(Tiles::Full);
        for (engine, teams) in [(Engine::Ti16, 7000), (Engine::Ti32, 2000)] {
            let pieces = |log2: u32| match check(1 << log2, engine, &shape).passes[0].merge {
                Merge::Engine { pieces, .. } => pieces,
                _ => 0,
            };
            assert!(pieces(28) > 3 * teams && pieces(24) >= teams, "{engine}: {} {}", pieces(24), pieces(28));
            let plan = check(1 << 28, engine, &shape);
            assert!(plan.cuts_scratch_bytes * 10 < plan.key_scratch_bytes);
        }
    }

    #[test]
    fn radices_multiply_to_what_is_asked() {
        for (most, doublings) in [4, 5].into_iter().flat_map(|most| (1..40).map(move |doublings| (most, doublings))) {
            let radices = radices(doublings, most);
            let product: u32 = radices.iter().map(|r| r.trailing_zeros()).sum();
            assert!(product == doublings || (doublings == 1 && radices == [4]), "{doublings}: {radices:?}");
            assert_eq!(radices.len() as u32, doublings.div_ceil(most));
            assert!(radices.iter().all(|&r| (4..=1 << most).contains(&r)));
        }
    }

    #[test]
    fn the_tile_merge_has_the_merge_sorts_plan() {
        let shape = shape(Tiles::Full);
        for n in [0, 5000, 1 << 20, 1 << 28] {
            let plan = grid_sort(n, Engine::Tile, &shape).unwrap();
            assert_eq!(plan, merge_sort(n, &Shape { kway_from: 0, ..shape }).unwrap());
            assert!(plan.passes.iter().all(|pass| matches!(pass.merge, Merge::Kway { .. })));
        }
    }

    #[test]
    fn too_much_is_an_error() {
        let shape = shape(Tiles::Full);
        let most = u64::from(MAX_GRID) * u64::from(shape.kway_tile);
        check(most, Engine::Gridless16, &shape);
        for n in [most + 1, u64::MAX] {
            assert!(matches!(grid_sort(n, Engine::Gridless16, &shape), Err(Error::TooLarge { .. })));
        }
    }
}
