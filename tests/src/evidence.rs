//! That a result is right, without sorting again: for inputs too large for that.
use crate::pattern::bits_of;
use gridsort::{Direction, Key};
use rayon::prelude::*;

/// Keys of a piece that one core handles at a time.
const PIECE: usize = 1 << 18;

/// Two sums over scrambled keys: arrays with other keys, or other multiplicities, have others, but for a chance of one
/// in 2^64 or so.
pub fn fingerprint<K: Key>(keys: &[K]) -> (u64, u64) {
    let add = |x: (u64, u64), y: (u64, u64)| (x.0.wrapping_add(y.0), x.1.wrapping_add(y.1));
    let of_piece = |piece: &[K]| {
        piece.iter().fold((0, 0), |sum, &key| {
            let bits = bits_of(key);
            let x = (bits as u64 ^ ((bits >> 64) as u64).rotate_left(25))
                .wrapping_add(0x9e37_79b9_7f4a_7c15)
                .wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let x = (x ^ (x >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb);
            add(sum, (x ^ (x >> 32), x.wrapping_mul(x | 1)))
        })
    };
    keys.par_chunks(PIECE).map(of_piece).reduce(|| (0, 0), add)
}

/// The first position whose key comes before the one ahead of it.
pub fn out_of_order<K: Key>(keys: &[K], direction: Direction) -> Option<usize> {
    (1..keys.len()).into_par_iter().with_min_len(PIECE).find_first(|&i| follows(keys, i, direction).is_gt())
}

/// How keys `i - 1` and `i` compare in a direction.
fn follows<K: Key>(keys: &[K], i: usize, direction: Direction) -> std::cmp::Ordering {
    match direction {
        Direction::Ascending => keys[i - 1].order(&keys[i]),
        Direction::Descending => keys[i].order(&keys[i - 1]),
    }
}

/// Why `order` is not the stable order of `keys`, where it is not. `sorted` are the keys in that order.
pub fn wrong_order<K: Key>(keys: &[K], sorted: &[K], order: &[u64], direction: Direction) -> Option<String> {
    if sorted.len() != keys.len() || order.len() != keys.len() {
        return Some("lengths differ".into());
    }
    let mut seen = vec![false; keys.len()];
    for (i, &position) in order.iter().enumerate() {
        match seen.get_mut(position as usize) {
            Some(seen) if !*seen => *seen = true,
            _ => return Some(format!("position {position}, at {i}, is doubled or none at all")),
        }
    }
    (0..keys.len()).into_par_iter().with_min_len(PIECE).find_map_first(|i| {
        if bits_of(keys[order[i] as usize]) != bits_of(sorted[i]) {
            return Some(format!("at {i} is not the key from position {}", order[i]));
        }
        if i == 0 {
            return None;
        }
        match follows(sorted, i, direction) {
            std::cmp::Ordering::Greater => Some(format!("out of order at {i}")),
            std::cmp::Ordering::Equal if order[i - 1] > order[i] => Some(format!("not stable at {i}")),
            _ => None,
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Case, Pattern};

    #[test]
    fn right_results_pass_and_wrong_ones_do_not() {
        for direction in crate::DIRECTIONS {
            let Case { keys, order, sorted, .. } =
                Case::new(Pattern::FewValues.keys::<f32>(1000, 1), direction, "few values");
            assert_eq!(out_of_order(&sorted, direction), None);
            assert_eq!(fingerprint(&sorted), fingerprint(&keys));
            assert_eq!(wrong_order(&keys, &sorted, &order, direction), None);

            let mut unstable = order.clone();
            unstable.swap(0, 1);
            assert_eq!(wrong_order(&keys, &sorted, &unstable, direction).unwrap(), "not stable at 1");
            unstable[0] = unstable[1];
            assert!(wrong_order(&keys, &sorted, &unstable, direction).unwrap().contains("doubled"));
            let mut wrong = sorted.clone();
            wrong.swap(0, 999);
            assert!(out_of_order(&wrong, direction).is_some());
            assert!(wrong_order(&keys, &wrong, &order, direction).is_some());
            wrong[0] = wrong[999];
            assert_ne!(fingerprint(&wrong), fingerprint(&keys));
        }
    }
}
