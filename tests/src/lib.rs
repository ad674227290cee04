//! What the whole-library tests share.
//!
//! [`target`] says on which devices to test, [`pattern`] makes inputs, [`case`](mod@case) holds an input with what must become of
//! it, [`guarded`] and [`planned`] launch kernels between guard words, [`paths`] takes every path, and [`evidence`] checks results that are too
//! large to sort again.
pub mod case;
pub mod evidence;
pub mod guarded;
pub mod paths;
pub mod pattern;
pub mod planned;
pub mod target;

pub use case::{Case, options, payload_of, same};
pub use half::{bf16, f16};
pub use pattern::{Pattern, generator};
pub use target::{Target, targets};

/// Both directions.
pub const DIRECTIONS: [gridsort::Direction; 2] = [gridsort::Direction::Ascending, gridsort::Direction::Descending];

/// Runs a generic function for each key type: `for_each_key!(check(arguments))` calls `check::<u8>(arguments)` and so on.
#[macro_export]
macro_rules! for_each_key {
    ($function:ident($($argument:expr),* $(,)?)) => {
        $function::<u8>($($argument),*);
        $function::<i8>($($argument),*);
        $function::<u16>($($argument),*);
        $function::<i16>($($argument),*);
        $function::<$crate::f16>($($argument),*);
        $function::<$crate::bf16>($($argument),*);
        $function::<u32>($($argument),*);
        $function::<i32>($($argument),*);
        $function::<f32>($($argument),*);
        $function::<u64>($($argument),*);
        $function::<i64>($($argument),*);
        $function::<f64>($($argument),*);
        $function::<u128>($($argument),*);
        $function::<i128>($($argument),*);
    };
}
