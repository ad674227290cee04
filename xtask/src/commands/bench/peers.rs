//! Other libraries' sorts, in programs of their own beside this one, on the same inputs and in the same run.
//!
//! A machine without a library is no error: it is said, and the rest is measured.
use gridsort::{DeviceKind, Key};
use tempfile::TempDir;

use super::cases::Case;
use super::keys::BenchKey;
use super::sets::Sets;
use super::timing::Times;
use crate::Error;
use crate::build::process::say;

mod cub;
mod python;
mod server;
mod tensors;

pub(super) use cub::startup_program;
pub(super) use tensors::TensorPeers;

/// The peers that were found.
pub(super) struct Peers {
    cub: Vec<cub::Cub>,
    python: Option<python::Python>,
    /// Of the programs and what is handed to them; removed with this.
    folder: TempDir,
}

/// One peer's times: who, and how long.
pub(super) type Row = (String, Times);

impl Peers {
    /// Builds and starts the peers for these key types.
    pub(super) fn start(kind: DeviceKind, keys: &[BenchKey]) -> Result<Self, Error> {
        let folder = tempfile::Builder::new()
            .prefix("gridsort-peers-")
            .tempdir()
            .map_err(Error::io("create a folder in", std::env::temp_dir()))?;
        if kind != DeviceKind::Cuda {
            say("peers: CUB, torch and CuPy run on a GPU, so only rayon is measured");
            return Ok(Peers { cub: Vec::new(), python: None, folder });
        }
        let cub = cub::start(folder.path(), keys)?;
        let python = python::start(folder.path())?;
        Ok(Peers { cub, python, folder })
    }

    /// The times of every peer that does the job. One that fails, or whose keys turn out to be others, is said and no
    /// longer measured: what the rest has measured so far is not lost by it.
    pub(super) fn measure<K: Key>(&mut self, key: BenchKey, case: Case, sets: &Sets<K>, tile: &[u32]) -> Vec<Row> {
        let mut rows = Vec::new();
        if let Some(i) = self.cub.iter().position(|cub| cub.key == key) {
            match self.cub[i].measure(case, sets, tile) {
                Ok(found) => rows.extend(found),
                Err(why) => {
                    say(format!("peers: CUB is no longer measured for {} keys: {why}", K::NAME));
                    self.cub.remove(i);
                }
            }
        }
        if let (Some(python), Case::Keys) = (&mut self.python, case) {
            match python.measure(self.folder.path(), sets) {
                Ok(found) => rows.extend(found),
                Err(why) => {
                    say(format!("peers: torch and CuPy are no longer measured: {why}"));
                    self.python = None;
                }
            }
        }
        rows
    }
}
