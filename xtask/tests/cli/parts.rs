//! Rows of a matrix, and the largest keys.
use gridsort::Key;

use crate::support::{Bench, devices, npy, npy_parts};

/// Keys with ties, both zeros and NaNs of both signs.
fn floats(n: usize) -> Vec<f32> {
    let special = [0.0, -0.0, f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY];
    (0..n).map(|i| if i % 7 == 3 { special[i / 7 % 6] } else { (i * 37 % 50) as f32 - 20.0 }).collect()
}

fn matrix<K: bytemuck::Pod>(bench: &Bench, descr: &str, rows: usize, columns: usize, keys: &[K]) {
    bench.write("in.npy", npy(descr, &format!("({rows}, {columns})"), bytemuck::cast_slice(keys)));
}

/// Holds a file against what is expected of its type, shape and bits.
fn holds<K: bytemuck::Pod>(bench: &Bench, what: &str, descr: &str, shape: &str, expected: &[K]) {
    let file = bench.read("out.npy");
    let (header, data) = npy_parts(&file);
    // A comma at the end of a tuple says nothing.
    let (header, shape) = (header.replace(",)", ")"), shape.replace(",)", ")"));
    for part in [format!("'descr':'{descr}'"), format!("'shape':{shape}"), "'fortran_order':False".to_string()] {
        assert!(header.contains(&part), "{what}: {header} has no {part}");
    }
    assert_eq!(data, bytemuck::cast_slice::<K, u8>(expected), "{what}");
}

/// The stable order of each row, its first `k`, and the keys in that order.
fn expected(keys: &[f32], columns: usize, k: usize, descending: bool) -> (Vec<f32>, Vec<u64>) {
    let (mut values, mut indices) = (Vec::new(), Vec::new());
    for row in keys.chunks(columns.max(1)) {
        let mut order: Vec<usize> = (0..row.len()).collect();
        order.sort_by(|&a, &b| if descending { row[b].order(&row[a]) } else { row[a].order(&row[b]) });
        order.truncate(k);
        values.extend(order.iter().map(|&i| row[i]));
        indices.extend(order.iter().map(|&i| i as u64));
    }
    (values, indices)
}

#[test]
fn each_row_is_sorted_both_ways_and_by_index() {
    let bench = Bench::new();
    for (rows, columns) in [(7, 33), (3, 300), (40, 1), (1, 70), (2, 3000)] {
        let keys = floats(rows * columns);
        matrix(&bench, "'<f4'", rows, columns, &keys);
        let shape = format!("({rows},{columns})");
        for device in devices() {
            for flag in ["", " --descending"] {
                let (values, indices) = expected(&keys, columns, columns, !flag.is_empty());
                let args = format!("sort --rows in.npy out.npy --device {device}{flag}");
                let ran = bench.ok(&args);
                assert!(ran.stderr.starts_with(&format!("sorted {rows} rows of {columns} f32 keys")), "{}", ran.stderr);
                holds(&bench, &args, "<f4", &shape, &values);
                let args = format!("{args} --argsort");
                bench.ok(&args);
                holds(&bench, &args, "<u8", &shape, &indices);
            }
        }
    }
}

#[test]
fn the_largest_of_each_row() {
    let bench = Bench::new();
    let (rows, columns) = (5, 200);
    let keys = floats(rows * columns);
    matrix(&bench, "'<f4'", rows, columns, &keys);
    for device in devices() {
        for k in [0, 1, 6, 200] {
            let (values, indices) = expected(&keys, columns, k, true);
            let args = format!("sort --rows --top-k {k} in.npy out.npy --device {device}");
            bench.ok(&args);
            holds(&bench, &args, "<f4", &format!("({rows},{k})"), &values);
            let args = format!("{args} --argsort --descending");
            bench.ok(&args);
            holds(&bench, &args, "<u8", &format!("({rows},{k})"), &indices);
        }
    }
}

#[test]
fn the_largest_of_a_file() {
    let bench = Bench::new();
    let keys = floats(3000);
    bench.write("in.bin", bytemuck::cast_slice(&keys));
    bench.write("in.txt", "5\n-7\n9\n5\n");
    for device in devices() {
        for k in [0, 1, 20, 3000] {
            let (values, indices) = expected(&keys, keys.len(), k, true);
            let args = format!("sort --top-k {k} in.bin out.npy --key f32 --device {device}");
            bench.ok(&args);
            holds(&bench, &args, "<f4", &format!("({k},)"), &values);
            let args = format!("{args} --argsort --seed 3");
            bench.ok(&args);
            holds(&bench, &args, "<u8", &format!("({k},)"), &indices);
        }
        let ran = bench.ok(&format!("sort --top-k 3 in.txt out.txt --key i64 --device {device} --json"));
        assert_eq!(bench.text("out.txt"), "9\n5\n5\n");
        assert!(ran.stderr.starts_with("sorted the 3 largest of 4 i64 keys"), "{}", ran.stderr);
        let json: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
        assert_eq!((&json["top_k"], &json["count"], &json["device_kind"]), (&3.into(), &4.into(), &device.into()));
        assert!(json["rows"].is_null());
    }
}

#[test]
fn every_type_of_key_has_rows() {
    let bench = Bench::new();
    let ran = |descr: &str| bench.ok(&format!("sort --rows in.npy out.npy --device emulator --json{descr}")).stdout;
    matrix(&bench, "'<u4'", 2, 3, &[3_u32, 1, u32::MAX, 0, 9, 5]);
    assert!(ran("").contains("\"rows\":2"));
    holds(&bench, "u32", "<u4", "(2,3)", &[1, 3, u32::MAX, 0, 5, 9]);
    matrix(&bench, "'<i8'", 3, 2, &[3_i64, 1, i64::MAX, i64::MIN, 5, 9]);
    ran(" --key i64");
    holds(&bench, "i64", "<i8", "(3,2)", &[1, 3, i64::MIN, i64::MAX, 5, 9]);
    matrix(&bench, "'<f8'", 1, 3, &[1.5, f64::NAN, -0.0]);
    ran("");
    holds(&bench, "f64", "<f8", "(1,3)", &[-0.0, 1.5, f64::NAN]);
}

#[test]
fn matrices_without_keys_and_in_place() {
    let bench = Bench::new();
    for device in devices() {
        for (rows, columns) in [(0, 5), (5, 0), (0, 0)] {
            matrix::<f32>(&bench, "'<f4'", rows, columns, &[]);
            let args = format!("sort --rows in.npy out.npy --device {device}");
            bench.ok(&args);
            holds::<f32>(&bench, &args, "<f4", &format!("({rows},{columns})"), &[]);
            bench.ok(&format!("{args} --argsort --top-k 0"));
            holds::<u64>(&bench, &args, "<u8", &format!("({rows},0)"), &[]);
        }
        matrix(&bench, "'<u4'", 2, 2, &[2_u32, 1, 9, 8]);
        bench.ok(&format!("sort --rows in.npy in.npy --device {device}"));
        assert_eq!(npy_parts(&bench.read("in.npy")).1, bytemuck::cast_slice::<u32, u8>(&[1, 2, 8, 9]));
    }
}

#[test]
fn what_has_no_rows_or_too_few_keys() {
    let bench = Bench::new();
    let says = |args: &str, words: &[&str]| {
        let line = bench.fails(args);
        for word in words {
            assert!(line.contains(word), "{args}: {line:?} does not say {word:?}");
        }
    };
    bench.write("in.bin", [0; 24]);
    bench.write("line.npy", npy("'<u4'", "(6,)", &[0; 24]));
    bench.write("cube.npy", npy("'<u4'", "(1, 2, 3)", &[0; 24]));
    bench.write("in.npy", npy("'<u4'", "(2, 3)", &[0; 24]));
    bench.write("short.npy", npy("'<u4'", "(2, 3)", &[0; 23]));
    bench.write("wide.npy", npy("'<u4'", "(2, 4611686018427387904)", &[0; 24]));
    let mut columns = npy("'<u4'", "(2, 3)", &[0; 24]);
    let order = columns.windows(5).position(|text| text == b"False").unwrap();
    columns[order..order + 5].copy_from_slice(b"True ");
    bench.write("columns.npy", columns);

    says("sort --rows line.npy out.npy", &["line.npy", "1 dimensions", "--rows"]);
    says("sort --rows cube.npy out.npy", &["cube.npy", "3 dimensions", "--rows"]);
    says("sort in.npy out.npy", &["in.npy", "2 dimensions", "--rows"]);
    says("sort --rows columns.npy out.npy", &["columns.npy", "fortran_order", "ascontiguousarray"]);
    says("sort --rows short.npy out.npy", &["truncated", "2 x 3 u32 keys", "23 bytes"]);
    says("sort --rows wide.npy out.npy", &["truncated", "24 bytes"]);
    says("sort --rows in.bin out.npy --key u32", &["in.bin", ".bin file has no rows"]);
    says("sort --rows in.npy out.txt", &["out.txt", ".txt file has no rows"]);
    for device in devices() {
        says(&format!("sort --rows --top-k 4 in.npy out.npy --device {device}"), &["in.npy", "--top-k 4", "3 keys"]);
        says(&format!("sort --top-k 7 in.bin out.npy --key u32 --device {device}"), &["--top-k 7", "6 keys"]);
    }
    says("sort --top-k -1 in.npy out.npy", &["-1"]);
    says("sort --top-k x in.npy out.npy", &["--top-k", "x"]);
    says("sort --rows in.npy out.npy --algorithm merge", &["--algorithm", "--rows"]);
    says("sort --top-k 1 line.npy out.npy --algorithm sample", &["--algorithm", "--top-k"]);
    says("sort --rows in.npy out.npy --seed 1", &["--seed", "--rows"]);
}
