//! How long a user waits for the first sorted result: a fresh process, timed from its start.
//!
//! A child of this program starts the driver, sorts 2^20 keys, and sorts them again. The parent's clock runs from before the
//! child is started until it says that the first result is there; the child tells how the time was split.
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

use gridsort::{Device, DeviceKind, SortOptions};
use serde::{Deserialize, Serialize};

use super::inputs::{Distribution, fill};
use super::peers::startup_program;
use super::report::OURS;
use super::table::{milliseconds, times_as_fast};
use super::timing::{SHORTEST, Times};
use crate::Error;
use crate::build::process::{say, shown};
use crate::commands::device::DeviceChoice;

/// Fresh processes of each kind.
const RUNS: usize = 7;
/// Keys of the first sort, as a power of two.
const LOG2: u8 = 20;
/// The same on the emulator, whose first result is to come soon too.
const LOG2_EMULATED: u8 = 12;
/// What the child writes when the first result is there.
const FIRST: &str = "first";

/// First results of fresh processes of one program.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Startup {
    /// Which program.
    pub by: String,
    /// Number of keys, as a power of two.
    pub log2: u8,
    /// Whether the driver may use what it has assembled before.
    pub driver_cache: bool,
    /// From the start of the process to the first result, for each process.
    pub total_ms: Times,
    /// Of it, the driver's start.
    pub driver_ms: Times,
    /// Of it, the first sort, with its copies to and from the device and the load of its kernels.
    pub first_ms: Times,
    /// The same sort once more; what the first took longer is the load of its kernels.
    pub second_ms: Times,
}

/// How the child's time was split.
#[derive(Serialize, Deserialize)]
struct Split {
    driver_ms: f64,
    first_ms: f64,
    second_ms: f64,
}

/// The child: sorts, and says how long it took.
///
/// # Errors
/// Where there is no such device or a sort fails.
pub(super) fn child(choice: DeviceChoice) -> Result<(), Error> {
    let begin = Instant::now();
    let device = choice.open(Device::emulator)?;
    let driver_ms = begin.elapsed().as_secs_f64() * 1e3;
    let mut input = vec![0_u32; 1 << log2(device.kind())];
    fill(&mut input, Distribution::Uniform, 1, &[]);
    let mut sorts = [0.0; 2];
    for (i, time) in sorts.iter_mut().enumerate() {
        let mut keys = input.clone();
        let begin = Instant::now();
        device.sort(&mut keys, SortOptions::new())?;
        *time = begin.elapsed().as_secs_f64() * 1e3;
        if !keys.is_sorted() {
            return Err(Error::msg("the sort's result is wrong"));
        }
        if i == 0 {
            println!("{FIRST}");
        }
    }
    let split = Split { driver_ms, first_ms: sorts[0], second_ms: sorts[1] };
    println!("{}", serde_json::to_string(&split).map_err(|e| Error::msg(e.to_string()))?);
    Ok(())
}

fn log2(kind: DeviceKind) -> u8 {
    if kind == DeviceKind::Emulator { LOG2_EMULATED } else { LOG2 }
}

/// Times this program's first result, and CUB's where that is asked for and possible.
///
/// # Errors
/// Where a program cannot be started or fails.
pub(super) fn measure(device: &Device, peers: bool) -> Result<Vec<Startup>, Error> {
    let log2 = log2(device.kind());
    let own = std::env::current_exe().map_err(|e| Error::msg(format!("cannot find this program: {e}")))?;
    let kind = device.kind().to_string();
    let mut programs: Vec<(&str, Vec<String>)> = vec![(
        OURS,
        [own.to_string_lossy().as_ref(), "bench", "--startup-child", "--device", &kind].map(String::from).to_vec(),
    )];
    let folder = tempfile::tempdir().map_err(Error::io("create a folder in", std::env::temp_dir()))?;
    if peers
        && device.kind() == DeviceKind::Cuda
        && let Some(program) = startup_program(folder.path())?
    {
        for (by, which) in [("cub merge sort", "merge"), ("cub radix sort", "radix")] {
            let program = program.to_string_lossy().into_owned();
            programs.push((by, vec![program, "startup".into(), which.into(), log2.to_string()]));
        }
    }
    let mut out = Vec::new();
    // Without the driver's cache, each process assembles anew what it carries as PTX only.
    for driver_cache in if device.kind() == DeviceKind::Cuda { vec![true, false] } else { vec![true] } {
        for (by, line) in &programs {
            match fresh(by, line, log2, driver_cache) {
                Ok(startup) => out.push(startup),
                Err(why) if *by != OURS => say(format!("peers: {by} is not measured: {why}")),
                Err(why) => return Err(why),
            }
        }
    }
    Ok(out)
}

/// Starts one program again and again.
fn fresh(by: &str, line: &[String], log2: u8, driver_cache: bool) -> Result<Startup, Error> {
    let mut startup = Startup {
        by: by.to_string(),
        log2,
        driver_cache,
        total_ms: Times(Vec::new()),
        driver_ms: Times(Vec::new()),
        first_ms: Times(Vec::new()),
        second_ms: Times(Vec::new()),
    };
    // The first warms the file system's cache, and the driver's where it has one.
    for run in 0..=RUNS {
        let mut command = Command::new(&line[0]);
        command.args(&line[1..]);
        if !driver_cache {
            command.env("CUDA_CACHE_DISABLE", "1");
        }
        let (total, split) = one(&mut command)?;
        if run > 0 {
            startup.total_ms.0.push(total);
            startup.driver_ms.0.push(split.driver_ms);
            startup.first_ms.0.push(split.first_ms);
            startup.second_ms.0.push(split.second_ms);
        }
    }
    Ok(startup)
}

/// One process: the time to its first result, and how it was split.
fn one(command: &mut Command) -> Result<(f64, Split), Error> {
    let name = shown(command);
    let failed = |why: String| Error::msg(format!("`{name}` {why}"));
    let begin = Instant::now();
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| failed(format!("cannot be started: {e}")))?;
    let mut lines =
        child.stdout.take().map(|out| BufReader::new(out).lines()).into_iter().flatten().map_while(Result::ok);
    let first = lines.next();
    let total = begin.elapsed().as_secs_f64() * 1e3;
    let split = lines.next();
    let status = child.wait().map_err(|e| failed(format!("cannot be waited for: {e}")))?;
    match (first.as_deref(), split) {
        (Some(FIRST), Some(split)) if status.success() => {
            let split = serde_json::from_str(&split).map_err(|e| failed(format!("says {split:?}: {e}")))?;
            Ok((total, split))
        }
        (first, _) => Err(failed(format!("failed ({status}): {}", first.unwrap_or_default()))),
    }
}

/// First results as a table.
pub(super) fn table(startups: &[Startup]) -> String {
    let mut out = format!(
        "process start to first sorted result, u32; medians; kernels: what the first sort took longer than the next\n\n\
         {:16} {:6} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8}\n",
        "by", "keys", "driver cache", "total", "driver", "first sort", "kernels", "next sort", "ratio"
    );
    for row in startups {
        let ours = startups.iter().find(|other| other.by == OURS && other.driver_cache == row.driver_cache);
        let ratio = match ours {
            Some(ours) if row.by != OURS => times_as_fast(row.total_ms.median() / ours.total_ms.median().max(SHORTEST)),
            _ => "-".to_string(),
        };
        let (first, second) = (row.first_ms.median(), row.second_ms.median());
        out += &format!(
            "{:16} 2^{:<4} {:>12} {:>10} {:>10} {:>10} {:>10} {:>10} {:>8}\n",
            row.by,
            row.log2,
            if row.driver_cache { "on" } else { "off" },
            milliseconds(row.total_ms.median()),
            milliseconds(row.driver_ms.median()),
            milliseconds(first),
            milliseconds((first - second).max(0.0)),
            milliseconds(second),
            ratio,
        );
    }
    out
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn a_childs_words_are_read() {
        let script = r#"echo first; echo '{"driver_ms":1,"first_ms":3,"second_ms":2}'"#;
        let line = ["sh", "-c", script].map(String::from);
        let startup = fresh(OURS, &line, 20, true).unwrap();
        assert_eq!(startup.total_ms.0.len(), RUNS);
        assert_eq!(startup.driver_ms, Times(vec![1.0; RUNS]));
        let table = table(&[startup]);
        assert!(table.lines().last().unwrap().contains("1.00 ms"), "{table}");
        assert!(fresh(OURS, &["false".to_string()], 20, true).is_err());
    }
}
