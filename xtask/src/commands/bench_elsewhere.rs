//! `cargo xtask bench` in a build without the bench: hands the command over to a build with it.
use std::ffi::OsString;

use super::rerun;
use crate::Error;

/// Options of the command, as they stand: the bench itself reads them.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The bench's options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub options: Vec<OsString>,
}

/// Builds this program with the bench, fully optimised, and runs the same command by it.
///
/// # Errors
/// Where the build or the bench fails.
pub fn run(args: &Args) -> Result<(), Error> {
    // Spares a build: the bench itself would ask for another one with the engines.
    let engines = |option: &OsString| option.to_string_lossy().split([',', ':', '=']).any(|word| word == "grid");
    rerun::with_bench(args.options.iter().any(engines))
}
