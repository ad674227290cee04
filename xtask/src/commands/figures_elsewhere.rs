//! `cargo xtask figures` in a build that cannot draw them: hands the command over to a build that can.
use std::ffi::OsString;

use super::rerun;
use crate::Error;

/// Options of the command, as they stand: the command itself reads them.
#[derive(Clone, Debug, clap::Args)]
pub struct Args {
    /// The command's options
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub options: Vec<OsString>,
}

/// Builds this program with the figures and runs the same command by it.
///
/// # Errors
/// Where the build or the command fails.
pub fn run(_: &Args) -> Result<(), Error> {
    rerun::with_figures()
}
