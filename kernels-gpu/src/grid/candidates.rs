//! Where the smallest elements of a sorted grid can be.
//!
//! Cell (r, c) of an `n`×`n` grid is row r, column c. `P(r,c)` counts the other cells that surely hold nothing greater.
//! A cell with at least b such predecessors cannot hold one of the b smallest, so `C(b)`, the cells with fewer, is where
//! these are: a set that is known when the kernel is compiled.

/// How a grid is sorted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Rows left to right and columns top to bottom: a Young tableau.
    Rectangle,
    /// The same, and each anti-diagonal from its bottom left to its top right: the triple invariant.
    Triple,
    /// A Young tableau of which the anti-diagonals up to the longest, r + c < n, were sorted afterwards: the upper triangle
    /// has the triple invariant; of a cell below it as much is known as in the Young tableau, for it did not move.
    Upper,
}

/// `P(r,c)`: cells other than (r, c) of an `n`×`n` grid that hold nothing greater than it does.
///
/// In a Young tableau these are the cells neither below nor to the right. With anti-diagonals sorted as well, one step
/// back along an anti-diagonal leads a column to the left and a row down: column c − j then counts down to row r + j, or to
/// the bottom where the anti-diagonal leaves the grid, r + j ≥ n. Once at the bottom row the way goes on along the row.
pub const fn predecessors(order: Order, n: u32, r: u32, c: u32) -> u32 {
    match order {
        Order::Rectangle => (r + 1) * (c + 1) - 1,
        Order::Upper if r + c >= n => (r + 1) * (c + 1) - 1,
        Order::Triple | Order::Upper if r + c < n => (r + 1) * (c + 1) + c * (c + 1) / 2 - 1,
        _ => {
            // `free` columns to the left of c are met above the bottom, the other c − free in full.
            let free = n - 1 - r;
            (free + 1) * (r + 1) + free * (free + 1) / 2 + (c - free) * n - 1
        }
    }
}

/// How many columns have a cell in `C(b)`.
pub const fn columns(order: Order, n: u32, b: u32) -> u32 {
    let (mut c, mut sum) = (0, 0);
    while c < n {
        let mut r = 0;
        while r < n && predecessors(order, n, r, c) >= b {
            r += 1;
        }
        sum += (r < n) as u32;
        c += 1;
    }
    sum
}

/// `|C(b)|`.
pub const fn count(order: Order, n: u32, b: u32) -> u32 {
    let (mut cell, mut sum) = (0, 0);
    while cell < n * n {
        sum += (predecessors(order, n, cell / n, cell % n) < b) as u32;
        cell += 1;
    }
    sum
}

/// Candidates that lie below each other.
#[derive(Clone, Copy)]
struct Segment {
    /// The number of the first one.
    first: u32,
    row: u32,
    column: u32,
}

/// `C(b)`, column by column, for a team of lanes that has it in `registers` registers each: position p is lane
/// p mod n of register p / n.
///
/// Positions that no cell belongs to stand at the beginning of the upper half, because that is where the greatest elements
/// are once [`select`](super::team::select) has run; so what leaves a lane goes back to the cell that it came from.
#[derive(Clone, Copy)]
pub struct Places {
    n: u32,
    count: u32,
    /// Positions without a cell: those from `gap` to `gap + unused`.
    gap: u32,
    unused: u32,
    /// Two a column, at most: its top, and what lies below the longest anti-diagonal.
    segments: [Segment; 64],
    used: usize,
}

impl Places {
    /// The candidates of an `n`×`n` grid for `b` elements.
    pub const fn new(order: Order, n: u32, b: u32, registers: u32) -> Self {
        let size = n * registers;
        let count = count(order, n, b);
        // With more than half of the positions used, all that are not are in the upper half; a single register is sorted.
        assert!(n <= 32 && count <= size && (registers == 1 || 2 * count > size));
        let gap = if registers == 1 { count } else { size / 2 };
        let mut segments = [Segment { first: 0, row: 0, column: 0 }; 64];
        let (mut used, mut sum, mut cell) = (0, 0, 0);
        let mut before = false;
        while cell < n * n {
            let (column, row) = (cell / n, cell % n);
            let is = predecessors(order, n, row, column) < b;
            if is && (row == 0 || !before) {
                segments[used] = Segment { first: sum, row, column };
                used += 1;
            }
            before = is;
            sum += is as u32;
            cell += 1;
        }
        Places { n, count, gap, unused: size - count, segments, used }
    }

    /// `|C(b)|`.
    pub const fn count(&self) -> u32 {
        self.count
    }

    /// The side of the grid.
    pub const fn side(&self) -> u32 {
        self.n
    }

    /// The cell of position `p` as (row, column), if there is one.
    #[inline(always)]
    pub fn cell(&self, p: u32) -> Option<(u32, u32)> {
        let number = if p < self.gap {
            p
        } else if p < self.gap + self.unused {
            return None;
        } else {
            p - self.unused
        };
        let (mut row, mut column) = (number, 0);
        let mut s = 1;
        while s < self.used {
            let segment = self.segments[s];
            if number >= segment.first {
                (row, column) = (segment.row + number - segment.first, segment.column);
            }
            s += 1;
        }
        Some((row, column))
    }
}
