//! The commands of `cargo xtask`, one module each: its `Args`, and `run`.
pub mod bench;
pub mod build_ptx;
pub mod demo;
pub mod explain;
pub mod kit;
pub mod sort;
pub mod test;

mod device;
mod rerun;
