//! An 8×8 grid fed by eight runs, in eight vector registers: register c is column c, its lane r is row r.
//!
//! Rows are sorted, and columns, and anti-diagonals from bottom left to top right. Then the eight smallest are in the first
//! column, in the first three cells of the second, or in the first of the third: no other cell has fewer than eight before
//! it. They leave, the next of their runs come in, and the three axes are sorted again.
//!
//! The grid always holds the next eight of every run, or all it has left, so nothing outside is among the eight smallest.
use crate::lanes::{Lanes, NOTHING, Scalar};
use crate::runs::{RUNS, Runs};

/// What the grid is computed with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Instructions {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Scalar,
}

impl Instructions {
    /// Those that this processor has, best first.
    pub(crate) fn available() -> Vec<Self> {
        let mut all = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if is_x86_feature_detected!("avx512f") {
                all.push(Instructions::Avx512);
            }
            if is_x86_feature_detected!("avx2") {
                all.push(Instructions::Avx2);
            }
        }
        all.push(Instructions::Scalar);
        all
    }
}

/// Merges by the grid.
///
/// # Panics
/// If `out` has not the length of all runs, or the processor not these instructions.
pub(crate) fn merge(instructions: Instructions, runs: &Runs, out: &mut [u32]) {
    assert_eq!(out.len(), runs.len());
    match instructions {
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx512 => {
            assert!(is_x86_feature_detected!("avx512f"));
            // SAFETY: the processor has AVX-512F.
            unsafe { merge_avx512(runs, out) }
        }
        #[cfg(target_arch = "x86_64")]
        Instructions::Avx2 => {
            assert!(is_x86_feature_detected!("avx2"));
            // SAFETY: the processor has AVX2.
            unsafe { merge_avx2(runs, out) }
        }
        // SAFETY: needs no particular instructions.
        Instructions::Scalar => unsafe { merge_with::<Scalar>(runs, out) },
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn merge_avx512(runs: &Runs, out: &mut [u32]) {
    // SAFETY: whoever calls this has AVX-512F.
    unsafe { merge_with::<crate::avx512::Avx512>(runs, out) }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn merge_avx2(runs: &Runs, out: &mut [u32]) {
    // SAFETY: whoever calls this has AVX2.
    unsafe { merge_with::<crate::avx2::Avx2>(runs, out) }
}

/// # Safety
/// The processor must have the instructions of `L`.
#[inline(always)]
unsafe fn merge_with<L: Lanes>(runs: &Runs, out: &mut [u32]) {
    let mut cursors = runs.cursors();
    // SAFETY: the caller's promise.
    let make = |lanes| unsafe { L::new(lanes) };
    let nothing = make([NOTHING; 8]);
    let mut grid = [nothing; 8];
    for (run, column) in grid.iter_mut().enumerate() {
        // Columns are sorted: what a run has left, in its order, then nothing.
        *column = make(std::array::from_fn(|_| cursors.next(run)));
    }
    const { assert!(RUNS == 8) };
    sort_first_four(&mut grid);
    sort_last_four(&mut grid);
    merge_fours(&mut grid);
    sort_antidiagonals(&mut grid);

    let (rounds, rest) = out.as_chunks_mut::<8>();
    for to in rounds {
        let winners = extract(&mut grid, nothing);
        winners.store_keys(to);
        // No winner is `NOTHING`, for there were eight elements left to write.
        grid[0] = winners.replacements(&mut cursors).sort();
        restore(&mut grid);
    }
    if !rest.is_empty() {
        // Fewer than eight are left: they come first, then nothing.
        let mut last = [0; 8];
        extract(&mut grid, nothing).store_keys(&mut last);
        rest.copy_from_slice(&last[..rest.len()]);
    }
}

/// Takes the eight smallest out, sorted. The first column is free afterwards, and the four other candidates that were not
/// taken are in the second and third, which are sorted.
#[inline(always)]
fn extract<L: Lanes>(grid: &mut [L; 8], nothing: L) -> L {
    // The candidates outside the first column, in lanes 7 to 4: (0,1) ≤ (1,1) ≤ both (2,1) and (0,2), so one exchange of
    // neighbours sorts them.
    let others = grid[1].partner::<7>().blend::<0x10>(grid[2].partner::<4>());
    let neighbours = others.partner::<1>();
    let falling = others.max(neighbours).blend::<0xaa>(others.min(neighbours));
    let others = nothing.blend::<0xf0>(falling);
    // First column rising, others falling: together bitonic, and so are the lower and the upper half.
    let winners = grid[0].min(others).sort_bitonic();
    let left = grid[0].max(others);
    // Four are left in lanes 4 to 7, bitonic; falling after two steps.
    let left = left.step::<2, 0x33>().step::<1, 0x55>();
    // Three falling, then five rising; one, then seven rising: bitonic, both.
    grid[1] = grid[1].blend::<0x07>(left.partner::<4>()).sort_bitonic();
    grid[2] = grid[2].blend::<0x01>(left.partner::<7>()).sort_bitonic();
    winners
}

/// Sorts the rows and the anti-diagonals of a grid with sorted columns, of which the last five have not changed.
#[inline(always)]
fn restore<L: Lanes>(grid: &mut [L; 8]) {
    sort_first_four(grid);
    merge_fours(grid);
    sort_antidiagonals(grid);
}

/// Sorts the anti-diagonals of a grid whose rows and columns are sorted.
///
/// With column c rotated by c, lane d holds anti-diagonal d (cells with r + c = d) in registers 0 to d, from its bottom left
/// to its top right, and anti-diagonal d + 8 in the rest. Every cell of the former is above and to the left of every cell of
/// the latter, so nothing on it is greater, and sorting the lane as a whole sorts each.
#[inline(always)]
fn sort_antidiagonals<L: Lanes>(grid: &mut [L; 8]) {
    let [a, b, c, d, e, f, g, h] = *grid;
    *grid = [
        a,
        b.rotate::<7>(),
        c.rotate::<6>(),
        d.rotate::<5>(),
        e.rotate::<4>(),
        f.rotate::<3>(),
        g.rotate::<2>(),
        h.rotate::<1>(),
    ];
    sort_first_four(grid);
    sort_last_four(grid);
    merge_fours(grid);
    let [a, b, c, d, e, f, g, h] = *grid;
    *grid = [
        a,
        b.rotate::<1>(),
        c.rotate::<2>(),
        d.rotate::<3>(),
        e.rotate::<4>(),
        f.rotate::<5>(),
        g.rotate::<6>(),
        h.rotate::<7>(),
    ];
}

#[inline(always)]
fn exchange<L: Lanes>(grid: &mut [L; 8], pairs: &[(usize, usize)]) {
    for &(a, b) in pairs {
        (grid[a], grid[b]) = (grid[a].min(grid[b]), grid[a].max(grid[b]));
    }
}

/// Batcher's odd-even network across registers, in three parts.
#[inline(always)]
fn sort_first_four<L: Lanes>(grid: &mut [L; 8]) {
    exchange(grid, &[(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)]);
}

#[inline(always)]
fn sort_last_four<L: Lanes>(grid: &mut [L; 8]) {
    exchange(grid, &[(4, 5), (6, 7), (4, 6), (5, 7), (5, 6)]);
}

#[inline(always)]
fn merge_fours<L: Lanes>(grid: &mut [L; 8]) {
    exchange(grid, &[(0, 4), (1, 5), (2, 6), (3, 7), (2, 4), (3, 5), (1, 2), (3, 4), (5, 6)]);
}
