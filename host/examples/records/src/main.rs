//! Sorts records by orders of one's own, and checks the result against the standard library's stable sort.
//!
//! ```sh
//! cargo run --package records                          # on the emulator, or on a GPU with --features cuda
//! cargo run --release --package records --features cuda -- --bench
//! cargo run --release --package records -- --contradict   # by orders that contradict themselves
//! ```
//!
//! The orders are in the device crate `device/`; `build.rs` compiles it for GPUs.
mod bench;
mod contradict;

use gridsort::{CustomOrder, Device, DeviceKind, OrderedKey, embed_kernels};
use records_order::{Offer, Sample, Wild, offers, samples, samples_by_sample, wilds};
use std::error::Error;
use std::process::ExitCode;

/// By price, the highest first; of equal prices the earliest.
static BY_PRICE: CustomOrder<Offer> = CustomOrder::new(&offers::KERNELS, embed_kernels!("records_order"));
/// By sensor, then by time, the latest first.
static BY_SENSOR: CustomOrder<Sample> = CustomOrder::new(&samples::KERNELS, embed_kernels!("records_order"));
/// The same, of many samples alone by sample sort.
static BY_SENSOR_SAMPLED: CustomOrder<Sample> = BY_SENSOR.with_sample_sort(&samples_by_sample::KERNELS);
/// By an order that is none.
static WILD: CustomOrder<Wild> = CustomOrder::new(&wilds::KERNELS, embed_kernels!("records_order"));

const USAGE: &str = "usage: records [--device auto|cuda|emulator|cpu] [--count N] [--bench | --contradict]";

fn main() -> ExitCode {
    match run(std::env::args().skip(1)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("records: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(mut args: impl Iterator<Item = String>) -> Result<(), Box<dyn Error>> {
    let (mut device, mut count, mut bench, mut contradict) = ("auto".to_owned(), None, false, false);
    while let Some(arg) = args.next() {
        match arg.as_str() {
            "--device" => device = args.next().ok_or(USAGE)?,
            "--count" => count = Some(args.next().ok_or(USAGE)?.parse::<usize>()?),
            "--bench" => bench = true,
            "--contradict" => contradict = true,
            _ => return Err(USAGE.into()),
        }
    }
    let device = match device.as_str() {
        "auto" => Device::cuda(0).unwrap_or_else(|_| Device::emulator()),
        "cuda" => Device::cuda(0)?,
        "emulator" => Device::emulator(),
        "cpu" => Device::cpu(),
        _ => return Err(USAGE.into()),
    };
    if contradict {
        // One tile, passes of two runs, and passes of many.
        let counts = match (count, device.kind()) {
            (Some(count), _) => vec![count],
            (None, DeviceKind::Emulator) => vec![1000, 6000],
            (None, _) => vec![1000, 100_001, 5_000_003],
        };
        return counts.into_iter().try_for_each(|count| contradict::run(&device, count).map(drop));
    }
    if bench {
        return bench::run(&device, count.unwrap_or(1 << 27));
    }
    let count = count.unwrap_or(if device.kind() == DeviceKind::Emulator { 50_000 } else { 1 << 24 });
    check(&device, "offers", &BY_PRICE, (0..count).map(offer).collect())?;
    check(&device, "samples", &BY_SENSOR, (0..count).map(sample).collect())?;
    check(&device, "samples, by sample sort,", &BY_SENSOR_SAMPLED, (0..count).map(sample).collect())
}

/// Parts that are sorted each and merged: more than one pass takes.
const PARTS: usize = 20;

/// Sorts records alone, with a payload and by their order, merges parts that are sorted, and holds all of it against the
/// standard library.
fn check<K: OrderedKey + PartialEq>(
    device: &Device,
    what: &str,
    order: &CustomOrder<K>,
    records: Vec<K>,
) -> Result<(), Box<dyn Error>> {
    let mut expected: Vec<(K, u32)> = records.iter().copied().zip(0..).collect();
    expected.sort_by(|x, y| y.0.before(x.0).cmp(&x.0.before(y.0)));

    let mut sorted = records.clone();
    order.sort(device, &mut sorted)?;
    if !sorted.iter().eq(expected.iter().map(|(key, _)| key)) {
        return Err(format!("sort: the {what} are not in order").into());
    }
    let (mut sorted, mut positions) = (records.clone(), (0..records.len() as u32).collect::<Vec<_>>());
    order.sort_pairs(device, &mut sorted, &mut positions)?;
    if !sorted.into_iter().zip(positions).eq(expected.iter().copied()) {
        return Err(format!("sort_pairs: the {what} or their payloads are not in order").into());
    }
    let positions = order.argsort(device, &records)?;
    if !positions.into_iter().eq(expected.iter().map(|&(_, position)| u64::from(position))) {
        return Err(format!("argsort: the {what} are not in order").into());
    }
    let (mut keys, mut positions) = (records.clone(), (0..records.len() as u32).collect::<Vec<_>>());
    let part = records.len().div_ceil(PARTS).max(1);
    for (keys, positions) in keys.chunks_mut(part).zip(positions.chunks_mut(part)) {
        order.sort_pairs(device, keys, positions)?;
    }
    let parts: Vec<(&[K], &[u32])> = keys.chunks(part).zip(positions.chunks(part)).collect();
    let (merged, positions) = order.merge_many_pairs(device, &parts)?;
    if !merged.iter().copied().zip(positions).eq(expected.iter().copied()) {
        return Err(format!("merge_many_pairs: the {what} or their payloads are not in order").into());
    }
    let parts: Vec<&[K]> = keys.chunks(part).collect();
    if order.merge_many(device, &parts)? != merged {
        return Err(format!("merge_many: the {what} are not in order").into());
    }
    let (bytes, count) = (size_of::<K>(), records.len());
    println!("{count} {what} of {bytes} bytes on {}: as the standard library sorts them", device.name());
    Ok(())
}

/// The same bits for the same number, evenly spread (splitmix64).
fn scrambled(i: usize) -> u64 {
    let mut x = (i as u64).wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Few enough prices and times that many offers are equal.
fn offer(i: usize) -> Offer {
    let bits = scrambled(i);
    Offer { price: bits as u32 % 1000, time: (bits >> 32) as u32 % 100, from: i as u32 }
}

fn sample(i: usize) -> Sample {
    let bits = scrambled(i);
    Sample { sensor: bits % (1 << 20), time: bits.rotate_left(32) % (1 << 40) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_are_sorted_on_the_emulator_and_on_the_cpu() {
        // One tile, two-way passes, and, on the CPU, more than a core sorts alone.
        for (device, count) in [("emulator", "2000"), ("emulator", "20000"), ("cpu", "300000")] {
            run(["--device", device, "--count", count].map(str::to_owned).into_iter()).unwrap();
        }
    }

    #[test]
    fn inputs_are_merged() {
        let device = Device::emulator();
        let (mut a, mut b): (Vec<Offer>, Vec<Offer>) =
            ((0..3000).map(offer).collect(), (3000..7000).map(offer).collect());
        BY_PRICE.sort(&device, &mut a).unwrap();
        BY_PRICE.sort(&device, &mut b).unwrap();
        let merged = BY_PRICE.merge(&device, &a, &b).unwrap();
        assert!(BY_PRICE.is_sorted(&merged));
        let mut expected: Vec<Offer> = (0..7000).map(offer).collect();
        BY_PRICE.sort(&Device::cpu(), &mut expected).unwrap();
        assert_eq!(merged, expected);
    }

    #[test]
    fn orders_that_contradict_themselves_lose_nothing() {
        for device in [Device::emulator(), Device::cpu()] {
            let seen = contradict::run(&device, 6000).unwrap();
            assert_eq!(seen.operations, 7 * 2 * (records_order::WILD_RULES + 1));
            // Else the guard was not put to the test.
            let guarded = device.kind() == DeviceKind::Emulator;
            assert_eq!((seen.restored > 0, seen.restored_merges > 0), (guarded, guarded), "{device:?}");
        }
    }

    #[test]
    fn sorts_and_merges_are_timed() {
        for (device, count) in [("emulator", "2000"), ("cpu", "2001"), ("cpu", "0")] {
            run(["--bench", "--device", device, "--count", count].map(str::to_owned).into_iter()).unwrap();
        }
    }

    #[test]
    fn usage_is_told() {
        assert_eq!(run(["--what".to_owned()].into_iter()).unwrap_err().to_string(), USAGE);
        assert_eq!(run(["--device".to_owned()].into_iter()).unwrap_err().to_string(), USAGE);
    }
}
