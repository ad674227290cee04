//! `cargo xtask explain`: shows an algorithm at work on a few numbers, as the textbook's chapter does.
//!
//! What is shown is computed, by kernels on the emulator.
use std::io::{self, Write};

use crate::Error;

mod corank;
pub(super) mod grid;
mod kernels;
mod mergesort;
mod samplesort;

/// Options of `cargo xtask explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The algorithm
    #[command(subcommand)]
    pub algorithm: Topic,
}

/// What can be explained.
#[derive(Debug, clap::Subcommand)]
pub enum Topic {
    /// Where each output position cuts two sorted runs
    Corank {
        /// Two sorted runs A/B, such as 1,3,6,8/2,4,5,7
        #[arg(long, allow_hyphen_values = true)]
        input: String,
    },
    /// McGridsort: a k-way merge by a small grid, round by round
    Grid(grid::Args),
    /// Bottom-up merge sort, pass by pass
    Mergesort {
        /// Numbers, such as 5,2,8,1,9,3,7,4
        #[arg(long, allow_hyphen_values = true)]
        input: String,
    },
    /// Sample sort: buckets by splitters, ranks, scatter, and a sort of each bucket
    Samplesort(samplesort::Args),
}

/// Runs the command.
///
/// # Errors
/// Where the input is not what the algorithm takes.
pub fn run(args: &Args) -> Result<(), Error> {
    let text = match &args.algorithm {
        Topic::Corank { input } => corank::explain(input)?,
        Topic::Grid(args) => grid::explain(args)?,
        Topic::Mergesort { input } => mergesort::explain(input)?,
        Topic::Samplesort(args) => samplesort::explain(args)?,
    };
    match io::stdout().write_all(text.as_bytes()) {
        // A reader that has seen enough (`| head`) is no failure.
        Err(e) if e.kind() != io::ErrorKind::BrokenPipe => Err(Error::io("write", "stdout")(e)),
        _ => Ok(()),
    }
}

/// Numbers parted by commas; none where the text is empty.
fn numbers(text: &str) -> Result<Vec<i64>, Error> {
    numbers_of("--input", text)
}

/// Numbers parted by commas, which an option gives.
fn numbers_of(option: &str, text: &str) -> Result<Vec<i64>, Error> {
    if text.trim().is_empty() {
        return Ok(Vec::new());
    }
    let number = |word: &str| {
        let word = word.trim();
        word.parse().map_err(|_| Error::msg(format!("{option}: {word:?} is no 64-bit whole number")))
    };
    text.split(',').map(number).collect()
}

/// Numbers parted by spaces.
fn list(numbers: &[i64]) -> String {
    numbers.iter().map(i64::to_string).collect::<Vec<_>>().join(" ")
}
