//! With the feature `cuda`: lists the kernels' PTX, which `cargo xtask build-ptx` makes, for `src/device` to embed.
//!
//! The list is `$OUT_DIR/ptx.rs`: `PTX`, an entry for each file `sm_<number>/<module>.ptx` of the folder that
//! `GRIDSORT_PTX_DIR` names, by default `ptx` beside the manifest.
use std::env;
use std::error::Error;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=GRIDSORT_PTX_DIR");
    if env::var_os("CARGO_FEATURE_CUDA").is_none() {
        return Ok(());
    }
    let dir = match env::var_os("GRIDSORT_PTX_DIR").filter(|d| !d.is_empty()) {
        Some(dir) => PathBuf::from(dir),
        None => PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo did not name the package's folder")?)
            .join("ptx"),
    };
    // A folder, so cargo looks at all that is in it; where it is missing, cargo asks again each time.
    println!("cargo::rerun-if-changed={}", dir.display());
    let modules = modules(&dir)?;
    // Documentation is made where no kernel is compiled.
    if modules.is_empty() && env::var_os("DOCS_RS").is_none() {
        println!("cargo::error=there is no PTX of the kernels in {}; run: cargo xtask build-ptx", dir.display());
        return Ok(());
    }
    let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo did not name the folder to write to")?);
    fs::write(out.join("ptx.rs"), table(&modules)?)?;
    Ok(())
}

/// One file of PTX.
struct Module {
    /// 90 for sm_90.
    arch: u32,
    name: String,
    file: PathBuf,
}

/// All files, in order of architecture and name. Empty where there is no folder.
fn modules(dir: &Path) -> Result<Vec<Module>, Box<dyn Error>> {
    let mut all = Vec::new();
    let Ok(folders) = fs::read_dir(dir) else {
        return Ok(all);
    };
    for folder in folders {
        let folder = folder?;
        let name = folder.file_name();
        let Some(arch) = name.to_str().and_then(|n| n.strip_prefix("sm_")?.parse().ok()) else {
            continue;
        };
        for file in fs::read_dir(folder.path())? {
            let file = fs::canonicalize(file?.path())?;
            if file.extension().is_some_and(|e| e == "ptx") {
                let name = file.file_stem().and_then(|s| s.to_str()).ok_or("a module's name is no text")?.to_owned();
                all.push(Module { arch, name, file });
            }
        }
    }
    all.sort_by(|a, b| (a.arch, &a.name).cmp(&(b.arch, &b.name)));
    Ok(all)
}

fn table(modules: &[Module]) -> Result<String, Box<dyn Error>> {
    let mut text = String::from(
        "/// The kernels' PTX: the number of the architecture it was compiled for, the module's name, the text.\n\
         pub(crate) static PTX: &[(u32, &str, &str)] = &[\n",
    );
    for m in modules {
        let file = m.file.to_str().ok_or("the PTX folder's path is no text")?;
        writeln!(text, "    ({}, {:?}, include_str!({file:?})),", m.arch, m.name)?;
    }
    text.push_str("];\n");
    Ok(text)
}
