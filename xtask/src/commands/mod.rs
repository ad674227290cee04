//! The commands of `cargo xtask`, one module each: its `Args`, and `run`.
#[cfg(feature = "bench")]
pub mod bench;
#[cfg(not(feature = "bench"))]
pub mod bench_elsewhere;
pub mod build_ptx;
pub mod demo;
pub mod explain;
#[cfg(feature = "figures")]
pub mod figures;
#[cfg(not(feature = "figures"))]
pub mod figures_elsewhere;
pub mod kit;
pub mod sort;
pub mod test;

mod device;
mod rerun;
