//! The embedded PTX holds the kernels of the list, each in its module, and no others.
use gridsort_kernels::entry;
use gridsort_kernels::simt::Kernel;
use std::collections::BTreeSet;

/// Whether the engines' PTX was compiled for an architecture, which is left to whoever wants it.
fn has_engines(arch: u32) -> bool {
    gridsort::embedded_ptx().iter().any(|(a, module, _)| *a == arch && *module == "grid_pieces")
}

/// The kernels that the PTX for an architecture must have.
fn kernels(arch: u32) -> impl Iterator<Item = &'static Kernel> {
    entry::kernels().chain(entry::grid::kernels().filter(move |_| has_engines(arch)))
}

/// The names of a module's entry functions.
fn entries(ptx: &str) -> impl Iterator<Item = &str> {
    ptx.lines().filter_map(|line| {
        let name = line.trim_start().strip_prefix(".visible").unwrap_or(line).trim_start().strip_prefix(".entry ")?;
        Some(name.split(['(', ' ']).next().unwrap_or(name))
    })
}

fn architectures() -> BTreeSet<u32> {
    gridsort::embedded_ptx().iter().map(|(arch, _, _)| *arch).collect()
}

#[test]
fn every_architecture_has_each_kernel_in_its_module_and_no_other() {
    for arch in architectures() {
        let expected: BTreeSet<(&str, &str)> = kernels(arch).map(|kernel| (kernel.module, kernel.name)).collect();
        assert_eq!(expected.len(), kernels(arch).count(), "a kernel is listed twice");
        let mut found = BTreeSet::new();
        for (_, module, ptx) in gridsort::embedded_ptx().iter().filter(|(a, _, _)| *a == arch) {
            for entry in entries(ptx) {
                assert!(found.insert((*module, entry)), "sm_{arch}: {entry} is in module {module} twice");
            }
        }
        let missing: Vec<_> = expected.difference(&found).collect();
        let strange: Vec<_> = found.difference(&expected).collect();
        assert!(missing.is_empty() && strange.is_empty(), "sm_{arch}: missing {missing:?}, in no list {strange:?}");
    }
}

#[test]
fn modules_are_for_the_architecture_they_are_listed_under() {
    let architectures = architectures();
    assert!(architectures.contains(&80) && architectures.contains(&90), "{architectures:?}");
    for (arch, module, ptx) in gridsort::embedded_ptx() {
        let target = ptx.lines().find_map(|line| line.strip_prefix(".target ")).unwrap_or_default();
        assert_eq!(target.split(',').next().map(str::trim), Some(format!("sm_{arch}").as_str()), "{module}");
    }
}

/// A launch takes as many parameters as the PTX declares.
#[test]
fn entries_have_the_parameters_of_the_list() {
    for (arch, module, ptx) in gridsort::embedded_ptx() {
        for kernel in kernels(*arch).filter(|kernel| kernel.module == *module) {
            let count = ptx.lines().filter(|line| {
                line.trim_start().starts_with(".param ") && line.contains(&format!(" {}_param_", kernel.name))
            });
            assert_eq!(count.count(), kernel.params.len(), "sm_{arch}: {}", kernel.name);
        }
    }
}
