//! The kernels' PTX, from the source to the files that the host crate embeds.
use std::path::{Path, PathBuf};
use std::time::Instant;

use gridsort_build::ptx::{Known, ParamKind};
use gridsort_kernels::entry;
use gridsort_kernels::simt::{self, Kernel};

use super::device::{self, Arch, DeviceBuilder};
use super::manifest::{Manifest, module_file, source_hash};
use super::process::{in_parallel, say};
use super::ptx::{check, parse, split};
use super::toolchain::DeviceToolchain;
use crate::Error;

/// Kernels that are compiled together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Set {
    /// All that sorts and merges by default.
    #[default]
    Sorts,
    /// Those of McGridsort's engines, which take as long to compile as all others. Only a build with the feature `grid`
    /// knows them.
    Engines,
}

impl Set {
    /// Its kernels.
    pub fn list(self) -> Vec<&'static Kernel> {
        match self {
            Set::Sorts => entry::kernels().collect(),
            #[cfg(feature = "grid")]
            Set::Engines => entry::grid::kernels().collect(),
            #[cfg(not(feature = "grid"))]
            Set::Engines => Vec::new(),
        }
    }

    /// The feature of the kernel crate that exports them.
    fn feature(self) -> &'static str {
        match self {
            Set::Sorts => "entry",
            Set::Engines => "grid",
        }
    }

    /// Where the host crate expects their PTX.
    fn dir(self) -> PathBuf {
        match self {
            Set::Sorts => super::ptx_dir(),
            Set::Engines => super::ptx_dir().join("grid"),
        }
    }
}

/// What to build.
#[derive(Clone, Debug)]
pub struct Options {
    /// Which kernels.
    pub set: Set,
    /// For which architectures.
    pub archs: Vec<Arch>,
    /// Also where the PTX is up to date.
    pub force: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { set: Set::Sorts, archs: Arch::ALL.to_vec(), force: false }
    }
}

/// The PTX that there is now.
#[derive(Clone, Debug)]
pub struct Ptx {
    /// Of which kernels.
    pub set: Set,
    /// Its folder.
    pub dir: PathBuf,
    /// The architectures asked for.
    pub archs: Vec<Arch>,
    /// What it was made from.
    pub manifest: Manifest,
    /// Whether anything was compiled.
    pub built: bool,
}

impl Ptx {
    /// The file of each module of an architecture, with the module's name.
    pub fn modules(&self, arch: Arch) -> Vec<(String, PathBuf)> {
        let names = self.manifest.modules.get(arch.name()).cloned().unwrap_or_default();
        names.into_iter().map(|m| (m.clone(), module_file(&self.dir, arch, &m, "ptx"))).collect()
    }
}

/// Builds the kernels' PTX into their folder, checks it, and does nothing where it is up to date.
///
/// # Errors
/// Where there is no device compiler, this build does not know the kernels, they do not compile, or the PTX is not what the list of kernels says. Then
/// the PTX is as it was.
pub fn build_ptx(options: &Options) -> Result<Ptx, Error> {
    let root = super::workspace_root();
    let crate_dir = root.join("kernels-gpu");
    let dir = options.set.dir();
    let kernels = options.set.list();
    if kernels.is_empty() {
        return Err(Error::msg(
            "the engines' kernels are not in this build of xtask: build it with its feature `grid`",
        ));
    }
    let source = source_hash(&crate_dir, &rules(&kernels))?;
    let old = Manifest::read(&dir).filter(|m| m.source == source);
    let wanted = |a: &Arch| options.force || old.as_ref().is_none_or(|m| !m.has(&dir, *a));
    let needed: Vec<Arch> = options.archs.iter().copied().filter(wanted).collect();
    if let Some(manifest) = old.clone().filter(|_| needed.is_empty()) {
        return Ok(Ptx { set: options.set, dir, archs: options.archs.clone(), manifest, built: false });
    }
    let toolchain = DeviceToolchain::find_or_install(&root, &super::target_dir())?;
    say(format!("device compiler: {}", toolchain.describe()));
    if options.set == Set::Sorts && old.is_none() {
        // The source is another: what was compiled of the engines is out of date, and would be embedded all the same.
        remove(&Set::Engines.dir())?;
    }
    let texts = compile(&crate_dir, options.set, &toolchain, &needed)?;
    let mut manifest = old.unwrap_or_default();
    manifest.source = source;
    manifest.compiler = toolchain.version().to_owned();
    let mut modules = Vec::new();
    for (arch, text) in &texts {
        let of_arch = checked_modules(*arch, text, &kernels)?;
        manifest.modules.insert(arch.name().to_owned(), of_arch.iter().map(|(name, _)| name.clone()).collect());
        modules.push((*arch, of_arch));
    }
    write(&dir, &manifest, &modules)?;
    say(format!("PTX: {} kernels written to {}", kernels.len(), dir.display()));
    Ok(Ptx { set: options.set, dir, archs: options.archs.clone(), manifest, built: true })
}

/// What the PTX hangs on beside the kernels' source: the builder's flags, and the bounds that it writes.
fn rules(kernels: &[&Kernel]) -> String {
    let mut text = device::fingerprint();
    for k in kernels {
        text.push_str(&format!("\n{} {} {} {}", k.name, k.module, k.threads, k.min_blocks));
    }
    text
}

/// Compiles for all architectures at once.
fn compile(
    crate_dir: &Path,
    set: Set,
    toolchain: &DeviceToolchain,
    archs: &[Arch],
) -> Result<Vec<(Arch, String)>, Error> {
    let names: Vec<&str> = archs.iter().map(|a| a.name()).collect();
    say(format!("compiling the kernels for {}", names.join(" and ")));
    let built: Vec<Result<_, Error>> = in_parallel(archs, |&arch| {
        let started = Instant::now();
        let builder = DeviceBuilder::new(crate_dir).arch(arch).feature(set.feature()).toolchain(toolchain.clone());
        let builder = builder.target_dir(super::target_dir().join("device"));
        let built = builder.build()?;
        let text = std::fs::read_to_string(&built.ptx).map_err(Error::io("read", &built.ptx))?;
        say(format!("  {} after {:.1} s", arch.name(), started.elapsed().as_secs_f64()));
        Ok((arch, text, built.messages))
    });
    let mut texts = Vec::new();
    let mut messages = String::new();
    for one in built {
        let (arch, text, said) = one?;
        // The same warnings for each architecture: once is enough.
        if messages.is_empty() && said.contains("warning") {
            messages = said;
        }
        texts.push((arch, text));
    }
    eprint!("{messages}");
    Ok(texts)
}

/// A kernel of the list, as the builder knows kernels.
fn known(kernel: &Kernel) -> Known {
    let kind = |kind: &simt::ParamKind| match kind {
        simt::ParamKind::Address => ParamKind::Address,
        simt::ParamKind::U32 => ParamKind::U32,
        simt::ParamKind::U64 => ParamKind::U64,
    };
    Known {
        name: kernel.name.to_owned(),
        module: kernel.module.to_owned(),
        threads: kernel.threads,
        min_blocks: kernel.min_blocks,
        barriers: kernel.barriers,
        params: Some(kernel.params.iter().map(kind).collect()),
    }
}

/// The modules of a text that is as the list of kernels says.
fn checked_modules(arch: Arch, text: &str, kernels: &[&Kernel]) -> Result<Vec<(String, String)>, Error> {
    let kernels: Vec<Known> = kernels.iter().map(|kernel| known(kernel)).collect();
    let ptx = parse::parse(text).map_err(|why| Error::msg(format!("the PTX for {}: {why}", arch.name())))?;
    let problems = check::problems(&ptx, &kernels);
    if !problems.is_empty() {
        for problem in &problems {
            say(format!("error: {}: {problem}", arch.name()));
        }
        return Err(Error::msg(format!(
            "the PTX for {} is not what the list of kernels says ({} problems)",
            arch.name(),
            problems.len()
        )));
    }
    Ok(split::modules(&ptx, &kernels).into_iter().collect())
}

/// Puts each architecture's folder in place by a rename. The manifest goes first and comes last: without it the folder
/// counts as not built.
fn write(dir: &Path, manifest: &Manifest, archs: &[(Arch, Vec<(String, String)>)]) -> Result<(), Error> {
    std::fs::create_dir_all(dir).map_err(Error::io("create", dir))?;
    let old_manifest = dir.join(super::manifest::FILE);
    if old_manifest.exists() {
        std::fs::remove_file(&old_manifest).map_err(Error::io("remove", &old_manifest))?;
    }
    for arch in Arch::ALL.iter().filter(|a| !manifest.modules.contains_key(a.name())) {
        // Of an older source, and so of no use.
        remove(&dir.join(arch.name()))?;
    }
    for (arch, modules) in archs {
        let new = tempfile::Builder::new()
            .prefix(&format!(".{}-", arch.name()))
            .tempdir_in(dir)
            .map_err(Error::io("create a folder in", dir))?;
        for (name, text) in modules {
            let file = new.path().join(format!("{name}.ptx"));
            std::fs::write(&file, text).map_err(Error::io("write", &file))?;
        }
        let place = dir.join(arch.name());
        remove(&place)?;
        std::fs::rename(new.path(), &place).map_err(Error::io("write", &place))?;
        open_to_all(&place)?;
    }
    manifest.write(dir)
}

/// Temporary folders are private; this one is no longer one.
fn open_to_all(dir: &Path) -> Result<(), Error> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::set_permissions(dir, PermissionsExt::from_mode(0o755)).map_err(Error::io("open", dir))?;
    }
    Ok(())
}

fn remove(dir: &Path) -> Result<(), Error> {
    if dir.exists() {
        std::fs::remove_dir_all(dir).map_err(Error::io("remove", dir))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_replaced_and_stale_ones_removed() {
        let dir = tempfile::tempdir().unwrap();
        let dir = dir.path();
        for arch in Arch::ALL {
            std::fs::create_dir_all(dir.join(arch.name())).unwrap();
            std::fs::write(module_file(dir, arch, "old", "ptx"), "old").unwrap();
        }
        let mut manifest = Manifest::default();
        manifest.modules.insert("sm_90".into(), vec!["new".into()]);
        write(dir, &manifest, &[(Arch::Sm90, vec![("new".into(), "text".into())])]).unwrap();
        assert!(manifest.has(dir, Arch::Sm90));
        assert!(!module_file(dir, Arch::Sm90, "old", "ptx").exists());
        assert!(!dir.join("sm_80").exists());
        assert_eq!(Manifest::read(dir), Some(manifest));
        // Nothing else is left behind.
        assert_eq!(std::fs::read_dir(dir).unwrap().count(), 2);
    }
}
