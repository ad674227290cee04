//! The whole library, tested as a user sees it. One program for all: it links once, and a kit carries the kernels once.
mod barriers;
mod billions;
mod chapter;
mod edges;
mod errors;
mod floats;
mod large;
mod lengths;
mod lopsided;
mod many;
mod patterns;
mod properties;
#[cfg(feature = "cuda")]
mod ptx;
mod schedules;
mod small;
mod stability;
mod streams;
mod views;
