//! `cargo xtask`: builds gridsort's kernels, tests and packs them, and sorts files with them.
//!
//! Every command ends with exit code 0, or with one line on stderr and exit code 1.
use std::process::ExitCode;

use clap::Parser;
use clap::error::ErrorKind;

pub mod build;
pub mod commands;
mod error;
pub mod format;
pub mod interrupt;
pub mod keys;
pub mod place;
pub mod progress;
pub mod units;

pub use error::Error;

/// The command line.
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask", about, version, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, one module of [`commands`] each.
#[derive(Debug, clap::Subcommand)]
pub enum Command {
    /// Find or install the device compiler and compile the kernels to PTX
    BuildPtx(commands::build_ptx::Args),
    /// Build the PTX, assemble every kernel, and run the whole test suite, on a GPU too where there is one
    Test(commands::test::Args),
    /// Pack what a GPU machine without Rust needs to run the tests and the bench
    Kit(commands::kit::Args),
    /// Sort a file of keys
    Sort(commands::sort::Args),
    /// Set up, build, sort a file on the best device there is, and check the result
    Demo(commands::demo::Args),
    /// Show how an algorithm works, step by step, on a few numbers
    Explain(commands::explain::Args),
    /// Draw the documentation's figures, and charts of measurements, as SVG and PNG
    #[cfg(feature = "figures")]
    Figures(commands::figures::Args),
    /// Draw the documentation's figures, and charts of measurements, as SVG and PNG
    #[cfg(not(feature = "figures"))]
    #[command(disable_help_flag = true)]
    Figures(commands::figures_elsewhere::Args),
    /// Measure sorts of data that is on the device
    #[cfg(feature = "bench")]
    Bench(Box<commands::bench::Args>),
    /// Measure sorts of data that is on the device
    #[cfg(not(feature = "bench"))]
    #[command(disable_help_flag = true)]
    Bench(commands::bench_elsewhere::Args),
}

/// Parses the command line and runs the command.
pub fn main() -> ExitCode {
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(e) => return usage(&e),
    };
    interrupt::install();
    let result = match &cli.command {
        Command::BuildPtx(args) => commands::build_ptx::run(args),
        Command::Test(args) => commands::test::run(args),
        Command::Kit(args) => commands::kit::run(args),
        Command::Sort(args) => commands::sort::run(args),
        Command::Demo(args) => commands::demo::run(args),
        Command::Explain(args) => commands::explain::run(args),
        #[cfg(feature = "figures")]
        Command::Figures(args) => commands::figures::run(args),
        #[cfg(not(feature = "figures"))]
        Command::Figures(args) => commands::figures_elsewhere::run(args),
        #[cfg(feature = "bench")]
        Command::Bench(args) => commands::bench::run(args),
        #[cfg(not(feature = "bench"))]
        Command::Bench(args) => commands::bench_elsewhere::run(args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        // The program that failed has said why.
        Err(Error::Reported) => ExitCode::FAILURE,
        Err(e) => {
            eprintln!("error: {}", one_line(&e.to_string()));
            ExitCode::FAILURE
        }
    }
}

/// Help and version go to stdout as clap writes them; of an error only its reason is kept, on one line.
fn usage(e: &clap::Error) -> ExitCode {
    match e.kind() {
        ErrorKind::DisplayHelp | ErrorKind::DisplayVersion => {
            // A reader that closes the pipe early (`| head`) is no failure.
            let _ = e.print();
            ExitCode::SUCCESS
        }
        ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand | ErrorKind::MissingSubcommand => {
            let _ = e.print();
            ExitCode::FAILURE
        }
        _ => {
            let text = e.render().to_string();
            let reason: Vec<&str> = text.lines().take_while(|l| !l.trim().is_empty()).collect();
            eprintln!("{}", one_line(&reason.join(" ")));
            ExitCode::FAILURE
        }
    }
}

/// Text on one line: runs of white space become one space, other control characters are escaped.
fn one_line(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_whitespace() {
        if !out.is_empty() {
            out.push(' ');
        }
        for c in word.chars() {
            if c.is_control() {
                out.extend(c.escape_default());
            } else {
                out.push(c);
            }
        }
    }
    out
}
