//! Which jobs are measured, on which shapes.
use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use gridsort::DeviceKind;

use super::Options;
use crate::Error;

/// A job of `--tensors`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, clap::ValueEnum)]
pub enum Job {
    /// Sort each row of a matrix
    Rows,
    /// The stable order of each row as 32-bit indices
    ArgsortRows,
    /// Sort segments whose lengths go by a power law
    Segments,
    /// The largest of all keys and their indices
    TopK,
    /// The largest of each row and their indices
    TopKRows,
}

impl Job {
    const ALL: [Job; 5] = [Job::Rows, Job::ArgsortRows, Job::Segments, Job::TopK, Job::TopKRows];

    /// Whether it takes k of the keys.
    pub(in crate::commands::bench) fn selects(self) -> bool {
        matches!(self, Job::TopK | Job::TopKRows)
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Job::Rows => "rows",
            Job::ArgsortRows => "argsort-rows",
            Job::Segments => "segments",
            Job::TopK => "top-k",
            Job::TopKRows => "top-k-rows",
        })
    }
}

/// Rows and columns, as `4096x128256`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Rows, or segments.
    pub rows: usize,
    /// Columns, or the mean length of segments.
    pub columns: usize,
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<usize>().ok().filter(|&number| number > 0);
        let parts =
            text.split_once(['x', 'X', '*']).and_then(|(rows, columns)| Some((number(rows)?, number(columns)?)));
        match parts {
            Some((rows, columns)) if rows.checked_mul(columns).is_some() => Ok(Shape { rows, columns }),
            _ => Err(format!("{text:?} is no shape such as 4096x128256")),
        }
    }
}

/// A job on a shape.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::commands::bench) struct Work {
    pub(in crate::commands::bench) job: Job,
    /// Rows, or segments; 1 where all keys are one array.
    pub(in crate::commands::bench) rows: usize,
    pub(in crate::commands::bench) columns: usize,
    /// How many are taken of each row; 0 where all are sorted.
    pub(in crate::commands::bench) k: usize,
}

impl Work {
    /// Number of keys.
    pub(in crate::commands::bench) fn elements(&self) -> usize {
        self.rows * self.columns
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}x{}", self.job, self.rows, self.columns)?;
        if self.job.selects() { write!(f, " k {}", self.k) } else { Ok(()) }
    }
}

/// Shapes, and how many are selected.
type Defaults = (&'static [(usize, usize)], &'static [usize]);

/// What is measured where the options leave it open.
fn defaults(job: Job, kind: DeviceKind) -> Defaults {
    match (kind, job) {
        (DeviceKind::Cuda, Job::Rows) => (&[(1_000_000, 256), (65_536, 4096), (2048, 131_072), (16, 1 << 24)], &[]),
        (DeviceKind::Cuda, Job::ArgsortRows) => (&[(4096, 128_256)], &[]),
        (DeviceKind::Cuda, Job::Segments) => (&[(1 << 20, 1 << 8)], &[]),
        (DeviceKind::Cuda, Job::TopK) => (&[(1, 1 << 28)], &[16, 4096]),
        (DeviceKind::Cuda, Job::TopKRows) => (&[(4096, 128_256)], &[50]),
        (DeviceKind::Cpu, Job::Rows) => (&[(10_000, 256), (1024, 4096), (32, 131_072), (4, 1 << 20)], &[]),
        (DeviceKind::Cpu, Job::ArgsortRows) => (&[(32, 128_256)], &[]),
        (DeviceKind::Cpu, Job::Segments) => (&[(1 << 14, 1 << 8)], &[]),
        (DeviceKind::Cpu, Job::TopK) => (&[(1, 1 << 22)], &[16, 4096]),
        (DeviceKind::Cpu, Job::TopKRows) => (&[(32, 128_256)], &[50]),
        (DeviceKind::Emulator, Job::Rows) => (&[(40, 32), (2, 700)], &[]),
        (DeviceKind::Emulator, Job::ArgsortRows) => (&[(2, 500)], &[]),
        (DeviceKind::Emulator, Job::Segments) => (&[(40, 25)], &[]),
        (DeviceKind::Emulator, Job::TopK) => (&[(1, 2000)], &[16, 300]),
        (DeviceKind::Emulator, Job::TopKRows) => (&[(4, 400)], &[50]),
    }
}

/// Keys of each matrix of a sweep, and its widest row but one.
fn sweep(kind: DeviceKind) -> (usize, usize) {
    match kind {
        DeviceKind::Cuda => (1 << 26, 1 << 20),
        DeviceKind::Cpu => (1 << 21, 1 << 20),
        DeviceKind::Emulator => (1 << 11, 1 << 9),
    }
}

/// Powers of two up to `most`, one and a half times these, and one more than these.
fn widths(most: usize) -> BTreeSet<usize> {
    let powers = || (0..usize::BITS).map(|log2| 1 << log2).take_while(|&power| power <= most);
    let between = powers().map(|power| power + power / 2).filter(|&width| width <= most);
    powers().chain(between).chain(powers().map(|power| power + 1)).collect()
}

/// Every job that the options ask for, on every shape.
pub(super) fn of(options: &Options, kind: DeviceKind) -> Result<Vec<Work>, Error> {
    let named = options.tensors.as_deref().unwrap_or_default();
    let jobs = match (named, options.sweep) {
        ([], true) => &[Job::Rows][..],
        ([], false) => &Job::ALL,
        (named, _) => named,
    };
    let mut works = Vec::new();
    for &job in jobs {
        let (shapes, ks) = defaults(job, kind);
        let shapes: Vec<(usize, usize)> = if options.sweep {
            let (elements, most) = sweep(kind);
            widths(most).into_iter().map(|width| (elements / width, width)).collect()
        } else if options.shape.is_empty() {
            shapes.to_vec()
        } else {
            options.shape.iter().map(|shape| (shape.rows, shape.columns)).collect()
        };
        let ks = match (job.selects(), &options.k[..]) {
            (false, _) => &[0],
            (true, []) => ks,
            (true, asked) => asked,
        };
        for (rows, columns) in shapes {
            // One array, whatever its shape.
            let (rows, columns) = if job == Job::TopK { (1, rows * columns) } else { (rows, columns) };
            for &k in ks {
                // Rows that are narrower than what is selected by default give all they have.
                let k = if options.k.is_empty() { k.min(columns) } else { k };
                if k > columns {
                    return Err(Error::msg(format!("--k {k}: {job} of {rows}x{columns} has no {k} to select")));
                }
                works.push(Work { job, rows, columns, k });
            }
        }
    }
    Ok(works)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(tensors: &[Job], shape: &[&str], k: &[usize], sweep: bool) -> Options {
        let shape = shape.iter().map(|shape| shape.parse().unwrap()).collect();
        Options { tensors: Some(tensors.to_vec()), shape, k: k.to_vec(), sweep }
    }

    fn text(options: &Options) -> Vec<String> {
        of(options, DeviceKind::Cuda).unwrap().iter().map(Work::to_string).collect()
    }

    #[test]
    fn shapes_are_two_numbers() {
        assert_eq!("4096x128256".parse(), Ok(Shape { rows: 4096, columns: 128_256 }));
        for wrong in ["", "5", "5x", "x5", "5x5x5", "0x5", "-1x5", "99999999999x99999999999"] {
            assert!(wrong.parse::<Shape>().unwrap_err().contains("4096x128256"), "{wrong}");
        }
    }

    #[test]
    fn everything_by_default() {
        let all = text(&options(&[], &[], &[], false));
        assert_eq!(all.len(), 4 + 1 + 1 + 2 + 1);
        assert_eq!(all[0], "rows 1000000x256");
        assert!(all.contains(&"top-k 1x268435456 k 4096".to_string()) && all.contains(&"segments 1048576x256".into()));
    }

    #[test]
    fn shapes_and_numbers_can_be_asked_for() {
        assert_eq!(
            text(&options(&[Job::TopKRows], &["7x20"], &[3, 20], false)),
            ["top-k-rows 7x20 k 3", "top-k-rows 7x20 k 20"]
        );
        assert_eq!(text(&options(&[Job::TopK], &["7x20"], &[], false)), ["top-k 1x140 k 16", "top-k 1x140 k 140"]);
        let many = of(&options(&[Job::TopKRows], &["7x20"], &[21], false), DeviceKind::Cpu);
        assert!(many.unwrap_err().to_string().contains("no 21"));
    }

    #[test]
    fn a_sweep_has_every_width_once() {
        assert_eq!(widths(8).into_iter().collect::<Vec<_>>(), [1, 2, 3, 4, 5, 6, 8, 9]);
        let sweep = of(&options(&[], &[], &[], true), DeviceKind::Cuda).unwrap();
        assert!(sweep.iter().all(|work| work.job == Job::Rows && work.elements() <= 1 << 26 && work.rows > 0));
        assert!(sweep.iter().all(|work| work.elements() + work.columns > 1 << 26));
        assert_eq!(sweep.last().map(|work| work.columns), Some((1 << 20) + 1));
    }
}
