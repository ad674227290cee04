//! Programs out of Debian's packages, unpacked and not installed: no root is needed, and the system's own rustc, with
//! which the compiler's packages conflict, stays as it is.
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use super::{needed_version, numbers};
use crate::Error;
use crate::process::{capture, in_parallel, output, run, say, which};

/// The packages that make a device compiler: rustc, its standard library for the host (build scripts need it), and the
/// source. They name the versioned packages of the compiler's libraries.
const ROOTS: [&str; 3] = ["rustc-web", "libstd-rust-web-dev", "rust-web-src"];

/// The compiler's own libraries: taken even where the system has them, which may have another version.
const OWN: [&str; 2] = ["libstd-rust-web", "libllvm"];

/// Never unpacked: the C library belongs to the running system, a linker is there where Rust programs are built, and
/// certificates are of no use before they are installed.
const NEVER: [&str; 6] = ["libc6", "libc-dev", "libc6-dev", "gcc", "binutils", "ca-certificates"];

/// Whether Debian's package tools are there.
pub fn tools_found() -> bool {
    ["apt-get", "apt-cache", "dpkg-deb", "dpkg-query"].iter().all(|t| which(t).is_some())
}

/// Downloads the compiler's packages and unpacks them as `dir`.
///
/// # Errors
/// Where apt has no such packages or they are too old, or a download or the unpacking fails. Then `dir` is as it was.
pub(super) fn install(dir: &Path) -> Result<(), Error> {
    let started = Instant::now();
    let parent = dir.parent().ok_or_else(|| Error::msg("the folder of the device compiler has no parent"))?;
    std::fs::create_dir_all(parent).map_err(Error::io("create", parent))?;
    // Beside the final place, so that the last step is a rename. Removed on every way out.
    let work = tempfile::Builder::new()
        .prefix("device-toolchain-")
        .tempdir_in(parent)
        .map_err(Error::io("create a folder in", parent))?;
    let tree = unpack_packages(work.path(), &ROOTS, |apt| {
        let version = apt.candidate(ROOTS[0])?;
        if numbers(&version).is_none_or(|v| v < needed_version()) {
            let (major, minor) = needed_version();
            return Err(Error::msg(format!("{} is {version} here, and {major}.{minor} is needed", ROOTS[0])));
        }
        Ok(())
    })?;
    prune(&tree);
    mend_source_link(&tree)?;
    super::DeviceToolchain::unpacked(&tree).map_err(|why| Error::msg(format!("Debian's rustc does not run: {why}")))?;
    if dir.exists() {
        std::fs::remove_dir_all(dir).map_err(Error::io("remove", dir))?;
    }
    std::fs::rename(&tree, dir).map_err(Error::io("write", dir))?;
    say(format!("unpacked in {} after {:.0} s", dir.display(), started.elapsed().as_secs_f64()));
    Ok(())
}

/// A Python with pip, unpacked in `work`: for a system that has none. Gives the folder of the tree.
///
/// # Errors
/// Where apt is not there or has no such packages, or a download or the unpacking fails.
pub fn python(work: &Path) -> Result<PathBuf, Error> {
    unpack_packages(work, &["python3-pip"], |apt| apt.candidate("python3-pip").map(drop))
}

/// Downloads packages, with what they need that the system lacks, and unpacks them as a tree in `work`, where `fit`
/// finds them fit.
fn unpack_packages(work: &Path, roots: &[&str], fit: impl FnOnce(&Apt) -> Result<(), Error>) -> Result<PathBuf, Error> {
    let apt = Apt::new(work)?;
    say("reading Debian's package lists (into a private folder)");
    apt.update()?;
    fit(&apt)?;
    let packages = apt.closure(roots)?;
    let debs = work.join("debs");
    std::fs::create_dir(&debs).map_err(Error::io("create", &debs))?;
    say(format!("downloading {} in {} packages, {} MB", roots[0], packages.len(), apt.megabytes(&packages)));
    apt.download(&packages, &debs)?;
    let tree = work.join("tree");
    unpack(&debs, &tree)?;
    Ok(tree)
}

/// Where the libraries of an unpacked tree lie.
pub fn library_folders(tree: &Path) -> Vec<PathBuf> {
    let mut folders = Vec::new();
    for parent in ["usr/lib", "lib"] {
        let Ok(entries) = std::fs::read_dir(tree.join(parent)) else {
            continue;
        };
        // `x86_64-linux-gnu` and its like.
        folders.extend(
            entries.flatten().map(|e| e.path()).filter(|p| p.is_dir() && p.to_string_lossy().ends_with("-linux-gnu")),
        );
    }
    folders.sort();
    folders
}

/// apt with package lists and cache of its own, so that no root is needed.
struct Apt {
    options: Vec<String>,
}

impl Apt {
    fn new(work: &Path) -> Result<Self, Error> {
        for folder in ["lists/partial", "cache/archives/partial"] {
            let folder = work.join(folder);
            std::fs::create_dir_all(&folder).map_err(Error::io("create", &folder))?;
        }
        let options = [
            format!("Dir::State::Lists={}", work.join("lists").display()),
            format!("Dir::Cache={}", work.join("cache").display()),
            // As root apt would drop to a user that cannot write here.
            "APT::Sandbox::User=root".to_owned(),
            "Acquire::Languages=none".to_owned(),
            "Acquire::Retries=3".to_owned(),
            // Hooks of the system's apt are not meant for private lists.
            "APT::Update::Post-Invoke=".to_owned(),
            "APT::Update::Post-Invoke-Success=".to_owned(),
        ];
        Ok(Apt { options: options.into_iter().flat_map(|o| ["-o".to_owned(), o]).collect() })
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.args(&self.options).env("LC_ALL", "C").stdin(Stdio::null());
        command
    }

    fn update(&self) -> Result<(), Error> {
        // That one of the system's other sources fails is no matter where Debian's own answers, so the exit status
        // decides nothing: the candidate does.
        let result = output(self.command("apt-get").arg("update"))?;
        for line in String::from_utf8_lossy(&result.stderr).lines().filter(|l| l.starts_with("E:")) {
            say(format!("  apt-get: {line}"));
        }
        Ok(())
    }

    /// The version that apt would take.
    fn candidate(&self, package: &str) -> Result<String, Error> {
        let policy = capture(self.command("apt-cache").args(["policy", package]))?;
        candidate_of(&policy)
            .map(str::to_owned)
            .ok_or_else(|| Error::msg(format!("this system's package sources have no {package}")))
    }

    /// The packages to unpack: `roots`, the compiler's own libraries, and what these need that the system lacks.
    fn closure(&self, roots: &[&str]) -> Result<Vec<String>, Error> {
        let installed = capture(
            Command::new("dpkg-query").args(["-W", "-f", "${Package} ${db:Status-Status}\\n"]).env("LC_ALL", "C"),
        )?;
        let installed: BTreeSet<&str> = installed.lines().filter_map(|l| l.strip_suffix(" installed")).collect();
        let mut taken: Vec<String> = roots.iter().map(|r| (*r).to_owned()).collect();
        let mut next = 0;
        while next < taken.len() {
            let depends = capture(self.command("apt-cache").args(["depends", "--important", &taken[next]]))?;
            for alternatives in dependencies_of(&depends) {
                if let Some(package) = missing(&alternatives, &installed)
                    && !taken.iter().any(|t| t == package)
                {
                    taken.push(package.to_owned());
                }
            }
            next += 1;
        }
        Ok(taken)
    }

    /// Bytes to download, in MB.
    fn megabytes(&self, packages: &[String]) -> u64 {
        let uris = capture(self.command("apt-get").args(["download", "--print-uris", "-qq"]).args(packages));
        sum_of_sizes(&uris.unwrap_or_default()).div_ceil(1_000_000)
    }

    fn download(&self, packages: &[String], into: &Path) -> Result<(), Error> {
        let mut command = self.command("apt-get");
        command.args(["download", "-q"]).args(packages).current_dir(into).stdout(std::io::stderr());
        run(&mut command)
    }
}

/// The version in the answer of `apt-cache policy`.
fn candidate_of(policy: &str) -> Option<&str> {
    let version = policy.lines().find_map(|l| l.trim().strip_prefix("Candidate: "))?.trim();
    (version != "(none)").then_some(version)
}

/// The dependencies in the answer of `apt-cache depends`: each a list of packages of which one is enough.
///
/// `|Depends: a` is an alternative to the next line; `Depends: <v>` is a virtual package whose providers follow,
/// indented deeper.
fn dependencies_of(depends: &str) -> Vec<Vec<&str>> {
    let mut all: Vec<Vec<&str>> = Vec::new();
    let mut open = false;
    let mut in_dependency = false;
    for line in depends.lines().skip(1) {
        if let Some(provider) = line.strip_prefix("    ") {
            if in_dependency && let Some(last) = all.last_mut() {
                last.push(provider.trim());
            }
            continue;
        }
        let line = line.trim();
        let (alternative, line) = line.strip_prefix('|').map_or((false, line), |l| (true, l));
        let name = line.strip_prefix("Depends: ").or_else(|| line.strip_prefix("PreDepends: "));
        in_dependency = name.is_some();
        let Some(name) = name else { continue };
        if !open {
            all.push(Vec::new());
        }
        open = alternative;
        if let Some(last) = all.last_mut()
            && !name.starts_with('<')
        {
            last.push(name);
        }
    }
    all
}

/// The package to take for a dependency: none where the system satisfies it.
fn missing<'a>(alternatives: &[&'a str], installed: &BTreeSet<&str>) -> Option<&'a str> {
    let bare = |name: &'a str| name.split(':').next().unwrap_or(name);
    if let Some(own) = alternatives.iter().find(|a| OWN.iter().any(|o| a.starts_with(o))) {
        return Some(bare(own));
    }
    if alternatives.iter().any(|a| NEVER.contains(&bare(a)) || installed.contains(bare(a))) {
        return None;
    }
    alternatives.first().map(|a| bare(a))
}

/// The sum of the third column of `'uri' file size hash` lines.
fn sum_of_sizes(uris: &str) -> u64 {
    uris.lines().filter_map(|l| l.split_whitespace().nth(2)?.parse::<u64>().ok()).sum()
}

/// Unpacks all packages, as many at once as there are cores: unpacking is one thread's work each, and takes longer than
/// the download.
fn unpack(debs: &Path, tree: &Path) -> Result<(), Error> {
    let mut files: Vec<(u64, PathBuf)> = std::fs::read_dir(debs)
        .map_err(Error::io("read", debs))?
        .flatten()
        .map(|e| (e.metadata().map_or(0, |m| m.len()), e.path()))
        .filter(|(_, p)| p.extension().is_some_and(|e| e == "deb"))
        .collect();
    // The largest first, so that the last to end is a small one.
    files.sort_by(|a, b| b.cmp(a));
    std::fs::create_dir(tree).map_err(Error::io("create", tree))?;
    in_parallel(&files, |(_, file)| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        say(format!("unpacking {}", name.split('_').next().unwrap_or_default()));
        run(Command::new("dpkg-deb").arg("-x").arg(file).arg(tree))
    })
    .into_iter()
    .collect()
}

/// Removes what no device build reads: the compiler's own source and the documentation. Best effort: it only saves disk.
fn prune(tree: &Path) {
    let _ = std::fs::remove_dir_all(tree.join("usr/share"));
    let _ = std::fs::remove_file(tree.join("usr/bin/rustdoc"));
    let Ok(sources) = std::fs::read_dir(tree.join("usr/src")) else {
        return;
    };
    for source in sources.flatten() {
        for folder in ["compiler", "src", "debian", "tests", "vendor"] {
            let _ = std::fs::remove_dir_all(source.path().join(folder));
        }
    }
}

/// rustc looks for `lib/rustlib/src/rust`, a link of the package: where it is absolute it points out of the tree.
fn mend_source_link(tree: &Path) -> Result<(), Error> {
    let link = tree.join("usr/lib/rustlib/src/rust");
    if link.join("library/core").is_dir() {
        return Ok(());
    }
    let target = std::fs::read_link(&link).map_err(Error::io("read", &link))?;
    let Ok(inside) = target.strip_prefix("/usr") else {
        return Ok(());
    };
    std::fs::remove_file(&link).map_err(Error::io("remove", &link))?;
    // From `usr/lib/rustlib/src/`.
    let relative = Path::new("../../..").join(inside);
    #[cfg(unix)]
    std::os::unix::fs::symlink(&relative, &link).map_err(Error::io("write", &link))?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn candidates() {
        let policy = "rustc-web:\n  Installed: (none)\n  Candidate: 1.96.0+dfsg1-1~deb12u2\n  Version table:\n";
        assert_eq!(candidate_of(policy), Some("1.96.0+dfsg1-1~deb12u2"));
        assert_eq!(candidate_of("x:\n  Candidate: (none)\n"), None);
        assert_eq!(candidate_of("N: Unable to locate package x\n"), None);
    }

    #[test]
    fn dependencies() {
        let depends = "rustc-web\n  Depends: libc6\n  Depends: libstd-rust-web-dev\n |Depends: gcc\n  Depends: clang\n  \
                       Depends: <libc-dev>\n    libc6-dev\n    musl-dev\n  Conflicts: <rustup>\n    other\n  \
                       PreDepends: zlib1g\n";
        assert_eq!(
            dependencies_of(depends),
            [
                vec!["libc6"],
                vec!["libstd-rust-web-dev"],
                vec!["gcc", "clang"],
                vec!["libc6-dev", "musl-dev"],
                vec!["zlib1g"]
            ]
        );
    }

    #[test]
    fn only_what_the_system_lacks_is_taken() {
        let installed = BTreeSet::from(["libxml2", "zlib1g", "libllvm22"]);
        assert_eq!(missing(&["libxml2"], &installed), None);
        assert_eq!(missing(&["libz3-4"], &installed), Some("libz3-4"));
        assert_eq!(missing(&["libedit2:amd64"], &installed), Some("libedit2"));
        assert_eq!(missing(&["gcc", "clang"], &installed), None);
        // The compiler's own libraries are taken whatever the system has.
        assert_eq!(missing(&["libllvm22"], &installed), Some("libllvm22"));
        assert_eq!(missing(&["libstd-rust-web-1.96"], &installed), Some("libstd-rust-web-1.96"));
        assert_eq!(missing(&[], &installed), None);
    }

    #[test]
    fn sizes() {
        let uris = "'http://d/a.deb' a.deb 100 SHA256:00\n'http://d/b.deb' b.deb 23 SHA256:00\nnoise\n";
        assert_eq!(sum_of_sizes(uris), 123);
    }

    #[cfg(unix)]
    #[test]
    fn an_absolute_source_link_is_mended() {
        let dir = tempfile::tempdir().unwrap();
        let tree = dir.path();
        std::fs::create_dir_all(tree.join("usr/src/rustc-9.9/library/core")).unwrap();
        std::fs::create_dir_all(tree.join("usr/lib/rustlib/src")).unwrap();
        let link = tree.join("usr/lib/rustlib/src/rust");
        std::os::unix::fs::symlink("/usr/src/rustc-9.9", &link).unwrap();
        mend_source_link(tree).unwrap();
        assert!(link.join("library/core").is_dir());
    }
}
