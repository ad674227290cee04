//! Key types of the bench, and how keys are made and read as plain bits.
use gridsort::{Direction, Key, key_bytes};

/// A type of key, as the option `--key` names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
#[value(rename_all = "lower")]
pub enum BenchKey {
    /// 8-bit unsigned integers.
    U8,
    /// 8-bit signed integers.
    I8,
    /// 16-bit unsigned integers.
    U16,
    /// 16-bit signed integers.
    I16,
    /// 32-bit unsigned integers.
    U32,
    /// 32-bit signed integers.
    I32,
    /// 64-bit unsigned integers.
    U64,
    /// 64-bit signed integers.
    I64,
    /// 128-bit unsigned integers.
    U128,
    /// 128-bit signed integers.
    I128,
    /// 16-bit floats.
    F16,
    /// 16-bit floats with the exponent of 32-bit ones.
    Bf16,
    /// 32-bit floats.
    F32,
    /// 64-bit floats.
    F64,
}

/// Evaluates an expression with `$K` standing for the Rust type that a [`BenchKey`] names.
macro_rules! with_bench_key {
    ($key:expr, $K:ident => $body:expr) => {
        with_bench_key!(@arms $key, $K, $body,
            U8 u8, I8 i8, U16 u16, I16 i16, U32 u32, I32 i32, U64 u64, I64 i64, U128 u128, I128 i128,
            F16 half::f16, Bf16 half::bf16, F32 f32, F64 f64)
    };
    (@arms $key:expr, $K:ident, $body:expr, $($name:ident $t:ty),*) => {
        match $key {
            $($crate::commands::bench::keys::BenchKey::$name => {
                type $K = $t;
                $body
            })*
        }
    };
}
pub(super) use with_bench_key;

impl BenchKey {
    /// As the option names it.
    pub(super) fn name(self) -> &'static str {
        with_bench_key!(self, K => <K as Key>::NAME)
    }
}

/// The last step of the SplitMix64 generator: a bijection of well mixed bits that leaves 0 as it is.
pub(super) fn mix(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// The bits of a float type's infinity; none for other types.
fn infinity<K: Key>() -> Option<u64> {
    match K::NAME {
        "f16" => Some(0x7c00),
        "bf16" => Some(0x7f80),
        "f32" => Some(0x7f80_0000),
        "f64" => Some(0x7ff0_0000_0000_0000),
        _ => None,
    }
}

/// The key that stands at `code` of 2^64 in the order of all keys: a larger code never makes a smaller key.
///
/// Keys of up to 64 bits take the code's upper bits; wider ones take all, and below them bits that hang on the code
/// alone. Floats are finite, since other libraries order NaNs otherwise or not at all.
pub(super) fn from_code<K: Key>(code: u64) -> K {
    let bits = 8 * key_bytes(K::WIDTH) as u32;
    let place = match infinity::<K>() {
        // In total order the finite floats are 2 * infinity places in a row, as many below as above the middle.
        Some(infinity) => {
            let first = (1_u64 << (bits - 1)) - infinity;
            u128::from(first + ((u128::from(code) * u128::from(2 * infinity)) >> 64) as u64)
        }
        None if bits == 128 => (u128::from(code) << 64) | u128::from(mix(code)),
        None => u128::from(code >> (64 - bits)),
    };
    let decoded = K::codec(Direction::Ascending).decode(place).to_le_bytes();
    bytemuck::pod_read_unaligned(&decoded[..size_of::<K>()])
}

/// A key's bits, folded to 64: a bijection for keys of up to 64 bits.
pub(super) fn word<K: Key>(key: K) -> u64 {
    let mut bytes = [0; 16];
    bytes[..size_of::<K>()].copy_from_slice(bytemuck::bytes_of(&key));
    let bits = u128::from_le_bytes(bytes);
    (bits as u64) ^ mix((bits >> 64) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check<K: Key>() {
        let codes = [0, 1, 1 << 20, 1 << 40, 1 << 62, (1 << 63) - 1, 1 << 63, u64::MAX - (1 << 40), u64::MAX];
        let keys = codes.map(from_code::<K>);
        assert!(keys.is_sorted_by(|a, b| a.order(b).is_le()), "{keys:?}");
        assert!(keys[0].order(&keys[8]).is_lt());
    }

    #[test]
    fn codes_keep_their_order() {
        for key in <BenchKey as clap::ValueEnum>::value_variants() {
            with_bench_key!(*key, K => check::<K>());
        }
    }

    #[test]
    fn floats_are_finite_to_the_last() {
        assert_eq!((from_code::<f32>(0), from_code::<f32>(u64::MAX)), (f32::MIN, f32::MAX));
        assert_eq!((from_code::<f64>(0), from_code::<f64>(u64::MAX)), (f64::MIN, f64::MAX));
        assert_eq!(from_code::<half::f16>(u64::MAX), half::f16::MAX);
        assert_eq!(from_code::<half::bf16>(0), half::bf16::MIN);
    }

    #[test]
    fn integers_reach_both_ends() {
        assert_eq!((from_code::<i8>(0), from_code::<i8>(u64::MAX)), (i8::MIN, i8::MAX));
        assert_eq!((from_code::<u64>(7), from_code::<i64>(0)), (7, i64::MIN));
    }
}
