//! The kernels' PTX, from the source to the files that the host crate embeds.
use std::collections::{BTreeMap, BTreeSet};
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

    /// The features of the kernel crate that export them, each a part: LLVM compiles one on one core.
    fn parts(self) -> &'static [&'static str] {
        match self {
            Set::Sorts => &["entry-1", "entry-2"],
            Set::Engines => &["grid"],
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
    for (arch, texts) in &texts {
        let of_arch = checked_modules(*arch, texts, &kernels)?;
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

/// What one thread compiles.
#[derive(Debug, PartialEq, Eq)]
struct Job {
    arch: Arch,
    parts: Vec<&'static str>,
    /// Where.
    dir: PathBuf,
}

/// What there is to compile, for so many threads. Parts of one architecture share a folder, and with it a compiled `core`,
/// where there are threads for no more.
fn jobs(dir: &Path, parts: &[&'static str], archs: &[Arch], threads: usize) -> Vec<Job> {
    if threads <= archs.len() {
        return archs.iter().map(|&arch| Job { arch, parts: parts.to_vec(), dir: dir.to_owned() }).collect();
    }
    let of_part = |&part: &&'static str| {
        let dir = if part == parts[0] { dir.to_owned() } else { dir.join(part) };
        archs.iter().map(move |&arch| Job { arch, parts: vec![part], dir: dir.clone() })
    };
    parts.iter().flat_map(of_part).collect()
}

/// Compiles all parts for all architectures at once: gives each architecture's texts.
fn compile(
    crate_dir: &Path,
    set: Set,
    toolchain: &DeviceToolchain,
    archs: &[Arch],
) -> Result<Vec<(Arch, Vec<String>)>, Error> {
    let names: Vec<&str> = archs.iter().map(|a| a.name()).collect();
    say(format!("compiling the kernels for {}", names.join(" and ")));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let jobs = jobs(&super::target_dir().join("device"), set.parts(), archs, threads);
    let built: Vec<Result<_, Error>> = in_parallel(&jobs, |job| {
        let started = Instant::now();
        let mut done = Vec::new();
        for part in &job.parts {
            let builder = DeviceBuilder::new(crate_dir).arch(job.arch).feature(*part).toolchain(toolchain.clone());
            let built = builder.target_dir(&job.dir).build()?;
            let text = std::fs::read_to_string(&built.ptx).map_err(Error::io("read", &built.ptx))?;
            done.push((text, built.messages));
        }
        let (arch, parts) = (job.arch.name(), job.parts.join(", "));
        say(format!("  {arch} ({parts}) after {:.1} s", started.elapsed().as_secs_f64()));
        Ok((job.arch, done))
    });
    let mut texts: Vec<(Arch, Vec<String>)> = archs.iter().map(|&arch| (arch, Vec::new())).collect();
    let mut messages = String::new();
    for one in built {
        let (arch, done) = one?;
        for (text, said) in done {
            // The same warnings for each architecture and part: once is enough.
            if messages.is_empty() && said.contains("warning") {
                messages = said;
            }
            texts.iter_mut().filter(|(of, _)| *of == arch).for_each(|(_, texts)| texts.push(text.clone()));
        }
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

/// The modules of texts that together are as the list of kernels says.
fn checked_modules(arch: Arch, texts: &[String], kernels: &[&Kernel]) -> Result<Vec<(String, String)>, Error> {
    let kernels: Vec<Known> = kernels.iter().map(|kernel| known(kernel)).collect();
    let (modules, problems) =
        modules_of(texts, &kernels).map_err(|why| Error::msg(format!("the PTX for {}: {why}", arch.name())))?;
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
    Ok(modules.into_iter().collect())
}

/// The modules of several texts, and where texts and list do not agree. A module is in one text: variables of the same name
/// in another need not be the same.
fn modules_of(texts: &[String], kernels: &[Known]) -> Result<(BTreeMap<String, String>, Vec<String>), String> {
    let (mut modules, mut problems) = (BTreeMap::new(), Vec::new());
    let mut missing: BTreeSet<&str> = kernels.iter().map(|kernel| kernel.name.as_str()).collect();
    for text in texts {
        let ptx = parse::parse(text)?;
        let entries: BTreeSet<&str> = ptx.entries().map(|entry| entry.name).collect();
        let here: Vec<Known> = kernels.iter().filter(|k| entries.contains(k.name.as_str())).cloned().collect();
        problems.extend(check::problems(&ptx, &here));
        missing.retain(|name| !entries.contains(name));
        for (name, text) in split::modules(&ptx, &here) {
            if modules.contains_key(&name) {
                problems.push(format!("kernels of module {name} are in two parts of the PTX"));
            }
            modules.insert(name, text);
        }
    }
    problems.extend(missing.iter().map(|name| format!("kernel {name} is not in the PTX")));
    Ok((modules, problems))
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

    fn text(kernels: &[&str]) -> String {
        let entries = kernels.iter().map(|name| format!(".visible .entry {name}(\n)\n{{\n\tret;\n}}\n"));
        format!(".version 7.8\n.target sm_90\n.address_size 64\n{}", entries.collect::<String>())
    }

    fn in_module(name: &str, module: &str) -> Known {
        let (name, module) = (name.to_owned(), module.to_owned());
        Known { name, module, threads: 32, min_blocks: 0, barriers: 0, params: Some(Vec::new()) }
    }

    #[test]
    fn parts_together_are_what_the_list_says() {
        let kernels = [in_module("a", "x"), in_module("b", "x"), in_module("c", "y")];
        let (modules, problems) = modules_of(&[text(&["c"]), text(&["a", "b"])], &kernels).unwrap();
        assert_eq!(problems, Vec::<String>::new());
        assert_eq!(modules.keys().collect::<Vec<_>>(), ["x", "y"]);
        assert!(modules["x"].contains("entry a(") && modules["x"].contains("entry b("), "{}", modules["x"]);

        let problems = |texts: &[String]| modules_of(texts, &kernels).unwrap().1;
        assert_eq!(problems(&[text(&["a", "b"]), text(&[])]), ["kernel c is not in the PTX"]);
        let said = problems(&[text(&["a", "b"]), text(&["c", "d"])]);
        assert_eq!(said, ["the PTX has an entry d that is not in the list of kernels"]);
        let said = problems(&[text(&["a"]), text(&["b", "c"])]);
        assert_eq!(said, ["kernels of module x are in two parts of the PTX"]);
        assert!(modules_of(&["no PTX".to_owned()], &kernels).is_err());
    }

    #[test]
    fn parts_are_compiled_side_by_side_where_there_are_cores() {
        let (dir, parts) = (Path::new("d"), ["p", "q"]);
        let job = |arch, parts: &[&'static str], dir: &str| Job { arch, parts: parts.to_vec(), dir: dir.into() };
        assert_eq!(jobs(dir, &parts, &[Arch::Sm80], 1), [job(Arch::Sm80, &parts, "d")]);
        assert_eq!(jobs(dir, &parts, &[Arch::Sm90], 2), [job(Arch::Sm90, &["p"], "d"), job(Arch::Sm90, &["q"], "d/q")]);
        let both = jobs(dir, &parts, &Arch::ALL, 2);
        assert_eq!(both, [job(Arch::Sm80, &parts, "d"), job(Arch::Sm90, &parts, "d")]);
        assert_eq!(jobs(dir, &parts, &Arch::ALL, 8).len(), 4);
    }

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
