//! CUB, by a program of our own in CUDA C++, built here for each key type.
use std::path::{Path, PathBuf};
use std::process::Command;

use gridsort::Key;

use super::Row;
use super::server::Server;
use crate::Error;
use crate::build::process::{in_parallel, output, say, which};
use crate::commands::bench::cases::Case;
use crate::commands::bench::keys::BenchKey;
use crate::commands::bench::sets::{CHECK_ALL, Point, Sets};
use crate::commands::bench::timing::WARM_UP;

const PROGRAM: &str = include_str!("../../../../peers/cub.cu");
pub(super) const INPUTS: &str = include_str!("../../../../peers/inputs.cuh");

/// The program for one key type, under way.
pub(super) struct Cub {
    pub(super) key: BenchKey,
    server: Server,
}

impl Cub {
    pub(super) fn measure<K: Key>(&mut self, case: Case, sets: &Sets<K>, tile: &[u32]) -> Result<Vec<Row>, Error> {
        let Some(request) = request(case, &sets.point, size_of::<K>(), tile) else { return Ok(Vec::new()) };
        let answer = self.server.ask(&request)?;
        let digest = answer.digest.clone();
        match answer.into_rows() {
            Ok(_) if digest != Some(format!("{:016x}", sets.digest)) => {
                Err(Error::msg(format!("the CUB program made other {} keys than this one", K::NAME)))
            }
            Ok(rows) => Ok(rows),
            Err(why) => {
                say(format!("{}  2^{} {case}: CUB skipped, {why}", K::NAME, sets.point.log2));
                Ok(Vec::new())
            }
        }
    }
}

/// The line that asks for a job; none where CUB has no such job.
fn request(case: Case, point: &Point, key_bytes: usize, tile: &[u32]) -> Option<String> {
    if matches!(case, Case::Argsort | Case::Segments | Case::Grid) {
        return None;
    }
    let (distribution, sets) = (point.distribution.number(), point.sets(key_bytes));
    let mut line = format!(
        "{case} {} {distribution} {} {sets} {WARM_UP} {} {CHECK_ALL} {}",
        point.log2,
        point.seed,
        point.runs,
        tile.len()
    );
    for rank in tile {
        line += &format!(" {rank}");
    }
    Some(line)
}

/// What the compiler is told about a key type.
pub(super) fn definitions(key: BenchKey) -> [String; 4] {
    let (kind, bits, of) = match key {
        BenchKey::U8 => (0, 8, "uint8_t"),
        BenchKey::I8 => (1, 8, "int8_t"),
        BenchKey::U16 => (0, 16, "uint16_t"),
        BenchKey::I16 => (1, 16, "int16_t"),
        BenchKey::U32 => (0, 32, "uint32_t"),
        BenchKey::I32 => (1, 32, "int32_t"),
        BenchKey::U64 => (0, 64, "uint64_t"),
        BenchKey::I64 => (1, 64, "int64_t"),
        BenchKey::U128 => (0, 128, "__uint128_t"),
        BenchKey::I128 => (1, 128, "__int128_t"),
        BenchKey::F16 => (2, 16, "__half"),
        BenchKey::Bf16 => (2, 16, "__nv_bfloat16"),
        BenchKey::F32 => (2, 32, "float"),
        BenchKey::F64 => (2, 64, "double"),
    };
    let infinity = match key {
        BenchKey::F16 => "0x7c00ull",
        BenchKey::Bf16 => "0x7f80ull",
        BenchKey::F32 => "0x7f800000ull",
        BenchKey::F64 => "0x7ff0000000000000ull",
        _ => "0ull",
    };
    let unsigned = if bits == 128 { "__uint128_t".to_string() } else { format!("uint{bits}_t") };
    [
        format!("-DGRIDSORT_KEY={of}"),
        format!("-DGRIDSORT_BITS={unsigned}"),
        format!("-DGRIDSORT_KIND={kind}"),
        format!("-DGRIDSORT_INFINITY={infinity}"),
    ]
}

pub(super) fn compiler() -> Option<PathBuf> {
    which("nvcc").or_else(|| Some(PathBuf::from("/usr/local/cuda/bin/nvcc")).filter(|path| path.is_file()))
}

/// Builds the program for each key type, as many at once as there are cores. A type that the toolkit's CUB does not
/// know is said and left out.
fn build(folder: &Path, keys: &[BenchKey]) -> Result<Vec<(BenchKey, PathBuf)>, Error> {
    let Some(compiler) = compiler() else {
        say("peers: no nvcc is found, so CUB is not measured");
        return Ok(Vec::new());
    };
    let source = folder.join("cub.cu");
    std::fs::write(&source, PROGRAM).map_err(Error::io("write", &source))?;
    let inputs = folder.join("inputs.cuh");
    std::fs::write(&inputs, INPUTS).map_err(Error::io("write", &inputs))?;
    let mut keys = keys.to_vec();
    keys.sort_by_key(|key| key.name());
    keys.dedup();
    say("peers: building the CUB program");
    let built = in_parallel(&keys, |&key| {
        let program = folder.join(format!("cub-{}", key.name()));
        let mut command = Command::new(&compiler);
        command.args(["-O3", "-std=c++17", "-arch=native", "-o"]).arg(&program).arg(&source).args(definitions(key));
        match output(&mut command) {
            Ok(done) if done.status.success() => Some((key, program)),
            Ok(done) => {
                let said = String::from_utf8_lossy(&done.stderr);
                let why = said.lines().find(|line| line.contains("error")).unwrap_or("nvcc failed").trim();
                say(format!("peers: CUB is not measured for {}: {why}", key.name()));
                None
            }
            Err(e) => {
                say(format!("peers: CUB is not measured for {}: {e}", key.name()));
                None
            }
        }
    });
    Ok(built.into_iter().flatten().collect())
}

/// Builds and starts the programs.
pub(super) fn start(folder: &Path, keys: &[BenchKey]) -> Result<Vec<Cub>, Error> {
    let programs = build(folder, keys)?;
    programs
        .into_iter()
        .map(|(key, program)| Ok(Cub { key, server: Server::start(&mut Command::new(program))? }))
        .collect()
}

/// Builds the program that times a first sort of u32 keys, where there is a compiler.
pub(crate) fn startup_program(folder: &Path) -> Result<Option<PathBuf>, Error> {
    Ok(build(folder, &[BenchKey::U32])?.pop().map(|(_, program)| program))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::bench::inputs::Distribution;
    use crate::commands::bench::keys::{from_code, with_bench_key, word};

    #[test]
    fn a_request_holds_all_that_makes_the_input() {
        let point = Point { log2: 3, distribution: Distribution::Adversary, seed: 9, runs: 11 };
        let line = request(Case::Pairs, &point, 4, &[1, 0]).unwrap();
        assert_eq!(line, format!("pairs 3 10 9 8 2 11 {CHECK_ALL} 2 1 0"));
        assert_eq!(request(Case::Argsort, &point, 4, &[]), None);
        // The program reads from the name how many parts there are, and whether they have payloads.
        let point = Point { distribution: Distribution::Uniform, ..point };
        assert!(request(Case::MergePairs16, &point, 4, &[]).unwrap().starts_with("merge-pairs-16 3 0 "));
    }

    /// Prints a word for each distribution and position, by the peers' own source.
    const MAIN: &str = r#"
#include <cstdio>
#include "inputs.cuh"
int main() {
    const uint32_t tile[] = {2, 0, 1, 3, 4};
    for (int distribution = 0; distribution < GRIDSORT_DISTRIBUTIONS; distribution++)
        for (uint64_t i = 0; i < 50; i++) {
            GRIDSORT_BITS bits = inputs::bits_of<GRIDSORT_BITS>(inputs::code(distribution, i, 50, 7, tile, 5), GRIDSORT_KIND, GRIDSORT_INFINITY);
            printf("%llx\n", (unsigned long long)inputs::word(bits));
        }
}
"#;

    #[test]
    fn the_peers_make_the_same_keys() {
        let Some(compiler) = which("c++").or_else(|| which("g++")) else {
            println!("no C++ compiler here");
            return;
        };
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("inputs.cuh"), INPUTS).unwrap();
        std::fs::write(dir.path().join("main.cpp"), MAIN).unwrap();
        for key in
            [BenchKey::U8, BenchKey::I16, BenchKey::I64, BenchKey::U128, BenchKey::Bf16, BenchKey::F32, BenchKey::F64]
        {
            let program = dir.path().join(key.name());
            let mut command = Command::new(&compiler);
            command.args(["-std=c++17", "-o"]).arg(&program).arg(dir.path().join("main.cpp"));
            command.arg(format!("-DGRIDSORT_DISTRIBUTIONS={}", Distribution::ALL.len()));
            let done = output(command.args(definitions(key))).unwrap();
            assert!(done.status.success(), "{}", String::from_utf8_lossy(&done.stderr));
            let said = output(&mut Command::new(&program)).unwrap();
            let theirs = String::from_utf8(said.stdout).unwrap();
            let mut ours = String::new();
            for distribution in Distribution::ALL {
                for i in 0..50 {
                    let code = distribution.code(i, 50, 7, &[2, 0, 1, 3, 4]);
                    let word = with_bench_key!(key, K => word(from_code::<K>(code)));
                    ours += &format!("{word:x}\n");
                }
            }
            assert!(theirs == ours, "{} keys differ", key.name());
        }
    }

    #[test]
    fn the_sources_agree_on_constants() {
        for constant in
            ["0x9e3779b97f4a7c15", "0xbf58476d1ce4e5b9", "0x94d049bb133111eb", "TOOTH = 1000", "ZIPF_OCTAVES = 20"]
        {
            assert!(INPUTS.contains(constant), "{constant}");
        }
        let names =
            "UNIFORM, SORTED, REVERSED, NEARLY, FEW_VALUES, ZIPF, EQUAL, SAWTOOTH, ORGAN_PIPE, SORTED_RUNS, ADVERSARY";
        assert!(INPUTS.contains(names));
        assert!(PROGRAM.contains("DeviceMerge::MergePairs") && PROGRAM.contains("DeviceRadixSort::SortPairs"));
    }
}
