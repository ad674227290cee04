//! Bad input: one clear line, exit code 1, and no file that was not there before.
use crate::support::{Bench, failure, npy};

/// The line must say each of these.
fn says(line: &str, words: &[&str]) {
    for word in words {
        assert!(line.contains(word), "{line:?} does not say {word:?}");
    }
}

#[test]
fn a_missing_file() {
    let bench = Bench::new();
    says(&bench.fails("sort none.bin out.bin --key u32"), &["none.bin", "no such file"]);
    says(&bench.fails("sort none.npy out.bin"), &["none.npy", "no such file"]);
}

#[test]
fn a_folder_for_a_file() {
    let bench = Bench::new();
    std::fs::create_dir(bench.path().join("in.bin")).unwrap();
    bench.write("in.txt", "1\n");
    says(&bench.fails("sort in.bin out.bin --key u32"), &["in.bin"]);
    says(&bench.fails("sort in.txt in.bin --key u32"), &["in.bin", "not a regular file"]);
}

#[test]
fn a_truncated_bin() {
    let bench = Bench::new();
    bench.write("in.bin", [0; 13]);
    says(&bench.fails("sort in.bin out.bin --key u32"), &["in.bin", "truncated", "13 bytes", "4-byte u32"]);
    bench.write("in.bin", [0; 12]);
    says(&bench.fails("sort in.bin out.bin --key f64"), &["truncated", "8-byte f64"]);
}

#[test]
fn a_bin_or_txt_without_key() {
    let bench = Bench::new();
    bench.write("in.bin", [0; 8]);
    bench.write("in.txt", "1\n");
    says(&bench.fails("sort in.bin out.bin"), &["in.bin", "--key"]);
    says(&bench.fails("sort in.txt out.bin"), &["in.txt", "--key"]);
}

#[test]
fn an_npy_that_cannot_be_sorted() {
    let bench = Bench::new();
    let cases: [(&str, &str, usize, &[&str]); 10] = [
        ("'<u4'", "(2, 3)", 24, &["2 dimensions"]),
        ("'<u4'", "()", 4, &["0 dimensions"]),
        ("'>u4'", "(2,)", 8, &["big-endian", ">u4"]),
        ("'>f8'", "(1,)", 8, &["big-endian"]),
        ("'<f2'", "(2,)", 4, &["<f2"]),
        ("'|u1'", "(2,)", 2, &["|u1"]),
        ("'<c8'", "(1,)", 8, &["<c8"]),
        ("'|O'", "(1,)", 8, &["|O"]),
        ("[('a', '<u4')]", "(2,)", 8, &["structures"]),
        ("'nonsense'", "(2,)", 8, &["not a .npy file"]),
    ];
    for (descr, shape, bytes, words) in cases {
        bench.write("in.npy", npy(descr, shape, &vec![0; bytes]));
        let line = bench.fails("sort in.npy out.npy");
        says(&line, words);
        says(&line, &["in.npy"]);
    }
}

#[test]
fn an_npy_of_the_wrong_length() {
    let bench = Bench::new();
    bench.write("in.npy", npy("'<u4'", "(3,)", &[0; 11]));
    says(&bench.fails("sort in.npy out.npy"), &["truncated", "3 u32 keys", "11 bytes"]);
    bench.write("in.npy", npy("'<u4'", "(3,)", &[0; 16]));
    says(&bench.fails("sort in.npy out.npy"), &["too long", "16 bytes"]);
    // A length in bytes that does not fit 64 bits.
    bench.write("in.npy", npy("'<u8'", "(4611686018427387904,)", &[0; 16]));
    says(&bench.fails("sort in.npy out.npy"), &["truncated"]);
}

#[test]
fn an_npy_that_is_none() {
    let bench = Bench::new();
    bench.write("in.npy", "3\n1\n2\n and some more text that is long enough");
    says(&bench.fails("sort in.npy out.npy"), &["not a .npy file"]);
    bench.write("in.npy", "");
    says(&bench.fails("sort in.npy out.npy"), &["in.npy"]);
    let whole = npy("'<u4'", "(1,)", &[0; 4]);
    for cut in [7, 9, 20, whole.len() - 5] {
        bench.write("in.npy", &whole[..cut]);
        says(&bench.fails("sort in.npy out.npy"), &["in.npy"]);
    }
    // Deep nesting must not exhaust the stack of the header's parser.
    let mut deep = b"\x93NUMPY\x02\x00".to_vec();
    deep.extend(60_000_u32.to_le_bytes());
    deep.extend(vec![b'('; 60_000]);
    bench.write("in.npy", deep);
    says(&bench.fails("sort in.npy out.npy"), &["header is too long"]);
}

#[test]
fn a_key_that_contradicts_the_header() {
    let bench = Bench::new();
    bench.write("in.npy", npy("'<u4'", "(2,)", &[0; 8]));
    says(&bench.fails("sort in.npy out.npy --key i32"), &["u32", "--key", "i32"]);
}

#[test]
fn text_that_is_no_number() {
    let bench = Bench::new();
    for (text, key, words) in [
        ("1\n2\nthree\n", "u32", &["line 3", "\"three\"", "u32"][..]),
        ("1\n-2\n", "u64", &["line 2", "\"-2\"", "u64"]),
        ("1\n4294967296\n", "u32", &["line 2", "4294967296"]),
        ("1.5\n", "i64", &["line 1", "1.5"]),
        ("1,5\n", "f32", &["line 1", "1,5"]),
        ("1 2\n", "f64", &["line 1", "1 2"]),
        ("1\n\n2\n", "u32", &["line 2", "blank"]),
        ("1\n\u{1b}[31mred\n", "u32", &["line 2", "\\u{1b}[31mred"]),
    ] {
        bench.write("in.txt", text);
        let line = bench.fails(&format!("sort in.txt out.txt --key {key}"));
        says(&line, words);
        says(&line, &["in.txt"]);
    }
    bench.write("in.txt", b"1\n\xff\xfe\n");
    says(&bench.fails("sort in.txt out.txt --key u32"), &["line 2"]);
    // A number followed by more than any line may hold is not taken for the number.
    bench.write("in.txt", format!("1\n7{}8\n", " ".repeat(1 << 20)));
    assert!(bench.fails("sort in.txt out.txt --key u32").len() < 200);
}

#[test]
fn unknown_options_and_values() {
    let bench = Bench::new();
    bench.write("in.txt", "1\n");
    says(&bench.fails("sort in.txt out.txt --key u32 --fast"), &["--fast"]);
    says(&bench.fails("sort in.txt out.txt --key u16"), &["u16", "--key", "u32, i32, u64, i64, f32, f64"]);
    says(&bench.fails("sort in.txt out.txt --key u32 --algorithm bogo"), &["bogo", "auto, merge"]);
    says(&bench.fails("sort in.txt out.txt --key u32 --algorithm grid --engine bogo"), &["bogo", "gridless16"]);
    says(&bench.fails("sort in.txt out.txt --key u32 --engine ti16"), &["--engine", "--algorithm grid"]);
    says(&bench.fails("sort in.txt out.txt --key u32 --algorithm merge --seed 1"), &["--seed", "--algorithm sample"]);
    says(&bench.fails("sort in.txt out.txt --key u32 --algorithm sample --seed x"), &["--seed", "x"]);
    says(&bench.fails("sort in.txt out.txt --key u32 --device tpu"), &["tpu", "cuda"]);
    says(&bench.fails("sort in.txt"), &["OUTPUT"]);
    says(&bench.fails("sort in.txt a.txt b.txt --key u32"), &["b.txt"]);
    says(&bench.fails("shuffle"), &["shuffle"]);
}

#[test]
fn unknown_endings() {
    let bench = Bench::new();
    bench.write("in.txt", "1\n");
    bench.write("in.csv", "1\n");
    bench.write("in", "1\n");
    for (args, name) in [
        ("sort in.csv out.txt --key u32", "in.csv"),
        ("sort in out.txt --key u32", "in:"),
        ("sort in.txt out.csv --key u32", "out.csv"),
        ("sort in.txt out --key u32", "out:"),
    ] {
        says(&bench.fails(args), &[name, ".npy, .bin or .txt"]);
    }
}

#[test]
fn no_place_to_write() {
    let bench = Bench::new();
    bench.write("in.txt", "2\n1\n");
    says(&bench.fails("sort in.txt nowhere/out.txt --key u32"), &["cannot write nowhere/out.txt", "no such file"]);
    says(&bench.fails("sort in.txt in.txt/out.txt --key u32"), &["cannot write in.txt/out.txt", "not a directory"]);
}

#[test]
fn cuda_without_a_driver() {
    if xtask::build::driver_found() {
        return;
    }
    let bench = Bench::new();
    bench.write("in.txt", "2\n1\n");
    let ran = bench.run(["sort", "in.txt", "out.txt", "--key", "u32", "--device", "cuda"]);
    failure("sort --device cuda", ran);
    assert_eq!(bench.files().len(), 1);
}
