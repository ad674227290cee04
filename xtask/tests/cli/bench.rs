//! The bench runs everywhere and says what it measured; that what it sorts is sorted, it checks itself.
use crate::support::{Bench, devices};

#[test]
fn every_case_is_in_the_table_and_in_the_file() {
    let bench = Bench::new();
    for device in devices() {
        let args = format!("bench --device {device} --key u64,f32 --log2 0,9 --json out.json --seed 3");
        let out = bench.ok(&args).stdout;
        let json: serde_json::Value = serde_json::from_slice(&bench.read("out.json")).unwrap();
        assert_eq!(json["device_kind"], device);
        let measurements = json["measurements"].as_array().unwrap();
        for key in ["u64", "f32"] {
            for log2 in [0, 9] {
                let cases: Vec<&str> = measurements
                    .iter()
                    .filter(|m| m["key"] == key && m["log2"] == log2)
                    .map(|m| m["case"].as_str().unwrap())
                    .collect();
                let all = ["keys", "pairs", "argsort", "chapter", "host"];
                // The textbook's sort is kernels, which the CPU does not run.
                let expected = all.into_iter().filter(|&case| device != "cpu" || case != "chapter");
                assert_eq!(cases, expected.collect::<Vec<_>>(), "{device} {key} {log2}");
            }
        }
        for m in measurements {
            assert_eq!(m["times_ms"].as_array().unwrap().len(), 11, "{m}");
            let ms = |name: &str| m[name].as_f64().unwrap();
            assert!(ms("min_ms") <= ms("median_ms") && ms("median_ms") <= ms("max_ms"), "{m}");
        }
        let rows = out.lines().filter(|line| line.contains(" 2^")).count();
        assert_eq!(rows, measurements.len(), "{out}");
    }
}

#[test]
fn a_single_case_can_be_asked_for() {
    let out = Bench::new().ok("bench --device cpu --key i32 --log2 8 --case host").stdout;
    assert_eq!(out.lines().filter(|line| line.contains(" 2^")).count(), 1, "{out}");
}

#[test]
fn a_file_that_cannot_be_written_is_said_before_anything_is_measured() {
    let line = Bench::new().fails("bench --device cpu --json nowhere/out.json");
    assert!(line.contains("nowhere/out.json"), "{line}");
    let line = Bench::new().fails("bench --device cpu --log2 40");
    assert!(line.contains("40"), "{line}");
}
