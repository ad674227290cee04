//! One PTX text for each module: its entries with their launch bounds, and what they need.
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::Known;
use super::parse::{Kind, Part, Ptx};

/// The modules' texts by name. Entries that no kernel names are left out; [`super::check`] reports them.
pub fn modules(ptx: &Ptx<'_>, kernels: &[Known]) -> BTreeMap<String, String> {
    let mut chosen: BTreeMap<String, BTreeSet<usize>> = BTreeMap::new();
    for (i, part) in ptx.parts.iter().enumerate().filter(|(_, p)| p.kind == Kind::Entry) {
        if let Some(kernel) = kernels.iter().find(|k| k.name == part.name) {
            let of_module = chosen.entry(kernel.module.clone()).or_default();
            of_module.insert(i);
            of_module.extend(ptx.needs(part));
        }
    }
    let write = |parts: BTreeSet<usize>| {
        let mut text = format!("{}\n", ptx.header.trim_end());
        // In the compiler's order: what is declared first is used later.
        for part in parts.into_iter().map(|i| &ptx.parts[i]) {
            let kernel = kernels.iter().find(|k| part.kind == Kind::Entry && k.name == part.name);
            text.push('\n');
            text.push_str(&with_bounds(part, kernel));
            text.push('\n');
        }
        text
    };
    chosen.into_iter().map(|(name, parts)| (name, write(parts))).collect()
}

/// The part's text, with the launch bounds between its parameters and its body. The assembler may then give each thread
/// as many registers as fit, and no more than let the block start at all.
fn with_bounds(part: &Part<'_>, kernel: Option<&Known>) -> String {
    let mut text = part.signature.trim().to_owned();
    if let Some(kernel) = kernel {
        // Writing to a String cannot fail.
        let _ = write!(text, "\n.maxntid {}, 1, 1", kernel.threads);
        if kernel.min_blocks > 0 {
            let _ = write!(text, "\n.minnctapersm {}", kernel.min_blocks);
        }
    }
    if let Some(body) = part.body {
        text.push('\n');
        text.push_str(body);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::super::check::tests::kernel;
    use super::super::parse::parse;
    use super::super::parse::tests::SAMPLE;
    use super::*;

    #[test]
    fn each_module_has_its_entries_and_what_they_need() {
        let mut first = kernel("first", &[]);
        first.module = "a".into();
        let mut second = kernel("second", &[]);
        second.module = "b".into();
        let ptx = parse(SAMPLE).unwrap();
        let modules = modules(&ptx, &[first, second]);
        assert_eq!(modules.keys().collect::<Vec<_>>(), ["a", "b"]);
        let names = |text: &str| parse(text).unwrap().parts.iter().map(|p| p.name.to_owned()).collect::<Vec<_>>();
        assert_eq!(names(&modules["a"]), ["gridsort_shared", "first"]);
        assert_eq!(names(&modules["b"]), ["TABLE", "helper", "second"]);
        for text in modules.values() {
            assert!(text.contains(".version 7.8\n.target sm_90\n.address_size 64\n"), "{text}");
        }
    }

    #[test]
    fn launch_bounds_stand_before_the_body() {
        let mut first = kernel("first", &[]);
        (first.threads, first.min_blocks) = (256, 3);
        let ptx = parse(SAMPLE).unwrap();
        let text = &modules(&ptx, &[first.clone()])["m"];
        assert!(text.contains(")\n.maxntid 256, 1, 1\n.minnctapersm 3\n{\n"), "{text}");
        first.min_blocks = 0;
        let text = &modules(&ptx, &[first.clone()])["m"];
        assert!(text.contains(")\n.maxntid 256, 1, 1\n{\n"), "{text}");
    }
}
