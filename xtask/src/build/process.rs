//! Starting other programs.
use std::process::Command;

pub use gridsort_build::process::{capture, in_parallel, output, run, say, shown, which};

/// Cargo, the same that runs this program, in the workspace.
pub fn cargo() -> Command {
    let mut command = gridsort_build::process::cargo();
    command.current_dir(super::workspace_root());
    command
}
