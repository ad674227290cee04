//! `cargo xtask`: see [`xtask`] for what it does.
use std::process::ExitCode;

fn main() -> ExitCode {
    xtask::main()
}
