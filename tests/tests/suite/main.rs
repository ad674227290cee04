//! The whole library, tested as a user sees it. One program for all: it links once, and a kit carries the kernels once.
mod barriers;
mod billions;
mod chapter;
mod chapter_sample;
mod edges;
mod errors;
mod floats;
mod gather;
#[cfg(feature = "grid")]
mod grid;
mod large;
mod lengths;
mod lexsort;
mod lopsided;
mod many;
mod patterns;
mod properties;
#[cfg(feature = "cuda")]
mod ptx;
mod rows;
mod sample;
mod sample_buckets;
mod sample_pairs;
mod sample_runs;
mod sample_turn;
mod schedules;
mod search;
mod search_edges;
mod segments;
mod select;
mod small;
mod stability;
mod streams;
mod views;
