//! What is known of a cell's neighbours: which surely hold nothing greater, which nothing smaller.
use gridsort_kernels::grid::candidates::Order;
use plotters::style::WHITE;

use super::candidates::{ORDERS, title};
use super::canvas::{Align, FAINT, Grid, INK, PALE, PALE_BLUE, PALE_ORANGE, svg};
use crate::Error;

/// Side of the grid that is shown.
pub(super) const N: u32 = 8;

type Cells = Vec<(u32, u32)>;

/// The neighbours of a cell that come just before it in the lines that are sorted.
fn before(order: Order, (r, c): (u32, u32)) -> Cells {
    let above = r.checked_sub(1).map(|r| (r, c));
    let left = c.checked_sub(1).map(|c| (r, c));
    let along = if order == Order::Rectangle { None } else { left.map(|(r, c)| (r + 1, c)) };
    [above, left, along.filter(|&(r, _)| r < N)].into_iter().flatten().collect()
}

/// All cells that lines lead back to from one, without it.
fn smaller(order: Order, cell: (u32, u32)) -> Cells {
    let (mut found, mut next) = (vec![cell], 0);
    while let Some(&at) = found.get(next) {
        next += 1;
        for cell in before(order, at) {
            if !found.contains(&cell) {
                found.push(cell);
            }
        }
    }
    found.split_off(1)
}

/// The picture for one cell.
pub(super) fn draw(cell: (u32, u32)) -> Result<String, Error> {
    svg((960, 590), |canvas| {
        title(canvas, &format!("What is known about cell ({},{}), marked ×, of a sorted 8×8 grid", cell.0, cell.1))?;
        for (x, (order, name)) in [40, 500].into_iter().zip(ORDERS) {
            let grid = Grid { at: (x, 90), n: N, side: 52 };
            canvas.text((x, 70), 17, INK, Align::Left, name)?;
            let below = smaller(order, cell);
            let is_smaller = |r, c| below.contains(&(r, c));
            let is_larger = |r, c| smaller(order, (r, c)).contains(&cell);
            grid.fill(canvas, |r, c| match (r, c) {
                at if at == cell => INK,
                (r, c) if is_smaller(r, c) => PALE_BLUE,
                (r, c) if is_larger(r, c) => PALE_ORANGE,
                _ => PALE,
            })?;
            grid.lines(canvas, FAINT)?;
            let mut larger = 0;
            for (r, c) in (0..N * N).map(|cell| (cell / N, cell % N)) {
                larger += usize::from(is_larger(r, c));
                let (mark, colour) = match (r, c) {
                    at if at == cell => ("×", WHITE),
                    (r, c) if is_smaller(r, c) => ("≤", INK),
                    (r, c) if is_larger(r, c) => ("≥", INK),
                    _ => ("?", INK),
                };
                canvas.text(grid.middle(r, c), 18, colour, Align::Middle, mark)?;
            }
            let unknown = (N * N) as usize - 1 - below.len() - larger;
            let caption = format!("{} known smaller, {larger} known larger, {unknown} unknown", below.len());
            canvas.text((x, 530), 16, INK, Align::Left, &caption)?;
        }
        canvas.legend((40, 565), PALE_BLUE, "surely not greater")?;
        canvas.legend((240, 565), PALE_ORANGE, "surely not smaller")?;
        canvas.legend((440, 565), PALE, "unknown")
    })
}

#[cfg(test)]
mod tests {
    use gridsort_kernels::grid::candidates::predecessors;

    use super::*;

    #[test]
    fn what_lines_lead_to_is_what_the_kernels_count() {
        for (order, _) in ORDERS {
            for (r, c) in (0..N * N).map(|cell| (cell / N, cell % N)) {
                assert_eq!(smaller(order, (r, c)).len() as u32, predecessors(order, N, r, c), "{order:?} {r} {c}");
            }
        }
    }
}
