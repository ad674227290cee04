//! Every format and key type, to every format.
use std::fmt::Debug;
use std::str::FromStr;

use bytemuck::Pod;
use gridsort::Key;

use crate::support::{Bench, devices, npy, npy_parts};

/// Keys with extremes, duplicates and, for floats, numbers that need many digits.
trait Sample: Key + Pod + FromStr<Err: Debug> {
    const DESCR: &'static str;
    fn sample() -> Vec<Self>;
}

macro_rules! sample {
    ($($t:ident $descr:literal [$($key:expr),*];)*) => {$(
        impl Sample for $t {
            const DESCR: &'static str = $descr;
            fn sample() -> Vec<Self> {
                vec![$($key),*]
            }
        }
    )*};
}
sample! {
    u32 "'<u4'" [5, 0, u32::MAX, 7, 5, 1 << 31, 1];
    i32 "'<i4'" [5, 0, i32::MIN, -7, 5, i32::MAX, -1];
    u64 "'<u8'" [5, 0, u64::MAX, 7, 5, 1 << 63, 1];
    i64 "'<i8'" [5, 0, i64::MIN, -7, 5, i64::MAX, -1];
    f32 "'<f4'" [0.1, f32::MAX, -0.0, 0.0, 1e-45, f32::NEG_INFINITY, -1.5e-30, f32::INFINITY, f32::NAN, -f32::NAN];
    f64 "'<f8'" [0.1, f64::MAX, -0.0, 0.0, 5e-324, f64::NEG_INFINITY, -1.5e-300, f64::INFINITY, f64::NAN, -f64::NAN];
}

fn text<K: Sample>(keys: &[K]) -> String {
    keys.iter().map(|k| format!("{k:?}\n")).collect()
}

fn bits<K: Pod>(keys: &[K]) -> &[u8] {
    bytemuck::cast_slice(keys)
}

fn every_format<K: Sample>() {
    let mut keys = K::sample();
    let bench = Bench::new();
    let shape = format!("({},)", keys.len());
    bench.write("in.npy", npy(K::DESCR, &shape, bits(&keys)));
    bench.write("in.bin", bits(&keys));
    // Debug leaves out a NaN's sign.
    bench.write("in.txt", text(&keys).replacen("NaN\nNaN", "NaN\n-NaN", 1));
    keys.sort_by(K::order);

    for device in devices() {
        for input in ["npy", "bin", "txt"] {
            let key = if input == "npy" { String::new() } else { format!(" --key {}", K::NAME) };
            for output in ["npy", "bin", "txt"] {
                let what = format!("sort in.{input} out.{output} --device {device}{key}");
                bench.ok(&what);
                let file = format!("out.{output}");
                match output {
                    "npy" => {
                        let file = bench.read(&file);
                        let (header, data) = npy_parts(&file);
                        assert!(header.contains(&format!("'descr':{}", K::DESCR)), "{what}: {header}");
                        assert!(header.contains(&format!("'shape':{shape}")), "{what}: {header}");
                        assert!(header.contains("'fortran_order':False"), "{what}: {header}");
                        assert_eq!(data, bits(&keys), "{what}");
                    }
                    "bin" => assert_eq!(bench.read(&file), bits(&keys), "{what}"),
                    _ => {
                        let lines = bench.text(&file);
                        let read: Vec<K> = lines.lines().map(|line| line.parse().unwrap()).collect();
                        assert_eq!(bits(&read), bits(&keys), "{what}");
                    }
                }
            }
        }
    }
}

#[test]
fn u32_in_every_format() {
    every_format::<u32>();
}

#[test]
fn i32_in_every_format() {
    every_format::<i32>();
}

#[test]
fn u64_in_every_format() {
    every_format::<u64>();
}

#[test]
fn i64_in_every_format() {
    every_format::<i64>();
}

#[test]
fn f32_in_every_format() {
    every_format::<f32>();
}

#[test]
fn f64_in_every_format() {
    every_format::<f64>();
}

#[test]
fn nothing_and_one_key() {
    let bench = Bench::new();
    bench.write("none.txt", "");
    bench.write("one.bin", 7u32.to_le_bytes());
    bench.write("none.npy", npy("'<f8'", "(0,)", &[]));
    for device in devices() {
        bench.ok(&format!("sort none.txt none.bin --key i64 --device {device}"));
        assert!(bench.read("none.bin").is_empty());
        bench.ok(&format!("sort none.npy none.out.npy --device {device}"));
        let file = bench.read("none.out.npy");
        assert!(npy_parts(&file).0.contains("'shape':(0,)") && npy_parts(&file).1.is_empty());
        bench.ok(&format!("sort one.bin one.txt --key u32 --device {device}"));
        assert_eq!(bench.text("one.txt"), "7\n");
        bench.ok(&format!("sort one.bin order.txt --argsort --key u32 --device {device}"));
        assert_eq!(bench.text("order.txt"), "0\n");
    }
}

#[test]
fn text_is_read_as_people_and_other_systems_write_it() {
    let bench = Bench::new();
    bench.write("in.txt", " +3\r\n1\t\r\n-2\n\n  \n");
    bench.ok("sort in.txt out.txt --key i32 --device cpu");
    assert_eq!(bench.text("out.txt"), "-2\n1\n3\n");
    bench.write("in.txt", "1e3\n.5\n-inf\nnan\n2.\n7");
    bench.ok("sort in.txt out.txt --key f64 --device cpu");
    assert_eq!(bench.text("out.txt"), "-inf\n0.5\n2.0\n7.0\n1000.0\nNaN\n");
}

#[test]
fn endings_in_capitals_and_later_npy_versions() {
    let bench = Bench::new();
    let v1 = npy("'<u4'", "(2,)", bits(&[2u32, 1]));
    // Version 2 differs in the width of the header's length alone.
    let mut v2 = b"\x93NUMPY\x02\x00".to_vec();
    v2.extend(&v1[8..10]);
    v2.extend([0, 0]);
    v2.extend(&v1[10..]);
    bench.write("in.NPY", v2);
    bench.ok("sort in.NPY out.BIN --device cpu");
    assert_eq!(bench.keys::<u32>("out.BIN"), [1, 2]);
}

#[test]
fn many_keys_in_pieces() {
    let bench = Bench::new();
    // More bytes than are read or written at once, in both formats.
    let keys: Vec<u64> = (0..1_200_000_u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    bench.write("in.bin", bits(&keys));
    bench.ok("sort in.bin sorted.txt --key u64 --device cpu");
    bench.ok("sort sorted.txt again.bin --key u64 --device cpu");
    let mut sorted = keys;
    sorted.sort_unstable();
    assert!(bench.keys::<u64>("again.bin") == sorted);
}
