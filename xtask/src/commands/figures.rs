//! `cargo xtask figures`: draws what the documentation shows, as SVG and as PNG.
//!
//! The grid's figures are computed: candidates by the functions that the kernels are compiled with, rounds by an engine on
//! the emulator. Measured ones are drawn from the tables in `docs/data`.
use std::path::{Path, PathBuf};

use crate::Error;
use crate::build::process::say;

mod candidates;
mod canvas;
mod information;
mod measured;
mod png;
mod rounds;

/// Options of `cargo xtask figures`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder to write to
    #[arg(long, default_value = "docs/figures")]
    pub out: PathBuf,
    /// Draw the charts of a bench instead, from the file that `bench --json` wrote
    #[arg(long)]
    pub bench: Option<PathBuf>,
    /// The cell of an 8×8 grid about which the information picture tells, as ROW,COLUMN from 0
    #[arg(long, default_value = "3,2", value_parser = cell)]
    pub cell: (u32, u32),
    /// Write no PNG: it takes a font of the system's
    #[arg(long)]
    pub no_png: bool,
}

fn cell(text: &str) -> Result<(u32, u32), String> {
    let number = |word: &str| word.trim().parse().ok().filter(|&number| number < information::N);
    let cell = text.split_once(',').and_then(|(row, column)| Some((number(row)?, number(column)?)));
    cell.ok_or_else(|| format!("ROW,COLUMN is needed, both below {}", information::N))
}

/// Runs the command.
///
/// # Errors
/// Where a file cannot be read or written, or there is no font for the PNG.
pub fn run(args: &Args) -> Result<(), Error> {
    std::fs::create_dir_all(&args.out).map_err(Error::io("create", &args.out))?;
    let files = match &args.bench {
        Some(report) => {
            let files = super::bench::draw(report, &args.out)?;
            if files.is_empty() {
                return Err(Error::content(report, "it has one point of each kind, which makes no chart"));
            }
            files
        }
        None => {
            let put = |(name, svg): (&str, String)| {
                let path = args.out.join(format!("{name}.svg"));
                std::fs::write(&path, svg).map_err(Error::io("write", &path))?;
                Ok(path)
            };
            figures(args.cell)?.into_iter().map(put).collect::<Result<_, Error>>()?
        }
    };
    if !args.no_png {
        rasterise(&files)?;
    }
    for file in files {
        say(format!("figure: {}", file.display()));
    }
    Ok(())
}

/// Every figure of the documentation: its name and its SVG.
fn figures(cell: (u32, u32)) -> Result<Vec<(&'static str, String)>, Error> {
    Ok(vec![
        ("candidates-8", candidates::numbers()?),
        ("candidates-32", candidates::colours()?),
        ("information", information::draw(cell)?),
        ("rounds", rounds::draw()?),
        ("sorts", measured::sorts()?),
        ("engines", measured::engines()?),
        ("phases", measured::phases()?),
        ("kway", measured::kway()?),
    ])
}

fn rasterise(files: &[PathBuf]) -> Result<(), Error> {
    let fonts = png::Fonts::of_the_system()?;
    for file in files {
        let svg = std::fs::read_to_string(file).map_err(Error::io("read", file))?;
        let path: &Path = &file.with_extension("png");
        std::fs::write(path, fonts.png(&svg)?).map_err(Error::io("write", path))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CELL: (u32, u32) = (3, 2);

    #[test]
    fn every_figure_is_an_svg_with_something_in_it() {
        for (name, svg) in figures(CELL).unwrap() {
            let tree = resvg::usvg::Tree::from_str(&svg, &resvg::usvg::Options::default()).unwrap();
            assert!(tree.root().has_children() && svg.contains("<text"), "{name}");
            assert!(svg.matches("<rect").count() + svg.matches("<circle").count() > 10, "{name}");
        }
    }

    #[test]
    fn those_of_the_documentation_are_up_to_date() {
        let folder = crate::build::workspace_root().join("docs/figures");
        for (name, svg) in figures(CELL).unwrap() {
            let committed = std::fs::read_to_string(folder.join(format!("{name}.svg"))).unwrap_or_default();
            assert!(committed == svg, "docs/figures/{name}.svg: draw it again with `cargo xtask figures`");
        }
    }

    #[test]
    fn a_cell_is_in_the_grid() {
        assert_eq!(cell("7, 0"), Ok((7, 0)));
        assert!(["", "1", "8,0", "0,8", "-1,0", "a,b"].iter().all(|text| cell(text).is_err()));
    }
}
