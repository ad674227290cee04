//! Random keys.
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use rayon::prelude::*;

use crate::Error;
use crate::format::FileKey;

/// Bytes that one generator makes: what comes out hangs on the seed alone, not on the number of threads.
const STRETCH: usize = 1 << 20;

/// Keys of uniformly random bits; among floats, that is NaNs and infinities too.
///
/// # Errors
/// Where they do not fit in memory.
pub fn random<K: FileKey>(count: usize, seed: u64) -> Result<Vec<K>, Error> {
    let mut keys: Vec<K> = bytemuck::allocation::try_zeroed_vec(count)
        .map_err(|()| Error::msg(format!("{count} {} keys do not fit in memory", K::NAME)))?;
    bytemuck::cast_slice_mut::<K, u8>(&mut keys).par_chunks_mut(STRETCH).enumerate().for_each(|(i, bytes)| {
        // Stretches of one seed have neighbouring numbers, stretches of two seeds lie far apart; the generator spreads
        // either over its whole state.
        Xoshiro256PlusPlus::seed_from_u64(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(i as u64))
            .fill_bytes(bytes);
    });
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seed_decides() {
        let keys = random::<u64>(300_000, 7).unwrap();
        assert_eq!(keys, random::<u64>(300_000, 7).unwrap());
        assert_ne!(keys, random::<u64>(300_000, 8).unwrap());
        let mut distinct = keys.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), keys.len(), "stretches must not repeat one another");
    }
}
