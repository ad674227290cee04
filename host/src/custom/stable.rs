//! A parallel merge sort that no order breaks: whatever the comparisons say, it ends and gives a permutation.
//!
//! The sorts of the standard library and of rayon are made for total orders: on others the one may panic, and the other split
//! a merge so that one part is the whole, again and again until the stack is full.
use crate::error::Result;
use crate::merge::cpu::merge_keys;
use crate::sort::cpu::reserved;
use std::cmp::Ordering;

/// Elements up to which insertion is as fast as anything.
const SHORT: usize = 20;
/// Elements up to which a task is not worth another thread's while.
const SEQUENTIAL: usize = 4096;

/// Sorts stably. Fails only where there is no memory, and then before anything is moved.
pub(super) fn stable_sort<T: Copy + Send + Sync>(
    elements: &mut [T],
    before: impl Fn(&T, &T) -> bool + Sync,
) -> Result<()> {
    let mut copy = reserved(elements.len())?;
    copy.extend_from_slice(elements);
    sort(&mut copy, elements, &before);
    Ok(())
}

/// Sorts elements that both arrays hold alike; the result is in the second.
fn sort<T: Copy + Send + Sync>(other: &mut [T], result: &mut [T], before: &(impl Fn(&T, &T) -> bool + Sync)) {
    let n = result.len();
    if n <= SHORT {
        return insert(result, before);
    }
    let (other_low, other_high) = other.split_at_mut(n / 2);
    let (low, high) = result.split_at_mut(n / 2);
    join(n, || sort(low, other_low, before), || sort(high, other_high, before));
    // Halved by co-rank: both parts of a merge have as many elements by any order. It only asks whether the first may stay first.
    let stays = |x: &T, y: &T| if before(y, x) { Ordering::Greater } else { Ordering::Less };
    merge_keys(other_low, other_high, result, &stays);
}

fn insert<T: Copy>(elements: &mut [T], before: &impl Fn(&T, &T) -> bool) {
    for i in 1..elements.len() {
        let mut at = i;
        while at > 0 && before(&elements[at], &elements[at - 1]) {
            elements.swap(at, at - 1);
            at -= 1;
        }
    }
}

fn join(n: usize, one: impl FnOnce() + Send, other: impl FnOnce() + Send) {
    if n > SEQUENTIAL {
        rayon::join(one, other);
    } else {
        one();
        other();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scrambled(n: u32) -> impl Iterator<Item = u32> {
        (0..n).map(|i| i.wrapping_mul(0x9e37_79b9).rotate_left(15).wrapping_mul(0x85eb_ca6b))
    }

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        for n in [0, 1, 2, 20, 21, 4096, 4097, 8193, 100_003] {
            for values in [1, 3, 1000, u32::MAX] {
                let input: Vec<(u32, u32)> = scrambled(n).map(|x| x % values).zip(0..).collect();
                let (mut found, mut expected) = (input.clone(), input);
                stable_sort(&mut found, |x, y| x.0 < y.0).unwrap();
                expected.sort_by_key(|x| x.0);
                assert!(found == expected, "{n} elements of {values} values");
            }
        }
    }

    #[test]
    fn no_order_makes_it_lose_an_element_or_go_on_forever() {
        let orders: [fn(&u32, &u32) -> bool; 4] = [
            |_, _| true,
            |x, y| x <= y,
            |x, y| x.wrapping_sub(*y) % 3 == 1,
            |x, y| (x ^ y.rotate_left(16)).wrapping_mul(0x9e37_79b9) >> 31 == 0,
        ];
        for order in orders {
            for n in [33, 5000, 70_001] {
                let input: Vec<u32> = scrambled(n).collect();
                let (mut found, mut expected) = (input.clone(), input);
                stable_sort(&mut found, order).unwrap();
                found.sort_unstable();
                expected.sort_unstable();
                assert!(found == expected, "{n} elements");
            }
        }
    }
}
