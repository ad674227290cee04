//! The whole library, tested as a user sees it. One program for all: it links once, and a kit carries the kernels once.
mod barriers;
mod chapter;
mod errors;
mod large;
mod lengths;
mod patterns;
mod properties;
#[cfg(feature = "cuda")]
mod ptx;
mod schedules;
mod small;
mod stability;
