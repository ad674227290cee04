//! CUB's segmented sorts, `torch.sort` and `torch.topk`, at the jobs of `--tensors`. Both make the keys themselves, on the GPU.
use std::path::Path;
use std::process::Command;

use gridsort::DeviceKind;
use tempfile::TempDir;

use super::Row;
use super::cub::{INPUTS, compiler, definitions};
use super::server::Server;
use crate::Error;
use crate::build::process::{output, say, which};
use crate::commands::bench::keys::BenchKey;
use crate::commands::bench::sets::CHECK_ALL;
use crate::commands::bench::tensors::{Data, Job, SETS, Work};
use crate::commands::bench::timing::WARM_UP;

const PROGRAM: &str = include_str!("../../../../peers/segmented.cu");
const SCRIPT: &str = include_str!("../../../../peers/tensors.py");
/// The file with the ends of segments, in the peers' folder.
const OFFSETS: &str = "offsets.bin";

/// The peers that were found.
pub(in crate::commands::bench) struct TensorPeers {
    cub: Option<Server>,
    torch: Option<Server>,
    /// Of the programs and what is handed to them; removed with this.
    folder: TempDir,
}

impl TensorPeers {
    /// Builds and starts them.
    pub(in crate::commands::bench) fn start(kind: DeviceKind) -> Result<Self, Error> {
        let folder = tempfile::Builder::new()
            .prefix("gridsort-peers-")
            .tempdir()
            .map_err(Error::io("create a folder in", std::env::temp_dir()))?;
        if kind != DeviceKind::Cuda {
            say("peers: CUB and torch run on a GPU, so neither is measured");
            return Ok(TensorPeers { cub: None, torch: None, folder });
        }
        let (cub, torch) = (start_cub(folder.path())?, start_torch(folder.path())?);
        Ok(TensorPeers { cub, torch, folder })
    }

    /// The times of every peer that does the job. One that fails, or whose keys turn out to be others, is said and no longer
    /// measured; one whose answer is another than this library's is said and left out.
    pub(in crate::commands::bench) fn measure(
        &mut self,
        work: &Work,
        data: &Data,
        offsets: Option<&[u64]>,
        runs: usize,
        result: u64,
    ) -> Vec<Row> {
        let expected = Expected { input: format!("{:016x}", data.digest(work.elements())), result };
        let folder = self.folder.path();
        let mut rows = Vec::new();
        if !work.job.selects() {
            let line = cub_request(work, data.seed, runs);
            let ask = |server: &mut Server| {
                hand_over(folder, offsets)?;
                expected.answer(server, &line, work)
            };
            rows.extend(asked(&mut self.cub, "CUB", ask));
        }
        if let Some(line) = torch_request(work, data.seed, runs) {
            rows.extend(asked(&mut self.torch, "torch", |server| expected.answer(server, &line, work)));
        }
        rows
    }
}

/// The rows that one peer answers; it is given up where it fails.
fn asked(peer: &mut Option<Server>, name: &str, ask: impl FnOnce(&mut Server) -> Result<Vec<Row>, Error>) -> Vec<Row> {
    let Some(server) = peer else { return Vec::new() };
    ask(server).unwrap_or_else(|why| {
        say(format!("peers: {name} is no longer measured: {why}"));
        *peer = None;
        Vec::new()
    })
}

/// Digests that prove that a peer did the same.
struct Expected {
    input: String,
    result: u64,
}

impl Expected {
    fn answer(&self, server: &mut Server, request: &str, work: &Work) -> Result<Vec<Row>, Error> {
        let answer = server.ask(request)?;
        let input = answer.digest.clone();
        let rows = match answer.into_rows_with(&format!("{:016x}", self.result)) {
            Ok(rows) => rows,
            Err(why) => {
                say(format!("{work}: a peer is skipped, {why}"));
                return Ok(Vec::new());
            }
        };
        if !rows.is_empty() && input.as_ref() != Some(&self.input) {
            return Err(Error::msg("it made other keys than this program"));
        }
        let mut right = Vec::new();
        for (row, same) in rows {
            if same {
                right.push(row);
            } else {
                say(format!("{work}: {} is left out, its result is another one", row.0));
            }
        }
        Ok(right)
    }
}

/// Writes the ends of segments where the program looks for them.
fn hand_over(folder: &Path, offsets: Option<&[u64]>) -> Result<(), Error> {
    let Some(offsets) = offsets else { return Ok(()) };
    let path = folder.join(OFFSETS);
    std::fs::write(&path, bytemuck::cast_slice(offsets)).map_err(Error::io("write", path))
}

fn cub_request(work: &Work, seed: u64, runs: usize) -> String {
    let Work { job, rows, columns, .. } = work;
    let file = if *job == Job::Segments { OFFSETS } else { "-" };
    format!("{job} {rows} {columns} {seed} {SETS} {WARM_UP} {runs} {CHECK_ALL} {file}")
}

/// None where torch has no such job.
fn torch_request(work: &Work, seed: u64, runs: usize) -> Option<String> {
    if work.job == Job::Segments {
        return None;
    }
    let job = work.job.to_string();
    Some(serde_json::json!([job, work.rows, work.columns, work.k, seed, SETS, WARM_UP, runs]).to_string())
}

fn start_cub(folder: &Path) -> Result<Option<Server>, Error> {
    let Some(compiler) = compiler() else {
        say("peers: no nvcc is found, so CUB is not measured");
        return Ok(None);
    };
    let source = folder.join("segmented.cu");
    std::fs::write(&source, PROGRAM).map_err(Error::io("write", &source))?;
    let inputs = folder.join("inputs.cuh");
    std::fs::write(&inputs, INPUTS).map_err(Error::io("write", &inputs))?;
    say("peers: building the CUB program");
    let program = folder.join("segmented");
    let mut command = Command::new(compiler);
    command.args(["-O3", "-std=c++17", "-arch=native", "-o"]).arg(&program).arg(&source);
    let done = output(command.args(definitions(BenchKey::F32)))?;
    if !done.status.success() {
        let said = String::from_utf8_lossy(&done.stderr);
        let why = said.lines().find(|line| line.contains("error")).unwrap_or("nvcc failed").trim();
        say(format!("peers: CUB is not measured: {why}"));
        return Ok(None);
    }
    Server::start(Command::new(program).current_dir(folder)).map(Some)
}

fn start_torch(folder: &Path) -> Result<Option<Server>, Error> {
    let Some(python) = which("python3") else {
        say("peers: no python3 is found, so torch is not measured");
        return Ok(None);
    };
    let probe = "import importlib.util as u; print(u.find_spec('torch') is not None)";
    let found = output(Command::new(&python).args(["-c", probe]))?;
    if String::from_utf8_lossy(&found.stdout).trim() != "True" {
        say("peers: python3 has no torch, so it is not measured");
        return Ok(None);
    }
    let script = folder.join("tensors.py");
    std::fs::write(&script, SCRIPT).map_err(Error::io("write", &script))?;
    Server::start(Command::new(python).arg(script)).map(Some)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::bench::inputs::{Distribution, digest};
    use crate::commands::bench::keys::{from_code, word};

    /// Prints the script's keys, and their digest, by numbers that wrap as those of torch do.
    const MAIN: &str = r#"
import tensors

class Word:
    def __init__(self, value):
        self.value = tensors.signed(value)

def value(x):
    return x.value if isinstance(x, Word) else x

for name, of in (("add", lambda a, b: a + b), ("sub", lambda a, b: a - b), ("mul", lambda a, b: a * b),
                 ("xor", lambda a, b: a ^ b), ("and", lambda a, b: a & b), ("rshift", lambda a, b: a >> b)):
    setattr(Word, f"__{name}__", lambda a, b, of=of: Word(of(value(a), value(b))))
    setattr(Word, f"__r{name}__", lambda a, b, of=of: Word(of(value(b), value(a))))

words = [tensors.bits_of(Word(i), 7) for i in range(1000)]
for word in words:
    print(f"{word.value:x}")
print(f"{sum(tensors.placed(word, Word(i)).value for i, word in enumerate(words)) % (1 << 64):016x}")
"#;

    #[test]
    fn the_script_makes_the_same_keys() {
        let Some(python) = which("python3") else {
            println!("no python3 here");
            return;
        };
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("tensors.py"), SCRIPT).unwrap();
        std::fs::write(dir.path().join("main.py"), MAIN).unwrap();
        let said = output(Command::new(python).arg(dir.path().join("main.py"))).unwrap();
        assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
        let keys: Vec<f32> = (0..1000).map(|i| from_code(Distribution::Uniform.code(i, 1000, 7, &[]))).collect();
        let mut ours: String = keys.iter().map(|&key| format!("{:x}\n", word(key))).collect();
        ours += &format!("{:016x}\n", digest(&keys));
        assert_eq!(String::from_utf8_lossy(&said.stdout), ours);
    }

    #[test]
    fn the_script_answers_every_request() {
        let Some(python) = which("python3") else { return };
        let dir = tempfile::tempdir().unwrap();
        let script = dir.path().join("tensors.py");
        std::fs::write(&script, SCRIPT).unwrap();
        let mut server = Server::start(Command::new(python).arg(script)).unwrap();
        for job in [Job::Rows, Job::ArgsortRows, Job::TopK, Job::TopKRows] {
            let work = Work { job, rows: 1, columns: 50, k: if job.selects() { 3 } else { 0 } };
            let answer = server.ask(&torch_request(&work, 1, 2).unwrap()).unwrap();
            // On a machine without a GPU there is nothing to measure; that is no error.
            assert!(answer.into_rows().is_ok(), "{job}");
        }
        assert!(server.ask("[\"rows\"]").unwrap().into_rows().is_err());
    }

    #[test]
    fn requests_hold_all_that_makes_the_input() {
        let work = Work { job: Job::Segments, rows: 5, columns: 7, k: 0 };
        assert_eq!(cub_request(&work, 9, 11), format!("segments 5 7 9 2 2 11 {CHECK_ALL} offsets.bin"));
        assert_eq!(torch_request(&work, 9, 11), None);
        let work = Work { job: Job::TopKRows, k: 3, ..work };
        assert_eq!(torch_request(&work, 9, 11).unwrap(), r#"["top-k-rows",5,7,3,9,2,2,11]"#);
    }

    #[cfg(unix)]
    #[test]
    fn answers_are_held_against_ours() {
        let work = Work { job: Job::Rows, rows: 5, columns: 7, k: 0 };
        let expected = Expected { input: format!("{:016x}", 1), result: 2 };
        let answer = |digest: u64, result: u64| {
            let said = format!(
                r#"{{"digest":"{digest:016x}","rows":[{{"by":"x","result":"{result:016x}","times_ms":[1.5]}}]}}"#
            );
            let mut server = Server::start(Command::new("sh").args(["-c", "read a; echo \"$0\"", &said])).unwrap();
            expected.answer(&mut server, "a", &work)
        };
        assert_eq!(answer(1, 2).unwrap().len(), 1);
        assert!(answer(1, 3).unwrap().is_empty(), "another result");
        assert!(answer(3, 2).is_err(), "other keys");
    }
}
