//! The bench runs everywhere and says what it measured; that what it sorts is sorted, it checks itself.
use crate::support::{Bench, Ran, devices};

fn json(bench: &Bench, name: &str) -> serde_json::Value {
    serde_json::from_slice(&bench.read(name)).unwrap()
}

fn rows(ran: &Ran) -> usize {
    ran.stdout.lines().filter(|line| line.contains(" 2^")).count()
}

#[test]
fn every_case_is_in_the_table_and_in_the_file() {
    let bench = Bench::new();
    for device in devices() {
        let args = format!("bench --device {device} --key u64,f32 --log2 0,9 --json out.json --seed 3 --runs 3");
        let out = bench.ok(&args);
        let json = json(&bench, "out.json");
        assert_eq!(json["device_kind"], device);
        assert_eq!(json["command"][0], "bench");
        assert!(json["date"].as_str().unwrap().starts_with("20"));
        let measurements = json["measurements"].as_array().unwrap();
        for key in ["u64", "f32"] {
            for log2 in [0, 9] {
                let cases: Vec<(&str, &str)> = measurements
                    .iter()
                    .filter(|m| m["key"] == key && m["log2"] == log2)
                    .map(|m| (m["case"].as_str().unwrap(), m["by"].as_str().unwrap()))
                    .collect();
                let all = [
                    ("keys", "gridsort"),
                    ("keys", "chapter"),
                    ("pairs", "gridsort"),
                    ("argsort", "gridsort"),
                    ("merge", "gridsort"),
                    ("merge-pairs", "gridsort"),
                    ("merge-8", "gridsort"),
                    ("merge-16", "gridsort"),
                    ("merge-32", "gridsort"),
                    ("merge-pairs-8", "gridsort"),
                    ("merge-pairs-16", "gridsort"),
                    ("merge-pairs-32", "gridsort"),
                    ("segments", "gridsort"),
                    ("segments", "bitonic block"),
                    ("segments", "bitonic warp"),
                ];
                // The textbook's sorts are kernels, which the CPU does not run.
                let kernels = |case, by| by == "chapter" || case == "segments";
                let expected = all.into_iter().filter(|&(case, by)| device != "cpu" || !kernels(case, by));
                assert_eq!(cases, expected.collect::<Vec<_>>(), "{device} {key} {log2}");
            }
        }
        for m in measurements {
            assert_eq!(m["times_ms"].as_array().unwrap().len(), 3, "{m}");
            assert_eq!(m["n"].as_u64().unwrap(), 1 << m["log2"].as_u64().unwrap());
            let ms = |name: &str| m[name].as_f64().unwrap();
            assert!(ms("min_ms") <= ms("median_ms") && ms("median_ms") <= ms("max_ms"), "{m}");
        }
        assert_eq!(rows(&out), measurements.len(), "{}", out.stdout);
    }
}

#[test]
fn every_distribution_and_width_of_key_is_measured() {
    let bench = Bench::new();
    let keys = "u8,i16,f16,bf16,i128,u128,f64";
    for device in ["cpu", "emulator"] {
        let args = format!("bench --device {device} --key {keys} --log2 8 --case keys,merge-pairs --runs 1");
        bench.ok(&args);
    }
    let args = "bench --device cpu --key u32 --log2 13 --distribution all --case keys,merge";
    assert_eq!(rows(&bench.ok(args)), 22);
    assert_eq!(rows(&bench.ok("bench --device cpu --key u32 --log2 4-6,9 --case keys --runs 1")), 4);
    let args = "bench --device emulator --key u32 --log2 12 --distribution adversary,zipf --case pairs --runs 1";
    assert_eq!(rows(&bench.ok(args)), 2);
}

#[test]
fn a_single_case_and_algorithm_can_be_asked_for() {
    let bench = Bench::new();
    let out = bench.ok("bench --device cpu --key i32 --log2 8 --case pairs --algorithm merge");
    assert_eq!(rows(&out), 1, "{}", out.stdout);
    assert!(out.stdout.contains("gridsort merge"), "{}", out.stdout);
    let line = bench.fails("bench --algorithm bogo");
    assert!(line.contains("bogo"), "{line}");
}

#[test]
fn sample_sort_is_measured_where_it_has_kernels_and_reports_its_buckets() {
    let bench = Bench::new();
    let out = bench.ok(
        "bench --device emulator --key u64,u8,u128 --log2 13 --distribution uniform,sorted --case keys,pairs --runs 1 \
         --algorithm auto,merge,sample --json out.json",
    );
    let json = json(&bench, "out.json");
    let measurements = json["measurements"].as_array().unwrap();
    assert_eq!(rows(&out), measurements.len());
    let by = |key: &str, case: &str, distribution: &str| -> Vec<&str> {
        let there = measurements.iter().filter(|m| m["key"] == key && m["case"] == case);
        there.filter(|m| m["distribution"] == distribution).map(|m| m["by"].as_str().unwrap()).collect()
    };
    let all = ["gridsort", "gridsort merge", "gridsort sample", "chapter"];
    assert_eq!(by("u64", "keys", "uniform"), all);
    assert_eq!(by("u64", "keys", "sorted"), all);
    assert_eq!(by("u8", "keys", "uniform"), [all[0], all[1], all[3]]);
    assert_eq!(by("u64", "pairs", "uniform"), all[..3]);
    assert_eq!(by("u8", "pairs", "uniform"), all[..2]);
    assert_eq!(by("u128", "keys", "uniform"), all);
    assert_eq!(by("u128", "pairs", "uniform"), all[..2]);
    for m in measurements {
        let buckets = m["by"] == "gridsort sample" && m["distribution"] == "uniform" && m["case"] == "keys";
        assert_eq!(m["buckets"]["largest_over_mean"].as_f64().is_some_and(|ratio| ratio >= 1.0), buckets, "{m}");
        assert_eq!(m.get("buckets").is_some(), buckets, "{m}");
    }
}

#[test]
fn merges_of_parts_that_are_not_alike_come_with_ratios() {
    let bench = Bench::new();
    let all = ["lopsided", "half-empty", "all-equal", "five-values", "ranges"].map(|parts| format!("gridsort {parts}"));
    let named = |out: &str, job: &str| -> Vec<String> {
        let rows = out.lines().filter(|line| line.split_whitespace().any(|word| word == job));
        rows.map(|line| line.split("  ").map(str::trim).find(|by| by.starts_with("gridsort")).unwrap().to_string())
            .collect()
    };
    for device in devices() {
        let args = format!(
            "bench --device {device} --key u64,u32 --log2 0,13 --case keys,merge,merge-16,merge-pairs-8 --parts all --runs 2"
        );
        let out = bench.ok(&(args + " --json out.json")).stdout;
        for m in json(&bench, "out.json")["measurements"].as_array().unwrap() {
            assert!(m["median_ms"].as_f64().unwrap() > 0.0 || m["log2"] == 0, "{m}");
        }
        for job in ["merge-16", "merge-pairs-8"] {
            let names = named(&out, job);
            // One length first, which the others are measured against.
            let expected: Vec<&str> = ["gridsort"].into_iter().chain(all.iter().map(String::as_str)).collect();
            assert_eq!(names, expected.repeat(4), "{out}");
            let ratios = out.lines().filter(|line| line.contains(&format!(" {job} ")) && line.ends_with('x')).count();
            assert_eq!(ratios, 4 * all.len(), "{out}");
        }
        assert_eq!(named(&out, "merge"), ["gridsort"; 4], "{out}");
    }
    let args =
        "bench --device cpu --key f32 --log2 12 --case merge-32 --parts lopsided,ranges --distribution few --runs 1";
    assert_eq!(rows(&bench.ok(args)), 3);
    for (args, word) in [
        ("bench --case merge-8 --parts odd", "half-empty"),
        ("bench --case keys,merge --parts all", "merge-8"),
        ("bench --tensors --parts all", "--parts"),
    ] {
        let line = bench.fails(args);
        assert!(line.contains(word), "{args}: {line}");
    }
}

#[test]
fn peers_of_the_cpu_come_with_ratios() {
    let out = Bench::new().ok("bench --device cpu --peers --key u32 --log2 10 --case keys --runs 3").stdout;
    for by in ["rayon par_sort_unstable", "rayon par_sort "] {
        let row = out.lines().find(|line| line.contains(by)).unwrap_or_else(|| panic!("{by}: {out}"));
        assert!(row.ends_with('x'), "{row}");
    }
}

#[test]
fn charts_are_drawn() {
    let bench = Bench::new();
    bench.ok(
        "bench --device cpu --key u32 --log2 4,8 --distribution uniform,sorted --case keys --runs 1 --charts charts",
    );
    for chart in ["keys-u32-sizes.svg", "keys-u32-distributions.svg"] {
        assert!(bench.text(&format!("charts/{chart}")).contains("gridsort"), "{chart}");
    }
}

#[test]
fn two_runs_are_compared() {
    let bench = Bench::new();
    for file in ["a.json", "b.json"] {
        bench.ok(&format!("bench --device cpu --key u32 --log2 4,6 --case keys,argsort --runs 3 --json {file}"));
    }
    let mut slower = json(&bench, "b.json");
    let m = &mut slower["measurements"][0];
    m["median_ms"] = serde_json::json!(m["median_ms"].as_f64().unwrap() * 1e6);
    bench.write("b.json", slower.to_string());
    let out = bench.ok("bench --compare a.json b.json").stdout;
    let first = out.lines().find(|line| line.contains(" 2^")).unwrap();
    assert!(first.contains("2^4") && first.contains("keys") && first.ends_with("slower"), "{out}");
    assert!(bench.fails("bench --compare a.json nothing.json").contains("nothing.json"));
    bench.write("c.json", "[]");
    assert!(bench.fails("bench --compare a.json c.json").contains("no report"));
}

#[test]
fn the_start_of_a_process_is_timed() {
    let bench = Bench::new();
    let out = bench.ok("bench --startup --device emulator --json out.json").stdout;
    assert_eq!(out.lines().filter(|line| line.starts_with("gridsort ")).count(), 1, "{out}");
    let startup = &json(&bench, "out.json")["startup"][0];
    let first = |name: &str| startup[name][0].as_f64().unwrap();
    assert!(first("total_ms") >= first("first_ms"), "{startup}");
}

#[test]
fn a_file_that_cannot_be_written_is_said_before_anything_is_measured() {
    let line = Bench::new().fails("bench --device cpu --json nowhere/out.json");
    assert!(line.contains("nowhere/out.json"), "{line}");
    let line = Bench::new().fails("bench --device cpu --log2 40");
    assert!(line.contains("40"), "{line}");
}

#[test]
fn rows_segments_and_selections_are_measured() {
    let bench = Bench::new();
    for device in devices() {
        let args = format!("bench --tensors --device {device} --shape 3x50,1x400 --k 2,50 --runs 2 --json out.json");
        let out = bench.ok(&args);
        let json = json(&bench, "out.json");
        let all = json["tensors"].as_array().unwrap();
        // Three sorts, and two selections of two numbers, each of two shapes.
        assert_eq!(all.len(), 2 * (3 + 2 * 2), "{device}");
        assert_eq!(out.stdout.lines().filter(|line| line.contains(" gridsort  ")).count(), all.len(), "{}", out.stdout);
        for m in all {
            assert_eq!(m["times_ms"].as_array().unwrap().len(), 2, "{m}");
            assert_eq!(m["n"].as_u64(), Some(m["rows"].as_u64().unwrap() * m["columns"].as_u64().unwrap()), "{m}");
            assert!(m["median_ms"].as_f64().unwrap() > 0.0, "{m}");
        }
        assert!(json["measurements"].as_array().unwrap().is_empty());
    }
    let ran = bench.ok("bench --tensors --sweep --device emulator --runs 1 --json sweep.json --charts charts");
    let json = json(&bench, "sweep.json");
    let widths: Vec<u64> = json["tensors"].as_array().unwrap().iter().map(|m| m["columns"].as_u64().unwrap()).collect();
    assert!(widths.is_sorted_by(|a, b| a < b) && widths[0] == 1 && widths.ends_with(&[512, 513]), "{widths:?}");
    assert!(ran.stdout.contains("2048x1 "), "{}", ran.stdout);
    assert!(bench.text("charts/rows-widths.svg").contains("gridsort"));
    for (args, word) in [
        ("bench --tensors nothing", "nothing"),
        ("bench --tensors --shape 5", "4096x128256"),
        ("bench --tensors top-k-rows --device cpu --shape 5x5 --k 6", "no 6"),
        ("bench --shape 5x5", "--tensors"),
        ("bench --tensors --log2 5", "--log2"),
    ] {
        let line = bench.fails(args);
        assert!(line.contains(word), "{args}: {line}");
    }
}
