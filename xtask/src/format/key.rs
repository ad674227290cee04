//! The key types a file may hold.
use std::fmt::Debug;
use std::io::{self, Write};
use std::str::FromStr;

/// A type of key, as the option `--key` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub enum KeyType {
    /// 32-bit unsigned integers.
    U32,
    /// 32-bit signed integers.
    I32,
    /// 64-bit unsigned integers.
    U64,
    /// 64-bit signed integers.
    I64,
    /// 32-bit floats, in IEEE total order.
    F32,
    /// 64-bit floats, in IEEE total order.
    F64,
}

impl KeyType {
    /// All of them.
    pub const ALL: [KeyType; 6] = [KeyType::U32, KeyType::I32, KeyType::U64, KeyType::I64, KeyType::F32, KeyType::F64];

    /// As the option names it: `u32`.
    pub fn name(self) -> &'static str {
        with_key!(self, K => <K as gridsort::Key>::NAME)
    }

    /// Bytes of one key.
    pub fn bytes(self) -> usize {
        with_key!(self, K => size_of::<K>())
    }
}

impl std::fmt::Display for KeyType {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// Evaluates an expression with `$K` standing for the Rust type that a [`KeyType`] names.
macro_rules! with_key {
    ($key:expr, $K:ident => $body:expr) => {
        match $key {
            $crate::format::KeyType::U32 => {
                type $K = u32;
                $body
            }
            $crate::format::KeyType::I32 => {
                type $K = i32;
                $body
            }
            $crate::format::KeyType::U64 => {
                type $K = u64;
                $body
            }
            $crate::format::KeyType::I64 => {
                type $K = i64;
                $body
            }
            $crate::format::KeyType::F32 => {
                type $K = f32;
                $body
            }
            $crate::format::KeyType::F64 => {
                type $K = f64;
                $body
            }
        }
    };
}
pub(crate) use with_key;

/// A key that the file formats can read and write.
pub trait FileKey: gridsort::Key + bytemuck::Pod + FromStr + Debug + npyz::AutoSerialize {
    /// Its name among the key types.
    const TYPE: KeyType;

    /// Writes it as text that [`FromStr`] reads back.
    ///
    /// # Errors
    /// What the writer returns.
    fn write_text(self, out: &mut impl Write) -> io::Result<()>;
}

macro_rules! integer {
    ($($t:ty, $key:ident);*) => {$(
        impl FileKey for $t {
            const TYPE: KeyType = KeyType::$key;
            fn write_text(self, out: &mut impl Write) -> io::Result<()> {
                write!(out, "{self}")
            }
        }
    )*};
}
integer!(u32, U32; i32, I32; u64, U64; i64, I64);

macro_rules! float {
    ($($t:ty, $key:ident);*) => {$(
        impl FileKey for $t {
            const TYPE: KeyType = KeyType::$key;
            // `Debug` is the shortest text that reads back to the same number, with an exponent where that is
            // shorter. It leaves out a NaN's sign, which the total order goes by. A NaN's payload is lost in text.
            fn write_text(self, out: &mut impl Write) -> io::Result<()> {
                if self.is_nan() && self.is_sign_negative() {
                    return out.write_all(b"-NaN");
                }
                write!(out, "{self:?}")
            }
        }
    )*};
}
float!(f32, F32; f64, F64);
