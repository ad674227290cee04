//! The compiler's PTX made into the modules that the host loads.
//!
//! The text is taken apart ([`parse`]), held against the list of kernels ([`check`]) and written anew as one text for
//! each module, with the launch bounds that Rust cannot say ([`split`]).
pub mod check;
pub mod parse;
mod scan;
pub mod split;
