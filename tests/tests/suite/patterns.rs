//! Pattern × key type × length × direction on each device, against the standard library's stable sort.
use gridsort::{Key, PayloadWidth};
use gridsort_tests::{Case, DIRECTIONS, Pattern, Target, bf16, f16, target, targets};

/// Lengths that a device sorts for every pattern: part of a tile, some tiles, and so many that the passes merge more than
/// two runs at once, where that takes a few keys only.
fn lengths<K: Key>(target: &Target) -> Vec<usize> {
    let shape = target.shape(K::WIDTH, PayloadWidth::None);
    let tile = shape.tile as usize;
    if target.is_slow() {
        return vec![tile + 1];
    }
    let kway = shape.kway_from as usize;
    let many = if kway < 1 << 16 { vec![kway - 1, 2 * kway + 17] } else { vec![20 * tile + 5] };
    [vec![2, 33, tile - 1, 2 * tile + 1], many].concat()
}

fn check<K: Key>() {
    for (seed, pattern) in Pattern::ALL.into_iter().enumerate() {
        for target in targets() {
            for n in lengths::<K>(target) {
                let keys = pattern.keys::<K>(n, seed as u64);
                for direction in DIRECTIONS {
                    let case = Case::new(keys.clone(), direction, format_args!("{pattern:?}"));
                    if target.is_slow() {
                        case.check_sort(target);
                        case.check_pairs::<u64>(target);
                    } else {
                        case.check_all(target);
                    }
                }
            }
        }
    }
}

#[test]
fn u8_keys() {
    check::<u8>();
}

#[test]
fn i8_keys() {
    check::<i8>();
}

#[test]
fn u16_keys() {
    check::<u16>();
}

#[test]
fn i16_keys() {
    check::<i16>();
}

#[test]
fn f16_keys() {
    check::<f16>();
}

#[test]
fn bf16_keys() {
    check::<bf16>();
}

#[test]
fn u32_keys() {
    check::<u32>();
}

#[test]
fn i32_keys() {
    check::<i32>();
}

#[test]
fn f32_keys() {
    check::<f32>();
}

#[test]
fn u64_keys() {
    check::<u64>();
}

#[test]
fn i64_keys() {
    check::<i64>();
}

#[test]
fn f64_keys() {
    check::<f64>();
}

#[test]
fn u128_keys() {
    check::<u128>();
}

#[test]
fn i128_keys() {
    check::<i128>();
}

/// One case of each pattern that takes k-way passes with the GPU's own tiles.
fn check_kway_on_a_gpu<K: Key>(test: &str) {
    let Some(gpu) = target::gpu(test) else {
        return;
    };
    for (seed, pattern) in Pattern::ALL.into_iter().enumerate() {
        let keys = pattern.keys::<K>((1 << 21) + 7 * seed, seed as u64);
        Case::new(keys, DIRECTIONS[seed % 2], format_args!("{pattern:?}")).check_all(gpu);
    }
}

#[test]
fn kway_on_a_gpu_with_f32_keys() {
    check_kway_on_a_gpu::<f32>("kway_on_a_gpu_with_f32_keys");
}

#[test]
fn kway_on_a_gpu_with_i8_keys() {
    check_kway_on_a_gpu::<i8>("kway_on_a_gpu_with_i8_keys");
}

#[test]
fn kway_on_a_gpu_with_bf16_keys() {
    check_kway_on_a_gpu::<bf16>("kway_on_a_gpu_with_bf16_keys");
}

#[test]
fn kway_on_a_gpu_with_u128_keys() {
    check_kway_on_a_gpu::<u128>("kway_on_a_gpu_with_u128_keys");
}

#[test]
fn kway_on_a_gpu_with_i64_keys() {
    check_kway_on_a_gpu::<i64>("kway_on_a_gpu_with_i64_keys");
}
