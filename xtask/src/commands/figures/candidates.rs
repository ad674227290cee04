//! C(b) of a Young tableau and of the triple invariant, side by side.
use gridsort_kernels::grid::candidates::{Order, count, predecessors};
use plotters::style::{RGBColor, WHITE};

use super::canvas::{Align, Canvas, FAINT, Grid, INK, PALE_BLUE, VERMILION, svg};
use crate::Error;

/// The two orders, as panels are titled.
pub(super) const ORDERS: [(Order, &str); 2] = [
    (Order::Rectangle, "Young tableau: rows and columns sorted"),
    (Order::Triple, "triple invariant: anti-diagonals sorted as well"),
];

/// An 8×8 grid, P(r,c) in each cell, C(8) shaded.
pub(super) fn numbers() -> Result<String, Error> {
    const N: u32 = 8;
    svg((960, 560), |canvas| {
        title(canvas, "P(r,c): how many other cells surely hold nothing greater")?;
        for (x, (order, name)) in [40, 500].into_iter().zip(ORDERS) {
            let grid = Grid { at: (x, 90), n: N, side: 52 };
            canvas.text((x, 70), 17, INK, Align::Left, name)?;
            let is_candidate = |r, c| predecessors(order, N, r, c) < N;
            grid.fill(canvas, |r, c| if is_candidate(r, c) { PALE_BLUE } else { WHITE })?;
            grid.lines(canvas, FAINT)?;
            grid.outline(canvas, VERMILION, 3, is_candidate)?;
            for (r, c) in (0..N * N).map(|cell| (cell / N, cell % N)) {
                let p = predecessors(order, N, r, c).to_string();
                canvas.text(grid.middle(r, c), 18, INK, Align::Middle, &p)?;
            }
            let caption = format!("the {N} smallest are in the {} shaded cells, C({N}): P < {N}", count(order, N, N));
            canvas.text((x, 530), 16, INK, Align::Left, &caption)?;
        }
        Ok(())
    })
}

/// Cells with P below each of these have a colour of their own: steps of viridis, dark to light.
const STEPS: [(u32, RGBColor); 6] = [
    (8, RGBColor(68, 1, 84)),
    (16, RGBColor(65, 68, 135)),
    (24, RGBColor(42, 120, 142)),
    (32, RGBColor(34, 168, 132)),
    (64, RGBColor(122, 209, 81)),
    (128, RGBColor(253, 231, 37)),
];

/// A 32×32 grid, P(r,c) in colours, and the largest C(b) that a sort of 64 takes.
pub(super) fn colours() -> Result<String, Error> {
    const N: u32 = 32;
    const SORT: u32 = 64;
    svg((960, 620), |canvas| {
        title(canvas, "32×32 grid: P(r,c), and the largest C(b) that a sort of 64 holds")?;
        for (x, (order, name)) in [40, 500].into_iter().zip(ORDERS) {
            let grid = Grid { at: (x, 90), n: N, side: 13 };
            canvas.text((x, 70), 17, INK, Align::Left, name)?;
            let colour = |p| STEPS.iter().find(|&&(end, _)| p < end).map_or(FAINT, |&(_, colour)| colour);
            grid.fill(canvas, |r, c| colour(predecessors(order, N, r, c)))?;
            grid.lines(canvas, WHITE)?;
            let b = (1..=N).take_while(|&b| count(order, N, b) <= SORT).last().unwrap_or(0);
            grid.outline(canvas, VERMILION, 4, |r, c| predecessors(order, N, r, c) < b)?;
            let caption = format!("outlined: C({b}), {} cells; {b} elements leave a round", count(order, N, b));
            canvas.text((x, 90 + grid.width() + 22), 16, INK, Align::Left, &caption)?;
        }
        canvas.text((40, 590), 16, INK, Align::Left, "P(r,c)")?;
        for (i, (end, colour)) in STEPS.into_iter().enumerate() {
            canvas.legend((120 + 100 * i as i32, 590), colour, &format!("below {end}"))?;
        }
        canvas.legend((730, 590), FAINT, "128 and more")
    })
}

pub(super) fn title(canvas: &Canvas, text: &str) -> Result<(), Error> {
    canvas.text((40, 32), 22, INK, Align::Left, text)
}
