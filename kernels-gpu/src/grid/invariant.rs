//! The order of a grid, as something to check and to restore on any slice: the plain form of what engines do, for tests and
//! for `cargo xtask explain`.
use super::candidates::Order;

/// A line of cells that a sorted grid has in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Line {
    /// Its first cell, row-major.
    start: u32,
    /// From one cell to the next.
    step: i32,
    /// Cells.
    len: u32,
}

impl Line {
    /// Column `c`, top to bottom.
    pub const fn column(n: u32, c: u32) -> Self {
        Line { start: c, step: n as i32, len: n }
    }
    /// Row `r`, left to right.
    pub const fn row(n: u32, r: u32) -> Self {
        Line { start: r * n, step: 1, len: n }
    }
    /// Anti-diagonal `d` (r + c = d, d < 2n − 1), from its bottom left to its top right.
    pub const fn anti_diagonal(n: u32, d: u32) -> Self {
        let (r, c) = if d < n { (d, 0) } else { (n - 1, d - (n - 1)) };
        // It ends at the top, or at the right border, which is as far from the left as the start is from the top.
        Line { start: r * n + c, step: 1 - n as i32, len: r - c + 1 }
    }
    /// Its cells in order.
    pub fn cells(self) -> impl Iterator<Item = usize> {
        (0..self.len).map(move |i| (self.start as i32 + i as i32 * self.step) as usize)
    }
}

/// All lines of an `n`×`n` grid that `order` sorts: columns, then rows, then anti-diagonals.
pub fn lines(order: Order, n: u32) -> impl Iterator<Item = Line> {
    let diagonals = match order {
        Order::Rectangle => 0,
        Order::Upper => n,
        Order::Triple => 2 * n - 1,
    };
    (0..n)
        .map(move |c| Line::column(n, c))
        .chain((0..n).map(move |r| Line::row(n, r)))
        .chain((0..diagonals).map(move |d| Line::anti_diagonal(n, d)))
}

/// Two cells that stand in the wrong order, the one that must not be greater first; `None` in a sorted grid.
pub fn violation<T>(order: Order, n: u32, grid: &[T], before: impl Fn(&T, &T) -> bool) -> Option<(usize, usize)> {
    for line in lines(order, n) {
        let mut cells = line.cells();
        let mut last = cells.next()?;
        for cell in cells {
            if before(&grid[cell], &grid[last]) {
                return Some((last, cell));
            }
            last = cell;
        }
    }
    None
}

/// Sorts one line of a grid, by insertion: equal elements keep their order.
pub fn sort_line<T: Copy>(grid: &mut [T], line: Line, before: impl Fn(&T, &T) -> bool) {
    let at = |i: u32| (line.start as i32 + i as i32 * line.step) as usize;
    for i in 1..line.len {
        let mut j = i;
        while j > 0 && before(&grid[at(j)], &grid[at(j - 1)]) {
            grid.swap(at(j), at(j - 1));
            j -= 1;
        }
    }
}
