//! With the feature `cuda`: compresses the kernels' PTX, which `cargo xtask build-ptx` makes, and the assembled code beside
//! it where there is some, for `src/embedded.rs` to embed.
//!
//! The list is `$OUT_DIR/modules.rs`: `MODULES`, an entry for each file `sm_<number>/<module>.ptx` of the folder that
//! `GRIDSORT_PTX_DIR` names, by default `ptx` beside the manifest; with the feature `grid` also of its folder `grid`.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=GRIDSORT_PTX_DIR");
    #[cfg(feature = "cuda")]
    embed::run()?;
    Ok(())
}

#[cfg(feature = "cuda")]
mod embed {
    use flate2::Compression;
    use flate2::write::DeflateEncoder;
    use std::error::Error;
    use std::fmt::Write as _;
    use std::io::Write as _;
    use std::path::{Path, PathBuf};
    use std::{env, fs};

    pub(crate) fn run() -> Result<(), Box<dyn Error>> {
        let dir = match env::var_os("GRIDSORT_PTX_DIR").filter(|d| !d.is_empty()) {
            Some(dir) => PathBuf::from(dir),
            None => PathBuf::from(env::var_os("CARGO_MANIFEST_DIR").ok_or("cargo did not name the package's folder")?)
                .join("ptx"),
        };
        // A folder, so cargo looks at all that is in it; where it is missing, cargo asks again each time.
        println!("cargo::rerun-if-changed={}", dir.display());
        let mut modules = modules(&dir)?;
        // Documentation is made where no kernel is compiled.
        if modules.is_empty() && env::var_os("DOCS_RS").is_none() {
            println!("cargo::error=there is no PTX of the kernels in {}; run: cargo xtask build-ptx", dir.display());
            return Ok(());
        }
        // Where they were compiled: without them the engines of `Algorithm::Grid` are missing, and all else works.
        if env::var_os("CARGO_FEATURE_GRID").is_some() {
            modules.extend(self::modules(&dir.join("grid"))?);
        }
        let out = PathBuf::from(env::var_os("OUT_DIR").ok_or("cargo did not name the folder to write to")?);
        fs::write(out.join("modules.rs"), table(&modules, &out)?)?;
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
                let file = file?.path();
                if file.extension().is_some_and(|e| e == "ptx") {
                    let name =
                        file.file_stem().and_then(|s| s.to_str()).ok_or("a module's name is no text")?.to_owned();
                    all.push(Module { arch, name, file });
                }
            }
        }
        all.sort_by(|a, b| (a.arch, &a.name).cmp(&(b.arch, &b.name)));
        Ok(all)
    }

    /// Writes the compressed files to `out` and lists them.
    fn table(modules: &[Module], out: &Path) -> Result<String, Box<dyn Error>> {
        let mut text = String::from("static MODULES: &[Module] = &[\n");
        for m in modules {
            let name = format!("sm_{}_{}", m.arch, m.name);
            let ptx = compress(&m.file, &out.join(format!("{name}.ptx.deflate")))?;
            let cubin = match assembled(&m.file)? {
                Some(cubin) => format!("Some({})", compress(&cubin, &out.join(format!("{name}.cubin.deflate")))?),
                None => "None".to_owned(),
            };
            writeln!(text, "    Module {{ arch: {}, name: {:?}, ptx: {ptx}, cubin: {cubin} }},", m.arch, m.name)?;
        }
        text.push_str("];\n");
        Ok(text)
    }

    /// The assembled code beside a file of PTX. One that is older is another PTX's.
    fn assembled(ptx: &Path) -> Result<Option<PathBuf>, Box<dyn Error>> {
        let cubin = ptx.with_extension("cubin");
        let Ok(found) = fs::metadata(&cubin) else {
            return Ok(None);
        };
        Ok((found.modified()? >= fs::metadata(ptx)?.modified()?).then_some(cubin))
    }

    /// Compresses a file and gives the expression that embeds it.
    fn compress(file: &Path, to: &Path) -> Result<String, Box<dyn Error>> {
        let bytes = fs::read(file)?;
        let mut encoder = DeflateEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&bytes)?;
        fs::write(to, encoder.finish()?)?;
        let to = to.to_str().ok_or("the output folder's path is no text")?;
        Ok(format!("Compressed {{ bytes: include_bytes!({to:?}), len: {} }}", bytes.len()))
    }
}
