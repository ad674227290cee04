//! The command line, as a user meets it: the program is run, and its files, output and exit code are looked at.
#[cfg(feature = "bench")]
mod bench;
mod errors;
mod explain;
mod formats;
mod order;
mod parts;
mod support;
#[cfg(unix)]
mod system;
