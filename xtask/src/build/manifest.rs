//! What lies beside the PTX: from which source it was made, so that it is not made again, and so that it can be told
//! whether it is out of date.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::Arch;
use crate::Error;

/// The manifest's file name.
pub const FILE: &str = "manifest.json";

/// The manifest of a PTX folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    /// [`source_hash`] of what the PTX was made from.
    pub source: String,
    /// The compiler that made it.
    pub compiler: String,
    /// Modules of each architecture, by its name.
    pub modules: BTreeMap<String, Vec<String>>,
}

impl Manifest {
    /// The manifest of a folder; none where there is none that can be read, which is as good as no PTX.
    pub fn read(dir: &Path) -> Option<Self> {
        serde_json::from_slice(&std::fs::read(dir.join(FILE)).ok()?).ok()
    }

    /// Writes the manifest, complete or not at all.
    ///
    /// # Errors
    /// Where it cannot be written.
    pub fn write(&self, dir: &Path) -> Result<(), Error> {
        let path = dir.join(FILE);
        let new = dir.join(format!(".{FILE}.{}", std::process::id()));
        let text = serde_json::to_string_pretty(self).map_err(|e| Error::content(&path, e.to_string()))?;
        std::fs::write(&new, text + "\n").map_err(Error::io("write", &new))?;
        std::fs::rename(&new, &path).map_err(Error::io("write", &path))
    }

    /// Whether the folder holds all that the manifest says of an architecture.
    pub fn has(&self, dir: &Path, arch: Arch) -> bool {
        self.modules.get(arch.name()).is_some_and(|m| m.iter().all(|m| module_file(dir, arch, m, "ptx").is_file()))
    }
}

/// The file of a module.
pub fn module_file(dir: &Path, arch: Arch, module: &str, ending: &str) -> PathBuf {
    dir.join(arch.name()).join(format!("{module}.{ending}"))
}

/// A hash of all that the PTX is made from, apart from the compiler: the kernel crate, and `rules`, which stands for how
/// it is built and for the list of kernels.
///
/// # Errors
/// Where a source file cannot be read.
pub fn source_hash(crate_dir: &Path, rules: &str) -> Result<String, Error> {
    let mut files = vec![crate_dir.join("Cargo.toml")];
    collect(&crate_dir.join("src"), &mut files)?;
    files.sort();
    let mut hash = Sha256::new();
    // Lengths keep two lists of pieces apart that are the same when joined.
    let mut add = |piece: &[u8]| {
        hash.update((piece.len() as u64).to_le_bytes());
        hash.update(piece);
    };
    add(rules.as_bytes());
    for file in files {
        let name = file.strip_prefix(crate_dir).unwrap_or(&file);
        add(name.to_string_lossy().as_bytes());
        add(&std::fs::read(&file).map_err(Error::io("read", &file))?);
    }
    Ok(hash.finalize().iter().map(|b| format!("{b:02x}")).collect())
}

fn collect(dir: &Path, files: &mut Vec<PathBuf>) -> Result<(), Error> {
    for entry in std::fs::read_dir(dir).map_err(Error::io("read", dir))? {
        let path = entry.map_err(Error::io("read", dir))?.path();
        if path.is_dir() {
            collect(&path, files)?;
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hash_sees_names_contents_and_rules() {
        let dir = tempfile::tempdir().unwrap();
        let source = dir.path().join("src/deep");
        std::fs::create_dir_all(&source).unwrap();
        std::fs::write(dir.path().join("Cargo.toml"), "[package]").unwrap();
        std::fs::write(source.join("a.rs"), "a").unwrap();
        let hash = |rules: &str| source_hash(dir.path(), rules).unwrap();
        let first = hash("1");
        assert_eq!(first.len(), 64);
        assert_eq!(first, hash("1"));
        assert_ne!(first, hash("2"));
        // What is no source does not count.
        std::fs::write(source.join("a.rs.orig"), "x").unwrap();
        assert_eq!(first, hash("1"));
        std::fs::write(source.join("a.rs"), "b").unwrap();
        let second = hash("1");
        assert_ne!(first, second);
        std::fs::rename(source.join("a.rs"), source.join("b.rs")).unwrap();
        assert_ne!(second, hash("1"));
        assert!(source_hash(&dir.path().join("none"), "1").is_err());
    }

    #[test]
    fn a_manifest_is_read_as_written_and_knows_its_files() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(Manifest::read(dir.path()), None);
        let mut manifest = Manifest { source: "s".into(), compiler: "c".into(), ..Manifest::default() };
        manifest.modules.insert("sm_80".into(), vec!["a".into()]);
        manifest.write(dir.path()).unwrap();
        assert_eq!(Manifest::read(dir.path()), Some(manifest.clone()));
        assert!(!manifest.has(dir.path(), Arch::Sm80));
        std::fs::create_dir(dir.path().join("sm_80")).unwrap();
        std::fs::write(module_file(dir.path(), Arch::Sm80, "a", "ptx"), "").unwrap();
        assert!(manifest.has(dir.path(), Arch::Sm80));
        assert!(!manifest.has(dir.path(), Arch::Sm90));
    }
}
