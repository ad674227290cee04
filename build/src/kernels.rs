//! From a device crate to what a program embeds.
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use crate::device::{Arch, DeviceBuilder};
use crate::process::{capture, cargo, in_parallel};
use crate::ptx::{check, parse, split, told};
use crate::toolchain::DeviceToolchain;
use crate::{Error, ptx::Known};

/// Compiles the kernels that a device crate exports, for every architecture.
///
/// ```no_run
/// // build.rs
/// fn main() -> Result<(), gridsort_build::Error> {
///     gridsort_build::Kernels::of("device").where_feature("cuda").embed()
/// }
/// ```
#[derive(Clone, Debug)]
pub struct Kernels {
    crate_dir: PathBuf,
    archs: Vec<Arch>,
    features: Vec<String>,
    where_feature: Option<String>,
    target_dir: Option<PathBuf>,
    toolchain: Option<DeviceToolchain>,
}

/// One module of compiled kernels.
#[derive(Clone, Debug)]
pub struct Module {
    /// For which architecture.
    pub arch: Arch,
    /// Its name.
    pub name: String,
    /// The PTX.
    pub ptx: String,
}

impl Kernels {
    /// The kernels of the device crate in a folder.
    pub fn of(crate_dir: impl Into<PathBuf>) -> Self {
        Kernels {
            crate_dir: crate_dir.into(),
            archs: Arch::ALL.to_vec(),
            features: Vec::new(),
            where_feature: None,
            target_dir: None,
            toolchain: None,
        }
    }

    /// Only for these architectures, instead of all. Newer GPUs run what is compiled for older ones.
    pub fn archs(mut self, archs: &[Arch]) -> Self {
        self.archs = archs.to_vec();
        self
    }

    /// A cargo feature of the device crate to turn on; may be called for several.
    pub fn feature(mut self, feature: impl Into<String>) -> Self {
        self.features.push(feature.into());
        self
    }

    /// Only where the crate whose build script this is has this cargo feature on. Elsewhere [`Kernels::embed`] compiles
    /// nothing and leaves an empty list, and needs no device compiler.
    pub fn where_feature(mut self, feature: impl Into<String>) -> Self {
        self.where_feature = Some(feature.into());
        self
    }

    /// The folder to build in; by default `device` in cargo's target folder.
    pub fn target_dir(mut self, dir: impl Into<PathBuf>) -> Self {
        self.target_dir = Some(dir.into());
        self
    }

    /// The compiler to use; without it the builder looks for one.
    pub fn toolchain(mut self, toolchain: DeviceToolchain) -> Self {
        self.toolchain = Some(toolchain);
        self
    }

    /// Compiles the crate and holds the PTX against what the crate says of its kernels: gives the kernels and the modules.
    ///
    /// # Errors
    /// Where there is no device compiler, the crate does not compile or exports no kernels, or the compiler changed the
    /// number of a kernel's barriers.
    pub fn build(&self) -> Result<(Vec<Known>, Vec<Module>), Error> {
        let target = self.target_dir.clone().unwrap_or_else(|| cargo_target_dir().join("device"));
        let built = in_parallel(&self.archs, |&arch| {
            let mut builder = DeviceBuilder::new(&self.crate_dir).arch(arch).target_dir(&target);
            for feature in &self.features {
                builder = builder.feature(feature);
            }
            if let Some(toolchain) = &self.toolchain {
                builder = builder.toolchain(toolchain.clone());
            }
            let built = builder.build()?;
            let text = std::fs::read_to_string(&built.ptx).map_err(Error::io("read", &built.ptx))?;
            modules(&text, arch).map_err(|why| Error::content(&built.ptx, why))
        });
        let (mut kernels, mut all) = (Vec::new(), Vec::new());
        for one in built {
            let (known, modules) = one?;
            kernels = known;
            all.extend(modules);
        }
        Ok((kernels, all))
    }

    /// For build scripts: compiles the crate, and leaves the kernels in the build's output folder, where
    /// `gridsort::embed_kernels!` finds them. Tells cargo what to look at.
    ///
    /// # Errors
    /// As [`Kernels::build`]; where this is no build script, or the files cannot be written.
    pub fn embed(&self) -> Result<(), Error> {
        let out = std::env::var_os("OUT_DIR").map(PathBuf::from);
        let out = out.ok_or_else(|| Error::msg("OUT_DIR is not set: this is for build scripts"))?;
        let name = library_name(&self.crate_dir)?;
        for source in sources(&self.crate_dir) {
            println!("cargo::rerun-if-changed={}", source.display());
        }
        println!("cargo::rerun-if-env-changed={}", crate::toolchain::RUSTC_VARIABLE);
        let on = self.where_feature.as_ref().is_none_or(|feature| {
            let variable = format!("CARGO_FEATURE_{}", feature.to_uppercase().replace('-', "_"));
            std::env::var_os(variable).is_some()
        });
        let modules = if on { self.build()?.1 } else { Vec::new() };
        write_list(&modules, &out, &name)
    }
}

/// The kernels and modules in a text of PTX.
fn modules(text: &str, arch: Arch) -> Result<(Vec<Known>, Vec<Module>), String> {
    let (kernels, text) = told::take(text)?;
    if kernels.is_empty() {
        return Err("the crate exports no kernels (gridsort_kernels::export_order!)".to_owned());
    }
    let ptx = parse::parse(&text)?;
    let problems = check::problems(&ptx, &kernels);
    if !problems.is_empty() {
        return Err(problems.join("; "));
    }
    let modules = split::modules(&ptx, &kernels);
    let modules = modules.into_iter().map(|(name, ptx)| Module { arch, name, ptx }).collect();
    Ok((kernels, modules))
}

/// Writes the modules and the list of them, an expression in Rust.
fn write_list(modules: &[Module], out: &Path, crate_name: &str) -> Result<(), Error> {
    let mut list = String::from("&[\n");
    for module in modules {
        let file = out.join(format!("{crate_name}.{}.{}.ptx", module.name, module.arch.name()));
        std::fs::write(&file, &module.ptx).map_err(Error::io("write", &file))?;
        let (arch, name) = (module.arch.number(), &module.name);
        // Writing to a String cannot fail.
        let _ = writeln!(
            list,
            "    ::gridsort::KernelModule::new({arch}, {name:?}, include_str!({:?})),",
            file.display().to_string()
        );
    }
    list.push_str("]\n");
    let file = out.join(format!("{crate_name}.kernels.rs"));
    std::fs::write(&file, list).map_err(Error::io("write", &file))
}

/// All that the kernels are compiled from: the crate, the local packages that it depends on, and the lock file, which
/// says which versions of the others. The host's list of kernels follows these too, and the two must agree.
fn sources(crate_dir: &Path) -> Vec<PathBuf> {
    let mut sources = vec![crate_dir.to_path_buf()];
    let mut command = cargo();
    command.args(["metadata", "--format-version", "1", "--offline", "--manifest-path"]);
    command.arg(crate_dir.join("Cargo.toml"));
    // Where cargo cannot tell, it has been told of the crate itself, and the build will say what is wrong.
    let metadata = capture(&mut command).ok().and_then(|text| serde_json::from_str(&text).ok());
    if let (Some(metadata), Ok(manifest)) = (metadata, std::path::absolute(crate_dir.join("Cargo.toml"))) {
        sources.extend(local_sources(&metadata, &manifest));
    }
    sources
}

/// The sources of the local packages that the one with this manifest depends on, and the lock file.
fn local_sources(metadata: &serde_json::Value, manifest: &Path) -> Vec<PathBuf> {
    let list = |value: &serde_json::Value| value.as_array().cloned().unwrap_or_default();
    let path = |value: &serde_json::Value| value.as_str().map(PathBuf::from);
    let packages = list(&metadata["packages"]);
    let nodes = list(&metadata["resolve"]["nodes"]);
    let root = packages.iter().find(|p| path(&p["manifest_path"]).is_some_and(|m| m == manifest));
    let mut open: Vec<serde_json::Value> = root.map(|p| p["id"].clone()).into_iter().collect();
    let mut seen = open.clone();
    while let Some(id) = open.pop() {
        let node = nodes.iter().find(|node| node["id"] == id);
        for dependency in node.map(|node| list(&node["dependencies"])).unwrap_or_default() {
            if !seen.contains(&dependency) {
                seen.push(dependency.clone());
                open.push(dependency);
            }
        }
    }
    let local = packages.iter().filter(|p| p["source"].is_null() && seen.contains(&p["id"]));
    let manifests = local.filter_map(|p| path(&p["manifest_path"])).filter(|m| m != manifest);
    let mut sources: Vec<PathBuf> = manifests.flat_map(|m| [m.with_file_name("src"), m]).collect();
    sources.extend(path(&metadata["workspace_root"]).map(|root| root.join("Cargo.lock")));
    sources
}

/// The name of the library in a folder, as Rust code has it.
fn library_name(crate_dir: &Path) -> Result<String, Error> {
    let manifest = std::path::absolute(crate_dir.join("Cargo.toml")).map_err(Error::io("find", crate_dir))?;
    Ok(crate::device::names(&manifest)?.1.replace('-', "_"))
}

/// Cargo's target folder, the outermost of those that the output folder of this build script lies in.
fn cargo_target_dir() -> PathBuf {
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from).unwrap_or_default();
    // Cargo marks them.
    let marked = out.ancestors().filter(|folder| folder.join("CACHEDIR.TAG").is_file());
    marked.last().map_or_else(|| PathBuf::from("target"), Path::to_path_buf)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = ".version 7.8\n.target sm_90\n.address_size 64\n\n\
        // gridsort kernel a_sort in a: 256 threads, 0 blocks, 1 barriers\n\
        .visible .entry a_sort(\n\t.param .u64 a_sort_param_0\n)\n{\n\tbar.sync \t0;\n\tret;\n}\n";

    #[test]
    fn a_text_becomes_modules_with_bounds() {
        let (kernels, modules) = modules(TEXT, Arch::Sm90).unwrap();
        assert_eq!(kernels.len(), 1);
        assert_eq!((modules.len(), modules[0].name.as_str()), (1, "a"));
        assert!(modules[0].ptx.contains(".maxntid 256, 1, 1\n{"), "{}", modules[0].ptx);
        assert!(!modules[0].ptx.contains("gridsort kernel"));
    }

    #[test]
    fn barriers_are_counted_and_kernels_wanted() {
        let error = modules(&TEXT.replace("1 barriers", "2 barriers"), Arch::Sm90).unwrap_err();
        assert!(error.contains("declares 2 barriers"), "{error}");
        let untold: String = TEXT.lines().filter(|l| !l.starts_with("//")).map(|l| format!("{l}\n")).collect();
        assert!(modules(&untold, Arch::Sm90).unwrap_err().contains("exports no kernels"));
    }

    #[test]
    fn local_dependencies_are_looked_at() {
        let metadata = serde_json::json!({
            "packages": [
                {"id": "order", "source": null, "manifest_path": "/w/device/Cargo.toml"},
                {"id": "kernels", "source": null, "manifest_path": "/w/kernels/Cargo.toml"},
                {"id": "bytemuck", "source": "registry", "manifest_path": "/r/bytemuck/Cargo.toml"},
                {"id": "other", "source": null, "manifest_path": "/w/other/Cargo.toml"},
            ],
            "resolve": {"nodes": [
                {"id": "order", "dependencies": ["kernels", "bytemuck"]},
                {"id": "kernels", "dependencies": ["bytemuck"]},
                {"id": "bytemuck", "dependencies": []},
                {"id": "other", "dependencies": ["order"]},
            ]},
            "workspace_root": "/w",
        });
        let sources = local_sources(&metadata, Path::new("/w/device/Cargo.toml"));
        assert_eq!(sources, ["/w/kernels/src", "/w/kernels/Cargo.toml", "/w/Cargo.lock"].map(PathBuf::from));
        assert!(local_sources(&serde_json::Value::Null, Path::new("/w/device/Cargo.toml")).is_empty());
    }

    #[test]
    fn the_list_is_an_expression() {
        let dir = tempfile::tempdir().unwrap();
        write_list(&[], dir.path(), "none").unwrap();
        assert_eq!(std::fs::read_to_string(dir.path().join("none.kernels.rs")).unwrap(), "&[\n]\n");
        let module = Module { arch: Arch::Sm80, name: "a".into(), ptx: "text".into() };
        write_list(&[module], dir.path(), "some").unwrap();
        let list = std::fs::read_to_string(dir.path().join("some.kernels.rs")).unwrap();
        let file = dir.path().join("some.a.sm_80.ptx");
        assert!(list.contains(&format!("KernelModule::new(80, \"a\", include_str!({:?}))", file)), "{list}");
        assert_eq!(std::fs::read_to_string(file).unwrap(), "text");
    }
}
