//! The report of how even a sample sort's buckets are, against a count by the host.
use gridsort::plan::sample_sort;
use gridsort::sample::BucketSizes;
use gridsort::{Algorithm, Device, Direction, Error, Key, PayloadWidth, SortOptions, Tiles, Workspace, key_bytes};
use gridsort_kernels::entry::sample::sample_kernels;
use gridsort_kernels::sample::splitters::drawn;
use gridsort_kernels::tuning::SampleTuning;
use gridsort_tests::target::kernel_targets;
use gridsort_tests::{DIRECTIONS, Pattern, Target};
use std::cmp::Ordering;

fn tuning<K: Key>(target: &Target) -> SampleTuning {
    sample_kernels(K::WIDTH, PayloadWidth::None, target.tiles.unwrap_or(Tiles::Full)).unwrap().tuning
}

/// The order of keys in a direction.
fn compare<K: Key>(direction: Direction) -> impl Fn(&K, &K) -> Ordering {
    move |a, b| if direction == Direction::Ascending { a.order(b) } else { b.order(a) }
}

/// Some keys that reach one level, with fewer buckets than there could be and with all, and some that reach two.
fn lengths(target: &Target) -> [usize; 3] {
    if target.is_cuda() { [300_001, (1 << 19) - 1, (1 << 22) + 7] } else { [1000, 1530, 5001] }
}

/// Buckets by the rule that the kernels state: of equal splitters, the last pair's bucket takes what equals them; and what
/// equals the last splitter has a bucket too where there is one to spare and the value was drawn more than once. A splitter that
/// is alone in a cell of the guide stands at the cell's end.
fn expected<K: Key>(target: &Target, keys: &[K], options: SortOptions) -> BucketSizes {
    let (tuning, n) = (tuning::<K>(target), keys.len() as u64);
    let order = compare::<K>(options.direction);
    let samples = tuning.sample.tile();
    let draw = |i| keys[drawn(options.seed, 0, 0, i, n) as usize];
    let mut sample: Vec<K> = (0..samples).map(draw).collect();
    sample.sort_by(&order);
    let target = sample_sort(n, key_bytes(K::WIDTH), 0, &tuning).unwrap().levels[0].target;
    let wanted = n.div_ceil(target.into()).clamp(2, 1 << tuning.bits) as u32;
    let splitters: Vec<K> = (1..wanted).map(|i| sample[(i * samples / wanted) as usize]).collect();
    let last = ((wanted - 1) * samples / wanted) as usize;
    let common = wanted < 1 << tuning.bits && order(&sample[last - 1], &sample[last]) == Ordering::Equal;
    let codec = K::codec(options.direction);
    let number = |key: &K| {
        let mut bits = [0; 16];
        bits[..size_of::<K>()].copy_from_slice(bytemuck::bytes_of(key));
        codec.encode(u128::from_le_bytes(bits))
    };
    let repeated_last = (wanted - 1..(1 << tuning.bits) - 1).map(|_| &sample[last]);
    let numbers: Vec<u128> = splitters.iter().chain(repeated_last).map(number).collect();
    let (least, greatest) = (numbers[0], numbers[numbers.len() - 1]);
    let shift = (u128::BITS - (greatest - least).leading_zeros()).saturating_sub(tuning.bits + 2);
    let cell = |number: u128| ((number.max(least) - least) >> shift).min((4 << tuning.bits) - 1);
    let (mut counts, mut of_last) = (vec![0u64; wanted as usize], 0);
    for key in keys {
        if common && order(&sample[last], key) == Ordering::Equal {
            of_last += 1;
            continue;
        }
        let mine = cell(number(key));
        let before = numbers.partition_point(|&splitter| cell(splitter) < mine);
        if numbers.partition_point(|&splitter| cell(splitter) <= mine) == before + 1 {
            counts[before.min(wanted as usize - 1)] += 1;
            continue;
        }
        let bucket = splitters.partition_point(|splitter| order(splitter, key) != Ordering::Greater);
        let repeated = bucket >= 2
            && order(&splitters[bucket - 2], &splitters[bucket - 1]) == Ordering::Equal
            && order(&splitters[bucket - 1], key) == Ordering::Equal;
        counts[if repeated { bucket - 1 } else { bucket }] += 1;
    }
    counts.extend((of_last > 0).then_some(of_last));
    BucketSizes::of(&counts)
}

fn check<K: Key>(target: &Target, keys: &[K], options: SortOptions) {
    let device = &target.device;
    let options = options.algorithm(Algorithm::Sample);
    let mut buffer = device.upload(keys).unwrap();
    let mut workspace = Workspace::new(device);
    let sizes = device.sample_buckets(&buffer, &mut workspace, options).unwrap();
    assert_eq!(
        sizes,
        Some(expected(target, keys, options)),
        "{} {} keys on {target}, {options:?}",
        keys.len(),
        K::NAME
    );
    let bytes = device.sort_scratch_bytes_by::<K>(keys.len(), Algorithm::Sample).unwrap();
    assert_eq!(workspace.bytes(), bytes, "the scratch memory of the sort, on {target}");
    // The keys are as they were, and the workspace is fit for a sort.
    let mut sorted = keys.to_vec();
    sorted.sort_by(compare::<K>(options.direction));
    device.sort_buffer(&mut buffer, &mut workspace, options).unwrap();
    assert!(buffer.to_vec().unwrap().iter().zip(&sorted).all(|(a, b)| a.order(b) == Ordering::Equal));
}

#[test]
fn small_buckets_are_as_large_as_the_host_counts() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        for n in lengths(target) {
            for direction in DIRECTIONS {
                let options = SortOptions::new().direction(direction);
                for pattern in [Pattern::Random, Pattern::Zipf] {
                    check(target, &pattern.keys::<u32>(n, 7), options.seed(3));
                    check(target, &pattern.keys::<f64>(n, 8), options.seed(4));
                    check(target, &pattern.keys::<i128>(n, 9), options.seed(5));
                }
            }
        }
    }
}

/// What the chapter warns of: a sample that knows nothing of most keys leaves one bucket that has nearly all.
#[test]
fn a_misleading_sample_shows() {
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let n = lengths(target)[2];
        let ratio = |keys: &[u64], seed| {
            let buffer = target.device.upload(keys).unwrap();
            let options = SortOptions::new().algorithm(Algorithm::Sample).seed(seed);
            let sizes = target.device.sample_buckets(&buffer, &mut Workspace::new(&target.device), options).unwrap();
            sizes.unwrap().ratio()
        };
        let mut keys: Vec<u64> = Pattern::Random.keys(n, 11);
        let fair = ratio(&keys, 5);
        for i in 0..tuning::<u64>(target).sample.tile() {
            keys[drawn(5, 0, 0, i, n as u64) as usize] = 0;
        }
        let (misled, other) = (ratio(&keys, 5), ratio(&keys, 6));
        assert!(misled > 2.0 * fair && misled > 2.0 * other, "{fair}, misled {misled}, by another seed {other}");
    }
}

#[test]
fn no_buckets_no_report() {
    let options = SortOptions::new().algorithm(Algorithm::Sample);
    for target in kernel_targets().filter(|target| !target.is_slow()) {
        let device = &target.device;
        let report = |keys: &[u32], options| {
            let keys = device.upload(keys).unwrap();
            device.sample_buckets(&keys, &mut Workspace::new(device), options).unwrap()
        };
        let n = lengths(target)[0];
        let random: Vec<u32> = Pattern::Random.keys(n, 1);
        assert!(report(&random, options).is_some());
        let up: Vec<u32> = (0..n as u32).collect();
        assert_eq!(report(&up, options), None);
        assert_eq!(report(&up, options.descending()), None);
        assert_eq!(report(&vec![7; n], options), None);
        assert_eq!(report(&random, options.algorithm(Algorithm::Merge)), None);
        for few in [0, 1, 2, 50] {
            assert_eq!(report(&random[..few], options), None);
        }
        let bytes = device.upload(&[3u8, 1, 2]).unwrap();
        let error = device.sample_buckets(&bytes, &mut Workspace::new(device), options).unwrap_err();
        assert!(matches!(error, Error::NoSampleSort { key_bits: 8, .. }), "{error}");
        let keys = device.upload(&random).unwrap();
        let error = device.sample_buckets(&keys, &mut Workspace::new(&Device::cpu()), options).unwrap_err();
        assert!(matches!(error, Error::DeviceMismatch { .. }), "{error}");
    }
    let cpu = Device::cpu();
    let keys = cpu.upload(&Pattern::Random.keys::<u32>(10_000, 1)).unwrap();
    assert_eq!(cpu.sample_buckets(&keys, &mut Workspace::new(&cpu), options).unwrap(), None);
}
