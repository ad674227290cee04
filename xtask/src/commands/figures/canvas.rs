//! What figures are drawn with: a white area, rectangles, lines, text and one palette.
use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use crate::Error;

pub(super) const INK: RGBColor = RGBColor(40, 40, 40);
pub(super) const FAINT: RGBColor = RGBColor(195, 195, 195);
pub(super) const PALE: RGBColor = RGBColor(226, 226, 226);
// Okabe and Ito's colours, which the colour-blind can tell apart, and paler ones of them behind text.
pub(super) const BLUE: RGBColor = RGBColor(0, 114, 178);
pub(super) const VERMILION: RGBColor = RGBColor(213, 94, 0);
pub(super) const GREEN: RGBColor = RGBColor(0, 158, 115);
pub(super) const PURPLE: RGBColor = RGBColor(204, 121, 167);
pub(super) const PALE_BLUE: RGBColor = RGBColor(158, 208, 238);
pub(super) const PALE_ORANGE: RGBColor = RGBColor(245, 205, 120);
pub(super) const PALE_GREEN: RGBColor = RGBColor(160, 220, 200);
pub(super) const PALE_PURPLE: RGBColor = RGBColor(232, 190, 214);

/// Where text stands relative to its point; in height it is always in the middle.
#[derive(Clone, Copy)]
pub(super) enum Align {
    Left,
    Middle,
    Right,
}

/// An area of pixels.
pub(super) struct Canvas<'a>(DrawingArea<SVGBackend<'a>, Shift>);

/// Draws an SVG of some width and height.
pub(super) fn svg(size: (u32, u32), draw: impl FnOnce(&Canvas) -> Result<(), Error>) -> Result<String, Error> {
    let mut svg = String::new();
    {
        let canvas = Canvas(SVGBackend::with_string(&mut svg, size).into_drawing_area());
        canvas.0.fill(&WHITE).map_err(failed)?;
        draw(&canvas)?;
        canvas.0.present().map_err(failed)?;
    }
    Ok(svg)
}

fn failed(e: impl std::fmt::Display) -> Error {
    Error::msg(format!("cannot draw a figure: {e}"))
}

impl Canvas<'_> {
    pub(super) fn text(
        &self,
        at: (i32, i32),
        size: u32,
        colour: RGBColor,
        align: Align,
        text: &str,
    ) -> Result<(), Error> {
        let across = match align {
            Align::Left => HPos::Left,
            Align::Middle => HPos::Center,
            Align::Right => HPos::Right,
        };
        let style = ("sans-serif", size).into_font().color(&colour).pos(Pos::new(across, VPos::Center));
        self.0.draw(&Text::new(text, at, style)).map_err(failed)
    }

    pub(super) fn fill(&self, at: (i32, i32), size: (i32, i32), colour: RGBColor) -> Result<(), Error> {
        let rectangle = Rectangle::new([at, (at.0 + size.0, at.1 + size.1)], colour.filled());
        self.0.draw(&rectangle).map_err(failed)
    }

    pub(super) fn line(&self, from: (i32, i32), to: (i32, i32), colour: RGBColor, width: u32) -> Result<(), Error> {
        self.0.draw(&PathElement::new([from, to], colour.stroke_width(width))).map_err(failed)
    }

    /// A coloured square and what it stands for.
    pub(super) fn legend(&self, at: (i32, i32), colour: RGBColor, text: &str) -> Result<(), Error> {
        self.fill((at.0, at.1 - 7), (14, 14), colour)?;
        self.text((at.0 + 22, at.1), 15, INK, Align::Left, text)
    }
}

/// A square grid on a canvas.
pub(super) struct Grid {
    pub(super) at: (i32, i32),
    pub(super) n: u32,
    /// Width of a cell.
    pub(super) side: i32,
}

impl Grid {
    fn corner(&self, r: u32, c: u32) -> (i32, i32) {
        (self.at.0 + c as i32 * self.side, self.at.1 + r as i32 * self.side)
    }

    pub(super) fn width(&self) -> i32 {
        self.n as i32 * self.side
    }

    pub(super) fn middle(&self, r: u32, c: u32) -> (i32, i32) {
        let (x, y) = self.corner(r, c);
        (x + self.side / 2, y + self.side / 2)
    }

    /// Colours all cells; neighbours of one colour in a row become one rectangle.
    pub(super) fn fill(&self, canvas: &Canvas, colour: impl Fn(u32, u32) -> RGBColor) -> Result<(), Error> {
        for r in 0..self.n {
            let mut from = 0;
            for c in 1..=self.n {
                if c == self.n || colour(r, c) != colour(r, from) {
                    canvas.fill(self.corner(r, from), ((c - from) as i32 * self.side, self.side), colour(r, from))?;
                    from = c;
                }
            }
        }
        Ok(())
    }

    /// Lines between all cells.
    pub(super) fn lines(&self, canvas: &Canvas, colour: RGBColor) -> Result<(), Error> {
        for i in 0..=self.n {
            canvas.line(self.corner(i, 0), self.corner(i, self.n), colour, 1)?;
            canvas.line(self.corner(0, i), self.corner(self.n, i), colour, 1)?;
        }
        Ok(())
    }

    /// A line around a set of cells.
    pub(super) fn outline(
        &self,
        canvas: &Canvas,
        colour: RGBColor,
        width: u32,
        is_in: impl Fn(u32, u32) -> bool,
    ) -> Result<(), Error> {
        let at = |r: u32, c: u32| r < self.n && c < self.n && is_in(r, c);
        for i in 0..=self.n {
            for j in 0..self.n {
                // Below row i − 1 and above row i; then the same of columns.
                if at(i, j) != (i > 0 && at(i - 1, j)) {
                    canvas.line(self.corner(i, j), self.corner(i, j + 1), colour, width)?;
                }
                if at(j, i) != (i > 0 && at(j, i - 1)) {
                    canvas.line(self.corner(j, i), self.corner(j + 1, i), colour, width)?;
                }
            }
        }
        Ok(())
    }
}
