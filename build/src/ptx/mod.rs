//! The compiler's PTX made into the modules that the host loads.
//!
//! The text is taken apart ([`parse`]), held against the list of kernels ([`check`]) and written anew as one text for
//! each module, with the launch bounds that Rust cannot say ([`split`]).
use std::fmt;

pub mod check;
pub mod parse;
mod scan;
pub mod split;
pub mod told;

/// What is known of a kernel from elsewhere than its PTX.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// Its name.
    pub name: String,
    /// The module that is to carry it.
    pub module: String,
    /// Threads of a block.
    pub threads: u32,
    /// Blocks that should fit on one multiprocessor at once; 0 leaves it to the assembler.
    pub min_blocks: u32,
    /// Barriers in its source, hence in its PTX.
    pub barriers: u32,
    /// The kinds of its parameters, where these are known.
    pub params: Option<Vec<ParamKind>>,
}

/// The kind of a kernel's parameter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    /// A pointer into device memory.
    Address,
    /// A `u32`.
    U32,
    /// A `u64`.
    U64,
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
