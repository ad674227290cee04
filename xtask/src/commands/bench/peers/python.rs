//! `torch.sort` and CuPy, where python3 has them. Their keys go through a file.
use std::path::Path;
use std::process::Command;

use gridsort::Key;

use super::Row;
use super::server::Server;
use crate::Error;
use crate::build::process::{output, say, which};
use crate::commands::bench::sets::Sets;
use crate::commands::bench::timing::WARM_UP;

const SCRIPT: &str = include_str!("../../../../peers/arrays.py");
/// Finds the libraries without starting them.
const PROBE: &str = "import importlib.util as u; print(' '.join(n for n in ('torch', 'cupy') if u.find_spec(n)))";
/// Bytes of a file of keys: above, more time goes into handing them over than into sorting.
const MOST_BYTES: usize = 4 << 30;

/// The script, under way.
pub(super) struct Python {
    server: Server,
}

/// Starts the script where there is something for it to measure.
pub(super) fn start(folder: &Path) -> Result<Option<Python>, Error> {
    let Some(python) = which("python3") else {
        say("peers: no python3 is found, so torch and CuPy are not measured");
        return Ok(None);
    };
    let found = output(Command::new(&python).args(["-c", PROBE]))?;
    let found = String::from_utf8_lossy(&found.stdout);
    for name in ["torch", "cupy"] {
        if !found.split_whitespace().any(|there| there == name) {
            say(format!("peers: python3 has no {name}, so it is not measured"));
        }
    }
    if found.trim().is_empty() {
        return Ok(None);
    }
    let script = folder.join("arrays.py");
    std::fs::write(&script, SCRIPT).map_err(Error::io("write", &script))?;
    Ok(Some(Python { server: Server::start(Command::new(python).arg(script))? }))
}

impl Python {
    pub(super) fn measure<K: Key>(&mut self, folder: &Path, sets: &Sets<K>) -> Result<Vec<Row>, Error> {
        if sets.sets.len() * sets.point.n() * size_of::<K>() > MOST_BYTES {
            return Ok(Vec::new());
        }
        let path = folder.join("keys.bin");
        let mut file = std::fs::File::create(&path).map_err(Error::io("write", &path))?;
        for set in &sets.sets {
            std::io::Write::write_all(&mut file, bytemuck::cast_slice(&set.keys)).map_err(Error::io("write", &path))?;
        }
        drop(file);
        let request = serde_json::json!([path, K::NAME, sets.point.n(), WARM_UP, sets.point.runs]);
        let answer = self.server.ask(&request.to_string());
        std::fs::remove_file(&path).map_err(Error::io("remove", &path))?;
        match answer?.into_rows() {
            Ok(rows) => Ok(rows),
            Err(why) => {
                say(format!("{}  2^{}: torch and CuPy skipped, {why}", K::NAME, sets.point.log2));
                Ok(Vec::new())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_script_answers_every_request() {
        let Some(python) = which("python3") else { return };
        let dir = tempfile::tempdir().unwrap();
        let (script, keys) = (dir.path().join("arrays.py"), dir.path().join("keys.bin"));
        std::fs::write(&script, SCRIPT).unwrap();
        std::fs::write(&keys, [0; 32]).unwrap();
        let mut server = Server::start(Command::new(python).arg(script)).unwrap();
        let asked = server.ask(&serde_json::json!([keys, "u32", 4, 1, 1]).to_string()).unwrap();
        // On a machine without a GPU there is nothing to measure; that is no error.
        assert!(asked.into_rows().is_ok());
        assert!(server.ask("[\"no file\", \"u32\", 4, 1, 1]").unwrap().into_rows().is_err());
    }
}
