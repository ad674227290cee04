//! Directions, argsort, files sorted in place, and the summary.
use crate::support::{Bench, devices, npy_parts};

#[test]
fn descending_floats_end_with_negative_nan() {
    let bench = Bench::new();
    let keys = [0.0f32, -f32::NAN, -0.0, f32::NAN, f32::NEG_INFINITY, f32::INFINITY, 0.0, 1.0];
    bench.write("in.bin", bytemuck::cast_slice(&keys));
    for device in devices() {
        bench.ok(&format!("sort in.bin out.txt --descending --key f32 --device {device}"));
        assert_eq!(bench.text("out.txt"), "NaN\ninf\n1.0\n0.0\n0.0\n-0.0\n-inf\n-NaN\n", "{device}");
    }
}

#[test]
fn argsort_is_stable_both_ways() {
    let bench = Bench::new();
    let keys: Vec<u32> = (0..5000_u32).map(|i| i * i % 17).collect();
    bench.write("in.bin", bytemuck::cast_slice(&keys));
    for device in devices() {
        for (flag, sign) in [("", 1), (" --descending", -1), (" --algorithm sample", 1)] {
            bench.ok(&format!("sort in.bin order.npy --argsort --key u32 --device {device}{flag}"));
            let mut order: Vec<u64> = (0..keys.len() as u64).collect();
            order.sort_by_key(|&i| sign * i64::from(keys[i as usize]));
            let file = bench.read("order.npy");
            let (header, data) = npy_parts(&file);
            assert!(header.contains("'descr':'<u8'"), "{header}");
            assert_eq!(bytemuck::pod_collect_to_vec::<u8, u64>(data), order, "{device}{flag}");
        }
    }
}

#[test]
fn a_file_can_be_sorted_into_itself() {
    let bench = Bench::new();
    bench.write("keys.txt", "3\n1\n2\n");
    bench.ok("sort keys.txt keys.txt --key u32 --device cpu");
    assert_eq!(bench.text("keys.txt"), "1\n2\n3\n");
    bench.ok("sort ./keys.txt keys.txt --key u32 --device emulator --descending");
    assert_eq!(bench.text("keys.txt"), "3\n2\n1\n");
    assert_eq!(bench.files().len(), 1, "nothing is left beside it");
}

#[test]
fn a_failed_sort_into_itself_leaves_the_file() {
    let bench = Bench::new();
    bench.write("keys.txt", "3\n1\nx\n");
    assert!(bench.fails("sort keys.txt keys.txt --key u32").contains("line 3"));
}

#[test]
fn the_summary_is_one_line_and_json() {
    let bench = Bench::new();
    bench.write("in.txt", "3\n1\n2\n");
    for device in devices() {
        let ran = bench.ok(&format!("sort in.txt out.npy --key i64 --descending --json --device {device}"));
        assert_eq!(ran.stderr.lines().count(), 1, "{}", ran.stderr);
        assert!(ran.stderr.starts_with("sorted 3 i64 keys"), "{}", ran.stderr);
        let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(json["count"], 3);
        assert_eq!(json["key"], "i64");
        assert_eq!(json["descending"], true);
        assert_eq!(json["argsort"], false);
        assert_eq!(json["device_kind"], device);
        assert!(json["device"].as_str().is_some_and(|name| !name.is_empty()));
        assert!(json["algorithm"].is_string());
        for step in ["read", "start", "transfer", "sort", "write"] {
            assert!(json[format!("{step}_seconds")].as_f64().is_some_and(|s| s >= 0.0), "{step}");
        }
        assert!(json["keys_per_second"].as_f64().is_some_and(|rate| rate > 0.0));
    }
    let ran = bench.ok("sort in.txt out.npy --key i64 --device cpu");
    assert_eq!(ran.stdout, "", "JSON only where it is asked for");
}

#[test]
fn an_algorithm_can_be_asked_for() {
    let bench = Bench::new();
    bench.write("in.txt", "3\n1\n2\n");
    let ran = bench.ok("sort in.txt out.txt --key u32 --algorithm merge --device emulator --json");
    assert_eq!(bench.text("out.txt"), "1\n2\n3\n");
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["algorithm"], "merge");
    let ran = bench.ok("sort in.txt out.txt --key u32 --algorithm grid --engine tile --device emulator --json");
    assert_eq!(bench.text("out.txt"), "1\n2\n3\n");
    let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(json["algorithm"], "grid:tile");
}

#[test]
fn sample_sort_takes_a_seed_and_reports_its_buckets() {
    let bench = Bench::new();
    let mut keys: Vec<i32> = (0..9000_i32).map(|i| i.wrapping_mul(0x9e37_79b9_u32 as i32)).collect();
    bench.write("in.bin", bytemuck::cast_slice(&keys));
    keys.sort_unstable_by(|a, b| b.cmp(a));
    let ratio = |seed: &str| {
        let args =
            format!("sort in.bin out.bin --key i32 --descending --algorithm sample{seed} --device emulator --json");
        let ran = bench.ok(&args);
        assert_eq!(bench.keys::<i32>("out.bin"), keys, "{seed}");
        let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!(json["algorithm"], "sample");
        let buckets = &json["buckets"];
        let (largest, mean) = (buckets["largest"].as_u64().unwrap() as f64, buckets["mean"].as_f64().unwrap());
        assert!((mean - 1000.0).abs() < 1e-9 && largest >= mean, "{buckets}");
        let ratio = buckets["largest_over_mean"].as_f64().unwrap();
        assert!((ratio - largest / mean).abs() < 1e-9, "{buckets}");
        ratio
    };
    assert_eq!(ratio(" --seed 0"), ratio(""));
    assert_eq!(ratio(" --seed 5"), ratio(" --seed 5"));
    assert_ne!(ratio(" --seed 5"), ratio(""));
    let ran = bench.ok("sort in.bin out.bin --key i32 --algorithm merge --device emulator --json");
    assert!(!ran.stdout.contains("buckets"), "{}", ran.stdout);
}
