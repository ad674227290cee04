//! What restores a grid and what does not: the theorem that sorting keeps what was sorted, the text's two short cuts, and
//! incremental restoration. All on plain grids, in the lines of `grid::invariant`.
//!
//! Sorting a line is done by a network of comparators, so the 0-1 principle holds: what is right for all grids of zeros and
//! ones is right for all grids. A sorted grid of zeros and ones is given by how many zeros each column has.
use gridsort_kernels::grid::candidates::{Order, predecessors};
use gridsort_kernels::grid::invariant::{Line, sort_line, violation};
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use std::collections::{HashSet, VecDeque};

type Bits = Vec<bool>;

fn less<T: PartialOrd>(a: &T, b: &T) -> bool {
    a < b
}

fn sort_all<T: Copy + PartialOrd>(grid: &mut [T], lines: impl IntoIterator<Item = Line>) {
    for line in lines {
        sort_line(grid, line, less);
    }
}

fn columns(n: u32) -> impl Iterator<Item = Line> {
    (0..n).map(move |c| Line::column(n, c))
}
fn rows(n: u32) -> impl Iterator<Item = Line> {
    (0..n).map(move |r| Line::row(n, r))
}
fn diagonals(n: u32) -> impl Iterator<Item = Line> {
    (0..2 * n - 1).map(move |d| Line::anti_diagonal(n, d))
}
fn upper(n: u32) -> impl Iterator<Item = Line> {
    (0..n).map(move |d| Line::anti_diagonal(n, d))
}

fn sorted<T: PartialOrd>(order: Order, n: u32, grid: &[T]) -> bool {
    violation(order, n, grid, less).is_none()
}

/// All grids of zeros (false) and ones that `order` leaves sorted.
fn sorted_bits(order: Order, n: u32) -> Vec<Bits> {
    let mut all = vec![];
    let mut heights = vec![0u32; n as usize];
    loop {
        let mut grid = vec![true; (n * n) as usize];
        for (c, &h) in heights.iter().enumerate() {
            (0..h).for_each(|r| grid[(r * n) as usize + c] = false);
        }
        if sorted(order, n, &grid) {
            all.push(grid);
        }
        let Some(c) = heights.iter().rposition(|&h| h < n) else { return all };
        heights[c] += 1;
        heights[c + 1..].fill(0);
    }
}

fn cells_of(order: Order, n: u32, b: u32) -> Vec<usize> {
    (0..n * n).filter(|&i| predecessors(order, n, i / n, i % n) < b).map(|i| i as usize).collect()
}

#[test]
fn sorting_an_axis_keeps_the_others_sorted() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(1);
    for n in 1..=16 {
        for round in 0..60 {
            let values = [2, 3, 10, 1 << 40][round % 4];
            let mut grid: Vec<u64> = (0..n * n).map(|_| rng.next_u64() % values).collect();
            let mut before = grid.clone();
            sort_all(&mut grid, columns(n));
            sort_all(&mut grid, rows(n));
            assert!(sorted(Order::Rectangle, n, &grid), "rows after columns, n = {n}");
            let tableau = grid.clone();
            sort_all(&mut grid, diagonals(n));
            assert!(sorted(Order::Triple, n, &grid), "anti-diagonals after both, n = {n}");
            // Only the upper ones: then the upper triangle, and nothing else has moved.
            let mut part = tableau.clone();
            sort_all(&mut part, upper(n));
            let triangle: Vec<u64> =
                (0..n * n).map(|i| if i / n + i % n < n { part[i as usize] } else { u64::MAX }).collect();
            assert!(sorted(Order::Upper, n, &triangle) && sorted(Order::Rectangle, n, &triangle), "n = {n}");
            assert!((0..n * n).all(|i| i / n + i % n < n || part[i as usize] == tableau[i as usize]));
            // Rows first does as well.
            sort_all(&mut before, rows(n));
            sort_all(&mut before, columns(n));
            assert!(sorted(Order::Rectangle, n, &before));
        }
    }
}

#[test]
fn rows_follow_from_columns_and_anti_diagonals() {
    // (r,c) ≤ (r+1,c) ≤ (r,c+1), and in the bottom row (r,c) ≤ (r-1,c+1) ≤ (r,c+1).
    for n in 2..=6 {
        for grid in sorted_bits(Order::Triple, n) {
            let lines = columns(n).chain(diagonals(n));
            assert!(lines.into_iter().all(|l| l.cells().collect::<Vec<_>>().is_sorted_by_key(|&i| grid[i])));
        }
        // Conversely: all grids with both sorted have sorted rows.
        let both = (0..(n + 1).pow(n)).filter_map(|code| {
            let height = |c: u32| code / (n + 1).pow(c) % (n + 1);
            let grid: Bits = (0..n * n).map(|i| i / n >= height(i % n)).collect();
            diagonals(n).all(|l| l.cells().collect::<Vec<_>>().is_sorted_by_key(|&i| grid[i])).then_some(grid)
        });
        let mut count = 0;
        for grid in both {
            assert!(sorted(Order::Triple, n, &grid));
            count += 1;
        }
        // (n + 3) · 2^(n − 2) of them.
        assert_eq!(count, ((n + 3) << n) / 4);
    }
}

#[test]
fn yet_sorting_columns_and_anti_diagonals_is_not_enough() {
    // Sorting the anti-diagonals of a grid whose rows are not sorted puts columns out of order.
    let mut grid = vec![1, 2, 4, 3];
    sort_all(&mut grid, columns(2));
    assert_eq!(grid, [1, 2, 4, 3]);
    sort_all(&mut grid, diagonals(2));
    assert_eq!(grid, [1, 4, 2, 3], "4 is above 3");
    assert!(!sorted(Order::Triple, 2, &grid));
}

/// How a model of the engine restores its grid.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Restoration {
    /// All columns, rows, the upper anti-diagonals.
    Upper,
    /// The columns with candidates, rows, all anti-diagonals.
    DirtyColumns,
    /// The columns with candidates, rows, the upper anti-diagonals.
    Both,
    /// The columns with candidates, anti-diagonals, columns, anti-diagonals.
    Incremental,
}

impl Restoration {
    fn run<T: Copy + PartialOrd>(self, n: u32, dirty: u32, grid: &mut [T]) {
        let first = if self == Restoration::Upper { n } else { dirty };
        sort_all(grid, columns(n).take(first as usize));
        if self == Restoration::Incremental {
            sort_all(grid, diagonals(n));
            sort_all(grid, columns(n));
            sort_all(grid, diagonals(n));
            return;
        }
        sort_all(grid, rows(n));
        match self {
            Restoration::DirtyColumns => sort_all(grid, diagonals(n)),
            _ => sort_all(grid, upper(n)),
        }
    }
}

/// Follows every state of zeros and ones that rounds can lead to, where `b` candidates leave and any others come, and all
/// that remain in candidate cells are put there in any arrangement. Says whether the `b` smallest were always among the
/// candidates.
fn finds_the_smallest(restoration: Restoration, order: Order, n: u32, b: u32) -> bool {
    let candidates = cells_of(order, n, b);
    let dirty = 1 + candidates.iter().map(|&i| i as u32 % n).max().unwrap();
    let dirty = if restoration == Restoration::Upper { n } else { dirty };
    let is_candidate: Vec<bool> = (0..(n * n) as usize).map(|i| candidates.contains(&i)).collect();
    let in_column = |c: u32| (0..n).filter(|r| is_candidate[(r * n + c) as usize]).count() as u32;
    let room: Vec<u32> = (0..n).map(in_column).collect();
    let mut todo: VecDeque<Bits> = sorted_bits(Order::Triple, n).into();
    let mut seen: HashSet<Bits> = todo.iter().cloned().collect();
    while let Some(grid) = todo.pop_front() {
        let zeros = grid.iter().filter(|&&one| !one).count() as u32;
        let found = candidates.iter().filter(|&&i| !grid[i]).count() as u32;
        if found < b.min(zeros) {
            return false;
        }
        let (least, most) = (found.saturating_sub(b), (found.saturating_sub(b) + b).min(candidates.len() as u32));
        // Columns are sorted first, so it is enough how many zeros each gets.
        let mut counts = vec![0; n as usize];
        loop {
            if (least..=most).contains(&counts.iter().sum()) {
                let mut next = grid.clone();
                for c in 0..n {
                    let cells = (0..n).map(|r| (r * n + c) as usize).filter(|&i| is_candidate[i]);
                    cells.enumerate().for_each(|(k, i)| next[i] = k as u32 >= counts[c as usize]);
                }
                restoration.run(n, dirty, &mut next);
                if seen.insert(next.clone()) {
                    todo.push_back(next);
                }
            }
            let Some(c) = (0..n as usize).rposition(|c| counts[c] < room[c]) else { break };
            counts[c] += 1;
            counts[c + 1..].fill(0);
        }
    }
    true
}

#[test]
fn restorations_that_find_the_smallest() {
    for (n, b) in [(2, 2), (3, 2), (3, 3), (4, 3), (4, 4), (5, 4), (5, 5)] {
        assert!(finds_the_smallest(Restoration::Upper, Order::Upper, n, b), "n = {n}, b = {b}");
        assert!(finds_the_smallest(Restoration::DirtyColumns, Order::Triple, n, b), "n = {n}, b = {b}");
        assert!(finds_the_smallest(Restoration::Incremental, Order::Triple, n, b), "n = {n}, b = {b}");
    }
    // More candidates than a round emits: two and four extractions.
    for (n, b) in [(3, 6), (4, 7), (4, 8), (4, 16)] {
        assert!(finds_the_smallest(Restoration::Upper, Order::Upper, n, b), "n = {n}, b = {b}");
    }
}

#[test]
fn short_cuts_that_do_not_go_together() {
    assert!(!finds_the_smallest(Restoration::Both, Order::Triple, 4, 4));
    assert!(!finds_the_smallest(Restoration::Both, Order::Triple, 5, 4));
    // "b < 2n" is sharp: for b = 2n the cell (1, n − 1) would be missing from the candidates.
    assert!(finds_the_smallest(Restoration::Upper, Order::Triple, 4, 7));
    assert!(!finds_the_smallest(Restoration::Upper, Order::Triple, 4, 8));
    assert!(!finds_the_smallest(Restoration::Upper, Order::Triple, 3, 6));
}

/// The engine on sorted streams, one a column; replacements come to the places that were left. The order in which keys
/// (with their streams) come out.
fn merge(restoration: Restoration, n: u32, b: u32, streams: &[Vec<u32>]) -> Vec<(u32, u32)> {
    const NOTHING: (u32, u32) = (u32::MAX, u32::MAX);
    let at = |s: u32, i: u32| streams[s as usize].get(i as usize).map_or(NOTHING, |&k| (k, s));
    let mut grid: Vec<(u32, u32)> = (0..n * n).map(|i| at(i % n, i / n)).collect();
    let mut next = vec![n; n as usize];
    sort_all(&mut grid, rows(n));
    match restoration {
        Restoration::Upper | Restoration::Both => sort_all(&mut grid, upper(n)),
        _ => sort_all(&mut grid, diagonals(n)),
    }
    let mut candidates = cells_of(Order::Triple, n, b);
    candidates.sort_by_key(|&i| i as u32 % n);
    let dirty = 1 + candidates.iter().map(|&i| i as u32 % n).max().unwrap();
    let total: usize = streams.iter().map(Vec::len).sum();
    let mut out = vec![];
    while out.len() < total {
        let mut winners = candidates.clone();
        winners.sort_by_key(|&i| grid[i]);
        for &i in &winners[..b as usize] {
            let (key, stream) = grid[i];
            if (key, stream) != NOTHING {
                out.push((key, stream));
                grid[i] = at(stream, next[stream as usize]);
                next[stream as usize] += 1;
            }
        }
        restoration.run(n, dirty, &mut grid);
    }
    out
}

#[test]
fn streams_that_the_short_cuts_get_wrong_together() {
    let streams = [vec![1, 12, 18, 29], vec![1, 6, 6, 16, 27], vec![2, 3, 10, 10, 10, 22], vec![5, 11, 18, 23]];
    let tagged = |(s, stream): (usize, &Vec<u32>)| stream.iter().map(|&k| (k, s as u32)).collect::<Vec<_>>();
    let mut expected: Vec<_> = streams.iter().enumerate().flat_map(tagged).collect();
    expected.sort();
    for right in [Restoration::Upper, Restoration::DirtyColumns, Restoration::Incremental] {
        assert_eq!(merge(right, 4, 4, &streams), expected, "{right:?}");
    }
    let wrong = merge(Restoration::Both, 4, 4, &streams);
    assert_eq!(wrong[..11], expected[..11]);
    // 12 is still in the grid, but not where it is looked for.
    assert_eq!((wrong[11], expected[11]), ((16, 1), (12, 0)));
}

/// A sorted grid with one cell replaced by something greater, then lines sorted in this order.
fn restores_one(phases: &str, n: u32) -> Option<(Bits, usize)> {
    for grid in sorted_bits(Order::Triple, n) {
        for cell in (0..grid.len()).filter(|&i| !grid[i]) {
            let mut changed = grid.clone();
            changed[cell] = true;
            for phase in phases.chars() {
                match phase {
                    'C' => sort_all(&mut changed, columns(n)),
                    'R' => sort_all(&mut changed, rows(n)),
                    _ => sort_all(&mut changed, diagonals(n)),
                }
            }
            if !sorted(Order::Triple, n, &changed) {
                return Some((grid, cell));
            }
        }
    }
    None
}

#[test]
fn one_replacement_goes_down_a_column_up_an_anti_diagonal_and_down_again() {
    for n in 2..=6 {
        // Column, then anti-diagonal: the text's way, and its edge case.
        assert!(restores_one("CA", n).is_some(), "n = {n}");
        assert_eq!(restores_one("CAC", n), None, "n = {n}");
        assert_eq!(restores_one("CRA", n), None, "n = {n}");
        assert!(restores_one("ACA", n).is_some(), "n = {n}");
    }
    // The smallest case: a greatest element comes to the corner of a sorted grid, goes down the first column, then up to the
    // end of the longest anti-diagonal, where it is above a smaller one.
    let mut grid = vec![9, 2, 1, 3];
    sort_all(&mut grid, columns(2));
    sort_all(&mut grid, diagonals(2));
    assert_eq!(grid, [1, 9, 2, 3]);
    sort_all(&mut grid, columns(2));
    assert!(sorted(Order::Triple, 2, &grid));
}

/// Whether phases restore every grid of which the candidates for `b` were replaced by anything. Columns come first.
fn restores_batches(phases: &str, n: u32, b: u32) -> bool {
    let candidates = cells_of(Order::Triple, n, b);
    let mut outside: HashSet<Bits> = HashSet::new();
    for mut grid in sorted_bits(Order::Triple, n) {
        candidates.iter().for_each(|&i| grid[i] = true);
        outside.insert(grid);
    }
    let room: Vec<u32> = (0..n).map(|c| candidates.iter().filter(|&&i| i as u32 % n == c).count() as u32).collect();
    for grid in outside {
        let mut counts = vec![0; n as usize];
        loop {
            let mut changed = grid.clone();
            for c in 0..n {
                (0..counts[c as usize]).for_each(|r| changed[(r * n + c) as usize] = false);
            }
            for phase in phases.chars() {
                match phase {
                    'C' => sort_all(&mut changed, columns(n)),
                    'R' => sort_all(&mut changed, rows(n)),
                    _ => sort_all(&mut changed, diagonals(n)),
                }
            }
            if !sorted(Order::Triple, n, &changed) {
                return false;
            }
            let Some(c) = (0..n as usize).rposition(|c| counts[c] < room[c]) else { break };
            counts[c] += 1;
            counts[c + 1..].fill(0);
        }
    }
    true
}

#[test]
fn a_batch_takes_columns_and_anti_diagonals_twice() {
    for (n, b) in [(2, 2), (3, 2), (3, 3), (4, 3), (4, 4), (4, 8), (5, 4), (5, 5), (5, 9), (6, 5), (6, 6)] {
        assert!(restores_batches("CACA", n, b), "n = {n}, b = {b}");
        assert!(restores_batches("CRA", n, b), "n = {n}, b = {b}");
        assert!(!restores_batches("CAC", n, b), "n = {n}, b = {b}");
        assert!(!restores_batches("CA", n, b), "n = {n}, b = {b}");
    }
}

#[test]
fn random_streams_come_out_sorted() {
    let mut rng = Xoshiro256PlusPlus::seed_from_u64(5);
    for round in 0..40 {
        let (n, b) = [(4, 4), (5, 5), (8, 8), (8, 7), (16, 16)][round % 5];
        let values = [3, 40, 1 << 20][round % 3];
        let streams: Vec<Vec<u32>> = (0..n)
            .map(|_| {
                let len = rng.next_u64() as usize % (4 * n as usize);
                let mut stream: Vec<u32> = (0..len).map(|_| rng.next_u64() as u32 % values).collect();
                stream.sort();
                stream
            })
            .collect();
        let tagged = |(s, stream): (usize, &Vec<u32>)| stream.iter().map(|&k| (k, s as u32)).collect::<Vec<_>>();
        let mut expected: Vec<_> = streams.iter().enumerate().flat_map(tagged).collect();
        expected.sort();
        for right in [Restoration::Upper, Restoration::DirtyColumns, Restoration::Incremental] {
            assert_eq!(merge(right, n, b, &streams), expected, "{right:?}, n = {n}");
        }
    }
}
