//! A strip of the first rounds of a small grid, as `explain grid` prints them.
use gridsort_kernels::grid::candidates::{Order, predecessors};
use gridsort_kernels::grid::restore::Phase;
use plotters::style::{RGBColor, WHITE};

use super::candidates::title;
use super::canvas::{Align, FAINT, Grid, INK, PALE_BLUE, PALE_GREEN, PALE_ORANGE, PALE_PURPLE, VERMILION, svg};
use crate::Error;
use crate::commands::explain::grid::{Trace, trace};

const N: u32 = 4;
const B: u32 = 3;
const SEED: u64 = 1;
/// Rows of the strip: how the grid is filled, and the rounds after it.
const ROWS: usize = 4;
const STREAMS: [RGBColor; N as usize] = [PALE_BLUE, PALE_ORANGE, PALE_GREEN, PALE_PURPLE];

pub(super) fn draw() -> Result<String, Error> {
    let Trace { streams, steps, merged } = trace(N, B, SEED)?;
    // The phases of a round beside each other: each begins with a refill. Columns are sorted when they are filled first.
    let begins = |(phase, _): &(Phase, _)| *phase == Phase::Refilled;
    let rounds: Vec<_> = steps.chunk_by(|_, next| !begins(next)).take(ROWS).collect();
    let places = rounds
        .iter()
        .enumerate()
        .flat_map(|(row, steps)| (0..).zip(*steps).map(move |(column, step)| (row, column, step)));
    svg((1000, 1010), |canvas| {
        title(canvas, &format!("McGridsort, {N}×{N}, b = {B}: {B} keys leave a round, the grid is sorted again"))?;
        for (s, (stream, colour)) in streams.iter().zip(STREAMS).enumerate() {
            let keys: Vec<String> = stream.iter().map(u32::to_string).collect();
            let at = (40 + 480 * (s as i32 % 2), 68 + 26 * (s as i32 / 2));
            canvas.legend(at, colour, &format!("stream {s}: {}", keys.join(" ")))?;
        }
        for (row, column, (phase, cells)) in places {
            let grid = Grid { at: (40 + 240 * column, 175 + 210 * row as i32), n: N, side: 38 };
            let (x, y) = grid.at;
            let mut leave = merged.chunks(B as usize);
            let name = match phase {
                Phase::Refilled if row == 0 => "filled".to_string(),
                Phase::Refilled => {
                    let keys = leave.nth(row - 1).unwrap_or_default();
                    let keys: Vec<String> = keys.iter().map(u32::to_string).collect();
                    format!("round {row}: {} leave, refilled", keys.join(" "))
                }
                Phase::Columns => "columns sorted".to_string(),
                Phase::Rows => "rows sorted".to_string(),
                Phase::AntiDiagonals => "anti-diagonals sorted".to_string(),
            };
            canvas.text((x, y - 16), 15, INK, Align::Left, &name)?;
            let at = |r, c| cells[(r * N + c) as usize];
            grid.fill(canvas, |r, c| at(r, c).map_or(WHITE, |(_, stream)| STREAMS[stream as usize]))?;
            grid.lines(canvas, FAINT)?;
            grid.outline(canvas, VERMILION, 3, |r, c| predecessors(Order::Upper, N, r, c) < B)?;
            for (r, c) in (0..N * N).map(|cell| (cell / N, cell % N)) {
                let key = at(r, c).map_or("·".into(), |(key, _)| key.to_string());
                canvas.text(grid.middle(r, c), 16, INK, Align::Middle, &key)?;
            }
        }
        let caption = format!(
            "outlined: C({B}), the cells that the next {B} leave from; a cell's colour is its stream, · a stream that is dry"
        );
        canvas.text((40, 125), 15, INK, Align::Left, &caption)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each row shows a whole round, and the three that leave in it stand in the grid that ends the row before.
    #[test]
    fn rounds_follow_each_other() {
        let Trace { steps, merged, .. } = trace(N, B, SEED).unwrap();
        let rounds: Vec<_> = steps.chunk_by(|_, next| next.0 != Phase::Refilled).take(ROWS).collect();
        assert_eq!(rounds.len(), ROWS);
        for (round, leave) in rounds.windows(2).zip(merged.chunks(B as usize)) {
            let phases: Vec<Phase> = round[1].iter().map(|(phase, _)| *phase).collect();
            assert_eq!(phases, [Phase::Refilled, Phase::Columns, Phase::Rows, Phase::AntiDiagonals]);
            let (_, cells) = round[0].last().unwrap();
            let mut there: Vec<u32> = cells.iter().flatten().map(|&(key, _)| key).collect();
            there.sort_unstable();
            assert_eq!(there[..B as usize], *leave);
        }
    }
}
